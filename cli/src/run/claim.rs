//! Claims: they say which process is counting which shard.
//!
//! A claim is a lock on an empty file, such as `000003`. The system releases the lock when the process ends, even if the
//! process is killed. A second file, `000003.json`, names the process: on Windows nobody can read a locked file. If
//! locks do not work, there are no claims, and processes count some shards twice.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, SystemTime};

use nqueens::engine::MAX_THREADS;
use serde::{Deserialize, Serialize};

/// The largest text of a claimant. The name of a machine has at most 253 characters.
const MAX_BYTES: u64 = 4 << 10;

/// How often to try again if somebody only reads, such as `status`, which holds its lock for microseconds.
const TRIES: usize = 20;

/// The pause between two tries.
const PAUSE: Duration = Duration::from_millis(5);

/// The process that claims a shard.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
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

/// A shard that a process is counting.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct RunningClaim {
    pub(crate) shard: usize,
    #[serde(flatten)]
    pub(crate) claimant: Claimant,
    /// Seconds since it claimed the shard; 0 if it does not say when.
    pub(crate) seconds: u64,
}

/// The claim of this process, until it is dropped.
#[derive(Debug)]
pub(crate) struct Claim {
    /// The locked file, whose lock ends when it is closed; `None` where no lock works.
    lock: Option<(PathBuf, File)>,
}

impl Claim {
    /// Locks the file of a shard. `None` if another process holds the lock. If there can be no lock, the shard is counted
    /// without one.
    pub(crate) fn attempt(folder: &Path, shard: usize, claimant: &Claimant) -> Option<Self> {
        let path = lock_of(folder, shard);
        if is_no_file(&path) {
            return Some(Self { lock: None });
        }
        // Another user's file may be read-only.
        let opened = OpenOptions::new().read(true).append(true).create(true).open(&path).or_else(|_| File::open(&path));
        let Ok(file) = opened else { return Some(Self { lock: None }) };
        if !lock_alone(&file)? {
            return Some(Self { lock: None });
        }
        let text = text_of(&path);
        // A link in its place is removed, and not followed. Only `status` reads the text.
        let _ = fs::remove_file(&text);
        let json = serde_json::to_string(claimant).unwrap_or_default() + "\n";
        let _ = File::create_new(&text).and_then(|mut file| file.write_all(json.as_bytes()));
        Some(Self { lock: Some((path, file)) })
    }

    /// Removes the files of the claim. Only for a shard that has a line in a log: whoever has opened the lock, and locks
    /// it now, finds the line.
    pub(crate) fn finish(self) {
        if let Some((path, _file)) = &self.lock {
            let _ = fs::remove_file(text_of(path));
            let _ = fs::remove_file(path);
        }
    }

    /// Returns the process that holds the lock of a shard, if any.
    pub(crate) fn held(folder: &Path, shard: usize) -> Option<RunningClaim> {
        let path = lock_of(folder, shard);
        if is_no_file(&path) {
            return None;
        }
        // Others can look at the same time, and a process that claims the shard tries again.
        let lock = File::open(&path).ok()?;
        let Err(TryLockError::WouldBlock) = lock.try_lock_shared() else { return None };
        let (text, mut json) = (text_of(&path), Vec::new());
        if !is_no_file(&text) {
            let _ = File::open(text).and_then(|file| file.take(MAX_BYTES).read_to_end(&mut json));
        }
        let mut claimant: Claimant = serde_json::from_slice(&json).unwrap_or_default();
        claimant.threads = claimant.threads.min(MAX_THREADS);
        let since = humantime::parse_rfc3339(&claimant.since).ok();
        let age = since.and_then(|since| SystemTime::now().duration_since(since).ok());
        Some(RunningClaim { shard, claimant, seconds: age.unwrap_or_default().as_secs() })
    }
}

/// Whether a name is that of a link, which could lead to any file, of a pipe, which would wait, or of another such thing.
fn is_no_file(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|metadata| !metadata.is_file())
}

/// The file that is locked while a shard is counted.
fn lock_of(folder: &Path, shard: usize) -> PathBuf {
    folder.join(format!("{shard:06}"))
}

/// The file that says who holds a lock.
fn text_of(lock: &Path) -> PathBuf {
    lock.with_extension("json")
}

/// Locks a file. Returns `false` if it cannot be locked, and `None` if a process holds its claim. A lock of somebody who
/// only reads, such as a backup, is no claim.
fn lock_alone(file: &File) -> Option<bool> {
    for _ in 0..TRIES {
        match file.try_lock() {
            Ok(()) => return Some(true),
            Err(TryLockError::Error(_)) => return Some(false),
            Err(TryLockError::WouldBlock) => file.try_lock_shared().ok()?,
        }
        let _ = file.unlock();
        thread::sleep(PAUSE);
    }
    Some(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attempt(here: &Path, machine: &str) -> Option<Claim> {
        let claimant = Claimant { machine: machine.to_owned(), threads: usize::MAX, ..Claimant::default() };
        Claim::attempt(here, 3, &claimant)
    }

    fn held(here: &Path) -> Option<String> {
        let claimant = Claim::held(here, 3)?.claimant;
        assert!(claimant.threads <= MAX_THREADS);
        Some(claimant.machine)
    }

    #[test]
    fn whoever_only_reads_a_claim_holds_up_nobody() {
        let here = tempfile::tempdir().unwrap();
        let here = here.path();
        drop(attempt(here, "killed"));
        let reader = File::open(here.join("000003")).unwrap();
        reader.lock_shared().unwrap();
        assert_eq!(held(here), None);
        // It is counted without a claim, as where no lock works.
        attempt(here, "the next").unwrap().finish();
        assert!(here.join("000003").exists());
        drop(reader);
        let _claim = attempt(here, "the next").unwrap();
        assert!(attempt(here, "another").is_none());
    }
}
