//! The option `--threads`, and the variable that stands for it.

use nqueens::Counter;
use nqueens::engine::{self, Pool};

use super::memory;
use crate::exit::Fault;
use crate::machine;
use crate::terminal::plural::plural;

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
    /// What to say after the number of threads: the variable that sets it. Empty if the user typed the number.
    pub(crate) fn source(self) -> String {
        if self.is_by_variable { format!(" ({THREADS_VARIABLE})") } else { String::new() }
    }
}

/// The number of threads of a count.
#[derive(Debug, Clone, Copy, Default, clap::Args)]
pub(crate) struct ThreadsOption {
    /// Number of threads. Default: NQUEENS_THREADS, or one for each hardware thread that this process may use
    #[arg(id = "threads", long, short = 't', value_name = "T", value_parser = threads, allow_negative_numbers = true)]
    typed: Option<usize>,
}

impl ThreadsOption {
    /// The typed number, or else that of [`THREADS_VARIABLE`]. An empty variable sets nothing.
    ///
    /// Clap does not read the variable: it would treat it as typed, and refuse it beside options that exclude
    /// `--threads`.
    pub(crate) fn asked(self) -> anyhow::Result<Option<Asked>> {
        if let Some(threads) = self.typed {
            return Ok(Some(Asked { threads, is_by_variable: false }));
        }
        let Some(value) = std::env::var_os(THREADS_VARIABLE).filter(|value| !value.is_empty()) else { return Ok(None) };
        let text = value.to_string_lossy();
        let threads = number_of_threads(&text).ok_or_else(|| {
            Fault::Usage.error(format!(
                "the variable {THREADS_VARIABLE} is '{text}': give it a number from 1 to {}, or unset it to use every core",
                engine::MAX_THREADS
            ))
        })?;
        Ok(Some(Asked { threads, is_by_variable: true }))
    }

    /// The number of threads to start, if they fit the memory.
    pub(crate) fn number(self) -> anyhow::Result<usize> {
        Ok(self.asked()?.map_or_else(engine::default_threads, |asked| asked.threads))
    }

    /// This number of threads for the engine. Fewer are enough if the system refuses some, unless the user set the number.
    pub(crate) fn pool(self, threads: usize) -> anyhow::Result<Pool> {
        Ok(if self.asked()?.is_some() { Pool::Own(threads) } else { Pool::UpTo(threads) })
    }

    /// The counter with its threads: the number that the user set, lowered to what fits the memory. If the user set
    /// none, the counter chooses: a short count takes one thread. The text says why there are fewer threads than hardware
    /// threads, or that there are more.
    pub(crate) fn fit(self, counter: Counter) -> anyhow::Result<(Counter, Option<String>)> {
        let asked = self.asked()?;
        let counter = asked.iter().fold(counter, |counter, asked| counter.threads(asked.threads));
        let (counter, fewer) = memory::fit(counter, asked)?;
        let usable = engine::default_threads();
        let more = asked.filter(|asked| asked.threads > usable).map(|asked| {
            format!(
                "on {}{}, of which {usable} can run at a time: the others take turns, and need memory",
                plural(asked.threads, "thread"),
                asked.source()
            )
        });
        Ok((counter, fewer.or(more)))
    }
}

/// What the default number of threads is, in words.
pub(crate) fn every_core(threads: usize) -> String {
    let all = machine::facts().logical_cpus;
    match machine::cores() {
        // A quota of 1.9 cores is one thread.
        _ if threads < all => format!("affinity or a quota, rounded down, leaves no more of {all} hardware threads"),
        cores if cores < threads => {
            format!("every hardware thread of the {} this process may use", plural(cores, "core"))
        }
        _ => "every core this process may use".to_owned(),
    }
}

fn number_of_threads(text: &str) -> Option<usize> {
    text.parse().ok().filter(|threads| (1..=engine::MAX_THREADS).contains(threads))
}

/// Reads a number of threads.
fn threads(text: &str) -> Result<usize, String> {
    number_of_threads(text).ok_or_else(|| {
        format!(
            "cannot run on '{text}' threads: give a number from 1 to {}, or leave it out to use every core",
            engine::MAX_THREADS
        )
    })
}
