//! A process of `nqueens count N --dir RUN`, which counts missing shards until none is left or it is stopped.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::round::Round;
use super::{Contributor, Log, Results, RunFolder, retry};
use crate::forecast::Forecast;
use crate::terminal::Streams;
use crate::terminal::stop::Stop;
use crate::terminal::task::Task;
use crate::terminal::time_left::TimeLeft;
use crate::terminal::units::plural;
use nqueens::solver::Plan;

/// The first and the longest pause between two looks at shards that other processes are counting. Pauses double.
const PAUSES: [Duration; 2] = [Duration::from_millis(250), Duration::from_secs(8)];

/// The number of rounds before the note that a process waits for others. They often save their results within a
/// moment.
const SILENT_ROUNDS: usize = 2;

/// A process that counts shards of a run, as all its threads see it.
pub(crate) struct Process<'a> {
    pub(crate) folder: &'a RunFolder,
    /// The units of the run, with the code that counts them.
    pub(crate) plan: &'a dyn Plan,
    /// This machine, as its lines name it.
    pub(crate) by: Contributor,
    pub(crate) threads: usize,
    /// The forecast of the whole run on the threads of this process.
    pub(crate) forecast: Forecast,
    pub(crate) stop: Stop,
    /// The results that have been read.
    pub(crate) results: Mutex<Results<'a>>,
    /// The log of this process.
    pub(crate) log: Mutex<Log>,
}

impl<'a> Process<'a> {
    /// Counts the chosen shards that have no valid line. Waits for shards that other processes are counting, and counts
    /// them if those processes end without saving them. Returns the number of shards that this process counted and
    /// saved.
    pub(crate) fn count_until_done(&self, chosen: &[usize], streams: &Streams<'_>) -> anyhow::Result<usize> {
        let (mut counted, mut pause) = (0, Duration::ZERO);
        for round in 0.. {
            let missing = lock(&self.results).missing_of(chosen);
            if missing.is_empty() || self.stop.has_come() {
                break;
            }
            if round == SILENT_ROUNDS {
                let (shards, folder) = (plural(missing.len(), "shard"), lock(&self.results).folders_in_shell());
                streams.note(format_args!(
                    "waiting for {shards} that other processes are counting: 'nqueens status {folder}' lists these \
                     processes; if one hangs, kill it, and this process counts its shards"
                ));
            }
            self.stop.wait(pause);
            pause = (2 * pause).clamp(PAUSES[0], PAUSES[1]);
            counted += self.count_unclaimed(chosen, streams)?;
            retry(&self.stop, || lock(&self.results).look())?;
        }
        Ok(counted)
    }

    /// Counts the chosen shards that are missing and that no other process is counting, and shows the progress. Returns
    /// the number of shards that this process counted and saved.
    pub(crate) fn count_unclaimed(&self, chosen: &[usize], streams: &Streams<'_>) -> anyhow::Result<usize> {
        let run_plan = &self.folder.run_plan;
        let missing = lock(&self.results).missing_of(chosen);
        let [left, all] = [&missing, chosen].map(|shards| run_plan.predicted_seconds_of(shards.iter().copied()));
        let forecast = self.forecast_of(&missing);
        let time_left = TimeLeft::new(forecast.known_seconds(), self.threads).of_the_rest(1.0 - left / all);
        let task = Task::new(&format!("n = {}", run_plan.size), streams)?.until(self.stop.deadline);
        // The outer `Ok` keeps the task from putting its label before an error of the round.
        task.run(time_left, |cancel, progress| Ok(Round::count_shards(self, &missing, cancel, progress)))?
    }

    /// Returns the forecast of these shards on this machine alone.
    pub(crate) fn forecast_of(&self, shards: &[usize]) -> Forecast {
        let run_plan = &self.folder.run_plan;
        let share =
            run_plan.predicted_seconds_of(shards.iter().copied()) / run_plan.predicted_seconds_of(0..run_plan.shards());
        self.forecast.part(share)
    }

    /// Ends the process and its log, and returns its results.
    pub(crate) fn into_results(self) -> Results<'a> {
        self.results.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Locks data that stay valid even if a thread panicked while it had them.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
