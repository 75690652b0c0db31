//! The regression gate: runs two builds in turn, the base and the head, and judges whether the head is slower.
//!
//! Every gate ends with a [`GateOutcome`]. A build that counts wrong, fails or hangs is a verdict, not an error. If the
//! gate is interrupted or its time is over, the outcome has the workloads that are finished.

mod build;
mod child;
pub(crate) mod instructions;
mod outcome;
mod page;
pub(crate) mod protocol;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::verdict::{BuildSide, LOOKS, Verdict, judge, rounds, until_judged};
use super::workload::Threads;
use super::{Error, Result, WorkloadId};
use crate::machine;
use build::{Build, Question};
use nqueens::solver::Isa;
use nqueens::{CancelToken, Error as CountError};
pub(crate) use outcome::{Compared, GateOutcome, Identity, Stopped};
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

/// The progress of a gate.
#[derive(Debug, Clone, Copy)]
pub(crate) struct GateProgress<'a> {
    pub(crate) workload: &'a WorkloadId,
    /// Rounds of this workload that are finished.
    pub(crate) rounds: usize,
    /// Share of the work that is done, from 0 to 1.
    pub(crate) fraction: f64,
}

/// Compares the builds. `observe` is called after each process.
pub(crate) fn run(settings: &Settings, cancel: &CancelToken, observe: &mut dyn FnMut(GateProgress<'_>)) -> GateOutcome {
    let start = Instant::now();
    let builds = [("base", &settings.base), ("head", &settings.head)];
    let mut gate = Gate {
        settings,
        cancel,
        deadline: start + settings.budget,
        builds: builds.map(|(role, path)| Build { role, path: path.clone() }),
        identities: builds.map(|(_, path)| Identity { path: path.display().to_string(), version: None, commit: None }),
        compared: Vec::new(),
        skipped: Vec::new(),
        stopped: None,
    };
    gate.measure(observe);
    gate.outcome(start)
}

struct Gate<'a> {
    settings: &'a Settings,
    cancel: &'a CancelToken,
    deadline: Instant,
    /// The base and the head.
    builds: [Build; 2],
    identities: [Identity; 2],
    compared: Vec<Compared>,
    /// The workloads that a build does not know, each with the build's message.
    skipped: Vec<(WorkloadId, String)>,
    stopped: Option<Stopped>,
}

impl Gate<'_> {
    /// Runs each workload once, to find a wrong count before minutes are spent. Then compares workload by workload.
    fn measure(&mut self, observe: &mut dyn FnMut(GateProgress<'_>)) {
        let mut probed = Vec::new();
        for id in &self.settings.workloads {
            // Slow builds may spend the whole time on first runs. One workload is compared all the same.
            if !probed.is_empty() && Instant::now() >= self.deadline {
                self.stopped = Some(Stopped::Budget);
                break;
            }
            match self.probe(id) {
                Ok(answers) => probed.push((id, answers)),
                Err(Error::Refused { build, said, .. }) if self.settings.skips_unknown => {
                    self.skipped
                        .push((id.clone(), format!("{id} was left out because {build} does not run it ({said})")));
                }
                Err(error) => return self.stop(id, &error),
            }
        }
        let count = probed.len();
        for (index, (id, answers)) in probed.iter().enumerate() {
            let now = Instant::now();
            if index > 0 && now >= self.deadline {
                self.stopped = Some(Stopped::Budget);
                return;
            }
            // An equal share of the time that is left. Time that a workload does not need goes to the others.
            let left = self.deadline.saturating_duration_since(now);
            let until = now + left / u32::try_from(count - index).unwrap_or(u32::MAX);
            let compared = self.compare(id, answers, until, &mut |rounds| {
                let within = (rounds as f64 / LOOKS[0] as f64).min(1.0);
                observe(GateProgress { workload: id, rounds, fraction: (index as f64 + within) / count as f64 });
            });
            match compared {
                Ok(compared) => self.compared.push(compared),
                Err(error) => return self.stop(id, &error),
            }
        }
    }

    fn stop(&mut self, id: &WorkloadId, error: &Error) {
        if let Error::Count(CountError::Cancelled { .. }) = error {
            self.stopped = Some(Stopped::Interrupted);
        } else {
            self.stopped = Some(Stopped::Failed);
            self.compared.push(Compared::failed(id, error));
        }
    }

    /// Runs both builds once, to see whether they can run the workload and what they count.
    fn probe(&mut self, id: &WorkloadId) -> Result<[Answer; 2]> {
        let base = self.builds[0].ask(&self.question(id, 1, None), self.cancel)?;
        self.identities[0].name(&base);
        let head = self.builds[1].ask(&self.question(id, 1, Some(base.runs)), self.cancel)?;
        self.identities[1].name(&head);
        if base.count != head.count {
            let (base, head) = (base.count.0, head.count.0);
            return Err(Error::CountsDiffer { workload: id.to_string(), base, head });
        }
        Ok([base, head])
    }

    /// Whether cachegrind counts the instructions of a workload. It does so for one thread only, because waiting
    /// threads run in loops.
    fn is_counted(&self, id: &WorkloadId) -> bool {
        self.settings.counts_instructions && id.threads == Threads::Exactly(1)
    }

    fn question<'q>(&self, workload: &'q WorkloadId, repetitions: usize, runs: Option<u64>) -> Question<'q> {
        let countable =
            || Isa::available().last().filter(|_| self.is_counted(workload)).and_then(|&best| instructions::isa(best));
        let isa = self.settings.isa.or_else(countable).map(Isa::name);
        Question { workload, isa, repetitions, runs, timeout: self.settings.timeout }
    }

    /// Compares both builds on a workload, in at least one round. No round starts after `until`.
    fn compare(
        &self,
        id: &WorkloadId,
        [base, head]: &[Answer; 2],
        until: Instant,
        observe: &mut dyn FnMut(usize),
    ) -> Result<Compared> {
        let mut compared = Compared::new(id, base, head);
        let builds = self.builds.each_ref();
        if self.is_counted(id) {
            let question = self.question(id, 1, Some(base.runs));
            compared.instructions = instructions::count(builds, [base, head], &question, until, self.cancel)?;
        }
        let question = self.question(id, REPETITIONS, Some(base.runs));
        let (mut processes, mut processor_times) = (0, Vec::new());
        let is_late = || Instant::now() >= until;
        let (timed, judgement) = until_judged(self.settings.threshold, is_late, |side| {
            let (build, probe) = if side == BuildSide::Base { (builds[0], base) } else { (builds[1], head) };
            let answer = build.ask(&question, self.cancel)?;
            if (answer.count, &answer.work) != (probe.count, &probe.work) {
                return Err(Error::Unsteady {
                    workload: format!("{} in {id}", build.role),
                    first: outcome::counted(probe),
                    later: outcome::counted(&answer),
                });
            }
            processes += 1;
            observe(processes / 4);
            let fastest = |seconds: Vec<f64>| seconds.into_iter().min_by(f64::total_cmp);
            processor_times.extend(fastest(answer.processor_seconds));
            Ok(fastest(answer.seconds).unwrap_or(f64::NAN))
        })?;
        let processor_rounds = rounds(&processor_times);
        if processor_rounds.len() == timed.len() {
            compared.processor = Some(judge(&processor_rounds, self.settings.threshold));
            compared.processor_rounds = processor_rounds;
        }
        compared.rounds = timed;
        compared.conclude(judgement, self.settings.threshold, self.settings.allows_other_work);
        Ok(compared)
    }

    fn outcome(self, start: Instant) -> GateOutcome {
        let Self { settings, compared, skipped, identities: [base, head], .. } = self;
        let is_done = |id: &WorkloadId| {
            skipped.iter().any(|(skipped, _)| skipped == id) || compared.iter().any(|compared| compared.workload == *id)
        };
        let unfinished: Vec<WorkloadId> = settings.workloads.iter().filter(|id| !is_done(id)).cloned().collect();
        let skipped: Vec<String> = skipped.into_iter().map(|(_, why)| why).collect();
        let stopped = self.stopped.filter(|_| !unfinished.is_empty());
        let mut outcome = GateOutcome {
            schema: 1,
            kind: "nqueens-regress",
            verdict: Verdict::Pass,
            reason: String::new(),
            partial: !unfinished.is_empty(),
            stopped,
            threshold: settings.threshold,
            seconds: start.elapsed().as_secs_f64(),
            base,
            head,
            machine: machine::facts(),
            workloads: compared,
            unfinished,
            skipped,
        };
        outcome.conclude();
        outcome
    }
}
