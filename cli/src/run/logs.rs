//! Reads the logs of all processes, from the place where the last look ended.

use std::collections::{BTreeMap, HashMap};
use std::fs::{self, File};
use std::io::{BufRead, BufReader, ErrorKind, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use anyhow::Context;

use super::folder::{LONGEST, cannot_read};
use super::{Line, RunFolder, RunPlan};
use crate::terminal::escape::shortened;

/// The most damaged lines that are named.
const MOST_DAMAGED: usize = 1000;

/// Bytes that are read at a time.
const BUFFER: usize = 256 << 10;

/// How often the end of a log is read that has no valid line. On NFS it may have zeros at first that are a line later.
const LOOKS: u8 = 3;

/// The logs of one or more folders of a run.
#[derive(Debug, Default)]
pub(super) struct Logs {
    /// The folders of logs, and whether each was there. If it is missing later, its file system is away for a while.
    folders: Vec<(PathBuf, bool)>,
    /// No line of the run has more bytes.
    longest_line: u64,
    /// How far each log has been read.
    read: HashMap<PathBuf, Position>,
    /// Damaged lines, by log and number; at most [`MOST_DAMAGED`].
    pub(super) damaged: BTreeMap<(PathBuf, usize), Damage>,
    /// Logs with lines of another run, which are left out. Says what the first of them has.
    pub(super) foreign: BTreeMap<PathBuf, String>,
    /// Names in the folders that lead to no regular file.
    pub(super) unreadable: Vec<PathBuf>,
}

/// A place in a log.
#[derive(Debug, Clone, Copy, Default)]
struct Position {
    /// The bytes up to the end of the last valid line.
    end: u64,
    /// The number of lines up to there.
    lines: usize,
    /// The bytes of the log at the last look, and how often it was looked at with as many bytes.
    length: u64,
    looks: u8,
}

/// What is wrong with a line.
#[derive(Debug)]
pub(super) struct Damage {
    /// The shard that the line seems to be of.
    pub(super) shard: Option<usize>,
    /// Names the log and the line.
    pub(super) problem: String,
}

impl Logs {
    pub(super) fn of(folders: &[RunFolder], plan: &RunPlan) -> Self {
        /// Bytes of a line without its counts, at most, and of a count.
        const BYTES: [u64; 2] = [16 << 10, 40];
        let most = (0..plan.shards()).map(|shard| plan.units_of(shard).len()).max().unwrap_or(0);
        Self {
            folders: folders.iter().map(|folder| (folder.logs(), false)).collect(),
            longest_line: BYTES[0] + BYTES[1] * most as u64,
            ..Self::default()
        }
    }

    /// Gives `add` the lines that are new since the last look, with their log. `add` says what a line of another run has.
    /// Fails if a file cannot be read, as it may on the next look.
    pub(super) fn look(&mut self, mut add: impl FnMut(&Path, &Line<'_>) -> Result<(), String>) -> anyhow::Result<()> {
        self.unreadable.clear();
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
                self.read_log(&path, &mut add).with_context(|| cannot_read(&path))?;
            }
        }
        Ok(())
    }

    /// Reads the lines of a log after the last valid one that was read. A last line without its end is none yet.
    fn read_log(
        &mut self,
        path: &Path,
        add: &mut impl FnMut(&Path, &Line<'_>) -> Result<(), String>,
    ) -> std::io::Result<()> {
        // A link is followed. A pipe would have to wait for its other end.
        let length = match fs::metadata(path) {
            Ok(metadata) if metadata.is_file() => metadata.len(),
            Err(error) if error.kind() == ErrorKind::NotFound && !path.is_symlink() => return Ok(()),
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
            _ => {
                self.unreadable.push(path.to_owned());
                return Ok(());
            }
        };
        let mut read = self.read.get(path).copied().unwrap_or_default();
        read.looks = if length == read.length { read.looks + 1 } else { 1 };
        read.length = length;
        if length == read.end || read.looks > LOOKS {
            return Ok(());
        }
        let mut file = BufReader::with_capacity(BUFFER, File::open(path)?);
        file.seek(SeekFrom::Start(read.end))?;
        let (mut end, mut lines, mut line) = (read.end, read.lines, Vec::new());
        loop {
            line.clear();
            file.by_ref().take(self.longest_line).read_until(b'\n', &mut line)?;
            let is_whole = line.ends_with(b"\n");
            if !is_whole && (line.len() as u64) < self.longest_line {
                break;
            }
            lines += 1;
            end += line.len() as u64;
            let parsed = if is_whole {
                Line::parse(&line)
            } else {
                end += file.skip_until(b'\n')? as u64;
                Err("it has more bytes than any line of this run".to_owned())
            };
            match parsed {
                Ok(parsed) => {
                    (read.end, read.lines) = (end, lines);
                    self.damaged.remove(&(path.to_owned(), lines));
                    if let Err(other) = add(path, &parsed) {
                        self.foreign.entry(path.to_owned()).or_insert(other);
                    }
                }
                Err(problem) if self.damaged.len() < MOST_DAMAGED => {
                    let problem = format!("{}, line {lines}: {}", path.display(), shortened(&problem, LONGEST));
                    let shard = Line::shard_of_damaged(&line);
                    self.damaged.insert((path.to_owned(), lines), Damage { shard, problem });
                }
                Err(_) => {}
            }
        }
        self.read.insert(path.to_owned(), read);
        Ok(())
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
