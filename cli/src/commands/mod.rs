//! The command line, with a file or a folder for each command.
//!
//! A command consists of `Args`, which clap parses, and `run`, which writes results to `Streams::out`, passes notes to
//! [`Streams::note`] and reports what is wrong with `complain`. Only `trace` also draws on the terminal by itself. If
//! `run` fails, [`exit::Kind`] decides the exit status.

mod audit;
mod batch;
mod bench;
mod check;
mod compare;
mod count;
mod counting;
mod estimate;
mod info;
mod merge;
mod options;
mod prepared;
mod run_folders;
mod shorthand;
mod solutions;
mod status;
mod tables;
mod tips;
mod trace;
mod verify;

use std::ffi::OsString;
use std::io::{self, Write};

use clap::error::ErrorKind;
use clap::{CommandFactory, Parser};

use crate::exit;
use crate::terminal::output::{TextWriter, Waiting};
use crate::terminal::{Streams, signals};

/// Count the ways to place n queens on an n x n board so that no queen attacks another.
#[derive(Debug, Parser)]
#[command(
    name = "nqueens",
    bin_name = "nqueens",
    version = crate::version::LONG,
    override_usage = "nqueens [OPTIONS] N...\n       nqueens [OPTIONS] <COMMAND>",
    max_term_width = 100,
    after_help = after_help()
)]
struct Cli {
    /// Print only results and errors
    #[arg(long, short, global = true)]
    quiet: bool,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    Count(count::Args),
    Solutions(solutions::Args),
    Check(check::Args),
    Trace(trace::Args),
    Batch(batch::Args),
    Verify(verify::Args),
    Estimate(estimate::Args),
    Info(info::Args),
    Status(status::Args),
    Merge(merge::Args),
    Audit(audit::Args),
    Bench(bench::Args),
    Compare(compare::Args),
}

/// Returns the text below the help.
fn after_help() -> String {
    let status = |(status, meaning): &(u8, &str)| format!("  {status:<4} {meaning}\n");
    let statuses: String = exit::STATUSES.iter().map(status).collect();
    format!(
        "Exit status:\n{statuses}
Examples:
  nqueens 8                        count the solutions: 92 (short for 'nqueens count 8')
  nqueens solutions 8 --limit 1    draw the first solution
  nqueens estimate 24              estimate how long a larger count takes here
  nqueens help count               explain a command

The documentation comes with the sources and begins with README.md; docs/json.md lists all JSON fields."
    )
}

/// Returns the command line, for documents that are made from it.
pub(crate) fn command() -> clap::Command {
    Cli::command()
}

/// Runs the program with these arguments, of which the first is its name, and returns the exit status.
pub(crate) fn main(arguments: impl Iterator<Item = OsString>) -> u8 {
    let done = run(arguments.collect());
    if let Err(error) = &done {
        exit::report(error);
    }
    exit::status(&done, signals::caught())
}

fn run(arguments: Vec<OsString>) -> anyhow::Result<()> {
    signals::survive_a_size_limit();
    let arguments = shorthand::in_full(arguments, &Cli::command())?;
    let mut out = TextWriter::new(Waiting(io::stdout()));
    let cli = match Cli::try_parse_from(&arguments) {
        Ok(cli) => cli,
        Err(error) if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            // This help is not a result, and its lines need no prefix.
            let _ = write!(Waiting(io::stderr()), "{error}");
            return Err(exit::Kind::Usage.already_reported());
        }
        Err(error) if error.use_stderr() => {
            let text = tips::with_tip(error, &arguments, &Cli::command()).to_string();
            return Err(exit::Kind::Usage.error(text.strip_prefix("error: ").unwrap_or(&text).trim_end()));
        }
        Err(help) => {
            write!(out, "{help}")?;
            out.flush()?;
            return Ok(());
        }
    };
    let mut streams = Streams { out: &mut out, quiet: cli.quiet };
    let done = match cli.command {
        Command::Count(args) => count::run(&args, &mut streams),
        Command::Solutions(args) => solutions::run(&args, &mut streams),
        Command::Check(args) => check::run(&args, &mut streams),
        Command::Trace(args) => trace::run(&args, &mut streams),
        Command::Batch(args) => batch::run(&args, &mut streams),
        Command::Verify(args) => verify::run(&args, &mut streams),
        Command::Estimate(args) => estimate::run(&args, &mut streams),
        Command::Status(args) => status::run(&args, &mut streams),
        Command::Merge(args) => merge::run(&args, &mut streams),
        Command::Audit(args) => audit::run(&args, &mut streams),
        Command::Info(args) => info::run(&args, &mut streams),
        Command::Bench(args) => bench::run(&args, &mut streams),
        Command::Compare(args) => compare::run(&args, &mut streams),
    };
    // Results from before an error are still written, and a failure to write them is also reported.
    exit::settle(done, out.flush())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the words of an example before its explanation, a pipe or a redirection.
    fn typed(example: &str) -> Option<Vec<String>> {
        let command = &example[example.find("nqueens ")?..];
        let end = ["  ", " | ", " > ", " < "].iter().filter_map(|sign| command.find(sign)).min();
        shlex::split(&command[..end.unwrap_or(command.len())])
    }

    #[test]
    fn every_command_has_examples_that_can_be_typed() {
        let mut parsed = 0;
        let mut command = Cli::command();
        command.build();
        for command in command.get_subcommands().filter(|command| command.get_name() != "help") {
            let words = command.get_name();
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            let (_, examples) = help.split_once("Examples:\n").unwrap_or_else(|| panic!("'{words}' has no examples"));
            let lines: Vec<_> = examples.lines().collect();
            assert!(lines.iter().all(|line| line.chars().count() <= 100), "an example of '{words}' is too wide");
            let commands: Vec<_> = lines.iter().filter_map(|line| typed(line)).collect();
            assert!(
                commands.iter().any(|typed| typed.join(" ").starts_with(&format!("nqueens {words}"))),
                "{examples}"
            );
            for typed in &commands {
                assert!(Cli::try_parse_from(typed).is_ok(), "'{words}' shows {typed:?}");
                parsed += 1;
            }
        }
        assert!(parsed > 40, "{parsed} examples");
    }

    /// Blocks of `text` are not run, because their commands take long or need several machines.
    #[test]
    fn the_commands_in_the_text_of_pages_can_be_typed() {
        let mut parsed = 0;
        for page in ["docs/cluster.md", "docs/long-runs.md", "docs/measuring.md"] {
            let page = format!("{}/../{page}", env!("CARGO_MANIFEST_DIR"));
            let text = std::fs::read_to_string(page).unwrap();
            for typed in text.lines().filter(|line| line.starts_with("$ nqueens ")).filter_map(typed) {
                assert!(Cli::try_parse_from(&typed).is_ok(), "{typed:?}");
                parsed += 1;
            }
        }
        assert!(parsed > 15, "{parsed} commands");
    }
}
