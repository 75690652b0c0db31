//! Counts shards and saves their records.
//!
//! The threads of a process take one unit after another. When all units of a shard are taken, they go on with the next
//! shard: no thread waits for the end of a shard. Two [clerks](Clerk) call the file system for them: one claims shards,
//! the other saves records. The thread that finished a shard waits for its record before it takes another unit, so a slow
//! file system holds up counting and no records pile up. If the file system fails or does not answer, the threads count
//! on: without claims, and with the records in memory.

use std::cell::Cell;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::Receiver;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Instant;

use super::clerk::{Answers, Clerk};
use super::queue::Queue;
use super::{Claim, Claimant, Contribution, FoundRecord, RunFolder, ShardRecord};
use crate::exit::Fault;
use crate::machine::stopwatch::Stopwatch;
use crate::terminal::complain;
use nqueens::engine::Pool;
use nqueens::solver::Plan;
use nqueens::tally::Tally;
use nqueens::{CancelToken, Progress};

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
    /// Number of counted shards that are not saved yet.
    pub(crate) unsaved: &'a AtomicUsize,
}

impl ShardJob<'_> {
    /// Counts these shards, except those that have a valid record or that another process is counting. Returns the number
    /// of shards that it counted and saved, and the number of threads. Fails if another process saved a record with other
    /// counts.
    pub(crate) fn run(
        &self,
        shards: &[usize],
        cancel: &CancelToken,
        progress: &Progress,
    ) -> anyhow::Result<(usize, usize)> {
        let units = || shards.iter().flat_map(|&shard| self.folder.plan.units_of(shard));
        let number = units().count();
        progress.begin(number, units().map(|unit| self.units.cost(unit)).sum());
        let work = Work {
            job: self,
            stop: self.deadline.map_or_else(|| Ok(cancel.child()), |deadline| cancel.child_until(deadline))?,
            progress,
            taking: Mutex::new(Taking { queue: Queue::new(shards, self.number), open: 0..0 }),
            begun: Mutex::default(),
            saved: Mutex::default(),
            has_met: AtomicBool::new(false),
            scouted: Answers::new("shards are counted without claims"),
            kept: Answers::new("counting goes on, and finished records wait in memory"),
        };
        let drained = thread::scope(|scope| {
            let (scout, saver) = (Clerk::start(scope, &work.scouted), Clerk::start(scope, &work.kept));
            let next = || {
                if let Some(saved) = SAVED.take() {
                    saver.wait(&saved);
                }
                work.next(&scout)
            };
            let note = |unit, tally| work.note(unit, tally, &saver);
            nqueens::internal::drain(self.units, next, self.pool, number, &work.stop, progress, note)
        });
        let Saved { counted, mut lost, failure } = work.saved.into_inner().unwrap_or_else(PoisonError::into_inner);
        lost.sort_unstable();
        let told = format!("these shards were counted and are lost: {}", ranges(&lost));
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
    progress: &'a Progress,
    /// Locked also while a thread waits for the file system to say which shard comes next: until then, no thread has a
    /// unit to take.
    taking: Mutex<Taking>,
    /// The shards that are being counted.
    begun: Mutex<HashMap<usize, Begun>>,
    saved: Mutex<Saved>,
    /// Whether another process saved a record since the folder was listed.
    has_met: AtomicBool,
    /// Whether the file system answers the clerk that claims shards.
    scouted: Answers,
    /// Whether it answers the clerk that saves records.
    kept: Answers,
}

/// What the folder says of a shard.
enum Found {
    /// It has a record.
    Recorded,
    /// Another process is counting it.
    Claimed,
    /// This process has claimed it.
    Free(Claim),
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
    /// Tells that the shard that this thread finished is saved.
    static SAVED: Cell<Option<Receiver<()>>> = const { Cell::new(None) };
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

impl Work<'_> {
    /// Takes the next unit, of the last shard or of a new one. `None` if none is left, after a stop, or after an error
    /// that does not pass, which stops all threads.
    fn next<'w>(&'w self, scout: &Clerk<'w>) -> Option<usize> {
        let mut taking = lock(&self.taking);
        while !self.stop.is_cancelled() {
            if let Some(unit) = taking.open.next() {
                TAKEN.set(Some(Stopwatch::start()));
                return Some(unit);
            }
            match self.begin_shard(&mut taking, scout) {
                Ok(true) => {}
                Ok(false) => return None,
                Err(error) => self.stop_for(error),
            }
        }
        None
    }

    /// Stops all threads, unless they stop already.
    fn stop_for(&self, error: anyhow::Error) {
        if !self.stop.is_cancelled() {
            self.fail(error);
        }
    }

    /// Stops all threads.
    fn fail(&self, error: anyhow::Error) {
        let is_after_stop = self.stop.is_cancelled();
        lock(&self.saved).failure.get_or_insert((error, is_after_stop));
        self.stop.cancel();
    }

    /// Claims the next shard that needs to be counted; `false` if there is none. If the file system does not answer, the
    /// next shard is counted without a claim.
    fn begin_shard<'w>(&'w self, taking: &mut Taking, scout: &Clerk<'w>) -> anyhow::Result<bool> {
        let folder = self.job.folder;
        loop {
            if !scout.is_late() && self.has_met.swap(false, Relaxed) {
                let listed = || self.scouted.patiently(|| self.stop.is_cancelled(), || folder.listed());
                let late = |there| match there {
                    Ok(_) => {}
                    Err(error) => self.stop_for(error),
                };
                match scout.wait(&scout.give(listed, late)) {
                    Some(there) => taking.queue.look_around(&there?).into_iter().for_each(|shard| self.skip(shard)),
                    None => self.has_met.store(true, Relaxed),
                }
            }
            let Some(shard) = taking.queue.front().filter(|_| !self.stop.is_cancelled()) else { return Ok(false) };
            let found = if scout.is_late() { None } else { scout.wait(&self.ask(shard, scout)).transpose()? };
            taking.queue.take();
            let claim = match found {
                Some(Found::Recorded) => {
                    self.meet(shard);
                    continue;
                }
                Some(Found::Claimed) => {
                    taking.queue.jump();
                    continue;
                }
                Some(Found::Free(claim)) => claim,
                None => Claim::none(),
            };
            taking.open = folder.plan.units_of(shard);
            let record = ShardRecord::begin(&folder.plan, shard, &self.job.by);
            lock(&self.begun).insert(shard, Begun { claim, record, units_left: taking.open.len() });
            return Ok(true);
        }
    }

    /// Has the clerk look for the record of a shard, and claim the shard.
    fn ask<'w>(&'w self, shard: usize, scout: &Clerk<'w>) -> Receiver<anyhow::Result<Found>> {
        let folder = self.job.folder;
        let is_there = move || folder.find(shard).map(|found| matches!(found, FoundRecord::Valid(_)));
        let look = move || {
            // Looks for the record first, because other processes may have counted many of the shards.
            if is_there()? {
                return Ok(Found::Recorded);
            }
            let Some(claim) = folder.claim(shard, &self.claimant()) else { return Ok(Found::Claimed) };
            // Looks again: the record may have been written before this process had the claim.
            if is_there()? {
                claim.finish();
                return Ok(Found::Recorded);
            }
            Ok(Found::Free(claim))
        };
        let late = move |found| match found {
            // The shard is being counted without a claim.
            Ok(Found::Free(claim)) => {
                if let Some(begun) = lock(&self.begun).get_mut(&shard) {
                    begun.claim = claim;
                }
            }
            Ok(_) => {}
            Err(error) => self.stop_for(error),
        };
        scout.give(move || self.scouted.patiently(|| self.stop.is_cancelled(), look), late)
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
        self.job.folder.plan.units_of(shard).for_each(|unit| self.progress.finish_unit(self.job.units.cost(unit)));
    }

    /// Adds the tally of a unit to its shard. After the last unit, the shard's record is finished, and the clerk saves it.
    fn note<'w>(&'w self, unit: usize, tally: Tally, saver: &Clerk<'w>) -> nqueens::Result<()> {
        let seconds = TAKEN.take().map_or(0.0, |watch| watch.core_seconds());
        let shard = self.job.folder.plan.shard_of(unit);
        let mut all = lock(&self.begun);
        let Some(begun) = all.get_mut(&shard) else { return Ok(()) };
        begun.record.add(unit, tally, seconds)?;
        begun.units_left -= 1;
        if begun.units_left == 0
            && let Some(Begun { claim, record, .. }) = all.remove(&shard)
        {
            drop(all);
            let record = record.finish();
            self.job.unsaved.fetch_add(1, Relaxed);
            SAVED.set(Some(saver.give(move || self.save(&record, claim), drop)));
        }
        Ok(())
    }

    /// Saves a record. While the file system fails, waits and tries again. After a stop it tries once more.
    fn save(&self, record: &ShardRecord, claim: Claim) {
        match self.kept.patiently(|| self.stop.is_cancelled(), || self.job.folder.keep(record)) {
            Ok(is_new) => {
                claim.finish();
                lock(&self.saved).counted += usize::from(is_new);
                self.has_met.fetch_or(!is_new, Relaxed);
            }
            Err(error) => {
                let is_lost = Fault::of(&error) == Fault::InputOutput;
                lock(&self.saved).lost.extend(is_lost.then_some(record.shard));
                self.fail(error);
            }
        }
        self.job.unsaved.fetch_sub(1, Relaxed);
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
    use nqueens::registry;
    use nqueens::solver::{Isa, Plan};

    const SHARDS: usize = 40;

    fn folder(path: &std::path::Path) -> RunFolder {
        let plan = RunPlan::new(Size::new(11).unwrap(), registry::find("bitmask").unwrap(), Some(SHARDS)).unwrap();
        let folder = RunFolder::create(path, &plan).unwrap().0;
        folder.make_folders().unwrap();
        folder
    }

    /// A process of one thread, with this random number.
    fn job<'a>(folder: &'a RunFolder, units: &'a dyn Plan, number: u64) -> ShardJob<'a> {
        static UNSAVED: AtomicUsize = AtomicUsize::new(0);
        let by = Contribution { machine: format!("machine {number}"), ..Contribution::default() };
        ShardJob { folder, units, by, threads: 1, pool: Pool::Own(1), deadline: None, number, unsaved: &UNSAVED }
    }

    /// Runs a process with this random number on all shards that have no file.
    fn run(folder: &RunFolder, number: u64) -> usize {
        let units = registry::find("bitmask")
            .unwrap()
            .plan(Size::new(11).unwrap(), Isa::Portable, &CancelToken::new())
            .unwrap();
        let job = job(folder, &*units, number);
        let there = folder.listed().unwrap();
        let shards: Vec<usize> = (0..SHARDS).filter(|shard| !there.contains(shard)).collect();
        job.run(&shards, &CancelToken::new(), &Progress::new()).unwrap().0
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
        let shards = Vec::from_iter(0..SHARDS);
        assert_eq!(job(folder, &units, 1).run(&shards, &CancelToken::new(), &Progress::new()).unwrap(), (SHARDS, 1));
    }

    #[test]
    #[cfg_attr(not(any(target_os = "linux", target_os = "macos")), ignore = "it tells no processor time")]
    fn records_tell_the_time_at_work_and_not_the_time_that_passed() {
        let folder = tempfile::tempdir().unwrap();
        let plan = RunPlan::new(Size::new(7).unwrap(), registry::find("bitmask").unwrap(), Some(1)).unwrap();
        let units = plan.cut.plan(Isa::Portable, folder.path()).unwrap();
        let units = sleepy(units);
        let folder = RunFolder::create(folder.path(), &plan).unwrap().0;
        folder.make_folders().unwrap();
        let began = Instant::now();
        assert_eq!(job(&folder, &units, 1).run(&[0], &CancelToken::new(), &Progress::new()).unwrap(), (1, 1));
        let (passed, slept) = (began.elapsed().as_secs_f64(), units.units() as f64 * NAP.as_secs_f64());
        let FoundRecord::Valid(record) = folder.find(0).unwrap() else { panic!("it is kept") };
        let core = record.by.core_seconds;
        assert!(core < passed - 0.9 * slept, "{core} of {passed}, of which it slept {slept}");
    }
}
