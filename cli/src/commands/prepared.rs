//! A count without a folder, from its forecast to its outcome, for `count` and `batch`.

use std::time::Instant;

use anyhow::bail;
use nqueens::board::Size;
use nqueens::{CancelToken, Outcome, Progress};

use super::counting::{Code, Counting, Fitted};
use crate::forecast::{Forecast, YEAR_SECONDS};
use crate::terminal::Streams;
use crate::terminal::task::Task;
use crate::terminal::time_left::TimeLeft;

/// A count that is about to begin.
pub(super) struct Prepared<'a> {
    pub(super) size: Size,
    pub(super) code: Code<'a>,
    pub(super) threads: usize,
    /// The cards or threads in words, such as `on 2 threads`.
    pub(super) hardware: String,
    pub(super) forecast: Forecast,
}

impl<'a> Prepared<'a> {
    /// Prepares the count of a size on the cards or on the threads that fit in memory now.
    pub(super) fn new(size: Size, counting: &'a Counting) -> anyhow::Result<Self> {
        let code = counting.code_for(size)?;
        let Fitted { threads, hardware } = counting.fit(code, size)?;
        Ok(Self { size, code, threads, hardware, forecast: code.forecast(size, threads) })
    }

    /// Counts and shows the progress. Returns the outcome, and the seconds that the count took.
    pub(super) fn outcome(&self, streams: &Streams<'_>) -> anyhow::Result<(Outcome, f64)> {
        let count = |cancel: &CancelToken, progress: &Progress| {
            let start = Instant::now();
            let counter = self.code.counter(self.size).threads(self.threads);
            let outcome = counter.cancelled_by(cancel).progress(progress).run()?;
            Ok((outcome, start.elapsed().as_secs_f64()))
        };
        let time_left = TimeLeft::new(self.forecast.known_seconds(), self.threads);
        Task::new(&format!("n = {}", self.size), streams)?.run(time_left, count)
    }
}

/// Fails if the solver does not count this size, or if the count would take more than a year even on all threads: a
/// user who names neither a solver nor a folder has probably mistyped the size. If the count could be saved, the error
/// recommends a folder.
pub(super) fn refuse_years(size: Size, counting: &Counting, can_be_saved: bool) -> anyhow::Result<()> {
    let code = counting.code_for(size)?;
    if counting.wanted_solver().is_some() {
        return Ok(());
    }
    let forecast = code.forecast(size, counting.most_threads());
    if forecast.seconds() > YEAR_SECONDS {
        let is_hopeful = can_be_saved && !forecast.takes_ages();
        let or_folder = if is_hopeful { ", or '--dir RUN' to keep finished work" } else { "" };
        bail!("{}{or_folder}", forecast.refusal(code.solver));
    }
    Ok(())
}
