//! Counts shards and saves their records.
//!
//! The threads of a process take one unit after another. When all units of a shard are taken, they go on with the next
//! shard: no thread waits for the end of a shard. The thread that comes next saves the record, while the others count.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};
use std::time::Instant;

use super::queue::Queue;
use super::{Claim, Claimant, Figures, FoundRecord, Origin, RunFolder, ShardRecord};
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
    /// The threads that count.
    pub(crate) pool: Pool,
    /// When to stop. No unit begins after it.
    pub(crate) deadline: Option<Instant>,
    /// A random number that differs between all processes. It chooses the first shard.
    pub(crate) number: u64,
}

/// How many shards were counted, and how many were not.
#[derive(Debug, Default)]
pub(crate) struct CountedShards {
    /// Number of shards that this process counted and saved.
    pub(crate) counted: usize,
    /// Number of shards that another process counted and saved.
    pub(crate) known: usize,
    /// The shards that other processes are counting.
    pub(crate) elsewhere: Vec<usize>,
    /// Number of shards that were not counted, because of a signal or the deadline.
    pub(crate) left: usize,
}

impl ShardJob<'_> {
    /// What this process writes in a claim now.
    fn claimant(&self) -> Claimant {
        Claimant {
            since: crate::machine::now().to_string(),
            threads: self.origin.threads,
            machine: self.origin.machine.clone(),
            process: std::process::id(),
        }
    }

    /// Counts these shards, except those that have a valid record or that another process is counting. Fails if another
    /// process saved a record with other counts.
    pub(crate) fn run(
        &self,
        shards: &[usize],
        cancel: &CancelToken,
        monitor: &Monitor,
    ) -> anyhow::Result<CountedShards> {
        let units = || shards.iter().flat_map(|&shard| self.folder.plan.units_of(shard));
        let number = units().count();
        monitor.begin(number, units().map(|unit| self.units.cost(unit)).sum());
        let stop = self.deadline.map_or_else(|| Ok(cancel.child()), |deadline| cancel.child_until(deadline))?;
        let state = Mutex::new(WorkState {
            queue: Queue::new(shards, self.number),
            has_met: false,
            open: 0..0,
            begun: HashMap::new(),
            finished: Vec::new(),
            taken_at: HashMap::new(),
            failure: None,
            report: CountedShards::default(),
        });
        let shared = SharedQueue { job: self, stop: &stop, monitor, state };
        let (next, note) = (|| shared.next(), |unit, tally| shared.note(unit, tally));
        let drained = engine::drain(self.units, next, self.pool, number, &stop, monitor, note);
        // After a signal, finished shards are still saved.
        shared.save_finished()?;
        let state = shared.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let Some(error) = state.failure {
            return Err(error);
        }
        drained?;
        let (mut report, elsewhere) = (state.report, state.queue.elsewhere());
        report.left = shards.len() - report.counted - report.known - elsewhere.len();
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
    /// The records that are not yet saved.
    finished: Vec<(ShardRecord, Claim)>,
    /// When each thread took its unit.
    taken_at: HashMap<ThreadId, Stopwatch>,
    failure: Option<anyhow::Error>,
    report: CountedShards,
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

    /// Takes the next unit, of the last shard or of a new one. Stops all threads after an error.
    fn next(&self) -> Option<usize> {
        self.save_finished().and_then(|()| self.take()).unwrap_or_else(|error| {
            self.lock().failure.get_or_insert(error);
            self.stop.cancel();
            None
        })
    }

    fn take(&self) -> anyhow::Result<Option<usize>> {
        let mut state = self.lock();
        loop {
            if let Some(unit) = state.open.next() {
                state.taken_at.insert(thread::current().id(), Stopwatch::start());
                return Ok(Some(unit));
            }
            if !self.begin_shard(&mut state)? {
                return Ok(None);
            }
        }
    }

    /// Claims the next shard that needs to be counted; `false` if there is none.
    fn begin_shard(&self, state: &mut WorkState) -> anyhow::Result<bool> {
        loop {
            if std::mem::take(&mut state.has_met) {
                for shard in state.queue.look_around(&self.job.folder.listed()?) {
                    self.note_known(state, shard);
                }
            }
            let Some(shard) = state.queue.front() else { return Ok(false) };
            if self.stop.is_cancelled() {
                return Ok(false);
            }
            state.queue.take();
            if let Some(claim) = self.claim(state, shard)? {
                let units = self.job.folder.plan.units_of(shard);
                let figures = Figures::of_units(units.len());
                state.begun.insert(shard, Begun { claim, first: units.start, units_left: units.len(), figures });
                state.open = units;
                return Ok(true);
            }
        }
    }

    /// Claims this shard, unless its record is there or another process has it.
    fn claim(&self, state: &mut WorkState, shard: usize) -> anyhow::Result<Option<Claim>> {
        let folder = self.job.folder;
        // Looks for the record first, because other processes may have counted many of the shards.
        if let FoundRecord::Valid(_) = folder.find(shard)? {
            state.has_met = true;
            self.note_known(state, shard);
            return Ok(None);
        }
        let Some(claim) = folder.claim(shard, &self.job.claimant()) else {
            state.queue.put_off(shard);
            return Ok(None);
        };
        // Looks again: the record may have been written before this process had the claim.
        if let FoundRecord::Valid(_) = folder.find(shard)? {
            claim.finish();
            state.has_met = true;
            self.note_known(state, shard);
            return Ok(None);
        }
        Ok(Some(claim))
    }

    fn note_known(&self, state: &mut WorkState, shard: usize) {
        state.report.known += 1;
        self.job.folder.plan.units_of(shard).for_each(|unit| self.monitor.finish_unit(self.job.units.cost(unit)));
    }

    /// Saves the records of finished shards. Other threads count meanwhile.
    fn save_finished(&self) -> anyhow::Result<()> {
        loop {
            let finished = self.lock().finished.pop();
            let Some((record, claim)) = finished else { return Ok(()) };
            let is_new = self.job.folder.keep(&record)?;
            claim.finish();
            let mut state = self.lock();
            if is_new {
                state.report.counted += 1;
            } else {
                state.report.known += 1;
                state.has_met = true;
            }
        }
    }

    /// Adds the tally of a unit to its shard. After the last unit, the shard's record is to be saved.
    fn note(&self, unit: usize, tally: Tally) -> nqueens::Result<()> {
        let plan = &self.job.folder.plan;
        let shard = plan.shard_of(unit);
        let mut guard = self.lock();
        let state = &mut *guard;
        let seconds = state.taken_at.remove(&thread::current().id()).map_or(0.0, |watch| watch.core_seconds());
        let Some(begun) = state.begun.get_mut(&shard) else { return Ok(()) };
        begun.figures.add(unit - begun.first, tally, seconds)?;
        begun.units_left -= 1;
        if begun.units_left == 0
            && let Some(Begun { claim, figures, .. }) = state.begun.remove(&shard)
        {
            state.finished.push((ShardRecord::new(plan, shard, figures, self.job.origin.clone()), claim));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
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
        let units = registry::find("bitmask")
            .unwrap()
            .plan(Size::new(11).unwrap(), Isa::Portable, &CancelToken::new())
            .unwrap();
        let origin = Origin { threads: 1, machine: format!("machine {number}"), ..Origin::default() };
        let job = ShardJob { folder, units: &*units, origin, pool: Pool::Own(1), deadline: None, number };
        let there = folder.listed().unwrap();
        let shards: Vec<usize> = (0..60).filter(|shard| !there.contains(shard)).collect();
        job.run(&shards, &CancelToken::new(), &Monitor::new()).unwrap()
    }

    #[test]
    fn without_locks_six_processes_make_one_run() {
        let here = tempfile::tempdir().unwrap();
        let folder = folder(here.path());
        // No claim can be made below a file.
        std::fs::remove_dir(here.path().join("claims")).unwrap();
        std::fs::write(here.path().join("claims"), "").unwrap();
        let reports: Vec<CountedShards> = thread::scope(|scope| {
            let folder = &folder;
            let processes: Vec<_> = (1..=6).map(|number| scope.spawn(move || run(folder, number))).collect();
            processes.into_iter().map(|process| process.join().unwrap()).collect()
        });
        let counted: usize = reports.iter().map(|report| report.counted).sum();
        let known: usize = reports.iter().map(|report| report.known).sum();
        assert!(counted == 60 && known <= 5 * 60, "{reports:?}");
        assert_eq!(merge(&[folder]).unwrap().total().unwrap().0, 2680);
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
        let job = ShardJob { folder: &folder, units: &units, origin, pool: Pool::Own(1), deadline: None, number: 1 };
        let began = Instant::now();
        assert_eq!(job.run(&[0], &CancelToken::new(), &Monitor::new()).unwrap().counted, 1);
        let (passed, slept) = (began.elapsed().as_secs_f64(), units.units() as f64 * NAP.as_secs_f64());
        let FoundRecord::Valid(record) = folder.find(0).unwrap() else { panic!("it is kept") };
        let core = record.core_seconds;
        assert!(core < passed - 0.9 * slept, "{core} of {passed}, of which it slept {slept}");
    }
}
