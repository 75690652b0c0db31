//! The logs of all processes. Each look continues where the last one stopped.

use std::collections::{BTreeMap, HashMap};
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use anyhow::Context;

use super::folder::names_in;
use super::{Line, RunFolder};
use crate::terminal::files::{MAX_BYTES, cannot_read, open_regular};

/// The maximum number of damaged lines that are remembered, because a file that is not a log could otherwise fill the
/// memory.
const MOST_DAMAGED: usize = 100_000;

/// The number of bytes that are read at a time.
const BUFFER_BYTES: usize = 256 << 10;

/// How far the logs of one or more folders of a run have been read.
#[derive(Debug, Default)]
pub(super) struct Logs {
    /// The end of the last good line of each log. The bytes before it are not read again.
    settled: HashMap<PathBuf, Place>,
    /// The problem of each damaged line, by log and number; at most [`MOST_DAMAGED`] entries.
    pub(super) damaged: BTreeMap<(PathBuf, usize), String>,
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

    /// Reads the lines of a log after its settled part. The next look reads an incomplete last line again, and also
    /// damaged lines that no good line follows, because a reader on NFS may briefly see zeros in place of new lines.
    /// Nothing is read after a line that is longer than [`MAX_BYTES`].
    fn read_log(&mut self, path: &Path, add: &mut impl FnMut(&Path, Line) -> Result<(), String>) -> io::Result<()> {
        let mut file = match open_regular(path) {
            // The log was removed a moment ago. A symbolic link without a target is an error.
            Err(error) if error.kind() == ErrorKind::NotFound && !path.is_symlink() => return Ok(()),
            file => file?,
        };
        let mut settled = self.settled.get(path).copied().unwrap_or_default();
        if file.metadata()?.len() == settled.bytes {
            return Ok(());
        }
        file.seek(SeekFrom::Start(settled.bytes))?;
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
        self.settled.insert(path.to_owned(), settled);
        Ok(())
    }
}

/// Returns the paths of the logs in a folder, in order.
pub(crate) fn log_files(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let is_log = |name: &[u8]| name.ends_with(b".jsonl") && !name.starts_with(b".");
    let names = names_in(folder)?.into_iter().filter(|name| is_log(name.as_encoded_bytes()));
    Ok(names.map(|name| folder.join(name)).collect())
}
