//! `nqueens run status`: the progress of a run.

mod text;

use super::RunFolders;
use crate::exit::Exit;
use crate::runs::Status;
use crate::terminal::Streams;
use text::show;

/// Shows the progress of a run: shards done, running, missing and damaged, and the time left
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nqueens run status n24            prints a picture and figures
  watch nqueens run status n24      prints them every two seconds, with the system's watch
  nqueens run status n24 copy       takes two folders together
  nqueens run status n24 --json     prints JSON")]
pub(crate) struct Args {
    #[command(flatten)]
    folders: RunFolders,
    /// Prints JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, streams: &mut Streams<'_>) -> anyhow::Result<Exit> {
    let folders = args.folders.open()?;
    let status = Status::of(&folders)?;
    if args.json {
        streams.json(&status)?;
    } else {
        show(&folders, &status, streams)?;
    }
    Ok(Exit::Fine)
}
