//! The options `--solver`, `--isa` and `--threads`, and what they mean for a count.

use super::memory;
use super::threads::{ThreadsOption, every_core};
use nqueens::board::Size;
use nqueens::engine;
use nqueens::{Counter, Error};

use super::super::counting::{predicted_seconds, warn_if_endless};
use super::{InstructionSet, solver_names};
use crate::exit::Exit;
use crate::terminal::duration::in_words;
use crate::terminal::plural::plural;
use crate::terminal::{Streams, signals, units};

/// Solver, instruction set and threads of a count.
#[derive(Debug, clap::Args)]
pub(crate) struct How {
    /// Solver to count with
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = solver_names())]
    pub(crate) solver: String,
    #[command(flatten)]
    pub(crate) threads: ThreadsOption,
    #[command(flatten)]
    pub(crate) isa: InstructionSet,
}

impl How {
    /// The counter for a size, without its number of threads. Fails if there is no such solver or instruction set.
    pub(crate) fn counter(&self, size: Size) -> Result<Counter, Error> {
        let mut counter = Counter::for_size(size).solver(&self.solver);
        if let Some(isa) = self.isa.named() {
            counter = counter.isa(isa);
        }
        counter.choice()?;
        Ok(counter)
    }

    /// Counts each size on the threads that fit, after a note with solver, threads and time. For counts over ten
    /// minutes the note ends with `advice`.
    pub(crate) fn each(
        &self,
        counters: Vec<Counter>,
        advice: &str,
        streams: &mut Streams<'_>,
        mut count: impl FnMut(&Counter, &mut Streams<'_>) -> anyhow::Result<()>,
    ) -> anyhow::Result<Exit> {
        // Who reads the note may stop the count.
        signals::catch()?;
        let mut said = String::new();
        for counter in counters {
            let (counter, fewer) = self.threads.fit(counter)?;
            let words = self.in_words(&counter, fewer.as_deref(), advice)?;
            if words != said {
                streams.note(&words);
                said = words;
            }
            warn_if_endless(&counter, streams)?;
            count(&counter, streams)?;
        }
        Ok(Exit::Fine)
    }

    /// The solver, the number of threads and the reason for that number, in words. `fewer` says why there
    /// are fewer threads than cores, or that there are more, if so.
    fn in_words(&self, counter: &Counter, fewer: Option<&str>, advice: &str) -> anyhow::Result<String> {
        let (choice, threads) = (counter.choice()?, counter.threads_used()?);
        let why = match self.threads.asked()? {
            Some(asked) => asked.source(),
            None if threads < engine::default_threads() => ": enough for a short count".to_owned(),
            None => format!(": {}", every_core(threads)),
        };
        let mut said = format!("counting with {} ({}) ", choice.solver.name(), choice.isa.name());
        said += &fewer.map_or_else(|| format!("on {}{why}", plural(threads, "thread")), str::to_owned);
        // A user has not read a forecast of less than a second before the count ends.
        let seconds = predicted_seconds(counter)?;
        if seconds >= 1.0 {
            let bytes = units::bytes(memory::predicted(counter, threads)?);
            said += &format!("; n = {} takes about {} and {bytes}", counter.size(), in_words(seconds));
            if seconds >= 600.0 {
                said += advice;
            }
        }
        Ok(said)
    }
}
