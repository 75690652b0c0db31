//! Reads the logs of all processes, from the place where the last look ended.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{ErrorKind, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use anyhow::Context;

use super::folder::{LONGEST, cannot_read};
use super::{Line, RunFolder};
use crate::terminal::atomic_file::MAX_BYTES;
use crate::terminal::escape::shortened;

/// The most damaged lines that are named.
const MOST_DAMAGED: usize = 1000;

/// The logs of one or more folders of a run.
#[derive(Debug, Default)]
pub(super) struct Logs {
    /// The folders of logs, and whether each was there. If it is missing later, its file system is away for a while.
    folders: Vec<(PathBuf, bool)>,
    /// How far each log has been read.
    read: HashMap<PathBuf, Position>,
    /// Damaged lines, and files that are no logs; at most [`MOST_DAMAGED`].
    pub(super) damaged: Vec<Damage>,
}

/// A place in a log.
#[derive(Debug, Clone, Copy, Default)]
struct Position {
    /// The bytes up to the last valid line.
    end: u64,
    /// The number of lines up to there.
    lines: usize,
}

/// What is wrong with a line or a file.
#[derive(Debug)]
pub(super) struct Damage {
    /// The shard that the line seems to be of.
    pub(super) shard: Option<usize>,
    /// Names the file and the line.
    pub(super) problem: String,
}

impl Logs {
    pub(super) fn of(folders: &[RunFolder]) -> Self {
        Self { folders: folders.iter().map(|folder| (folder.logs(), false)).collect(), ..Self::default() }
    }

    /// Gives `add` the lines that are new since the last look, with their log. Fails if a file cannot be read, as it may on
    /// the next look, and if `add` fails.
    pub(super) fn look(&mut self, mut add: impl FnMut(&Path, &[Line<'_>]) -> anyhow::Result<()>) -> anyhow::Result<()> {
        for index in 0..self.folders.len() {
            let (folder, was_there) = self.folders[index].clone();
            let entries = match fs::read_dir(&folder) {
                Err(error) if error.kind() == ErrorKind::NotFound && !was_there => continue,
                entries => entries.with_context(|| cannot_read(&folder))?,
            };
            self.folders[index].1 = true;
            let paths: std::io::Result<Vec<PathBuf>> = entries.map(|entry| Ok(entry?.path())).collect();
            let mut paths = paths.with_context(|| cannot_read(&folder))?;
            paths.retain(|path| is_log(path));
            paths.sort_unstable();
            for path in paths {
                self.read_log(&path, &mut add)?;
            }
        }
        Ok(())
    }

    /// Reads the lines of a log after the last valid one that was read. A last line without its end is none yet. All are
    /// parsed before the first is added: to add one takes a few places of the memory, which then arrive together.
    fn read_log(
        &mut self,
        path: &Path,
        add: &mut impl FnMut(&Path, &[Line<'_>]) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let cannot = || cannot_read(path);
        let metadata = match fs::symlink_metadata(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            metadata => metadata.with_context(cannot)?,
        };
        // A pipe would have to wait for its other end.
        if !metadata.is_file() {
            self.damage(None, format!("{}: it is not a regular file", path.display()));
            return Ok(());
        }
        let mut read = self.read.get(path).copied().unwrap_or_default();
        if metadata.len() == read.end {
            return Ok(());
        }
        let mut file = File::open(path).with_context(cannot)?;
        let mut at = read;
        loop {
            file.seek(SeekFrom::Start(at.end)).with_context(cannot)?;
            let length = metadata.len().saturating_sub(at.end).min(MAX_BYTES);
            let mut bytes = Vec::with_capacity(length as usize);
            (&mut file).take(MAX_BYTES).read_to_end(&mut bytes).with_context(cannot)?;
            let is_full = bytes.len() as u64 == MAX_BYTES;
            let (mut results, mut start) = (Vec::new(), 0);
            for end in memchr::memchr_iter(b'\n', &bytes) {
                let line = &bytes[start..=end];
                (at.end, at.lines) = (at.end + line.len() as u64, at.lines + 1);
                start = end + 1;
                match Line::parse(line) {
                    Ok(result) => {
                        results.push(result);
                        read = at;
                    }
                    Err(problem) => {
                        let problem = shortened(&problem, LONGEST);
                        let problem = format!("{}, line {}: {problem}", path.display(), at.lines);
                        self.damage(Line::shard_of_damaged(line), problem);
                    }
                }
            }
            add(path, &results)?;
            if is_full && start == 0 {
                let problem = format!("{}, line {}: it has more than 64 MiB", path.display(), at.lines + 1);
                self.damage(Line::shard_of_damaged(&bytes), problem);
            }
            if !is_full || start == 0 {
                break;
            }
        }
        self.read.insert(path.to_owned(), read);
        Ok(())
    }

    fn damage(&mut self, shard: Option<usize>, problem: String) {
        if self.damaged.len() < MOST_DAMAGED {
            self.damaged.push(Damage { shard, problem });
        }
    }

    /// The folders of logs.
    pub(super) fn folders(&self) -> impl Iterator<Item = &Path> {
        self.folders.iter().map(|(folder, _)| &**folder)
    }
}

/// Whether a file of this name is a log.
fn is_log(path: &Path) -> bool {
    let is_hidden = path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
    !is_hidden && path.extension().is_some_and(|extension| extension == "jsonl")
}
