//! How many threads the user asks for, by an option or by a variable in the environment.

use nqueens::engine;

use crate::exit::Exit;

/// The variable in the environment that says how many threads to use where the command line does not.
pub(crate) const THREADS_VARIABLE: &str = "NQUEENS_THREADS";

/// How many threads were asked for, and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Asked {
    pub(crate) threads: usize,
    /// Whether [`THREADS_VARIABLE`] asks for them; else they were typed.
    pub(crate) is_by_variable: bool,
}

impl Asked {
    /// The threads that were typed, or else those of [`THREADS_VARIABLE`]. An empty variable asks for nothing.
    ///
    /// Clap is not told of the variable: it would take it for typed, and refuse it beside options that exclude `--threads`.
    pub(crate) fn of(typed: Option<usize>) -> anyhow::Result<Option<Self>> {
        if let Some(threads) = typed {
            return Ok(Some(Self { threads, is_by_variable: false }));
        }
        let Some(value) = std::env::var_os(THREADS_VARIABLE).filter(|value| !value.is_empty()) else { return Ok(None) };
        let text = value.to_string_lossy();
        let threads = number_of_threads(&text).ok_or_else(|| {
            Exit::Usage.error(format!(
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

/// How many threads, as typed.
pub(crate) fn threads(text: &str) -> Result<usize, String> {
    number_of_threads(text).ok_or_else(|| {
        format!(
            "cannot run on '{text}' threads: give a number from 1 to {}, or leave it out to use every core",
            engine::MAX_THREADS
        )
    })
}
