//! `nqueens completions`: what shells are told about the command line.

use clap::CommandFactory;
use clap_complete::Shell;

use super::Cli;
use crate::exit::Exit;
use crate::terminal::Streams;

/// Prints the script that completes commands and options in your shell
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nqueens completions bash > ~/.local/share/bash-completion/completions/nqueens
  nqueens completions fish > ~/.config/fish/completions/nqueens.fish
  source <(nqueens completions bash)             for this shell only")]
pub(crate) struct Args {
    /// Shell that reads the completions
    #[arg(value_enum, value_name = "SHELL")]
    shell: Shell,
}

pub(crate) fn run(args: &Args, streams: &mut Streams<'_>) -> anyhow::Result<Exit> {
    // The generator panics where it cannot write, so it writes to memory.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "nqueens", &mut script);
    streams.out.write_all(&script)?;
    Ok(Exit::Fine)
}
