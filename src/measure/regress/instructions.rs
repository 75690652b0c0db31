//! The second opinion of a gate: how many instructions a build executes, which no other program on the machine changes.
//!
//! Where the kernel lets a process watch itself (`perf_event_open`), the processor counts. Elsewhere cachegrind does, where
//! it is installed: it runs the program some fifty times slower and knows no AVX-512, so that a build which would use that
//! runs other code than the timed one; such a figure is shown and never decides.
//!
//! How far it can be trusted: equal instructions say that the same code ran on the same input. They do not see where the
//! code and its memory lie, and caches, branches and clocks make two programs of equal instructions differ by some percent.
//! So they only ever decide where the clock cannot tell: then equal counts, equal work and equal instructions are a pass.
//! More than one thread waits for the others in loops of its own, so that only workloads of one thread are counted.

use std::ffi::OsStr;
use std::process::Command;
use std::time::{Duration, Instant};

use serde::Serialize;

use super::build::{Build, Question};
use super::protocol::Answer;
use crate::CancelToken;
use crate::measure::workload::Threads;
use crate::measure::{Error, Result};

/// Up to here two figures are equal: what a process does besides its workload, from its start to the digits of its
/// answer, is less than this of a run of 20 ms.
pub const EQUAL_WITHIN: f64 = 1e-3;

/// Cachegrind makes a program slower by about this.
const CACHEGRIND_SLOWDOWN: f64 = 60.0;

/// A workload that would keep cachegrind busy for longer than this is not counted.
const LONGEST_CACHEGRIND: Duration = Duration::from_secs(10);

/// Who counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Source {
    /// The processor, by `perf_event_open`.
    Perf,
    /// Valgrind's cachegrind.
    Cachegrind,
}

/// The instructions of both builds for one workload.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Instructions {
    /// Who counted.
    pub source: Source,
    /// Instructions of a process of the base, warm-up and start included.
    pub base: u64,
    /// The same of the candidate.
    pub head: u64,
    /// The instruction sets whose code was counted: the base's and the candidate's.
    pub isa: [String; 2],
}

impl Instructions {
    /// The candidate's over the base's.
    #[must_use]
    pub fn ratio(&self) -> f64 {
        self.head as f64 / self.base as f64
    }

    /// Whether both builds execute the same instructions, as far as that can be told.
    #[must_use]
    pub fn are_equal(&self) -> bool {
        (self.ratio() - 1.0).abs() <= EQUAL_WITHIN
    }
}

impl std::fmt::Display for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Perf => "perf",
            Self::Cachegrind => "cachegrind",
        })
    }
}

/// Who can count on this machine: the processor, unless cachegrind is preferred, else cachegrind.
#[must_use]
pub fn source(prefers_cachegrind: bool) -> Option<Source> {
    if !prefers_cachegrind && perf::counter().is_ok() {
        return Some(Source::Perf);
    }
    let version = Command::new("valgrind").arg("--version").output();
    version.is_ok_and(|output| output.status.success()).then_some(Source::Cachegrind)
}

/// Counts the instructions of both builds; `None` where it cannot be done for this workload, or takes too long.
///
/// # Errors
/// [`Error::OutOfTime`] and [`crate::Error::Cancelled`]; a build that fails under the counter has no figure.
pub(super) fn count(
    source: Source,
    [base, head]: [&Build; 2],
    probe: &Answer,
    question: &Question<'_>,
    cancel: &CancelToken,
) -> Result<Option<Instructions>> {
    if question.workload.threads != Threads::Exactly(1) {
        return Ok(None);
    }
    let seconds = probe.seconds.first().copied().unwrap_or(0.0) * (1 + probe.runs) as f64;
    let is_long = seconds * CACHEGRIND_SLOWDOWN > LONGEST_CACHEGRIND.as_secs_f64();
    let left = question.deadline.saturating_duration_since(Instant::now()).as_secs_f64();
    if source == Source::Cachegrind && (is_long || 2.0 * seconds * CACHEGRIND_SLOWDOWN > left) {
        return Ok(None);
    }
    let one = |build: &Build| match of_build(source, build, question, cancel) {
        Err(error @ (Error::OutOfTime | Error::Count(crate::Error::Cancelled { .. }))) => Err(error),
        Err(_) => Ok(None),
        Ok(found) => Ok(found),
    };
    let (Some((base, base_isa)), Some((head, head_isa))) = (one(base)?, one(head)?) else { return Ok(None) };
    Ok(Some(Instructions { source, base, head, isa: [base_isa, head_isa] }))
}

fn of_build(
    source: Source,
    build: &Build,
    question: &Question<'_>,
    cancel: &CancelToken,
) -> Result<Option<(u64, String)>> {
    match source {
        Source::Perf => {
            // Processes that this thread starts inherit the counter, which begins with the program they execute.
            let Ok(mut counter) = perf::counter() else { return Ok(None) };
            let answer = build.ask(question, cancel)?;
            Ok(counter.read().filter(|&count| count > 0).map(|count| (count, answer.isa)))
        }
        Source::Cachegrind => {
            let Ok(file) = tempfile::NamedTempFile::new() else { return Ok(None) };
            let mut command = Command::new("valgrind");
            command.args(["--quiet", "--tool=cachegrind", "--cache-sim=no"]);
            command.arg([OsStr::new("--cachegrind-out-file="), file.path().as_os_str()].join(OsStr::new("")));
            command.arg("--").arg(build.program());
            // Under cachegrind a build sees the instruction sets that cachegrind knows.
            let isa = question.isa.filter(|isa| matches!(*isa, "portable" | "avx2"));
            let answer = build.ask_in(command, &Question { isa, ..question.clone() }, cancel)?;
            let counts = std::fs::read_to_string(file.path()).unwrap_or_default();
            Ok(summary(&counts).map(|count| (count, answer.isa)))
        }
    }
}

/// The instructions in a file that cachegrind wrote.
fn summary(text: &str) -> Option<u64> {
    let line = text.lines().rev().find_map(|line| line.strip_prefix("summary:"))?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(target_os = "linux")]
mod perf {
    use perf_event::events::Hardware;
    use perf_event::{Builder, Counter as Event};

    /// A counter of the instructions of programs that this thread starts.
    pub(super) struct Counter(Event);

    pub(super) fn counter() -> std::io::Result<Counter> {
        of(Hardware::INSTRUCTIONS)
    }

    pub(super) fn of(event: impl perf_event::events::Event) -> std::io::Result<Counter> {
        Builder::new(event).observe_self().any_cpu().inherit(true).enable_on_exec(true).build().map(Counter)
    }

    impl Counter {
        /// What was counted; nothing where the processor had no counter free all the time.
        pub(super) fn read(&mut self) -> Option<u64> {
            let counted = self.0.read_full().ok()?;
            (counted.time_enabled() == counted.time_running()).then(|| counted.count())
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod perf {
    pub(super) struct Counter;

    pub(super) fn counter() -> std::io::Result<Counter> {
        Err(std::io::ErrorKind::Unsupported.into())
    }

    impl Counter {
        pub(super) fn read(&mut self) -> Option<u64> {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_of_cachegrind_is_found() {
        assert_eq!(summary("events: Ir\nfn=x\n1 2\nsummary: 38798402\n"), Some(38_798_402));
        assert_eq!(summary("events: Ir\n"), None);
        let equal = |base, head| {
            Instructions { source: Source::Perf, base, head, isa: [String::new(), String::new()] }.are_equal()
        };
        assert!(equal(1_000_000, 1_000_900) && !equal(1_000_000, 1_002_000) && !equal(1, u64::MAX));
    }

    /// Where the kernel counts at all: what a child does is seen and what this process does is not. The event is one that
    /// kernels count by themselves, because virtual machines often have no instructions to count.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_child_is_counted_and_its_parent_is_not() {
        use perf_event::events::Software;
        let Ok(mut counter) = perf::of(Software::PAGE_FAULTS) else {
            use std::io::Write;
            let _ = writeln!(std::io::stderr(), "SKIPPED: the kernel does not let this process count");
            return;
        };
        std::hint::black_box(vec![1u8; 64 << 20]);
        assert_eq!(counter.read(), Some(0));
        assert!(Command::new("true").status().unwrap().success());
        let faults = counter.read().unwrap();
        assert!((10..10_000).contains(&faults), "{faults}");
    }
}
