//! Files that are written whole or not at all, and read whole or not at all.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use tempfile::{Builder, TempPath};

use super::output::{Patient, cannot_write};
use super::units::bytes as bytes_in_words;
use crate::exit::Fault;

/// The largest file that is read, unpacked: an endless or hostile one must not take all memory. A plan of n = 32 could
/// have 759 927 units.
pub(crate) const MAX_BYTES: u64 = 64 << 20;

/// Reads a file to its end. Fails with [`ErrorKind::InvalidData`] if it has more than `most` bytes.
pub(crate) fn read_whole(file: impl Read, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(io::Error::new(ErrorKind::InvalidData, format!("it has more than {}", bytes_in_words(most))));
    }
    Ok(bytes)
}

/// A file to be written. It is written beside its place and gets its name when it is finished, so that nobody reads
/// half of it. If it is dropped before, nothing is left.
pub(crate) struct Kept {
    path: PathBuf,
    what: &'static str,
    place: Target,
}

/// Where it is written.
enum Target {
    /// To a temporary file. It gets the name, and the permissions, of the file that it replaces.
    Beside { file: BufWriter<File>, name: TempPath, permissions: Option<std::fs::Permissions> },
    /// To standard output, a pipe or a device. It is opened once, because a pipe's reader leaves when it is closed.
    Stream(BufWriter<Box<dyn Write>>),
}

impl Kept {
    /// Checks that the file can be written. Errors call it `what`, such as `the record`.
    pub(crate) fn prepare(path: &Path, what: &'static str) -> anyhow::Result<Self> {
        let cannot = || format!("cannot write {what} to {}", path.display());
        if is_standard_output(path) {
            let place = Target::Stream(BufWriter::new(Box::new(Patient(io::stdout()))));
            return Ok(Self { path: path.to_owned(), what, place });
        }
        // A link stays; its target is written.
        let target = target_of(path);
        let place = match std::fs::metadata(&target) {
            Ok(metadata) if metadata.is_dir() => {
                return Err(
                    Fault::InputOutput.error(format!("{}: it is a folder; give the name of a file in it", cannot()))
                );
            }
            Ok(metadata) if !metadata.is_file() => {
                let file = OpenOptions::new().write(true).open(&target).with_context(cannot)?;
                Target::Stream(BufWriter::new(Box::new(Patient(file))))
            }
            Ok(metadata) if metadata.permissions().readonly() => {
                return Err(Fault::InputOutput.error(format!(
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
                    return Err(Fault::InputOutput.error(format!(
                        "{}: there is no folder {}; make it first, or give another file",
                        cannot(),
                        folder.display()
                    )));
                }
                // It gets the permissions of any new file, and errors do not contain its random name.
                let made = Builder::new().prefix(".tmp").make_in(folder, |path| File::create_new(path));
                let (file, name) = made.with_context(cannot)?.into_parts();
                let permissions = found.ok().map(|metadata| metadata.permissions());
                Target::Beside { file: BufWriter::new(file), name, permissions }
            }
        };
        Ok(Self { path: target, what, place })
    }

    /// Writes the text and finishes.
    pub(crate) fn write(mut self, text: &str) -> anyhow::Result<()> {
        self.write_all(text.as_bytes())?;
        self.finish()
    }

    /// Gives the file its name.
    pub(crate) fn finish(mut self) -> anyhow::Result<()> {
        self.flush()?;
        if let Target::Beside { file, name, permissions } = self.place {
            let cannot = || format!("cannot write {} to {}", self.what, self.path.display());
            let file = file.into_inner().map_err(io::IntoInnerError::into_error).with_context(cannot)?;
            file.sync_all().with_context(cannot)?;
            if let Some(permissions) = permissions {
                file.set_permissions(permissions).with_context(cannot)?;
            }
            name.persist(&self.path).map_err(|error| error.error).with_context(cannot)?;
        }
        Ok(())
    }

    /// The error, with what could not be written.
    fn told(&self, reason: io::Error) -> io::Error {
        if is_standard_output(&self.path) {
            return cannot_write(&reason);
        }
        io::Error::new(reason.kind(), format!("cannot write {} to {}: {reason}", self.what, self.path.display()))
    }
}

impl Target {
    fn writer(&mut self) -> &mut dyn Write {
        match self {
            Self::Beside { file, .. } => file,
            Self::Stream(out) => out,
        }
    }
}

/// Writes a piece. [`Kept::finish`] has to follow.
impl Write for Kept {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.place.writer().write(bytes).map_err(|reason| self.told(reason))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.place.writer().flush().map_err(|reason| self.told(reason))
    }
}

fn is_standard_output(path: &Path) -> bool {
    ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"].iter().any(|name| path == Path::new(name))
}

/// The target of a path over its links. It need not exist.
fn target_of(path: &Path) -> PathBuf {
    /// The number of links that Linux follows.
    const MOST_LINKS: usize = 40;
    let mut target = path.to_owned();
    for _ in 0..MOST_LINKS {
        let Ok(next) = std::fs::read_link(&target) else { break };
        // A relative link begins in the folder of the link.
        target = target.parent().map_or_else(|| next.clone(), |folder| folder.join(&next));
    }
    target
}
