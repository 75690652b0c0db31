//! The arguments of `status`, `merge` and `audit`: the folders of a run.

use std::path::PathBuf;

use super::options::named_path_parser;
use crate::run::RunFolder;

/// A run in one or more folders, and whether to print JSON.
#[derive(Debug, clap::Args)]
pub(super) struct Folders {
    /// Folder of the run, and other folders of the same run
    #[arg(value_name = "RUN", required = true, value_parser = named_path_parser())]
    paths: Vec<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,
}

impl Folders {
    /// Opens the folders.
    pub(super) fn open(&self) -> anyhow::Result<Vec<RunFolder>> {
        self.paths.iter().map(|path| RunFolder::open(path)).collect()
    }
}
