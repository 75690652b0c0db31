//! What a gate found, however it ended.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Serialize;

use super::instructions::Instructions;
use super::protocol::Answer;
use crate::measure::record::{Decimal, Machine};
use crate::measure::statistics::median;
use crate::measure::verdict::{Judgement, Round, Verdict};
use crate::measure::{Error, WorkloadId};

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
    /// Whether something that was to be measured was not.
    pub partial: bool,
    /// Why it ended before everything was measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped: Option<Stopped>,
    /// The slowdown that was too much.
    pub threshold: f64,
    /// How long it took, in seconds.
    pub seconds: f64,
    /// The build compared against.
    pub base: Identity,
    /// The candidate.
    pub head: Identity,
    /// What they ran on.
    pub machine: Machine,
    /// What was measured.
    pub workloads: Vec<Compared>,
    /// What was to be measured and was not.
    pub unfinished: Vec<WorkloadId>,
    /// Workloads that were left out, each with the reason.
    pub skipped: Vec<String>,
}

/// Why a gate ended before everything was measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Stopped {
    /// It was told to.
    Interrupted,
    /// The time that it was given was over.
    Budget,
    /// A build failed or counted wrong.
    Failed,
}

/// A build, as it calls itself.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct Identity {
    /// Its file.
    pub path: PathBuf,
    /// Its version, once it has said it.
    pub version: Option<String>,
    /// The commit it was built from, once it has said it.
    pub commit: Option<String>,
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
    /// The count, the same in every run of both builds; `None` where there is none to be trusted.
    pub count: Option<Decimal>,
    /// The base's work and the candidate's.
    pub work: [BTreeMap<String, Decimal>; 2],
    /// The base's instruction set and the candidate's.
    pub isa: [String; 2],
    /// The statistics; `None` where nothing was timed.
    pub judgement: Option<Judgement>,
    /// The instructions of both builds, where they were counted.
    pub instructions: Option<Instructions>,
    /// Every round's times, in seconds.
    pub rounds: Vec<Round>,
}

impl Compared {
    /// What a first run of both builds says.
    pub(super) fn new(workload: &WorkloadId, base: &Answer, head: &Answer) -> Self {
        Self {
            workload: workload.clone(),
            verdict: Verdict::Inconclusive,
            reason: String::new(),
            count: Some(base.count),
            work: [base.work.clone(), head.work.clone()],
            isa: [base.isa.clone(), head.isa.clone()],
            judgement: None,
            instructions: None,
            rounds: Vec::new(),
        }
    }

    /// A workload that could not be measured.
    pub(super) fn failed(workload: &WorkloadId, error: &Error) -> Self {
        Self {
            workload: workload.clone(),
            verdict: verdict_of(error),
            reason: error.to_string(),
            count: None,
            work: [BTreeMap::new(), BTreeMap::new()],
            isa: [String::new(), String::new()],
            judgement: None,
            instructions: None,
            rounds: Vec::new(),
        }
    }

    /// The median of a build's times over the rounds, in seconds.
    #[must_use]
    pub fn median_seconds(&self, times: impl Fn(&Round) -> [f64; 2]) -> f64 {
        median(&self.rounds.iter().flat_map(times).collect::<Vec<_>>())
    }

    /// The time spent is over without an answer: the instructions may have one.
    pub(super) fn may_pass_by_instructions(&self) -> bool {
        let [base_isa, head_isa] = &self.isa;
        self.verdict == Verdict::Inconclusive
            && self.work[0] == self.work[1]
            && self.instructions.as_ref().is_some_and(|instructions| {
                instructions.are_equal() && [base_isa, head_isa] == [&instructions.isa[0], &instructions.isa[1]]
            })
    }
}

/// What an error makes of the whole.
fn verdict_of(error: &Error) -> Verdict {
    match error {
        Error::WrongCount { .. }
        | Error::Unsteady { .. }
        | Error::CountsDiffer { .. }
        | Error::Build { counted_wrong: true, .. } => Verdict::Wrong,
        _ => Verdict::Failed,
    }
}
