//! The arguments of `status`, `merge` and `audit`: the folders of a run.

use std::collections::HashMap;
use std::fs;
use std::path::PathBuf;

use super::options::named_path_parser;
use crate::exit;
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
    /// Opens the folders. Fails if two of them are the same, because advice would then be to copy a folder into itself.
    pub(super) fn open(&self) -> anyhow::Result<Vec<RunFolder>> {
        let mut known = HashMap::new();
        for path in &self.paths {
            let opened = fs::canonicalize(path).ok().and_then(|canonical| known.insert(canonical, path));
            if let Some(other) = opened {
                let (path, other) = (path.display(), other.display());
                return Err(exit::Kind::Usage.error(format!("{other} and {path} are one folder: name it once")));
            }
        }
        self.paths.iter().map(|path| RunFolder::open(path)).collect()
    }
}
