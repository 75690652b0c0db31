//! Files in the folder of a run that are not read, although they may contain lines of missing shards.

use std::borrow::Cow;
use std::io::Read;
use std::path::{Path, PathBuf};

use super::logs::{Logs, files_below, is_folder, is_log, visible_in};
use super::{Line, Results, RunFolder};
use crate::terminal::files::open_regular;

impl Results<'_> {
    /// Returns a file that is not read although it has a line of a missing shard, or may have one because it is packed.
    pub(super) fn misplaced_log(&mut self, folder: &RunFolder) -> anyhow::Result<Option<PathBuf>> {
        for path in unread_logs(folder)? {
            if is_packed(&path) {
                return Ok(Some(path));
            }
            let (run_plan, mut shards) = (self.run_plan(), Vec::new());
            let add = |_: &Path, line: Line| {
                shards.extend(line.units_in(run_plan).map(|_| line.shard));
                Ok(())
            };
            // A file that nobody needs may be unreadable.
            let _ = Logs::default().read_log(&path, add);
            if !self.missing_of(&shards).is_empty() {
                // Other processes may have saved these shards since, and somebody has copied their logs.
                self.look()?;
            }
            if !self.missing_of(&shards).is_empty() {
                return Ok(Some(path));
            }
        }
        Ok(None)
    }
}

/// Returns the paths of what may be logs of a run, but is not read: files in the folder of logs that have other names,
/// and files outside it that are named like logs, such as `all.jsonl` or `box.jsonl.gz`. Copies that editors keep are
/// left out.
fn unread_logs(run: &RunFolder) -> anyhow::Result<Vec<PathBuf>> {
    let mut unread: Vec<PathBuf> = files_below(&run.logs())?.into_iter().filter(|path| !is_log(path)).collect();
    for entry in visible_in(&run.path)? {
        let path = entry.path();
        if path != run.logs() && path != run.claims() {
            let files = if is_folder(&entry) { files_below(&path).unwrap_or_default() } else { vec![path] };
            unread.extend(files.into_iter().filter(|path| name_of(path).contains(".jsonl")));
        }
    }
    unread.retain(|path| ![".bak", "~"].iter().any(|end| name_of(path).ends_with(end)));
    Ok(unread)
}

/// Returns whether what is not read may contain lines, although it cannot be read as text: it is a link to a folder or
/// to nothing, or, like an archive, contains a zero byte. An archive of a log beside that log is its copy.
fn is_packed(path: &Path) -> bool {
    let log = name_of(path).split_once(".jsonl").map(|(name, _)| path.with_file_name(format!("{name}.jsonl")));
    let mut start = Vec::new();
    let _ = open_regular(path).and_then(|file| file.take(4096).read_to_end(&mut start));
    let is_link = path.is_symlink() && !path.is_file();
    is_link || (start.contains(&0) && !log.is_some_and(|log| log.exists()))
}

fn name_of(path: &Path) -> Cow<'_, str> {
    path.file_name().unwrap_or_default().to_string_lossy()
}
