//! Counts shards and saves their records.
//!
//! The threads of a process take one unit after another. When all units of a shard are taken, they go on with the next
//! shard: no thread waits for the end of a shard. Another thread writes the records, so that none waits for the disk.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};
use std::time::Instant;

use super::queue::Queue;
use super::{Claim, Claimant, Error, Figures, FoundRecord, KeptAs, Origin, Result, RunFolder, ShardRecord};
use crate::machine::stopwatch::Stopwatch;
use nqueens::count::Tally;
use nqueens::engine;
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
    pub(crate) origin: Origin,
    /// When to stop. No shard begins that would not be finished by then.
    pub(crate) deadline: Option<Instant>,
    /// Seconds that a core of this machine takes for a predicted second.
    pub(crate) pace: f64,
    /// A random number that differs between all processes. It chooses the first shard.
    pub(crate) number: u64,
}

/// How many shards were counted, and how many were not.
#[derive(Debug, Default)]
pub(crate) struct CountedShards {
    /// Number of shards that this process counted and saved.
    pub(crate) counted: usize,
    /// Number of shards that this process counted while another process saved them.
    pub(crate) again: usize,
    /// Number of shards that had a valid record.
    pub(crate) known: usize,
    /// The shards that other processes are counting.
    pub(crate) elsewhere: Vec<usize>,
    /// Number of shards that were not counted, because of a signal or the deadline.
    pub(crate) left: usize,
}

impl ShardJob<'_> {
    /// What this process writes in a claim now.
    fn claimant(&self) -> Claimant {
        let Origin { threads, cpu, machine, .. } = &self.origin;
        Claimant {
            since: crate::machine::now().to_string(),
            threads: *threads,
            cpu: cpu.clone(),
            machine: machine.clone(),
            process: std::process::id(),
            number: format!("{:016x}", self.number),
        }
    }

    /// Counts these shards, except those that have a valid record or that another process is counting.
    ///
    /// # Errors
    /// [`Error::Disagree`] if another process saved a record with other counts; [`Error::Write`], [`Error::Read`],
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
        let state = Mutex::new(WorkState::new(Queue::new(shards, self.number)));
        let shared = SharedQueue { job: self, stop: &stop, monitor, state };
        let drained = thread::scope(|scope| -> Result<_> {
            let (sender, receiver) = mpsc::channel();
            let shared = &shared;
            let writer = thread::Builder::new()
                .spawn_scoped(scope, || shared.keep_all(receiver))
                .map_err(|error| nqueens::Error::ThreadPool { threads: 1, reason: error.to_string() })?;
            let hand_over = move |unit, tally| {
                if let Some(finished) = shared.note(unit, tally)? {
                    // The writer has ended after an error, and has stopped all threads.
                    let _ = sender.send(finished);
                }
                Ok(())
            };
            let (next, threads) = (|| shared.next(), Pool::Own(self.origin.threads));
            let drained = engine::drain(self.units, next, threads, units, &stop, monitor, hand_over);
            writer.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
            Ok(drained)
        })?;
        let state = shared.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let Some(error) = state.failure {
            return Err(error);
        }
        drained?;
        let (mut report, elsewhere) = (state.report, state.queue.elsewhere());
        report.left = shards.len() - report.counted - report.again - report.known - elsewhere.len();
        report.elsewhere = elsewhere;
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
    /// Whether another process saved a record since the folder was listed.
    has_met: bool,
    /// The units of the last shard that no thread has taken.
    open: Range<usize>,
    /// The shards that are being counted.
    begun: HashMap<usize, Begun>,
    /// When each thread took its unit.
    taken_at: HashMap<ThreadId, Stopwatch>,
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
    figures: Figures,
}

impl SharedQueue<'_> {
    fn lock(&self) -> MutexGuard<'_, WorkState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the next unit, of the last shard or of a new one.
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
            if std::mem::take(&mut state.has_met) {
                let (there, _) = self.job.folder.listed()?;
                for shard in state.queue.look_around(&there) {
                    self.note_known(state, shard)?;
                }
            }
            let Some(shard) = state.queue.front() else { return Ok(false) };
            if self.stop.is_cancelled() || self.is_too_long(shard) {
                return Ok(false);
            }
            state.queue.take();
            if let Some(claim) = self.claim(state, shard)? {
                let units = self.job.folder.plan().shard(shard)?;
                let figures = Figures::of_units(units.len());
                state.begun.insert(shard, Begun { claim, first: units.start, units_left: units.len(), figures });
                state.open = units;
                return Ok(true);
            }
        }
    }

    /// Claims this shard, unless its record is there or another process has it.
    fn claim(&self, state: &mut WorkState, shard: usize) -> Result<Option<Claim>> {
        let folder = self.job.folder;
        // Looks for the record first, because other processes may have counted many of the shards.
        if let FoundRecord::Valid(_) = folder.find(shard)? {
            state.has_met = true;
            self.note_known(state, shard)?;
            return Ok(None);
        }
        let Some(claim) = folder.claim(shard, &self.job.claimant())? else {
            state.queue.put_off(shard);
            return Ok(None);
        };
        // Looks again: the record may have been written before this process had the claim.
        if let FoundRecord::Valid(_) = folder.find(shard)? {
            claim.finish();
            state.has_met = true;
            self.note_known(state, shard)?;
            return Ok(None);
        }
        Ok(Some(claim))
    }

    fn note_known(&self, state: &mut WorkState, shard: usize) -> Result<()> {
        state.report.known += 1;
        let units = self.job.folder.plan().shard(shard)?;
        units.for_each(|unit| self.monitor.finish_unit(self.job.units.cost(unit)));
        Ok(())
    }

    /// Saves the records that arrive, and stops the threads at the deadline.
    fn keep_all(&self, records: Receiver<(ShardRecord, Claim)>) -> Result<()> {
        if let Some(deadline) = self.job.deadline {
            loop {
                match records.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                    Ok((record, claim)) => self.keep(&record, claim)?,
                    Err(RecvTimeoutError::Disconnected) => return Ok(()),
                    Err(RecvTimeoutError::Timeout) => break self.stop.cancel(),
                }
            }
        }
        // After the deadline, finished shards are still saved.
        records.into_iter().try_for_each(|(record, claim)| self.keep(&record, claim))
    }

    fn keep(&self, record: &ShardRecord, claim: Claim) -> Result<()> {
        let kept = self.job.folder.keep(record).inspect_err(|_| self.stop.cancel())?;
        let mut state = self.lock();
        match kept {
            KeptAs::Written => state.report.counted += 1,
            KeptAs::AlreadyThere => {
                state.report.again += 1;
                state.has_met = true;
            }
        }
        drop(state);
        claim.finish();
        Ok(())
    }

    /// Whether the deadline would come before the end of a shard.
    fn is_too_long(&self, shard: usize) -> bool {
        let Some(deadline) = self.job.deadline else { return false };
        let core_seconds = self.job.pace * self.job.folder.plan().predicted_seconds(shard);
        let left = deadline.saturating_duration_since(Instant::now()).as_secs_f64();
        left == 0.0 || core_seconds / self.job.origin.threads as f64 > left
    }

    /// Adds the tally of a unit to its shard. Returns the shard's record after its last unit.
    fn note(&self, unit: usize, tally: Tally) -> nqueens::Result<Option<(ShardRecord, Claim)>> {
        let plan = self.job.folder.plan();
        let shard = plan.shard_of(unit);
        let mut guard = self.lock();
        let state = &mut *guard;
        let seconds = state.taken_at.remove(&thread::current().id()).map_or(0.0, |watch| watch.core_seconds());
        let Some(begun) = state.begun.get_mut(&shard) else { return Ok(None) };
        begun.figures.add(unit - begun.first, tally, seconds)?;
        begun.units_left -= 1;
        if begun.units_left > 0 {
            return Ok(None);
        }
        let Some(Begun { claim, figures, .. }) = state.begun.remove(&shard) else { return Ok(None) };
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
    use crate::runs::{RunPlan, merge};
    use nqueens::board::Size;
    use nqueens::solver::{Isa, registry};

    fn folder(path: &std::path::Path) -> RunFolder {
        let plan = RunPlan::new(Size::new(11).unwrap(), registry::find("bitmask").unwrap(), Some(60)).unwrap();
        RunFolder::create(path, plan).unwrap().0
    }

    /// Runs a process with this random number on all shards that have no file.
    fn run(folder: &RunFolder, number: u64) -> CountedShards {
        let units = registry::find("bitmask").unwrap().plan(Size::new(11).unwrap(), Isa::Portable);
        let origin = Origin { threads: 1, machine: Some(format!("machine {number}")), ..Origin::default() };
        let job = ShardJob { folder, units: &*units, origin, deadline: None, pace: 1.0, number };
        let (there, _) = folder.listed().unwrap();
        let shards: Vec<usize> = (0..60).filter(|shard| !there.contains(shard)).collect();
        job.run(&shards, &CancelToken::new(), &Monitor::new()).unwrap()
    }

    /// Locks that fail, and locks that other machines do not see.
    #[test]
    fn without_locks_six_processes_make_one_run() {
        fn failing(_: &File) -> std::result::Result<(), TryLockError> {
            Err(TryLockError::Error(ErrorKind::Unsupported.into()))
        }
        for lock in [failing, |_: &File| Ok(())] as [crate::runs::claim::Lock; 2] {
            let here = tempfile::tempdir().unwrap();
            let mut folder = folder(here.path());
            folder.lock = lock;
            assert_eq!(folder.why_no_locks().is_some(), lock(&File::open(folder.plan_file()).unwrap()).is_err());
            let reports: Vec<CountedShards> = thread::scope(|scope| {
                let folder = &folder;
                let processes: Vec<_> = (1..=6).map(|number| scope.spawn(move || run(folder, number))).collect();
                processes.into_iter().map(|process| process.join().unwrap()).collect()
            });
            let counted: usize = reports.iter().map(|report| report.counted).sum();
            let again: usize = reports.iter().map(|report| report.again).sum();
            let known: usize = reports.iter().map(|report| report.known).sum();
            assert!(counted == 60 && again + known <= 5 * 60, "{reports:?}");
            assert_eq!(merge(&[folder]).unwrap().total().unwrap().0, 2680);
        }
    }

    #[test]
    #[cfg_attr(not(any(target_os = "linux", target_os = "macos")), ignore = "it tells no processor time")]
    fn records_tell_the_time_at_work_and_not_the_time_that_passed() {
        let folder = tempfile::tempdir().unwrap();
        let plan = RunPlan::new(Size::new(7).unwrap(), registry::find("bitmask").unwrap(), Some(1)).unwrap();
        let units = plan.cut.plan(Isa::Portable, folder.path()).unwrap();
        let units = sleepy(units);
        let folder = RunFolder::create(folder.path(), plan).unwrap().0;
        let origin = Origin { threads: 1, ..Origin::default() };
        let job = ShardJob { folder: &folder, units: &units, origin, deadline: None, pace: 1.0, number: 1 };
        let began = Instant::now();
        assert_eq!(job.run(&[0], &CancelToken::new(), &Monitor::new()).unwrap().counted, 1);
        let (passed, slept) = (began.elapsed().as_secs_f64(), units.units() as f64 * NAP.as_secs_f64());
        let FoundRecord::Valid(record) = folder.find(0).unwrap() else { panic!("it is kept") };
        let core = record.core_seconds;
        assert!(core < passed - 0.9 * slept, "{core} of {passed}, of which it slept {slept}");
    }
}
