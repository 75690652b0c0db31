//! Claims: locks that show which process is counting which shard.
//!
//! A claim is a lock on a file such as `000003`, whose text names the process. The system releases the lock when the
//! process ends, even if it is killed. Where locks do not work, shards are counted without claims, some of them twice.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{Read, Write};
#[cfg(unix)]
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::terminal::files::open_regular;

/// The number of tries while a reader holds a shared lock. `status` holds one for microseconds.
const TRIES: usize = 20;

/// The pause between two tries.
const PAUSE: Duration = Duration::from_millis(5);

/// The maximum number of bytes that are read from a claim.
const MAX_CLAIM_BYTES: u64 = 10_000;

/// The first bytes of a claim.
const CLAIM_START: &[u8] = br#"{"shard":"#;

/// A process and the shard that it claims. All fields but the shard are empty if the text cannot be read, as on
/// Windows.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Claimant {
    pub(crate) shard: usize,
    /// When the process claimed the shard.
    pub(crate) since: String,
    /// The number of threads of the process.
    pub(crate) threads: u16,
    /// The machine's name.
    pub(crate) machine: String,
    /// The process ID on that machine, which is often 1 in containers.
    pub(crate) process: u32,
    /// A random number, which distinguishes processes in containers of the same name.
    pub(crate) number: u32,
}

/// The result of an attempt to claim a shard.
#[derive(Debug)]
pub(crate) enum Claim {
    /// This process holds the lock until the file is closed.
    Locked(PathBuf, File),
    /// The shard is counted without a lock: locks do not work here, the file cannot be opened or is no claim, or a
    /// reader, such as a backup, holds it for long.
    Unlocked,
    /// Another process holds the lock.
    Taken,
}

impl Claim {
    /// Tries to lock the file of the claimant's shard. The shared lock of a reader, such as a backup, is not a claim,
    /// so this waits for it, but not for long.
    pub(crate) fn attempt(folder: &Path, claimant: &Claimant) -> Self {
        let path = file_of(folder, claimant.shard);
        let mut options = OpenOptions::new();
        // In a folder that others can write, a link could lead to any file of this user.
        #[cfg(unix)]
        options.custom_flags(nix::libc::O_NOFOLLOW);
        // Another user's file may be read-only.
        let opened = options.read(true).append(true).create(true).open(&path).or_else(|_| open_regular(&path));
        let Ok(mut file) = opened else { return Self::Unlocked };
        for _ in 0..TRIES {
            match file.try_lock() {
                Ok(()) if !is_claim(&file) => return Self::Unlocked,
                Ok(()) => {
                    // Errors do not matter here, because only `status` reads the text.
                    let json = serde_json::to_string(claimant).unwrap_or_default();
                    let _ = file.set_len(0).and_then(|()| file.write_all(json.as_bytes()));
                    // If this process is killed, another user may claim the shard, and then replaces the text.
                    #[cfg(unix)]
                    let _ = share(&file, folder);
                    return Self::Locked(path, file);
                }
                Err(TryLockError::Error(_)) => return Self::Unlocked,
                // If a shared lock is granted, the other lock is a reader's, and not a claim.
                Err(TryLockError::WouldBlock) if file.try_lock_shared().is_err() => return Self::Taken,
                Err(TryLockError::WouldBlock) => {}
            }
            let _ = file.unlock();
            thread::sleep(PAUSE);
        }
        Self::Unlocked
    }

    /// Removes the file of a claim. Call it only once the shard has a line in a log: a process that opened the file
    /// earlier, and locks it only after this, then finds the line.
    pub(crate) fn finish(self) {
        if let Self::Locked(path, _file) = self {
            let _ = fs::remove_file(path);
        }
    }

    /// Returns the process that holds the lock of a shard, or `None` if no process does.
    pub(crate) fn held(folder: &Path, shard: usize) -> Option<Claimant> {
        // A shared lock keeps out no other reader, and a process whose claim fails in the meantime tries again.
        let file = open_regular(&file_of(folder, shard)).ok()?;
        let Err(TryLockError::WouldBlock) = file.try_lock_shared() else { return None };
        let mut json = Vec::new();
        let _ = file.take(MAX_CLAIM_BYTES).read_to_end(&mut json);
        Some(Claimant { shard, ..serde_json::from_slice(&json).unwrap_or_default() })
    }
}

/// Returns whether a file is a claim, which may be empty or cut short, or zeros after a power failure. Nothing else is
/// overwritten or removed, because somebody may have linked to it.
fn is_claim(file: &File) -> bool {
    let mut start = Vec::new();
    file.take(CLAIM_START.len() as u64).read_to_end(&mut start).is_ok()
        && (CLAIM_START.starts_with(&start) || start.iter().all(|&byte| byte == 0))
}

/// Permits whoever may write to a folder to write a file in it, unless they belong to different groups.
#[cfg(unix)]
fn share(file: &File, folder: &Path) -> std::io::Result<()> {
    let folder = folder.metadata()?;
    if file.metadata()?.gid() == folder.gid() {
        file.set_permissions(fs::Permissions::from_mode(folder.permissions().mode() & 0o666))?;
    }
    Ok(())
}

/// Returns the path of the file that is locked while a shard is counted.
fn file_of(folder: &Path, shard: usize) -> PathBuf {
    folder.join(format!("{shard:06}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Trap: in a folder that others can write, a claim may be a link to any file of the user.
    #[test]
    #[cfg(unix)]
    fn nothing_is_written_through_a_link() {
        let here = tempfile::tempdir().unwrap();
        let other = |name| here.path().join(name);
        fs::write(other("thesis"), "a").unwrap();
        for (shard, name) in (0..).zip(["thesis", "new"]) {
            std::os::unix::fs::symlink(name, file_of(here.path(), shard)).unwrap();
            Claim::attempt(here.path(), &Claimant { shard, ..Claimant::default() }).finish();
        }
        assert_eq!(fs::read_to_string(other("thesis")).unwrap(), "a");
        assert!(!other("new").exists());
        // The folder or the file itself may be a link that looks like none.
        fs::hard_link(other("thesis"), file_of(here.path(), 2)).unwrap();
        let claim = Claim::attempt(here.path(), &Claimant { shard: 2, ..Claimant::default() });
        assert!(matches!(claim, Claim::Unlocked));
        assert_eq!(fs::read_to_string(other("thesis")).unwrap(), "a");
    }

    #[test]
    #[cfg(unix)]
    fn whoever_may_write_to_the_folder_may_write_a_claim() {
        let here = tempfile::tempdir().unwrap();
        for mode in [0o755, 0o775] {
            fs::set_permissions(here.path(), fs::Permissions::from_mode(mode)).unwrap();
            let claim = Claim::attempt(here.path(), &Claimant::default());
            let file = file_of(here.path(), 0).metadata().unwrap();
            assert_eq!(file.permissions().mode() & 0o777, mode & 0o666);
            claim.finish();
        }
    }

    #[test]
    fn whoever_only_reads_a_claim_holds_up_nobody() {
        let here = tempfile::tempdir().unwrap();
        let here = here.path();
        let claimant = Claimant { shard: 3, machine: "box".to_owned(), ..Claimant::default() };
        let attempt = || Claim::attempt(here, &claimant);
        drop(attempt());
        let reader = File::open(here.join("000003")).unwrap();
        reader.lock_shared().unwrap();
        assert_eq!(Claim::held(here, 3), None);
        let claim = attempt();
        assert!(matches!(claim, Claim::Unlocked));
        claim.finish();
        assert!(here.join("000003").exists());
        drop(reader);
        let claim = attempt();
        assert!(matches!(claim, Claim::Locked(..)));
        assert_eq!(Claim::held(here, 3), Some(claimant.clone()));
        assert!(matches!(attempt(), Claim::Taken));
        claim.finish();
        assert_eq!(Claim::held(here, 3), None);
    }
}
