//! The files of a run: opened without following a link, and written once and whole.
//!
//! Other users may write to the folder too. A link of theirs could lead to any file of the user who counts. A pipe
//! could wait for ever. So only regular files are opened. The folders themselves may be links.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::path::Path;

use super::Result;
use super::error::{cannot_read, cannot_write};
use crate::terminal::kept::{folder_of, temporary};

/// The largest file that is read as a plan or a record.
const MAX_BYTES: u64 = 256 << 20;

/// Opens a regular file to read.
///
/// # Errors
/// [`ErrorKind::InvalidData`] if it is not a regular file. Otherwise the system's error.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    open_with(path, OpenOptions::new().read(true))
}

/// Opens a regular file to read and write.
///
/// # Errors
/// Those of [`open`].
pub(crate) fn open_to_write(path: &Path) -> io::Result<File> {
    open_with(path, OpenOptions::new().read(true).write(true))
}

/// Like [`open_to_write`], but makes the file if it does not exist.
///
/// # Errors
/// Those of [`open`].
pub(crate) fn open_or_create(path: &Path) -> io::Result<File> {
    open_with(path, OpenOptions::new().read(true).write(true).create(true).truncate(false))
}

fn open_with(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt;
        options.custom_flags((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits() as i32);
    }
    if let Ok(there) = fs::symlink_metadata(path) {
        refuse_what_is_no_file(&there)?;
    }
    let file = options.open(path)?;
    // Another process may have replaced it meanwhile.
    refuse_what_is_no_file(&file.metadata()?)?;
    Ok(file)
}

fn refuse_what_is_no_file(metadata: &fs::Metadata) -> io::Result<()> {
    if metadata.is_file() {
        return Ok(());
    }
    let what = match () {
        () if metadata.is_symlink() => "a link",
        () if metadata.is_dir() => "a folder",
        () => "a pipe or a device",
    };
    Err(io::Error::new(ErrorKind::InvalidData, format!("it is {what}, and not a regular file")))
}

/// The content of a file, at most [`MAX_BYTES`] of it.
pub(crate) fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?.take(MAX_BYTES).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The names in a folder; none if the folder does not exist.
pub(crate) fn names(folder: &Path) -> Result<Vec<String>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        other => other.map_err(cannot_read(folder))?,
    };
    entries
        .map(|entry| entry.map(|entry| entry.file_name().to_string_lossy().into_owned()).map_err(cannot_read(folder)))
        .collect()
}

/// Writes a file whole. Returns `false`, and writes nothing, if a file with this name exists. After it returns, the
/// file and its name are on the disk.
pub(crate) fn write_once(path: &Path, text: &str) -> Result<bool> {
    try_to_write(path, text).map_err(cannot_write(path))
}

fn try_to_write(path: &Path, text: &str) -> io::Result<bool> {
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
        for opened in [open, open_to_write, open_or_create] as [fn(&Path) -> io::Result<File>; 3] {
            assert!(opened(&at("plain")).is_ok());
            for (name, what) in [("link", "a link"), ("dangling", "a link"), ("folder", "a folder"), ("pipe", "a pipe")]
            {
                let error = opened(&at(name)).unwrap_err();
                assert!(error.kind() == ErrorKind::InvalidData && error.to_string().contains(what), "{name}: {error}");
            }
        }
        assert_eq!(open(&at("none")).unwrap_err().kind(), ErrorKind::NotFound);
        // The folder may be a link.
        symlink("folder", at("elsewhere")).unwrap();
        assert!(write_once(&at("elsewhere").join("new"), "text").unwrap());
        assert!(!write_once(&at("elsewhere").join("new"), "other").unwrap());
        assert_eq!(read(&at("folder").join("new")).unwrap(), b"text");
    }
}
