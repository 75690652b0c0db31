//! The options `--solver`, `--isa` and `--threads`, and counts by them, with progress.

use std::time::Instant;

use nqueens::board::Size;
use nqueens::{CancelToken, Counter, Error, Outcome, Progress};

use super::threads::{ThreadsOption, predicted_bytes};
use super::{InstructionSet, Resources, solver_names};
use crate::exit::Exit;
use crate::machine::calibration;
use crate::terminal::task::Task;
use crate::terminal::time_left::Forecast;
use crate::terminal::units::in_words;
use crate::terminal::{Streams, signals, units};

/// Solver, instruction set and threads of a count.
#[derive(Debug, clap::Args)]
pub(crate) struct CountOptions {
    /// Solver to count with
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = solver_names())]
    pub(crate) solver: String,
    #[command(flatten)]
    pub(crate) threads: ThreadsOption,
    #[command(flatten)]
    pub(crate) isa: InstructionSet,
}

impl CountOptions {
    /// The counter for a size, without its number of threads. Fails if there is no such solver or instruction set.
    pub(crate) fn counter(&self, size: Size, resources: &Resources) -> anyhow::Result<Counter> {
        if let Some(cards) = &resources.cards {
            return cards.counter(size, &self.solver, self.isa.checked()?);
        }
        let mut counter = Counter::for_size(size).solver(&self.solver);
        if let Some(isa) = self.isa.checked()? {
            counter = counter.isa(isa);
        }
        counter.choice()?;
        Ok(counter)
    }

    /// Counts each size on the threads that fit, after a note with solver, threads, time and memory. For counts over ten
    /// minutes the note ends with `advice`.
    pub(crate) fn each(
        &self,
        counters: Vec<Counter>,
        resources: &Resources,
        advice: &str,
        streams: &mut Streams<'_>,
        mut count: impl FnMut(&Counter, &mut Streams<'_>) -> anyhow::Result<()>,
    ) -> anyhow::Result<Exit> {
        let mut said = String::new();
        for counter in &counters {
            if !is_brief(counter)? {
                // Who reads a note or a result may stop the next count.
                signals::catch()?;
                break;
            }
        }
        for counter in counters {
            let (counter, on) = resources.fit(counter)?;
            let words = match resources.cards {
                _ if streams.quiet => String::new(),
                // Nobody has timed a card.
                Some(_) => format!("counting with {} {}", counter.choice()?.solver.name(), resources.in_words()),
                None => self.in_words(&counter, on, advice)?,
            };
            if words != said {
                streams.note(&words);
                said = words;
            }
            count(&counter, streams)?;
        }
        Ok(Exit::Fine)
    }

    /// The solver, the number of threads and the reason for that number, in words. `on` says on how many threads, if
    /// there is more to say about them.
    fn in_words(&self, counter: &Counter, on: Option<String>, advice: &str) -> anyhow::Result<String> {
        let (choice, threads, is_brief) = (counter.choice()?, counter.threads_used()?, is_brief(counter)?);
        let on = on.unwrap_or_else(|| match self.threads.typed {
            None if threads == 1 && is_brief => "on 1 thread: enough for a short count".to_owned(),
            _ => self.threads.in_words(threads),
        });
        let mut said = format!("counting with {} ({}) {on}", choice.solver.name(), choice.isa.name());
        // A user has not read a forecast of less than a second before the count ends.
        let seconds = predicted_seconds(counter)?;
        if seconds >= 1.0 {
            let bytes = units::bytes(predicted_bytes(counter, threads)?);
            said += &format!("; n = {} takes about {} and {bytes}", counter.size(), in_words(seconds));
            if seconds >= 600.0 {
                said += advice;
            }
        }
        Ok(said)
    }
}

/// Predicted seconds of a count on its threads.
pub(crate) fn predicted_seconds(counter: &Counter) -> nqueens::Result<f64> {
    let (choice, threads) = (counter.choice()?, counter.threads_used()?);
    Ok(calibration::thread_seconds(choice.solver, counter.size(), choice.isa, threads) / threads as f64)
}

/// Whether a count ends before anybody could watch or stop it.
fn is_brief(counter: &Counter) -> nqueens::Result<bool> {
    const SECONDS: f64 = 1e-3;
    let choice = counter.choice()?;
    Ok(choice.solver.predicted_seconds(counter.size(), choice.isa) < SECONDS)
}

/// Counts. Returns the outcome and the seconds that it took.
pub(crate) fn count(counter: &Counter, streams: &Streams<'_>) -> anyhow::Result<(Outcome, f64)> {
    let run = |cancel: &CancelToken, progress: &Progress| {
        let start = Instant::now();
        let outcome = counter.clone().cancelled_by(cancel).run_with(progress)?;
        Ok((outcome, start.elapsed().as_secs_f64()))
    };
    let label = format!("n = {}", counter.size());
    if is_brief(counter)? {
        return run(&CancelToken::new(), &Progress::new())
            .map_err(|error: Error| anyhow::Error::from(error).context(label));
    }
    let threads = counter.threads_used()?;
    let forecast = Forecast::new(predicted_seconds(counter)? * threads as f64, threads);
    Task::new(&label, streams)?.run(forecast, run)
}
