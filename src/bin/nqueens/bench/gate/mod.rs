//! The regression gate: runs two builds in turn, the base and the head, and judges whether the head is slower.
//!
//! Every gate ends with a [`GateOutcome`]. A build that counts wrong, fails or hangs is a verdict, not an error. If the
//! gate is interrupted or its time is over, the outcome says which workloads were not measured.

mod build;
mod child;
pub(crate) mod instructions;
mod outcome;
mod page;
pub(crate) mod protocol;

use std::path::{PathBuf, absolute};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use super::WorkloadId;
use super::sample::unsteady;
use super::verdict::{BuildSide, LOOKS, Verdict, until_judged};
use super::workload::Threads;
use crate::exit::Exit;
use build::{Build, Question};
use nqueens::CancelToken;
use nqueens::solver::Isa;
pub(crate) use outcome::{Clock, Compared, GateOutcome, Identity, Measured};
use protocol::Answer;

/// Samples in a process. The gate takes the fastest one, because disturbances only add time.
const REPETITIONS: usize = 3;

/// What to compare, and for how long.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    pub(crate) base: PathBuf,
    pub(crate) head: PathBuf,
    pub(crate) workloads: Vec<WorkloadId>,
    /// Whether to skip a workload that one build does not know. Otherwise the gate fails.
    pub(crate) skips_unknown: bool,
    /// The smallest slowdown that fails, such as 0.03.
    pub(crate) threshold: f64,
    /// The highest instruction set to use. `None`: the best one whose instructions can be counted.
    pub(crate) isa: Option<Isa>,
    /// Whether the head may do other work than the base.
    pub(crate) allows_other_work: bool,
    /// When to stop a process.
    pub(crate) timeout: Duration,
    /// When to start no more rounds.
    pub(crate) budget: Duration,
    /// Whether cachegrind counts instructions.
    pub(crate) counts_instructions: bool,
}

/// Compares the builds. `observe` is called after each process with the share of the work that is done, the workload, and
/// its finished rounds.
pub(crate) fn run(
    settings: &Settings,
    cancel: &CancelToken,
    observe: &mut dyn FnMut(f64, &WorkloadId, usize),
) -> GateOutcome {
    let start = Instant::now();
    let deadline = start + settings.budget;
    let builds = [("base", &settings.base), ("head", &settings.head)];
    let builds = builds.map(|(role, path)| Build { role, path: absolute(path).unwrap_or(path.clone()) });
    let gate = Gate { settings, cancel, builds };
    let (mut workloads, mut has_failed) = (Vec::new(), false);
    for (index, id) in settings.workloads.iter().enumerate() {
        let now = Instant::now();
        let all = settings.workloads.len();
        // An equal share of the time that is left. Time that a workload does not need goes to the others.
        let left = deadline.saturating_duration_since(now);
        let until = now + left / u32::try_from(all - index).unwrap_or(u32::MAX);
        let why_not = if cancel.is_cancelled() {
            Some("the gate was interrupted")
        } else if has_failed {
            // A build that cannot run one workload seldom runs the next, and may hang again.
            Some("a workload before it failed")
        } else {
            (index > 0 && left.is_zero()).then_some("the time was over, so raise --budget")
        };
        let compared = if let Some(why) = why_not {
            Compared::not_measured(id, Verdict::Inconclusive, format!("not measured: {why}"))
        } else {
            let compared = gate.compare(id, until, &mut |rounds| {
                let within = (rounds as f64 / LOOKS[0] as f64).min(1.0);
                observe((index as f64 + within) / all as f64, id, rounds);
            });
            compared.unwrap_or_else(|error| gate.failed(id, &error))
        };
        has_failed |= matches!(compared.verdict, Verdict::Failed | Verdict::Wrong);
        workloads.push(compared);
    }
    GateOutcome::new(settings, workloads, start.elapsed())
}

struct Gate<'a> {
    settings: &'a Settings,
    cancel: &'a CancelToken,
    /// The base and the head.
    builds: [Build; 2],
}

impl Gate<'_> {
    fn failed(&self, id: &WorkloadId, error: &anyhow::Error) -> Compared {
        let verdict = match Exit::of(error) {
            Exit::Wrong => Verdict::Wrong,
            Exit::Usage if self.settings.skips_unknown => Verdict::Skipped,
            Exit::Interrupted => Verdict::Inconclusive,
            _ => Verdict::Failed,
        };
        let reason = match Exit::of(error) {
            Exit::Interrupted => "not measured: the gate was interrupted".to_owned(),
            _ => format!("{error:#}"),
        };
        Compared::not_measured(id, verdict, reason)
    }

    /// Whether cachegrind counts the instructions of a workload. It does so for one thread only, because waiting
    /// threads run in loops.
    fn is_counted(&self, id: &WorkloadId) -> bool {
        self.settings.counts_instructions && id.threads == Threads::Exactly(1)
    }

    fn question<'q>(&self, workload: &'q WorkloadId, repetitions: usize, runs: Option<u64>) -> Question<'q> {
        let best = Isa::available().last().copied().filter(|_| self.is_counted(workload));
        let isa = self.settings.isa.or(best.and_then(instructions::isa)).map(Isa::name);
        Question { workload, isa, repetitions, runs, timeout: self.settings.timeout }
    }

    /// Compares both builds on a workload, in at least one round. No round starts after `until`.
    fn compare(&self, id: &WorkloadId, until: Instant, observe: &mut dyn FnMut(usize)) -> Result<Compared> {
        let answers = self.first_answers(id)?;
        let runs = answers[0].runs;
        let instructions = self.is_counted(id).then(|| {
            let timeout = self.settings.timeout.min(until.saturating_duration_since(Instant::now()));
            let question = Question { timeout, ..self.question(id, 1, Some(runs)) };
            instructions::count(&self.builds, &answers, &question, self.cancel)
        });
        let clock = Clock::of(&answers);
        let question = self.question(id, REPETITIONS, Some(runs));
        let mut processes = 0;
        let is_late = || Instant::now() >= until;
        let (rounds, judgement) = until_judged(self.settings.threshold, is_late, |side| {
            let build = if side == BuildSide::Base { 0 } else { 1 };
            let answer = self.builds[build].ask(&question, self.cancel)?;
            let first = &answers[build];
            if (answer.count, &answer.work) != (first.count, &first.work) {
                let place = format!("{} in {id}", self.builds[build].role);
                return Err(unsteady(place, &first.counted(), &answer.counted()));
            }
            processes += 1;
            observe(processes / 4);
            clock.times(&answer).iter().copied().min_by(f64::total_cmp).context("processor_seconds: they are missing")
        })?;
        // What cachegrind cannot run has no instructions.
        let instructions = instructions.and_then(Result::ok);
        let measured = Measured { answers, clock, judgement, instructions, rounds };
        Ok(Compared::measured(id, measured, self.settings))
    }

    /// Runs both builds once, to see whether they can run the workload and what they count.
    fn first_answers(&self, id: &WorkloadId) -> Result<[Answer; 2]> {
        let [base, head] = &self.builds;
        let base = base.ask(&self.question(id, 1, None), self.cancel)?;
        let head = head.ask(&self.question(id, 1, Some(base.runs)), self.cancel)?;
        if base.count != head.count {
            let (base, head) = (base.count, head.count);
            return Err(
                Exit::Wrong.error(format!("the builds disagree on {id}: base counts {base}, and head counts {head}"))
            );
        }
        Ok([base, head])
    }
}
