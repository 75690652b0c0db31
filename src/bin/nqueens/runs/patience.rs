//! Patience with a file system that fails for a while, such as a full disk or a server that does not answer.

use std::io::ErrorKind::{self, *};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::terminal::escape::terminal;
use crate::terminal::say;
use crate::terminal::units::in_words;

/// Pauses between attempts: the first, which doubles each time, and the longest.
const PAUSES: [Duration; 2] = [Duration::from_millis(100), Duration::from_secs(60)];

/// The interval of looking whether a pause is over.
const LOOK: Duration = Duration::from_millis(20);

/// After this time without success, the error is final.
const LONGEST: Duration = Duration::from_secs(3600);

/// Errors that do not pass by themselves. Any other may: an I/O error, a stale file handle, a full disk, a quota, too
/// many open files, a network that is down.
const LASTING: [ErrorKind; 12] = [
    NotFound,
    PermissionDenied,
    AlreadyExists,
    InvalidData,
    InvalidInput,
    NotADirectory,
    IsADirectory,
    ReadOnlyFilesystem,
    FileTooLarge,
    CrossesDevices,
    InvalidFilename,
    Unsupported,
];

/// Decides when to try again.
#[derive(Debug, Default)]
pub(crate) struct Patience {
    /// The failure that began and has not ended.
    outage: Option<Outage>,
}

#[derive(Debug)]
struct Outage {
    since: Instant,
    /// The next attempt.
    next: Instant,
    /// The pause after that attempt.
    pause: Duration,
}

impl Patience {
    /// Whether an attempt should be made now.
    pub(crate) fn is_time(&self) -> bool {
        self.outage.as_ref().is_none_or(|outage| Instant::now() >= outage.next)
    }

    /// Notes that an attempt succeeded, and says so if others failed before.
    pub(crate) fn succeeded(&mut self) {
        if let Some(Outage { since, .. }) = self.outage.take() {
            say("nqueens", &format!("the file system works again, after {}", in_words(since.elapsed().as_secs_f64())));
        }
    }

    /// Notes that an attempt failed. Says so if it is the first.
    ///
    /// # Errors
    /// The error itself, if it is none of the file system, if it does not pass by itself, or after [`LONGEST`].
    pub(crate) fn failed(&mut self, error: anyhow::Error) -> anyhow::Result<()> {
        let kind = error.chain().find_map(|cause| cause.downcast_ref::<std::io::Error>()).map(std::io::Error::kind);
        if kind.is_none_or(|kind| LASTING.contains(&kind)) {
            return Err(error);
        }
        let now = Instant::now();
        let outage = self.outage.get_or_insert_with(|| {
            // Also with `--quiet`, because it is an error.
            say("nqueens", &format!("{}; trying again for up to an hour", terminal(&format!("{error:#}"))));
            Outage { since: now, next: now, pause: PAUSES[0] }
        });
        if now.duration_since(outage.since) >= LONGEST {
            return Err(error.context("tried again for an hour"));
        }
        // Attempts of several threads may fail together.
        if now >= outage.next {
            outage.next = now + outage.pause;
            outage.pause = (2 * outage.pause).min(PAUSES[1]);
        }
        Ok(())
    }

    /// Waits until the next attempt, or until `is_stopped`.
    pub(crate) fn wait(&self, is_stopped: impl Fn() -> bool) {
        wait_until(|| self.is_time() || is_stopped());
    }
}

/// Waits until `is_over`, which is asked every few milliseconds.
pub(crate) fn wait_until(is_over: impl Fn() -> bool) {
    while !is_over() {
        sleep(LOOK);
    }
}

/// Does work that may be repeated, until the file system lets it succeed. After a stop, there is one more attempt.
pub(crate) fn patiently<T>(
    is_stopped: impl Fn() -> bool,
    mut work: impl FnMut() -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    let mut patience = Patience::default();
    loop {
        let is_last = is_stopped();
        match work() {
            Ok(done) => {
                patience.succeeded();
                return Ok(done);
            }
            Err(error) if is_last => return Err(error),
            Err(error) => patience.failed(error)?,
        }
        patience.wait(&is_stopped);
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::io;

    use super::*;

    fn error(kind: ErrorKind) -> anyhow::Error {
        anyhow::Error::from(io::Error::from(kind)).context("cannot write here")
    }

    #[test]
    fn what_may_pass_is_tried_again_and_what_lasts_is_not() {
        for kind in [StorageFull, QuotaExceeded, StaleNetworkFileHandle, TimedOut, Other] {
            let mut left = 3;
            let work = || {
                left -= 1;
                if left > 0 { Err(error(kind)) } else { Ok(left) }
            };
            assert_eq!(patiently(|| false, work).unwrap(), 0, "{kind}");
        }
        for kind in LASTING {
            assert!(Patience::default().failed(error(kind)).is_err(), "{kind}");
        }
        assert!(Patience::default().failed(anyhow::anyhow!("not of the file system")).is_err());
    }

    #[test]
    fn pauses_grow_and_end_after_an_hour() {
        let mut patience = Patience::default();
        let mut pauses = Vec::new();
        for _ in 0..12 {
            patience.failed(error(StorageFull)).unwrap();
            assert!(!patience.is_time());
            // As if the pause were over.
            let outage = patience.outage.as_mut().unwrap();
            pauses.push(outage.pause);
            outage.next = Instant::now();
        }
        assert!(pauses[0] == 2 * PAUSES[0] && pauses.is_sorted() && pauses[11] == PAUSES[1], "{pauses:?}");
        // Not every clock was there an hour ago.
        let Some(long_ago) = Instant::now().checked_sub(LONGEST) else { return };
        patience.outage.as_mut().unwrap().since = long_ago;
        let last = format!("{:#}", patience.failed(error(StorageFull)).unwrap_err());
        assert!(last.starts_with("tried again for an hour: cannot write here: "), "{last}");
    }

    #[test]
    fn a_stop_ends_the_pauses_after_one_more_attempt() {
        let attempts = Cell::new(0);
        let work = || -> anyhow::Result<()> {
            attempts.set(attempts.get() + 1);
            Err(error(TimedOut))
        };
        // The stop comes during the second attempt.
        assert!(patiently(|| attempts.get() >= 2, work).is_err());
        assert_eq!(attempts.get(), 3);
    }
}
