//! Claims: which shard a process is counting.
//!
//! A claim is a lock on a file. The system releases the lock when the process ends, however it ends. The text of the file
//! names the process, which writes it again every [`BEAT`]. A file that is not written any more belongs to a process that
//! is stopped or lost. If locks do not work, or only among the processes of one machine, the text alone keeps most shards
//! from being counted twice.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

use super::files;

/// The largest text of a claim that is read.
const MAX_BYTES: u64 = 64 << 10;

/// How often a process that counts writes its claims.
pub(crate) const BEAT: Duration = Duration::from_secs(10);

/// A claim that was not written for this long belongs to a process that is stopped or lost.
pub(crate) const SILENT_AFTER: Duration = BEAT.saturating_mul(6);

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

    /// Whether it is another process that may be alive. A process of this machine that is gone is not.
    fn may_be_alive(&self, here: &Self) -> bool {
        if self.number == here.number {
            return false;
        }
        self.machine() != here.machine() || (self.process != here.process && is_a_process(self.process))
    }
}

fn is_a_process(number: u32) -> bool {
    #[cfg(unix)]
    {
        use rustix::process::{Pid, test_kill_process};
        let process = i32::try_from(number).ok().and_then(Pid::from_raw);
        process.is_some_and(|process| test_kill_process(process) != Err(rustix::io::Errno::SRCH))
    }
    #[cfg(not(unix))]
    {
        let _ = number;
        true
    }
}

/// The claim of another process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Held {
    /// The process.
    pub(crate) claimant: Claimant,
    /// How long the process has not written the claim.
    pub(crate) silent: Duration,
}

/// The claim of this process, until it is dropped.
#[derive(Debug)]
pub(crate) struct Claim {
    path: PathBuf,
    /// Closing it releases the lock.
    file: File,
    text: String,
}

/// Locks a file for this process alone. Tests give functions that fail as some file systems do.
pub(crate) type Lock = fn(&File) -> Result<(), TryLockError>;

impl Claim {
    /// Makes this file, unless another process has claimed by it.
    ///
    /// # Errors
    /// If the file cannot be made, or is not a regular file.
    pub(crate) fn attempt(path: &Path, claimant: &Claimant, lock: Lock) -> io::Result<Option<Self>> {
        // Other processes may remove the file between two steps.
        for _ in 0..10 {
            match OpenOptions::new().create_new(true).read(true).write(true).open(path) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                    if !Self::remove_leftover(path, claimant, lock)? {
                        return Ok(None);
                    }
                }
                other => {
                    let file = other?;
                    match lock(&file) {
                        Err(TryLockError::WouldBlock) => return Ok(None),
                        Ok(()) if was_removed(&file)? => {}
                        // Without locks, others see the file all the same.
                        Ok(()) | Err(TryLockError::Error(_)) => return Ok(Some(Self::sign(path, file, claimant))),
                    }
                }
            }
        }
        Ok(None)
    }

    /// Removes a claim whose process is gone. Returns `false` if another process holds it.
    fn remove_leftover(path: &Path, claimant: &Claimant, lock: Lock) -> io::Result<bool> {
        let file = match files::open(path, true) {
            // Another user's file. A lock still tells whether its process is alive.
            Err(error) if error.kind() == ErrorKind::PermissionDenied => files::open(path, false),
            other => other,
        };
        let file = match file {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(true),
            Err(error) if error.kind() == ErrorKind::PermissionDenied => return Ok(false),
            other => other?,
        };
        let there = read(&file);
        // A file without a text was made this moment, or by a process that died before it wrote.
        let may_be_at_work = silence(&file) < SILENT_AFTER && there.as_ref().is_none_or(|it| it.may_be_alive(claimant));
        let is_held = match lock(&file) {
            Err(TryLockError::WouldBlock) => true,
            Err(TryLockError::Error(_)) => may_be_at_work,
            Ok(()) if was_removed(&file)? => return Ok(true),
            // On some file systems a machine does not see the locks of others.
            Ok(()) => there.is_some() && may_be_at_work,
        };
        if is_held {
            return Ok(false);
        }
        match fs::remove_file(path) {
            Err(error) if error.kind() == ErrorKind::PermissionDenied => Ok(false),
            Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
            _ => Ok(true),
        }
    }

    fn sign(path: &Path, file: File, claimant: &Claimant) -> Self {
        let text = serde_json::to_string(claimant).unwrap_or_default() + "\n";
        let claim = Self { path: path.to_owned(), file, text };
        claim.beat();
        claim
    }

    /// Tells others that this process is at work. An error, such as a full disk, is ignored: writing the record will
    /// report it.
    pub(crate) fn beat(&self) {
        let mut file = &self.file;
        let _ = file.rewind().and_then(|()| file.write_all(self.text.as_bytes()));
    }

    /// Removes the file of the claim, because the shard has a record.
    pub(crate) fn finish(self) {
        let _ = fs::remove_file(&self.path);
    }

    /// The process that holds the claim of this file, if any.
    pub(crate) fn held(path: &Path, lock: Lock) -> Option<Held> {
        // To lock a file of another machine it has to be open for writing.
        let file = files::open(path, true).or_else(|_| files::open(path, false)).ok()?;
        let silent = silence(&file);
        match lock(&file) {
            Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(_)) if silent < SILENT_AFTER => {}
            _ => return None,
        }
        Some(Held { claimant: read(&file).unwrap_or_default(), silent })
    }
}

/// Whether the file has no name any more.
fn was_removed(file: &File) -> io::Result<bool> {
    #[cfg(unix)]
    return Ok(std::os::unix::fs::MetadataExt::nlink(&file.metadata()?) == 0);
    #[cfg(not(unix))]
    file.metadata().map(|_| false)
}

/// The claimant in the text of a file; `None` if the file is empty.
fn read(file: &File) -> Option<Claimant> {
    let mut text = String::new();
    let mut file = file;
    let _ = file.rewind().and_then(|()| file.take(MAX_BYTES).read_to_string(&mut text));
    (!text.is_empty()).then(|| serde_json::from_str(&text).unwrap_or_default())
}

/// How long a claim was not written. Clocks of machines may differ by less than [`SILENT_AFTER`].
fn silence(file: &File) -> Duration {
    let written = file.metadata().and_then(|metadata| metadata.modified()).unwrap_or_else(|_| SystemTime::now());
    SystemTime::now().duration_since(written).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claimant(machine: &str, number: u64) -> Claimant {
        Claimant { machine: Some(machine.to_owned()), number: format!("{number:016x}"), ..Claimant::default() }
    }

    fn no_lock(_: &File) -> Result<(), TryLockError> {
        Err(TryLockError::Error(ErrorKind::Unsupported.into()))
    }

    /// As on NFS without a lock manager: each machine sees its own locks alone.
    fn always(_: &File) -> Result<(), TryLockError> {
        Ok(())
    }

    fn make_silent(path: &Path, time: Duration) {
        let file = File::options().write(true).open(path).unwrap();
        file.set_modified(SystemTime::now() - time).unwrap();
    }

    #[test]
    fn a_claim_is_held_until_it_is_dropped() {
        let here = tempfile::tempdir().unwrap();
        let path = here.path().join("000003");
        let (a, b) = (claimant("a", 1), claimant("a", 2));
        let claim = Claim::attempt(&path, &a, File::try_lock).unwrap().unwrap();
        assert_eq!(Claim::held(&path, File::try_lock).unwrap().claimant, a);
        assert!(Claim::attempt(&path, &b, File::try_lock).unwrap().is_none());
        // A stopped process keeps its lock, until somebody removes the file.
        make_silent(&path, Duration::from_secs(500));
        assert!(Claim::held(&path, File::try_lock).unwrap().silent >= Duration::from_secs(500));
        assert!(Claim::attempt(&path, &b, File::try_lock).unwrap().is_none());
        drop(claim);
        assert_eq!(Claim::held(&path, File::try_lock), None);
        let claim = Claim::attempt(&path, &b, File::try_lock).unwrap().unwrap();
        assert_eq!(Claim::held(&path, File::try_lock).unwrap().claimant, b);
        claim.finish();
        assert!(!path.exists());
    }

    #[test]
    fn without_locks_a_claim_holds_as_long_as_it_is_written() {
        let here = tempfile::tempdir().unwrap();
        let (a, b) = (claimant("a", 1), claimant("b", 2));
        for lock in [no_lock as Lock, always] {
            let path = here.path().join("000003");
            let claim = Claim::attempt(&path, &a, lock).unwrap().unwrap();
            assert!(Claim::attempt(&path, &b, lock).unwrap().is_none());
            make_silent(&path, SILENT_AFTER);
            let other = Claim::attempt(&path, &b, lock).unwrap().unwrap();
            assert!(Claim::attempt(&path, &a, lock).unwrap().is_none());
            drop(claim);
            other.finish();
        }
    }
}
