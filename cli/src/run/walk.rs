//! The walk of `nqueens count N --dir RUN`: a process counts missing shards until none is left or it is stopped.
//!
//! [`Walk::count`] decides when a [`Round`] begins and what to wait for.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::round::{Process, Round, lock};
use super::{Contributor, Log, Results, RunFolder, Stop};
use crate::forecast::Forecast;
use crate::terminal::Streams;
use crate::terminal::task::Task;
use crate::terminal::time_left::TimeLeft;
use crate::terminal::units::plural;
use nqueens::solver::Plan;

/// The first and the longest pause between two looks at shards that other processes are counting. Pauses double.
const PAUSES: [Duration; 2] = [Duration::from_millis(250), Duration::from_secs(8)];

/// The walk of one process through the missing shards of a run.
pub(crate) struct Walk<'a> {
    process: Process<'a>,
    /// The forecast of the whole run on the threads of the process.
    forecast: Forecast,
}

impl<'a> Walk<'a> {
    /// Begins a log for this process, whose results so far are `results`.
    pub(crate) fn begin(
        folder: &'a RunFolder,
        units: &'a dyn Plan,
        by: Contributor,
        forecast: Forecast,
        stop: Stop,
        results: Results<'a>,
    ) -> anyhow::Result<Self> {
        let log = stop.retry_at_start(|| Log::begin(&folder.logs(), &by.machine))?;
        let (threads, results, log) = (forecast.threads, Mutex::new(results), Mutex::new(log));
        Ok(Self { process: Process { folder, units, by, threads, stop, results, log }, forecast })
    }

    /// Counts the chosen shards that have no valid line. Waits for shards that other processes are counting, and counts
    /// them if those processes end without saving them. Returns the number of shards that this process counted and
    /// saved.
    pub(crate) fn count(&self, chosen: &[usize], streams: &Streams<'_>) -> anyhow::Result<usize> {
        let Process { results, stop, .. } = &self.process;
        let (mut counted, mut pause) = (0, Duration::ZERO);
        loop {
            let missing = lock(results).missing_of(chosen);
            if missing.is_empty() || stop.has_come() {
                return Ok(counted);
            }
            // Other processes often save their results within a moment, so the first pause is silent.
            if pause == 2 * PAUSES[0] {
                streams.note(format_args!(
                    "waiting for {} that other processes are counting: 'nqueens status' lists these processes; if \
                     one hangs, end it, and this process counts its shards",
                    plural(missing.len(), "shard")
                ));
            }
            stop.wait(pause);
            pause = (2 * pause).clamp(PAUSES[0], PAUSES[1]);
            counted += self.round(&missing, chosen, streams)?;
            stop.retry(|| lock(results).look())?;
        }
    }

    /// Counts the missing shards that no other process is counting, and shows the progress.
    pub(crate) fn round(&self, missing: &[usize], chosen: &[usize], streams: &Streams<'_>) -> anyhow::Result<usize> {
        let Process { folder: RunFolder { plan, .. }, threads, stop, .. } = &self.process;
        let [left, all] = [missing, chosen].map(|shards| plan.predicted_seconds_of(shards.iter().copied()));
        let time_left = TimeLeft::new(self.forecast_of(missing).seconds(), *threads).of_the_rest(1.0 - left / all);
        let task = Task::new(&format!("n = {}", plan.size), streams)?.until(stop.deadline);
        // The outer `Ok` keeps the task from putting its label before an error of the round.
        task.run(time_left, |cancel, progress| Ok(Round::count(&self.process, missing, cancel, progress)))?
    }

    /// Returns the number of threads of the process.
    pub(crate) fn threads(&self) -> usize {
        self.process.threads
    }

    /// Ends the walk and its log.
    pub(crate) fn into_results(self) -> Results<'a> {
        self.process.results.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the forecast of these shards on this machine alone.
    pub(crate) fn forecast_of(&self, shards: &[usize]) -> Forecast {
        let plan = &self.process.folder.plan;
        let share = plan.predicted_seconds_of(shards.iter().copied()) / plan.predicted_seconds_of(0..plan.shards());
        self.forecast.part(share)
    }
}
