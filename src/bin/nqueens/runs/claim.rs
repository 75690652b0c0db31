//! Claims: they say which process is counting which shard.
//!
//! A claim is a lock on a file. The system releases the lock when the process ends, even if the process is killed. The
//! text of the file names the process. If locks do not work, there are no claims, and processes count some shards
//! twice.

use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind, Read, Seek, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::files;

/// The largest text of a claim that is read.
const MAX_BYTES: u64 = 64 << 10;

/// The process that claims a shard.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Claimant {
    /// When it claimed the shard.
    pub(crate) since: String,
    /// Its number of threads.
    pub(crate) threads: usize,
    /// The processor's model.
    pub(crate) cpu: String,
    /// The machine's name, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) machine: Option<String>,
    /// The process on that machine: in a container often 1.
    pub(crate) process: u32,
    /// A random number that differs between all processes.
    #[serde(default)]
    pub(crate) number: String,
}

impl Claimant {
    /// The machine's name, or its processor's model.
    pub(crate) fn machine(&self) -> &str {
        self.machine.as_deref().unwrap_or(&self.cpu)
    }
}

/// The claim of this process, until it is dropped.
#[derive(Debug)]
pub(crate) struct Claim {
    path: PathBuf,
    /// Closing it releases the lock.
    _file: File,
}

/// Locks a file for this process alone. Tests give functions that fail as some file systems do.
pub(crate) type Lock = fn(&File) -> Result<(), TryLockError>;

impl Claim {
    /// Locks the file at this path. `None` if another process holds the lock.
    ///
    /// # Errors
    /// Fails if the file cannot be made or replaced, or if it is not a regular file.
    pub(crate) fn attempt(path: &Path, claimant: &Claimant, lock: Lock) -> io::Result<Option<Self>> {
        let mut refused = None;
        // Other processes may remove the file between two steps.
        for _ in 0..10 {
            let mut file = match files::open_or_create(path) {
                Err(error) if error.kind() == ErrorKind::PermissionDenied => {
                    if is_held_by_another_user(path, lock) {
                        return Ok(None);
                    }
                    // This process may not write the file. Nobody holds it, so a new file can replace it.
                    let _ = fs::remove_file(path);
                    refused = Some(error);
                    continue;
                }
                other => other?,
            };
            match lock(&file) {
                Err(TryLockError::WouldBlock) => return Ok(None),
                Ok(()) if was_removed(&file)? => continue,
                Ok(()) | Err(TryLockError::Error(_)) => {}
            }
            // Only `run status` reads the text. If the disk is full, writing the record will report it.
            let text = serde_json::to_string(claimant).unwrap_or_default() + "\n";
            let _ = file.set_len(0).and_then(|()| file.write_all(text.as_bytes()));
            return Ok(Some(Self { path: path.to_owned(), _file: file }));
        }
        refused.map_or(Ok(None), Err)
    }

    /// Removes the file of the claim, because the shard has a record.
    pub(crate) fn finish(self) {
        let _ = fs::remove_file(&self.path);
    }

    /// Returns the process that holds the lock of this file, if any.
    pub(crate) fn held(path: &Path, lock: Lock) -> Option<Claimant> {
        // A lock on a network file system needs a file that is open for writing.
        let file = files::open_to_write(path).or_else(|_| files::open(path)).ok()?;
        match lock(&file) {
            Err(TryLockError::WouldBlock) => Some(read(file)),
            _ => None,
        }
    }
}

/// Whether a file that this process cannot read may be locked by another user.
fn is_held_by_another_user(path: &Path, lock: Lock) -> bool {
    match files::open(path) {
        Ok(file) => matches!(lock(&file), Err(TryLockError::WouldBlock)),
        Err(error) => error.kind() != ErrorKind::NotFound,
    }
}

/// Whether the file was removed while it was open.
fn was_removed(file: &File) -> io::Result<bool> {
    #[cfg(unix)]
    return Ok(std::os::unix::fs::MetadataExt::nlink(&file.metadata()?) == 0);
    #[cfg(not(unix))]
    file.metadata().map(|_| false)
}

/// The claimant in the text of a file.
fn read(mut file: File) -> Claimant {
    let mut text = String::new();
    let _ = file.rewind().and_then(|()| file.take(MAX_BYTES).read_to_string(&mut text));
    serde_json::from_str(&text).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_claim_is_held_until_it_is_dropped() {
        let claimant = |number: &str| Claimant { number: number.to_owned(), ..Claimant::default() };
        let here = tempfile::tempdir().unwrap();
        let path = here.path().join("000003");
        let attempt = |number: &str| Claim::attempt(&path, &claimant(number), File::try_lock).unwrap();
        let held = || Claim::held(&path, File::try_lock);
        let claim = attempt("the first process").unwrap();
        assert_eq!(held(), Some(claimant("the first process")));
        assert!(attempt("another").is_none());
        drop(claim);
        assert_eq!(held(), None);
        let claim = attempt("another").unwrap();
        assert_eq!(held(), Some(claimant("another")));
        claim.finish();
        assert!(!path.exists());
    }
}
