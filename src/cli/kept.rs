//! Files that are written whole or not at all.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;

use super::exit::Exit;

/// A file to be written: beside its place first, so that nobody ever reads half of it.
pub(super) struct Kept {
    path: PathBuf,
    what: &'static str,
    place: Place,
}

/// Where it is written.
enum Place {
    /// To a temporary file that gets the name, and the permissions of the file that it replaces.
    Beside { file: tempfile::NamedTempFile, permissions: Option<std::fs::Permissions> },
    /// To what is no regular file: a pipe, a device. It is opened once, because a pipe's reader leaves when it is closed.
    Stream(File),
    /// To standard output, `-`.
    StandardOutput,
}

impl Kept {
    /// Makes sure that the file can be written; `what` is what errors call it, such as `the record`.
    pub(super) fn prepare(path: &Path, what: &'static str) -> anyhow::Result<Self> {
        let cannot = || format!("cannot write {what} to {}", path.display());
        if ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"].iter().any(|name| path == Path::new(name)) {
            return Ok(Self { path: path.to_owned(), what, place: Place::StandardOutput });
        }
        // A link stays, and what it leads to is written.
        let target = target_of(path);
        let place = match std::fs::metadata(&target) {
            Ok(metadata) if metadata.is_dir() => {
                return Err(Exit::Failure.error(format!("{}: it is a folder; give the name of a file in it", cannot())));
            }
            Ok(metadata) if !metadata.is_file() => {
                Place::Stream(OpenOptions::new().write(true).open(&target).with_context(cannot)?)
            }
            Ok(metadata) if metadata.permissions().readonly() => {
                return Err(Exit::Failure.error(format!(
                    "{}: it is there and read-only; give another name, or make it writable",
                    cannot()
                )));
            }
            found => {
                if found.is_ok() {
                    OpenOptions::new().append(true).open(&target).with_context(cannot)?;
                }
                let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
                if !folder.is_dir() {
                    return Err(Exit::Failure.error(format!(
                        "{}: there is no folder {}; make it first, or give another file",
                        cannot(),
                        folder.display()
                    )));
                }
                Place::Beside {
                    file: temporary(folder).with_context(cannot)?,
                    permissions: found.ok().map(|metadata| metadata.permissions()),
                }
            }
        };
        Ok(Self { path: target, what, place })
    }

    /// Writes it.
    pub(super) fn write(self, text: &str) -> anyhow::Result<()> {
        self.write_bytes(text.as_bytes())
    }

    /// Writes what is no text.
    pub(super) fn write_bytes(self, bytes: &[u8]) -> anyhow::Result<()> {
        let cannot = || format!("cannot write {} to {}", self.what, self.path.display());
        match self.place {
            Place::StandardOutput => {
                let mut out = std::io::stdout().lock();
                out.write_all(bytes).and_then(|()| out.flush()).with_context(cannot)?;
            }
            Place::Stream(mut file) => file.write_all(bytes).with_context(cannot)?,
            Place::Beside { mut file, permissions } => {
                file.write_all(bytes).and_then(|()| file.as_file().sync_all()).with_context(cannot)?;
                if let Some(permissions) = permissions {
                    file.as_file().set_permissions(permissions).with_context(cannot)?;
                }
                file.persist(&self.path).map_err(|error| error.error).with_context(cannot)?;
            }
        }
        Ok(())
    }
}

/// What a path leads to over its links, whether or not it is there yet.
fn target_of(path: &Path) -> PathBuf {
    /// As many links as Linux follows.
    const MOST_LINKS: usize = 40;
    let mut target = path.to_owned();
    for _ in 0..MOST_LINKS {
        let Ok(next) = std::fs::read_link(&target) else { break };
        // A link's own folder is where a relative one begins.
        target = target.parent().map_or_else(|| next.clone(), |folder| folder.join(&next));
    }
    target
}

/// A temporary file with the permissions that an ordinary new one has: what the umask leaves.
fn temporary(folder: &Path) -> std::io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder)
}
