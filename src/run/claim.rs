//! Claims: which shard some process is counting.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{Read, Write};
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// A claim is far shorter.
const MAX_BYTES: u64 = 64 << 10;

/// Who claims a shard. It is for people to read and decides nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claimant {
    /// Since when.
    pub since: String,
    /// On how many threads.
    pub threads: usize,
    /// The processor's model.
    pub cpu: String,
    /// What the machine is called, where somebody wished it to be said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<String>,
    /// The process, on that machine.
    pub process: u32,
}

/// A shard that this process counts, until it is dropped: an exclusive lock on a file, which the system takes back when
/// the process ends, however it ends.
#[derive(Debug)]
pub struct Claim {
    path: PathBuf,
    /// Unlocked when it is closed. `None` where the file system has no locks.
    _lock: Option<File>,
}

/// What became of an attempt to claim.
#[derive(Debug)]
pub enum Attempt {
    /// The shard is ours.
    Ours(Claim),
    /// Another process has it.
    Taken,
}

impl Claim {
    /// Claims by this file, unless another process has.
    ///
    /// # Errors
    /// Where the file cannot be made.
    pub(super) fn attempt(path: PathBuf, claimant: &Claimant) -> std::io::Result<Attempt> {
        let mut file = OpenOptions::new().create(true).truncate(false).read(true).write(true).open(&path)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(Attempt::Taken),
            // No locks here: the worst is that a shard is counted twice.
            Err(TryLockError::Error(_)) => return Ok(Attempt::Ours(Self { path, _lock: None })),
        }
        // Who claims it is good to know; a full disk will be noticed where it matters.
        if let Ok(text) = serde_json::to_string(claimant) {
            let _ = file.set_len(0).and_then(|()| writeln!(file, "{text}"));
        }
        Ok(Attempt::Ours(Self { path, _lock: Some(file) }))
    }

    /// Gives the shard up for good, because its record is there.
    pub(super) fn finish(self) {
        let _ = fs::remove_file(&self.path);
    }

    /// Who has claimed by this file, if anybody has and is still alive.
    pub(super) fn claimant(path: &std::path::Path) -> Option<Claimant> {
        let file = OpenOptions::new().read(true).write(true).open(path).or_else(|_| File::open(path)).ok()?;
        match file.try_lock_shared() {
            Err(TryLockError::WouldBlock) => {
                let mut text = String::new();
                // Somebody else's text is read as far as ours would go.
                let _ = file.take(MAX_BYTES).read_to_string(&mut text);
                Some(serde_json::from_str(&text).unwrap_or_default())
            }
            _ => None,
        }
    }
}
