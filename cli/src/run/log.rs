//! The log of this process: a file to which it appends a line for each shard that it finished.
//!
//! No other process writes to it. So the line that an append did not finish is always the last one, and can be cut off.

use std::fs::{self, File};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;

use super::folder::sync_folder;
use crate::machine::random;
use crate::terminal::files::cannot_write;

/// The longest part of a file's name that is a machine's name, in bytes.
const LONGEST: usize = 64;

/// The file of a log. Tests use one that can be told to fail.
pub(crate) trait Storage: Send {
    /// Writes bytes at this place, and waits until they are on the disk.
    fn write(&mut self, at: u64, bytes: &[u8]) -> io::Result<()>;

    /// Cuts off what is after this place.
    fn cut(&mut self, length: u64) -> io::Result<()>;
}

impl Storage for File {
    fn write(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
        self.seek(SeekFrom::Start(at))?;
        self.write_all(bytes)?;
        self.sync_data()
    }

    fn cut(&mut self, length: u64) -> io::Result<()> {
        self.set_len(length)
    }
}

/// Makes the file of a log, which does not exist yet.
pub(crate) type Create = dyn Fn(&Path) -> io::Result<Box<dyn Storage>> + Send;

/// A log that this process writes.
pub(crate) struct Log {
    /// The folder of all logs.
    folder: PathBuf,
    /// The beginning of the file's name.
    name: String,
    create: Box<Create>,
    file: Option<LogFile>,
}

struct LogFile {
    path: PathBuf,
    storage: Box<dyn Storage>,
    /// The bytes of all lines.
    length: u64,
    /// Whether there may be a part of a line after them.
    is_torn: bool,
}

impl Log {
    /// Makes a log in the folder of all logs. It fails where no line could be saved, so nothing is counted in vain.
    pub(crate) fn begin(folder: &Path, machine: &str) -> anyhow::Result<Self> {
        Self::begin_with(folder, machine, Box::new(|path| Ok(Box::new(File::create_new(path)?))))
    }

    /// Like [`Log::begin`], with files that `create` makes.
    pub(crate) fn begin_with(folder: &Path, machine: &str, create: Box<Create>) -> anyhow::Result<Self> {
        let is_plain = |char: char| char.is_ascii_alphanumeric() || char == '_';
        let machine: String =
            machine.chars().map(|char| if is_plain(char) { char } else { '_' }).take(LONGEST).collect();
        let name = format!("{machine}-{}", std::process::id());
        let mut log = Self { folder: folder.to_owned(), name, create, file: None };
        log.file = Some(log.new_file().with_context(|| cannot_write(folder)).context("no result can be saved")?);
        Ok(log)
    }

    fn new_file(&self) -> io::Result<LogFile> {
        let path = self.folder.join(format!("{}-{:016x}.jsonl", self.name, random()));
        let storage = (self.create)(&path)?;
        sync_folder(&self.folder);
        Ok(LogFile { path, storage, length: 0, is_torn: false })
    }

    /// Appends lines, and waits until they are on the disk. After an error it can be called again: it cuts off what the
    /// last attempt left. If it cannot, or if the file was moved, removed or changed by others, it begins a new file.
    pub(crate) fn append(&mut self, lines: &str) -> anyhow::Result<()> {
        self.attempt(lines.as_bytes()).with_context(|| cannot_write(&self.folder))
    }

    fn attempt(&mut self, lines: &[u8]) -> io::Result<()> {
        // After an early return, the next attempt begins a new file.
        let mut file = self.file.take().map_or_else(|| self.new_file(), Ok)?;
        if file.is_torn {
            file.storage.cut(file.length)?;
        }
        file.is_torn = true;
        if let Err(error) = file.storage.write(file.length, lines) {
            self.file = Some(file);
            return Err(error);
        }
        file.length += lines.len() as u64;
        if fs::metadata(&file.path)?.len() != file.length {
            return Err(io::Error::other(format!("{} was changed by others", file.path.display())));
        }
        file.is_torn = false;
        self.file = Some(file);
        Ok(())
    }
}

impl Drop for Log {
    /// Removes an empty log. An append that failed may have left whole lines, which count.
    fn drop(&mut self) {
        if let Some(LogFile { path, storage, .. }) = self.file.take() {
            drop(storage);
            if fs::metadata(&path).is_ok_and(|metadata| metadata.len() == 0) {
                let _ = fs::remove_file(path);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The complete lines of all logs, and the number of logs.
    fn lines(folder: &Path) -> (Vec<String>, usize) {
        let paths: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        let text: Vec<String> = paths.iter().map(|path| fs::read_to_string(path).unwrap()).collect();
        let mut lines: Vec<String> =
            text.iter().flat_map(|text| text.split_inclusive('\n')).map(str::to_owned).collect();
        lines.retain(|line| line.ends_with('\n'));
        lines.sort_unstable();
        (lines, paths.len())
    }

    #[test]
    fn a_log_that_others_remove_or_change_is_followed_by_another_one() {
        let here = tempfile::tempdir().unwrap();
        let mut log = Log::begin(here.path(), "../a\u{1b}").unwrap();
        log.append("one\n").unwrap();
        let path = fs::read_dir(here.path()).unwrap().next().unwrap().unwrap().path();
        assert!(path.file_name().unwrap().to_str().unwrap().starts_with(&format!("___a_-{}-", std::process::id())));
        fs::remove_file(&path).unwrap();
        log.append("two\n").unwrap_err();
        log.append("two\n").unwrap();
        let path = fs::read_dir(here.path()).unwrap().next().unwrap().unwrap().path();
        // As an editor that replaces the file.
        fs::write(here.path().join("copy"), "").unwrap();
        fs::rename(here.path().join("copy"), path).unwrap();
        log.append("three\n").unwrap_err();
        log.append("three\n").unwrap();
        assert_eq!(lines(here.path()), (vec!["three\n".to_owned()], 2));
    }

    #[test]
    fn an_empty_log_is_removed() {
        let here = tempfile::tempdir().unwrap();
        drop(Log::begin(here.path(), "box").unwrap());
        assert_eq!(fs::read_dir(here.path()).unwrap().count(), 0);
        assert!(Log::begin(&here.path().join("none"), "box").is_err());
    }
}
