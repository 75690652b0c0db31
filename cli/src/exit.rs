//! Exit statuses. The kind of the error that ends a command decides its status.

use std::io::ErrorKind;

use nqueens::Error;

use crate::machine::{address_space, advice_on_limit};
use crate::terminal::output::OutputError;
use crate::terminal::{complain, complain_in_lines, say};

/// A kind of error, which decides the exit status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The reader closed standard output. This is not a failure, because a reader may want only the start of a list.
    Unread,
    /// Any other failure, such as wrong contents of a file, too little memory, or a terminal that is too small.
    Failure,
    /// The command line is wrong, so that only another one can succeed.
    Usage,
    /// A result is wrong.
    Wrong,
    /// A file or a stream cannot be read or written.
    InputOutput,
    /// The time of `--for`, which the user set, is up: the same command continues the work.
    TimeUp,
    /// The file system failed for an hour, or until the process had to stop: the same command continues the work.
    GaveUp,
}

/// Every exit status with its meaning, for the help and the manual.
pub(crate) const STATUSES: [(u8, &str); 10] = [
    (0, "done"),
    (1, "failed; the message says why"),
    (2, "wrong command line"),
    (3, "wrong count, wrong board or failed verification"),
    (74, "a file, standard input or standard output cannot be read or written"),
    (75, "time is up, or the file system failed for an hour: start the same command again"),
    (129, "stopped because the terminal was closed"),
    (130, "stopped by Ctrl-C"),
    (131, "stopped by Ctrl-\\"),
    (143, "terminated"),
];

/// Returns the exit status of the program. If a `signal` was caught, it is the reason for anything left undone, so it
/// decides the status unless a result is wrong.
pub(crate) fn status(done: &anyhow::Result<()>, signal: Option<u8>) -> u8 {
    let Err(error) = done else { return 0 };
    match (Kind::of(error), signal) {
        (kind, Some(signal)) if kind != Kind::Wrong => 128 + signal,
        (kind, _) => kind.status(),
    }
}

/// An error of the program itself.
#[derive(Debug, thiserror::Error)]
enum ProgramError {
    #[error("{1}")]
    Unreported(Kind, String),
    /// The command has already reported it.
    #[error("reported before")]
    Reported(Kind),
}

impl Kind {
    /// Makes an error of this kind. Errors without a kind, such as those of `bail!`, are failures.
    pub(crate) fn error(self, message: impl Into<String>) -> anyhow::Error {
        ProgramError::Unreported(self, message.into()).into()
    }

    /// Makes the error for a failure that the command has already reported.
    pub(crate) fn already_reported(self) -> anyhow::Error {
        ProgramError::Reported(self).into()
    }

    const fn status(self) -> u8 {
        match self {
            Self::Unread => 0,
            Self::Failure => 1,
            Self::Usage => 2,
            Self::Wrong => 3,
            Self::InputOutput => 74,
            Self::TimeUp | Self::GaveUp => 75,
        }
    }

    /// Returns the kind of the outermost cause that has a kind.
    pub(crate) fn of(error: &anyhow::Error) -> Self {
        error.chain().find_map(Self::of_cause).unwrap_or(Self::Failure)
    }

    fn of_cause(cause: &(dyn std::error::Error + 'static)) -> Option<Self> {
        if let Some(ProgramError::Unreported(kind, _) | ProgramError::Reported(kind)) = cause.downcast_ref() {
            return Some(*kind);
        }
        if let Some(error) = cause.downcast_ref::<std::io::Error>() {
            return Some(match error.kind() {
                // A file, such as one on a network, can report the same kind.
                ErrorKind::BrokenPipe if error.get_ref().is_some_and(|inner| inner.is::<OutputError>()) => Self::Unread,
                // The file could be read, but its contents are wrong.
                ErrorKind::InvalidData | ErrorKind::UnexpectedEof => Self::Failure,
                _ => Self::InputOutput,
            });
        }
        cause.downcast_ref::<Error>().map(|error| match error {
            Error::Size { .. }
            | Error::TooLarge { .. }
            | Error::Threads { .. }
            | Error::Unknown { .. }
            | Error::IsaMissing { .. } => Self::Usage,
            Error::Bug { .. } => Self::Wrong,
            _ => Self::Failure,
        })
    }
}

/// Says what remains of work that was stopped, because the message of the library is that there is no result.
pub(crate) fn with_remains(ended: anyhow::Result<()>, remains: &str) -> anyhow::Result<()> {
    ended.map_err(|error| match error.downcast_ref() {
        Some(Error::Cancelled { .. }) => anyhow::anyhow!("{error}: stopped: {remains}"),
        _ => error,
    })
}

/// Prints an error on standard error, unless the command has already reported it or nobody reads the results.
pub(crate) fn report(error: &anyhow::Error) {
    if error.chain().any(|cause| matches!(cause.downcast_ref(), Some(ProgramError::Reported(_)))) {
        return;
    }
    let text = format!("{error:#}{}", hint(error));
    match Kind::of(error) {
        Kind::Unread => {}
        // Messages about a wrong command line have several lines.
        Kind::Usage => complain_in_lines(&text),
        // The user set the time limit, so reaching it is not an error. `--quiet` does not suppress the only line that
        // says why the process ended.
        Kind::TimeUp => say(text),
        _ => complain(text),
    }
}

/// Returns advice to print after the message of an error.
fn hint(error: &anyhow::Error) -> String {
    let advice = match error.chain().find_map(|cause| cause.downcast_ref()) {
        Some(Error::Bug { .. }) => Some("run 'nqueens verify' and report this"),
        Some(Error::Memory { .. }) if address_space().is_some() => {
            Some("'ulimit -v' limits the memory of this process")
        }
        _ => error.chain().filter_map(|cause| cause.downcast_ref()).find_map(advice_on_limit),
    };
    advice.map_or_else(String::new, |advice| format!("; {advice}"))
}

/// Returns the first error. If there are two, reports the second one here.
pub(crate) fn settle(first: anyhow::Result<()>, second: Result<(), impl Into<anyhow::Error>>) -> anyhow::Result<()> {
    match (first, second.map_err(Into::into)) {
        (Err(first), Err(second)) => {
            report(&second);
            Err(first)
        }
        (first, second) => first.and(second),
    }
}

#[cfg(test)]
mod tests {
    use std::io::{self, Write};

    use super::*;
    use crate::terminal::output::TextWriter;

    #[test]
    #[cfg(unix)]
    fn the_help_lists_every_status() {
        use Kind::*;
        let kinds = [Unread, Failure, Usage, Wrong, InputOutput, TimeUp, GaveUp].map(Kind::status);
        let signals = crate::terminal::signals::SIGNALS.iter().map(|&signal| 128 + signal as u8);
        let mut all: Vec<u8> = kinds.into_iter().chain(signals).collect();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all, STATUSES.map(|(status, _)| status));
    }

    /// A stream that nobody reads.
    struct Closed;

    impl Write for Closed {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(ErrorKind::BrokenPipe.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// Trap: a file on a network may be lost with the error of a closed pipe.
    #[test]
    fn only_standard_output_may_lose_its_reader() {
        let mut out = TextWriter::new(Closed);
        let unread = writeln!(out, "92").and_then(|()| out.flush()).unwrap_err();
        assert_eq!(Kind::of(&anyhow::Error::from(unread).context("in all")), Kind::Unread);
        let file = anyhow::Error::from(io::Error::from(ErrorKind::BrokenPipe)).context("cannot write a.json");
        assert_eq!((Kind::of(&file), status(&Err(file), None)), (Kind::InputOutput, 74));
    }

    /// The sessions in `tests/it/cli` show the other statuses.
    #[test]
    fn a_signal_is_the_reason_unless_a_result_is_wrong() {
        let wrong = || Error::Bug { unit: Some(0), problem: "a".to_owned() };
        for (done, expected) in [
            (Err(Kind::Wrong.already_reported()), [3, 3]),
            (Err(Kind::Wrong.error("no").context("in all")), [3, 3]),
            (Err(wrong().into()), [3, 3]),
            (Err(Kind::TimeUp.error("later")), [75, 143]),
            (Err(Kind::GaveUp.error("later")), [75, 143]),
            (Err(Error::Cancelled { units_done: 0, units: 1 }.into()), [1, 143]),
        ] {
            assert_eq!([None, Some(15)].map(|signal| status(&done, signal)), expected, "{done:?}");
        }
        assert_eq!(hint(&anyhow::Error::from(wrong()).context("n = 8")), "; run 'nqueens verify' and report this");
    }
}
