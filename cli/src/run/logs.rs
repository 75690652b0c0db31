//! The logs of all processes, each read on from where the last look stopped.

use std::collections::{BTreeMap, HashMap};
use std::io::{self, BufRead, BufReader, ErrorKind, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use anyhow::Context;

use super::folder::names_in;
use super::{Line, RunFolder};
use crate::terminal::files::{cannot_read, open_regular};

/// The most damaged lines that are remembered, so that a file that is not a log does not take all memory.
const MOST_DAMAGED: usize = 100_000;

/// The number of bytes that are read at a time.
const BUFFER: usize = 256 << 10;

/// The logs of one or more folders of a run.
#[derive(Debug, Default)]
pub(super) struct Logs {
    /// The folders of logs.
    pub(super) folders: Vec<PathBuf>,
    /// The end of the last good line of each log. What is before it is not read again.
    settled: HashMap<PathBuf, Place>,
    /// What is wrong with a line, by log and number; at most [`MOST_DAMAGED`] entries.
    pub(super) damaged: BTreeMap<(PathBuf, usize), String>,
}

/// A place in a log: the bytes and the lines before it.
#[derive(Debug, Clone, Copy, Default)]
struct Place {
    bytes: u64,
    lines: usize,
}

impl Logs {
    pub(super) fn of(folders: &[RunFolder]) -> Self {
        Self { folders: folders.iter().map(RunFolder::logs).collect(), ..Self::default() }
    }

    /// Passes the lines that are new since the last look to `add`, each with the path of its log. `add` returns what is
    /// wrong with a line. Fails if a file cannot be read; the next look tries it again.
    pub(super) fn look(&mut self, mut add: impl FnMut(&Path, &Line<'_>) -> Result<(), String>) -> anyhow::Result<()> {
        for folder in self.folders.clone() {
            for path in log_files(&folder)? {
                self.read_log(&path, &mut add).with_context(|| cannot_read(&path))?;
            }
        }
        Ok(())
    }

    /// Reads the lines of a log after its settled part. An unfinished last line is left for the next look, as is a
    /// damaged line with no good line behind it, because a reader on NFS may see zeros for a moment where a line is
    /// going to be.
    fn read_log(
        &mut self,
        path: &Path,
        add: &mut impl FnMut(&Path, &Line<'_>) -> Result<(), String>,
    ) -> io::Result<()> {
        let mut file = match open_regular(path) {
            // It was removed a moment ago. A link that leads nowhere is an error.
            Err(error) if error.kind() == ErrorKind::NotFound && !path.is_symlink() => return Ok(()),
            file => file?,
        };
        let mut settled = self.settled.get(path).copied().unwrap_or_default();
        if file.metadata()?.len() == settled.bytes {
            return Ok(());
        }
        file.seek(SeekFrom::Start(settled.bytes))?;
        let (mut file, mut line, mut read) = (BufReader::with_capacity(BUFFER, file), Vec::new(), settled);
        while file.read_until(b'\n', &mut line)? > 0 && line.ends_with(b"\n") {
            read = Place { bytes: read.bytes + line.len() as u64, lines: read.lines + 1 };
            let parsed = Line::parse(&line);
            if parsed.is_ok() {
                settled = read;
            }
            let (number, key) = (read.lines, (path.to_owned(), read.lines));
            match parsed.and_then(|parsed| add(path, &parsed)) {
                Ok(()) => drop(self.damaged.remove(&key)),
                Err(problem) if self.damaged.len() < MOST_DAMAGED => {
                    self.damaged.insert(key, format!("{}, line {number}: {problem}", path.display()));
                }
                Err(_) => {}
            }
            line.clear();
        }
        self.settled.insert(path.to_owned(), settled);
        Ok(())
    }
}

/// The logs in a folder, in order.
pub(crate) fn log_files(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let is_log = |name: &[u8]| name.ends_with(b".jsonl") && !name.starts_with(b".");
    let names = names_in(folder)?.into_iter().filter(|name| is_log(name.as_encoded_bytes()));
    Ok(names.map(|name| folder.join(name)).collect())
}
