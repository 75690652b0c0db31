//! The number of threads that the user sets, by `--threads` or by `NQUEENS_THREADS`.

use nqueens::engine;

use crate::exit::Fault;

/// The environment variable that sets the number of threads if `--threads` is not given.
pub(crate) const THREADS_VARIABLE: &str = "NQUEENS_THREADS";

/// A number of threads that the user set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Asked {
    pub(crate) threads: usize,
    /// Whether [`THREADS_VARIABLE`] set the number. Otherwise the user typed it.
    pub(crate) is_by_variable: bool,
}

impl Asked {
    /// The typed number, or else that of [`THREADS_VARIABLE`]. An empty variable sets nothing.
    ///
    /// Clap does not read the variable: it would treat it as typed, and refuse it beside options that exclude
    /// `--threads`.
    pub(crate) fn of(typed: Option<usize>) -> anyhow::Result<Option<Self>> {
        if let Some(threads) = typed {
            return Ok(Some(Self { threads, is_by_variable: false }));
        }
        let Some(value) = std::env::var_os(THREADS_VARIABLE).filter(|value| !value.is_empty()) else { return Ok(None) };
        let text = value.to_string_lossy();
        let threads = number_of_threads(&text).ok_or_else(|| {
            Fault::Usage.error(format!(
                "the variable {THREADS_VARIABLE} is '{text}': give it a number from 1 to {}, or unset it to use every core",
                engine::MAX_THREADS
            ))
        })?;
        Ok(Some(Self { threads, is_by_variable: true }))
    }

    /// What to say after the number of threads: the variable that sets it. Empty if the user typed the number.
    pub(crate) fn source(self) -> String {
        if self.is_by_variable { format!(" ({THREADS_VARIABLE})") } else { String::new() }
    }
}

fn number_of_threads(text: &str) -> Option<usize> {
    text.parse().ok().filter(|threads| (1..=engine::MAX_THREADS).contains(threads))
}

/// Reads a number of threads.
pub(crate) fn threads(text: &str) -> Result<usize, String> {
    number_of_threads(text).ok_or_else(|| {
        format!(
            "cannot run on '{text}' threads: give a number from 1 to {}, or leave it out to use every core",
            engine::MAX_THREADS
        )
    })
}
