//! Claims: which shard some process is counting.
//!
//! A claim is a lock on a file, which the system takes back when the process ends, however it ends. Its text says who
//! holds it, and is written again every [`BEAT`]: a file that is not written any more belongs to a process that is
//! stopped or lost. Where locks do not work, or only among the processes of one machine, that alone keeps most shards
//! from being counted twice.

use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

use super::files;

/// A claim is far shorter.
const MAX_BYTES: u64 = 64 << 10;

/// How often a process that counts says so in its claims.
pub(crate) const BEAT: Duration = Duration::from_secs(10);

/// A claim that was not written for so long belongs to nobody who is at work.
pub(crate) const SILENT_AFTER: Duration = BEAT.saturating_mul(6);

/// Who claims a shard.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Claimant {
    /// Since when.
    pub(crate) since: String,
    /// On how many threads.
    pub(crate) threads: usize,
    /// The processor's model.
    pub(crate) cpu: String,
    /// What the machine is called, where somebody wished it to be said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) machine: Option<String>,
    /// The process, on that machine: in a container often 1.
    pub(crate) process: u32,
    /// A random number that tells the process from all others.
    #[serde(default)]
    pub(crate) number: String,
}

impl Claimant {
    /// The machine's name, or its processor's.
    pub(crate) fn machine(&self) -> &str {
        self.machine.as_deref().unwrap_or(&self.cpu)
    }

    /// Whether it is another process, and may be at work: on this machine one that is gone is not.
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

/// A claim as others see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Held {
    /// Who holds it.
    pub(crate) claimant: Claimant,
    /// How long nothing was heard of that process.
    pub(crate) silent: Duration,
}

/// A shard that this process counts, until it is dropped.
#[derive(Debug)]
pub(crate) struct Claim {
    path: PathBuf,
    /// Unlocked when it is closed.
    file: File,
    text: String,
}

/// What became of an attempt to claim.
#[derive(Debug)]
pub(crate) enum Attempt {
    /// The shard is ours.
    Ours(Claim),
    /// Another process has it.
    Taken,
    /// Somebody's claim is there and not locked: most likely of a process that is gone. Better count others first.
    Later,
}

/// How to claim.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Manner {
    /// Whether a claim that is left over from somebody is for later.
    pub(crate) leave_leftovers: bool,
    /// A claim of a process that was silent for so long is taken over, locked or not.
    pub(crate) steal_after: Option<Duration>,
}

/// Locks a file, for this process alone or for whoever only looks. Tests put others in its place, that fail as those of
/// some file systems do.
pub(crate) type Lock = fn(&File, Sharing) -> Result<(), TryLockError>;

/// Whom a lock excludes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sharing {
    Alone,
    WithReaders,
}

/// The system's locks.
pub(crate) fn lock(file: &File, sharing: Sharing) -> Result<(), TryLockError> {
    match sharing {
        Sharing::Alone => file.try_lock(),
        Sharing::WithReaders => file.try_lock_shared(),
    }
}

impl Claim {
    /// Claims by this file, unless another process has.
    ///
    /// # Errors
    /// Where the file cannot be made, or is no regular file.
    pub(crate) fn attempt(path: &Path, claimant: &Claimant, manner: Manner, lock: Lock) -> io::Result<Attempt> {
        // Its owner may remove the file between one look and the next.
        for _ in 0..10 {
            match files::create(path) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                other => {
                    let file = other?;
                    return Ok(match lock(&file, Sharing::Alone) {
                        Err(TryLockError::WouldBlock) => Attempt::Taken,
                        // Without locks its name is all that others see.
                        Ok(()) | Err(TryLockError::Error(_)) => Attempt::Ours(Self::sign(path, file, claimant)),
                    });
                }
            }
            if let Some(attempt) = Self::take_over(path, claimant, manner, lock)? {
                return Ok(attempt);
            }
        }
        Ok(Attempt::Taken)
    }

    /// Claims by a file that is there; `None` where it is gone, or made way for a new one.
    fn take_over(path: &Path, claimant: &Claimant, manner: Manner, lock: Lock) -> io::Result<Option<Attempt>> {
        let (file, is_ours_to_write) = match files::open(path, true) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            // Another user's: a lock still tells whether that process is alive.
            Err(error) if error.kind() == ErrorKind::PermissionDenied => match files::open(path, false) {
                Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
                Err(_) => return Ok(Some(Attempt::Taken)),
                Ok(file) => (file, false),
            },
            other => (other?, true),
        };
        let silent = silence(&file);
        // A file without a text was made this moment, or by a process that came no further.
        let is_at_work =
            |there: Option<Claimant>| silent < SILENT_AFTER && there.is_none_or(|there| there.may_be_alive(claimant));
        let is_free = match lock(&file, Sharing::Alone) {
            Err(TryLockError::WouldBlock) => manner.steal_after.is_some_and(|after| silent >= after),
            Err(TryLockError::Error(_)) => !is_at_work(read(&file)),
            Ok(()) if files::names_of(&file)? == 0 => return Ok(None),
            Ok(()) => {
                let there = read(&file);
                if manner.leave_leftovers && there.as_ref().is_some_and(|there| there.number != claimant.number) {
                    return Ok(Some(Attempt::Later));
                }
                !(there.is_some() && is_at_work(there))
            }
        };
        if !is_free {
            return Ok(Some(Attempt::Taken));
        }
        if is_ours_to_write && lock(&file, Sharing::Alone).is_ok() {
            return Ok(Some(Attempt::Ours(Self::sign(path, file, claimant))));
        }
        // A stopped process keeps its lock, on a file that has this name no longer.
        match fs::remove_file(path) {
            Err(error) if error.kind() == ErrorKind::PermissionDenied => Ok(Some(Attempt::Taken)),
            Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
            _ => Ok(None),
        }
    }

    fn sign(path: &Path, file: File, claimant: &Claimant) -> Self {
        let text = serde_json::to_string(claimant).unwrap_or_default() + "\n";
        let claim = Self { path: path.to_owned(), file, text };
        let _ = claim.file.set_len(0);
        claim.beat();
        claim
    }

    /// Says that this process is at work. Nothing depends on it but what others think of it: a full disk will be
    /// noticed where it matters.
    pub(crate) fn beat(&self) {
        let mut file = &self.file;
        let _ = file.rewind().and_then(|()| file.write_all(self.text.as_bytes()));
    }

    /// Gives the claim up for good, such as for a shard whose record is there.
    pub(crate) fn finish(self) {
        let _ = fs::remove_file(&self.path);
    }

    /// Who has claimed by this file, if anybody has and is still there.
    pub(crate) fn held(path: &Path, lock: Lock) -> Option<Held> {
        // A lock on a file of another machine needs it to be open for writing there.
        let file = files::open(path, true).or_else(|_| files::open(path, false)).ok()?;
        let silent = silence(&file);
        match lock(&file, Sharing::WithReaders) {
            Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(_)) if silent < SILENT_AFTER => {}
            _ => return None,
        }
        Some(Held { claimant: read(&file).unwrap_or_default(), silent })
    }
}

/// What a claim says; `None` where it says nothing. Somebody else's text is read as far as ours would go.
fn read(file: &File) -> Option<Claimant> {
    let mut text = String::new();
    let mut file = file;
    let _ = file.rewind().and_then(|()| file.take(MAX_BYTES).read_to_string(&mut text));
    (!text.is_empty()).then(|| serde_json::from_str(&text).unwrap_or_default())
}

/// How long a claim was not written. Clocks that differ by less than [`SILENT_AFTER`] make no difference.
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

    fn no_lock(_: &File, _: Sharing) -> Result<(), TryLockError> {
        Err(TryLockError::Error(ErrorKind::Unsupported.into()))
    }

    /// As on NFS, where each machine knows its own locks alone.
    fn always(_: &File, _: Sharing) -> Result<(), TryLockError> {
        Ok(())
    }

    fn make_silent(path: &Path, time: Duration) {
        let file = File::options().write(true).open(path).unwrap();
        file.set_modified(SystemTime::now() - time).unwrap();
    }

    fn ours(attempt: io::Result<Attempt>) -> Claim {
        match attempt.unwrap() {
            Attempt::Ours(claim) => claim,
            other => panic!("{other:?}"),
        }
    }

    const LEAVE: Manner = Manner { leave_leftovers: true, steal_after: None };
    const ANY: Manner = Manner { leave_leftovers: false, steal_after: None };

    #[test]
    fn a_claim_is_held_until_it_is_dropped_and_its_leftover_is_taken_at_last() {
        let here = tempfile::tempdir().unwrap();
        let path = here.path().join("000003");
        let (a, b) = (claimant("a", 1), claimant("a", 2));
        let claim = ours(Claim::attempt(&path, &a, LEAVE, lock));
        assert_eq!(Claim::held(&path, lock).unwrap().claimant, a);
        assert!(matches!(Claim::attempt(&path, &b, ANY, lock), Ok(Attempt::Taken)));
        drop(claim);
        assert_eq!(Claim::held(&path, lock), None);
        assert!(matches!(Claim::attempt(&path, &b, LEAVE, lock), Ok(Attempt::Later)));
        let claim = ours(Claim::attempt(&path, &b, ANY, lock));
        assert_eq!(Claim::held(&path, lock).unwrap().claimant, b);
        claim.finish();
        assert!(!path.exists());
    }

    /// A stopped process keeps its lock.
    #[test]
    fn a_claim_that_was_silent_for_long_is_taken_over_though_it_is_locked() {
        let here = tempfile::tempdir().unwrap();
        let path = here.path().join("000003");
        let stopped = ours(Claim::attempt(&path, &claimant("a", 1), ANY, lock));
        let b = claimant("b", 2);
        let steal = |seconds| Manner { leave_leftovers: true, steal_after: Some(Duration::from_secs(seconds)) };
        make_silent(&path, Duration::from_secs(500));
        assert!(Claim::held(&path, lock).unwrap().silent >= Duration::from_secs(500));
        assert!(matches!(Claim::attempt(&path, &b, ANY, lock), Ok(Attempt::Taken)));
        assert!(matches!(Claim::attempt(&path, &b, steal(600), lock), Ok(Attempt::Taken)));
        // Who says that it is at work keeps it.
        stopped.beat();
        assert!(matches!(Claim::attempt(&path, &b, steal(400), lock), Ok(Attempt::Taken)));
        make_silent(&path, Duration::from_secs(500));
        let claim = ours(Claim::attempt(&path, &b, steal(400), lock));
        assert_eq!(Claim::held(&path, lock).unwrap().claimant, b);
        // The stopped one goes on after all, and what it says is not heard any more.
        stopped.beat();
        assert_eq!(Claim::held(&path, lock).unwrap().claimant, b);
        claim.finish();
    }

    #[test]
    fn without_locks_a_claim_holds_as_long_as_it_is_written() {
        let here = tempfile::tempdir().unwrap();
        let (a, b) = (claimant("a", 1), claimant("b", 2));
        for lock in [no_lock as Lock, always] {
            let path = here.path().join("000003");
            let claim = ours(Claim::attempt(&path, &a, LEAVE, lock));
            assert!(matches!(Claim::attempt(&path, &b, ANY, lock), Ok(Attempt::Taken)));
            make_silent(&path, SILENT_AFTER);
            let other = ours(Claim::attempt(&path, &b, ANY, lock));
            assert!(matches!(Claim::attempt(&path, &a, LEAVE, lock), Ok(Attempt::Taken | Attempt::Later)));
            drop(claim);
            other.finish();
        }
    }

    #[cfg(unix)]
    #[test]
    fn no_claim_leads_to_another_file() {
        let here = tempfile::tempdir().unwrap();
        let precious = here.path().join("precious");
        for (name, link) in [
            ("symbolic", (|from, to| std::os::unix::fs::symlink(from, to)) as fn(&Path, &Path) -> io::Result<()>),
            ("hard", |from, to| fs::hard_link(from, to)),
        ] {
            fs::write(&precious, "text").unwrap();
            let path = here.path().join(name);
            link(&precious, &path).unwrap();
            let error = Claim::attempt(&path, &claimant("a", 1), ANY, lock).unwrap_err();
            assert!(error.to_string().contains("no regular file with one name"), "{error}");
            assert_eq!(Claim::held(&path, lock), None);
            fs::remove_file(path).unwrap();
            assert_eq!(fs::read_to_string(&precious).unwrap(), "text");
        }
    }
}
