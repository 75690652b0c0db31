//! One round of a walk: threads count shards and save their results.
//!
//! The threads of a process take one unit after another. When all units of a shard are taken, they go on with the next
//! shard: no thread waits for the end of a shard. Another thread appends the results of finished shards to the log. While
//! the file system fails, results wait in memory, and the threads count on.

use std::cell::Cell;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::{self, Receiver, SendError};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use super::queue::Queue;
use super::{Claim, Claimant, Done, Line, Walk, retry};
use crate::machine::random;
use crate::machine::stopwatch::Stopwatch;
use crate::terminal::{complain, signals};
use nqueens::tally::Tally;
use nqueens::{CancelToken, Progress};

/// What the threads of a round share.
struct Round<'a> {
    walk: &'a Walk<'a>,
    stop: CancelToken,
    progress: &'a Progress,
    /// Number of counted shards that are not saved yet.
    unsaved: &'a AtomicUsize,
    /// Locked also while a thread looks which shard comes next: until then, no thread has a unit to take.
    taking: Mutex<Taking>,
    /// The shards that are being counted.
    begun: Mutex<HashMap<usize, Begun<'a>>>,
    saved: Mutex<Saved>,
}

/// What the threads take next.
struct Taking {
    queue: Queue,
    /// The units of the last shard that no thread has taken.
    open: Range<usize>,
}

/// A shard that is being counted.
struct Begun<'a> {
    claim: Claim,
    result: Line<'a>,
    units_left: usize,
}

/// A shard that is counted, and not saved.
type Finished<'a> = (Line<'a>, Claim);

/// What became of finished shards.
#[derive(Default)]
struct Saved {
    /// Number of shards that this process counted and saved.
    counted: usize,
    /// Shards whose results could not be saved.
    lost: Vec<usize>,
    /// The first error.
    failure: Option<anyhow::Error>,
}

thread_local! {
    /// When this thread took its unit.
    static TAKEN: Cell<Option<Stopwatch>> = const { Cell::new(None) };
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Numbers in ascending order, as `--only` takes them: `3..=7, 9`.
fn ranges(numbers: &[usize]) -> String {
    let runs = numbers.chunk_by(|one, next| one + 1 == *next).map(|run| match run {
        [one] => one.to_string(),
        _ => format!("{}..={}", run[0], run[run.len() - 1]),
    });
    runs.collect::<Vec<_>>().join(", ")
}

impl Walk<'_> {
    /// Counts these shards, except those that have a valid line or that another process is counting. `cancel` and the stops
    /// of the walk end it. `unsaved` is the number of shards that are counted and not saved yet.
    pub(crate) fn count_once(
        &self,
        shards: &[usize],
        cancel: &CancelToken,
        progress: &Progress,
        unsaved: &AtomicUsize,
    ) -> anyhow::Result<Done> {
        let units = || shards.iter().flat_map(|&shard| self.folder.plan.units_of(shard));
        let number = units().count();
        progress.begin(number, units().map(|unit| self.units.cost(unit)).sum());
        let round = Round {
            walk: self,
            stop: cancel.child(),
            progress,
            unsaved,
            taking: Mutex::new(Taking { queue: Queue::new(shards, random()), open: 0..0 }),
            begun: Mutex::default(),
            saved: Mutex::default(),
        };
        let drained = thread::scope(|scope| {
            let (finished, list) = mpsc::channel();
            let write = || round.write(list);
            // If the system refuses this thread, nobody receives, and the threads that count save their results.
            let _ = thread::Builder::new().spawn_scoped(scope, write);
            let note = |unit, tally| {
                let Some(shard) = round.note(unit, tally)? else { return Ok(()) };
                if let Err(SendError(shard)) = finished.send(shard) {
                    round.save(vec![shard]);
                }
                Ok(())
            };
            let count = self.units.count().threads(self.threads).cancelled_by(&round.stop).progress(progress);
            let drained = count.drain(|| round.next(), number, note);
            // The thread that writes ends when everything is saved.
            drop(finished);
            drained
        });
        let Saved { counted, mut lost, failure } = round.saved.into_inner().unwrap_or_else(PoisonError::into_inner);
        lost.sort_unstable();
        let what = format!("these shards were counted and are lost: {}", ranges(&lost));
        match failure {
            None => {}
            Some(error) if lost.is_empty() => return Err(error),
            // A signal ends the process with its own status.
            Some(error) if signals::caught().is_some() => complain(format_args!("{what}: {error:#}")),
            Some(error) => return Err(error.context(what)),
        }
        Ok(Done { shards: counted, threads: drained? })
    }
}

impl<'a> Round<'a> {
    /// Whether no unit may begin any more.
    fn is_stopped(&self) -> bool {
        self.stop.is_cancelled() || self.walk.stop.has_come()
    }

    /// Takes the next unit, of the last shard or of a new one. `None` if none is left, after a stop, or after an error
    /// that does not pass, which stops all threads.
    fn next(&self) -> Option<usize> {
        let mut taking = lock(&self.taking);
        while !self.is_stopped() {
            if let Some(unit) = taking.open.next() {
                TAKEN.set(Some(Stopwatch::start()));
                return Some(unit);
            }
            match self.begin_shard(&mut taking) {
                Ok(true) => {}
                Ok(false) => return None,
                // After a stop, nobody needs to know which file could not be read.
                Err(_) if self.is_stopped() => {}
                Err(error) => self.fail(error),
            }
        }
        None
    }

    /// Stops all threads.
    fn fail(&self, error: anyhow::Error) {
        lock(&self.saved).failure.get_or_insert(error);
        self.stop.cancel();
    }

    /// Claims the next shard that needs to be counted; `false` if there is none.
    fn begin_shard(&self, taking: &mut Taking) -> anyhow::Result<bool> {
        let Walk { folder, results, by, .. } = self.walk;
        while let Some(shard) = taking.queue.front().filter(|_| !self.is_stopped()) {
            if lock(results).has(shard) {
                let gone = taking.queue.look_around(|shard| lock(results).has(shard));
                gone.into_iter().for_each(|shard| self.skip(shard));
                continue;
            }
            let Some(claim) = folder.claim(shard, &self.claimant()) else {
                taking.queue.take();
                taking.queue.jump();
                continue;
            };
            // Another process may have saved the result before this process had the claim.
            retry(|| self.is_stopped(), || lock(results).look())?;
            if lock(results).has(shard) {
                claim.finish();
                continue;
            }
            taking.queue.take();
            taking.open = folder.plan.units_of(shard);
            let result = Line::begin(&folder.plan, shard, by);
            lock(&self.begun).insert(shard, Begun { claim, result, units_left: taking.open.len() });
            return Ok(true);
        }
        Ok(false)
    }

    /// What this process writes in a claim now.
    fn claimant(&self) -> Claimant {
        let (threads, machine) = (self.walk.threads, self.walk.by.machine.clone());
        Claimant { since: crate::machine::now(), threads, machine, process: std::process::id() }
    }

    /// Takes a shard that another process counted out of the progress.
    fn skip(&self, shard: usize) {
        self.walk.folder.plan.units_of(shard).for_each(|unit| self.progress.finish_unit(self.walk.units.cost(unit)));
    }

    /// Adds the tally of a unit to its shard. Returns the shard after its last unit.
    fn note(&self, unit: usize, tally: Tally) -> nqueens::Result<Option<Finished<'a>>> {
        let seconds = TAKEN.take().map_or(0.0, |watch| watch.core_seconds());
        let shard = self.walk.folder.plan.shard_of(unit);
        let mut all = lock(&self.begun);
        let Some(begun) = all.get_mut(&shard) else { return Ok(None) };
        begun.result.add(unit, tally, seconds)?;
        begun.units_left -= 1;
        let finished = if begun.units_left == 0 { all.remove(&shard) } else { None };
        Ok(finished.map(|Begun { claim, result, .. }| {
            self.unsaved.fetch_add(1, Relaxed);
            (result.finish(), claim)
        }))
    }

    /// Saves finished shards until no thread counts any more. What came meanwhile is saved together.
    fn write(&self, list: Receiver<Finished<'a>>) {
        while let Ok(first) = list.recv() {
            self.save(std::iter::once(first).chain(list.try_iter()).collect());
        }
    }

    /// Appends results to the log. While the file system fails, waits and tries again. After a stop it tries once more.
    fn save(&self, shards: Vec<Finished<'a>>) {
        let (number, lines) = (shards.len(), shards.iter().map(|(result, _)| result.text()).collect::<String>());
        let mut has_failed = false;
        let append = || {
            // The log may have been moved with its folder. A new one belongs to this run alone.
            if std::mem::replace(&mut has_failed, true) {
                self.walk.folder.check_plan()?;
            }
            lock(&self.walk.log).append(&lines)
        };
        match retry(|| self.is_stopped(), append) {
            Ok(()) => {
                shards.into_iter().for_each(|(_, claim)| claim.finish());
                lock(&self.saved).counted += number;
            }
            Err(error) => {
                lock(&self.saved).lost.extend(shards.iter().map(|(result, _)| result.shard));
                self.fail(error);
            }
        }
        self.unsaved.fetch_sub(number, Relaxed);
    }
}
