//! The files of a run: regular files, read as a whole, written once and as a whole.
//!
//! Other users may write to the folder too. A link of theirs could lead to any file of the user who counts. A pipe
//! could wait for ever. The folders themselves may be links.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::path::Path;

use crate::terminal::kept::{folder_of, temporary};

/// The largest file that is read as a plan or a record. A plan of n = 32 could have 759 927 units.
const MAX_BYTES: u64 = 64 << 20;

/// Fails with [`ErrorKind::InvalidData`] if the path leads to a link, a folder, a pipe or a device.
fn refuse_what_is_no_file(path: &Path) -> io::Result<()> {
    match fs::symlink_metadata(path) {
        Ok(there) if !there.is_file() => Err(io::Error::new(ErrorKind::InvalidData, "it is not a regular file")),
        _ => Ok(()),
    }
}

/// Opens a regular file to read and write, or only to read if it cannot be written. `create` makes a missing file.
pub(crate) fn open(path: &Path, create: bool) -> io::Result<File> {
    refuse_what_is_no_file(path)?;
    let file = OpenOptions::new().read(true).write(true).create(create).truncate(false).open(path);
    file.or_else(|_| File::open(path))
}

/// The content of a regular file, at most [`MAX_BYTES`] of it.
pub(crate) fn read(path: &Path) -> io::Result<Vec<u8>> {
    refuse_what_is_no_file(path)?;
    let mut bytes = Vec::new();
    File::open(path)?.take(MAX_BYTES).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The names in a folder; none if the folder does not exist.
pub(crate) fn names(folder: &Path) -> io::Result<Vec<String>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    entries.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned())).collect()
}

/// Writes a file whole. Returns `false`, and writes nothing, if a file with this name exists. After it returns, the
/// file and its name are on the disk.
pub(crate) fn write_once(path: &Path, text: &str) -> io::Result<bool> {
    let folder = folder_of(path);
    let prefix = format!(".{}-", path.file_name().unwrap_or_default().to_string_lossy());
    let (mut file, name) = temporary(folder, &prefix, ".part")?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    match name.persist_noclobber(path) {
        Ok(()) => {}
        Err(error) if error.error.kind() == ErrorKind::AlreadyExists => return Ok(false),
        Err(error) => return Err(error.error),
    }
    // Other systems cannot open a folder as a file.
    #[cfg(unix)]
    File::open(folder)?.sync_all()?;
    Ok(true)
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn only_regular_files_are_opened() {
        let here = tempfile::tempdir().unwrap();
        let at = |name: &str| here.path().join(name);
        fs::write(at("plain"), "text").unwrap();
        symlink("plain", at("link")).unwrap();
        symlink("nowhere", at("dangling")).unwrap();
        fs::create_dir(at("folder")).unwrap();
        // Opening a pipe would wait for a process at its other end.
        assert!(std::process::Command::new("mkfifo").arg(at("pipe")).status().unwrap().success());
        let openers: [fn(&Path) -> io::Result<File>; 3] =
            [|path| open(path, false), |path| open(path, true), |path| read(path).and_then(|_| File::open(path))];
        for opened in openers {
            assert!(opened(&at("plain")).is_ok());
            for name in ["link", "dangling", "folder", "pipe"] {
                assert_eq!(opened(&at(name)).unwrap_err().kind(), ErrorKind::InvalidData, "{name}");
            }
        }
        assert_eq!(open(&at("none"), false).unwrap_err().kind(), ErrorKind::NotFound);
        // The folder may be a link.
        symlink("folder", at("elsewhere")).unwrap();
        assert!(write_once(&at("elsewhere").join("new"), "text").unwrap());
        assert!(!write_once(&at("elsewhere").join("new"), "other").unwrap());
        assert_eq!(read(&at("folder").join("new")).unwrap(), b"text");
    }
}
