//! Instruction counts of both builds, by valgrind's cachegrind. Other programs on the machine do not change them.
//!
//! Two builds with equal instruction counts ran the same code on the same input. Their times may still differ by some
//! percent, because code and data lie elsewhere in memory. So instruction counts decide only if times cannot: equal
//! solutions, equal work and equal instructions are a pass. Only workloads of one thread are counted, because waiting
//! threads run in loops.
//!
//! Cachegrind cannot run AVX-512. Such a workload is counted and timed with AVX2 ([`isa`]).

use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde::Serialize;

use super::build::{Build, Question};
use super::protocol::Answer;
use nqueens::CancelToken;
use nqueens::solver::Isa;

/// Instruction counts are equal up to this relative difference. Start and end of a process take less than that.
const EQUAL_WITHIN: f64 = 1e-3;

/// The names of both builds while cachegrind counts them. Both paths have the same length. A process has its own path
/// in memory, and a longer path changes how the C library's `malloc` works. That changed counts by 0.3 %.
const NAMES: [&str; 2] = ["base", "head"];

/// The longest time that cachegrind may take for a build. A program runs about 60 times slower under it.
const LONGEST: Duration = Duration::from_secs(10);

/// The instructions of both builds for one workload.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Instructions {
    /// Instructions of a process of the base, warm-up and start included.
    pub(crate) base: u64,
    /// Instructions of a process of the head.
    pub(crate) head: u64,
}

impl Instructions {
    /// The head's instructions over the base's.
    pub(crate) fn ratio(&self) -> f64 {
        self.head as f64 / self.base as f64
    }

    /// Whether both builds execute the same instructions, within [`EQUAL_WITHIN`].
    pub(crate) fn are_equal(&self) -> bool {
        (self.ratio() - 1.0).abs() <= EQUAL_WITHIN
    }
}

/// Whether valgrind is installed.
pub(crate) fn can_be_counted() -> bool {
    Command::new("valgrind").arg("--version").output().is_ok_and(|output| output.status.success())
}

/// The instruction set to ask for, so that cachegrind can run the build on a machine whose best one is `best`.
pub(crate) fn isa(best: Isa) -> Option<Isa> {
    matches!(best, Isa::Avx512 | Isa::Avx512Bitalg).then_some(Isa::Avx2)
}

/// Counts the instructions of both builds, whose first answers are given. It is an error if a build fails under
/// cachegrind, takes too long, or runs other code there than in timed runs.
pub(crate) fn count(
    builds: &[Build; 2],
    answers: &[Answer; 2],
    question: &Question<'_>,
    cancel: &CancelToken,
) -> Result<Instructions> {
    let question = Question { timeout: question.timeout.min(LONGEST), ..question.clone() };
    let folder = tempfile::tempdir()?;
    let mut counts = [0; 2];
    for (side, name) in NAMES.into_iter().enumerate() {
        let path = folder.path().join(name);
        link(&builds[side].path, &path)?;
        let (found, isa) = count_one(&builds[side], &path, &question, cancel)?;
        ensure!(isa == answers[side].isa, "it used {isa} under cachegrind");
        counts[side] = found;
    }
    let [base, head] = counts;
    Ok(Instructions { base, head })
}

/// Makes `path` another name of a build. Valgrind runs on Unix only.
fn link(build: &Path, path: &Path) -> std::io::Result<()> {
    #[cfg(unix)]
    return std::os::unix::fs::symlink(build, path);
    #[cfg(not(unix))]
    return std::fs::copy(build, path).map(drop);
}

/// The instructions of one process of a build that is called by `path`, and the instruction set that it used.
fn count_one(build: &Build, path: &Path, question: &Question<'_>, cancel: &CancelToken) -> Result<(u64, String)> {
    let file = tempfile::NamedTempFile::new()?;
    let mut command = Command::new("valgrind");
    command.args(["--quiet", "--tool=cachegrind", "--cache-sim=no"]);
    command.arg([OsStr::new("--cachegrind-out-file="), file.path().as_os_str()].join(OsStr::new(""))).arg("--");
    command.arg(path);
    let answer = build.ask_under(command, question, cancel)?;
    let count = summary(&std::fs::read_to_string(file.path())?).context("cachegrind wrote no summary")?;
    Ok((count, answer.isa))
}

/// The instructions in a file that cachegrind wrote.
fn summary(text: &str) -> Option<u64> {
    let line = text.lines().rev().find_map(|line| line.strip_prefix("summary:"))?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_of_cachegrind_is_found() {
        assert_eq!(summary("events: Ir\nfn=x\n1 2\nsummary: 38798402\n"), Some(38_798_402));
        assert_eq!(summary("events: Ir\n"), None);
        let equal = |base, head| Instructions { base, head }.are_equal();
        assert!(equal(1_000_000, 1_000_900) && !equal(1_000_000, 1_002_000) && !equal(1, u64::MAX));
    }

    #[test]
    fn counted_code_is_code_that_cachegrind_can_run() {
        for &best in Isa::ALL {
            let expected = best.name().starts_with("avx512").then_some(Isa::Avx2);
            assert_eq!(isa(best), expected, "{best}");
        }
    }
}
