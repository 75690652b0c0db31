//! Counts shards and keeps their records.
//!
//! The threads of a process take units one after the other, and when those of a shard are all taken they go on with the
//! next shard: no thread waits for a shard's end. Another thread writes the records, so that none waits for the disk.

use std::collections::{HashMap, VecDeque};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

use super::{Attempt, Claim, Claimant, Error, Figures, Found, Kept, Origin, Record, Result, RunFolder, Stopwatch};
use crate::count::Tally;
use crate::engine::{self, Pool};
use crate::solver::Plan;
use crate::{CancelToken, Monitor};

/// Shards to be counted by this process.
#[derive(Debug)]
pub struct Job<'a> {
    /// The run.
    pub folder: &'a RunFolder,
    /// Its units, as [`RunPlan::units_with`](super::RunPlan::units_with) gives them.
    pub units: &'a dyn Plan,
    /// What the records say of who counted.
    pub origin: Origin,
    /// By when it has to be over: no shard is begun that would not be finished.
    pub deadline: Option<Instant>,
    /// Seconds that a core here takes for a predicted second, to begin with.
    pub pace: f64,
}

/// What became of the shards.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Report {
    /// How many were counted and kept by this process.
    pub counted: usize,
    /// How many had a valid record already.
    pub known: usize,
    /// Those that other processes are counting.
    pub elsewhere: Vec<usize>,
    /// How many were not counted, because it was cancelled or out of time.
    pub left: usize,
    /// Damaged records that were given another name, and what was wrong with them.
    pub set_aside: Vec<(PathBuf, String)>,
}

impl Report {
    /// Adds what became of other shards.
    pub fn merge(&mut self, other: Self) {
        self.counted += other.counted;
        self.known += other.known;
        self.elsewhere.extend(other.elsewhere);
        self.left += other.left;
        self.set_aside.extend(other.set_aside);
    }
}

impl Job<'_> {
    /// Counts these shards, in this order, but for those that have a record or that another process is counting.
    ///
    /// # Errors
    /// [`Error::Disagree`] where a record appeared meanwhile that has other counts; [`Error::Write`], [`Error::Read`],
    /// [`Error::Shard`], [`Error::Count`].
    pub fn run(&self, shards: &[usize], cancel: &CancelToken, monitor: &Monitor) -> Result<Report> {
        let (mut units, mut cost) = (0, 0.0);
        for &shard in shards {
            let range = self.folder.plan().shard(shard)?;
            units += range.len();
            cost += range.map(|unit| self.units.cost(unit)).sum::<f64>();
        }
        monitor.begin(units, cost);
        if units == 0 {
            return Ok(Report::default());
        }
        let stop = cancel.child();
        let shared = Shared {
            job: self,
            stop: &stop,
            monitor,
            state: Mutex::new(State { queue: shards.iter().copied().collect(), ..State::default() }),
        };
        let threads = self.origin.threads;
        let (counted, drained) = thread::scope(|scope| -> Result<_> {
            let (sender, receiver) = mpsc::channel();
            let writer = thread::Builder::new()
                .spawn_scoped(scope, || self.keep_all(receiver, &stop))
                .map_err(|error| crate::Error::ThreadPool { threads: 1, reason: error.to_string() })?;
            let shared = &shared;
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
        report.left = shards.len() - counted - report.known - report.elsewhere.len();
        report.counted = counted;
        Ok(report)
    }

    /// Writes the records that come, and stops the counting when time is up. Returns how many there were.
    fn keep_all(&self, records: Receiver<(Record, Claim)>, stop: &CancelToken) -> Result<usize> {
        let mut kept = 0;
        loop {
            let left = self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            match records.recv_timeout(left.unwrap_or(Duration::MAX / 4)) {
                Ok((record, claim)) => {
                    match self.folder.keep(&record) {
                        Ok(Kept::Written | Kept::AlreadyThere) => kept += 1,
                        Err(error) => {
                            stop.cancel();
                            return Err(error);
                        }
                    }
                    claim.finish();
                }
                Err(RecvTimeoutError::Disconnected) => return Ok(kept),
                Err(RecvTimeoutError::Timeout) => {
                    stop.cancel();
                    // What is finished is still kept.
                    for (record, claim) in records {
                        self.folder.keep(&record)?;
                        kept += 1;
                        claim.finish();
                    }
                    return Ok(kept);
                }
            }
        }
    }
}

/// What the threads of a job share.
struct Shared<'a> {
    job: &'a Job<'a>,
    stop: &'a CancelToken,
    monitor: &'a Monitor,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Shards that nobody has looked at yet.
    queue: VecDeque<usize>,
    /// Those that another process was counting, to be looked at once more.
    taken: VecDeque<usize>,
    is_second_look: bool,
    /// What is left to be taken of the shard that was begun last.
    open: Range<usize>,
    /// Shards that are being counted.
    begun: HashMap<usize, Begun>,
    /// The time of each thread since it took its unit.
    taken_at: HashMap<ThreadId, Stopwatch>,
    /// Seconds that passed for the threads of the finished shards, and their prediction.
    pace: (f64, f64),
    failure: Option<Error>,
    report: Report,
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

impl Shared<'_> {
    fn lock(&self) -> MutexGuard<'_, State> {
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
    fn begin_shard(&self, state: &mut State) -> Result<bool> {
        let (folder, plan) = (self.job.folder, self.job.folder.plan());
        loop {
            if self.stop.is_cancelled() {
                return Ok(false);
            }
            let Some(&shard) = state.queue.front() else {
                if state.is_second_look || state.taken.is_empty() {
                    state.report.elsewhere.extend(std::mem::take(&mut state.taken));
                    return Ok(false);
                }
                state.is_second_look = true;
                state.queue = std::mem::take(&mut state.taken);
                continue;
            };
            if self.is_too_long(state, shard) {
                return Ok(false);
            }
            state.queue.pop_front();
            let units = plan.shard(shard)?;
            let Attempt::Ours(claim) = folder.claim(shard, &self.claimant())? else {
                state.taken.push_back(shard);
                continue;
            };
            // Only now: it may have been written since the shards were listed.
            match folder.find(shard)? {
                Found::Valid(_) => {
                    claim.finish();
                    state.report.known += 1;
                    units.for_each(|unit| self.monitor.finish_unit(self.job.units.cost(unit)));
                    continue;
                }
                Found::Damaged(problem) => {
                    let file = folder.set_aside(shard)?;
                    state.report.set_aside.push((file, problem));
                }
                Found::Missing => {}
            }
            let figures = Figures::of_units(units.len());
            state
                .begun
                .insert(shard, Begun { claim, first: units.start, units_left: units.len(), seconds: 0.0, figures });
            state.open = units;
            return Ok(true);
        }
    }

    /// Whether a shard would not be finished in time.
    fn is_too_long(&self, state: &State, shard: usize) -> bool {
        let Some(deadline) = self.job.deadline else { return false };
        let pace = match state.pace {
            (seconds, predicted) if predicted > 0.0 => seconds / predicted,
            _ => self.job.pace,
        };
        let seconds = pace * self.job.folder.plan().predicted_seconds(shard) / self.job.origin.threads as f64;
        let left = deadline.saturating_duration_since(Instant::now()).as_secs_f64();
        left == 0.0 || seconds > left
    }

    fn claimant(&self) -> Claimant {
        let Origin { threads, cpu, machine, .. } = &self.job.origin;
        Claimant {
            since: jiff::Timestamp::now().round(jiff::Unit::Second).unwrap_or_default().to_string(),
            threads: *threads,
            cpu: cpu.clone(),
            machine: machine.clone(),
            process: std::process::id(),
        }
    }

    /// Adds what a unit counted to its shard, and returns the shard's record if that was its last.
    fn note(&self, unit: usize, tally: Tally) -> crate::Result<Option<(Record, Claim)>> {
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
        match Record::new(plan, shard, figures, self.job.origin.clone()) {
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
    use super::*;
    use crate::board::Size;
    use crate::run::RunPlan;
    use crate::run::stopwatch::tests::{NAP, Sleepy};
    use crate::solver::{Isa, registry};

    #[test]
    #[cfg_attr(not(any(target_os = "linux", target_os = "macos")), ignore = "it tells no processor time")]
    fn records_tell_the_time_at_work_and_not_the_time_that_passed() {
        let folder = tempfile::tempdir().unwrap();
        let plan = RunPlan::new(Size::new(7).unwrap(), registry::find("bitmask").unwrap(), Some(1)).unwrap();
        let (_, units) = plan.units_with(Isa::Portable, folder.path()).unwrap();
        let folder = RunFolder::create(folder.path(), plan).unwrap().0;
        let origin = Origin {
            isa: "portable".to_owned(),
            version: String::new(),
            commit: String::new(),
            dirty: false,
            cpu: String::new(),
            machine: None,
            threads: 1,
        };
        let job = Job { folder: &folder, units: &Sleepy(&*units), origin, deadline: None, pace: 1.0 };
        let began = Instant::now();
        assert_eq!(job.run(&[0], &CancelToken::new(), &Monitor::new()).unwrap().counted, 1);
        let (passed, slept) = (began.elapsed().as_secs_f64(), units.units() as f64 * NAP.as_secs_f64());
        let Found::Valid(record) = folder.find(0).unwrap() else { panic!("it is kept") };
        let core = record.core_seconds();
        assert!(core < passed - 0.9 * slept, "{core} of {passed}, of which it slept {slept}");
    }
}
