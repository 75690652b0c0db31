//! `nqueens completions` and `nqueens man`: what shells and manuals are told about the command line.

use clap::CommandFactory;
use clap_complete::Shell;

use super::exit::Exit;
use super::{Cli, Streams};

/// Prints the completions for a shell
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nqueens completions bash > ~/.local/share/bash-completion/completions/nqueens
  nqueens completions fish > ~/.config/fish/completions/nqueens.fish")]
pub(super) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum, value_name = "SHELL")]
    shell: Shell,
}

/// Prints the manual page of the program, or of one of its commands
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nqueens man > ~/.local/share/man/man1/nqueens.1
  nqueens man count | man -l -           reads the page of `nqueens count`")]
pub(super) struct ManArgs {
    /// The command; the program itself by default
    #[arg(value_name = "COMMAND")]
    command: Option<String>,
}

/// A name clap gives to its own command, which has no page.
const HELP: &str = "help";

pub(super) fn run(args: &CompletionsArgs, streams: &mut Streams<'_>) -> anyhow::Result<Exit> {
    // The generator panics where it cannot write, so it writes to memory.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "nqueens", &mut script);
    streams.out.write_all(&script)?;
    Ok(Exit::Fine)
}

pub(super) fn man(args: &ManArgs, streams: &mut Streams<'_>) -> anyhow::Result<Exit> {
    let mut program = Cli::command();
    // Propagates the global arguments and the names that the pages show.
    program.build();
    let page = match &args.command {
        None => program,
        Some(name) => {
            let has_page = |command: &&clap::Command| command.get_name() != HELP && !command.is_hide_set();
            let known = program.get_subcommands().filter(has_page).map(clap::Command::get_name);
            let known = known.collect::<Vec<_>>().join(", ");
            program.find_subcommand(name).filter(has_page).cloned().ok_or_else(|| {
                Exit::Usage.error(format!("there is no command '{name}': give one of {known}, or none"))
            })?
        }
    };
    clap_mangen::Man::new(page).render(streams.out)?;
    Ok(Exit::Fine)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::ValueEnum;

    #[test]
    fn every_shell_and_every_command_has_its_text() {
        let mut out = Vec::new();
        for &shell in Shell::value_variants() {
            out.clear();
            run(&CompletionsArgs { shell }, &mut Streams { out: &mut out, quiet: true }).unwrap();
            assert!(String::from_utf8_lossy(&out).contains("nqueens"), "{shell}");
        }
        for command in Cli::command().get_subcommands().filter(|command| !command.is_hide_set()) {
            out.clear();
            let args = ManArgs { command: Some(command.get_name().to_owned()) };
            man(&args, &mut Streams { out: &mut out, quiet: true }).unwrap();
            let text = String::from_utf8_lossy(&out);
            assert!(text.contains(&format!("nqueens {}", command.get_name()).replace('-', "\\-")), "{text}");
        }
    }
}
