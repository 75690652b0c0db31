//! The walk of `nqueens count N --dir RUN`: counts the shards that are missing, until none is or a stop comes.

use std::collections::HashSet;
use std::slice::from_ref;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use nqueens::engine::Pool;
use nqueens::solver::Plan;

use super::{Claimant, Contributor, Log, Results, RunFolder, RunningClaim, ShardJob, retry, retry_at_start, wait};
use crate::exit::Fault;
use crate::forecast::{CountForecast, range};
use crate::terminal::Streams;
use crate::terminal::signals;
use crate::terminal::task::Task;
use crate::terminal::time_left::Forecast;
use crate::terminal::units::{in_words, plural};

/// The time between two notes of what is waited for.
const NOTE_EVERY: Duration = Duration::from_secs(3600);

/// Pauses between looks at shards that other processes count: the first and the longest.
const PAUSES: [Duration; 2] = [Duration::from_millis(250), Duration::from_secs(8)];

/// What stops a process: a signal or the end of its time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stops {
    pub(crate) deadline: Option<Instant>,
}

impl Stops {
    /// Whether one of them has come.
    fn have_come(self) -> bool {
        signals::caught().is_some() || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Does work that may be repeated. Tries again while the file system fails, until a stop.
    fn retry<T>(self, work: impl FnMut() -> anyhow::Result<T>) -> anyhow::Result<T> {
        retry(|| self.have_come(), work).map_err(|error| self.stopped(error))
    }

    /// Like [`Stops::retry`], before the folder of the run was there.
    pub(crate) fn retry_at_start<T>(self, work: impl FnMut() -> anyhow::Result<T>) -> anyhow::Result<T> {
        retry_at_start(|| self.have_come(), work).map_err(|error| self.stopped(error))
    }

    fn stopped(self, error: anyhow::Error) -> anyhow::Error {
        if self.have_come() { Fault::TimeUp.error(format!("stopped: {error:#}")) } else { error }
    }
}

/// What a process is to count.
pub(crate) struct Order<'a> {
    pub(crate) folder: &'a RunFolder,
    /// Whether this process planned it.
    pub(crate) is_new: bool,
    /// The shards to count, in order.
    pub(crate) selected: Vec<usize>,
    pub(crate) stops: Stops,
}

/// What counts in this process.
pub(crate) struct Workers {
    /// The units of the run with the code that counts them.
    pub(crate) units: Box<dyn Plan>,
    /// What results say of this process.
    pub(crate) by: Contributor,
    pub(crate) pool: Pool,
    pub(crate) threads: usize,
    /// How long they take for the whole run.
    pub(crate) forecast: CountForecast,
    /// Whether that is known before anything is counted.
    pub(crate) is_timed: bool,
}

/// What a process did.
pub(crate) struct Done {
    /// All results, read from the start of each file.
    pub(crate) results: Results,
    /// Number of shards that were counted at the start.
    pub(crate) known: usize,
    /// Number of shards that it counted and saved.
    pub(crate) counted: usize,
    /// Number of shards that are left after a stop.
    pub(crate) left: usize,
    /// Whether other processes count all of these.
    pub(crate) is_held: bool,
    /// Number of threads that counted.
    pub(crate) threads: usize,
}

/// Counts those of the selected shards that have no valid line. Waits for shards that other processes count, and counts
/// them if those processes end without a line. At the end, all lines are read again.
pub(crate) fn count(
    order: &Order<'_>,
    workers: impl FnOnce() -> anyhow::Result<Workers>,
    streams: &Streams<'_>,
) -> anyhow::Result<Done> {
    let Order { folder, selected, stops, .. } = order;
    let plan = &folder.plan;
    let predicted = |shards: &[usize]| -> f64 { shards.iter().map(|&shard| plan.predicted_seconds(shard)).sum() };
    let missing =
        |results: &Results| -> Vec<usize> { selected.iter().copied().filter(|&shard| !results.has(shard)).collect() };
    let mut results = stops.retry(|| Results::read(from_ref(folder)))?;
    let mut wanted = missing(&results);
    let known = selected.len() - wanted.len();
    streams.note(begun(order, known));
    note_damage(&results, streams);
    if wanted.is_empty() {
        return Ok(Done { results, known, counted: 0, left: 0, is_held: false, threads: 0 });
    }
    let Workers { units, by, pool, threads, forecast, is_timed } = workers()?;
    let seconds_of = |shards: &[usize]| forecast.part(predicted(shards) / plan.whole_seconds().max(1e-9)).seconds();
    let log = stops.retry_at_start(|| {
        folder.make_folders()?;
        Log::begin(&folder.logs(), &by.machine)
    })?;
    let log = Mutex::new(log);
    let seconds = seconds_of(&wanted);
    if is_timed && seconds >= 1.0 {
        let (time, trust) = (range(seconds), forecast.trust());
        streams.note(format_args!("the missing shards take {time} on this machine alone{trust}"));
    }
    let (mut counted, mut most_threads, mut pause) = (0, 0, PAUSES[0]);
    let (mut waited, mut next_note) = (None, Instant::now());
    while !wanted.is_empty() && !stops.have_come() {
        let done = 1.0 - predicted(&wanted) / predicted(selected).max(f64::MIN_POSITIVE);
        let time_left = Forecast::new(seconds_of(&wanted) * threads as f64, threads).of_the_rest(done);
        let task = Task::new(&format!("n = {}", plan.size()), streams)?;
        let read = Mutex::new(results);
        let job = ShardJob {
            folder,
            units: &*units,
            by: &by,
            threads,
            pool,
            deadline: stops.deadline,
            results: &read,
            log: &log,
            unsaved: &task.unsaved,
        };
        let (shards, threads) = task.run(time_left, |cancel, progress| Ok(job.run(&wanted, cancel, progress)))??;
        results = read.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        counted += shards;
        most_threads = most_threads.max(threads);
        stops.retry(|| results.look())?;
        wanted = missing(&results);
        if wanted.is_empty() {
            // A line may have been damaged since.
            results = stops.retry(|| Results::read(from_ref(folder)))?;
            wanted = missing(&results);
            if !wanted.is_empty() {
                note_damage(&results, streams);
            }
        } else if !stops.have_come() {
            // Another process may save its result in a moment, so the first pause gets no note.
            if pause > PAUSES[0] {
                let (holder, words) = waited_for(folder, &wanted);
                if waited.as_ref() != Some(&holder) || Instant::now() >= next_note {
                    streams.note(words);
                    (waited, next_note) = (Some(holder), Instant::now() + NOTE_EVERY);
                }
            }
            wait(pause, || stops.have_come());
            pause = (pause * 2).min(PAUSES[1]);
        }
    }
    let is_held = !wanted.is_empty() && is_held(folder, &wanted);
    Ok(Done { results, known, counted, left: wanted.len(), is_held, threads: most_threads })
}

/// Says whether this process planned the run or joined it.
fn begun(order: &Order<'_>, known: usize) -> String {
    let (place, shards, selected) = (order.folder.path.display(), order.folder.plan.shards(), order.selected.len());
    if order.is_new {
        return format!("planned a new run in {place}: {}", plural(shards, "shard"));
    }
    let of = if selected < shards { " of --only" } else { "" };
    format!("joined {place}, {known} of {}{of} done", plural(selected, "shard"))
}

/// Whether other processes count all these shards.
fn is_held(folder: &RunFolder, wanted: &[usize]) -> bool {
    let held: HashSet<usize> = folder.held().unwrap_or_default().into_iter().map(|claim| claim.shard).collect();
    wanted.iter().all(|shard| held.contains(shard))
}

/// The shard that another process has counted for the longest time: the shard with that process, and in words.
fn waited_for(folder: &RunFolder, wanted: &[usize]) -> ((usize, Claimant), String) {
    let mut held = folder.held().unwrap_or_default();
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

/// Notes damaged lines and wrong shards.
fn note_damage(results: &Results, streams: &Streams<'_>) {
    results.foreign().iter().for_each(|foreign| streams.note(foreign));
    for problem in results.damage() {
        streams.note(format_args!("{problem}; shards that are missing are counted again"));
    }
    results.wrong.values().for_each(|problem| streams.complain(problem));
}
