//! The walk of `nqueens count N --dir RUN`: one process counts missing shards until none is left or it is stopped.

use std::sync::Mutex;
use std::time::Duration;

use nqueens::solver::Plan;

use super::round::lock;
use super::{Contributor, Log, Results, RunFolder, Stop};
use crate::forecast::Forecast;
use crate::terminal::Streams;
use crate::terminal::task::Task;
use crate::terminal::time_left::TimeLeft;
use crate::terminal::units::plural;

/// The first and the longest pause between two looks at shards that other processes count.
const PAUSES: [Duration; 2] = [Duration::from_millis(250), Duration::from_secs(8)];

/// The work of one process on a run.
pub(crate) struct Walk<'a> {
    pub(crate) folder: &'a RunFolder,
    /// The units of the run, with the code that counts them.
    pub(crate) units: &'a dyn Plan,
    /// Who counts, as lines name it.
    pub(crate) by: Contributor,
    /// The number of threads.
    pub(crate) threads: usize,
    /// How long these threads take for the whole run.
    pub(crate) forecast: Forecast,
    pub(crate) stop: Stop,
    /// What has been read of the run.
    pub(crate) results: Mutex<Results>,
    /// The log of this process.
    pub(crate) log: Mutex<Log>,
}

impl Walk<'_> {
    /// Counts those of the chosen shards that have no valid line. Waits for shards that other processes count, and
    /// counts them if those processes end without a line. Returns the number of shards that this process counted and
    /// saved.
    pub(crate) fn count(&self, chosen: &[usize], streams: &Streams<'_>) -> anyhow::Result<usize> {
        let (mut counted, mut pause) = (0, Duration::ZERO);
        loop {
            let missing = lock(&self.results).missing_of(chosen);
            if missing.is_empty() || self.stop.has_come() {
                return Ok(counted);
            }
            // Another process may save its result in a moment, so the first pause gets no note.
            if pause == 2 * PAUSES[0] {
                streams.note(format_args!(
                    "waiting for {} that other processes count: 'nqueens status' names them. End one that hangs: this one \
                     then counts its shards",
                    plural(missing.len(), "shard")
                ));
            }
            self.stop.wait(pause);
            pause = (2 * pause).clamp(PAUSES[0], PAUSES[1]);
            counted += self.round(&missing, chosen, streams)?;
            self.stop.retry(|| lock(&self.results).look())?;
        }
    }

    /// Counts what nobody else counts, with progress.
    fn round(&self, missing: &[usize], chosen: &[usize], streams: &Streams<'_>) -> anyhow::Result<usize> {
        let plan = &self.folder.plan;
        let [left, all] = [missing, chosen].map(|shards| plan.predicted_seconds_of(shards.iter().copied()));
        let time_left = TimeLeft::new(self.seconds_of(missing), self.threads).of_the_rest(1.0 - left / all);
        let mut task = Task::new(&format!("n = {}", plan.size), streams)?;
        task.deadline = self.stop.deadline;
        task.run(time_left, |cancel, progress| Ok(self.count_once(missing, cancel, progress)))?
    }

    /// Predicted seconds of these shards on this machine alone.
    pub(crate) fn seconds_of(&self, shards: &[usize]) -> f64 {
        let plan = &self.folder.plan;
        let share = plan.predicted_seconds_of(shards.iter().copied()) / plan.predicted_seconds_of(0..plan.shards());
        self.forecast.part(share).seconds()
    }
}
