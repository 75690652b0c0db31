//! The suites: the workloads that a benchmark runs, and the time for them.

use std::collections::HashSet;
use std::fmt;
use std::time::Duration;

use super::workload::{Threads, WorkloadId};
use nqueens::board::Size;
use nqueens::engine::default_threads;

/// A set of workloads under a name with a version. Scores of different versions are never compared.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Suite {
    /// The name users type.
    pub(crate) name: &'static str,
    /// The time for all samples. Each workload gets its first few samples even if they take longer.
    pub(crate) budget: Duration,
    pub(crate) workloads: Vec<WorkloadId>,
}

/// The version of all suites. It changes when the workloads do.
const VERSION: u32 = 1;

impl fmt::Display for Suite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{VERSION}", self.name)
    }
}

/// The names of the suites, shortest first.
pub(crate) const NAMES: [&str; 2] = ["quick", "standard"];

/// The sizes of a solver. For all threads, the start of the threads must be a small part of the time.
struct SuiteLine {
    solver: &'static str,
    one_thread: &'static [usize],
    all_threads: &'static [usize],
}

const QUICK: [SuiteLine; 4] = [
    SuiteLine { solver: "arrays", one_thread: &[8, 10], all_threads: &[] },
    SuiteLine { solver: "mask", one_thread: &[8, 10, 12], all_threads: &[] },
    SuiteLine { solver: "bitmask", one_thread: &[12, 14, 15, 16], all_threads: &[16] },
    SuiteLine { solver: "color", one_thread: &[14, 16, 17], all_threads: &[18] },
];
const STANDARD: [SuiteLine; 5] = [
    SuiteLine { solver: "arrays", one_thread: &[8, 10, 12], all_threads: &[] },
    SuiteLine { solver: "mask", one_thread: &[8, 10, 12, 14], all_threads: &[] },
    SuiteLine { solver: "bitmask", one_thread: &[12, 13, 14, 15, 16, 17], all_threads: &[16, 17] },
    SuiteLine { solver: "color-plain", one_thread: &[12, 14], all_threads: &[] },
    SuiteLine { solver: "color", one_thread: &[14, 15, 16, 17, 18, 19], all_threads: &[18, 19] },
];
/// The solvers and sizes that `standard` runs on 2, 4, 8 threads and so on.
const SCALING: [(&str, usize); 2] = [("bitmask", 17), ("color", 19)];

/// The default workloads of a regression gate: some of each solver, short enough to run often.
pub(crate) fn gate() -> Vec<WorkloadId> {
    let one = Threads::Exactly(1);
    let workloads = [
        ("arrays", 10, one),
        ("mask", 12, one),
        ("bitmask", 15, one),
        ("bitmask", 16, Threads::All),
        ("color", 16, one),
        ("color", 17, Threads::All),
    ];
    let ids = workloads.into_iter();
    ids.filter_map(|(solver, n, threads)| Some(WorkloadId::new(solver, Size::new(n).ok()?, threads))).collect()
}

/// The suite of workloads that the user chose, each once.
pub(crate) fn custom(workloads: &[WorkloadId]) -> Suite {
    let mut seen = HashSet::new();
    let workloads = workloads.iter().filter(|id| seen.insert(*id)).cloned().collect();
    Suite { name: "custom", budget: Duration::from_secs(60), workloads }
}

/// The suite of this name.
pub(crate) fn find(name: &str) -> Option<Suite> {
    let (name, lines, seconds, scaling) = match name {
        "quick" => ("quick", &QUICK[..], 12, &[][..]),
        "standard" => ("standard", &STANDARD[..], 120, &SCALING[..]),
        _ => return None,
    };
    let mut workloads = Vec::new();
    for &SuiteLine { solver, one_thread, all_threads } in lines {
        for (sizes, threads) in [(one_thread, Threads::Exactly(1)), (all_threads, Threads::All)] {
            let sizes = sizes.iter().filter_map(|&n| Size::new(n).ok());
            workloads.extend(sizes.map(|size| WorkloadId::new(solver, size, threads)));
        }
    }
    for &(solver, n) in scaling {
        let Ok(size) = Size::new(n) else { continue };
        // The lines have one thread and all threads.
        let threads = std::iter::successors(Some(2), |threads| Some(threads * 2));
        let some = threads.take_while(|&threads| threads < default_threads()).map(Threads::Exactly);
        workloads.extend(some.map(|threads| WorkloadId::new(solver, size, threads)));
    }
    Some(Suite { name, budget: Duration::from_secs(seconds), workloads })
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
        for (solver, n) in SCALING {
            for threads in [Threads::Exactly(1), Threads::All] {
                assert!(standard.contains(&WorkloadId::new(solver, Size::new(n).unwrap(), threads)), "{solver} {n}");
            }
        }
    }
}
