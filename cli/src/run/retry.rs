//! Retries work while the file system fails, for example because a disk is full or a server does not answer.

use std::io::{self, ErrorKind::*};
use std::time::{Duration, Instant};

use super::folder::IncompletePlan;
use crate::exit;
use crate::machine::advice_on_limit;
use crate::terminal::durations::in_words;
use crate::terminal::say;
use crate::terminal::stop::Stop;

/// The first and the longest pause between two attempts. Pauses double.
const PAUSES: [Duration; 2] = [Duration::from_millis(100), Duration::from_secs(60)];

/// How long work is retried after an error that is not final.
#[derive(Debug, Clone, Copy)]
struct Limit {
    time: Duration,
    words: &'static str,
}

/// Another process may still be writing the plan.
const MOMENT: Limit = Limit { time: Duration::from_secs(10), words: "ten seconds" };

/// The file system may work again.
const HOUR: Limit = Limit { time: Duration::from_secs(3600), words: "an hour" };

/// Returns how long work is retried after an error at the start, when nothing has been counted yet. Only errors that
/// are known to be temporary are worth retrying, because others come from a wrong name, a missing permission, or a
/// folder that is not a run.
fn limit_at_start(error: &anyhow::Error) -> Option<Limit> {
    if error.is::<IncompletePlan>() {
        return Some(MOMENT);
    }
    let error = io_error(error)?;
    let is_temporary = match error.kind() {
        StorageFull | QuotaExceeded | StaleNetworkFileHandle | TimedOut | NotConnected => true,
        HostUnreachable | NetworkUnreachable | NetworkDown => true,
        ConnectionRefused | ConnectionReset | ConnectionAborted => true,
        ResourceBusy | WouldBlock | Interrupted => true,
        // The error of a server that does not answer has no stable kind.
        #[cfg(unix)]
        _ => error.raw_os_error() == Some(nix::libc::EIO),
        #[cfg(not(unix))]
        _ => false,
    };
    is_temporary.then_some(HOUR)
}

/// Returns how long work is retried after an error once the process has counted. Missing names and permissions may come
/// back, for example when the expired tickets of a cluster are renewed or a server exports its files again. A limit on
/// this process stays as it is.
fn limit_later(error: &anyhow::Error) -> Option<Limit> {
    io_error(error).filter(|error| advice_on_limit(error).is_none()).map(|_| HOUR)
}

/// Returns the error of the file system that caused an error.
fn io_error(error: &anyhow::Error) -> Option<&io::Error> {
    error.chain().find_map(|cause| cause.downcast_ref())
}

/// Repeats work until the file system lets it succeed. Reports the first failure, then that it lasts, and at last that
/// the file system works again. After a stop, there is one more attempt.
///
/// # Errors
/// The error of the work, if it does not come from the file system or is not temporary; [`exit::Kind::GaveUp`] after a
/// stop or an hour.
pub(crate) fn retry<T>(stop: &Stop, work: impl FnMut() -> anyhow::Result<T>) -> anyhow::Result<T> {
    retry_within(stop, limit_later, work)
}

/// Repeats work like [`retry`], but only after errors that are known to be temporary. Use it for work that precedes the
/// counting.
pub(crate) fn retry_at_start<T>(stop: &Stop, work: impl FnMut() -> anyhow::Result<T>) -> anyhow::Result<T> {
    retry_within(stop, limit_at_start, work)
}

fn retry_within<T>(
    stop: &Stop,
    limit_after: fn(&anyhow::Error) -> Option<Limit>,
    mut work: impl FnMut() -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    let mut failed_since: Option<Instant> = None;
    let mut pause = PAUSES[0];
    loop {
        let is_last = stop.has_come();
        let error = match work() {
            Ok(done) => {
                if let Some(since) = failed_since {
                    let seconds = since.elapsed().as_secs_f64();
                    say(format_args!("the file system works again, after {}", in_words(seconds)));
                }
                return Ok(done);
            }
            Err(error) => error,
        };
        let Some(Limit { time, words }) = limit_after(&error) else { return Err(error) };
        if is_last {
            let message = format!("stopped: {error:#}");
            return Err(give_up(error, message));
        }
        // `--quiet` does not suppress these texts, because they are about errors.
        match failed_since.map(|since| since.elapsed()) {
            None => {
                say(format_args!("{error:#}; trying again for up to {words}"));
                failed_since = Some(Instant::now());
            }
            Some(failing) if failing >= time => {
                let message = format!("tried again for {words}: {error:#}; start the same command again");
                return Err(give_up(error, message));
            }
            // The progress, which is shown as often, would otherwise look as if all were well.
            Some(failing) if pause == PAUSES[1] => {
                let left = in_words((time - failing).as_secs_f64());
                let failing = in_words(failing.as_secs_f64());
                say(format_args!("still failing after {failing}: {error:#}; trying again for another {left}"));
            }
            Some(_) => {}
        }
        stop.wait(pause);
        pause = (2 * pause).min(PAUSES[1]);
    }
}

/// Returns the error of work that is not tried again. Nobody can tell a damaged plan from one that is being written,
/// and with the status of `GaveUp` a scheduler would start the command for a damaged one for ever.
fn give_up(error: anyhow::Error, message: String) -> anyhow::Error {
    if error.is::<IncompletePlan>() { error } else { exit::Kind::GaveUp.error(message) }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::io::ErrorKind;

    use super::*;

    fn error(kind: ErrorKind) -> anyhow::Error {
        anyhow::Error::from(io::Error::from(kind)).context("cannot write here")
    }

    #[test]
    fn what_may_pass_is_tried_again_and_what_lasts_is_not() {
        for kind in [StorageFull, StaleNetworkFileHandle, TimedOut, NotFound, PermissionDenied, UnexpectedEof, Other] {
            let mut left = 3;
            let work = || {
                left -= 1;
                if left > 0 { Err(error(kind)) } else { Ok(left) }
            };
            assert_eq!(retry(&Stop::default(), work).unwrap(), 0, "{kind}");
        }
        let mut attempts = 0;
        let work = || -> anyhow::Result<()> {
            attempts += 1;
            anyhow::bail!("not of the file system")
        };
        retry(&Stop::default(), work).unwrap_err();
        assert_eq!(attempts, 1);
        // At the start, most kinds are final, including kinds without a stable name, such as the error of a link to
        // itself.
        for kind in [NotFound, PermissionDenied, ReadOnlyFilesystem, InvalidFilename, AlreadyExists, Other] {
            let at_start = || -> anyhow::Result<()> { Err(error(kind)) };
            assert_eq!(retry_at_start(&Stop::default(), at_start).unwrap_err().to_string(), "cannot write here");
        }
        // Another process may still be writing the plan, but not for longer than a moment.
        let incomplete = || -> anyhow::Result<()> { Err(IncompletePlan("cut short".to_owned()).into()) };
        let soon = |error: &anyhow::Error| {
            assert_eq!(limit_at_start(error).unwrap().time, MOMENT.time);
            Some(Limit { time: Duration::from_millis(1), ..MOMENT })
        };
        let last = retry_within(&Stop::default(), soon, incomplete).unwrap_err();
        assert_eq!((last.to_string().as_str(), exit::Kind::of(&last)), ("cut short", exit::Kind::Failure));
        // The same holds if a stop ends that moment early.
        let stop = Stop { deadline: Some(Instant::now()), ..Stop::default() };
        let last = retry_within(&stop, limit_at_start, incomplete).unwrap_err();
        assert_eq!((last.to_string().as_str(), exit::Kind::of(&last)), ("cut short", exit::Kind::Failure));
        // Waiting does not raise the limits on open files and on the size of files.
        let too_large = || -> anyhow::Result<()> { Err(error(FileTooLarge)) };
        assert_eq!(retry(&Stop::default(), too_large).unwrap_err().to_string(), "cannot write here");
        #[cfg(unix)]
        retry(&Stop::default(), || -> anyhow::Result<()> {
            Err(io::Error::from_raw_os_error(nix::libc::EMFILE).into())
        })
        .unwrap_err();
    }

    #[test]
    fn patience_ends_and_a_stop_ends_it_after_one_more_attempt() {
        let attempts = Cell::new(0);
        let work = || -> anyhow::Result<()> {
            attempts.set(attempts.get() + 1);
            Err(error(StorageFull))
        };
        let soon = |error: &anyhow::Error| Some(Limit { time: Duration::from_millis(1), ..limit_later(error)? });
        let last = retry_within(&Stop::default(), soon, work).unwrap_err();
        assert_eq!((attempts.get(), exit::Kind::of(&last)), (2, exit::Kind::GaveUp));
        assert!(last.to_string().starts_with("tried again for an hour: cannot write here: "), "{last}");
        // Another thread fails during the second attempt.
        let stop = Stop::default();
        attempts.set(0);
        let others = || {
            let failed = work();
            if attempts.get() == 2 {
                stop.cancel.cancel();
            }
            failed
        };
        let stopped = retry(&stop, others).unwrap_err();
        assert_eq!((attempts.get(), exit::Kind::of(&stopped)), (3, exit::Kind::GaveUp));
        // After a stop, a final error is still reported as it is.
        let wrong = || -> anyhow::Result<()> { Err(exit::Kind::Wrong.error("wrong")) };
        assert_eq!(exit::Kind::of(&retry(&stop, wrong).unwrap_err()), exit::Kind::Wrong);
    }
}
