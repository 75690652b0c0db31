//! Workloads: a solver, a size and a number of threads. A workload has an id with a version.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use nqueens::board::Size;
use nqueens::engine::MAX_THREADS;

/// The version of workloads whose solver is not frozen. It changes when the timed part changes, so that old and new
/// times are never compared. Version 1 times everything from the plan to the sum of the tallies, with the start of the
/// threads.
pub(crate) const VERSION: u32 = 1;

/// The frozen solvers and the versions of their workloads. They compare machines over years. If you change the speed of
/// one, raise its version here and measure the anchor again with `scripts/anchor.sh`.
pub(crate) const FROZEN: [(&str, u32); 4] = [("check", 1), ("permutation", 1), ("arrays", 1), ("bitmask", 3)];

/// Whether a solver is frozen. Then its workloads compare machines and not programs.
pub(crate) fn is_frozen(solver: &str) -> bool {
    FROZEN.iter().any(|(frozen, _)| *frozen == solver)
}

/// The version of a solver's workloads in this program.
pub(crate) fn version(solver: &str) -> u32 {
    FROZEN.iter().find(|(frozen, _)| *frozen == solver).map_or(VERSION, |(_, version)| *version)
}

/// The number of threads of a workload.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Threads {
    Exactly(usize),
    /// All threads that the process may use. The record has their number.
    All,
}

/// A workload's name and version, such as `count/bitmask/n=13/t=1@3`. Only times with equal ids are comparable.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub(crate) struct WorkloadId {
    pub(crate) solver: String,
    pub(crate) size: Size,
    pub(crate) threads: Threads,
    pub(crate) version: u32,
}

impl WorkloadId {
    /// Makes a workload of this program's version.
    pub(crate) fn new(solver: &str, size: Size, threads: Threads) -> Self {
        Self { solver: solver.to_owned(), size, threads, version: version(solver) }
    }

    /// The solver. With the version if it is not this program's: `bitmask`, `bitmask@7`.
    pub(crate) fn solver_label(&self) -> String {
        let Self { solver, version: found, .. } = self;
        if *found == version(solver) { solver.clone() } else { format!("{solver}@{found}") }
    }

    /// The id without the version. Exporters and tables use it as a name.
    pub(crate) fn name(&self) -> String {
        let Self { solver, size, threads, .. } = self;
        format!("count/{solver}/n={size}/t={threads}")
    }
}

impl fmt::Display for Threads {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exactly(threads) => threads.fmt(f),
            Self::All => f.write_str("all"),
        }
    }
}

impl fmt::Display for WorkloadId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.name(), self.version)
    }
}

impl FromStr for WorkloadId {
    type Err = String;

    /// Reads an id. An id without `@VERSION` has this program's version.
    fn from_str(text: &str) -> Result<Self, String> {
        parsed(text).ok_or_else(|| {
            format!(
                "'{text}' is not a workload: it is written like count/bitmask/n=13/t=1@3, with n from 0 to 32, and t from 1 \
                 to 4096 or t=all"
            )
        })
    }
}

fn parsed(text: &str) -> Option<WorkloadId> {
    let (name, given) = match text.split_once('@') {
        None => (text, None),
        Some((name, version)) => (name, Some(version.parse().ok()?)),
    };
    let ["count", solver, size, threads] = name.split('/').collect::<Vec<_>>()[..] else { return None };
    let is_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_';
    if solver.is_empty() || !solver.chars().all(is_name) {
        return None;
    }
    let size = Size::new(size.strip_prefix("n=")?.parse().ok()?).ok()?;
    let threads = match threads.strip_prefix("t=")? {
        "all" => Threads::All,
        number => Threads::Exactly(number.parse().ok().filter(|threads| (1..=MAX_THREADS).contains(threads))?),
    };
    let version = given.unwrap_or_else(|| version(solver));
    Some(WorkloadId { solver: solver.to_owned(), size, threads, version })
}

impl TryFrom<String> for WorkloadId {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        if text.contains('@') {
            text.parse()
        } else {
            Err(format!("'{text}' is not a workload: the version is missing"))
        }
    }
}

impl From<WorkloadId> for String {
    fn from(id: WorkloadId) -> Self {
        id.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The number of nodes that each version of the frozen solvers visits. Another number means another speed.
    #[test]
    fn frozen_solvers_visit_the_nodes_of_their_version() {
        const NODES: [(&str, u64); 5] = [
            ("count/check/n=9/t=1@1", 8393),
            ("count/permutation/n=9/t=1@1", 8393),
            ("count/arrays/n=9/t=1@1", 8393),
            ("count/bitmask/n=9/t=1@3", 4703),
            ("count/bitmask/n=12/t=1@3", 428_094),
        ];
        let visited = NODES.map(|(id, _)| {
            let parsed = id.parse().unwrap();
            let mut runner = super::super::sample::Runner::new(&parsed, Some(nqueens::solver::Isa::Portable)).unwrap();
            runner.sample(&nqueens::CancelToken::new()).unwrap();
            (id, runner.into_workload(Vec::new()).unwrap().work["nodes"].0 as u64)
        });
        assert_eq!(
            visited, NODES,
            "raise the version of a solver that became faster or slower, and record the anchor anew"
        );
    }

    #[test]
    fn ids_are_read_as_they_are_written() {
        for id in ["count/bitmask/n=13/t=1@3", "count/color/n=0/t=all@7", "count/a-b_2/n=32/t=4096@0"] {
            assert_eq!(id.parse::<WorkloadId>().unwrap().to_string(), id);
        }
        assert_eq!("count/bitmask/n=8/t=2".parse::<WorkloadId>().unwrap().version, version("bitmask"));
        for wrong in [
            "",
            "@1",
            "count/bitmask/n=13@1",
            "count/bitmask/n=13/t=1/x@1",
            "count//n=13/t=1@1",
            "count/M/n=13/t=1@1",
            "count/bitmask/n=33/t=1@3",
            "count/bitmask/n=8/t=0@3",
            "count/bitmask/n=8/t=4097@3",
            "count/bitmask/n=8/t=1@",
            "count/bitmask/n=8/t=1@-1",
            "count/bitmask/n=8/1@1",
        ] {
            assert!(wrong.parse::<WorkloadId>().is_err(), "{wrong}");
        }
    }
}
