//! The regression gate: two builds of this program, run by turns on one machine, and a verdict.
//!
//! However it ends, it has an [`Outcome`]: a build that counts wrong, fails or hangs is a verdict and no error, and what was
//! measured before an interruption or the end of the time is kept.

pub mod build;
pub mod calibrate;
mod child;
pub mod instructions;
mod outcome;
mod page;
pub mod protocol;
mod summary;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::verdict::{LOOKS, Side, Verdict, until_judged};
use super::{Error, Result, WorkloadId, machine};
use crate::{CancelToken, Error as CountError};
use build::{Build, Question};
pub use child::MARK;
use instructions::Source;
pub use outcome::{Compared, Identity, Outcome, Stopped};
use protocol::Answer;

/// Samples in a process, of which the fastest counts: interference only ever adds time.
pub const REPETITIONS: usize = 3;

/// What to compare and when to be content.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The build compared against.
    pub base: PathBuf,
    /// The candidate.
    pub head: PathBuf,
    /// What to run.
    pub workloads: Vec<WorkloadId>,
    /// Whether a workload that one build does not know is left out instead of being an error.
    pub skips_unknown: bool,
    /// The slowdown that is too much, such as 0.03.
    pub threshold: f64,
    /// The instruction set to use at most.
    pub isa: Option<String>,
    /// Whether the candidate may do other work than the base, in figures that do not depend on the clock.
    pub allows_other_work: bool,
    /// When a process is given up.
    pub timeout: Duration,
    /// The time for the whole.
    pub budget: Duration,
    /// Whether builds that are the same byte for byte are measured all the same, and a file against itself.
    pub measures_anyway: bool,
    /// Who counts instructions, if anybody.
    pub instructions: Option<Source>,
}

/// How far a gate is.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Progress<'a> {
    /// Both builds have run every workload once; so long it will take, on a machine at rest and at most.
    Planned {
        /// Where the first look at each workload tells.
        least: Duration,
        /// Where the last one does not either, or the budget ends.
        most: Duration,
    },
    /// A process has ended.
    Round {
        /// The workload that is measured.
        workload: &'a WorkloadId,
        /// How many rounds it has had.
        rounds: usize,
    },
}

/// Compares the builds. `observe` hears how far it is.
///
/// # Errors
/// [`Error::SameFile`]. All else that can go wrong is in the outcome.
pub fn run(settings: &Settings, cancel: &CancelToken, observe: &mut dyn FnMut(Progress<'_>)) -> Result<Outcome> {
    let base = Build { role: "base", path: settings.base.clone() };
    let head = Build { role: "head", path: settings.head.clone() };
    if !settings.measures_anyway && build::is_same_file(&base.path, &head.path) {
        return Err(Error::SameFile { base: base.path.display().to_string(), head: head.path.display().to_string() });
    }
    let start = Instant::now();
    let is_identical = !settings.measures_anyway && build::are_identical(&base.path, &head.path);
    let mut gate = Gate {
        settings,
        cancel,
        deadline: start + settings.budget,
        identities: [identity(&base), identity(&head)],
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
    let is_left_out = |id: &&WorkloadId| skipped.iter().any(|(skipped, _)| skipped == *id);
    let is_done = |id: &&WorkloadId| compared.iter().any(|compared| compared.workload == **id);
    let unfinished: Vec<WorkloadId> =
        settings.workloads.iter().filter(|id| !is_left_out(id) && !is_done(id)).cloned().collect();
    let skipped: Vec<String> = skipped.into_iter().map(|(_, why)| why).collect();
    if compared.iter().any(|compared| compared.verdict > Verdict::Regression) && !unfinished.is_empty() {
        stopped.get_or_insert(Stopped::Failed);
    }
    let (verdict, mut reason) = summary::overall(&compared, &unfinished, &skipped, stopped, settings.threshold);
    if is_identical && verdict == Verdict::Pass {
        summary::IDENTICAL.clone_into(&mut reason);
    }
    Ok(Outcome {
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

fn identity(build: &Build) -> Identity {
    Identity { path: build.path.clone(), version: None, commit: None }
}

struct Gate<'a> {
    settings: &'a Settings,
    cancel: &'a CancelToken,
    deadline: Instant,
    base: Build,
    head: Build,
    identities: [Identity; 2],
    compared: Vec<Compared>,
    skipped: Vec<(WorkloadId, String)>,
    stopped: Option<Stopped>,
}

impl Gate<'_> {
    /// All workloads: first each of them once, so that a wrong count is found before minutes are spent, then by turns.
    fn all(&mut self, observe: &mut dyn FnMut(Progress<'_>)) {
        let mut probed = Vec::new();
        for id in &self.settings.workloads {
            match self.probe(id) {
                Ok(probes) => probed.push((id, probes)),
                Err(error) => {
                    if !self.skips(id, &error) {
                        return self.stop(id, &error);
                    }
                }
            }
        }
        let expected = |rounds: usize| {
            let seconds: f64 = probed.iter().flat_map(|(_, probes)| probes).map(process_seconds).sum();
            Duration::from_secs_f64((2 * rounds) as f64 * seconds).min(self.settings.budget)
        };
        observe(Progress::Planned { least: expected(LOOKS[0]), most: expected(LOOKS[LOOKS.len() - 1]) });
        let count = probed.len();
        for (index, (id, probes)) in probed.into_iter().enumerate() {
            // Each gets its share of the time that is left; what it does not need the others have.
            let now = Instant::now();
            let left = self.deadline.saturating_duration_since(now);
            let share = now + left / u32::try_from(count - index).unwrap_or(u32::MAX);
            match self.compare(id, &probes, share, observe) {
                Ok(Some(compared)) => self.compared.push(compared),
                Ok(None) => {
                    self.stopped = Some(Stopped::Budget);
                    return;
                }
                Err(error) => return self.stop(id, &error),
            }
            child::end_stragglers();
        }
    }

    /// Asks one of two builds that are the same byte for byte: that it counts right is all that there is to find.
    fn identical(&mut self) {
        for id in &self.settings.workloads {
            match self.base.ask(&self.question(id, 1, None), self.cancel) {
                Ok(answer) => {
                    self.identities = [named(&self.base, &answer), named(&self.head, &answer)];
                    let compared = Compared { verdict: Verdict::Pass, ..Compared::new(id, &answer, &answer) };
                    self.compared.push(Compared { reason: summary::IDENTICAL.to_owned(), ..compared });
                }
                Err(error) => {
                    if !self.skips(id, &error) {
                        return self.stop(id, &error);
                    }
                }
            }
        }
    }

    /// Leaves a workload out where a build does not know it and nobody asked for it by name.
    fn skips(&mut self, id: &WorkloadId, error: &Error) -> bool {
        let Error::Refused { build, said, .. } = error else { return false };
        if self.settings.skips_unknown {
            let why = format!("{id} was left out because {build} does not run it ({said})");
            self.skipped.push((id.clone(), why));
        }
        self.settings.skips_unknown
    }

    /// Notes why it ends here. Where the time is over and a build has never answered, the build is at fault.
    fn stop(&mut self, id: &WorkloadId, error: &Error) {
        match error {
            Error::Count(CountError::Cancelled { .. }) => self.stopped = Some(Stopped::Interrupted),
            Error::OutOfTime => match self.mute() {
                Some(build) => self.compared.push(Compared::failed(id, &build.mute(self.settings.budget))),
                None => self.stopped = Some(Stopped::Budget),
            },
            error => self.compared.push(Compared::failed(id, error)),
        }
    }

    /// The build that has never answered, if there is one.
    fn mute(&self) -> Option<&Build> {
        let has_answered = |side: usize| self.identities[side].version.is_some();
        [&self.base, &self.head].into_iter().enumerate().find(|&(side, _)| !has_answered(side)).map(|(_, build)| build)
    }

    /// Runs both builds once, untimed as it were: to see that they can, and what they count and do.
    fn probe(&mut self, id: &WorkloadId) -> Result<[Answer; 2]> {
        let question = self.question(id, 1, None);
        let base = self.base.ask(&question, self.cancel)?;
        self.identities[0] = named(&self.base, &base);
        let question = self.question(id, 1, Some(base.runs));
        let head = self.head.ask(&question, self.cancel)?;
        self.identities[1] = named(&self.head, &head);
        if base.count != head.count {
            return Err(Error::CountsDiffer { workload: id.to_string(), base: base.count.0, head: head.count.0 });
        }
        Ok([base, head])
    }

    fn question<'q>(&self, workload: &'q WorkloadId, repetitions: usize, runs: Option<u64>) -> Question<'q>
    where
        Self: 'q,
    {
        let Settings { isa, timeout, .. } = self.settings;
        Question { workload, isa: isa.as_deref(), repetitions, runs, timeout: *timeout, deadline: self.deadline }
    }

    /// Compares both builds on a workload, until `share` if need be; `None` where there is no time for it at all.
    fn compare(
        &self,
        id: &WorkloadId,
        [base, head]: &[Answer; 2],
        share: Instant,
        observe: &mut dyn FnMut(Progress<'_>),
    ) -> Result<Option<Compared>> {
        let mut compared = Compared::new(id, base, head);
        if let Some(source) = self.settings.instructions {
            let question = self.question(id, 1, Some(base.runs));
            let builds = [&self.base, &self.head];
            compared.instructions = instructions::count(source, builds, base, &question, self.cancel)?;
        }
        let question = self.question(id, REPETITIONS, Some(base.runs));
        let mut processes = 0;
        let is_late = || Instant::now() >= share;
        let (rounds, judgement) = until_judged(self.settings.threshold, is_late, |side| {
            let (build, probe) = match side {
                Side::Base => (&self.base, base),
                Side::Head => (&self.head, head),
            };
            let began = Instant::now();
            let answer = match build.ask(&question, self.cancel) {
                Err(Error::OutOfTime) if began.elapsed() > hangs_after(probe) => return Err(build.hung(id)),
                Err(Error::OutOfTime) => return Ok(None),
                answer => answer?,
            };
            if (answer.count, &answer.work) != (probe.count, &probe.work) {
                return Err(Error::Unsteady {
                    workload: format!("{} in {id}", build.role),
                    first: summary::figures(&probe.work),
                    later: summary::figures(&answer.work),
                });
            }
            processes += 1;
            if processes % 4 == 0 {
                child::end_stragglers();
            }
            observe(Progress::Round { workload: id, rounds: processes / 4 });
            Ok(Some(answer.seconds.into_iter().fold(f64::INFINITY, f64::min)))
        })?;
        let Some(judgement) = judgement else { return Ok(None) };
        compared.verdict = judgement.verdict;
        compared.judgement = Some(judgement);
        compared.rounds = rounds;
        compared.reason = summary::reason(&compared, &judgement, self.settings.threshold);
        if compared.may_pass_by_instructions() {
            compared.verdict = Verdict::Pass;
        }
        if base.work != head.work && !self.settings.allows_other_work {
            compared.verdict = compared.verdict.max(Verdict::OtherWork);
            compared.reason = summary::other_work(&compared);
        }
        Ok(Some(compared))
    }
}

/// About how long a process of the gate takes, by what a shorter one said.
fn process_seconds(probe: &Answer) -> f64 {
    /// To start a process and to read what it says.
    const START: f64 = 0.005;
    START + probe.seconds.first().copied().unwrap_or(0.0) * (1 + REPETITIONS as u64 * probe.runs) as f64
}

/// A process that was cut off after this time hangs, by what a shorter one took.
fn hangs_after(probe: &Answer) -> Duration {
    Duration::from_secs_f64((20.0 * process_seconds(probe)).max(2.0))
}

fn named(build: &Build, answer: &Answer) -> Identity {
    Identity { path: build.path.clone(), version: Some(answer.version.clone()), commit: Some(answer.commit.clone()) }
}
