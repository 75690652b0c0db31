//! The exit statuses, all in one place, and which error leads to which.

use std::process::ExitCode;

/// How the program ends. [`STATUSES`] says what each means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    Fine = 0,
    Failure = 1,
    Usage = 2,
    Wrong = 3,
    Regression = 4,
    Inconclusive = 5,
    InputOutput = 74,
    TimeUp = 75,
    HungUp = 129,
    Interrupted = 130,
    Quit = 131,
    Terminated = 143,
}

/// All exit statuses with their meaning, for the help and the manual.
pub(crate) const STATUSES: [(Exit, &str); 12] = [
    (Exit::Fine, "done"),
    (Exit::Failure, "could not be done"),
    (Exit::Usage, "wrong command line"),
    (Exit::Wrong, "wrong count, wrong board or failed verification"),
    (Exit::Regression, "slower than its base"),
    (Exit::Inconclusive, "inconclusive whether slower"),
    (Exit::InputOutput, "a file, standard input or standard output cannot be read or written"),
    (Exit::TimeUp, "time is up: start the same command again"),
    (Exit::HungUp, "stopped because the terminal went away"),
    (Exit::Interrupted, "stopped by Ctrl-C"),
    (Exit::Quit, "stopped by Ctrl-\\"),
    (Exit::Terminated, "terminated"),
];

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// An error of the program itself, with its exit status.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
struct Failure {
    exit: Exit,
    message: String,
}

impl Exit {
    /// Makes an error with this exit status.
    pub(crate) fn error(self, message: impl Into<String>) -> anyhow::Error {
        Failure { exit: self, message: message.into() }.into()
    }

    /// Makes an error of writing that ends the program with this exit status.
    #[cfg(any(unix, test))]
    pub(crate) fn stop(self, message: &str) -> std::io::Error {
        std::io::Error::other(Failure { exit: self, message: message.to_owned() })
    }

    /// Whether the error is one of [`Exit::stop`].
    pub(crate) fn is_stop(error: &std::io::Error) -> bool {
        error.get_ref().is_some_and(|inner| inner.is::<Failure>())
    }

    /// The exit status of an error: that of its outermost cause that has one.
    pub(crate) fn of(error: &anyhow::Error) -> Self {
        error.chain().find_map(Self::of_cause).unwrap_or(Self::Failure)
    }

    fn of_cause(cause: &(dyn std::error::Error + 'static)) -> Option<Self> {
        if let Some(failure) = cause.downcast_ref::<Failure>() {
            return Some(failure.exit);
        }
        if let Some(error) = cause.downcast_ref::<std::io::Error>() {
            if let Some(failure) = error.get_ref().and_then(|inner| inner.downcast_ref::<Failure>()) {
                return Some(failure.exit);
            }
            // The reader of standard output has seen enough.
            return Some(if has_reader_left(error) { Self::Fine } else { Self::InputOutput });
        }
        use nqueens::Error;
        cause.downcast_ref::<Error>().map(|error| match error {
            Error::Size { .. }
            | Error::Threads { .. }
            | Error::UnknownSolver { .. }
            | Error::CannotEnumerate { .. }
            | Error::UnknownIsa { .. }
            | Error::IsaMissing { .. } => Self::Usage,
            Error::Indivisible { .. } | Error::Published { .. } | Error::Orbits { .. } => Self::Wrong,
            Error::Cancelled { .. } => Self::Interrupted,
            _ => Self::Failure,
        })
    }

    /// What the user can do after this error. It follows the message.
    pub(crate) fn hint(error: &anyhow::Error) -> &'static str {
        use nqueens::Error;
        match error.chain().find_map(|cause| cause.downcast_ref()) {
            Some(Error::IsaMissing { .. }) => " or 'auto'",
            Some(Error::Overflow { .. }) => "; please report the command you ran",
            Some(Error::Indivisible { .. } | Error::Published { .. } | Error::Orbits { .. }) => {
                "; run 'nqueens verify' and report this"
            }
            _ => "",
        }
    }

    /// Whether the error is that the reader of standard output left.
    pub(crate) fn is_closed_pipe(error: &anyhow::Error) -> bool {
        error.chain().any(|cause| cause.downcast_ref::<std::io::Error>().is_some_and(has_reader_left))
    }
}

/// The reader of standard output left. A command that only writes data ignores this.
#[derive(Debug, thiserror::Error)]
#[error("cannot write to standard output: nobody reads it any more")]
pub(crate) struct ReaderLeft;

fn has_reader_left(error: &std::io::Error) -> bool {
    error.get_ref().is_some_and(|inner| inner.is::<ReaderLeft>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::ErrorKind;

    use anyhow::Context;

    #[test]
    fn an_error_of_the_library_says_what_to_type() {
        let wrong = nqueens::Error::Indivisible { sum: 1, divisor: 2 };
        let error = anyhow::Error::from(wrong).context("n = 8");
        assert_eq!(Exit::hint(&error), "; run 'nqueens verify' and report this");
        assert_eq!(Exit::hint(&anyhow::anyhow!("something else")), "");
    }

    #[test]
    fn every_kind_of_error_has_its_status() {
        let io = |kind| anyhow::Error::from(std::io::Error::from(kind)).context("while writing");
        assert_eq!(Exit::of(&io(ErrorKind::StorageFull)), Exit::InputOutput);
        // Standard output's reader may leave; a file's may not.
        let left = std::io::Error::new(ErrorKind::BrokenPipe, ReaderLeft);
        assert_eq!(Exit::of(&anyhow::Error::from(left).context("while writing")), Exit::Fine);
        assert_eq!(Exit::of(&io(ErrorKind::BrokenPipe)), Exit::InputOutput);
        assert_eq!(Exit::of(&Exit::Wrong.error("no").context("in all")), Exit::Wrong);
        assert_eq!(Exit::of(&Exit::Terminated.stop("stopped").into()), Exit::Terminated);
        assert_eq!(Exit::of(&nqueens::count(33).unwrap_err().into()), Exit::Usage);
        assert_eq!(Exit::of(&nqueens::Error::Indivisible { sum: 1, divisor: 2 }.into()), Exit::Wrong);
        assert_eq!(Exit::of(&anyhow::anyhow!("something else")), Exit::Failure);
        let outer = Err::<(), _>(io(ErrorKind::StorageFull)).context(Exit::Failure.error("no").to_string());
        assert_eq!(Exit::of(&outer.unwrap_err()), Exit::InputOutput);
    }
}
