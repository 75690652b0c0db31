//! Samples of a workload: each thread counts boards of its own for a tenth of a second.

use std::fmt::Display;
use std::time::{Duration, Instant};

use anyhow::Result;
use nqueens::board::{Size, known};
use nqueens::solver::Isa;
use nqueens::{CancelToken, Counter, engine};

use super::record::{Decimal, Workload};
use super::workload::{Threads, WorkloadId};
use crate::exit::Fault;
use crate::terminal::units::nine_digits;

/// A workload that is ready to run.
#[derive(Debug, Clone)]
pub(crate) struct Runner {
    pub(crate) id: WorkloadId,
    threads: usize,
    /// Counts a board on one thread.
    counter: Counter,
}

impl Runner {
    /// Prepares a workload. `isa` is the highest instruction set to use; the default is the best one.
    pub(crate) fn new(id: &WorkloadId, isa: Option<Isa>) -> Result<Self> {
        let threads = match id.threads {
            Threads::Exactly(threads) => threads,
            Threads::All => engine::default_threads(),
        };
        let mut counter = Counter::for_size(id.size).solver(&id.solver).threads(1);
        if let Some(isa) = isa {
            counter = counter.isa(isa);
        }
        counter.threads_used()?;
        Ok(Self { id: id.clone(), threads, counter })
    }

    /// Takes a sample of about `length`. Returns the seconds of a board: the threads together count one in this time.
    ///
    /// The threads start before they look at their clocks. A thread stops after the board that it counts when `length`
    /// is over, and its speed is its number of boards divided by its own time. So no thread waits for a slower one.
    /// The library compares each count with the published one.
    pub(crate) fn sample(&self, length: Duration, cancel: &CancelToken) -> Result<f64> {
        let counter = self.counter.clone().cancelled_by(cancel);
        let boards_per_second = || -> nqueens::Result<f64> {
            let (start, mut boards) = (Instant::now(), 0.0);
            loop {
                counter.run()?;
                boards += 1.0;
                let elapsed = start.elapsed();
                if elapsed >= length && !elapsed.is_zero() {
                    return Ok(boards / elapsed.as_secs_f64());
                }
            }
        };
        let speeds = on_threads(self.threads, boards_per_second)?;
        let together: f64 = speeds.into_iter().collect::<nqueens::Result<Vec<f64>>>()?.iter().sum();
        Ok(nine_digits(1.0 / together))
    }

    /// The workload's part of a record.
    pub(crate) fn into_workload(self, seconds: Vec<f64>) -> Result<Workload> {
        Ok(Workload {
            threads: self.threads,
            isa: self.counter.choice()?.isa.name().to_owned(),
            count: Decimal(known::solutions(self.id.size).unwrap_or_default()),
            seconds,
            id: self.id,
        })
    }
}

/// Does the work on each of some threads at the same time. One thread is the calling one.
fn on_threads<T: Send>(threads: usize, work: impl Fn() -> T + Sync) -> Result<Vec<T>> {
    if threads == 1 {
        return Ok(vec![work()]);
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let refused = |reason| Fault::Failure.error(format!("the system refused to start {threads} threads: {reason}"));
    Ok(pool.map_err(refused)?.broadcast(|_| work()))
}

/// Compares a count with the published one. A wrong count has no time.
pub(crate) fn check_count(place: impl Display, n: Size, found: u128) -> Result<()> {
    match known::solutions(n) {
        Some(published) if published != found => Err(Fault::Wrong
            .error(format!("{place}: the count for n = {n} is {found}, and the published count is {published}"))),
        _ => Ok(()),
    }
}

/// Whether a board can take this time. Ratios of times below it might not be finite; the longest time is a century.
pub(crate) fn is_time(seconds: &f64) -> bool {
    (1e-10..=3.2e9).contains(seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_is_as_long_as_asked_for_and_can_be_stopped() {
        for id in ["count/bitmask/n=8/t=1@4", "count/bitmask/n=8/t=3@4"] {
            let runner = Runner::new(&id.parse().unwrap(), None).unwrap();
            let start = Instant::now();
            let seconds = runner.sample(Duration::from_millis(20), &CancelToken::new()).unwrap();
            assert!(is_time(&seconds) && start.elapsed() >= Duration::from_millis(20), "{seconds}");
            let stop = CancelToken::new();
            stop.cancel();
            let stopped = runner.sample(Duration::from_secs(3600), &stop).unwrap_err();
            assert!(matches!(stopped.downcast_ref(), Some(nqueens::Error::Cancelled { .. })));
        }
        assert!(Runner::new(&"count/nobody/n=8/t=1@1".parse().unwrap(), None).is_err());
    }

    #[test]
    fn every_thread_works() {
        for threads in [1, 2, 5] {
            assert_eq!(on_threads(threads, || 7).unwrap(), vec![7; threads]);
        }
    }
}
