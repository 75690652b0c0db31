//! The suites: the workloads that a benchmark runs, and the time for them.

use std::collections::HashSet;
use std::fmt;
use std::time::Duration;

use super::workload::{Threads, WorkloadId};
use nqueens::board::Size;
use nqueens::engine::default_threads;

/// A set of workloads with a name and a version. Scores of different versions are never compared.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Suite {
    /// The name users type.
    pub(crate) name: &'static str,
    /// The time for all samples together. Each workload gets its first few samples even if they take longer.
    pub(crate) budget: Duration,
    pub(crate) workloads: Vec<WorkloadId>,
}

/// The version of all suites. It changes when the workloads do.
const VERSION: u32 = 2;

impl fmt::Display for Suite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{VERSION}", self.name)
    }
}

/// The names of the suites, shortest first.
pub(crate) const NAMES: [&str; 2] = ["quick", "standard"];

/// A solver with its threads and its sizes. Sizes for all threads are large, so that starting threads takes little of
/// the time.
type Line = (&'static str, Threads, &'static [usize]);

const ONE: Threads = Threads::Exactly(1);
const ALL: Threads = Threads::All;

const QUICK: [Line; 5] = [
    ("arrays", ONE, &[8, 10]),
    ("bitmask", ONE, &[8, 10, 12, 14]),
    ("bitmask", ALL, &[15]),
    ("color", ONE, &[14, 16, 17]),
    ("color", ALL, &[18]),
];
const STANDARD: [Line; 6] = [
    ("arrays", ONE, &[8, 10, 12]),
    ("bitmask", ONE, &[8, 10, 12, 13, 14, 15]),
    ("bitmask", ALL, &[15]),
    ("color-plain", ONE, &[12, 14]),
    ("color", ONE, &[14, 15, 16, 17, 18, 19]),
    ("color", ALL, &[18, 19]),
];
/// The solvers and sizes that `standard` also runs on 2, 4, 8 threads and so on.
const SCALING: [(&str, &[usize]); 2] = [("bitmask", &[15]), ("color", &[19])];

fn workloads((solver, threads, sizes): Line) -> impl Iterator<Item = WorkloadId> {
    let sizes = sizes.iter().filter_map(|&n| Size::new(n).ok());
    sizes.map(move |size| WorkloadId::new(solver, size, threads))
}

/// The suite of workloads that the user chose, each once.
pub(crate) fn custom(workloads: &[WorkloadId]) -> Suite {
    let mut seen = HashSet::new();
    let workloads = workloads.iter().filter(|id| seen.insert(*id)).cloned().collect();
    Suite { name: "custom", budget: Duration::from_secs(60), workloads }
}

/// The suite of this name.
pub(crate) fn find(name: &str) -> Option<Suite> {
    let seconds = Duration::from_secs;
    match name {
        "quick" => Some(Suite {
            name: "quick",
            budget: seconds(12),
            workloads: QUICK.into_iter().flat_map(workloads).collect(),
        }),
        "standard" => {
            let numbers = std::iter::successors(Some(2), |threads| Some(threads * 2));
            let numbers: Vec<usize> = numbers.take_while(|&threads| threads < default_threads()).collect();
            let scaling = SCALING.into_iter().flat_map(|(solver, sizes)| {
                numbers.iter().flat_map(move |&threads| workloads((solver, Threads::Exactly(threads), sizes)))
            });
            let workloads = STANDARD.into_iter().flat_map(workloads).chain(scaling).collect();
            Some(Suite { name: "standard", budget: seconds(120), workloads })
        }
        _ => None,
    }
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
        let standard = find("standard").unwrap().workloads;
        for (solver, sizes) in SCALING {
            for id in [ONE, ALL].into_iter().flat_map(|threads| workloads((solver, threads, sizes))) {
                assert!(standard.contains(&id), "{id}");
            }
        }
    }
}
