//! Samples: a workload is counted on some threads for a while, and timed.

use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};

use super::workload::{Unit, Workload};
use crate::exit;
use crate::machine::stopwatch::Stopwatch;
use nqueens::solver::{Isa, Plan};
use nqueens::{CancelToken, Counter};

impl Workload {
    /// Returns the seconds of one count, from a sample of about `length` on some threads. `isa` is the highest
    /// instruction set to use.
    ///
    /// All threads are created before any reads its clock, and each stops after the count during which `length` ends.
    /// The speed of a thread is its number of counts divided by its own processor time, which leaves out the time in
    /// which other programs ran instead, but not what they do to a core that they share (docs/measuring.md). Every
    /// count is checked, so a wrong one is an error and has no time.
    pub(crate) fn sample(&self, threads: usize, length: Duration, isa: Isa, cancel: &CancelToken) -> Result<f64> {
        let counter = Counter::new(self.n)?.solver(self.solver).isa(isa).threads(1).cancelled_by(cancel);
        let unit = match &self.unit {
            None => None,
            Some(unit) => Some((unit, counter.plan()?)),
        };
        let sampler = Sampler { workload: self, counter, unit, cancel };
        let paces = on_threads(threads, || sampler.counts_per_second(length))?;
        let together: f64 = paces.into_iter().collect::<Result<Vec<f64>>>()?.iter().sum();
        // Decimals after the ninth are noise of the arithmetic.
        Ok((1e9 / together).round() / 1e9)
    }
}

/// What the threads of a sample share.
struct Sampler<'a> {
    workload: &'a Workload,
    counter: Counter,
    /// The unit with its plan, if the workload is a unit.
    unit: Option<(&'a Unit, Box<dyn Plan>)>,
    cancel: &'a CancelToken,
}

impl Sampler<'_> {
    /// Counts for this length on this thread.
    fn counts_per_second(&self, length: Duration) -> Result<f64> {
        let start = Instant::now();
        let processor = Stopwatch::start();
        let mut counts = 0.0;
        loop {
            self.count()?;
            counts += 1.0;
            let seconds = processor.core_seconds();
            if start.elapsed() >= length && seconds > 0.0 {
                return Ok(counts / seconds);
            }
        }
    }

    /// Counts once, and checks the count.
    fn count(&self) -> Result<()> {
        let Some((Unit { number, solutions }, plan)) = &self.unit else {
            // The library compares the count of a board with the published one.
            self.counter.run()?;
            return Ok(());
        };
        let found = plan.count().units([*number]).threads(1).cancelled_by(self.cancel).run()?.solutions;
        if found == *solutions {
            return Ok(());
        }
        let id = self.workload.id();
        let wrong = format!("{id}: counted {found}, but the correct count is {solutions}");
        Err(exit::Kind::Wrong.error(wrong))
    }
}

/// Returns the results of the same work on several threads at once. With a single thread, the calling thread does the
/// work.
fn on_threads<T: Send>(threads: usize, work: impl Fn() -> T + Sync) -> Result<Vec<T>> {
    if threads == 1 {
        return Ok(vec![work()]);
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let refused = |reason| anyhow!("the system refused to start {threads} threads: {reason}");
    Ok(pool.map_err(refused)?.broadcast(|_| work()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::score::Score;
    use crate::bench::workload::SUITE;

    #[test]
    fn a_wrong_count_of_a_unit_is_an_error() {
        let unit = Some(Unit { number: 0, solutions: 1 });
        let workload = Workload { score: Score::Color, solver: "color", n: 12, unit, version: 3, anchor_seconds: 1.0 };
        let error = workload.sample(1, Duration::ZERO, Isa::Portable, &CancelToken::new()).unwrap_err();
        assert_eq!(exit::Kind::of(&error), exit::Kind::Wrong);
        assert!(format!("{error:#}").starts_with("color n=12 unit 0: counted "), "{error:#}");
    }

    #[test]
    fn a_sample_is_as_long_as_it_should_be() {
        let length = Duration::from_millis(20);
        for threads in [1, 3] {
            let start = Instant::now();
            let seconds = SUITE[0].sample(threads, length, Isa::Portable, &CancelToken::new()).unwrap();
            // No machine counts faster than this, so a shorter time would mean that the timed thread is not the one
            // that counts.
            assert!(seconds * threads as f64 > 1e-4 && start.elapsed() >= length, "{seconds}");
        }
    }
}
