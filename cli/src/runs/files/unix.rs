//! Files relative to an open folder.

use std::fs::{File, Metadata};
use std::io::{self, ErrorKind};
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use rustix::fs::{self, AtFlags, Dir, Mode, OFlags};
use rustix::io::Errno;

use super::{Access, refused};

/// An open folder.
#[derive(Debug)]
pub(crate) struct Folder(OwnedFd);

impl Folder {
    /// Opens a folder. Its own name is a link only if `may_be_link`.
    pub(super) fn at(path: &Path, may_be_link: bool) -> io::Result<Self> {
        let links = if may_be_link { OFlags::empty() } else { OFlags::NOFOLLOW };
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC | links;
        match fs::open(path, flags, Mode::empty()) {
            Err(Errno::NOTDIR | Errno::LOOP | Errno::MLINK) => Err(refused(ErrorKind::NotADirectory)),
            folder => Ok(Self(folder?)),
        }
    }

    /// Opens a file, without following a link and without waiting for the other end of a pipe.
    pub(super) fn open_file(&self, name: &str, access: Access) -> io::Result<File> {
        let flags = match access {
            Access::Read => OFlags::RDONLY,
            Access::Write => OFlags::RDWR,
            Access::Create => OFlags::RDWR | OFlags::CREATE,
            Access::New => OFlags::RDWR | OFlags::CREATE | OFlags::EXCL,
        };
        let flags = flags | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        // The permissions of any new file: the user's mask takes some away.
        match fs::openat(&self.0, name, flags, Mode::from_raw_mode(0o666)) {
            Err(Errno::LOOP | Errno::MLINK | Errno::ISDIR | Errno::NXIO) => Err(refused(ErrorKind::InvalidData)),
            Err(error) if access == Access::New => Err(self.told(error, name)),
            file => Ok(file?.into()),
        }
    }

    /// The error of making a name. For a name that exists, sshfs says EPERM.
    fn told(&self, error: Errno, name: &str) -> io::Error {
        let is_there = || fs::statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW).is_ok();
        if error == Errno::PERM && is_there() { Errno::EXIST } else { error }.into()
    }

    /// Makes a folder, unless its name exists.
    pub(in crate::runs) fn make_folder(&self, name: &str) -> io::Result<()> {
        let made = fs::mkdirat(&self.0, name, Mode::from_raw_mode(0o777)).map_err(|error| self.told(error, name));
        match made {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
            made => made,
        }
    }

    /// Gives a file another name. Fails with [`ErrorKind::AlreadyExists`] if the name exists.
    pub(in crate::runs) fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        #[cfg(any(target_os = "linux", target_vendor = "apple"))]
        match fs::renameat_with(&self.0, from, &self.0, to, fs::RenameFlags::NOREPLACE) {
            // The file system cannot, as NFS.
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {}
            renamed => return renamed.map_err(|error| self.told(error, to)),
        }
        fs::linkat(&self.0, from, &self.0, to, AtFlags::empty()).map_err(|error| self.told(error, to))?;
        self.remove(from)
    }

    /// Removes a name of a file.
    pub(in crate::runs) fn remove(&self, name: &str) -> io::Result<()> {
        Ok(fs::unlinkat(&self.0, name, AtFlags::empty())?)
    }

    /// The names in the folder.
    pub(in crate::runs) fn names(&self) -> io::Result<Vec<String>> {
        let entries = Dir::read_from(&self.0)?.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()));
        entries.filter(|name| !name.as_ref().is_ok_and(|name| name == "." || name == "..")).collect()
    }

    /// Waits until the names are on the disk, if the file system can tell.
    pub(in crate::runs) fn sync(&self) -> io::Result<()> {
        match fs::fsync(&self.0) {
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => Ok(()),
            synced => Ok(synced?),
        }
    }
}

/// Whether a file has no name but the one by which it was opened.
pub(super) fn has_one_name(metadata: &Metadata) -> bool {
    metadata.nlink() <= 1
}
