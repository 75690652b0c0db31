//! What reaches the terminal and comes from it: the only code that prints.

pub(crate) mod duration;
pub(crate) mod escape;
pub(crate) mod kept;
pub(crate) mod measured;
pub(crate) mod output;
pub(crate) mod progress;
pub(crate) mod signals;
pub(crate) mod table;
pub(crate) mod time_left;
pub(crate) mod unicode;
pub(crate) mod units;
pub(crate) mod watch;
pub(crate) mod wrap;

use std::io::{self, Write};

use crate::exit::Exit;
use escape::terminal;
use output::Output;

/// Where a subcommand writes.
pub(crate) struct Streams<'a> {
    /// Standard output: data only. Buffered; flush it where somebody waits.
    pub(crate) out: &'a mut dyn Output,
    pub(crate) quiet: bool,
}

impl Streams<'_> {
    /// Whether it was told to print nothing but results and errors.
    pub(crate) fn is_quiet(&self) -> bool {
        self.quiet
    }

    /// Writes a line of JSON, in which nothing hides.
    pub(crate) fn json(&mut self, value: &impl serde::Serialize) -> io::Result<()> {
        let text = serde_json::to_string(value)?;
        writeln!(self.out, "{}", escape::json(&text))
    }

    /// Says something about the work, on standard error, unless it was told to be quiet. Nobody may be listening there,
    /// and that is no reason to stop.
    pub(crate) fn note(&self, text: impl std::fmt::Display) {
        if !self.quiet {
            say("nqueens", &terminal(&text.to_string()));
        }
    }

    /// Says what is wrong, whether or not it was told to be quiet.
    pub(crate) fn complain(&self, text: impl std::fmt::Display) {
        complain(text);
    }
}

pub(crate) fn complain(text: impl std::fmt::Display) {
    say("error", &terminal(&text.to_string()));
}

/// Writes a line to standard error, at once: other processes that write to the same place get none into the middle of it.
pub(crate) fn say(who: &str, text: &str) {
    let _ = io::stderr().write_all(format!("{who}: {text}\n").as_bytes());
}

/// What a command comes to that did its work and told of it. Its verdict is worth more than what became of the telling,
/// which decides only where all is fine otherwise.
pub(crate) fn settle(done: anyhow::Result<Exit>, told: anyhow::Result<()>) -> anyhow::Result<Exit> {
    match (done, told) {
        (done, Ok(())) => done,
        (Ok(Exit::Fine), Err(error)) => Err(error),
        (done, Err(error)) => {
            if !Exit::is_closed_pipe(&error) {
                complain(format_args!("{error:#}"));
            }
            done
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::ErrorKind;

    use super::*;
    use crate::exit::ReaderLeft;

    #[test]
    fn a_verdict_is_worth_more_than_what_became_of_its_output() {
        let full = || Err(std::io::Error::from(ErrorKind::StorageFull).into());
        let left = || Err(std::io::Error::new(ErrorKind::BrokenPipe, ReaderLeft).into());
        let status = |settled: anyhow::Result<Exit>| settled.unwrap_or_else(|error| Exit::of(&error));
        for verdict in [Exit::Failure, Exit::Wrong, Exit::Regression, Exit::Inconclusive] {
            assert_eq!(status(settle(Ok(verdict), full())), verdict);
            assert_eq!(status(settle(Err(verdict.error("no")), left())), verdict);
        }
        assert_eq!(status(settle(Ok(Exit::Fine), full())), Exit::InputOutput);
        assert_eq!(status(settle(Ok(Exit::Fine), left())), Exit::Fine);
    }
}
