//! Claims: they say which process is counting which shard.
//!
//! A claim is a lock on a file. The system releases the lock when the process ends, even if the process is killed. The
//! text of the file names the process. If locks do not work, there are no claims, and processes count some shards
//! twice.

use std::fs::{self, File, TryLockError};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::files;

/// The largest text of a claim that is read.
const MAX_BYTES: u64 = 64 << 10;

/// The process that claims a shard.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Claimant {
    /// When it claimed the shard.
    pub(crate) since: String,
    /// Its number of threads.
    pub(crate) threads: usize,
    /// The machine's name.
    pub(crate) machine: String,
    /// The process on that machine: in a container often 1.
    pub(crate) process: u32,
}

/// The claim of this process, until it is dropped.
#[derive(Debug)]
pub(crate) struct Claim {
    path: PathBuf,
    /// Closing it releases the lock.
    _file: Option<File>,
}

impl Claim {
    /// Locks the file at this path. `None` if another process holds the lock. If there can be no lock, the shard is
    /// counted without one.
    pub(crate) fn attempt(path: &Path, claimant: &Claimant) -> Option<Self> {
        let mut file = files::open(path, true).ok();
        if let Some(file) = &mut file {
            if let Err(TryLockError::WouldBlock) = file.try_lock() {
                return None;
            }
            // Only `run status` reads the text. If the disk is full, writing the record will report it.
            let text = serde_json::to_string(claimant).unwrap_or_default() + "\n";
            let _ = file.set_len(0).and_then(|()| file.write_all(text.as_bytes()));
        }
        Some(Self { path: path.to_owned(), _file: file })
    }

    /// Removes the file of the claim. Only for a shard that has a record: whoever has opened the file, and locks it
    /// now, finds the record.
    pub(crate) fn finish(self) {
        let _ = fs::remove_file(&self.path);
    }

    /// Returns the process that holds the lock of this file, if any.
    pub(crate) fn held(path: &Path) -> Option<Claimant> {
        let file = files::open(path, false).ok()?;
        let Err(TryLockError::WouldBlock) = file.try_lock() else { return None };
        let mut text = String::new();
        let _ = file.take(MAX_BYTES).read_to_string(&mut text);
        Some(serde_json::from_str(&text).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_claim_is_held_until_it_is_dropped() {
        let claimant = |machine: &str| Claimant { machine: machine.to_owned(), ..Claimant::default() };
        let here = tempfile::tempdir().unwrap();
        let path = here.path().join("000003");
        let attempt = |machine: &str| Claim::attempt(&path, &claimant(machine));
        let claim = attempt("the first").unwrap();
        assert_eq!(Claim::held(&path), Some(claimant("the first")));
        assert!(attempt("another").is_none());
        drop(claim);
        assert_eq!(Claim::held(&path), None);
        let claim = attempt("another").unwrap();
        assert_eq!(Claim::held(&path), Some(claimant("another")));
        claim.finish();
        assert!(!path.exists());
    }
}
