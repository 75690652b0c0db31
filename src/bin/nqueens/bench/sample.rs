//! Samples of a workload: runs it, times it, and checks the count of each run.

use crate::terminal::plural::plural;
use std::fmt::Display;
use std::time::Instant;

use anyhow::Result;

use super::record::{Decimal, Workload};
use super::workload::{Threads, WorkloadId};
use crate::exit::Exit;
use crate::terminal::units::nine_digits;
use nqueens::board::{Size, known};
use nqueens::count::Work;
use nqueens::solver::Isa;
use nqueens::{CancelToken, Counter, Outcome, engine};

/// The shortest sample. The clock is too coarse for shorter ones. A sample has several runs if one run is shorter.
const SHORTEST_SAMPLE_SECONDS: f64 = 0.02;

/// The recorded time of a run that is too short for the clock.
const SHORTEST_RUN_SECONDS: f64 = 1e-9;

/// A workload that is ready to run.
#[derive(Debug, Clone)]
pub(crate) struct Runner {
    pub(crate) id: WorkloadId,
    counter: Counter,
    /// The number of runs in a sample.
    pub(crate) runs: u64,
    /// Count and work of the first run. Every later run must give the same.
    first: Option<(u128, Work)>,
}

impl Runner {
    /// Prepares a workload. `isa` is the highest instruction set to use; the default is the best one.
    pub(crate) fn new(id: &WorkloadId, isa: Option<Isa>) -> Result<Self> {
        let version = super::workload::version(&id.solver);
        if id.version != version {
            return Err(Exit::Usage.error(format!("'{id}' cannot run here: this program has version {version} of it")));
        }
        let mut counter = Counter::for_size(id.size).solver(&id.solver).threads(match id.threads {
            Threads::Exactly(threads) => threads,
            Threads::All => engine::default_threads(),
        });
        if let Some(isa) = isa {
            counter = counter.isa(isa);
        }
        counter.check()?;
        let solver = counter.choice()?.solver.name();
        if id.solver != "auto" && id.solver != solver {
            return Err(Exit::Usage.error(format!("'{id}' cannot run here: the solver's name is '{solver}'")));
        }
        Ok(Self { id: id.clone(), counter, runs: 1, first: None })
    }

    /// Prepares a workload and runs it without timing it, so that caches fill and clocks rise. Finds how many runs make a
    /// sample.
    pub(crate) fn warm(id: &WorkloadId, isa: Option<Isa>, cancel: &CancelToken) -> Result<Self> {
        let mut runner = Self::new(id, isa)?;
        runner.runs = runs_for(runner.sample(cancel)?);
        if runner.runs > 1 {
            // The first run of a process is slower than the others.
            runner.runs = 1;
            runner.runs = runs_for(runner.sample(cancel)?);
        }
        Ok(runner)
    }

    /// Takes a sample: the mean time of `runs` runs, in seconds. It compares every run's count with the published one and with the
    /// runs before.
    pub(crate) fn sample(&mut self, cancel: &CancelToken) -> Result<f64> {
        let mut outcomes: Vec<Outcome> = Vec::new();
        let counter = self.counter.clone().cancelled_by(cancel);
        let start = Instant::now();
        for _ in 0..self.runs {
            outcomes.push(counter.run()?);
        }
        let seconds = (start.elapsed().as_secs_f64() / self.runs as f64).max(SHORTEST_RUN_SECONDS);
        for outcome in &outcomes {
            self.check(outcome)?;
        }
        Ok(nine_digits(seconds))
    }

    fn check(&mut self, outcome: &Outcome) -> Result<()> {
        check_count(&self.id, self.id.size, outcome.solutions)?;
        let found = (outcome.solutions, outcome.work);
        let first = *self.first.get_or_insert(found);
        if first == found {
            return Ok(());
        }
        let [first, found] = [first, found]
            .map(|(count, work)| format!("{}, {}", plural(count, "solution"), plural(work.nodes, "node")));
        Err(Exit::Wrong.error(format!(
            "{}: the first run gave {first}, and a later one {found}: the program or the machine is faulty; run 'nqueens \
             verify'",
            self.id
        )))
    }

    /// The workload's part of a record.
    pub(crate) fn into_workload(self, seconds: Vec<f64>) -> Result<Workload> {
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
            runs_per_sample: self.runs,
            seconds,
            repetitions: Vec::new(),
            id: self.id,
        })
    }
}

/// The number of runs of `seconds` each that make a sample long enough.
fn runs_for(seconds: f64) -> u64 {
    (SHORTEST_SAMPLE_SECONDS / seconds).ceil().max(1.0) as u64
}

/// Compares a count with the published one. A wrong count has no time.
pub(crate) fn check_count(place: impl Display, n: Size, found: u128) -> Result<()> {
    match known::solutions(n) {
        Some(published) if published != found => Err(Exit::Wrong
            .error(format!("{place}: the count for n = {n} is {found}, and the published count is {published}"))),
        _ => Ok(()),
    }
}

/// Whether a run can take this time. Ratios of times below it might not be finite; the longest time is a century.
pub(crate) fn is_time(seconds: &f64) -> bool {
    (1e-10..=3.2e9).contains(seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_is_timed_and_checked() {
        let mut runner = Runner::new(&"count/bitmask/n=8/t=1@3".parse().unwrap(), None).unwrap();
        runner.runs = 3;
        let seconds = runner.sample(&CancelToken::new()).unwrap();
        assert!(seconds > 0.0 && runner.first.is_some_and(|(count, work)| count == 92 && work.nodes > 0));
        // A run whose count differs from the first run's is an error, even if no count is published.
        runner.first = Some((92, Work::default()));
        assert_eq!(Exit::of(&runner.sample(&CancelToken::new()).unwrap_err()), Exit::Wrong);
    }

    #[test]
    fn what_cannot_run_here_is_an_error() {
        for id in ["count/bitmask/n=8/t=1@2", "count/mask/n=8/t=1@1", "count/nobody/n=8/t=1@1"] {
            assert!(Runner::new(&id.parse().unwrap(), None).is_err(), "{id}");
        }
    }
}
