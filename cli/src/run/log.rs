//! The log of this process: a file to which only this process writes, with a line for each shard that it has finished.
//!
//! After an error the process begins another file, because the failed append may have left an incomplete line at the
//! end of the old one.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;

use super::folder::sync_folder;
use crate::machine::random;
use crate::terminal::files::cannot_write;

/// The most characters of a machine's name that the name of its log contains.
const NAME_CHARACTERS: usize = 64;

/// The log of this process.
pub(crate) struct Log {
    /// The folder of all logs.
    folder: PathBuf,
    /// The prefix of the names of its files.
    name: String,
    /// `None` after an error.
    file: Option<LogFile>,
}

struct LogFile {
    path: PathBuf,
    file: File,
    /// The length of all lines in bytes.
    length: u64,
}

impl Log {
    /// Begins a log in the folder of all logs. Fails if no file can be made there, before anything is counted.
    pub(crate) fn begin(folder: &Path, machine: &str) -> anyhow::Result<Self> {
        let is_plain = |char: char| char.is_ascii_alphanumeric() || char == '_';
        let machine = machine.chars().map(|char| if is_plain(char) { char } else { '_' }).take(NAME_CHARACTERS);
        let name = format!("{}-{}", machine.collect::<String>(), std::process::id());
        let mut log = Self { folder: folder.to_owned(), name, file: None };
        log.file = Some(log.new_file().with_context(|| cannot_write(folder)).context("no result can be saved")?);
        Ok(log)
    }

    fn new_file(&self) -> io::Result<LogFile> {
        let path = self.folder.join(format!("{}-{:016x}.jsonl", self.name, random()));
        let file = OpenOptions::new().append(true).create_new(true).open(&path)?;
        sync_folder(&self.folder);
        Ok(LogFile { path, file, length: 0 })
    }

    /// Appends lines and waits until they are on the disk. Fails, for example, if the disk is full, or if somebody
    /// moved, removed or changed the file. After an error, call `append` again with the same lines, which then go to
    /// another file.
    pub(crate) fn append(&mut self, lines: &str) -> anyhow::Result<()> {
        let appended = self.attempt(lines).or_else(|error| match error.kind() {
            // Shards that were finished during a write are appended together, which may be too long for the limit. One
            // by one, each line is tried in the file of the line before it, and then in a new file.
            ErrorKind::FileTooLarge => {
                lines.split_inclusive('\n').try_for_each(|line| self.attempt(line).or_else(|_| self.attempt(line)))
            }
            _ => Err(error),
        });
        appended.with_context(|| {
            let hint = if self.folder.exists() { "" } else { " (if you moved the run, move it back)" };
            cannot_write(&self.folder) + hint
        })
    }

    fn attempt(&mut self, lines: &str) -> io::Result<()> {
        let mut log = self.file.take().map_or_else(|| self.new_file(), Ok)?;
        let length = log.length + lines.len() as u64;
        let appended = log.file.write_all(lines.as_bytes()).and_then(|()| log.file.sync_data()).and_then(|()| {
            let changed = || io::Error::other(format!("somebody changed {}", log.path.display()));
            if fs::metadata(&log.path)?.len() == length { Ok(()) } else { Err(changed()) }
        });
        match appended {
            Ok(()) => self.file = Some(LogFile { length, ..log }),
            // Otherwise a disk that is full for an hour would leave many files without a line.
            Err(_) if log.length == 0 => {
                let _ = fs::remove_file(log.path);
            }
            Err(_) => {}
        }
        appended
    }
}

impl Drop for Log {
    /// Removes a log without a line.
    fn drop(&mut self) {
        if let Some(LogFile { path, length: 0, .. }) = self.file.take() {
            let _ = fs::remove_file(path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn begin(folder: &Path) -> anyhow::Result<Log> {
        Log::begin(folder, "../a\u{1b}")
    }

    #[test]
    fn a_log_that_others_remove_or_change_is_followed_by_another_one() {
        let here = tempfile::tempdir().unwrap();
        let the_log = || fs::read_dir(here.path()).unwrap().map(|entry| entry.unwrap().path()).next().unwrap();
        let mut log = begin(here.path()).unwrap();
        log.append("one\n").unwrap();
        let path = the_log();
        assert!(path.file_name().unwrap().to_str().unwrap().starts_with(&format!("___a_-{}-", std::process::id())));
        fs::remove_file(&path).unwrap();
        log.append("two\n").unwrap_err();
        log.append("two\n").unwrap();
        assert_eq!(fs::read_to_string(the_log()).unwrap(), "two\n");
        fs::write(the_log(), "").unwrap();
        log.append("three\n").unwrap_err();
        log.append("four\n").unwrap();
        assert_eq!(fs::read_dir(here.path()).unwrap().count(), 2);
    }

    /// Windows moves no folder in which a file is open.
    #[test]
    #[cfg(unix)]
    fn a_log_goes_on_once_the_run_is_moved_back() {
        let here = tempfile::tempdir().unwrap();
        let [run, elsewhere] = ["run", "elsewhere"].map(|name| here.path().join(name));
        fs::create_dir(&run).unwrap();
        let mut log = begin(&run).unwrap();
        fs::rename(&run, &elsewhere).unwrap();
        let error = log.append("one\n").unwrap_err().to_string();
        assert!(error.ends_with("(if you moved the run, move it back)"), "{error}");
        fs::rename(&elsewhere, &run).unwrap();
        log.append("one\n").unwrap();
    }

    #[test]
    fn a_log_without_a_line_is_removed() {
        let here = tempfile::tempdir().unwrap();
        let files = || fs::read_dir(here.path()).unwrap().map(|entry| entry.unwrap().path()).collect::<Vec<_>>();
        drop(begin(here.path()).unwrap());
        assert_eq!(files().len(), 0);
        let mut log = begin(here.path()).unwrap();
        fs::write(&files()[0], "what others wrote").unwrap();
        log.append("one\n").unwrap_err();
        assert_eq!(files().len(), 0);
        assert!(begin(&here.path().join("none")).is_err());
    }
}
