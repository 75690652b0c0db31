//! `nqueens run`: looks at long counts that `nqueens count N --dir RUN` saves in a folder.

mod audit;
mod merge;
mod status;

use std::path::PathBuf;

use crate::exit::Exit;
use crate::run::{Results, RunFolder};
use crate::terminal::Streams;

/// Shows, adds up and checks long counts: status, merge, audit
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nqueens count 24 --dir n24   plans, counts and joins a long count
  nqueens run status n24       shows its progress and the time left
  nqueens run merge n24        checks all results and prints the count
  nqueens run audit n24        counts a sample again, with another instruction set")]
pub(crate) struct Args {
    #[command(subcommand)]
    what: RunCommand,
}

#[derive(Debug, clap::Subcommand)]
enum RunCommand {
    Status(status::Args),
    Merge(merge::Args),
    Audit(audit::Args),
}

/// A run in one or more folders, and whether the answer is JSON.
#[derive(Debug, clap::Args)]
struct Folders {
    /// Folder of the run, and other folders of the same run
    #[arg(value_name = "RUN", required = true)]
    paths: Vec<PathBuf>,
    /// Prints JSON
    #[arg(long)]
    json: bool,
}

/// Opens the folders of a run.
fn open_all(paths: &[PathBuf]) -> anyhow::Result<Vec<RunFolder>> {
    paths.iter().map(|path| RunFolder::open(path)).collect()
}

pub(crate) fn run(args: &Args, streams: &mut Streams<'_>) -> anyhow::Result<Exit> {
    match &args.what {
        RunCommand::Status(args) => status::run(args, streams),
        RunCommand::Merge(args) => merge::run(args, streams),
        RunCommand::Audit(args) => audit::run(args, streams),
    }
}

/// Reads all lines of these folders, and checks that the units are this program's.
fn read_all(paths: &[PathBuf], streams: &Streams<'_>) -> anyhow::Result<Results> {
    let mut results = Results::read(&open_all(paths)?)?;
    results.foreign().iter().for_each(|foreign| streams.note(foreign));
    results.check_units(&paths[0])?;
    Ok(results)
}
