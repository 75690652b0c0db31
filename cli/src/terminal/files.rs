//! Files that are read whole or not at all, and files for results.

use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use n_queens_terminal::path::open_output;

use super::units::bytes as bytes_in_words;

/// The largest file that is read: an endless or hostile one must not take all memory.
pub(crate) const MAX_BYTES: u64 = 64 << 20;

/// Reads a file to its end. Fails with [`ErrorKind::InvalidData`] if it has more than `most` bytes.
pub(crate) fn read_whole(file: impl Read, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(io::Error::new(ErrorKind::InvalidData, format!("it has more than {}", bytes_in_words(most))));
    }
    Ok(bytes)
}

/// A file for a result. It is opened before the work, so that a wrong name costs no time, and written after it. If the work
/// ends without a result, an old file stays as it was, and a new one goes.
pub(crate) struct OutputFile {
    path: PathBuf,
    file: File,
    /// Whether the file was made here, and has nothing yet.
    is_new: bool,
}

impl OutputFile {
    /// Opens the file. A pipe must have a reader.
    pub(crate) fn open(path: &Path) -> anyhow::Result<Self> {
        let is_new = path.symlink_metadata().is_err();
        let file = open_output(path, File::options().write(true).create(true)).with_context(|| cannot_write(path))?;
        Ok(Self { path: path.to_owned(), file, is_new })
    }

    /// Writes the text in place of what the file had, and waits until it is on the disk.
    pub(crate) fn write(mut self, text: &str) -> anyhow::Result<()> {
        self.is_new = false;
        let is_regular = self.file.metadata()?.is_file();
        let mut write = || {
            if is_regular {
                self.file.set_len(0)?;
            }
            self.file.write_all(text.as_bytes())?;
            if is_regular { self.file.sync_all() } else { Ok(()) }
        };
        write().with_context(|| cannot_write(&self.path))
    }
}

impl Drop for OutputFile {
    fn drop(&mut self) {
        if self.is_new {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// Begins the error of a file that the system cannot write.
pub(crate) fn cannot_write(path: &Path) -> String {
    format!("cannot write {}", path.display())
}
