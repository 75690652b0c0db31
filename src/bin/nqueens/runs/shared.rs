//! A job, and what its threads share: the queue of shards, the shards in progress, and the records to be saved.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};
use std::time::Instant;

use super::patience::{Patience, wait_until};
use super::queue::Queue;
use super::{Claim, Claimant, Figures, FoundRecord, Origin, RunFolder, ShardRecord};
use crate::machine::stopwatch::Stopwatch;
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
    pub(crate) origin: Origin,
    /// The threads that count.
    pub(crate) pool: Pool,
    /// When to stop. No unit begins after it.
    pub(crate) deadline: Option<Instant>,
    /// A random number that differs between all processes. It chooses the first shard.
    pub(crate) number: u64,
}

impl ShardJob<'_> {
    /// What this process writes in a claim now.
    fn claimant(&self) -> Claimant {
        Claimant {
            since: crate::machine::now(),
            threads: self.origin.threads,
            machine: self.origin.machine.clone(),
            process: std::process::id(),
        }
    }
}

/// What the threads of a job share.
pub(super) struct SharedQueue<'a> {
    job: &'a ShardJob<'a>,
    stop: &'a CancelToken,
    monitor: &'a Monitor,
    state: Mutex<WorkState>,
}

pub(super) struct WorkState {
    pub(super) queue: Queue,
    /// Whether another process saved a record since the folder was listed.
    has_met: bool,
    /// The units of the last shard that no thread has taken.
    open: Range<usize>,
    /// The shards that are being counted.
    begun: HashMap<usize, Begun>,
    /// The records that are not yet saved.
    pub(super) finished: Vec<(ShardRecord, Claim)>,
    /// When each thread took its unit.
    taken_at: HashMap<ThreadId, Stopwatch>,
    /// For records to be saved.
    saving: Patience,
    /// For what shards to take.
    reading: Patience,
    pub(super) failure: Option<anyhow::Error>,
    /// Number of shards that this process counted and saved.
    pub(super) counted: usize,
}

/// What a thread takes.
enum Taken {
    Unit(usize),
    /// No unit now, because the file system fails.
    Later,
    /// No unit is left, or the run is stopped.
    Nothing,
}

/// A shard that is being counted.
struct Begun {
    claim: Claim,
    first: usize,
    units_left: usize,
    figures: Figures,
}

impl<'a> SharedQueue<'a> {
    pub(super) fn new(job: &'a ShardJob<'a>, shards: &[usize], stop: &'a CancelToken, monitor: &'a Monitor) -> Self {
        let state = Mutex::new(WorkState {
            queue: Queue::new(shards, job.number),
            has_met: false,
            open: 0..0,
            begun: HashMap::new(),
            finished: Vec::new(),
            taken_at: HashMap::new(),
            saving: Patience::default(),
            reading: Patience::default(),
            failure: None,
            counted: 0,
        });
        Self { job, stop, monitor, state }
    }

    /// The state, after all threads have ended.
    pub(super) fn into_state(self) -> WorkState {
        self.state.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock(&self) -> MutexGuard<'_, WorkState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the next unit, of the last shard or of a new one. Waits if the file system cannot say which shards are
    /// missing. Stops all threads after an error that does not pass.
    pub(super) fn next(&self) -> Option<usize> {
        loop {
            match self.save_finished(false).and_then(|()| self.take()) {
                Ok(Taken::Unit(unit)) => return Some(unit),
                Ok(Taken::Later) if !self.stop.is_cancelled() => self.wait(|state| &state.reading),
                Ok(_) => return None,
                Err(error) => {
                    self.lock().failure.get_or_insert(error);
                    self.stop.cancel();
                    return None;
                }
            }
        }
    }

    /// Waits until it is time for the next attempt, or until a stop.
    fn wait(&self, patience: fn(&WorkState) -> &Patience) {
        wait_until(|| self.stop.is_cancelled() || patience(&self.lock()).is_time());
    }

    fn take(&self) -> anyhow::Result<Taken> {
        let mut guard = self.lock();
        let state = &mut *guard;
        loop {
            if let Some(unit) = state.open.next() {
                state.taken_at.insert(thread::current().id(), Stopwatch::start());
                return Ok(Taken::Unit(unit));
            }
            if self.stop.is_cancelled() {
                return Ok(Taken::Nothing);
            }
            if !state.reading.is_time() {
                return Ok(Taken::Later);
            }
            let is_begun = match self.begin_shard(state) {
                Ok(is_begun) => is_begun,
                Err(error) => {
                    state.reading.failed(error)?;
                    continue;
                }
            };
            state.reading.succeeded();
            if !is_begun {
                return Ok(Taken::Nothing);
            }
        }
    }

    /// Claims the next shard that needs to be counted; `false` if there is none.
    fn begin_shard(&self, state: &mut WorkState) -> anyhow::Result<bool> {
        loop {
            if std::mem::take(&mut state.has_met) {
                let there = self.job.folder.listed().inspect_err(|_| state.has_met = true)?;
                for shard in state.queue.look_around(&there) {
                    self.skip(shard);
                }
            }
            let Some(shard) = state.queue.front() else { return Ok(false) };
            if self.stop.is_cancelled() {
                return Ok(false);
            }
            state.queue.take();
            let claimed = self.claim(state, shard).inspect_err(|_| state.queue.put_back(shard))?;
            if let Some(claim) = claimed {
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
            self.skip(shard);
            return Ok(None);
        }
        let Some(claim) = folder.claim(shard, &self.job.claimant()) else {
            state.queue.jump();
            return Ok(None);
        };
        // Looks again: the record may have been written before this process had the claim.
        if let FoundRecord::Valid(_) = folder.find(shard)? {
            claim.finish();
            state.has_met = true;
            self.skip(shard);
            return Ok(None);
        }
        Ok(Some(claim))
    }

    /// Takes a shard that another process counted out of the progress.
    fn skip(&self, shard: usize) {
        self.job.folder.plan.units_of(shard).for_each(|unit| self.monitor.finish_unit(self.job.units.cost(unit)));
    }

    /// Saves the records of finished shards. Other threads count meanwhile. While the file system fails, the records stay
    /// in memory until it is time for the next attempt. `is_last` makes an attempt now, and returns its error.
    fn save_finished(&self, is_last: bool) -> anyhow::Result<()> {
        loop {
            let mut state = self.lock();
            if !is_last && !state.saving.is_time() {
                return Ok(());
            }
            let Some((record, claim)) = state.finished.pop() else { return Ok(()) };
            drop(state);
            let kept = self.job.folder.keep(&record);
            let mut state = self.lock();
            match kept {
                Ok(is_new) => {
                    claim.finish();
                    state.saving.succeeded();
                    state.counted += usize::from(is_new);
                    state.has_met |= !is_new;
                }
                Err(error) => {
                    if error.chain().any(|cause| cause.is::<std::io::Error>()) {
                        state.finished.push((record, claim));
                    }
                    if is_last {
                        return Err(error);
                    }
                    state.saving.failed(error)?;
                }
            }
        }
    }

    /// Saves the records that are left after counting. While the file system fails, waits and tries again. After a stop
    /// it tries once more.
    pub(super) fn save_the_rest(&self) -> anyhow::Result<()> {
        loop {
            let is_last = self.stop.is_cancelled();
            self.save_finished(is_last)?;
            if is_last || self.lock().finished.is_empty() {
                return Ok(());
            }
            self.wait(|state| &state.saving);
        }
    }

    /// Adds the tally of a unit to its shard. After the last unit, the shard's record is to be saved.
    pub(super) fn note(&self, unit: usize, tally: Tally) -> nqueens::Result<()> {
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
