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
use std::time::Instant;

use serde::Serialize;

use super::build::{Build, Question};
use super::protocol::Answer;
use crate::bench::{Error, Result};
use nqueens::CancelToken;
use nqueens::solver::Isa;

/// Instruction counts are equal up to this relative difference. Start and end of a process take less than that.
const EQUAL_WITHIN: f64 = 1e-3;

/// The names of both builds while cachegrind counts them. Both paths have the same length. A process has its own path
/// in memory, and a longer path changes how the C library's `malloc` works. That changed counts by 0.3 %.
const NAMES: [&str; 2] = ["base", "head"];

/// About how many times slower a program runs under cachegrind.
const CACHEGRIND_SLOWDOWN: f64 = 60.0;

/// The longest time that cachegrind may take for a build.
const LONGEST_SECONDS: f64 = 10.0;

/// The instructions of both builds for one workload.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Instructions {
    /// The program that counted: `cachegrind`.
    pub(crate) source: &'static str,
    /// Instructions of a process of the base, warm-up and start included.
    pub(crate) base: u64,
    /// Instructions of a process of the head.
    pub(crate) head: u64,
    /// The instruction sets that the base and the head used, for the counts and for the times.
    pub(crate) isa: [String; 2],
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

/// Counts the instructions of both builds, whose first answers are given. `None` if it would not end before `until`, if
/// a build fails under cachegrind, or if a build runs other code there than in timed runs.
///
/// # Errors
/// [`nqueens::Error::Cancelled`].
pub(crate) fn count(
    builds: [&Build; 2],
    answers: [&Answer; 2],
    question: &Question<'_>,
    until: Instant,
    cancel: &CancelToken,
) -> Result<Option<Instructions>> {
    // Other programs make the wall's time too long.
    let first = answers[0];
    let seconds = first.processor_seconds.first().or(first.seconds.first()).copied().unwrap_or(0.0);
    let seconds = seconds * (1 + first.runs) as f64 * CACHEGRIND_SLOWDOWN;
    if seconds > LONGEST_SECONDS || 2.0 * seconds > until.saturating_duration_since(Instant::now()).as_secs_f64() {
        return Ok(None);
    }
    let Ok(folder) = tempfile::tempdir() else { return Ok(None) };
    let mut counts = [0; 2];
    for (((build, answer), name), count) in builds.into_iter().zip(answers).zip(NAMES).zip(&mut counts) {
        let path = folder.path().join(name);
        if link(&build.file(), &path).is_err() {
            return Ok(None);
        }
        match count_one(build, &path, question, cancel) {
            Err(error @ Error::Count(nqueens::Error::Cancelled { .. })) => return Err(error),
            Ok(Some((found, isa))) if isa == answer.isa => *count = found,
            _ => return Ok(None),
        }
    }
    let [base, head] = counts;
    Ok(Some(Instructions { source: "cachegrind", base, head, isa: answers.map(|answer| answer.isa.clone()) }))
}

/// Makes `path` another name of a build. Valgrind runs on Unix only.
fn link(build: &Path, path: &Path) -> std::io::Result<()> {
    #[cfg(unix)]
    return std::os::unix::fs::symlink(std::path::absolute(build)?, path);
    #[cfg(not(unix))]
    return std::fs::copy(build, path).map(drop);
}

/// The instructions of one process of a build that is called by `path`, and the instruction set that it used.
fn count_one(
    build: &Build,
    path: &Path,
    question: &Question<'_>,
    cancel: &CancelToken,
) -> Result<Option<(u64, String)>> {
    let Ok(file) = tempfile::NamedTempFile::new() else { return Ok(None) };
    let mut command = Command::new("valgrind");
    command.args(["--quiet", "--tool=cachegrind", "--cache-sim=no"]);
    command.arg([OsStr::new("--cachegrind-out-file="), file.path().as_os_str()].join(OsStr::new(""))).arg("--");
    command.arg(path);
    let answer = build.ask_under(command, question, cancel)?;
    let counts = std::fs::read_to_string(file.path()).unwrap_or_default();
    Ok(summary(&counts).map(|count| (count, answer.isa)))
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
        let equal = |base, head| {
            Instructions { source: "cachegrind", base, head, isa: [String::new(), String::new()] }.are_equal()
        };
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
