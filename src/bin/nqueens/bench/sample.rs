//! Samples of a workload: runs it, times it, and checks the count of each run.

use std::time::Instant;

use super::record::{Decimal, Workload};
use super::workload::{Threads, WorkloadId};
use super::{Error, Result};
use nqueens::board::known;
use nqueens::count::Work;
use nqueens::solver::Isa;
use nqueens::{CancelToken, Counter, Outcome, engine};

/// The shortest sample. The clock is too coarse for shorter ones. A sample has several runs if one run is shorter.
const SHORTEST_SAMPLE_SECONDS: f64 = 0.02;

/// The shortest time of a run that a record may have, in seconds. Ratios of shorter times might not be finite.
pub(crate) const MIN_SECONDS: f64 = 1e-10;

/// The longest time of a run that a record may have, in seconds: a century.
pub(crate) const MAX_SECONDS: f64 = 3.2e9;

/// The recorded time of a run that is too short for the clock.
const SHORTEST_RUN_SECONDS: f64 = 1e-9;

/// A workload that is ready to run.
#[derive(Debug, Clone)]
pub(crate) struct Runner {
    id: WorkloadId,
    counter: Counter,
    /// Count and work of the first run. Every later run must give the same.
    first: Option<(u128, Work)>,
}

/// One timed run, or the mean of several.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Sample {
    /// Seconds of one run.
    pub(crate) seconds: f64,
    /// The processor's seconds of one run, of all threads together, if the system reports them.
    pub(crate) processor_seconds: Option<f64>,
}

impl Runner {
    /// Prepares a workload. `isa` is the highest instruction set to use; the default is the best one.
    ///
    /// # Errors
    /// [`Error::Workload`] for another version's workload; those of [`Counter`] for a solver or an instruction set that
    /// does not exist here.
    pub(crate) fn new(id: &WorkloadId, isa: Option<Isa>) -> Result<Self> {
        let version = super::workload::version(&id.solver);
        if id.version != version {
            return Err(Error::Workload {
                given: id.to_string(),
                problem: format!("this program has version {version} of it"),
            });
        }
        let mut counter = Counter::for_size(id.size).solver(&id.solver).threads(match id.threads {
            Threads::Exactly(threads) => threads,
            Threads::All => engine::default_threads(),
        });
        if let Some(isa) = isa {
            counter = counter.isa(isa);
        }
        counter.check()?;
        Ok(Self { id: id.clone(), counter, first: None })
    }

    /// The workload.
    pub(crate) fn id(&self) -> &WorkloadId {
        &self.id
    }

    /// Runs the workload `runs` times and takes the mean time. It compares every run's count with the published one and
    /// with the runs before.
    ///
    /// # Errors
    /// [`Error::WrongCount`], [`Error::Unsteady`], and those of [`Counter::run`].
    pub(crate) fn sample(&mut self, runs: u64, cancel: &CancelToken) -> Result<Sample> {
        let mut outcomes: Vec<Outcome> = Vec::new();
        let counter = self.counter.clone().cancelled_by(cancel);
        let (start, processor_start) = (Instant::now(), processor_seconds());
        for _ in 0..runs.max(1) {
            outcomes.push(counter.run()?);
        }
        let one = |seconds: f64| (seconds / runs.max(1) as f64).max(SHORTEST_RUN_SECONDS);
        let seconds = one(start.elapsed().as_secs_f64());
        let processor_seconds = Option::zip(processor_seconds(), processor_start).map(|(end, start)| one(end - start));
        for outcome in &outcomes {
            self.check(outcome)?;
        }
        Ok(Sample { seconds, processor_seconds })
    }

    fn check(&mut self, outcome: &Outcome) -> Result<()> {
        let (count, work) = *self.first.get_or_insert((outcome.solutions, outcome.work));
        match known::solutions(self.id.size) {
            Some(published) if published != outcome.solutions => Err(Error::WrongCount {
                place: self.id.to_string(),
                n: self.id.size.get(),
                found: outcome.solutions,
                published,
                way_out: "a wrong count has no time; run 'nqueens verify' and report this",
            }),
            _ if (count, work) != (outcome.solutions, outcome.work) => Err(Error::Unsteady {
                workload: self.id.to_string(),
                first: format!("{count} solutions, {} nodes", work.nodes),
                later: format!("{} solutions, {} nodes", outcome.solutions, outcome.work.nodes),
            }),
            _ => Ok(()),
        }
    }

    /// The number of runs of `seconds` each that make a sample long enough.
    pub(crate) fn runs_for(seconds: f64) -> u64 {
        (SHORTEST_SAMPLE_SECONDS / seconds.max(1e-9)).ceil().max(1.0) as u64
    }

    /// The workload's part of a record. Each sample is the mean of `runs_per_sample` runs.
    pub(crate) fn into_workload(self, runs_per_sample: u64, seconds: Vec<f64>) -> Result<Workload> {
        let choice = self.counter.choice()?;
        let (count, work) = self.first.unwrap_or_default();
        Ok(Workload {
            threads: self.counter.threads_used()?,
            isa: choice.isa.name().to_owned(),
            count: Decimal(count),
            // Leaves out figures that are 0.
            work: work
                .figures()
                .filter(|&(_, figure)| figure > 0)
                .map(|(name, figure)| (name.to_owned(), Decimal(u128::from(figure))))
                .collect(),
            runs_per_sample,
            seconds,
            repetitions: Vec::new(),
            id: self.id,
        })
    }
}

/// The processor time that this process has taken so far, in seconds.
fn processor_seconds() -> Option<f64> {
    #[cfg(any(target_os = "linux", target_os = "macos"))]
    {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
        Some(time.tv_sec as f64 + 1e-9 * time.tv_nsec as f64)
    }
    #[cfg(not(any(target_os = "linux", target_os = "macos")))]
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_is_timed_and_checked() {
        let mut runner = Runner::new(&"count/mask/n=8/t=1@1".parse().unwrap(), None).unwrap();
        let sample = runner.sample(3, &CancelToken::new()).unwrap();
        assert!(sample.seconds > 0.0 && runner.first.is_some_and(|(count, work)| count == 92 && work.nodes > 0));
        assert_eq!(sample.processor_seconds.is_some(), cfg!(any(target_os = "linux", target_os = "macos")));
        assert!(sample.processor_seconds.is_none_or(|seconds| seconds > 0.0));
        // A run whose count differs from the first run's is an error, even if no count is published.
        runner.first = Some((92, Work::default()));
        assert!(matches!(runner.sample(1, &CancelToken::new()), Err(Error::Unsteady { .. })));
    }

    #[test]
    fn what_cannot_run_here_is_an_error() {
        for id in ["count/mask/n=8/t=1@2", "count/nobody/n=8/t=1@1"] {
            assert!(Runner::new(&id.parse().unwrap(), None).is_err(), "{id}");
        }
    }
}
