//! The arguments of `status`, `merge` and `audit`: the folders of a run.

use std::path::{Path, PathBuf};

use nqueens::solver::Plan;

use super::counting::Code;
use super::options::named_path;
use crate::run::{Results, RunFolder};

/// A run in one or more folders, and whether to print JSON.
#[derive(Debug, clap::Args)]
pub(super) struct Folders {
    /// Folder of the run, and other folders of the same run
    #[arg(value_name = "RUN", required = true, value_parser = named_path())]
    pub(super) paths: Vec<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,
}

/// Opens the folders of a run.
pub(super) fn open_all(paths: &[PathBuf]) -> anyhow::Result<Vec<RunFolder>> {
    paths.iter().map(|path| RunFolder::open(path)).collect()
}

/// Reads all lines of these folders.
pub(super) fn read_all(paths: &[PathBuf]) -> anyhow::Result<Results> {
    Results::read(&open_all(paths)?)
}

/// Plans the units of a run with the code that counts them, and checks the run's plan and the weights of its units
/// against them. Without this check, a partial sum would pass for the count if somebody had removed shards from the
/// plan.
pub(super) fn units_of(results: &mut Results, code: &Code<'_>, path: &Path) -> anyhow::Result<Box<dyn Plan>> {
    let units = code.plan(results.plan.size)?;
    results.plan.check_units(&*units, path)?;
    results.check_weights(&*units);
    Ok(units)
}
