//! Reads the logs of all processes, from the place where the last look ended.

use std::collections::{BTreeMap, HashMap};
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, ErrorKind, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use anyhow::Context;

use super::folder::names_in;
use super::{Line, RunFolder};
use crate::terminal::files::cannot_read;

/// The most damaged lines that are kept and counted: a file that is no log must not take all memory.
const MOST_DAMAGED: usize = 100_000;

/// Bytes that are read at a time.
const BUFFER: usize = 256 << 10;

/// The logs of one or more folders of a run.
#[derive(Debug, Default)]
pub(super) struct Logs {
    /// The folders of logs.
    pub(super) folders: Vec<PathBuf>,
    /// How far each log has been read: the bytes and the lines up to the end of the last line that is whole.
    read: HashMap<PathBuf, (u64, usize)>,
    /// What is wrong with a line, by log and number; at most [`MOST_DAMAGED`].
    pub(super) damaged: BTreeMap<(PathBuf, usize), String>,
}

impl Logs {
    pub(super) fn of(folders: &[RunFolder]) -> Self {
        Self { folders: folders.iter().map(RunFolder::logs).collect(), ..Self::default() }
    }

    /// Gives `add` the lines that are new since the last look, with their log. `add` says what is wrong with a line.
    /// Fails if a file cannot be read, as it may on the next look.
    pub(super) fn look(&mut self, mut add: impl FnMut(&Path, &Line<'_>) -> Result<(), String>) -> anyhow::Result<()> {
        for folder in self.folders.clone() {
            for name in names_in(&folder)?.iter().filter(|name| is_log(name)) {
                let path = folder.join(name);
                self.read_log(&path, &mut add).with_context(|| cannot_read(&path))?;
            }
        }
        Ok(())
    }

    /// Reads the lines of a log after the last whole one that was read. On NFS the end of a log may have zeros at first that
    /// are a line later, so what is damaged there is read again. A last line without its end is none yet.
    fn read_log(
        &mut self,
        path: &Path,
        add: &mut impl FnMut(&Path, &Line<'_>) -> Result<(), String>,
    ) -> io::Result<()> {
        let metadata = match fs::metadata(path) {
            // It was removed a moment ago. A link that leads nowhere is an error.
            Err(error) if error.kind() == ErrorKind::NotFound && !path.is_symlink() => return Ok(()),
            metadata => metadata?,
        };
        // To open a pipe would wait for its other end.
        if !metadata.is_file() {
            return Err(io::Error::new(ErrorKind::InvalidData, "it is no regular file"));
        }
        let (mut end, mut number) = self.read.get(path).copied().unwrap_or_default();
        if metadata.len() == end {
            return Ok(());
        }
        let (mut file, mut line) = (BufReader::with_capacity(BUFFER, File::open(path)?), Vec::new());
        file.seek(SeekFrom::Start(end))?;
        while file.read_until(b'\n', &mut line)? > 0 && line.ends_with(b"\n") {
            end += line.len() as u64;
            number += 1;
            let (place, parsed) = ((path.to_owned(), number), Line::parse(&line));
            if parsed.is_ok() {
                self.read.insert(path.to_owned(), (end, number));
            }
            match parsed.and_then(|parsed| add(path, &parsed)) {
                Ok(()) => drop(self.damaged.remove(&place)),
                Err(problem) if self.damaged.len() < MOST_DAMAGED => {
                    self.damaged.insert(place, format!("{}, line {number}: {problem}", path.display()));
                }
                Err(_) => {}
            }
            line.clear();
        }
        Ok(())
    }
}

/// Whether a file of this name is a log.
fn is_log(name: &OsStr) -> bool {
    let name = name.as_encoded_bytes();
    name.ends_with(b".jsonl") && !name.starts_with(b".")
}
