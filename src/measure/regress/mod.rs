//! The regression gate: two builds of this program, run by turns on one machine, and a verdict.

pub mod build;
pub mod protocol;
mod summary;

use std::path::PathBuf;
use std::time::Duration;

use serde::Serialize;

use super::record::{Decimal, Machine};
use super::verdict::{Judgement, Round, Side, Verdict, until_judged};
use super::{Error, Result, WorkloadId, machine};
use crate::CancelToken;
use build::{Build, Question};
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
}

/// What the gate found.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct Outcome {
    /// 1; it changes when a reader of the old one would misread the new one.
    pub schema: u64,
    /// `nqueens-regress`.
    pub kind: &'static str,
    /// The worst verdict of all workloads.
    pub verdict: Verdict,
    /// Why, in one sentence.
    pub reason: String,
    /// The slowdown that was too much.
    pub threshold: f64,
    /// The build compared against.
    pub base: Identity,
    /// The candidate.
    pub head: Identity,
    /// What they ran on.
    pub machine: Machine,
    /// What was measured.
    pub workloads: Vec<Compared>,
    /// Workloads that were left out, each with the reason.
    pub skipped: Vec<String>,
}

/// A build, as it calls itself.
#[derive(Debug, Clone, Serialize)]
pub struct Identity {
    /// Its file.
    pub path: PathBuf,
    /// Its version.
    pub version: String,
    /// The commit it was built from.
    pub commit: String,
}

/// A workload in both builds.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct Compared {
    /// The workload.
    pub workload: WorkloadId,
    /// Its verdict.
    pub verdict: Verdict,
    /// Why, in one sentence.
    pub reason: String,
    /// The count, the same in every run of both builds.
    pub count: Decimal,
    /// The base's work and the candidate's.
    pub work: [std::collections::BTreeMap<String, Decimal>; 2],
    /// The base's instruction set and the candidate's.
    pub isa: [String; 2],
    /// The statistics; `None` where the work already decided.
    pub judgement: Option<Judgement>,
    /// Every round's times, in seconds.
    pub rounds: Vec<Round>,
}

/// Compares the builds. `observe` hears after every process which workload is measured and how many rounds it has had.
///
/// # Errors
/// [`Error::SameFile`], and all that [`Build::ask`] finds.
pub fn run(settings: &Settings, cancel: &CancelToken, observe: &mut dyn FnMut(&WorkloadId, usize)) -> Result<Outcome> {
    let base = Build { role: "base", path: settings.base.clone() };
    let head = Build { role: "head", path: settings.head.clone() };
    if build::is_same_file(&base.path, &head.path) {
        return Err(Error::SameFile { base: base.path.display().to_string(), head: head.path.display().to_string() });
    }
    let gate = Gate { settings, base, head, cancel };
    let (mut workloads, mut skipped, mut identities) = (Vec::new(), Vec::new(), None);
    for id in &settings.workloads {
        match gate.probe(id) {
            Ok(probes) => {
                identities.get_or_insert_with(|| gate.identities(&probes));
                workloads.push(gate.compare(id, &probes, observe)?);
            }
            Err(Error::Refused { build, said, .. }) if settings.skips_unknown => {
                skipped.push(format!("{id} was left out because {build} does not run it ({said})"));
            }
            Err(error) => return Err(error),
        }
    }
    let Some([base, head]) = identities else {
        return Err(Error::NothingToRun { skipped: skipped.join("; ") });
    };
    let (verdict, reason) = summary::overall(&workloads, settings.threshold);
    Ok(Outcome {
        schema: 1,
        kind: "nqueens-regress",
        verdict,
        reason,
        threshold: settings.threshold,
        base,
        head,
        machine: machine::facts(),
        workloads,
        skipped,
    })
}

struct Gate<'a> {
    settings: &'a Settings,
    base: Build,
    head: Build,
    cancel: &'a CancelToken,
}

impl Gate<'_> {
    /// Runs both builds once, untimed as it were: to see that they can, and what they count and do.
    fn probe(&self, id: &WorkloadId) -> Result<[Answer; 2]> {
        let question = self.question(id, 1, None);
        let base = self.base.ask(&question, self.cancel)?;
        let question = Question { runs: Some(base.runs), ..question };
        let head = self.head.ask(&question, self.cancel)?;
        if base.count != head.count {
            return Err(Error::CountsDiffer { workload: id.to_string(), base: base.count.0, head: head.count.0 });
        }
        Ok([base, head])
    }

    fn question<'q>(&'q self, workload: &'q WorkloadId, repetitions: usize, runs: Option<u64>) -> Question<'q> {
        let Settings { isa, timeout, .. } = self.settings;
        Question { workload, isa: isa.as_deref(), repetitions, runs, timeout: *timeout }
    }

    fn identities(&self, [base, head]: &[Answer; 2]) -> [Identity; 2] {
        let identity = |build: &Build, answer: &Answer| Identity {
            path: build.path.clone(),
            version: answer.version.clone(),
            commit: answer.commit.clone(),
        };
        [identity(&self.base, base), identity(&self.head, head)]
    }

    fn compare(
        &self,
        id: &WorkloadId,
        [base, head]: &[Answer; 2],
        observe: &mut dyn FnMut(&WorkloadId, usize),
    ) -> Result<Compared> {
        let mut compared = Compared {
            workload: id.clone(),
            verdict: Verdict::Regression,
            reason: String::new(),
            count: base.count,
            work: [base.work.clone(), head.work.clone()],
            isa: [base.isa.clone(), head.isa.clone()],
            judgement: None,
            rounds: Vec::new(),
        };
        if base.work != head.work && !self.settings.allows_other_work {
            compared.reason = summary::other_work(&compared);
            return Ok(compared);
        }
        let question = self.question(id, REPETITIONS, Some(base.runs));
        let mut processes = 0;
        let (rounds, judgement) = until_judged(self.settings.threshold, |side| {
            let (build, probe) = match side {
                Side::Base => (&self.base, base),
                Side::Head => (&self.head, head),
            };
            let answer = build.ask(&question, self.cancel)?;
            if (answer.count, &answer.work) != (probe.count, &probe.work) {
                return Err(Error::Unsteady {
                    workload: format!("{} in {id}", build.role),
                    first: summary::figures(&probe.work),
                    later: summary::figures(&answer.work),
                });
            }
            processes += 1;
            observe(id, processes / 4);
            Ok(answer.seconds.into_iter().fold(f64::INFINITY, f64::min))
        })?;
        compared.verdict = judgement.verdict;
        compared.judgement = Some(judgement);
        compared.rounds = rounds;
        compared.reason = summary::reason(&judgement, self.settings.threshold, compared.rounds.len());
        Ok(compared)
    }
}
