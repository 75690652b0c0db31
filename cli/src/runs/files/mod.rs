//! The files of a run: regular files, read as a whole, written once and as a whole.
//!
//! Other users may write to the folder too. A link of theirs could lead to any file of the user who counts. A pipe
//! could wait for ever. So a file is opened relative to its open folder, without following links, and is looked at only
//! when it is open: its name may lead elsewhere a moment later. The run's own folder may be a link.

#[cfg(not(unix))]
mod elsewhere;
#[cfg(unix)]
mod unix;

use std::fs::{File, Metadata};
use std::io::{self, BufReader, ErrorKind, Write};
use std::path::Path;
use std::time::Duration;

use crate::terminal::atomic_file::{MAX_BYTES, read_whole};

#[cfg(not(unix))]
pub(crate) use elsewhere::Folder;
#[cfg(not(unix))]
use elsewhere::has_one_name;
#[cfg(unix)]
pub(crate) use unix::Folder;
#[cfg(unix)]
use unix::has_one_name;

/// Nobody writes a record for as long as this. A file that is not finished by then was left by a killed process.
const LONGEST_WRITE: Duration = Duration::from_secs(3600);

/// How a file is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Access {
    Read,
    /// To read and write it.
    Write,
    /// To read and write it. A missing file is made.
    Create,
    /// To write a file that does not exist.
    New,
}

/// The error of a name that leads to another kind of thing than it should.
fn refused(kind: ErrorKind) -> io::Error {
    let wanted = if kind == ErrorKind::NotADirectory { "a folder, or it is a link" } else { "a regular file" };
    io::Error::new(kind, format!("it is not {wanted}"))
}

impl Folder {
    /// Opens the folder that the user named, perhaps by a link.
    pub(super) fn of_user(path: &Path) -> io::Result<Self> {
        Self::at(path, true)
    }

    /// Opens a folder of the run, which is no link.
    pub(super) fn of_run(path: &Path) -> io::Result<Self> {
        Self::at(path, false)
    }

    fn open(&self, name: &str, access: Access) -> io::Result<(File, Metadata)> {
        let file = self.open_file(name, access)?;
        let metadata = file.metadata()?;
        if metadata.is_file() { Ok((file, metadata)) } else { Err(refused(ErrorKind::InvalidData)) }
    }

    /// Opens a file that has no other name. `create` makes a missing file, and opens it to write it too if that is allowed.
    pub(super) fn open_alone(&self, name: &str, create: bool) -> io::Result<File> {
        let created = create.then(|| self.open(name, Access::Create)).and_then(Result::ok);
        let (file, metadata) = created.map_or_else(|| self.open(name, Access::Read), Ok)?;
        if has_one_name(&metadata) { Ok(file) } else { Err(refused(ErrorKind::InvalidData)) }
    }

    /// The content of a file.
    pub(super) fn read(&self, name: &str) -> io::Result<Vec<u8>> {
        // Without a buffer, a small file takes several calls of the system.
        read_whole(BufReader::new(self.open(name, Access::Read)?.0), MAX_BYTES)
    }

    /// Writes a file whole. Returns `false`, and writes nothing, if a file with this name exists. After it returns, the
    /// file and its name are on the disk.
    pub(super) fn write_once(&self, name: &str, text: &str) -> io::Result<bool> {
        let (mut file, part) = self.new_part(name)?;
        // Whoever looks for what killed processes left sees that this process lives.
        let _ = file.try_lock();
        let written = file.write_all(text.as_bytes()).and_then(|()| file.sync_all());
        // Where a lock keeps others from reading, it must be gone when the file gets its name.
        drop(file);
        match written.and_then(|()| self.rename(&part, name)) {
            Ok(()) => self.sync().map(|()| true),
            Err(error) => {
                let _ = self.remove(&part);
                if error.kind() == ErrorKind::AlreadyExists { Ok(false) } else { Err(error) }
            }
        }
    }

    /// Makes a file that will get this name. Processes of other machines may have equal numbers.
    fn new_part(&self, name: &str) -> io::Result<(File, String)> {
        let mut number = 0;
        loop {
            let part = format!(".{name}-{}-{number}.part", std::process::id());
            match self.open(&part, Access::New) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => number += 1,
                opened => return Ok((opened?.0, part)),
            }
        }
    }

    /// Removes the files that killed processes have not finished.
    pub(super) fn remove_parts(&self) -> io::Result<()> {
        for name in self.names()?.iter().filter(|name| is_part(name)) {
            if self.is_left(name).unwrap_or(false) {
                self.remove(name)?;
            }
        }
        Ok(())
    }

    /// Whether no process writes this file any more.
    fn is_left(&self, part: &str) -> io::Result<bool> {
        // Nobody removes a file that they may not write.
        let (file, metadata) = self.open(part, Access::Write)?;
        let is_old = metadata.modified()?.elapsed().is_ok_and(|age| age > LONGEST_WRITE);
        Ok(is_old && file.try_lock().is_ok())
    }
}

/// Whether a file of this name is made by [`Folder::write_once`], for a file of a run.
pub(super) fn is_part(name: &str) -> bool {
    let name = name.strip_prefix('.').and_then(|name| name.strip_suffix(".part"));
    let of = name.and_then(|name| name.split_once(".json-")).map(|(of, _)| of.trim_start_matches('.'));
    of.is_some_and(|of| {
        matches!(of, "plan" | "index" | "probe") || !of.is_empty() && of.bytes().all(|byte| byte.is_ascii_digit())
    })
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn only_regular_files_are_opened() {
        let here = tempfile::tempdir().unwrap();
        let at = |name: &str| here.path().join(name);
        let folder = Folder::of_run(here.path()).unwrap();
        fs::write(at("plain"), "text").unwrap();
        symlink("plain", at("link")).unwrap();
        symlink("nowhere", at("dangling")).unwrap();
        fs::create_dir(at("folder")).unwrap();
        // Opening a pipe would wait for a process at its other end.
        assert!(std::process::Command::new("mkfifo").arg(at("pipe")).status().unwrap().success());
        for access in [Access::Read, Access::Write, Access::Create] {
            assert!(folder.open("plain", access).is_ok());
            for name in ["link", "dangling", "folder", "pipe"] {
                let error = folder.open(name, access).unwrap_err();
                assert_eq!(error.kind(), ErrorKind::InvalidData, "{name}: {error}");
            }
        }
        assert_eq!(folder.open_alone("none", false).unwrap_err().kind(), ErrorKind::NotFound);
        assert!(folder.open_alone("plain", false).is_ok());
        fs::hard_link(at("plain"), at("another name")).unwrap();
        assert_eq!(folder.open_alone("plain", true).unwrap_err().kind(), ErrorKind::InvalidData);
        assert_eq!(folder.read("plain").unwrap(), b"text");
    }

    #[test]
    fn only_the_folder_that_the_user_named_may_be_a_link() {
        let here = tempfile::tempdir().unwrap();
        let at = |name: &str| here.path().join(name);
        fs::create_dir(at("folder")).unwrap();
        fs::write(at("file"), "text").unwrap();
        symlink("folder", at("link")).unwrap();
        assert!(Folder::of_user(&at("link")).unwrap().write_once("new", "text").unwrap());
        assert!(!Folder::of_user(&at("link")).unwrap().write_once("new", "other").unwrap());
        assert_eq!(Folder::of_run(&at("folder")).unwrap().read("new").unwrap(), b"text");
        assert_eq!(Folder::of_run(&at("folder")).unwrap().names().unwrap(), ["new"]);
        for refused in [Folder::of_run(&at("link")), Folder::of_run(&at("file")), Folder::of_user(&at("file"))] {
            assert_eq!(refused.unwrap_err().kind(), ErrorKind::NotADirectory);
        }
    }

    #[test]
    fn what_killed_processes_left_is_removed_and_nothing_else() {
        let here = tempfile::tempdir().unwrap();
        let make = |name: &str, hours: u64| {
            let file = File::create(here.path().join(name)).unwrap();
            file.set_modified(std::time::SystemTime::now() - Duration::from_secs(3600 * hours)).unwrap();
            file
        };
        for name in [".000003.json-12-0.part", ".plan.json-aBc.part", ".000004.json-7-0.part"] {
            drop(make(name, 2));
        }
        let kept = ["000003.json", ".x.json-1.part", ".000003.part", "000003.json-1-0.part"];
        kept.iter().for_each(|name| drop(make(name, 2)));
        make(".000005.json-1-0.part", 0);
        let lives = make(".000006.json-1-0.part", 2);
        lives.lock().unwrap();
        let is_read = make(".000008.json-1-0.part", 2);
        is_read.lock_shared().unwrap();
        symlink("000003.json", here.path().join(".000007.json-1-0.part")).unwrap();
        Folder::of_run(here.path()).unwrap().remove_parts().unwrap();
        let mut left: Vec<String> = Folder::of_run(here.path()).unwrap().names().unwrap();
        left.sort_unstable();
        let mut expected = kept.map(str::to_owned).to_vec();
        expected.extend([5, 6, 7, 8].map(|shard| format!(".{shard:06}.json-1-0.part")));
        expected.sort_unstable();
        assert_eq!(left, expected);
    }
}
