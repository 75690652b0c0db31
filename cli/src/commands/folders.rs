//! The arguments of `status`, `merge` and `audit`: the folders of a run.

use std::path::PathBuf;

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
