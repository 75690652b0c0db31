//! Patience with a file system that fails for a while, such as a full disk or a server that does not answer.

use std::io::ErrorKind::{self, *};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::exit::Fault;
use crate::terminal::say;
use crate::terminal::units::in_words;

/// Pauses between attempts: the first, which doubles each time, and the longest.
const PAUSES: [Duration; 2] = [Duration::from_millis(100), Duration::from_secs(60)];

/// When all pauses took this time without success, the error is final.
const LONGEST: Duration = Duration::from_secs(3600);

/// The interval of looking for a stop during a pause.
const LOOK: Duration = Duration::from_millis(20);

/// Errors that do not pass by themselves. Any other may: an I/O error, a stale file handle, a full disk, a quota, too
/// many open files, a network that is down, a file system that is not mounted for a while.
const LASTING: [ErrorKind; 9] = [
    AlreadyExists,
    InvalidData,
    InvalidInput,
    NotADirectory,
    IsADirectory,
    FileTooLarge,
    CrossesDevices,
    InvalidFilename,
    Unsupported,
];

/// Errors that are those of a wrong name or right before the run was there. Later they pass, too: tickets of a whole cluster
/// expire together, and a server exports its files again.
const LASTING_AT_START: [ErrorKind; 3] = [NotFound, PermissionDenied, ReadOnlyFilesystem];

/// Does work that may be repeated, until the file system lets it succeed. Says once that it fails, and that it works
/// again. After a stop, there is one more attempt.
///
/// # Errors
/// The last error of the work: if it is none of the file system, if it does not pass by itself, or after a stop. After
/// an hour, [`Fault::TimeUp`].
pub(crate) fn retry<T>(is_stopped: impl Fn() -> bool, work: impl FnMut() -> anyhow::Result<T>) -> anyhow::Result<T> {
    with_pauses(pauses(), |kind| LASTING.contains(&kind), is_stopped, work)
}

/// Like [`retry`], before anything was counted.
pub(crate) fn retry_at_start<T>(
    is_stopped: impl Fn() -> bool,
    work: impl FnMut() -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    with_pauses(pauses(), |kind| LASTING_AT_START.contains(&kind) || LASTING.contains(&kind), is_stopped, work)
}

/// The pauses between attempts. Their sum is [`LONGEST`], up to the last of them.
fn pauses() -> impl Iterator<Item = Duration> {
    let doubled = std::iter::successors(Some(PAUSES[0]), |&pause| Some((2 * pause).min(PAUSES[1])));
    doubled.scan(Duration::ZERO, |sum, pause| {
        *sum += pause;
        (*sum - pause < LONGEST).then_some(pause)
    })
}

fn with_pauses<T>(
    mut pauses: impl Iterator<Item = Duration>,
    lasts: impl Fn(ErrorKind) -> bool,
    is_stopped: impl Fn() -> bool,
    mut work: impl FnMut() -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    let mut failed_since: Option<Instant> = None;
    loop {
        let is_last = is_stopped();
        let error = match (work(), failed_since) {
            (Ok(done), None) => return Ok(done),
            (Ok(done), Some(since)) => {
                let seconds = since.elapsed().as_secs_f64();
                say("nqueens", &format!("the file system works again, after {}", in_words(seconds)));
                return Ok(done);
            }
            (Err(error), _) => error,
        };
        let kind = error.chain().find_map(|cause| cause.downcast_ref::<std::io::Error>()).map(std::io::Error::kind);
        if is_last || kind.is_none_or(&lasts) {
            return Err(error);
        }
        let Some(pause) = pauses.next() else {
            return Err(
                Fault::TimeUp.error(format!("tried again for an hour: {error:#}; start the same command again"))
            );
        };
        failed_since.get_or_insert_with(|| {
            // Also with `--quiet`, because it is an error.
            say("nqueens", &format!("{error:#}; trying again for up to an hour"));
            Instant::now()
        });
        wait(pause, &is_stopped);
    }
}

/// Waits for this time, or until a stop, for which it looks every few milliseconds.
pub(crate) fn wait(time: Duration, is_stopped: impl Fn() -> bool) {
    let end = Instant::now() + time;
    while Instant::now() < end && !is_stopped() {
        sleep(LOOK.min(end.saturating_duration_since(Instant::now())));
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
        for kind in [
            StorageFull,
            QuotaExceeded,
            StaleNetworkFileHandle,
            TimedOut,
            NotFound,
            PermissionDenied,
            ReadOnlyFilesystem,
            Other,
        ] {
            let mut left = 3;
            let work = || {
                left -= 1;
                if left > 0 { Err(error(kind)) } else { Ok(left) }
            };
            assert_eq!(retry(|| false, work).unwrap(), 0, "{kind}");
        }
        let attempts_of = |mut error: Box<dyn FnMut() -> anyhow::Error>| {
            let mut attempts = 0;
            let work = || -> anyhow::Result<()> {
                attempts += 1;
                Err(error())
            };
            retry(|| false, work).unwrap_err();
            attempts
        };
        for kind in LASTING {
            assert_eq!(attempts_of(Box::new(move || error(kind))), 1, "{kind}");
        }
        assert_eq!(attempts_of(Box::new(|| anyhow::anyhow!("not of the file system"))), 1);
        for kind in LASTING_AT_START {
            let at_start = || -> anyhow::Result<()> { Err(error(kind)) };
            assert_eq!(retry_at_start(|| false, at_start).unwrap_err().to_string(), "cannot write here");
        }
    }

    #[test]
    fn pauses_grow_and_end_after_an_hour() {
        let all: Vec<Duration> = pauses().collect();
        assert!(all[..2] == [PAUSES[0], 2 * PAUSES[0]] && all.is_sorted() && all.last() == Some(&PAUSES[1]), "{all:?}");
        let sum: Duration = all.iter().sum();
        assert!(sum >= LONGEST && sum < LONGEST + PAUSES[1], "{sum:?}");
        let short = [Duration::ZERO; 3].into_iter();
        let last =
            with_pauses(short, |_| false, || false, || -> anyhow::Result<()> { Err(error(StorageFull)) }).unwrap_err();
        assert!(format!("{last:#}").starts_with("tried again for an hour: cannot write here: "), "{last:#}");
        assert_eq!(Fault::of(&last), Fault::TimeUp);
    }

    #[test]
    fn a_stop_ends_the_pauses_after_one_more_attempt() {
        let attempts = Cell::new(0);
        let work = || -> anyhow::Result<()> {
            attempts.set(attempts.get() + 1);
            Err(error(TimedOut))
        };
        // The stop comes during the second attempt.
        assert!(retry(|| attempts.get() >= 2, work).is_err());
        assert_eq!(attempts.get(), 3);
    }
}
