//! The regression gate: two builds of a program, run by turns on one machine, and a verdict.
//!
//! However it ends, it has a [`GateOutcome`]: a build that counts wrong, fails or hangs is a verdict and no error, and what was
//! measured before an interruption or the end of the time is kept.

pub(crate) mod build;
mod child;
pub(crate) mod instructions;
mod outcome;
mod page;
pub(crate) mod protocol;
mod summary;
pub(crate) mod task;

use std::time::{Duration, Instant};

use super::verdict::{BuildSide, LOOKS, Verdict, until_judged};
use super::{Error, Result, verdict};
use crate::machine;
use build::{Build, Question, Ran};
pub(crate) use child::MARK;
use nqueens::solver::Isa;
use nqueens::{CancelToken, Error as CountError};
pub(crate) use outcome::{Compared, GateOutcome, Identity, Stopped};
use task::{GateProgram, Task};

/// Samples in a process, of which the fastest counts: interference only ever adds time.
pub(crate) const REPETITIONS: usize = 3;

/// What to compare and when to be content.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    pub(crate) base: GateProgram,
    pub(crate) head: GateProgram,
    /// What to run: workloads for builds, sizes for commands.
    pub(crate) tasks: Vec<Task>,
    /// Whether the output of commands ends with the count, to be held against each other and the published one.
    pub(crate) has_count: bool,
    /// Whether a workload that one build does not know is left out instead of being an error.
    pub(crate) skips_unknown: bool,
    /// The slowdown that is too much, such as 0.03.
    pub(crate) threshold: f64,
    /// The instruction set to use at most; where it is not given, one whose instructions can be counted.
    pub(crate) isa: Option<Isa>,
    /// Whether the candidate may do other work than the base, in figures that do not depend on the clock.
    pub(crate) allows_other_work: bool,
    /// When a process is given up.
    pub(crate) timeout: Duration,
    /// The time for the whole.
    pub(crate) budget: Duration,
    /// Whether builds that are the same byte for byte are measured all the same, and a file against itself.
    pub(crate) measures_anyway: bool,
    /// Whether cachegrind counts instructions.
    pub(crate) counts_instructions: bool,
}

/// How far a gate is.
#[derive(Debug, Clone, Copy)]
pub(crate) enum GateProgress<'a> {
    /// Both builds have run everything once; so long it will take, on a machine at rest and at most.
    Planned {
        /// Where the first look at each workload tells.
        least: Duration,
        /// Where the last one does not either, or the budget ends.
        most: Duration,
    },
    /// A process has ended.
    Round {
        /// What is measured.
        task: &'a Task,
        /// How many rounds it has had.
        rounds: usize,
    },
}

/// Compares the builds. `observe` hears how far it is.
///
/// # Errors
/// [`Error::SameFile`]. All else that can go wrong is in the outcome.
pub(crate) fn run(
    settings: &Settings,
    cancel: &CancelToken,
    observe: &mut dyn FnMut(GateProgress<'_>),
) -> Result<GateOutcome> {
    let base = Build { role: "base", program: settings.base.clone() };
    let head = Build { role: "head", program: settings.head.clone() };
    let files = GateProgram::files(&base.program, &head.program).filter(|_| !settings.measures_anyway);
    if files.is_some_and(|[base, head]| build::is_same_file(base, head)) {
        return Err(Error::SameFile { base: base.program.to_string(), head: head.program.to_string() });
    }
    let start = Instant::now();
    let is_identical = files.is_some_and(|[base, head]| build::are_identical(base, head));
    let mut gate = Gate {
        settings,
        cancel,
        deadline: start + settings.budget,
        identities: [&base, &head].map(|build| named(build, &Ran::default())),
        has_answered: [false; 2],
        base,
        head,
        compared: Vec::new(),
        skipped: Vec::new(),
        stopped: None,
    };
    if is_identical {
        gate.identical()
    } else {
        gate.all(observe)
    }
    child::end_stragglers();
    let Gate { identities: [base, head], compared, skipped, mut stopped, .. } = gate;
    let is_left_out = |task: &&Task| skipped.iter().any(|(skipped, _)| skipped == *task);
    let is_done = |task: &&Task| compared.iter().any(|compared| compared.workload == **task);
    let unfinished: Vec<Task> =
        settings.tasks.iter().filter(|task| !is_left_out(task) && !is_done(task)).cloned().collect();
    let skipped: Vec<String> = skipped.into_iter().map(|(_, why)| why).collect();
    if compared.iter().any(|compared| compared.verdict > Verdict::Regression) && !unfinished.is_empty() {
        stopped.get_or_insert(Stopped::Failed);
    }
    let (verdict, mut reason) = summary::overall(&compared, &unfinished, &skipped, stopped, settings.threshold);
    if is_identical && verdict == Verdict::Pass {
        summary::IDENTICAL.clone_into(&mut reason);
    }
    Ok(GateOutcome {
        schema: 1,
        kind: "nqueens-regress",
        verdict,
        reason,
        partial: stopped.is_some() || !unfinished.is_empty(),
        stopped,
        threshold: settings.threshold,
        seconds: start.elapsed().as_secs_f64(),
        base,
        head,
        machine: machine::facts(),
        workloads: compared,
        unfinished,
        skipped,
    })
}

struct Gate<'a> {
    settings: &'a Settings,
    cancel: &'a CancelToken,
    deadline: Instant,
    base: Build,
    head: Build,
    identities: [Identity; 2],
    has_answered: [bool; 2],
    compared: Vec<Compared>,
    skipped: Vec<(Task, String)>,
    stopped: Option<Stopped>,
}

impl Gate<'_> {
    /// Everything: first each of them once, so that a wrong count is found before minutes are spent, then by turns.
    fn all(&mut self, observe: &mut dyn FnMut(GateProgress<'_>)) {
        let mut probed = Vec::new();
        for task in &self.settings.tasks {
            match self.probe(task) {
                Ok(probes) => probed.push((task, probes)),
                Err(error) => {
                    if !self.skips(task, &error) {
                        return self.stop(task, &error);
                    }
                }
            }
        }
        let expected = |rounds: usize| {
            let seconds: f64 = probed.iter().flat_map(|(_, probes)| probes).map(process_seconds).sum();
            Duration::from_secs_f64((2 * rounds) as f64 * seconds).min(self.settings.budget)
        };
        observe(GateProgress::Planned { least: expected(LOOKS[0]), most: expected(LOOKS[LOOKS.len() - 1]) });
        let count = probed.len();
        for (index, (task, probes)) in probed.into_iter().enumerate() {
            // Each gets its share of the time that is left; what it does not need the others have.
            let now = Instant::now();
            let left = self.deadline.saturating_duration_since(now);
            let share = now + left / u32::try_from(count - index).unwrap_or(u32::MAX);
            match self.compare(task, &probes, share, observe) {
                Ok(Some(compared)) => self.compared.push(compared),
                Ok(None) => {
                    self.stopped = Some(Stopped::Budget);
                    return;
                }
                Err(error) => return self.stop(task, &error),
            }
            child::end_stragglers();
        }
    }

    /// Asks one of two builds that are the same byte for byte: that it counts right is all that there is to find.
    fn identical(&mut self) {
        for task in &self.settings.tasks {
            match self.base.ask(&self.question(task, 1, None), self.cancel) {
                Ok(answer) => {
                    self.identities = [named(&self.base, &answer), named(&self.head, &answer)];
                    let compared = Compared { verdict: Verdict::Pass, ..Compared::new(task, &answer, &answer) };
                    self.compared.push(Compared { reason: summary::IDENTICAL.to_owned(), ..compared });
                }
                Err(error) => {
                    if !self.skips(task, &error) {
                        return self.stop(task, &error);
                    }
                }
            }
        }
    }

    /// Leaves a workload out where a build does not know it and nobody asked for it by name.
    fn skips(&mut self, task: &Task, error: &Error) -> bool {
        let Error::Refused { build, said, .. } = error else { return false };
        if self.settings.skips_unknown {
            let why = format!("{task} was left out because {build} does not run it ({said})");
            self.skipped.push((task.clone(), why));
        }
        self.settings.skips_unknown
    }

    /// Notes why it ends here. Where the time is over and a build has never answered, the build is at fault.
    fn stop(&mut self, task: &Task, error: &Error) {
        match error {
            Error::Count(CountError::Cancelled { .. }) => self.stopped = Some(Stopped::Interrupted),
            Error::OutOfTime => match self.mute() {
                Some(build) => self.compared.push(Compared::failed(task, &build.mute(self.settings.budget))),
                None => self.stopped = Some(Stopped::Budget),
            },
            error => self.compared.push(Compared::failed(task, error)),
        }
    }

    /// The build that has never answered, if there is one.
    fn mute(&self) -> Option<&Build> {
        let builds = [&self.base, &self.head].into_iter().zip(self.has_answered);
        builds.filter(|&(_, has_answered)| !has_answered).map(|(build, _)| build).next()
    }

    /// Runs both builds once, untimed as it were: to see that they can, and what they count and do.
    fn probe(&mut self, task: &Task) -> Result<[Ran; 2]> {
        let question = self.question(task, 1, None);
        let base = self.base.ask(&question, self.cancel)?;
        (self.identities[0], self.has_answered[0]) = (named(&self.base, &base), true);
        let question = self.question(task, 1, Some(base.runs));
        let head = self.head.ask(&question, self.cancel)?;
        (self.identities[1], self.has_answered[1]) = (named(&self.head, &head), true);
        match (base.count, head.count) {
            (Some(base), Some(head)) if base != head => {
                Err(Error::CountsDiffer { workload: task.to_string(), base: base.0, head: head.0 })
            }
            _ => Ok([base, head]),
        }
    }

    fn question<'q>(&self, task: &'q Task, repetitions: usize, runs: Option<u64>) -> Question<'q> {
        let Settings { isa, timeout, has_count, counts_instructions, .. } = self.settings;
        let is_counted = *counts_instructions && instructions::are_counted(task);
        let countable = || Isa::available().last().filter(|_| is_counted).and_then(|&best| instructions::isa(best));
        let isa = isa.or_else(countable).map(Isa::name);
        Question { task, isa, has_count: *has_count, repetitions, runs, timeout: *timeout, deadline: self.deadline }
    }

    /// Compares both builds on a workload, until `share` if need be; `None` where there is no time for it at all.
    fn compare(
        &self,
        task: &Task,
        [base, head]: &[Ran; 2],
        share: Instant,
        observe: &mut dyn FnMut(GateProgress<'_>),
    ) -> Result<Option<Compared>> {
        let mut compared = Compared::new(task, base, head);
        if self.settings.counts_instructions && instructions::are_counted(task) {
            let question = self.question(task, 1, Some(base.runs));
            let builds = [&self.base, &self.head];
            compared.instructions = instructions::count(builds, [base, head], &question, self.cancel)?;
        }
        let question = self.question(task, REPETITIONS, Some(base.runs));
        let (mut processes, mut processor) = (0, Vec::new());
        let is_late = || Instant::now() >= share;
        let (rounds, judgement) = until_judged(self.settings.threshold, is_late, |side| {
            let (build, probe) = match side {
                BuildSide::Base => (&self.base, base),
                BuildSide::Head => (&self.head, head),
            };
            let began = Instant::now();
            let answer = match build.ask(&question, self.cancel) {
                Err(Error::OutOfTime) if began.elapsed() > hangs_after(probe) => return Err(build.hung(task)),
                Err(Error::OutOfTime) => return Ok(None),
                answer => answer?,
            };
            if (answer.count, &answer.work) != (probe.count, &probe.work) {
                return Err(Error::Unsteady {
                    workload: format!("{} in {task}", build.role),
                    first: summary::counted(probe),
                    later: summary::counted(&answer),
                });
            }
            processes += 1;
            if processes % 4 == 0 {
                child::end_stragglers();
            }
            observe(GateProgress::Round { task, rounds: processes / 4 });
            let fastest = |seconds: Vec<f64>| seconds.into_iter().min_by(f64::total_cmp);
            processor.extend(fastest(answer.processor_seconds));
            Ok(fastest(answer.seconds))
        })?;
        let Some(judgement) = judgement else { return Ok(None) };
        let processor = verdict::rounds(&processor);
        if processor.len() == rounds.len() {
            compared.processor = Some(verdict::judge(&processor, self.settings.threshold));
            compared.processor_rounds = processor;
        }
        compared.judgement = Some(judgement);
        compared.is_usable = Some(judgement.noise_floor < self.settings.threshold);
        compared.rounds = rounds;
        (compared.verdict, compared.reason) = summary::judged(&compared, &judgement, self.settings.threshold);
        if base.work != head.work && !self.settings.allows_other_work {
            compared.verdict = compared.verdict.max(Verdict::OtherWork);
            compared.reason = summary::other_work(&compared);
        }
        Ok(Some(compared))
    }
}

/// About how long a process of the gate takes, by what a shorter one said.
fn process_seconds(probe: &Ran) -> f64 {
    /// To start a process and to read what it says.
    const START: f64 = 0.005;
    START + probe.seconds.first().copied().unwrap_or(0.0) * (1 + REPETITIONS as u64 * probe.runs) as f64
}

/// A process that was cut off after this time hangs, by what a shorter one took.
fn hangs_after(probe: &Ran) -> Duration {
    Duration::from_secs_f64((20.0 * process_seconds(probe)).max(2.0))
}

fn named(build: &Build, ran: &Ran) -> Identity {
    Identity { path: build.program.to_string(), version: ran.version.clone(), commit: ran.commit.clone() }
}
