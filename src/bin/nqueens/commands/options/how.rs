//! The options `--solver`, `--isa`, `--threads` and `--oversubscribe`.

use super::asked::{Asked, threads};
use super::memory;
use nqueens::board::Size;
use nqueens::engine::{self, Pool};
use nqueens::{Counter, Error};

use super::super::counting::{predicted_seconds, warn_if_endless};
use super::{InstructionSet, solver_names};
use crate::exit::{Exit, Fault};
use crate::machine;
use crate::terminal::duration::in_words;
use crate::terminal::plural::plural;
use crate::terminal::{Streams, units};

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

/// The number of threads of a count.
#[derive(Debug, Clone, Copy, Default, clap::Args)]
pub(crate) struct ThreadsOption {
    /// Number of threads. Default: NQUEENS_THREADS, or one for each core that this process may use. Threads beyond the
    /// cores are not started
    #[arg(id = "threads", long, short = 't', value_name = "T", value_parser = threads, allow_negative_numbers = true)]
    typed: Option<usize>,
    /// Starts all threads of --threads, even if there are fewer cores
    #[arg(long)]
    oversubscribe: bool,
}

impl ThreadsOption {
    /// The number of threads that the user set, if any.
    pub(crate) fn asked(self) -> anyhow::Result<Option<Asked>> {
        let asked = Asked::of(self.typed)?;
        if self.oversubscribe && asked.is_none() {
            return Err(Fault::Usage.error(
                "--oversubscribe needs a number of threads: give --threads T too, or leave out --oversubscribe",
            ));
        }
        Ok(asked)
    }

    /// The number of threads to start: at most one for each core, or all with `--oversubscribe`.
    pub(crate) fn number(self) -> anyhow::Result<usize> {
        let cores = engine::default_threads();
        let asked = self.asked()?.map_or(cores, |asked| asked.threads);
        Ok(if self.oversubscribe { asked } else { asked.min(cores) })
    }

    /// This number of threads for the engine. Fewer are enough if the system refuses some, unless the user set the number.
    pub(crate) fn pool(self, threads: usize) -> anyhow::Result<Pool> {
        Ok(if self.asked()?.is_some() { Pool::Own(threads) } else { Pool::UpTo(threads) })
    }

    /// The counter with the number of threads to start. If the user set none, the counter chooses: a short count takes
    /// one thread.
    pub(crate) fn set(self, counter: Counter) -> anyhow::Result<Counter> {
        Ok(if self.asked()?.is_some() { counter.threads(self.number()?) } else { counter })
    }

    /// The counter with the number of threads to start that fit the memory. If that is fewer than the user set, or than
    /// there are cores, the text says why.
    ///
    /// Threads beyond the cores take turns, and each needs memory: on two cores, 128 threads needed a fifth more time
    /// for n = 20 than two threads, and 13 times the memory.
    pub(crate) fn fit(self, counter: Counter) -> anyhow::Result<(Counter, Option<String>)> {
        let (asked, number) = (self.asked()?, self.number()?);
        let (counter, fewer_fit) = memory::fit(self.set(counter)?, asked)?;
        let fewer = asked.filter(|asked| asked.threads > number).map(|asked| {
            format!(
                "on {} instead of {}{}: one for each core this process may use (--oversubscribe starts \
                 them all)",
                plural(number, "thread"),
                asked.threads,
                asked.source(),
            )
        });
        Ok((counter, fewer_fit.or(fewer)))
    }
}

/// Why the default number of threads is this one.
pub(crate) fn every_core(threads: usize) -> String {
    within_quota(threads, machine::quota_of_cores())
}

/// A quota of 1.9 cores is one thread, so it is told.
fn within_quota(threads: usize, quota: Option<f64>) -> String {
    let is_cut = |quota: &f64| *quota > threads as f64 + 0.05 && *quota < threads as f64 + 1.0;
    quota.filter(is_cut).map_or_else(
        || "every core this process may use".to_owned(),
        |quota| {
            let more = threads + 1;
            format!("a quota of {quota:.1} cores, rounded down ('--threads {more} --oversubscribe' uses it all)")
        },
    )
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
    /// are fewer threads than asked for or than cores, if so.
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

#[cfg(test)]
mod tests {
    use super::within_quota;

    #[test]
    fn a_quota_that_is_rounded_down_is_told() {
        assert!(within_quota(1, Some(1.9)).starts_with("a quota of 1.9 cores, rounded down ('--threads 2 --over"));
        for (threads, quota) in [(1, None), (2, Some(2.0)), (4, Some(64.5)), (1, Some(0.5))] {
            assert_eq!(within_quota(threads, quota), "every core this process may use");
        }
    }
}
