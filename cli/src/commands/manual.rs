//! `nqueens man` and `nqueens completions`: manual pages, and a script that completes commands in a shell.

use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::Context;
use clap::Command;
use clap_complete::Shell;

use super::options::named_path;
use crate::terminal::Streams;
use crate::terminal::output::Waiting;

/// Write the manual: a page for the program and one for each command
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nqueens man --dir .local/share/man/man1      write all pages; type it in your home folder")]
pub(crate) struct ManArgs {
    /// Folder for the pages; it is created if necessary
    #[arg(long, value_name = "FOLDER", value_parser = named_path())]
    dir: PathBuf,
}

/// Print the script that completes commands and options in your shell
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nqueens completions bash > ~/.local/share/bash-completion/completions/nqueens
  nqueens completions fish > ~/.config/fish/completions/nqueens.fish
  source <(nqueens completions bash)             complete in this shell only")]
pub(crate) struct CompletionsArgs {
    /// Shell that reads the completions
    #[arg(value_enum, value_name = "SHELL")]
    shell: Shell,
}

pub(crate) fn man(args: &ManArgs, program: Command, streams: &mut Streams<'_>) -> anyhow::Result<()> {
    let cannot = || format!("cannot write the pages to the folder {}", args.dir.display());
    std::fs::create_dir_all(&args.dir).with_context(cannot)?;
    clap_mangen::generate_to(program, &args.dir).with_context(cannot)?;
    streams.note(format_args!("wrote the pages to {}", args.dir.display()));
    Ok(())
}

pub(crate) fn completions(args: &CompletionsArgs, mut program: Command) -> anyhow::Result<()> {
    // The generator panics if it cannot write, so it writes to memory. The script bypasses `out`, which would escape
    // it.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut program, "nqueens", &mut script);
    Waiting(io::stdout()).write_all(&script).context("cannot write to standard output")?;
    Ok(())
}
