//! `nqueens run`: counts that take days, cut into shards for many processes and machines.

mod audit;
pub(crate) mod count;
pub(crate) mod merge;
pub(crate) mod plan;
mod status;

use std::path::PathBuf;

use crate::exit::Exit;
use crate::runs::RunFolder;
use crate::terminal::Streams;

/// Counts on many machines, for days: plan, count, status, merge, audit
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nqueens run plan 24 --dir n24     cuts the count into shards
  nqueens run count --dir n24       counts missing shards; start it as often as you like
  nqueens run status --dir n24      shows progress and time left
  nqueens run merge --dir n24       checks all records and prints the count
  nqueens run audit --dir n24       counts a sample again, with another instruction set")]
pub(crate) struct Args {
    #[command(subcommand)]
    what: RunCommand,
}

#[derive(Debug, clap::Subcommand)]
enum RunCommand {
    Plan(plan::Args),
    Count(count::Args),
    Status(status::Args),
    Merge(merge::Args),
    Audit(audit::Args),
}

/// The folders of one run.
#[derive(Debug, clap::Args)]
struct RunFolders {
    /// Folder of the run
    #[arg(long, value_name = "RUN")]
    dir: PathBuf,
    /// Other folders of the same run
    #[arg(value_name = "RUN")]
    others: Vec<PathBuf>,
}

impl RunFolders {
    /// Opens the folders, that of `--dir` first.
    fn open(&self) -> anyhow::Result<Vec<RunFolder>> {
        open_all(std::iter::once(&self.dir).chain(&self.others))
    }
}

/// Opens the folders of a run.
fn open_all<'a>(paths: impl Iterator<Item = &'a PathBuf>) -> anyhow::Result<Vec<RunFolder>> {
    paths.map(|path| RunFolder::open(path)).collect()
}

impl Args {
    /// Whether it only writes data, without a verdict.
    pub(crate) fn is_plain_data(&self) -> bool {
        matches!(self.what, RunCommand::Status(_))
    }

    /// Whether it is of no use without standard output.
    pub(crate) fn only_prints(&self) -> bool {
        matches!(self.what, RunCommand::Status(_) | RunCommand::Merge(_))
    }
}

pub(crate) fn run(args: &Args, streams: &mut Streams<'_>) -> anyhow::Result<Exit> {
    match &args.what {
        RunCommand::Plan(args) => plan::run(args, streams),
        RunCommand::Count(args) => count::run(args, streams),
        RunCommand::Status(args) => status::run(args, streams),
        RunCommand::Merge(args) => merge::run(args, streams),
        RunCommand::Audit(args) => audit::run(args, streams),
    }
}
