//! Workloads: a solver, a size and a number of threads. A workload has an id with a version.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use nqueens::board::Size;
use nqueens::engine::MAX_THREADS;

/// The version of workloads whose solver is not frozen. It changes when the timed part changes, so that old and new
/// times are never compared. Since version 2 each thread counts boards of its own.
const VERSION: u32 = 2;

/// The frozen solvers and the versions of their workloads. They compare machines over years, and only they have a
/// [score](super::score). If you change the speed of one, raise its version here.
pub(crate) const FROZEN: [(&str, u32); 2] = [("arrays", 2), ("bitmask", 4)];

/// The version of a solver's workloads in this program.
pub(crate) fn version(solver: &str) -> u32 {
    FROZEN.iter().find(|(frozen, _)| *frozen == solver).map_or(VERSION, |(_, version)| *version)
}

/// The number of threads of a workload. Each counts boards of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Threads {
    Exactly(usize),
    /// All threads that the process may use. The record has their number.
    All,
}

/// A workload's name and version, such as `count/bitmask/n=12/t=1@4`. Only times with equal ids are comparable.
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

    /// The id without the version.
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

    fn from_str(text: &str) -> Result<Self, String> {
        parsed(text).ok_or_else(|| {
            format!(
                "'{text}' is not a workload: it is written like count/bitmask/n=12/t=1@4, with n from 0 to 32, and t from 1 \
                 to 4096 or t=all"
            )
        })
    }
}

fn parsed(text: &str) -> Option<WorkloadId> {
    let (name, version) = text.split_once('@')?;
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
    Some(WorkloadId { solver: solver.to_owned(), size, threads, version: version.parse().ok()? })
}

impl TryFrom<String> for WorkloadId {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
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
        const NODES: [(&str, u32, usize, u64); 3] =
            [("arrays", 2, 9, 8393), ("bitmask", 4, 9, 4703), ("bitmask", 4, 12, 428_094)];
        for (solver, of_version, n, nodes) in NODES {
            let outcome = nqueens::Counter::new(n).unwrap().solver(solver).threads(1).run().unwrap();
            let found = (version(solver), outcome.work.nodes);
            assert_eq!(found, (of_version, nodes), "raise the version of a solver that became faster or slower");
        }
    }

    #[test]
    fn ids_are_read_as_they_are_written() {
        for id in ["count/bitmask/n=13/t=1@3", "count/color/n=0/t=all@7", "count/a-b_2/n=32/t=4096@0"] {
            assert_eq!(id.parse::<WorkloadId>().unwrap().to_string(), id);
        }
        for wrong in [
            "",
            "@1",
            "count/bitmask/n=8/t=1",
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
