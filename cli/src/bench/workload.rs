//! Workloads: what `bench` counts, the same on every machine.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::score::Score;
use nqueens::Counter;

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
    pub(crate) anchor_seconds: f64,
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
const fn frozen(solver: &'static str, n: usize, version: u32, anchor_seconds: f64) -> Workload {
    Workload { score: Score::Frozen, solver, n, unit: None, version, anchor_seconds }
}

/// Returns the workload for a board or unit that `color` counts. An anchor is about the time that one core of an AMD
/// EPYC (Zen 3) took on 29 November 2026.
const fn color(n: usize, unit: Option<Unit>, anchor_seconds: f64) -> Workload {
    Workload { score: Score::Color, solver: "color", n, unit, version: 3, anchor_seconds }
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
    /// Returns whether this program measures a workload of this solver and this version.
    pub(crate) fn has_version_of_suite(&self) -> bool {
        SUITE.iter().any(|workload| workload.solver == self.solver && workload.version == self.version)
    }
}

/// Prints the name of the workload, such as `arrays n=10` or `color n=24 unit`. Different workloads have different
/// names, so the name contains whatever the suite does not know: the version, as in `color@7 n=24`, and the number of a
/// unit, as in `color n=24 unit 300`.
impl fmt::Display for WorkloadId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.solver)?;
        if !self.has_version_of_suite() {
            write!(f, "@{}", self.version)?;
        }
        write!(f, " n={}", self.n)?;
        match self.unit {
            None => Ok(()),
            Some(_) if SUITE.iter().any(|workload| workload.id() == *self) => write!(f, " unit"),
            Some(number) => write!(f, " unit {number}"),
        }
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
    fn names_contain_what_the_suite_does_not_know() {
        for (n, unit, version, name) in [
            (18, None, 3, "color n=18"),
            (20, Some(299), 3, "color n=20 unit"),
            (16, None, 3, "color n=16"),
            (20, Some(300), 3, "color n=20 unit 300"),
            (24, Some(299), 3, "color n=24 unit 299"),
            (18, None, 4, "color@4 n=18"),
            (20, Some(299), 4, "color@4 n=20 unit 299"),
        ] {
            assert_eq!(WorkloadId { solver: "color".to_owned(), n, unit, version }.to_string(), name);
        }
    }

    #[test]
    fn the_words_about_a_score_name_its_anchors() {
        for score in Score::ALL {
            for Workload { n, anchor_seconds, .. } in of_score(score) {
                let time = if *anchor_seconds < 0.1 {
                    format!("{} ms", 1e3 * anchor_seconds)
                } else {
                    format!("{anchor_seconds} s")
                };
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
}
