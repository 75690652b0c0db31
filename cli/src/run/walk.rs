//! The walk of `nqueens count N --dir RUN`: one process counts the shards that are missing, until none is or a stop comes.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use nqueens::solver::Plan;

use super::round::lock;
use super::{Claimant, Contributor, Log, Results, RunFolder, RunningClaim, retry, retry_at_start, wait};
use crate::exit::Fault;
use crate::forecast::CountForecast;
use crate::terminal::task::Task;
use crate::terminal::time_left::Forecast;
use crate::terminal::units::{in_words, plural};
use crate::terminal::{Streams, signals};

/// The time between two notes of what is waited for.
const NOTE_EVERY: Duration = Duration::from_secs(3600);

/// Pauses between looks at shards that other processes count: the first and the longest.
const PAUSES: [Duration; 2] = [Duration::from_millis(250), Duration::from_secs(8)];

/// What stops a process: a signal or the end of its time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stop {
    pub(crate) deadline: Option<Instant>,
}

impl Stop {
    /// Whether one of them has come.
    pub(crate) fn has_come(self) -> bool {
        signals::caught().is_some() || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Does work that may be repeated. Tries again while the file system fails, until a stop.
    pub(crate) fn retry<T>(self, work: impl FnMut() -> anyhow::Result<T>) -> anyhow::Result<T> {
        retry(|| self.has_come(), work).map_err(|error| self.stopped(error))
    }

    /// Like [`Stop::retry`], before the folder of the run was there.
    pub(crate) fn retry_at_start<T>(self, work: impl FnMut() -> anyhow::Result<T>) -> anyhow::Result<T> {
        retry_at_start(|| self.has_come(), work).map_err(|error| self.stopped(error))
    }

    fn stopped(self, error: anyhow::Error) -> anyhow::Error {
        if self.has_come() { Fault::TimeUp.error(format!("stopped: {error:#}")) } else { error }
    }
}

/// The work of one process on a run.
pub(crate) struct Walk<'a> {
    pub(crate) folder: &'a RunFolder,
    /// The units of the run, with the code that counts them.
    pub(crate) units: &'a dyn Plan,
    /// Who counts, as results say it.
    pub(crate) by: Contributor,
    /// The number of threads.
    pub(crate) threads: usize,
    /// How long they take for the whole run.
    pub(crate) forecast: CountForecast,
    pub(crate) stop: Stop,
    /// What has been read of the run.
    pub(crate) results: Mutex<Results>,
    /// The log of this process.
    pub(crate) log: Mutex<Log>,
}

/// What a process did.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Done {
    /// Number of shards that it counted and saved.
    pub(crate) shards: usize,
    /// Number of threads that counted.
    pub(crate) threads: usize,
}

impl Walk<'_> {
    /// Counts those of the selected shards that have no valid line. Waits for shards that other processes count, and counts
    /// them if those processes end without a line.
    pub(crate) fn count(&self, selected: &[usize], streams: &Streams<'_>) -> anyhow::Result<Done> {
        let mut done = Done::default();
        let (mut pause, mut waited, mut next_note) = (PAUSES[0], None, Instant::now());
        loop {
            let wanted = self.missing(selected);
            if wanted.is_empty() || self.stop.has_come() {
                return Ok(done);
            }
            let round = self.round(&wanted, selected, streams)?;
            done = Done { shards: done.shards + round.shards, threads: done.threads.max(round.threads) };
            self.stop.retry(|| lock(&self.results).look())?;
            let wanted = self.missing(selected);
            if wanted.is_empty() || self.stop.has_come() {
                return Ok(done);
            }
            // Another process may save its result in a moment, so the first pause gets no note.
            if pause > PAUSES[0] {
                let (holder, words) = self.waited_for(&wanted);
                if waited.as_ref() != Some(&holder) || Instant::now() >= next_note {
                    streams.note(words);
                    (waited, next_note) = (Some(holder), Instant::now() + NOTE_EVERY);
                }
            }
            wait(pause, || self.stop.has_come());
            pause = (pause * 2).min(PAUSES[1]);
        }
    }

    /// Counts what nobody else counts, with progress.
    fn round(&self, wanted: &[usize], selected: &[usize], streams: &Streams<'_>) -> anyhow::Result<Done> {
        let plan = &self.folder.plan;
        let done = 1.0 - plan.predicted_seconds_of(wanted) / plan.predicted_seconds_of(selected).max(f64::MIN_POSITIVE);
        let time_left = Forecast::new(self.seconds_of(wanted) * self.threads as f64, self.threads).of_the_rest(done);
        let mut task = Task::new(&format!("n = {}", plan.size()), streams)?;
        task.deadline = self.stop.deadline;
        task.run(time_left, |cancel, progress| Ok(self.count_once(wanted, cancel, progress, &task.unsaved)))?
    }

    /// Predicted seconds of these shards on this machine alone.
    pub(crate) fn seconds_of(&self, shards: &[usize]) -> f64 {
        let plan = &self.folder.plan;
        self.forecast.part(plan.predicted_seconds_of(shards) / plan.whole_seconds().max(1e-9)).seconds()
    }

    /// Those of the selected shards that have no valid line, in order.
    pub(crate) fn missing(&self, selected: &[usize]) -> Vec<usize> {
        let results = lock(&self.results);
        selected.iter().copied().filter(|&shard| !results.has(shard)).collect()
    }

    /// The shard that another process has counted for the longest time: the shard with that process, and in words.
    fn waited_for(&self, wanted: &[usize]) -> ((usize, Claimant), String) {
        let mut held = self.folder.held().unwrap_or_default();
        // A claim without a name cannot be read, or is being written.
        held.retain(|claim| wanted.contains(&claim.shard) && !claim.claimant.machine.is_empty());
        let more = format!("{} in all", plural(wanted.len(), "shard"));
        match held.into_iter().max_by_key(|claim| claim.seconds) {
            Some(RunningClaim { shard, claimant, seconds }) => {
                let Claimant { machine, process, .. } = &claimant;
                // A clock that is ahead says nothing.
                let time = if seconds == 0 { String::new() } else { format!(" for {}", in_words(seconds as f64)) };
                let words = format!(
                    "waiting for shard {shard}, which {machine} has been counting{time} (process {process}); {more}. If that \
                     process hangs, end it: this one then counts its shard"
                );
                ((shard, claimant), words)
            }
            None => {
                let words = format!("waiting for shard {}, which another process is counting; {more}", wanted[0]);
                ((wanted[0], Claimant::default()), words)
            }
        }
    }
}
