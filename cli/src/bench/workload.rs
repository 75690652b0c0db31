//! Workloads: what `bench` counts, the same on every machine.

use std::time::{Duration, Instant};

use anyhow::Result;
use serde::{Deserialize, Serialize};

use crate::exit;
use crate::machine::stopwatch::Stopwatch;
use crate::machine::usable_threads;
use crate::terminal::units::nine_digits;
use nqueens::board::Size;
use nqueens::solver::Isa;
use nqueens::{CancelToken, Counter};

/// A solver of the suite and its board, which takes a few milliseconds, so that a sample has many boards.
pub(crate) struct Measured {
    pub(crate) solver: &'static str,
    pub(crate) n: usize,
    /// Rises when the timed part changes, so that old and new times are never compared.
    pub(crate) version: u32,
    /// The seconds of a board that are worth 1000 points, about the pace of one core of a server. `None` if the solver
    /// is not frozen and has no part in the score.
    ///
    /// Frozen solvers compare machines over years. If you change the speed of one, raise its version and give it a time
    /// that leaves the scores of machines as they are.
    pub(crate) anchor: Option<f64>,
}

pub(crate) const SUITE: [Measured; 3] = [
    Measured { solver: "arrays", n: 10, version: 2, anchor: Some(2e-3) },
    Measured { solver: "bitmask", n: 12, version: 4, anchor: Some(3e-3) },
    Measured { solver: "color", n: 16, version: 2, anchor: None },
];

/// A solver and its board on some threads, with their times. Only times of the same solver, board and version can be
/// compared.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Workload {
    pub(crate) solver: String,
    pub(crate) n: usize,
    pub(crate) version: u32,
    /// Threads, each of which counts boards of its own.
    pub(crate) threads: usize,
    /// Processor seconds of a board in each sample, in order and without the warm-up: all threads together count one
    /// board in this time. Where the system does not report the processor time of a thread, these are elapsed seconds.
    pub(crate) seconds: Vec<f64>,
}

/// The workloads without times: each solver on one thread and on all, and with `has_scaling` also on 2, 4, 8 threads
/// and so on.
pub(crate) fn suite(has_scaling: bool) -> Vec<Workload> {
    let all = usable_threads();
    let doubled = std::iter::successors(Some(2), |threads| Some(2 * threads));
    let between = doubled.take_while(|&threads| has_scaling && threads < all);
    let mut threads: Vec<usize> = std::iter::once(1).chain(between).chain([all]).collect();
    threads.dedup();
    let workload = |&Measured { solver, n, version, .. }: &Measured, threads| Workload {
        solver: solver.to_owned(),
        n,
        version,
        threads,
        seconds: Vec::new(),
    };
    SUITE.iter().flat_map(|of| threads.iter().map(move |&threads| workload(of, threads))).collect()
}

impl Measured {
    /// The name of its workloads, such as `arrays n=10`.
    pub(crate) fn name(&self) -> String {
        format!("{} n={}", self.solver, self.n)
    }
}

impl Workload {
    /// The solver and its board, such as `arrays n=10`, or `arrays@7 n=10` if the version is not this program's.
    pub(crate) fn name(&self) -> String {
        let Self { solver, n, version, .. } = self;
        let is_ours = SUITE.iter().any(|of| of.solver == solver && of.version == *version);
        if is_ours { format!("{solver} n={n}") } else { format!("{solver}@{version} n={n}") }
    }

    /// The seconds of a board, by a sample of about `length`. `isa` is the highest instruction set to use; `None` is
    /// the best.
    ///
    /// Threads start before they look at their clocks, and a thread stops after the board that it counts when `length`
    /// is over. Its speed is its number of boards divided by its own processor time, which leaves out the time that
    /// other programs ran instead, but not what they do to a core that they share (docs/measuring.md). The library
    /// compares each count with the published one, so a wrong count is an error and has no time.
    pub(crate) fn sample(&self, length: Duration, isa: Option<Isa>, cancel: &CancelToken) -> Result<f64> {
        let counter = Counter::for_size(Size::new(self.n)?).solver(&self.solver).threads(1).cancelled_by(cancel);
        let counter = isa.into_iter().fold(counter, Counter::isa);
        let boards_per_second = || -> nqueens::Result<f64> {
            let (start, processor, mut boards) = (Instant::now(), Stopwatch::start(), 0.0);
            loop {
                counter.run()?;
                boards += 1.0;
                let seconds = processor.core_seconds();
                if start.elapsed() >= length && seconds > 0.0 {
                    return Ok(boards / seconds);
                }
            }
        };
        let speeds = on_threads(self.threads, boards_per_second)?;
        let together: f64 = speeds.into_iter().collect::<nqueens::Result<Vec<f64>>>()?.iter().sum();
        Ok(nine_digits(1.0 / together))
    }
}

/// The results of the same work on several threads at once. A single thread is the calling one.
fn on_threads<T: Send>(threads: usize, work: impl Fn() -> T + Sync) -> Result<Vec<T>> {
    if threads == 1 {
        return Ok(vec![work()]);
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let refused =
        |reason| exit::Kind::Failure.error(format!("the system refused to start {threads} threads: {reason}"));
    Ok(pool.map_err(refused)?.broadcast(|_| work()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each version of a frozen solver visits a certain number of nodes. Another number means another speed.
    #[test]
    fn frozen_solvers_visit_the_nodes_of_their_version() {
        const NODES: [(&str, u32, usize, u64); 3] =
            [("arrays", 2, 9, 8393), ("bitmask", 4, 9, 4703), ("bitmask", 4, 12, 428_094)];
        for (solver, version, n, nodes) in NODES {
            let of = SUITE.iter().find(|of| of.solver == solver && of.anchor.is_some()).unwrap();
            let outcome = Counter::new(n).unwrap().solver(solver).threads(1).run().unwrap();
            let found = (of.version, outcome.work.nodes);
            assert_eq!(found, (version, nodes), "raise the version of a solver that became faster or slower");
        }
    }

    #[test]
    fn threads_double_up_to_all() {
        let threads = |has_scaling| suite(has_scaling).iter().map(|one| one.threads).collect::<Vec<_>>();
        let all = usable_threads();
        assert_eq!(threads(false), if all == 1 { vec![1; 3] } else { [1, all].repeat(3) });
        assert!(threads(true).windows(2).all(|pair| pair[1] <= 2 * pair[0]) && threads(true).ends_with(&[all]));
    }

    #[test]
    fn a_sample_is_as_long_as_it_should_be() {
        let (mut workload, length) = (suite(false).remove(0), Duration::from_millis(20));
        for threads in [1, 3] {
            workload.threads = threads;
            let start = Instant::now();
            let seconds = workload.sample(length, None, &CancelToken::new()).unwrap();
            // No machine is so fast: the thread that is timed is the one that counts.
            assert!(seconds * threads as f64 > 1e-4 && start.elapsed() >= length, "{seconds}");
        }
    }
}
