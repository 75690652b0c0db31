//! A count without a folder, from its forecast to its outcome, for `count` and `batch`.

use std::time::Instant;

use nqueens::{CancelToken, Counter, Outcome, Progress};

use super::counting::{Counting, Fitted};
use crate::exit;
use crate::forecast::{Forecast, YEAR_SECONDS};
use crate::terminal::Streams;
use crate::terminal::task::Task;
use crate::terminal::time_left::TimeLeft;

/// A count that is about to begin.
pub(super) struct Prepared {
    pub(super) counter: Counter,
    pub(super) forecast: Forecast,
    /// The cards or threads in words, such as `on 2 threads`.
    pub(super) on: String,
}

impl Prepared {
    /// Prepares a count on the cards or on the threads that fit in memory.
    pub(super) fn new(counter: Counter, counting: &Counting) -> anyhow::Result<Self> {
        let Fitted { threads, on } = counting.fit(&counter)?;
        let counter = counter.threads(threads);
        Ok(Self { forecast: Forecast::of(&counter)?, counter, on })
    }

    /// Counts and shows the progress. Returns the outcome, and the seconds that the count took.
    pub(super) fn count(&self, streams: &Streams<'_>) -> anyhow::Result<(Outcome, f64)> {
        let counter = &self.counter;
        let run = |cancel: &CancelToken, progress: &Progress| {
            let start = Instant::now();
            let outcome = counter.clone().cancelled_by(cancel).progress(progress).run()?;
            Ok((outcome, start.elapsed().as_secs_f64()))
        };
        let time_left = TimeLeft::new(self.forecast.seconds(), counter.threads_used()?);
        Task::new(&format!("n = {}", counter.size()), streams)?.run(time_left, run)
    }
}

/// Fails if a count takes more than a year even on all threads, because a user who names neither a solver nor a folder
/// has probably mistyped the size.
pub(super) fn refuse_years(counter: &Counter, counting: &Counting, can_be_saved: bool) -> anyhow::Result<()> {
    let forecast = on_all_threads(counter, counting)?;
    let is_hopeful = can_be_saved && !forecast.takes_ages();
    let or_folder = if is_hopeful { ", or '--dir FOLDER' to keep finished work" } else { "" };
    if forecast.seconds() > YEAR_SECONDS { refuse(counter, forecast, or_folder) } else { Ok(()) }
}

/// Fails if nobody will see the end of a count, for which a folder is not confirmation enough.
pub(super) fn refuse_ages(counter: &Counter, counting: &Counting) -> anyhow::Result<()> {
    let forecast = on_all_threads(counter, counting)?;
    if forecast.takes_ages() { refuse(counter, forecast, "") } else { Ok(()) }
}

fn on_all_threads(counter: &Counter, counting: &Counting) -> nqueens::Result<Forecast> {
    Forecast::of(&counter.clone().threads(counting.most_threads()))
}

fn refuse(counter: &Counter, forecast: Forecast, or_folder: &str) -> anyhow::Result<()> {
    let (size, solver, time) = (counter.size(), counter.choice()?.solver.name(), forecast.range());
    Err(exit::Kind::Failure
        .error(format!("n = {size} takes {time} here: to count it anyway, add '--solver {solver}'{or_folder}")))
}
