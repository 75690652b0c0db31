//! Workloads: what `bench` counts, the same on every machine.

use std::fmt;
use std::time::{Duration, Instant};

use anyhow::Result;
use serde::{Deserialize, Serialize};

use super::score::Score;
use crate::exit;
use crate::machine::stopwatch::Stopwatch;
use crate::machine::usable_threads;
use nqueens::solver::{Isa, Plan};
use nqueens::{CancelToken, Counter};

/// A solver, and the board, or the unit of a board, that it counts again and again. [`Times`] contains its times.
#[derive(Debug, PartialEq)]
pub(crate) struct Workload {
    /// The score to which it contributes.
    pub(crate) score: Score,
    pub(crate) solver: &'static str,
    pub(crate) n: usize,
    /// The unit that is counted. `None` means the whole board.
    pub(crate) unit: Option<Unit>,
    /// Rises when the timed work changes, so that old times are never compared with new ones.
    pub(crate) version: u32,
    /// The seconds of one count that are worth 1000 points.
    ///
    /// Frozen solvers compare machines over years. If you change the speed of one, raise its version and choose an
    /// anchor that leaves the scores of machines as they are.
    pub(crate) anchor: f64,
}

/// A unit of a solver's plan, and the solutions that it must count.
#[derive(Debug, PartialEq)]
pub(crate) struct Unit {
    pub(crate) number: usize,
    pub(crate) solutions: u128,
}

/// The suite. One thread counts `color` n = 18 in 8 MiB, the unit of n = 20 in 20 MiB, and the unit of n = 24 in 64
/// MiB, which is more than the caches of most cores hold.
pub(crate) const SUITE: [Workload; 5] = [
    frozen("arrays", 10, 2, 2e-3),
    frozen("bitmask", 12, 4, 3e-3),
    color(18, None, 0.4),
    color(20, Some(Unit { number: 299, solutions: 95_118_556 }), 0.1),
    color(24, Some(Unit { number: 14_014, solutions: 943_518_352 }), 0.4),
];

/// Returns the workloads of a score.
pub(super) fn of_score(score: Score) -> impl Iterator<Item = &'static Workload> {
    SUITE.iter().filter(move |workload| workload.score == score)
}

/// Returns the workload for a board that a frozen solver counts. An anchor is about the time that one core of a server
/// takes.
const fn frozen(solver: &'static str, n: usize, version: u32, anchor: f64) -> Workload {
    Workload { score: Score::Frozen, solver, n, unit: None, version, anchor }
}

/// Returns the workload for a board or unit that `color` counts. An anchor is about the time that one core of an AMD
/// EPYC (Zen 3) took on 29 November 2026.
const fn color(n: usize, unit: Option<Unit>, anchor: f64) -> Workload {
    Workload { score: Score::Color, solver: "color", n, unit, version: 3, anchor }
}

/// What identifies a workload, in the suite and in records. Only times with equal ids are compared.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct WorkloadId {
    pub(crate) solver: String,
    pub(crate) n: usize,
    /// The number of the unit that is counted. `None` means the whole board.
    pub(crate) unit: Option<usize>,
    pub(crate) version: u32,
}

impl WorkloadId {
    /// Returns whether this program measures the workload.
    pub(crate) fn is_in_suite(&self) -> bool {
        SUITE.iter().any(|workload| workload.id() == *self)
    }
}

/// Prints the name of the workload, such as `arrays n=10` or `color n=24 unit`, or `color@7 n=24 unit` if this program
/// does not measure it.
impl fmt::Display for WorkloadId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.solver)?;
        if !self.is_in_suite() {
            write!(f, "@{}", self.version)?;
        }
        write!(f, " n={}{}", self.n, if self.unit.is_some() { " unit" } else { "" })
    }
}

/// The times of a workload on some threads.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Times {
    pub(crate) solver: String,
    pub(crate) n: usize,
    /// The number of the unit that was counted. `None` means the whole board.
    pub(crate) unit: Option<usize>,
    pub(crate) version: u32,
    /// The number of threads, each of which counts by itself.
    pub(crate) threads: usize,
    /// Processor seconds of one count in each sample, in order and without the warm-up. All threads together count once
    /// in this time. Where the system does not report the processor time of a thread, these are elapsed seconds.
    pub(crate) seconds: Vec<f64>,
}

impl Times {
    /// Creates an empty list of times on this number of threads.
    pub(crate) fn new(WorkloadId { solver, n, unit, version }: WorkloadId, threads: usize) -> Self {
        Self { solver, n, unit, version, threads, seconds: Vec::new() }
    }

    /// Returns the id of the workload.
    pub(crate) fn id(&self) -> WorkloadId {
        WorkloadId { solver: self.solver.clone(), n: self.n, unit: self.unit, version: self.version }
    }
}

/// Returns the numbers of threads on which each workload is measured: one and all, and with `has_scaling` also 2, 4, 8
/// and so on.
pub(crate) fn threads(has_scaling: bool) -> Vec<usize> {
    let all = usable_threads();
    let doubled = std::iter::successors(Some(2), |threads| Some(2 * threads));
    let between = doubled.take_while(|&threads| has_scaling && threads < all);
    let mut threads: Vec<usize> = std::iter::once(1).chain(between).chain([all]).collect();
    threads.dedup();
    threads
}

impl Workload {
    pub(crate) fn id(&self) -> WorkloadId {
        WorkloadId {
            solver: self.solver.to_owned(),
            n: self.n,
            unit: self.unit.as_ref().map(|unit| unit.number),
            version: self.version,
        }
    }

    /// Returns the most bytes that it takes on some threads: what the library predicts for the whole board on one
    /// thread, times the number of threads.
    pub(crate) fn bytes(&self, threads: usize) -> nqueens::Result<u64> {
        let on_one = Counter::new(self.n)?.solver(self.solver).threads(1).predicted()?;
        Ok(on_one.bytes.saturating_mul(threads as u64))
    }

    /// Returns the seconds of one count, from a sample of about `length` on some threads. `isa` is the highest
    /// instruction set to use.
    ///
    /// All threads start before any reads its clock, and each stops after the count during which `length` ends. The
    /// speed of a thread is its number of counts divided by its own processor time, which leaves out the time in which
    /// other programs ran instead, but not what they do to a core that they share (docs/measuring.md). Every count is
    /// checked, so a wrong one is an error and has no time.
    pub(crate) fn sample(&self, threads: usize, length: Duration, isa: Isa, cancel: &CancelToken) -> Result<f64> {
        let counter = Counter::new(self.n)?.solver(self.solver).isa(isa).threads(1).cancelled_by(cancel);
        let plan = if self.unit.is_some() { Some(counter.plan()?) } else { None };
        let sampler = Sampler { workload: self, counter, plan, cancel };
        let speeds = on_threads(threads, || sampler.counts_per_second(length))?;
        let together: f64 = speeds.into_iter().collect::<Result<Vec<f64>>>()?.iter().sum();
        Ok(nine_digits(1.0 / together))
    }
}

/// What the threads of a sample share.
struct Sampler<'a> {
    workload: &'a Workload,
    counter: Counter,
    /// The plan, if the workload is a unit of it.
    plan: Option<Box<dyn Plan>>,
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
        let (Some(Unit { number, solutions }), Some(plan)) = (&self.workload.unit, &self.plan) else {
            // The library compares the count of a board with the published one.
            self.counter.run()?;
            return Ok(());
        };
        let found = plan.count().units([*number]).threads(1).cancelled_by(self.cancel).run()?.solutions;
        if found == *solutions {
            return Ok(());
        }
        let id = self.workload.id();
        let wrong = format!("{id}, unit {number}: counted {found}, but the correct count is {solutions}");
        Err(exit::Kind::Wrong.error(wrong))
    }
}

/// Rounds seconds to nine decimals, because further digits are noise of the arithmetic.
fn nine_digits(seconds: f64) -> f64 {
    if seconds < 1e7 { (seconds * 1e9).round() / 1e9 } else { seconds }
}

/// Returns the results of the same work on several threads at once. With a single thread, the calling thread does the
/// work.
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

    /// Each version of a frozen solver visits a fixed number of nodes, because visiting more or fewer would change its
    /// speed.
    #[test]
    fn frozen_solvers_visit_the_nodes_of_their_version() {
        const NODES: [(&str, u32, usize, u64); 3] =
            [("arrays", 2, 9, 8393), ("bitmask", 4, 9, 4703), ("bitmask", 4, 12, 428_094)];
        for (solver, version, n, nodes) in NODES {
            let of = SUITE.iter().find(|of| of.solver == solver && of.score == Score::Frozen).unwrap();
            let outcome = Counter::new(n).unwrap().solver(solver).threads(1).run().unwrap();
            let found = (of.version, outcome.work.nodes);
            assert_eq!(found, (version, nodes), "raise the version of a solver that became faster or slower");
        }
    }

    #[test]
    fn the_words_about_a_score_name_its_anchors() {
        for score in Score::ALL {
            for Workload { n, anchor, .. } in of_score(score) {
                let time = if *anchor < 0.1 { format!("{} ms", 1e3 * anchor) } else { format!("{anchor} s") };
                assert!(score.about().contains(&format!("n = {n} in {time}")), "{}: n = {n} in {time}", score.name());
            }
        }
    }

    /// If the plan of `color` changes, a unit's number refers to a different unit.
    #[test]
    fn the_units_of_color_are_those_of_their_version() {
        let names = SUITE.iter().filter_map(|of| {
            let plan = Counter::new(of.n).unwrap().solver(of.solver).plan().unwrap();
            Some((of.version, plan.name(of.unit.as_ref()?.number)))
        });
        let expected = ["white even rows 4, odd 132, sets 0..210", "white even rows 5, odd b30, sets 271..369"];
        let expected = expected.map(|name| (3, name.to_owned()));
        assert_eq!(names.collect::<Vec<_>>(), expected, "choose units of about this length, and raise the version");
    }

    #[test]
    fn a_wrong_count_of_a_unit_is_an_error() {
        let unit = Some(Unit { number: 0, solutions: 1 });
        let workload = Workload { n: 12, unit, ..color(12, None, 1.0) };
        let error = workload.sample(1, Duration::ZERO, Isa::Portable, &CancelToken::new()).unwrap_err();
        assert_eq!(exit::Kind::of(&error), exit::Kind::Wrong);
        assert!(format!("{error:#}").starts_with("color@3 n=12 unit, unit 0: counted "), "{error:#}");
    }

    #[test]
    fn threads_double_up_to_all() {
        let all = usable_threads();
        assert_eq!(threads(false), if all == 1 { vec![1] } else { vec![1, all] });
        let threads = threads(true);
        assert!(threads.windows(2).all(|pair| pair[1] <= 2 * pair[0]) && threads.ends_with(&[all]), "{threads:?}");
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
