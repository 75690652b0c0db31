//! `nqueens man`: the manual, a page for the program and one for each of its commands.

use std::path::PathBuf;

use crate::version;
use anyhow::Context;
use clap::{Command, CommandFactory};
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};

use super::Cli;
use super::options::asked::THREADS_VARIABLE;
use crate::exit::{Exit, STATUSES};
use crate::terminal::Streams;
use crate::terminal::kept::Kept;
use crate::terminal::signals::Interrupts;

/// Writes the manual: a page for the program and one for each command
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nqueens man --dir ~/.local/share/man/man1      writes all pages, for 'man nqueens-count'")]
pub(crate) struct Args {
    /// Folder for the pages. It is created if necessary
    #[arg(long, value_name = "FOLDER")]
    dir: PathBuf,
}

/// A name clap gives to its own command, which has no page.
const HELP: &str = "help";

/// The commands that have a page, those of groups behind their group.
fn commands(program: &Command) -> impl Iterator<Item = &Command> {
    shown(program).flat_map(|command| std::iter::once(command).chain(shown(command)))
}

fn shown(command: &Command) -> impl Iterator<Item = &Command> {
    command.get_subcommands().filter(|command| command.get_name() != HELP && !command.is_hide_set())
}

pub(crate) fn run(args: &Args, streams: &mut Streams<'_>) -> anyhow::Result<Exit> {
    let (dir, mut program) = (&args.dir, Cli::command());
    // Propagates the global arguments and the names that the pages show.
    program.build();
    // A signal leaves no half of a page behind.
    let interrupts = Interrupts::catch()?;
    std::fs::create_dir_all(dir).with_context(|| format!("cannot make the folder {}", dir.display()))?;
    let mut pages = 0;
    for command in std::iter::once(&program).chain(commands(&program)) {
        if let Some(exit) = interrupts.caught() {
            return Err(exit.error(format!("stopped after {pages} pages")));
        }
        let name = format!("{}.1", command.get_display_name().unwrap_or_else(|| command.get_name()));
        Kept::prepare(&dir.join(name), "the page")?.write_bytes(&page(command)?)?;
        pages += 1;
    }
    streams.note(format_args!("wrote {pages} pages to {}", dir.display()));
    Ok(Exit::Fine)
}

/// The page of a command, each complete by itself.
fn page(command: &Command) -> std::io::Result<Vec<u8>> {
    let man = Man::new(command.clone()).source(format!("nqueens {}", version::VERSION)).manual("nqueens");
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    if shown(command).next().is_some() {
        man.render_subcommands_section(&mut page)?;
    }
    let mut roff = Roff::default();
    let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    if let Some((_, examples)) = help.split_once("Examples:\n") {
        roff.control("SH", ["EXAMPLES"]);
        // As they stand: no line is filled up with the next.
        roff.control("nf", []);
        for example in examples.lines() {
            roff.text([roman(example)]);
        }
        roff.control("fi", []);
    }
    roff.control("SH", ["ENVIRONMENT"]);
    roff.control("TP", []);
    roff.text([bold(THREADS_VARIABLE)]);
    roff.text([roman("Number of threads if --threads is not given. Default: every core this process may use.")]);
    roff.control("SH", ["EXIT STATUS"]);
    for (exit, meaning) in STATUSES {
        roff.control("TP", []);
        roff.text([bold((exit as u8).to_string())]);
        roff.text([roman(meaning)]);
    }
    roff.control("SH", ["VERSION"]);
    roff.text([roman(version::LONG)]);
    roff.to_writer(&mut page)?;
    Ok(page)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn pages(dir: &Path) -> Vec<(String, String)> {
        let entries = std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap());
        entries
            .map(|entry| (entry.file_name().into_string().unwrap(), std::fs::read_to_string(entry.path()).unwrap()))
            .collect()
    }

    #[test]
    fn every_page_is_written_and_complete() {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path().join("man1");
        let mut out = Vec::new();
        let mut streams = Streams { out: &mut out, quiet: true };
        run(&Args { dir: dir.clone() }, &mut streams).unwrap();
        let pages = pages(&dir);
        let mut program = Cli::command();
        program.build();
        assert_eq!(pages.len(), 1 + commands(&program).count());
        assert!(pages.iter().any(|(name, _)| name == "nqueens.1"));
        for (name, page) in &pages {
            // Signs that roff would read are escaped.
            let page = page.replace('\\', "");
            for part in [version::LONG, THREADS_VARIABLE, ".SH \"EXIT STATUS\"", "EXAMPLES"] {
                let is_there = page.contains(part) || (part == "EXAMPLES" && !page.contains("Examples"));
                assert!(is_there, "{name}: {part}\n{page}");
            }
            for (exit, meaning) in STATUSES {
                let meaning = meaning.replace('\\', "");
                assert!(page.contains(&format!("fB{}fR\n{meaning}", exit as u8)), "{name}: {meaning}\n{page}");
            }
        }
    }

    /// The formatter has nothing to complain about, where it is installed.
    #[test]
    fn the_formatter_reads_every_page() {
        use std::io::Write;
        let mut program = Cli::command();
        program.build();
        for command in std::iter::once(&program).chain(commands(&program)) {
            let mut file = tempfile::NamedTempFile::new().unwrap();
            file.write_all(&page(command).unwrap()).unwrap();
            let shown = std::process::Command::new("man")
                .args(["--warnings", "-E", "UTF-8", "-l"])
                .arg(file.path())
                .env("MANWIDTH", "80")
                .output();
            let Ok(shown) = shown else {
                let _ = writeln!(std::io::stderr(), "SKIPPED: there is no 'man' here to read the pages");
                return;
            };
            let said = String::from_utf8_lossy(&shown.stderr).into_owned();
            assert!(shown.status.success() && said.is_empty(), "{}: {said}", command.get_name());
            let text = String::from_utf8_lossy(&shown.stdout);
            assert!(text.contains("EXIT STATUS") && text.contains(version::VERSION), "{text}");
        }
    }
}
