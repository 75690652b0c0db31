//! What a benchmark runs: a solver, a size and a number of threads, under a name with a version.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::{Error, Result};
use crate::board::Size;
use crate::engine::MAX_THREADS;

/// The version of the workloads of solvers that are not frozen: it changes when what is inside the timing changes, so that
/// old times and new ones are never set side by side. In version 1 that is everything from making the plan to the sum of
/// the tallies, the start of the threads included.
pub const VERSION: u32 = 1;

/// A solver that is meant for comparing machines over years: its code stays as it is, and a change that makes it faster or
/// slower makes a new version of its workloads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Frozen {
    /// The solver.
    pub solver: &'static str,
    /// The version of its workloads.
    pub version: u32,
    /// Of its sources, by [`fingerprint`]: a test holds the code against it.
    pub fingerprint: u64,
    /// Where its sources are, below `src/solver`.
    pub sources: &'static str,
}

/// The frozen solvers. Who changes the code of one finds the test below failing, and decides: a change that leaves the
/// times as they are only gets its fingerprint here; any other change gets the next version too, and an anchor recorded
/// anew (`nqueens bench --anchor`).
pub const FROZEN: [Frozen; 5] = [
    Frozen { solver: "check", version: 1, fingerprint: 0xf733_ff8e_076f_b0e9, sources: "textbook/check.rs" },
    Frozen {
        solver: "permutation",
        version: 1,
        fingerprint: 0x13fa_93c6_7a11_f9f9,
        sources: "textbook/permutation.rs",
    },
    Frozen { solver: "arrays", version: 1, fingerprint: 0xe6e9_a7ba_52fd_2101, sources: "textbook/arrays.rs" },
    Frozen { solver: "mask", version: 1, fingerprint: 0xeeee_9129_e5d8_bf1f, sources: "textbook/mask.rs" },
    Frozen { solver: "bitmask", version: 2, fingerprint: 0xfd01_951b_4f32_2211, sources: "bitmask" },
];

/// Whether a solver's workloads are frozen, and so tell machines apart and not programs.
#[must_use]
pub fn is_frozen(solver: &str) -> bool {
    FROZEN.iter().any(|frozen| frozen.solver == solver)
}

/// The version of a solver's workloads in this program.
#[must_use]
pub fn version(solver: &str) -> u32 {
    FROZEN.iter().find(|frozen| frozen.solver == solver).map_or(VERSION, |frozen| frozen.version)
}

/// A number that differs for other code: FNV-1a over the lines of a source up to its tests, without comments, blank
/// lines and the spaces at their ends.
#[must_use]
pub fn fingerprint(sources: &[String]) -> u64 {
    let lines = sources.iter().flat_map(|source| {
        let code = source.split("#[cfg(test)]").next().unwrap_or_default();
        code.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//"))
    });
    lines
        .flat_map(|line| line.bytes().chain([b'\n']))
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// The threads a workload asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Threads {
    /// So many.
    Exactly(usize),
    /// As many as the process may use; how many that were is in the record.
    All,
}

/// A workload's name and version, such as `count/mask/n=13/t=1@1`. Times are comparable where the ids are equal.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct WorkloadId {
    /// The solver.
    pub solver: String,
    /// The size of the board.
    pub size: Size,
    /// The threads.
    pub threads: Threads,
    /// The version.
    pub version: u32,
}

impl WorkloadId {
    /// A workload of this program's version.
    #[must_use]
    pub fn new(solver: &str, size: Size, threads: Threads) -> Self {
        Self { solver: solver.to_owned(), size, threads, version: version(solver) }
    }

    /// The id without the version, which exporters and tables use as a name.
    #[must_use]
    pub fn name(&self) -> String {
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
    type Err = Error;

    /// Reads an id; without `@VERSION` it is this program's version.
    fn from_str(text: &str) -> Result<Self> {
        let error = |problem: &str| Error::Workload { given: text.to_owned(), problem: problem.to_owned() };
        let (name, given) = match text.split_once('@') {
            None => (text, None),
            Some((name, version)) => {
                (name, Some(plain_number(version).ok_or_else(|| error("the version is no number"))?))
            }
        };
        let mut parts = name.split('/');
        let (Some("count"), Some(solver), Some(size), Some(threads), None) =
            (parts.next(), parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return Err(error("it does not have the four parts count/SOLVER/n=SIZE/t=THREADS"));
        };
        let is_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_';
        if solver.is_empty() || !solver.chars().all(is_name) {
            return Err(error("the solver's name is empty or has odd letters"));
        }
        let size = size
            .strip_prefix("n=")
            .and_then(plain_number)
            .and_then(|n| Size::new(n).ok())
            .ok_or_else(|| error("the size is not n= and a number from 0 to 32"))?;
        let threads = match threads.strip_prefix("t=") {
            Some("all") => Threads::All,
            Some(number) => Threads::Exactly(
                plain_number(number)
                    .filter(|threads| (1..=MAX_THREADS).contains(threads))
                    .ok_or_else(|| error("the threads are neither 'all' nor a number from 1 to 4096"))?,
            ),
            None => return Err(error("the threads are not t= and a number, or t=all")),
        };
        let version = given.unwrap_or_else(|| version(solver));
        Ok(Self { solver: solver.to_owned(), size, threads, version })
    }
}

/// Digits without sign or leading zeros, so that every id has one spelling.
fn plain_number<T: FromStr>(text: &str) -> Option<T> {
    let plain = text.bytes().all(|byte| byte.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
    plain.then(|| text.parse().ok()).flatten()
}

impl TryFrom<String> for WorkloadId {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        if !text.contains('@') {
            return Err(Error::Workload { given: text, problem: "the version is missing".to_owned() });
        }
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

    /// The sources of a frozen solver, in the order of their names; files of tests are left out.
    fn sources(frozen: &Frozen) -> Vec<String> {
        fn collect(path: &std::path::Path, found: &mut Vec<String>) {
            if path.file_stem().is_some_and(|name| name == "tests") {
                return;
            }
            if path.is_dir() {
                let mut inside: Vec<_> = path.read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
                inside.sort_unstable();
                inside.iter().for_each(|path| collect(path, found));
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                found.push(std::fs::read_to_string(path).unwrap());
            }
        }
        let mut found = Vec::new();
        collect(&std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/solver").join(frozen.sources), &mut found);
        found
    }

    #[test]
    fn frozen_solvers_are_what_their_versions_say() {
        let changed: Vec<String> = FROZEN
            .iter()
            .map(|frozen| (frozen, fingerprint(&sources(frozen))))
            .filter(|(frozen, found)| frozen.fingerprint != *found)
            .map(|(frozen, found)| format!("{} is {found:#018x}", frozen.solver))
            .collect();
        assert!(
            changed.is_empty(),
            "the code of a frozen solver changed: {}. If its times stay what they were, write the fingerprint into \
             FROZEN; if not, make it the next version there too, and record the anchor anew with 'nqueens bench \
             --anchor NAME --out src/measure/baseline.json' (release build, quiet machine)",
            changed.join(", ")
        );
        // What is no code does not count.
        let [code, commented] = ["fn a() {}\n", "// why\n\n  fn a() {}\n#[cfg(test)]\nmod tests {}"].map(str::to_owned);
        assert_eq!(fingerprint(&[code]), fingerprint(&[commented]));
    }

    #[test]
    fn ids_have_one_spelling() {
        for id in ["count/mask/n=13/t=1@1", "count/color/n=0/t=all@7", "count/a-b_2/n=32/t=4096@0"] {
            assert_eq!(id.parse::<WorkloadId>().unwrap().to_string(), id);
        }
        assert_eq!("count/mask/n=8/t=2".parse::<WorkloadId>().unwrap().version, VERSION);
        for wrong in [
            "",
            "@1",
            "count/mask/n=13@1",
            "count/mask/n=13/t=1/x@1",
            "count//n=13/t=1@1",
            "count/M/n=13/t=1@1",
            "count/mask/n=33/t=1@1",
            "count/mask/n=08/t=1@1",
            "count/mask/n=+8/t=1@1",
            "count/mask/n=8/t=0@1",
            "count/mask/n=8/t=4097@1",
            "count/mask/n=8/t=1@",
            "count/mask/n=8/t=1@-1",
            "count/mask/n=8/1@1",
        ] {
            assert!(wrong.parse::<WorkloadId>().is_err(), "{wrong}");
        }
    }
}
