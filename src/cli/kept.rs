//! Files that are written whole or not at all.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;

use super::exit::Exit;

/// A file to be written: beside its place first, so that nobody ever reads half of it.
pub(super) struct Kept {
    path: PathBuf,
    what: &'static str,
    /// Where it is written before it gets its name; `None` for what is no regular file, such as /dev/stdout.
    beside: Option<tempfile::NamedTempFile>,
}

impl Kept {
    /// Makes sure that the file can be written; `what` is what errors call it, such as `the record`.
    pub(super) fn prepare(path: &Path, what: &'static str) -> anyhow::Result<Self> {
        let cannot = || format!("cannot write {what} to {}", path.display());
        // A link stays, and what it leads to is written; a stream keeps its name.
        let target = path.canonicalize().ok().filter(|target| target.is_file()).unwrap_or_else(|| path.to_owned());
        let beside = match std::fs::metadata(path) {
            Ok(metadata) if metadata.is_dir() => {
                return Err(Exit::Failure.error(format!("{}: it is a folder; give the name of a file in it", cannot())));
            }
            Ok(metadata) if !metadata.is_file() => {
                OpenOptions::new().write(true).open(path).with_context(cannot)?;
                None
            }
            _ => {
                let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
                if !folder.is_dir() {
                    return Err(Exit::Failure.error(format!(
                        "{}: there is no folder {}; make it first, or give another file",
                        cannot(),
                        folder.display()
                    )));
                }
                Some(tempfile::NamedTempFile::new_in(folder).with_context(cannot)?)
            }
        };
        Ok(Self { path: target, what, beside })
    }

    /// Writes it.
    pub(super) fn write(self, text: &str) -> anyhow::Result<()> {
        self.write_bytes(text.as_bytes())
    }

    /// Writes what is no text.
    pub(super) fn write_bytes(self, bytes: &[u8]) -> anyhow::Result<()> {
        let cannot = || format!("cannot write {} to {}", self.what, self.path.display());
        match self.beside {
            None => std::fs::write(&self.path, bytes).with_context(cannot)?,
            Some(mut file) => {
                file.write_all(bytes).and_then(|()| file.as_file().sync_all()).with_context(cannot)?;
                share(file.as_file());
                file.persist(&self.path).map_err(|error| error.error).with_context(cannot)?;
            }
        }
        Ok(())
    }
}

/// Gives a file the permissions of an ordinary new one: temporary files are for their owner alone.
fn share(file: &std::fs::File) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let _ = file.set_permissions(std::fs::Permissions::from_mode(0o644));
    }
    #[cfg(not(unix))]
    let _ = file;
}
