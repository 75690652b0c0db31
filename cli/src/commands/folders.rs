//! The folders of a run that `status`, `merge` and `audit` read.

use std::path::PathBuf;

use nqueens::solver::Isa;

use super::options::plain_path;
use crate::run::{Results, RunFolder};
use crate::terminal::Streams;

/// A run in one or more folders, and whether the answer is JSON.
#[derive(Debug, clap::Args)]
pub(super) struct Folders {
    /// Folder of the run, and other folders of the same run
    #[arg(value_name = "RUN", required = true, value_parser = plain_path())]
    pub(super) paths: Vec<PathBuf>,
    /// Prints JSON
    #[arg(long)]
    pub(super) json: bool,
}

/// Opens the folders of a run.
pub(super) fn open_all(paths: &[PathBuf]) -> anyhow::Result<Vec<RunFolder>> {
    paths.iter().map(|path| RunFolder::open(path)).collect()
}

/// Reads all lines of these folders, and checks that the units are this program's: if somebody removed shards from the plan,
/// a partial sum would pass for the count.
pub(super) fn read_all(paths: &[PathBuf], streams: &Streams<'_>) -> anyhow::Result<Results> {
    let mut results = Results::read(&open_all(paths)?)?;
    results.foreign().iter().for_each(|foreign| streams.note(foreign));
    let units = results.plan.cut.plan(Isa::Portable, &paths[0])?;
    results.check_weights(&*units);
    Ok(results)
}
