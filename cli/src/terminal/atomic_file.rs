//! Files that are written whole or not at all, and read whole or not at all.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use tempfile::{Builder, NamedTempFile};

use super::output::StandardOutput;
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
/// half of it. If it is dropped before, nothing is left. Standard output, a pipe or a device is written as it comes.
pub(crate) struct AtomicFile {
    /// What an error says first, such as "cannot write the record to a.json". Standard output says it itself.
    cannot: Option<String>,
    out: BufWriter<Box<dyn Write>>,
    /// The temporary file and the name that it will get.
    beside: Option<(NamedTempFile, PathBuf)>,
}

impl AtomicFile {
    /// Checks that the file can be written. Errors call it `what`, such as `the record`.
    pub(crate) fn prepare(path: &Path, what: &str) -> anyhow::Result<Self> {
        if path == Path::new("-") {
            return Ok(Self { cannot: None, out: BufWriter::new(Box::<StandardOutput>::default()), beside: None });
        }
        let cannot = format!("cannot write {what} to {}", path.display());
        let context = || cannot.clone();
        // A link stays, even one to a file that is not there yet; its target is written.
        let linked = || path.read_link().map(|next| path.parent().unwrap_or(path).join(next));
        let target = path.canonicalize().or_else(|_| linked()).unwrap_or_else(|_| path.to_owned());
        let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let old = std::fs::metadata(&target).ok();
        let refused = match &old {
            Some(old) if old.is_dir() => Some("it is a folder; give the name of a file in it".to_owned()),
            Some(old) if old.is_file() && old.permissions().readonly() => {
                Some("it is there and read-only; give another name, or make it writable".to_owned())
            }
            None if !folder.is_dir() => {
                Some(format!("there is no folder {}; make it first, or give another file", folder.display()))
            }
            _ => None,
        };
        if let Some(why) = refused {
            return Err(Fault::InputOutput.error(format!("{cannot}: {why}")));
        }
        let opened = old.as_ref().map(|_| OpenOptions::new().append(true).open(&target)).transpose();
        let opened = opened.with_context(context)?;
        let is_replaced = old.as_ref().is_none_or(std::fs::Metadata::is_file);
        let (out, beside): (Box<dyn Write>, _) = match opened {
            // It stays open, because a pipe's reader leaves when it is closed.
            Some(stream) if !is_replaced => (Box::new(stream), None),
            _ => {
                // It gets the permissions of any new file, and errors do not contain its random name.
                let made = Builder::new().prefix(".tmp").make_in(folder, |path| File::create_new(path));
                let made = made.with_context(context)?;
                if let Some(old) = old {
                    made.as_file().set_permissions(old.permissions()).with_context(context)?;
                }
                (Box::new(made.as_file().try_clone().with_context(context)?), Some((made, target)))
            }
        };
        Ok(Self { cannot: Some(cannot), out: BufWriter::new(out), beside })
    }

    /// Writes the text and finishes.
    pub(crate) fn write(mut self, text: &str) -> anyhow::Result<()> {
        self.write_all(text.as_bytes())?;
        self.finish()
    }

    /// Gives the file its name.
    pub(crate) fn finish(mut self) -> anyhow::Result<()> {
        self.flush()?;
        let Some((file, target)) = self.beside.take() else { return Ok(()) };
        file.as_file().sync_all().map_err(|reason| self.named(reason))?;
        file.persist(target).map_err(|error| self.named(error.error))?;
        Ok(())
    }

    /// The error, with what could not be written.
    fn named(&self, reason: io::Error) -> io::Error {
        match &self.cannot {
            Some(cannot) => io::Error::new(reason.kind(), format!("{cannot}: {reason}")),
            None => reason,
        }
    }
}

/// Writes a piece. [`AtomicFile::finish`] has to follow.
impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes).map_err(|reason| self.named(reason))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush().map_err(|reason| self.named(reason))
    }
}
