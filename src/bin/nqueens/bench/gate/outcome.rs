//! What a gate found, however it ended.

use std::collections::BTreeMap;

use serde::Serialize;

use super::build::Ran;
use super::instructions::Instructions;
use super::task::Task;
use crate::bench::Error;
use crate::bench::record::{Decimal, Machine};
use crate::bench::statistics::median;
use crate::bench::verdict::{Judgement, Round, Verdict};

/// What the gate found.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct GateOutcome {
    /// 1; it changes when a reader of the old one would misread the new one.
    pub(crate) schema: u64,
    /// `nqueens-regress`.
    pub(crate) kind: &'static str,
    /// The worst verdict of all workloads.
    pub(crate) verdict: Verdict,
    pub(crate) reason: String,
    /// Whether something that was to be measured was not.
    pub(crate) partial: bool,
    /// Why it ended before everything was measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) stopped: Option<Stopped>,
    pub(crate) threshold: f64,
    pub(crate) seconds: f64,
    pub(crate) base: Identity,
    pub(crate) head: Identity,
    pub(crate) machine: Machine,
    pub(crate) workloads: Vec<Compared>,
    /// What was to be measured and was not.
    pub(crate) unfinished: Vec<Task>,
    /// Workloads that were left out, each with the reason.
    pub(crate) skipped: Vec<String>,
}

/// Why a gate ended before everything was measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Stopped {
    /// It was told to.
    Interrupted,
    /// The time that it was given was over.
    Budget,
    /// A build failed or counted wrong.
    Failed,
}

/// A build, as it calls itself.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Identity {
    /// Its file, or the command.
    pub(crate) path: String,
    pub(crate) version: Option<String>,
    /// The commit it was built from, once it has said it.
    pub(crate) commit: Option<String>,
}

/// A task in both builds.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Compared {
    /// The workload, or the size.
    pub(crate) workload: Task,
    pub(crate) verdict: Verdict,
    pub(crate) reason: String,
    /// The count, the same in every run of both builds; `None` where there is none to be trusted or nobody asked for it.
    pub(crate) count: Option<Decimal>,
    /// The base's work and the candidate's.
    pub(crate) work: [BTreeMap<String, Decimal>; 2],
    /// The base's instruction set and the candidate's.
    pub(crate) isa: [String; 2],
    /// The statistics; `None` where nothing was timed.
    pub(crate) judgement: Option<Judgement>,
    /// Whether this machine is quiet enough for the threshold: the noise floor lies below it.
    #[serde(rename = "usable", skip_serializing_if = "Option::is_none")]
    pub(crate) is_usable: Option<bool>,
    /// The instructions of both builds, where they were counted.
    pub(crate) instructions: Option<Instructions>,
    /// Every round's times, in seconds.
    pub(crate) rounds: Vec<Round>,
    /// The statistics of the processor's time, the second measure of one thread; `None` where a build did not say it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) processor: Option<Judgement>,
    /// Every round's times of the processor.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) processor_rounds: Vec<Round>,
}

impl Compared {
    /// What a first run of both builds says.
    pub(crate) fn new(workload: &Task, base: &Ran, head: &Ran) -> Self {
        Self {
            workload: workload.clone(),
            verdict: Verdict::Inconclusive,
            reason: String::new(),
            count: base.count,
            work: [base.work.clone(), head.work.clone()],
            isa: [base.isa.clone(), head.isa.clone()],
            judgement: None,
            is_usable: None,
            instructions: None,
            rounds: Vec::new(),
            processor: None,
            processor_rounds: Vec::new(),
        }
    }

    /// A workload that could not be measured.
    pub(crate) fn failed(workload: &Task, error: &Error) -> Self {
        let nothing = Ran::default();
        let reason = error.to_string();
        Self { verdict: verdict_of(error), reason, ..Self::new(workload, &nothing, &nothing) }
    }

    /// The median of a build's times over the rounds, in seconds.
    pub(crate) fn median_seconds(&self, times: impl Fn(&Round) -> [f64; 2]) -> f64 {
        median(&self.rounds.iter().flat_map(times).collect::<Vec<_>>())
    }

    /// Whether counts, work and instructions are equal, so that nothing that times show is the candidate's doing.
    pub(crate) fn executes_the_same(&self) -> bool {
        self.work[0] == self.work[1] && self.instructions.as_ref().is_some_and(Instructions::are_equal)
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
