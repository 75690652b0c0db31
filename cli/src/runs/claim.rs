//! Claims: they say which process is counting which shard.
//!
//! A claim is a lock on an empty file, such as `000003`. The system releases the lock when the process ends, even if the
//! process is killed. A second file, `000003.json`, names the process: on Windows nobody can read a locked file. If
//! locks do not work, there are no claims, and processes count some shards twice.
//!
//! Other people's files may have such names. So nothing is changed or removed that is neither empty nor a claimant's
//! text.

use std::fs::{File, TryLockError};
use std::io::{Read, Seek, Write};
use std::thread;
use std::time::{Duration, SystemTime};

use nqueens::engine::MAX_THREADS;
use serde::{Deserialize, Serialize};

use super::files::Folder;

/// The largest text of a claimant. The name of a machine has at most 253 characters.
const MAX_BYTES: u64 = 4 << 10;

/// How often to try again if somebody only reads, such as `run status`, which holds its lock for microseconds.
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
    /// The folder, and the names of the claim's files that may be removed.
    files: Option<(Folder, Vec<String>)>,
    /// Closing it releases the lock.
    _lock: Option<File>,
}

impl Claim {
    /// No lock: the shard is counted without one.
    pub(crate) fn none() -> Self {
        Self { files: None, _lock: None }
    }

    /// Locks the file of a shard. `None` if another process holds the lock. If there can be no lock, the shard is counted
    /// without one.
    pub(crate) fn attempt(folder: Option<Folder>, shard: usize, claimant: &Claimant) -> Option<Self> {
        let (without, name) = (Self::none(), lock_of(shard));
        let Some(folder) = folder else { return Some(without) };
        let Some((lock, _)) = open(&folder, &name, true) else { return Some(without) };
        if !lock_alone(&lock)? {
            return Some(without);
        }
        let mut names = vec![name.clone()];
        // Only `run status` reads the text. If the disk is full, writing the record will report it.
        if let Some((mut file, _)) = open(&folder, &text_of(&name), true) {
            let text = serde_json::to_string(claimant).unwrap_or_default() + "\n";
            let _ = file.set_len(0).and_then(|()| file.rewind()).and_then(|()| file.write_all(text.as_bytes()));
            names.push(text_of(&name));
        }
        Some(Self { files: Some((folder, names)), _lock: Some(lock) })
    }

    /// Removes the files of the claim. Only for a shard that has a record: whoever has opened the lock, and locks it
    /// now, finds the record.
    pub(crate) fn finish(self) {
        if let Some((folder, names)) = &self.files {
            names.iter().for_each(|name| _ = folder.remove(name));
        }
    }

    /// Returns the process that holds the lock of a shard, if any.
    pub(crate) fn held(folder: &Folder, shard: usize) -> Option<RunningClaim> {
        let name = lock_of(shard);
        // Others can look at the same time, and a process that claims the shard tries again.
        let Err(TryLockError::WouldBlock) = open(folder, &name, false)?.0.try_lock_shared() else { return None };
        let text = open(folder, &text_of(&name), false);
        let claimant = text.and_then(|(_, text)| serde_json::from_slice(&text).ok());
        let mut claimant: Claimant = claimant.unwrap_or_default();
        claimant.threads = claimant.threads.min(MAX_THREADS);
        let since = humantime::parse_rfc3339(&claimant.since).ok();
        let age = since.and_then(|since| SystemTime::now().duration_since(since).ok());
        Some(RunningClaim { shard, claimant, seconds: age.unwrap_or_default().as_secs() })
    }
}

/// The file that is locked while a shard is counted.
fn lock_of(shard: usize) -> String {
    format!("{shard:06}")
}

/// The file that says who holds a lock.
fn text_of(name: &str) -> String {
    format!("{name}.json")
}

/// Opens a file of a claim, and reads its text. `None` if it cannot be opened, or is none: it is neither empty nor a
/// claimant's text.
fn open(folder: &Folder, name: &str, create: bool) -> Option<(File, Vec<u8>)> {
    let file = folder.open_alone(name, create).ok()?;
    let mut text = Vec::new();
    // Where locks keep others from reading, a file that another process has locked cannot be read.
    let _ = (&file).take(MAX_BYTES).read_to_end(&mut text);
    let is_empty = file.metadata().is_ok_and(|metadata| metadata.len() == 0);
    let is_claim = is_empty || serde_json::from_slice::<Claimant>(&text).is_ok();
    is_claim.then_some((file, text))
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
    use std::fs;
    use std::path::Path;

    use super::*;

    fn attempt(here: &Path, machine: &str) -> Option<Claim> {
        let claimant = Claimant { machine: machine.to_owned(), threads: usize::MAX, ..Claimant::default() };
        Claim::attempt(Folder::of_run(here).ok(), 3, &claimant)
    }

    fn held(here: &Path) -> Option<String> {
        let claimant = Claim::held(&Folder::of_run(here).unwrap(), 3)?.claimant;
        assert!(claimant.threads <= MAX_THREADS);
        Some(claimant.machine)
    }

    #[test]
    fn a_claim_is_held_until_it_is_dropped() {
        let here = tempfile::tempdir().unwrap();
        let here = here.path();
        let claim = attempt(here, "the first").unwrap();
        assert_eq!(held(here).unwrap(), "the first");
        assert!(attempt(here, "another").is_none());
        drop(claim);
        assert_eq!(held(here), None);
        let claim = attempt(here, "another").unwrap();
        assert_eq!(held(here).unwrap(), "another");
        claim.finish();
        assert_eq!(fs::read_dir(here).unwrap().count(), 0);
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

    #[test]
    fn other_peoples_files_stay_as_they_are() {
        let here = tempfile::tempdir().unwrap();
        let here = here.path();
        for (name, text) in [("000003", "a letter"), ("000003", "{}"), ("000003.json", "{\"since\":1}")] {
            fs::write(here.join(name), text).unwrap();
            let claim = attempt(here, "box").unwrap();
            assert_eq!(held(here).is_some(), name != "000003");
            claim.finish();
            assert_eq!(fs::read_to_string(here.join(name)).unwrap(), text);
            // Not even a lock makes it a claim.
            let file = File::open(here.join(name)).unwrap();
            file.lock().unwrap();
            assert_eq!(held(here), None);
            fs::remove_file(here.join(name)).unwrap();
        }
    }

    /// One thread exchanges a claim and a link, or another name, of a precious file, while others claim the shard.
    #[test]
    #[cfg(unix)]
    fn no_race_leads_to_a_file_elsewhere() {
        let (here, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (here, precious) = (here.path(), elsewhere.path().join("precious"));
        fs::write(&precious, "a letter").unwrap();
        let is_over = std::sync::atomic::AtomicBool::new(false);
        let (mut with, mut without) = (0, 0);
        thread::scope(|scope| {
            scope.spawn(|| {
                let bait = elsewhere.path().join("bait");
                for round in 0.. {
                    for name in ["000003", "000003.json"] {
                        match round % 4 {
                            0 => std::os::unix::fs::symlink(&precious, &bait).unwrap(),
                            2 => fs::hard_link(&precious, &bait).unwrap(),
                            _ => fs::write(&bait, "").unwrap(),
                        }
                        fs::rename(&bait, here.join(name)).unwrap();
                    }
                    if is_over.load(std::sync::atomic::Ordering::Relaxed) {
                        break;
                    }
                }
            });
            while (with < 300 || without < 300) && with + without < 1_000_000 {
                let claim = attempt(here, "box");
                let is_file = claim.as_ref().is_some_and(|claim| claim.files.is_some());
                *(if is_file { &mut with } else { &mut without }) += 1;
                let _ = held(here);
            }
            is_over.store(true, std::sync::atomic::Ordering::Relaxed);
        });
        assert!(with >= 300 && without >= 300, "{with} {without}");
        assert_eq!(fs::read_to_string(&precious).unwrap(), "a letter");
    }
}
