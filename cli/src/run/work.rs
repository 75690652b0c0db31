//! Counts shards and saves their results.
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
use std::time::Instant;

use anyhow::Context;

use super::queue::Queue;
use super::{Claim, Claimant, Contributor, Line, Log, Results, RunFolder, retry};
use crate::machine::stopwatch::Stopwatch;
use crate::machine::{Timer, random};
use crate::terminal::{complain, signals};
use nqueens::engine::Pool;
use nqueens::solver::Plan;
use nqueens::tally::Tally;
use nqueens::{CancelToken, Progress};

/// Shards that this process counts.
pub(crate) struct ShardJob<'a> {
    /// The run.
    pub(crate) folder: &'a RunFolder,
    /// Its units, as [`Cut::plan`](super::plan::Cut::plan) gives them.
    pub(crate) units: &'a dyn Plan,
    /// Who counts, as results say it.
    pub(crate) by: &'a Contributor,
    /// The number of threads, as claims say it.
    pub(crate) threads: usize,
    /// The threads that count.
    pub(crate) pool: Pool,
    /// When to stop. No unit begins after it.
    pub(crate) deadline: Option<Instant>,
    /// What has been read of the run.
    pub(crate) results: &'a Mutex<Results>,
    /// The log of this process.
    pub(crate) log: &'a Mutex<Log>,
    /// Number of counted shards that are not saved yet.
    pub(crate) unsaved: &'a AtomicUsize,
}

impl ShardJob<'_> {
    /// Counts these shards, except those that have a valid line or that another process is counting. Returns the number
    /// of shards that it counted and saved, and the number of threads.
    pub(crate) fn run(
        &self,
        shards: &[usize],
        cancel: &CancelToken,
        progress: &Progress,
    ) -> anyhow::Result<(usize, usize)> {
        let units = || shards.iter().flat_map(|&shard| self.folder.plan.units_of(shard));
        let number = units().count();
        progress.begin(number, units().map(|unit| self.units.cost(unit)).sum());
        let timer = self.deadline.map(|deadline| Timer::start(cancel, deadline)).transpose();
        let timer = timer.context("could not start the thread that waits for the end of --for")?;
        let work = Work {
            job: self,
            stop: timer.as_ref().map_or_else(|| cancel.child(), |timer| timer.token.clone()),
            progress,
            taking: Mutex::new(Taking { queue: Queue::new(shards, random()), open: 0..0 }),
            begun: Mutex::default(),
            saved: Mutex::default(),
        };
        let drained = thread::scope(|scope| {
            let (finished, list) = mpsc::channel();
            let write = || work.write(list);
            // If the system refuses this thread, nobody receives, and the threads that count save their results.
            let _ = thread::Builder::new().spawn_scoped(scope, write);
            let note = |unit, tally| {
                let Some(shard) = work.note(unit, tally)? else { return Ok(()) };
                if let Err(SendError(shard)) = finished.send(shard) {
                    work.save(vec![shard]);
                }
                Ok(())
            };
            let drained =
                nqueens::internal::drain(self.units, || work.next(), self.pool, number, &work.stop, progress, note);
            // The thread that writes ends when everything is saved.
            drop(finished);
            drained
        });
        let Saved { counted, mut lost, failure } = work.saved.into_inner().unwrap_or_else(PoisonError::into_inner);
        lost.sort_unstable();
        let what = format!("these shards were counted and are lost: {}", ranges(&lost));
        match failure {
            None => {}
            Some(error) if lost.is_empty() => return Err(error),
            // A signal ends the process with its own status.
            Some(error) if signals::caught().is_some() => complain(format_args!("{what}: {error:#}")),
            Some(error) => return Err(error.context(what)),
        }
        Ok((counted, drained?.threads))
    }
}

/// What the threads of a job share.
struct Work<'a> {
    job: &'a ShardJob<'a>,
    stop: CancelToken,
    progress: &'a Progress,
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

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
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

impl<'a> Work<'a> {
    /// Takes the next unit, of the last shard or of a new one. `None` if none is left, after a stop, or after an error
    /// that does not pass, which stops all threads.
    fn next(&self) -> Option<usize> {
        let mut taking = lock(&self.taking);
        while !self.stop.is_cancelled() {
            if let Some(unit) = taking.open.next() {
                TAKEN.set(Some(Stopwatch::start()));
                return Some(unit);
            }
            match self.begin_shard(&mut taking) {
                Ok(true) => {}
                Ok(false) => return None,
                // After a stop, nobody needs to know which file could not be read.
                Err(_) if self.stop.is_cancelled() => {}
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
        let ShardJob { folder, results, by, .. } = *self.job;
        while let Some(shard) = taking.queue.front().filter(|_| !self.stop.is_cancelled()) {
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
            retry(|| self.stop.is_cancelled(), || lock(results).look())?;
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
        let (threads, machine) = (self.job.threads, self.job.by.machine.clone());
        Claimant { since: crate::machine::now(), threads, machine, process: std::process::id() }
    }

    /// Takes a shard that another process counted out of the progress.
    fn skip(&self, shard: usize) {
        self.job.folder.plan.units_of(shard).for_each(|unit| self.progress.finish_unit(self.job.units.cost(unit)));
    }

    /// Adds the tally of a unit to its shard. Returns the shard after its last unit.
    fn note(&self, unit: usize, tally: Tally) -> nqueens::Result<Option<Finished<'a>>> {
        let seconds = TAKEN.take().map_or(0.0, |watch| watch.core_seconds());
        let shard = self.job.folder.plan.shard_of(unit);
        let mut all = lock(&self.begun);
        let Some(begun) = all.get_mut(&shard) else { return Ok(None) };
        begun.result.add(unit, tally, seconds)?;
        begun.units_left -= 1;
        let finished = if begun.units_left == 0 { all.remove(&shard) } else { None };
        Ok(finished.map(|Begun { claim, result, .. }| {
            self.job.unsaved.fetch_add(1, Relaxed);
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
                self.job.folder.check_plan()?;
            }
            lock(self.job.log).append(&lines)
        };
        match retry(|| self.stop.is_cancelled(), append) {
            Ok(()) => {
                shards.into_iter().for_each(|(_, claim)| claim.finish());
                lock(&self.saved).counted += number;
            }
            Err(error) => {
                lock(&self.saved).lost.extend(shards.iter().map(|(result, _)| result.shard));
                self.fail(error);
            }
        }
        self.job.unsaved.fetch_sub(number, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::slice::from_ref;
    use std::time::Instant;

    use super::super::RunPlan;
    use super::*;
    use crate::machine::stopwatch::tests::{NAP, sleepy};
    use nqueens::board::Size;
    use nqueens::registry;

    const SHARDS: usize = 40;

    fn folder(path: &std::path::Path, n: usize, shards: usize) -> RunFolder {
        let plan = RunPlan::new(Size::new(n).unwrap(), registry::find("bitmask").unwrap(), Some(shards)).unwrap();
        let folder = RunFolder::create(path, &plan).unwrap().0;
        folder.make_folders().unwrap();
        folder
    }

    /// Runs a process of one thread on all shards. Returns the number that it counted.
    fn run(folder: &RunFolder, units: &dyn Plan) -> usize {
        let by = &Contributor { machine: "box".to_owned(), ..Contributor::default() };
        let results = &Mutex::new(Results::read(from_ref(folder)).unwrap());
        let log = &Mutex::new(Log::begin(&folder.logs(), "box").unwrap());
        let (pool, unsaved) = (Pool::Own(1), &AtomicUsize::new(0));
        let job = ShardJob { folder, units, by, threads: 1, pool, deadline: None, results, log, unsaved };
        let shards = Vec::from_iter(0..folder.plan.shards());
        let counted = job.run(&shards, &CancelToken::new(), &Progress::new()).unwrap().0;
        assert_eq!(unsaved.load(Relaxed), 0);
        counted
    }

    #[test]
    fn without_locks_six_processes_make_one_run() {
        let here = tempfile::tempdir().unwrap();
        let folder = folder(here.path(), 11, SHARDS);
        let units = folder.plan.cut.plan(nqueens::solver::Isa::Portable, here.path()).unwrap();
        // No claim can be made below a file.
        std::fs::remove_dir(here.path().join("claims")).unwrap();
        std::fs::write(here.path().join("claims"), "").unwrap();
        let counted: Vec<usize> = thread::scope(|scope| {
            let processes: Vec<_> = (0..6).map(|_| scope.spawn(|| run(&folder, &*units))).collect();
            processes.into_iter().map(|process| process.join().unwrap()).collect()
        });
        assert!(counted.iter().sum::<usize>() >= SHARDS, "{counted:?}");
        assert_eq!(Results::read(from_ref(&folder)).unwrap().total().unwrap().solutions, 2680);
    }

    #[test]
    #[cfg_attr(not(any(target_os = "linux", target_os = "macos")), ignore = "it tells no processor time")]
    fn results_tell_the_time_at_work_and_not_the_time_that_passed() {
        let here = tempfile::tempdir().unwrap();
        let folder = folder(here.path(), 7, 1);
        let units = sleepy(folder.plan.cut.plan(nqueens::solver::Isa::Portable, here.path()).unwrap());
        let began = Instant::now();
        assert_eq!(run(&folder, &units), 1);
        let (passed, slept) = (began.elapsed().as_secs_f64(), units.units() as f64 * NAP.as_secs_f64());
        let machines = Results::read(from_ref(&folder)).unwrap().machines();
        let core = crate::run::core_seconds(&machines);
        assert!(core > 0.0 && core < passed - 0.9 * slept, "{core} of {passed}, of which it slept {slept}");
    }
}
