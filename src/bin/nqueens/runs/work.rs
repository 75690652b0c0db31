//! Counts shards and keeps their records.
//!
//! The threads of a process take units one after the other, and when those of a shard are all taken they go on with the
//! next shard: no thread waits for a shard's end. Another thread writes the records, so that none waits for the disk.

use std::collections::HashMap;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

use super::claim::{BEAT, Manner};
use super::queue::Queue;
use super::{Attempt, Claim, Claimant, Error, Figures, FoundRecord, KeptAs, Origin, Result, RunFolder, ShardRecord};
use crate::machine::stopwatch::Stopwatch;
use nqueens::count::Tally;
use nqueens::engine;
use nqueens::engine::Pool;
use nqueens::solver::Plan;
use nqueens::{CancelToken, Monitor};

/// Shards to be counted by this process.
#[derive(Debug)]
pub(crate) struct ShardJob<'a> {
    /// The run.
    pub(crate) folder: &'a RunFolder,
    /// Its units, as [`RunPlan::units_with`](super::RunPlan::units_with) gives them.
    pub(crate) units: &'a dyn Plan,
    /// What the records say of who counted.
    pub(crate) origin: Origin,
    /// By when it has to be over: no shard is begun that would not be finished.
    pub(crate) deadline: Option<Instant>,
    /// Seconds that a core here takes for a predicted second, to begin with.
    pub(crate) pace: f64,
    /// A random number that tells this process from all others, and says where it begins.
    pub(crate) number: u64,
    /// Claims of processes that were silent for so long are taken over, locked or not.
    pub(crate) steal_after: Option<Duration>,
}

/// What became of the shards.
#[derive(Debug, Default)]
pub(crate) struct CountedShards {
    /// How many were counted and kept by this process.
    pub(crate) counted: usize,
    /// How many it counted that somebody else had counted and kept meanwhile.
    pub(crate) again: usize,
    /// How many had a valid record already.
    pub(crate) known: usize,
    /// Those that other processes are counting.
    pub(crate) elsewhere: Vec<usize>,
    /// How many were not counted, because it was cancelled or out of time.
    pub(crate) left: usize,
    /// Damaged records that were given another name, and what was wrong with them.
    pub(crate) set_aside: Vec<(PathBuf, String)>,
}

impl CountedShards {
    /// Adds what became of other shards.
    pub(crate) fn merge(&mut self, other: Self) {
        self.counted += other.counted;
        self.again += other.again;
        self.known += other.known;
        self.elsewhere.extend(other.elsewhere);
        self.left += other.left;
        self.set_aside.extend(other.set_aside);
    }
}

impl ShardJob<'_> {
    /// What this process says in its claims, from now on.
    pub(crate) fn claimant(&self) -> Claimant {
        let Origin { threads, cpu, machine, .. } = &self.origin;
        Claimant {
            since: jiff::Timestamp::now().round(jiff::Unit::Second).unwrap_or_default().to_string(),
            threads: *threads,
            cpu: cpu.clone(),
            machine: machine.clone(),
            process: std::process::id(),
            number: format!("{:016x}", self.number),
        }
    }

    /// Counts these shards, in this order, but for those that have a record or that another process is counting.
    ///
    /// # Errors
    /// [`Error::Disagree`] where a record appeared meanwhile that has other counts; [`Error::Write`], [`Error::Read`],
    /// [`Error::Shard`], [`Error::Count`].
    pub(crate) fn run(&self, shards: &[usize], cancel: &CancelToken, monitor: &Monitor) -> Result<CountedShards> {
        let (mut units, mut cost) = (0, 0.0);
        for &shard in shards {
            let range = self.folder.plan().shard(shard)?;
            units += range.len();
            cost += range.map(|unit| self.units.cost(unit)).sum::<f64>();
        }
        monitor.begin(units, cost);
        if units == 0 {
            return Ok(CountedShards::default());
        }
        let stop = cancel.child();
        let shared = SharedQueue {
            job: self,
            stop: &stop,
            monitor,
            state: Mutex::new(WorkState::new(Queue::new(shards, self.number))),
        };
        let threads = self.origin.threads;
        let ((counted, again), drained) = thread::scope(|scope| -> Result<_> {
            let (sender, receiver) = mpsc::channel();
            let shared = &shared;
            let writer = thread::Builder::new()
                .spawn_scoped(scope, || shared.keep_all(receiver))
                .map_err(|error| nqueens::Error::ThreadPool { threads: 1, reason: error.to_string() })?;
            let hand_over = move |unit, tally| {
                if let Some(finished) = shared.note(unit, tally)? {
                    // Where the writer has ended, for an error, it has stopped everybody, and says why.
                    let _ = sender.send(finished);
                }
                Ok(())
            };
            let drained =
                engine::drain(self.units, || shared.next(), Pool::Own(threads), units, &stop, monitor, hand_over);
            let counted = writer.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
            Ok((counted, drained))
        })?;
        let state = shared.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let Some(error) = state.failure {
            return Err(error);
        }
        drained?;
        let mut report = state.report;
        report.elsewhere = state.queue.elsewhere();
        report.left = shards.len() - counted - again - report.known - report.elsewhere.len();
        (report.counted, report.again) = (counted, again);
        Ok(report)
    }
}

/// What the threads of a job share.
struct SharedQueue<'a> {
    job: &'a ShardJob<'a>,
    stop: &'a CancelToken,
    monitor: &'a Monitor,
    state: Mutex<WorkState>,
}

struct WorkState {
    queue: Queue,
    /// Whether it came to shards of other processes.
    has_met: bool,
    /// What is left to be taken of the shard that was begun last.
    open: Range<usize>,
    /// Shards that are being counted.
    begun: HashMap<usize, Begun>,
    /// The time of each thread since it took its unit.
    taken_at: HashMap<ThreadId, Stopwatch>,
    /// Seconds that passed for the threads of the finished shards, and their prediction.
    pace: (f64, f64),
    failure: Option<Error>,
    report: CountedShards,
}

impl WorkState {
    fn new(queue: Queue) -> Self {
        Self {
            queue,
            has_met: false,
            open: 0..0,
            begun: HashMap::new(),
            taken_at: HashMap::new(),
            pace: (0.0, 0.0),
            failure: None,
            report: CountedShards::default(),
        }
    }
}

/// A shard that is being counted.
struct Begun {
    claim: Claim,
    first: usize,
    units_left: usize,
    /// Seconds that passed for its threads, at work or not: by these a deadline is kept.
    seconds: f64,
    figures: Figures,
}

impl SharedQueue<'_> {
    fn lock(&self) -> MutexGuard<'_, WorkState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next unit: of the shard that was begun last, or else of another one.
    fn next(&self) -> Option<usize> {
        let mut state = self.lock();
        loop {
            if let Some(unit) = state.open.next() {
                state.taken_at.insert(thread::current().id(), Stopwatch::start());
                return Some(unit);
            }
            match self.begin_shard(&mut state) {
                Ok(true) => {}
                Ok(false) => return None,
                Err(error) => {
                    state.failure.get_or_insert(error);
                    self.stop.cancel();
                    return None;
                }
            }
        }
    }

    /// Claims the next shard that needs to be counted; `false` if there is none.
    fn begin_shard(&self, state: &mut WorkState) -> Result<bool> {
        loop {
            if self.stop.is_cancelled() {
                return Ok(false);
            }
            if std::mem::take(&mut state.has_met) {
                let (there, _) = self.job.folder.listed()?;
                for shard in state.queue.look_around(&there) {
                    self.note_known(state, shard)?;
                }
            }
            let Some(shard) = state.queue.front() else { return Ok(false) };
            if self.is_too_long(state, shard) {
                return Ok(false);
            }
            state.queue.take();
            if let Some(claim) = self.claim(state, shard)? {
                let units = self.job.folder.plan().shard(shard)?;
                let figures = Figures::of_units(units.len());
                state
                    .begun
                    .insert(shard, Begun { claim, first: units.start, units_left: units.len(), seconds: 0.0, figures });
                state.open = units;
                return Ok(true);
            }
        }
    }

    /// Claims this shard, unless its record is there or another process has it.
    fn claim(&self, state: &mut WorkState, shard: usize) -> Result<Option<Claim>> {
        let folder = self.job.folder;
        // The record first: most of what is no longer missing was counted by others meanwhile.
        if let FoundRecord::Valid(_) = folder.find(shard)? {
            state.has_met = true;
            self.note_known(state, shard)?;
            return Ok(None);
        }
        let manner = Manner { leave_leftovers: !state.queue.is_second_look(), steal_after: self.job.steal_after };
        let Attempt::Ours(claim) = folder.claim(shard, &self.job.claimant(), manner)? else {
            state.queue.put_off(shard);
            return Ok(None);
        };
        // And once more: it may have been written before this process had the claim.
        match folder.find(shard)? {
            FoundRecord::Valid(_) => {
                claim.finish();
                state.has_met = true;
                self.note_known(state, shard)?;
                return Ok(None);
            }
            FoundRecord::Damaged(problem) => {
                let file = folder.set_aside(shard)?;
                state.report.set_aside.push((file, problem));
            }
            FoundRecord::Missing => {}
        }
        Ok(Some(claim))
    }

    fn note_known(&self, state: &mut WorkState, shard: usize) -> Result<()> {
        state.report.known += 1;
        let units = self.job.folder.plan().shard(shard)?;
        units.for_each(|unit| self.monitor.finish_unit(self.job.units.cost(unit)));
        Ok(())
    }

    /// Writes the records that come, says in the claims that this process is at work, and stops the counting when time is
    /// up. Returns how many records it kept, and how many were there already.
    fn keep_all(&self, records: Receiver<(ShardRecord, Claim)>) -> Result<(usize, usize)> {
        let mut kept = (0, 0);
        let mut beat = Instant::now() + BEAT;
        loop {
            let now = Instant::now();
            if now >= beat {
                self.lock().begun.values().for_each(|begun| begun.claim.beat());
                beat = now + BEAT;
            }
            let next = self.job.deadline.map_or(beat, |deadline| deadline.min(beat));
            match records.recv_timeout(next.saturating_duration_since(now)) {
                Ok((record, claim)) => self.keep(&record, claim, &mut kept)?,
                Err(RecvTimeoutError::Disconnected) => return Ok(kept),
                Err(RecvTimeoutError::Timeout) if next < beat => {
                    self.stop.cancel();
                    // What is finished is still kept.
                    records.into_iter().try_for_each(|(record, claim)| self.keep(&record, claim, &mut kept))?;
                    return Ok(kept);
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    fn keep(&self, record: &ShardRecord, claim: Claim, (written, again): &mut (usize, usize)) -> Result<()> {
        let folder = self.job.folder;
        let keep = || match folder.keep(record)? {
            KeptAs::Written => Ok(KeptAs::Written),
            KeptAs::AlreadyThere => folder.keep_again(record, self.job.number).map(|()| KeptAs::AlreadyThere),
        };
        match keep().inspect_err(|_| self.stop.cancel())? {
            KeptAs::Written => *written += 1,
            KeptAs::AlreadyThere => {
                *again += 1;
                self.lock().has_met = true;
            }
        }
        claim.finish();
        Ok(())
    }

    /// Whether a shard would not be finished in time.
    fn is_too_long(&self, state: &WorkState, shard: usize) -> bool {
        let Some(deadline) = self.job.deadline else { return false };
        let pace = match state.pace {
            (seconds, predicted) if predicted > 0.0 => seconds / predicted,
            _ => self.job.pace,
        };
        let seconds = pace * self.job.folder.plan().predicted_seconds(shard) / self.job.origin.threads as f64;
        let left = deadline.saturating_duration_since(Instant::now()).as_secs_f64();
        left == 0.0 || seconds > left
    }

    /// Adds what a unit counted to its shard, and returns the shard's record if that was its last.
    fn note(&self, unit: usize, tally: Tally) -> nqueens::Result<Option<(ShardRecord, Claim)>> {
        let plan = self.job.folder.plan();
        let shard = plan.shard_of(unit);
        let mut guard = self.lock();
        let state = &mut *guard;
        let taken = state.taken_at.remove(&thread::current().id());
        let Some(begun) = state.begun.get_mut(&shard) else { return Ok(None) };
        begun.figures.add(unit - begun.first, tally, taken.map_or(0.0, |watch| watch.core_seconds()))?;
        begun.seconds += taken.map_or(0.0, |watch| watch.elapsed_seconds());
        begun.units_left -= 1;
        if begun.units_left > 0 {
            return Ok(None);
        }
        let Some(Begun { claim, seconds, figures, .. }) = state.begun.remove(&shard) else { return Ok(None) };
        state.pace.0 += seconds;
        state.pace.1 += plan.predicted_seconds(shard);
        match ShardRecord::new(plan, shard, figures, self.job.origin.clone()) {
            Ok(record) => Ok(Some((record, claim))),
            Err(error) => {
                state.failure.get_or_insert(error);
                self.stop.cancel();
                Ok(None)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{File, TryLockError};
    use std::io::ErrorKind;

    use super::*;
    use crate::machine::stopwatch::tests::{NAP, sleepy};
    use crate::runs::claim::Sharing;
    use crate::runs::{RunPlan, Status, merge};
    use nqueens::board::Size;
    use nqueens::solver::{Isa, registry};

    fn folder(path: &std::path::Path) -> RunFolder {
        let plan = RunPlan::new(Size::new(11).unwrap(), registry::find("bitmask").unwrap(), Some(60)).unwrap();
        RunFolder::create(path, plan).unwrap().0
    }

    /// What a process of this number makes of all shards that have no file.
    fn run(folder: &RunFolder, number: u64) -> CountedShards {
        let units = registry::find("bitmask").unwrap().plan(Size::new(11).unwrap(), Isa::Portable);
        let origin = Origin { threads: 1, machine: Some(format!("machine {number}")), ..Origin::default() };
        let job = ShardJob { folder, units: &*units, origin, deadline: None, pace: 1.0, number, steal_after: None };
        let (there, _) = folder.listed().unwrap();
        let shards: Vec<usize> = (0..60).filter(|shard| !there.contains(shard)).collect();
        job.run(&shards, &CancelToken::new(), &Monitor::new()).unwrap()
    }

    /// Locks that fail, and locks that each machine has for itself.
    #[test]
    fn without_locks_six_processes_count_few_shards_twice() {
        fn failing(_: &File, _: Sharing) -> std::result::Result<(), TryLockError> {
            Err(TryLockError::Error(ErrorKind::Unsupported.into()))
        }
        for lock in [failing, |_: &File, _: Sharing| Ok(())] as [crate::runs::claim::Lock; 2] {
            let here = tempfile::tempdir().unwrap();
            let mut folder = folder(here.path());
            folder.lock = lock;
            assert_eq!(
                folder.why_no_locks().is_some(),
                lock(&File::open(folder.plan_file()).unwrap(), Sharing::Alone).is_err()
            );
            let reports: Vec<CountedShards> = thread::scope(|scope| {
                let folder = &folder;
                let processes: Vec<_> = (1..=6).map(|number| scope.spawn(move || run(folder, number))).collect();
                processes.into_iter().map(|process| process.join().unwrap()).collect()
            });
            let counted: usize = reports.iter().map(|report| report.counted).sum();
            let again: usize = reports.iter().map(|report| report.again).sum();
            assert!(counted == 60 && again < 12, "{reports:?}");
            assert_eq!(Status::of(std::slice::from_ref(&folder)).unwrap().counted_again, again);
            assert_eq!(merge(&[folder]).unwrap().total().unwrap().solutions, 2680);
        }
    }

    #[test]
    fn a_record_that_was_there_when_one_is_kept_is_said_and_counted() {
        let here = tempfile::tempdir().unwrap();
        let folder = folder(here.path());
        run(&folder, 1);
        let FoundRecord::Valid(record) = folder.find(7).unwrap() else { panic!() };
        // Another process kept it while this one counted, and its lock did not hold.
        assert_eq!(folder.keep(&record).unwrap(), KeptAs::AlreadyThere);
        folder.keep_again(&record, 2).unwrap();
        folder.keep_again(&record, 3).unwrap();
        assert_eq!(Status::of(std::slice::from_ref(&folder)).unwrap().counted_again, 2);
        assert_eq!(merge(&[folder]).unwrap().faults, []);
    }

    #[test]
    #[cfg_attr(not(any(target_os = "linux", target_os = "macos")), ignore = "it tells no processor time")]
    fn records_tell_the_time_at_work_and_not_the_time_that_passed() {
        let folder = tempfile::tempdir().unwrap();
        let plan = RunPlan::new(Size::new(7).unwrap(), registry::find("bitmask").unwrap(), Some(1)).unwrap();
        let (_, units) = plan.units_with(Isa::Portable, folder.path()).unwrap();
        let units = sleepy(units);
        let folder = RunFolder::create(folder.path(), plan).unwrap().0;
        let origin = Origin { threads: 1, ..Origin::default() };
        let job = ShardJob {
            folder: &folder,
            units: &units,
            origin,
            deadline: None,
            pace: 1.0,
            number: 1,
            steal_after: None,
        };
        let began = Instant::now();
        assert_eq!(job.run(&[0], &CancelToken::new(), &Monitor::new()).unwrap().counted, 1);
        let (passed, slept) = (began.elapsed().as_secs_f64(), units.units() as f64 * NAP.as_secs_f64());
        let FoundRecord::Valid(record) = folder.find(0).unwrap() else { panic!("it is kept") };
        let core = record.core_seconds();
        assert!(core < passed - 0.9 * slept, "{core} of {passed}, of which it slept {slept}");
    }
}
