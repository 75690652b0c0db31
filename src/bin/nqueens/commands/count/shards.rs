//! Counting shards until none is missing, or time is up.

use std::ops::RangeInclusive;
use std::time::{Duration, Instant};

use nqueens::Counter;
use nqueens::engine::Pool;
use nqueens::solver::{Isa, Solver, registry};

use super::super::options::{How, OnCards, seed_of_chance};
use crate::exit::Fault;
use crate::machine::pace;
use crate::runs::{Claimant, Origin, RunFolder, RunningClaim, ShardJob, patiently, wait_until};
use crate::terminal::Streams;
use crate::terminal::signals;
use crate::terminal::task::Task;
use crate::terminal::time_left::Forecast;
use crate::terminal::units::{in_words, part_of, plural};
use crate::{machine, version};

/// The time between two notes of what is waited for.
const NOTE_EVERY: Duration = Duration::from_secs(3600);

/// Pauses between looks at shards that other processes count: the first and the longest.
const PAUSES: [Duration; 2] = [Duration::from_millis(250), Duration::from_secs(8)];

/// What stops a process: a signal or the end of its time.
#[derive(Clone, Copy)]
pub(crate) struct Stops {
    pub(crate) deadline: Option<Instant>,
}

impl Stops {
    /// Whether one of them has come.
    fn have_come(&self) -> bool {
        signals::caught().is_some() || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Does work that may be repeated. Tries again while the file system fails, until a stop.
    pub(crate) fn patiently<T>(&self, work: impl FnMut() -> anyhow::Result<T>) -> anyhow::Result<T> {
        patiently(|| self.have_come(), work).map_err(|error| match self.have_come() {
            true => Fault::TimeUp.error(format!("stopped: {error:#}")),
            false => error,
        })
    }

    /// Waits for this time. Returns `false` at once after a stop.
    fn wait(&self, time: Duration) -> bool {
        let end = Instant::now() + time;
        wait_until(|| Instant::now() >= end || self.have_come());
        !self.have_come()
    }
}

/// How far the shards are that a process worked on.
pub(crate) struct Progress {
    /// Number of shards that this process counted and saved.
    pub(crate) counted: usize,
    /// Number of shards that have a record of another process, or of an earlier start.
    pub(crate) known: usize,
    /// Number of shards without a record, after a signal or the end of the time.
    pub(crate) left: usize,
}

/// Work on a run, by this process.
pub(crate) struct RunWork<'a> {
    pub(crate) folder: &'a RunFolder,
    pub(crate) how: &'a How,
    /// What counts instead of the processor alone.
    pub(crate) cards: Option<&'a OnCards>,
    /// The name of this machine.
    pub(crate) machine: String,
    pub(crate) stops: Stops,
}

impl RunWork<'_> {
    /// Counts those of these shards that have no valid record. Waits for shards that other processes count, and counts
    /// them if those processes end without a record. At the end every shard has a record that was read and is valid.
    pub(crate) fn go_on(&self, shards: RangeInclusive<usize>, streams: &Streams<'_>) -> anyhow::Result<Progress> {
        let selected = shards.clone().count();
        let plan = &self.folder.plan;
        let predicted = |shards: &mut dyn Iterator<Item = usize>| -> f64 {
            shards.map(|shard| plan.predicted_seconds(shard)).sum()
        };
        let mut wanted = self.without_record(shards.clone(), streams)?;
        let known = selected - wanted.len();
        if known > 0 {
            streams.note(part_of(known, selected, "shard", ["has a record", "have a record"]));
        }
        if wanted.is_empty() {
            return Ok(Progress { counted: 0, known, left: 0 });
        }
        let number = seed_of_chance();
        self.stops.patiently(|| {
            self.folder.make_folders()?;
            self.folder.probe(number)
        })?;
        let solver = plan.cut.solver()?;
        let isa = registry::best_isa(solver, self.how.isa.checked()?.unwrap_or_else(registry::machine_isa));
        let mut units = plan.cut.plan(isa, &self.folder.path)?;
        if let Some(cards) = self.cards {
            units = cards.take_over(&*units, plan.size(), isa)?;
        }
        let threads = self.threads(solver, isa, streams)?;
        let origin = self.origin(isa, threads);
        let (folder, deadline, pool) = (self.folder, self.stops.deadline, self.pool(threads));
        let job = ShardJob { folder, units: &*units, origin, pool, deadline, number };
        let pace = pace::thread_seconds(solver, plan.size(), isa, threads) / plan.whole_seconds().max(1e-9);
        let selected_seconds = predicted(&mut shards.clone()).max(f64::MIN_POSITIVE);
        let (mut counted, mut pause, mut next_note) = (0, PAUSES[0], None);
        loop {
            let wanted_seconds = predicted(&mut wanted.iter().copied());
            let forecast =
                Forecast::new(pace * wanted_seconds, threads).of_the_rest(1.0 - wanted_seconds / selected_seconds);
            let task = Task::new(&format!("n = {}", plan.size()), streams)?;
            counted += task.run(forecast, |cancel, monitor| Ok(job.run(&wanted, cancel, monitor)))??;
            let there = self.stops.patiently(|| folder.listed())?;
            wanted.retain(|shard| there.binary_search(shard).is_err());
            if wanted.is_empty() {
                // The file of another process may be damaged.
                wanted = self.without_record(shards.clone(), streams)?;
            }
            if wanted.is_empty() || self.stops.have_come() {
                break;
            }
            // Another process may save its record in a moment, so the first pause gets no note.
            if pause > PAUSES[0] && next_note.is_none_or(|next| Instant::now() >= next) {
                streams.note(self.waited_for(&wanted));
                next_note = Some(Instant::now() + NOTE_EVERY);
            }
            if !self.stops.wait(pause) {
                break;
            }
            pause = (pause * 2).min(PAUSES[1]);
        }
        let left = wanted.len();
        Ok(Progress { counted, known: (selected - left).saturating_sub(counted), left })
    }

    /// These threads for the engine.
    fn pool(&self, threads: usize) -> Pool {
        self.cards.map_or_else(|| self.how.threads.pool(threads), |cards| Pool::Own(cards.threads()))
    }

    /// What records say of this process.
    fn origin(&self, isa: Isa, threads: usize) -> Origin {
        Origin {
            isa: self.cards.map_or_else(|| isa.name().to_owned(), |cards| cards.in_records(isa)),
            version: version::VERSION.to_owned(),
            commit: version::COMMIT.to_owned(),
            dirty: version::IS_DIRTY,
            cpu: machine::facts().cpu_model,
            machine: self.machine.clone(),
            threads,
        }
    }

    /// The shard that another process has counted for the longest time, in words.
    fn waited_for(&self, wanted: &[usize]) -> String {
        let held = self.folder.held().unwrap_or_default();
        let held = held.into_iter().filter(|(shard, _)| wanted.contains(shard));
        let held = held.map(|(shard, claimant)| RunningClaim::new(shard, claimant));
        // A claim without a name cannot be read, or is being written.
        let held = held.filter(|claim| !claim.claimant.machine.is_empty());
        let more = format!("{} in all", plural(wanted.len(), "shard"));
        match held.max_by_key(|claim| claim.seconds) {
            Some(RunningClaim { shard, claimant: Claimant { machine, process, .. }, seconds }) => {
                let time = in_words(seconds as f64);
                format!(
                    "waiting for shard {shard}, which {machine} has been counting for {time} (process {process}); {more}"
                )
            }
            None => format!("waiting for shard {}, which another process is counting; {more}", wanted[0]),
        }
    }

    /// The shards that have no valid record. Notes which files are damaged.
    fn without_record(&self, shards: RangeInclusive<usize>, streams: &Streams<'_>) -> anyhow::Result<Vec<usize>> {
        let look = self.stops.patiently(|| self.folder.look(shards.clone()))?;
        for (&shard, problem) in &look.damaged {
            streams.note(format_args!(
                "{} is damaged: {problem}; its shard is counted again, and the file gets another name",
                self.folder.record_file(shard).display()
            ));
        }
        Ok(shards.filter(|shard| !look.valid.contains_key(shard)).collect())
    }

    /// The number of threads that fit the memory. Notes what is counted, and on how many threads.
    fn threads(&self, solver: &dyn Solver, isa: Isa, streams: &Streams<'_>) -> anyhow::Result<usize> {
        let plan = &self.folder.plan;
        if let Some(cards) = self.cards {
            streams.note(format_args!("counting {} on {}", plan.in_words(), cards.in_words()));
            return Ok(cards.threads());
        }
        let counter = Counter::for_size(plan.size()).solver(solver.name()).isa(isa);
        let (counter, fewer) = self.how.threads.fit(counter)?;
        let threads = counter.threads_used()?;
        streams.note(format_args!(
            "counting {} with {} {}",
            plan.in_words(),
            isa.name(),
            fewer.unwrap_or_else(|| format!("on {}", plural(threads, "thread")))
        ));
        Ok(threads)
    }
}
