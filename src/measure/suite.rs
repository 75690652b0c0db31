//! The suites: which workloads a benchmark runs, and how long it may take.

use std::collections::HashSet;
use std::fmt;
use std::time::Duration;

use super::workload::{Threads, WorkloadId};
use crate::board::Size;
use crate::engine::default_threads;

/// A set of workloads under a name with a version. Scores of different versions are never compared.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Suite {
    /// The name users type.
    pub name: &'static str,
    /// It changes when the workloads do.
    pub version: u32,
    /// The time its samples may take on the whole, the first few of each workload aside.
    pub budget: Duration,
    /// The relative width of the interval at which a workload has samples enough.
    pub relative_width: f64,
    /// What it runs.
    pub workloads: Vec<WorkloadId>,
}

/// An interval of 1 % is narrow enough to tell machines and builds apart.
const RELATIVE_WIDTH: f64 = 0.01;

impl Suite {
    /// The same with so many threads instead of all; more are left out. It has another name, since its scores would be
    /// others.
    #[must_use]
    pub fn on_threads(mut self, threads: usize) -> Self {
        for id in &mut self.workloads {
            if id.threads == Threads::All {
                id.threads = Threads::Exactly(threads);
            }
        }
        let mut seen = HashSet::new();
        self.workloads
            .retain(|id| matches!(id.threads, Threads::Exactly(asked) if asked <= threads) && seen.insert(id.clone()));
        Self { name: "custom", version: 1, ..self }
    }
}

impl fmt::Display for Suite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.name, self.version)
    }
}

/// The names of the suites that are scored, shortest first.
pub const NAMES: [&str; 3] = ["quick", "standard", "full"];

/// The suite that measures how threads scale and nothing else; it has no score.
pub const SCALING_NAME: &str = "scaling";

/// Sizes by solver, of the suite and of its score alike. On all threads only where the start of the threads is a small
/// part of the time.
struct Line {
    solver: &'static str,
    one_thread: &'static [usize],
    all_threads: &'static [usize],
}

const QUICK: [Line; 4] = [
    Line { solver: "arrays", one_thread: &[8, 10], all_threads: &[] },
    Line { solver: "mask", one_thread: &[8, 10, 12], all_threads: &[] },
    Line { solver: "bitmask", one_thread: &[12, 14, 15, 16], all_threads: &[16] },
    Line { solver: "color", one_thread: &[14, 16, 17], all_threads: &[18] },
];
const STANDARD: [Line; 5] = [
    Line { solver: "arrays", one_thread: &[8, 10, 12], all_threads: &[] },
    Line { solver: "mask", one_thread: &[8, 10, 12, 14], all_threads: &[] },
    Line { solver: "bitmask", one_thread: &[12, 13, 14, 15, 16, 17], all_threads: &[16, 17] },
    Line { solver: "color-plain", one_thread: &[12, 14], all_threads: &[] },
    Line { solver: "color", one_thread: &[14, 15, 16, 17, 18, 19], all_threads: &[18, 19] },
];
const FULL: [Line; 5] = [
    Line { solver: "arrays", one_thread: &[8, 10, 12, 13], all_threads: &[] },
    Line { solver: "mask", one_thread: &[8, 10, 12, 14, 15], all_threads: &[] },
    Line { solver: "bitmask", one_thread: &[12, 13, 14, 15, 16, 17, 18], all_threads: &[16, 17, 18] },
    Line { solver: "color-plain", one_thread: &[12, 14, 15], all_threads: &[] },
    Line { solver: "color", one_thread: &[14, 15, 16, 17, 18, 19, 20], all_threads: &[18, 19, 20] },
];

/// What `full` and `scaling` measure the scaling over threads with: solver and size.
const SCALING: [(&str, usize); 2] = [("bitmask", 17), ("color", 19)];

/// What a regression gate compares on unless it is told otherwise: some of each solver, short enough to be run often.
#[must_use]
pub fn gate() -> Vec<WorkloadId> {
    const WORKLOADS: [(&str, usize, Threads); 6] = [
        ("arrays", 10, Threads::Exactly(1)),
        ("mask", 12, Threads::Exactly(1)),
        ("bitmask", 15, Threads::Exactly(1)),
        ("bitmask", 16, Threads::All),
        ("color", 16, Threads::Exactly(1)),
        ("color", 17, Threads::All),
    ];
    WORKLOADS
        .into_iter()
        .filter_map(|(solver, n, threads)| Some(WorkloadId::new(solver, Size::new(n).ok()?, threads)))
        .collect()
}

/// Some workloads of a person's own, each taken once.
#[must_use]
pub fn custom(workloads: &[WorkloadId]) -> Suite {
    let mut seen = HashSet::new();
    let workloads = workloads.iter().filter(|id| seen.insert(*id)).cloned().collect();
    Suite { name: "custom", version: 1, budget: Duration::from_secs(60), relative_width: RELATIVE_WIDTH, workloads }
}

/// The suite of this name.
#[must_use]
pub fn find(name: &str) -> Option<Suite> {
    let (name, lines, seconds, scaling) = match name {
        "quick" => ("quick", &QUICK[..], 12, &[][..]),
        "standard" => ("standard", &STANDARD[..], 100, &[][..]),
        "full" => ("full", &FULL[..], 900, &SCALING[..]),
        SCALING_NAME => (SCALING_NAME, &[][..], 60, &SCALING[..]),
        _ => return None,
    };
    let mut workloads = Vec::new();
    for &Line { solver, one_thread, all_threads } in lines {
        for (sizes, threads) in [(one_thread, Threads::Exactly(1)), (all_threads, Threads::All)] {
            let sizes = sizes.iter().filter_map(|&n| Size::new(n).ok());
            workloads.extend(sizes.map(|size| WorkloadId::new(solver, size, threads)));
        }
    }
    for &(solver, n) in scaling {
        let Ok(size) = Size::new(n) else { continue };
        let threads = std::iter::successors(Some(2), |threads| Some(threads * 2));
        let some = threads.take_while(|&threads| threads < default_threads()).map(Threads::Exactly);
        let ends = if name == SCALING_NAME { [Some(Threads::Exactly(1)), Some(Threads::All)] } else { [None, None] };
        let all = ends[0].into_iter().chain(some).chain(ends[1]);
        workloads.extend(all.map(|threads| WorkloadId::new(solver, size, threads)));
    }
    Some(Suite { name, version: 1, budget: Duration::from_secs(seconds), relative_width: RELATIVE_WIDTH, workloads })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::sample::Runner;
    use super::*;

    #[test]
    fn suites_hold_each_workload_once_and_the_shorter_suites() {
        let mut smaller = BTreeSet::new();
        for name in NAMES {
            let suite = find(name).unwrap();
            let workloads: BTreeSet<_> = suite.workloads.iter().cloned().collect();
            assert_eq!(workloads.len(), suite.workloads.len(), "{name}");
            assert!(workloads.is_superset(&smaller), "{name}");
            for id in &workloads {
                assert!(Runner::new(id, None).is_ok(), "{id}");
            }
            smaller = workloads;
        }
        assert!(find("slow").is_none());
        let scaling = find(SCALING_NAME).unwrap();
        assert!(scaling.workloads.iter().any(|id| id.threads == Threads::Exactly(1)));
        assert!(scaling.workloads.iter().any(|id| id.threads == Threads::All));
    }

    #[test]
    fn a_suite_runs_on_as_many_threads_as_one_asks_for() {
        let quick = find("quick").unwrap().on_threads(3);
        assert_eq!(quick.to_string(), "custom@1");
        let threads: BTreeSet<_> = quick.workloads.iter().map(|id| id.threads).collect();
        assert_eq!(threads, [1, 3].map(Threads::Exactly).into());
        let one = find("full").unwrap().on_threads(1);
        assert!(one.workloads.iter().all(|id| id.threads == Threads::Exactly(1)));
        let ids: BTreeSet<_> = one.workloads.iter().collect();
        assert_eq!(ids.len(), one.workloads.len(), "each once");
    }
}
