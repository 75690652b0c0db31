//! The files of a run: opened without following a link, and written once and whole.
//!
//! Others may write to the folder too. So what is opened has to be a regular file with one name: a link could lead to
//! any file of whoever counts, and a pipe would be waited for for ever. The folders themselves may be links.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::path::Path;
use std::time::Duration;

use super::Result;
use super::error::{cannot_read, cannot_write};

/// The largest file that is taken for a plan or a record.
const MAX_BYTES: u64 = 256 << 20;

/// What an unfinished file is called until it is whole: hidden, and ending with this.
pub(crate) const UNFINISHED: &str = ".part";

/// Opens a file that is there, to read or also to write.
///
/// # Errors
/// [`ErrorKind::InvalidData`] where it is anything but a regular file with one name, and those of opening.
pub(crate) fn open(path: &Path, is_to_write: bool) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(is_to_write);
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt;
        options.custom_flags((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits() as i32);
    }
    let there = || fs::symlink_metadata(path).and_then(|metadata| refuse_what_is_no_file(&metadata));
    // Systems without such flags look first.
    if cfg!(not(unix)) {
        there()?;
    }
    // Each system has its own error for a link that it does not follow.
    let file = options.open(path).map_err(|error| there().err().unwrap_or(error))?;
    refuse_what_is_no_file(&file.metadata()?)?;
    refuse_several_names(&file)?;
    Ok(file)
}

fn refusal(what: &str) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, format!("it is {what}, and no regular file with one name"))
}

fn refuse_what_is_no_file(metadata: &fs::Metadata) -> io::Result<()> {
    if metadata.is_file() {
        return Ok(());
    }
    Err(refusal(match () {
        () if metadata.is_symlink() => "a link",
        () if metadata.is_dir() => "a folder",
        () => "a pipe or a device",
    }))
}

/// Where files have names: a record has two for a moment, where a file system cannot rename to a name that is not taken.
fn refuse_several_names(file: &File) -> io::Result<()> {
    for _ in 0..20 {
        if names_of(file)? <= 1 {
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    Err(refusal("a file with several names (hard links)"))
}

/// How many names a file has; 0 where it was removed.
pub(crate) fn names_of(file: &File) -> io::Result<u64> {
    #[cfg(unix)]
    return Ok(std::os::unix::fs::MetadataExt::nlink(&file.metadata()?));
    #[cfg(not(unix))]
    file.metadata().map(|_| 1)
}

/// What a file holds, as far as the largest file of a run would go.
pub(crate) fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path, false)?.take(MAX_BYTES).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The names in a folder; none where there is no such folder.
pub(crate) fn names(folder: &Path) -> Result<Vec<String>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        other => other.map_err(cannot_read(folder))?,
    };
    entries
        .map(|entry| entry.map(|entry| entry.file_name().to_string_lossy().into_owned()).map_err(cannot_read(folder)))
        .collect()
}

/// Makes a file that is not there yet, to read and write.
pub(crate) fn create(path: &Path) -> io::Result<File> {
    let file = OpenOptions::new().create_new(true).read(true).write(true).open(path)?;
    share(&file, path);
    Ok(file)
}

/// Makes a folder inside a run's, if it is not there.
pub(crate) fn make_folder(path: &Path) -> Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    fs::create_dir_all(path).map_err(cannot_write(path))?;
    #[cfg(unix)]
    if let Ok(folder) = File::open(path) {
        share(&folder, path);
    }
    Ok(())
}

/// Gives what was just made at `path` to the group of its folder, to read and write, where the folder is the group's to
/// write. As far as the system allows it: without, others of the group take it for taken.
fn share(new: &File, path: &Path) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
        let (Ok(folder), Ok(own)) = (fs::metadata(parent(path)), new.metadata()) else { return };
        if folder.mode() & 0o020 == 0 {
            return;
        }
        if own.gid() != folder.gid() && fchown(new, None, Some(folder.gid())).is_err() {
            return;
        }
        let shared = if own.is_dir() { folder.mode() & 0o2070 } else { 0o060 };
        let _ = new.set_permissions(fs::Permissions::from_mode((own.mode() | shared) & 0o7777));
    }
    #[cfg(not(unix))]
    let _ = (new, path);
}

fn parent(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Writes a file whole, unless there is one of this name; says whether it did. When it returns, the file and its name
/// are on the disk.
pub(crate) fn write_once(path: &Path, text: &str) -> Result<bool> {
    let folder = parent(path);
    match try_to_write(path, folder, text) {
        Err(error) if error.kind() == ErrorKind::NotFound && !folder.exists() => {
            // A copy of a folder may lack the empty ones.
            make_folder(folder)?;
            try_to_write(path, folder, text).map_err(cannot_write(path))
        }
        other => other.map_err(cannot_write(path)),
    }
}

fn try_to_write(path: &Path, folder: &Path, text: &str) -> io::Result<bool> {
    let prefix = format!(".{}-", path.file_name().unwrap_or_default().to_string_lossy());
    let mut builder = tempfile::Builder::new();
    builder.prefix(&prefix).suffix(UNFINISHED);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // As the process's mask has it, like any new file.
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    let mut file = builder.tempfile_in(folder)?;
    share(file.as_file(), path);
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    match file.persist_noclobber(path) {
        Ok(_) => {}
        Err(error) if error.error.kind() == ErrorKind::AlreadyExists => return Ok(false),
        Err(error) => return Err(error.error),
    }
    // Elsewhere folders cannot be opened as files.
    #[cfg(unix)]
    File::open(folder)?.sync_all()?;
    Ok(true)
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

    use super::*;

    #[test]
    fn only_regular_files_with_one_name_are_opened() {
        let here = tempfile::tempdir().unwrap();
        let at = |name: &str| here.path().join(name);
        fs::write(at("plain"), "text").unwrap();
        symlink("plain", at("link")).unwrap();
        symlink("nowhere", at("dangling")).unwrap();
        fs::write(at("one"), "").unwrap();
        fs::hard_link(at("one"), at("other")).unwrap();
        fs::create_dir(at("folder")).unwrap();
        // Its opening would wait for somebody at the other end.
        assert!(std::process::Command::new("mkfifo").arg(at("pipe")).status().unwrap().success());
        for is_to_write in [false, true] {
            assert!(open(&at("plain"), is_to_write).is_ok());
            for (name, what) in [
                ("link", "a link"),
                ("dangling", "a link"),
                ("one", "hard links"),
                ("folder", "a folder"),
                ("pipe", "a pipe"),
            ] {
                let error = open(&at(name), is_to_write).unwrap_err();
                assert!(error.kind() == ErrorKind::InvalidData && error.to_string().contains(what), "{name}: {error}");
            }
            assert_eq!(open(&at("none"), is_to_write).unwrap_err().kind(), ErrorKind::NotFound);
        }
        // The folder may be a link.
        symlink("folder", at("elsewhere")).unwrap();
        assert!(write_once(&at("elsewhere").join("new"), "text").unwrap());
        assert_eq!(read(&at("folder").join("new")).unwrap(), b"text");
    }

    #[test]
    fn what_is_made_in_a_folder_of_a_group_is_the_group_s() {
        let here = tempfile::tempdir().unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().mode() & 0o777;
        for (folder_mode, shared) in [(0o775, 0o060), (0o755, 0)] {
            let folder = here.path().join(format!("{folder_mode:o}"));
            fs::create_dir(&folder).unwrap();
            fs::set_permissions(&folder, fs::Permissions::from_mode(folder_mode)).unwrap();
            // What the mask of whoever runs this test leaves.
            File::create(folder.join("plain")).unwrap();
            fs::create_dir(folder.join("plain folder")).unwrap();
            create(&folder.join("claim")).unwrap();
            write_once(&folder.join("record"), "text").unwrap();
            make_folder(&folder.join("inner")).unwrap();
            for name in ["claim", "record"] {
                assert_eq!(mode(&folder.join(name)), mode(&folder.join("plain")) | shared, "{name}");
            }
            let shared = if shared > 0 { 0o070 } else { 0 };
            assert_eq!(mode(&folder.join("inner")), mode(&folder.join("plain folder")) | shared);
        }
    }
}
