//! Counts shards and saves their records.
//!
//! The threads of a process take one unit after another. When all units of a shard are taken, they go on with the next
//! shard: no thread waits for the end of a shard. The thread that finished a shard saves its record before it takes
//! another unit, so a slow file system holds up counting and no records pile up. While the file system fails, one more
//! thread keeps the records in memory and tries again, and the others count.

use std::cell::Cell;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{self, SendError, Sender};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Instant;

use super::patience::patiently;
use super::queue::Queue;
use super::{Claim, Claimant, Contribution, FoundRecord, RunFolder, ShardRecord};
use crate::exit::Fault;
use crate::machine::stopwatch::Stopwatch;
use crate::terminal::complain;
use nqueens::count::Tally;
use nqueens::engine::Pool;
use nqueens::solver::Plan;
use nqueens::{CancelToken, Monitor};

/// Shards that this process counts.
#[derive(Debug)]
pub(crate) struct ShardJob<'a> {
    /// The run.
    pub(crate) folder: &'a RunFolder,
    /// Its units, as [`Cut::plan`](super::plan::Cut::plan) gives them.
    pub(crate) units: &'a dyn Plan,
    /// Who counts, as records say it.
    pub(crate) by: Contribution,
    /// The number of threads, as claims say it.
    pub(crate) threads: usize,
    /// The threads that count.
    pub(crate) pool: Pool,
    /// When to stop. No unit begins after it.
    pub(crate) deadline: Option<Instant>,
    /// A random number that differs between all processes. It chooses the first shard.
    pub(crate) number: u64,
}

impl ShardJob<'_> {
    /// Counts these shards, except those that have a valid record or that another process is counting. Returns the number
    /// of shards that it counted and saved, and the number of threads. Fails if another process saved a record with other
    /// counts.
    pub(crate) fn run(
        &self,
        shards: &[usize],
        cancel: &CancelToken,
        monitor: &Monitor,
    ) -> anyhow::Result<(usize, usize)> {
        let units = || shards.iter().flat_map(|&shard| self.folder.plan.units_of(shard));
        let number = units().count();
        monitor.begin(number, units().map(|unit| self.units.cost(unit)).sum());
        let work = Work {
            job: self,
            stop: self.deadline.map_or_else(|| Ok(cancel.child()), |deadline| cancel.child_until(deadline))?,
            monitor,
            taking: Mutex::new(Taking { queue: Queue::new(shards, self.number), open: 0..0 }),
            begun: Mutex::default(),
            finished: Mutex::default(),
            saved: Mutex::default(),
            has_met: AtomicBool::new(false),
        };
        let drained = thread::scope(|scope| {
            let (failed, again) = mpsc::channel();
            let save_again = || again.into_iter().for_each(|(record, claim)| work.save_patiently(&record, claim));
            // If the system refuses this thread, nobody receives, and the threads that count try again.
            let _ = thread::Builder::new().spawn_scoped(scope, save_again);
            let next = || {
                work.save_finished(&failed);
                work.next()
            };
            let note = |unit, tally| work.note(unit, tally);
            let drained = nqueens::internal::drain(self.units, next, self.pool, number, &work.stop, monitor, note);
            // After a stop, a thread ends with the shard that it finished.
            work.save_finished(&failed);
            drained
        });
        let Saved { counted, mut lost, failure } = work.saved.into_inner().unwrap_or_else(PoisonError::into_inner);
        lost.sort_unstable();
        let lost: Vec<String> = lost.iter().map(usize::to_string).collect();
        let told = format!("these shards were counted and are lost: {}", lost.join(", "));
        match failure {
            None => {}
            Some((error, _)) if lost.is_empty() => return Err(error),
            Some((error, is_after_stop)) if is_after_stop => complain(format_args!("{told}: {error:#}")),
            Some((error, _)) => return Err(error.context(told)),
        }
        Ok((counted, drained?.threads))
    }
}

/// What the threads of a job share.
struct Work<'a> {
    job: &'a ShardJob<'a>,
    stop: CancelToken,
    monitor: &'a Monitor,
    /// Locked also while a thread waits for the file system to say which shard comes next: until then, no thread has a
    /// unit to take.
    taking: Mutex<Taking>,
    /// The shards that are being counted.
    begun: Mutex<HashMap<usize, Begun>>,
    /// The records that no thread has begun to save.
    finished: Mutex<Vec<(ShardRecord, Claim)>>,
    saved: Mutex<Saved>,
    /// Whether another process saved a record since the folder was listed.
    has_met: AtomicBool,
}

/// What the threads take next.
struct Taking {
    queue: Queue,
    /// The units of the last shard that no thread has taken.
    open: Range<usize>,
}

/// A shard that is being counted.
struct Begun {
    claim: Claim,
    record: ShardRecord,
    units_left: usize,
}

/// What became of finished shards.
#[derive(Default)]
struct Saved {
    /// Number of shards that this process counted and saved.
    counted: usize,
    /// Shards whose records could not be saved.
    lost: Vec<usize>,
    /// The first error, and whether it came after a stop.
    failure: Option<(anyhow::Error, bool)>,
}

thread_local! {
    /// When this thread took its unit.
    static TAKEN: Cell<Option<Stopwatch>> = const { Cell::new(None) };
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Work<'_> {
    /// Takes the next unit, of the last shard or of a new one. `None` if none is left, after a stop, or after an error
    /// that does not pass, which stops all threads.
    fn next(&self) -> Option<usize> {
        let mut taking = lock(&self.taking);
        while !self.stop.is_cancelled() {
            if let Some(unit) = taking.open.next() {
                TAKEN.set(Some(Stopwatch::start()));
                return Some(unit);
            }
            match patiently(|| self.stop.is_cancelled(), || self.begin_shard(&mut taking)) {
                Ok(true) => {}
                Ok(false) => return None,
                Err(error) if !self.stop.is_cancelled() => self.fail(error),
                Err(_) => {}
            }
        }
        None
    }

    /// Stops all threads.
    fn fail(&self, error: anyhow::Error) {
        let is_after_stop = self.stop.is_cancelled();
        lock(&self.saved).failure.get_or_insert((error, is_after_stop));
        self.stop.cancel();
    }

    /// Claims the next shard that needs to be counted; `false` if there is none. After an error it can be called again.
    fn begin_shard(&self, taking: &mut Taking) -> anyhow::Result<bool> {
        let folder = self.job.folder;
        loop {
            if self.has_met.swap(false, Relaxed) {
                let there = folder.listed().inspect_err(|_| self.has_met.store(true, Relaxed))?;
                taking.queue.look_around(&there).into_iter().for_each(|shard| self.skip(shard));
            }
            let Some(shard) = taking.queue.front().filter(|_| !self.stop.is_cancelled()) else { return Ok(false) };
            let is_there = || folder.find(shard).map(|found| matches!(found, FoundRecord::Valid(_)));
            // Looks for the record first, because other processes may have counted many of the shards.
            if is_there()? {
                taking.queue.take();
                self.meet(shard);
                continue;
            }
            let Some(claim) = folder.claim(shard, &self.claimant()) else {
                taking.queue.take();
                taking.queue.jump();
                continue;
            };
            // Looks again: the record may have been written before this process had the claim.
            let is_late = is_there()?;
            taking.queue.take();
            if is_late {
                claim.finish();
                self.meet(shard);
                continue;
            }
            taking.open = folder.plan.units_of(shard);
            let record = ShardRecord::begin(&folder.plan, shard, &self.job.by);
            lock(&self.begun).insert(shard, Begun { claim, record, units_left: taking.open.len() });
            return Ok(true);
        }
    }

    /// Notes that another process counted this shard.
    fn meet(&self, shard: usize) {
        self.has_met.store(true, Relaxed);
        self.skip(shard);
    }

    /// What this process writes in a claim now.
    fn claimant(&self) -> Claimant {
        let (threads, machine) = (self.job.threads, self.job.by.machine.clone());
        Claimant { since: crate::machine::now(), threads, machine, process: std::process::id() }
    }

    /// Takes a shard that another process counted out of the progress.
    fn skip(&self, shard: usize) {
        self.job.folder.plan.units_of(shard).for_each(|unit| self.monitor.finish_unit(self.job.units.cost(unit)));
    }

    /// Adds the tally of a unit to its shard. After the last unit, the shard's record is finished.
    fn note(&self, unit: usize, tally: Tally) -> nqueens::Result<()> {
        let seconds = TAKEN.take().map_or(0.0, |watch| watch.core_seconds());
        let shard = self.job.folder.plan.shard_of(unit);
        let mut all = lock(&self.begun);
        let Some(begun) = all.get_mut(&shard) else { return Ok(()) };
        begun.record.add(unit, tally, seconds)?;
        begun.units_left -= 1;
        if begun.units_left == 0
            && let Some(Begun { claim, record, .. }) = all.remove(&shard)
        {
            lock(&self.finished).push((record.finish(), claim));
        }
        Ok(())
    }

    /// Saves the finished records. Those that cannot be saved now go to the thread that tries again.
    fn save_finished(&self, failed: &Sender<(ShardRecord, Claim)>) {
        let next = || lock(&self.finished).pop();
        while let Some((record, claim)) = next() {
            match self.job.folder.keep(&record) {
                Ok(is_new) => self.saved(claim, is_new),
                Err(_) => {
                    if let Err(SendError((record, claim))) = failed.send((record, claim)) {
                        self.save_patiently(&record, claim);
                    }
                }
            }
        }
    }

    /// Saves a record. While the file system fails, waits and tries again. After a stop it tries once more.
    fn save_patiently(&self, record: &ShardRecord, claim: Claim) {
        match patiently(|| self.stop.is_cancelled(), || self.job.folder.keep(record)) {
            Ok(is_new) => self.saved(claim, is_new),
            Err(error) => {
                let is_lost = Fault::of(&error) == Fault::InputOutput;
                lock(&self.saved).lost.extend(is_lost.then_some(record.shard));
                self.fail(error);
            }
        }
    }

    /// Notes that a record is there: of this process if it `is_new`.
    fn saved(&self, claim: Claim, is_new: bool) {
        claim.finish();
        lock(&self.saved).counted += usize::from(is_new);
        self.has_met.fetch_or(!is_new, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;
    use std::thread;
    use std::time::Instant;

    use super::*;
    use crate::machine::stopwatch::tests::{NAP, sleepy};
    use crate::runs::{RunPlan, merge};
    use nqueens::board::Size;
    use nqueens::engine::Pool;
    use nqueens::internal::Altered;
    use nqueens::solver::{Isa, Plan, registry};

    const SHARDS: usize = 40;

    fn folder(path: &std::path::Path) -> RunFolder {
        let plan = RunPlan::new(Size::new(11).unwrap(), registry::find("bitmask").unwrap(), Some(SHARDS)).unwrap();
        let folder = RunFolder::create(path, &plan).unwrap();
        folder.make_folders().unwrap();
        folder
    }

    /// Runs a process with this random number on all shards that have no file.
    fn run(folder: &RunFolder, number: u64) -> usize {
        let units = registry::find("bitmask")
            .unwrap()
            .plan(Size::new(11).unwrap(), Isa::Portable, &CancelToken::new())
            .unwrap();
        let by = Contribution { machine: format!("machine {number}"), ..Contribution::default() };
        let job = ShardJob { folder, units: &*units, by, threads: 1, pool: Pool::Own(1), deadline: None, number };
        let there = folder.listed().unwrap();
        let shards: Vec<usize> = (0..SHARDS).filter(|shard| !there.contains(shard)).collect();
        job.run(&shards, &CancelToken::new(), &Monitor::new()).unwrap().0
    }

    #[test]
    fn without_locks_six_processes_make_one_run() {
        let here = tempfile::tempdir().unwrap();
        let folder = folder(here.path());
        // No claim can be made below a file.
        std::fs::remove_dir(here.path().join("claims")).unwrap();
        std::fs::write(here.path().join("claims"), "").unwrap();
        let counted: Vec<usize> = thread::scope(|scope| {
            let folder = &folder;
            let processes: Vec<_> = (1..=6).map(|number| scope.spawn(move || run(folder, number))).collect();
            processes.into_iter().map(|process| process.join().unwrap()).collect()
        });
        assert_eq!(counted.iter().sum::<usize>(), SHARDS, "{counted:?}");
        assert_eq!(merge(&[folder]).unwrap().total().unwrap().0, 2680);
    }

    /// A process that is killed then loses only the shards in progress.
    #[test]
    fn a_thread_saves_what_it_finished_before_it_counts_on() {
        let here = tempfile::tempdir().unwrap();
        let folder = &folder(here.path());
        let counted = AtomicUsize::new(0);
        let units = Altered::new(folder.plan.cut.plan(Isa::Portable, here.path()).unwrap(), |worker, unit, cancel| {
            let units: usize =
                folder.listed().unwrap().into_iter().map(|shard| folder.plan.units_of(shard).len()).sum();
            let left = counted.fetch_add(1, Relaxed) - units;
            assert!(left < folder.plan.units_of(folder.plan.shard_of(unit)).len(), "{left} counted and not saved");
            worker.count(unit, cancel)
        });
        let (by, pool, shards) = (Contribution::default(), Pool::Own(1), Vec::from_iter(0..SHARDS));
        let job = ShardJob { folder, units: &units, by, threads: 1, pool, deadline: None, number: 1 };
        assert_eq!(job.run(&shards, &CancelToken::new(), &Monitor::new()).unwrap(), (SHARDS, 1));
    }

    #[test]
    #[cfg_attr(not(any(target_os = "linux", target_os = "macos")), ignore = "it tells no processor time")]
    fn records_tell_the_time_at_work_and_not_the_time_that_passed() {
        let folder = tempfile::tempdir().unwrap();
        let plan = RunPlan::new(Size::new(7).unwrap(), registry::find("bitmask").unwrap(), Some(1)).unwrap();
        let units = plan.cut.plan(Isa::Portable, folder.path()).unwrap();
        let units = sleepy(units);
        let folder = RunFolder::create(folder.path(), &plan).unwrap();
        folder.make_folders().unwrap();
        let (by, pool) = (Contribution::default(), Pool::Own(1));
        let job = ShardJob { folder: &folder, units: &units, by, threads: 1, pool, deadline: None, number: 1 };
        let began = Instant::now();
        assert_eq!(job.run(&[0], &CancelToken::new(), &Monitor::new()).unwrap(), (1, 1));
        let (passed, slept) = (began.elapsed().as_secs_f64(), units.units() as f64 * NAP.as_secs_f64());
        let FoundRecord::Valid(record) = folder.find(0).unwrap() else { panic!("it is kept") };
        let core = record.by.core_seconds;
        assert!(core < passed - 0.9 * slept, "{core} of {passed}, of which it slept {slept}");
    }
}
