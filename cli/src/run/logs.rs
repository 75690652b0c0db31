//! The logs of all processes. Each look continues where the last one stopped.

use std::collections::{BTreeMap, HashMap};
use std::fs::{DirEntry, File, Metadata};
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use anyhow::Context;

use super::folder::entries_in;
use super::{Line, RunFolder};
use crate::terminal::files::{MAX_BYTES, cannot_read, open_regular};

/// The maximum number of damaged lines that are remembered, because a file that is not a log could otherwise fill the
/// memory.
const MOST_DAMAGED: usize = 100_000;

/// The number of bytes that are read at a time.
const BUFFER_BYTES: usize = 256 << 10;

/// The age of the last change after which a log is quiet, because its process has probably ended. It is longer than a
/// shard takes: NFS may show the length of a file that is not opened a minute late, and a shard that was saved in that
/// minute would be counted again.
pub(super) const QUIET_AFTER: Duration = Duration::from_secs(3600);

/// How far the logs of one or more folders of a run have been read.
#[derive(Debug, Default)]
pub(super) struct Logs {
    known: HashMap<PathBuf, Known>,
    /// The problem of each damaged line, by log and number; at most [`MOST_DAMAGED`] entries.
    pub(super) damaged: BTreeMap<(PathBuf, usize), String>,
}

/// What is known of a log.
#[derive(Debug, Clone, Copy, Default)]
struct Known {
    /// The end of the last good line. The bytes before it are not read again.
    settled: Place,
    /// The number of bytes when it was last opened.
    bytes: u64,
}

/// A place in a log, as the number of bytes and lines before it.
#[derive(Debug, Clone, Copy, Default)]
struct Place {
    bytes: u64,
    lines: usize,
}

impl Logs {
    /// Passes each line that is new since the last look to `add`, with the path of its log. An error of `add` is a
    /// problem of the line. `look` itself fails if a file cannot be read, and the next look reads that file again.
    pub(super) fn look(
        &mut self,
        folders: &[RunFolder],
        mut add: impl FnMut(&Path, Line) -> Result<(), String>,
    ) -> anyhow::Result<()> {
        for folder in folders {
            for path in log_files(&folder.logs())? {
                self.read_log(&path, &mut add).with_context(|| cannot_read(&path))?;
            }
        }
        Ok(())
    }

    /// Reads what is new in a log. A quiet log of known length is not opened: NFS asks the server whenever a file is
    /// opened, and a run of weeks has hundreds of logs, at all of which a process looks before each shard.
    pub(super) fn read_log(
        &mut self,
        path: &Path,
        mut add: impl FnMut(&Path, Line) -> Result<(), String>,
    ) -> io::Result<()> {
        let known = self.known.get(path).copied().unwrap_or_default();
        let is_old = |changed: SystemTime| changed.elapsed().is_ok_and(|age| age > QUIET_AFTER);
        let is_quiet = |file: Metadata| file.len() == known.bytes && file.modified().is_ok_and(is_old);
        if path.metadata().is_ok_and(is_quiet) {
            return Ok(());
        }
        let mut file = match open_regular(path) {
            // The log was removed a moment ago. A symbolic link without a target is an error.
            Err(error) if error.kind() == ErrorKind::NotFound && !path.is_symlink() => return Ok(()),
            file => file?,
        };
        let bytes = file.metadata()?.len();
        let settled = if bytes == known.settled.bytes {
            known.settled
        } else {
            file.seek(SeekFrom::Start(known.settled.bytes))?;
            self.read_lines(path, file, known.settled, &mut add)?
        };
        self.known.insert(path.to_owned(), Known { settled, bytes });
        Ok(())
    }

    /// Reads the lines of a log after its settled part, and returns where that part now ends. The next look reads an
    /// incomplete last line again, and also damaged lines that no good line follows, because a reader on NFS may
    /// briefly see zeros in place of new lines. Nothing is read after a line that is longer than [`MAX_BYTES`].
    fn read_lines(
        &mut self,
        path: &Path,
        file: File,
        mut settled: Place,
        add: &mut impl FnMut(&Path, Line) -> Result<(), String>,
    ) -> io::Result<Place> {
        let mut file = BufReader::with_capacity(BUFFER_BYTES, file);
        let mut line = Vec::new();
        let mut read = settled;
        loop {
            line.clear();
            let length = file.by_ref().take(MAX_BYTES).read_until(b'\n', &mut line)? as u64;
            let is_whole = line.ends_with(b"\n");
            if !is_whole && length < MAX_BYTES {
                break;
            }
            read = Place { bytes: read.bytes + length, lines: read.lines + 1 };
            let parsed = Line::parse(&line);
            if parsed.is_ok() {
                settled = read;
            }
            let key = (path.to_owned(), read.lines);
            match parsed.and_then(|parsed| add(path, parsed)) {
                Ok(()) => {
                    self.damaged.remove(&key);
                }
                Err(problem) if self.damaged.len() < MOST_DAMAGED => {
                    self.damaged.insert(key, problem);
                }
                Err(_) => {}
            }
            // The line is longer than that of any shard, so this is not a log.
            if !is_whole {
                break;
            }
        }
        Ok(settled)
    }
}

/// Returns whether the name of a file is that of a log.
pub(super) fn is_log(path: &Path) -> bool {
    path.as_os_str().as_encoded_bytes().ends_with(b".jsonl")
}

/// Returns the paths of the logs in a folder and in the folders inside it, in order. The logs of other folders of the
/// run may be copied there.
pub(crate) fn log_files(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    Ok(files_below(folder)?.into_iter().filter(|path| is_log(path)).collect())
}

/// Returns the paths of the files in a folder and in the folders inside it, in order. A link to a folder counts as a
/// file.
pub(super) fn files_below(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in visible_in(folder)? {
        if is_folder(&entry) {
            files.extend(files_below(&entry.path())?);
        } else {
            files.push(entry.path());
        }
    }
    Ok(files)
}

/// Returns what is in a folder, in order, without hidden names and `lost+found`, which no user may read.
pub(super) fn visible_in(folder: &Path) -> anyhow::Result<Vec<DirEntry>> {
    let is_visible = |name: &[u8]| !name.starts_with(b".") && name != b"lost+found";
    Ok(entries_in(folder)?.into_iter().filter(|entry| is_visible(entry.file_name().as_encoded_bytes())).collect())
}

/// Returns whether an entry is a folder, and not a link to one.
pub(super) fn is_folder(entry: &DirEntry) -> bool {
    entry.file_type().is_ok_and(|kind| kind.is_dir())
}
