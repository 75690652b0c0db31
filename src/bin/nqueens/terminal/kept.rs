//! Files that are written whole or not at all.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Stdout, Write};
use std::path::{Path, PathBuf};
#[cfg(unix)]
use std::time::{Duration, Instant};

use anyhow::Context;

use super::output::cannot_write;
use super::signals::waiting;
use crate::exit::Exit;

/// How late the reader of a pipe may be.
#[cfg(unix)]
const READER_COMES_WITHIN: Duration = Duration::from_millis(800);

/// A file to be written: beside its place first, so that nobody ever reads half of it. It takes its place when it is
/// finished; one that is dropped before leaves nothing.
pub(crate) struct Kept {
    path: PathBuf,
    what: &'static str,
    place: Target,
}

/// Where it is written.
enum Target {
    /// To a temporary file that gets the name, and the permissions of the file that it replaces.
    Beside { file: BufWriter<tempfile::NamedTempFile>, permissions: Option<std::fs::Permissions> },
    /// To what is no regular file: a pipe, a device. It is opened once, because a pipe's reader leaves when it is closed.
    Stream(BufWriter<File>),
    /// To standard output, `-`.
    StandardOutput(BufWriter<Stdout>),
}

impl Kept {
    /// Makes sure that the file can be written; `what` is what errors call it, such as `the record`.
    pub(crate) fn prepare(path: &Path, what: &'static str) -> anyhow::Result<Self> {
        let cannot = || format!("cannot write {what} to {}", path.display());
        if ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"].iter().any(|name| path == Path::new(name)) {
            return Ok(Self {
                path: path.to_owned(),
                what,
                place: Target::StandardOutput(BufWriter::new(io::stdout())),
            });
        }
        // A link stays, and what it leads to is written.
        let target = target_of(path);
        let place = match std::fs::metadata(&target) {
            Ok(metadata) if metadata.is_dir() => {
                return Err(Exit::Failure.error(format!("{}: it is a folder; give the name of a file in it", cannot())));
            }
            Ok(metadata) if !metadata.is_file() => {
                Target::Stream(BufWriter::new(open_stream(&target).with_context(cannot)?))
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
                Target::Beside {
                    file: BufWriter::new(temporary(folder).with_context(cannot)?),
                    permissions: found.ok().map(|metadata| metadata.permissions()),
                }
            }
        };
        Ok(Self { path: target, what, place })
    }

    /// Writes the whole of it.
    pub(crate) fn write(self, text: &str) -> anyhow::Result<()> {
        self.write_bytes(text.as_bytes())
    }

    /// Writes the whole of what is no text.
    pub(crate) fn write_bytes(mut self, bytes: &[u8]) -> anyhow::Result<()> {
        self.write_all(bytes)?;
        self.finish()
    }

    /// Brings what was written to its place.
    pub(crate) fn finish(mut self) -> anyhow::Result<()> {
        self.flush()?;
        if let Target::Beside { file, permissions } = self.place {
            let cannot = || format!("cannot write {} to {}", self.what, self.path.display());
            let file = file.into_inner().map_err(io::IntoInnerError::into_error).with_context(cannot)?;
            file.as_file().sync_all().with_context(cannot)?;
            if let Some(permissions) = permissions {
                file.as_file().set_permissions(permissions).with_context(cannot)?;
            }
            file.persist(&self.path).map_err(|error| error.error).with_context(cannot)?;
        }
        Ok(())
    }

    /// An error that says what could not be written.
    fn told(&self, reason: &io::Error) -> io::Error {
        if matches!(self.place, Target::StandardOutput(_)) {
            return cannot_write(reason);
        }
        io::Error::new(reason.kind(), format!("cannot write {} to {}: {reason}", self.what, self.path.display()))
    }
}

impl Target {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Beside { file, .. } => file.write(bytes),
            Self::Stream(file) => waiting(|| file.write(bytes)),
            Self::StandardOutput(out) => waiting(|| out.write(bytes)),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Beside { file, .. } => file.flush(),
            Self::Stream(file) => waiting(|| file.flush()),
            Self::StandardOutput(out) => waiting(|| out.flush()),
        }
    }
}

/// Piece by piece; [`Kept::finish`] has to follow.
impl Write for Kept {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.place.write(bytes).map_err(|reason| self.told(&reason))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.place.flush().map_err(|reason| self.told(&reason))
    }
}

/// Opens a pipe or a device to write. A pipe's reader may be a little late; one that does not come is not waited for.
#[cfg(unix)]
fn open_stream(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;

    use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
    use rustix::io::Errno;

    let open = || OpenOptions::new().write(true).custom_flags(OFlags::NONBLOCK.bits() as i32).open(path);
    let until = Instant::now() + READER_COMES_WITHIN;
    loop {
        match open() {
            Err(error) if Errno::from_io_error(&error) == Some(Errno::NXIO) => {
                if Instant::now() >= until {
                    return Err(io::Error::new(error.kind(), "nobody reads from this pipe: start its reader first"));
                }
                std::thread::sleep(Duration::from_millis(20));
            }
            other => {
                let file = other?;
                // From now on whoever writes waits for whoever reads.
                fcntl_setfl(&file, fcntl_getfl(&file)? - OFlags::NONBLOCK)?;
                return Ok(file);
            }
        }
    }
}

#[cfg(not(unix))]
fn open_stream(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).open(path)
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
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        tempfile::Builder::new().permissions(std::fs::Permissions::from_mode(0o666)).tempfile_in(folder)
    }
    // Windows gives a new file the permissions of its folder, a temporary one too.
    #[cfg(not(unix))]
    tempfile::Builder::new().tempfile_in(folder)
}
