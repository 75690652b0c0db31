//! Files that are read whole or not at all, and files that cannot be read or written.

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::Path;

use super::units::bytes as bytes_in_words;

/// The largest file that is read: an endless or hostile one must not take all memory.
pub(crate) const MAX_BYTES: u64 = 64 << 20;

/// Reads a file to its end. Fails with [`ErrorKind::InvalidData`] if it has more than [`MAX_BYTES`].
pub(crate) fn read_whole(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_BYTES {
        let problem = format!("it has more than {}, so it is another kind of file", bytes_in_words(MAX_BYTES));
        return Err(io::Error::new(ErrorKind::InvalidData, problem));
    }
    Ok(bytes)
}

/// Begins the error of a file that the system cannot read.
pub(crate) fn cannot_read(path: &Path) -> String {
    format!("cannot read {}", path.display())
}

/// Begins the error of a file that the system cannot write.
pub(crate) fn cannot_write(path: &Path) -> String {
    format!("cannot write {}", path.display())
}
