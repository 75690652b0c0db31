//! Reads files, and begins the error messages that name a file.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};
use std::path::Path;

use super::units::bytes as bytes_in_words;

/// The largest file, or line of a file, that is read, so that an endless or hostile file cannot take all memory.
pub(crate) const MAX_BYTES: u64 = 64 << 20;

/// Opens a file for reading. Fails if it is not a regular file, because opening or reading a pipe would wait for its
/// writer.
pub(crate) fn open_regular(path: &Path) -> io::Result<File> {
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    File::open(path)
}

/// Reads a whole file. Fails if it is not a regular file or is larger than [`MAX_BYTES`].
pub(crate) fn read_whole(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open_regular(path)?.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_BYTES {
        let problem = format!("it is larger than {}, so it is another kind of file", bytes_in_words(MAX_BYTES));
        return Err(io::Error::other(problem));
    }
    Ok(bytes)
}

/// Returns the beginning of the error message for a file that cannot be read.
pub(crate) fn cannot_read(path: &Path) -> String {
    format!("cannot read {}", path.display())
}

/// Returns the beginning of the error message for a file that cannot be written.
pub(crate) fn cannot_write(path: &Path) -> String {
    format!("cannot write {}", path.display())
}

/// Rejects a folder where a file is expected.
pub(crate) fn refuse_folder(path: &Path, extension: &str) -> io::Result<()> {
    if !path.is_dir() {
        return Ok(());
    }
    let problem = format!("{} is a folder: give the *.{extension} files in it", path.display());
    Err(io::Error::new(ErrorKind::IsADirectory, problem))
}
