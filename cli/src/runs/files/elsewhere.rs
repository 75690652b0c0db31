//! Files by their paths, for systems without handles of folders.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use tempfile::TempPath;

use super::{Access, refused};

/// A folder.
#[derive(Debug)]
pub(crate) struct Folder(PathBuf);

impl Folder {
    /// Looks at a folder. Its own name is a link only if `may_be_link`.
    pub(super) fn at(path: &Path, may_be_link: bool) -> io::Result<Self> {
        let there = if may_be_link { fs::metadata(path) } else { fs::symlink_metadata(path) };
        if there?.is_dir() { Ok(Self(path.to_owned())) } else { Err(refused(ErrorKind::NotADirectory)) }
    }

    /// Opens a file that is no link.
    pub(super) fn open_file(&self, name: &str, access: Access) -> io::Result<File> {
        let path = self.0.join(name);
        if fs::symlink_metadata(&path).is_ok_and(|there| !there.is_file()) {
            return Err(refused(ErrorKind::InvalidData));
        }
        let mut options = OpenOptions::new();
        options.read(true).write(access != Access::Read).create(access == Access::Create);
        options.create_new(access == Access::New).open(path)
    }

    /// Makes a folder, unless its name exists.
    pub(in crate::runs) fn make_folder(&self, name: &str) -> io::Result<()> {
        match fs::create_dir(self.0.join(name)) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
            made => made,
        }
    }

    /// Gives a file another name. Fails with [`ErrorKind::AlreadyExists`] if the name exists.
    pub(in crate::runs) fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        let mut from = TempPath::try_from_path(self.0.join(from))?;
        // A name that is not given up stays.
        from.disable_cleanup(true);
        from.persist_noclobber(self.0.join(to)).map_err(|error| error.error)
    }

    /// Removes a name of a file.
    pub(in crate::runs) fn remove(&self, name: &str) -> io::Result<()> {
        fs::remove_file(self.0.join(name))
    }

    /// The names in the folder.
    pub(in crate::runs) fn names(&self) -> io::Result<Vec<String>> {
        fs::read_dir(&self.0)?.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned())).collect()
    }

    /// Folders cannot be flushed here.
    pub(in crate::runs) fn sync(&self) -> io::Result<()> {
        Ok(())
    }
}

/// It is not known here.
pub(super) fn has_one_name(_: &Metadata) -> bool {
    true
}
