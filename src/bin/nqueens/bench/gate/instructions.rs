//! The second opinion of a gate: how many instructions a build executes, which no other program on the machine changes.
//! Valgrind's cachegrind counts them, where it is installed. It runs a program some fifty times slower.
//!
//! How far it can be trusted: equal instructions say that the same code ran on the same input. They do not see where the
//! code and its memory lie, and caches, branches and clocks make two programs of equal instructions differ by some percent.
//! So they only ever decide where the clock cannot tell: then equal counts, equal work and equal instructions are a pass.
//! More than one thread waits for the others in loops of its own, so that only workloads of one thread are counted.
//!
//! What is counted is the code that is timed. Cachegrind cannot run AVX-512, so a workload that is counted is counted and
//! timed with less ([`isa`]), and a build that ran other code under it than for the clock has no figure.

use std::ffi::OsStr;
use std::process::Command;
use std::time::{Duration, Instant};

use serde::Serialize;

use super::build::{Build, Question, Ran};
use super::task::Task;
use crate::bench::workload::Threads;
use crate::bench::{Error, Result};
use nqueens::CancelToken;
use nqueens::solver::Isa;

/// Up to here two figures are equal: what a process does besides its workload, from its start to the digits of its
/// answer, is less than this of a run of 20 ms.
pub(crate) const EQUAL_WITHIN: f64 = 1e-3;

/// Cachegrind makes a program slower by about this.
const CACHEGRIND_SLOWDOWN: f64 = 60.0;

/// A workload that would keep cachegrind busy for longer than this is not counted.
const LONGEST_CACHEGRIND: Duration = Duration::from_secs(10);

/// The instructions of both builds for one workload.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Instructions {
    /// Who counted: `cachegrind`.
    pub(crate) source: &'static str,
    /// Instructions of a process of the base, warm-up and start included.
    pub(crate) base: u64,
    /// The same of the candidate.
    pub(crate) head: u64,
    /// The instruction sets whose code was counted, and timed: the base's and the candidate's.
    pub(crate) isa: [String; 2],
}

impl Instructions {
    /// The candidate's over the base's.
    pub(crate) fn ratio(&self) -> f64 {
        self.head as f64 / self.base as f64
    }

    /// Whether both builds execute the same instructions, as far as that can be told.
    pub(crate) fn are_equal(&self) -> bool {
        (self.ratio() - 1.0).abs() <= EQUAL_WITHIN
    }
}

/// Whether somebody can count on this machine: valgrind is installed.
pub(crate) fn can_be_counted() -> bool {
    Command::new("valgrind").arg("--version").output().is_ok_and(|output| output.status.success())
}

/// Whether cachegrind can run code of this instruction set.
pub(crate) fn can_run(isa: Isa) -> bool {
    !matches!(isa, Isa::Avx512 | Isa::Avx512Bitalg)
}

/// The instruction set to ask for where instructions are counted and nobody chose one: nothing special, unless the
/// machine's `best` is one that cachegrind cannot run.
pub(crate) fn isa(best: Isa) -> Option<Isa> {
    (!can_run(best)).then_some(Isa::Avx2)
}

/// Whether a task's instructions can mean something.
pub(crate) fn are_counted(task: &Task) -> bool {
    matches!(task, Task::Workload(id) if id.threads == Threads::Exactly(1))
}

/// Counts the instructions of both builds, whose first answers are `ran`; `None` where it cannot be done for this workload,
/// takes too long, or is not the code that was timed.
///
/// # Errors
/// [`Error::OutOfTime`] and [`nqueens::Error::Cancelled`]; a build that fails under the counter has no figure.
pub(crate) fn count(
    [base, head]: [&Build; 2],
    ran: [&Ran; 2],
    question: &Question<'_>,
    cancel: &CancelToken,
) -> Result<Option<Instructions>> {
    // By the processor's clock, where there is one: on a busy machine the other one says too much.
    let seconds = ran[0].processor_seconds.first().or(ran[0].seconds.first()).copied().unwrap_or(0.0);
    let seconds = seconds * (1 + ran[0].runs) as f64 * CACHEGRIND_SLOWDOWN;
    let left = question.deadline.saturating_duration_since(Instant::now()).as_secs_f64();
    if seconds > LONGEST_CACHEGRIND.as_secs_f64() || 2.0 * seconds > left {
        return Ok(None);
    }
    let one = |build: &Build| match of_build(build, question, cancel) {
        Err(error @ (Error::OutOfTime | Error::Count(nqueens::Error::Cancelled { .. }))) => Err(error),
        Err(_) => Ok(None),
        Ok(found) => Ok(found),
    };
    let (Some((base, base_isa)), Some((head, head_isa))) = (one(base)?, one(head)?) else { return Ok(None) };
    let isa = [base_isa, head_isa];
    let is_timed = isa.iter().eq(ran.map(|ran| &ran.isa));
    Ok(is_timed.then_some(Instructions { source: "cachegrind", base, head, isa }))
}

fn of_build(build: &Build, question: &Question<'_>, cancel: &CancelToken) -> Result<Option<(u64, String)>> {
    let Ok(file) = tempfile::NamedTempFile::new() else { return Ok(None) };
    let mut command = Command::new("valgrind");
    command.args(["--quiet", "--tool=cachegrind", "--cache-sim=no"]);
    command.arg([OsStr::new("--cachegrind-out-file="), file.path().as_os_str()].join(OsStr::new(""))).arg("--");
    let ran = build.ask_under(Some(command), question, cancel)?;
    let counts = std::fs::read_to_string(file.path()).unwrap_or_default();
    Ok(summary(&counts).map(|count| (count, ran.isa)))
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

    /// On whatever machine: what is asked for is what cachegrind can run, and nothing where it can run the best.
    #[test]
    fn counted_code_is_code_that_cachegrind_can_run() {
        for &best in Isa::ALL {
            let asked = isa(best);
            assert!(can_run(asked.unwrap_or(best)), "{best}");
            assert_eq!(asked.is_none(), !best.name().starts_with("avx512"), "{best}");
        }
    }
}
