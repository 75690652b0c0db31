//! `nqueens man` and `nqueens completions`: the manual, and what shells are told about the command line.

use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::Context;
use clap::CommandFactory;
use clap_complete::Shell;

use super::Cli;
use super::options::plain_path;
use crate::terminal::Streams;
use crate::terminal::output::Waiting;

/// Writes the manual: a page for the program and one for each command
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nqueens man --dir .local/share/man/man1      writes all pages, if typed in your home folder")]
pub(crate) struct ManArgs {
    /// Folder for the pages. It is created if necessary
    #[arg(long, value_name = "FOLDER", value_parser = plain_path())]
    dir: PathBuf,
}

/// Prints the script that completes commands and options in your shell
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nqueens completions bash > ~/.local/share/bash-completion/completions/nqueens
  nqueens completions fish > ~/.config/fish/completions/nqueens.fish
  source <(nqueens completions bash)             for this shell only")]
pub(crate) struct CompletionsArgs {
    /// Shell that reads the completions
    #[arg(value_enum, value_name = "SHELL")]
    shell: Shell,
}

pub(crate) fn man(args: &ManArgs, streams: &mut Streams<'_>) -> anyhow::Result<()> {
    let cannot = || format!("cannot write the pages to {}", args.dir.display());
    std::fs::create_dir_all(&args.dir).with_context(cannot)?;
    clap_mangen::generate_to(Cli::command(), &args.dir).with_context(cannot)?;
    streams.note(format_args!("wrote the pages to {}", args.dir.display()));
    Ok(())
}

pub(crate) fn completions(args: &CompletionsArgs) -> anyhow::Result<()> {
    // The generator panics where it cannot write, so it writes to memory. Escapes would change the script.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "nqueens", &mut script);
    Waiting(io::stdout()).write_all(&script).context("cannot write to standard output")?;
    Ok(())
}
