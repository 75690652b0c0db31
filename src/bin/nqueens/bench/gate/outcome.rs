//! The result of a gate: a verdict and a reason for each workload and for the whole gate.

use std::collections::BTreeMap;

use serde::Serialize;

use super::instructions::Instructions;
use super::protocol::Answer;
use crate::bench::record::{Decimal, Machine};
use crate::bench::statistics::median;
use crate::bench::verdict::{Judgement, LOOKS, Round, Verdict};
use crate::bench::{Error, WorkloadId};
use crate::terminal::units::{change, percent};

/// The result of a gate.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct GateOutcome {
    /// The version, 1. It changes when a reader of the old format would misread the new one.
    pub(crate) schema: u64,
    /// Always `nqueens-regress`.
    pub(crate) kind: &'static str,
    /// The worst verdict of all workloads. It is not `pass` if a workload is unfinished.
    pub(crate) verdict: Verdict,
    pub(crate) reason: String,
    /// Whether a workload is unfinished.
    pub(crate) partial: bool,
    /// Why workloads are unfinished.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) stopped: Option<Stopped>,
    pub(crate) threshold: f64,
    pub(crate) seconds: f64,
    pub(crate) base: Identity,
    pub(crate) head: Identity,
    pub(crate) machine: Machine,
    pub(crate) workloads: Vec<Compared>,
    pub(crate) unfinished: Vec<WorkloadId>,
    /// The reason for each workload that was skipped.
    pub(crate) skipped: Vec<String>,
}

/// Why a gate ended before everything was measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Stopped {
    /// The user stopped it.
    Interrupted,
    /// The time for the gate was over.
    Budget,
    /// A build failed or counted wrong.
    Failed,
}

/// A build. Version and commit are unknown until its first answer.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Identity {
    pub(crate) path: String,
    pub(crate) version: Option<String>,
    pub(crate) commit: Option<String>,
}

/// A workload in both builds.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Compared {
    pub(crate) workload: WorkloadId,
    pub(crate) verdict: Verdict,
    pub(crate) reason: String,
    /// The count of every run of both builds. `None`: a build failed or counted wrong.
    pub(crate) count: Option<Decimal>,
    /// The work of the base and of the head.
    pub(crate) work: [BTreeMap<String, Decimal>; 2],
    /// The instruction sets of the base and of the head.
    pub(crate) isa: [String; 2],
    /// The statistics of the times. `None`: nothing was timed.
    pub(crate) judgement: Option<Judgement>,
    /// Whether the noise floor is below the threshold: this machine is quiet enough.
    #[serde(rename = "usable", skip_serializing_if = "Option::is_none")]
    pub(crate) is_usable: Option<bool>,
    /// The instructions of both builds, if they were counted.
    pub(crate) instructions: Option<Instructions>,
    /// The times of each round, in seconds.
    pub(crate) rounds: Vec<Round>,
    /// The statistics of the processor time, for one thread, if both builds report it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) processor: Option<Judgement>,
    /// The processor times of each round, in seconds.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) processor_rounds: Vec<Round>,
}

impl Identity {
    /// Takes version and commit from an answer.
    pub(crate) fn name(&mut self, answer: &Answer) {
        self.version = Some(answer.version.clone());
        self.commit = Some(answer.commit.clone());
    }
}

impl Compared {
    /// A workload after the first run of both builds.
    pub(crate) fn new(workload: &WorkloadId, base: &Answer, head: &Answer) -> Self {
        let mut compared = Self::without_answers(workload);
        compared.count = Some(base.count);
        compared.work = [base.work.clone(), head.work.clone()];
        compared.isa = [base.isa.clone(), head.isa.clone()];
        compared
    }

    /// A workload that cannot be measured.
    pub(crate) fn failed(workload: &WorkloadId, error: &Error) -> Self {
        let is_wrong = matches!(
            error,
            Error::WrongCount { .. }
                | Error::Unsteady { .. }
                | Error::CountsDiffer { .. }
                | Error::Build { counted_wrong: true, .. }
        );
        let verdict = if is_wrong { Verdict::Wrong } else { Verdict::Failed };
        Self { verdict, reason: error.to_string(), ..Self::without_answers(workload) }
    }

    fn without_answers(workload: &WorkloadId) -> Self {
        Self {
            workload: workload.clone(),
            verdict: Verdict::Inconclusive,
            reason: String::new(),
            count: None,
            work: Default::default(),
            isa: Default::default(),
            judgement: None,
            is_usable: None,
            instructions: None,
            rounds: Vec::new(),
            processor: None,
            processor_rounds: Vec::new(),
        }
    }

    /// The median of a build's times over the rounds, in seconds.
    pub(crate) fn median_seconds(&self, times: impl Fn(&Round) -> [f64; 2]) -> f64 {
        median(&self.rounds.iter().flat_map(times).collect::<Vec<_>>())
    }

    /// Sets verdict and reason from what was measured.
    pub(crate) fn conclude(&mut self, judgement: Judgement, threshold: f64, allows_other_work: bool) {
        self.judgement = Some(judgement);
        self.is_usable = Some(judgement.noise_floor < threshold);
        (self.verdict, self.reason) = self.judged(&judgement, threshold);
        let [base, head] = &self.work;
        if base != head && !allows_other_work {
            self.verdict = self.verdict.max(Verdict::OtherWork);
            self.reason = format!(
                "head does different work than base ({} instead of {}): give --allow-other-work if you intend that; {}",
                figures(head),
                figures(base),
                self.reason
            );
        }
    }

    /// The verdict by wall time. If wall time cannot tell, the verdict by processor time, and then by instructions.
    fn judged(&self, judgement: &Judgement, threshold: f64) -> (Verdict, String) {
        let rounds = self.rounds.len();
        let (by_time, way_out) = by_time(judgement, rounds, threshold);
        let verdict = judgement.verdict;
        let is_open = verdict == Verdict::Inconclusive;
        if let Some(processor) = self.processor.filter(|processor| processor.verdict != Verdict::Inconclusive) {
            let by_processor = differs(&processor, rounds);
            if is_open && judgement.leaves_open(processor.ratio.value) {
                let reason = format!("{by_time}; processor time decides: {by_processor}");
                return (processor.verdict, reason);
            }
            if processor.verdict != verdict && !(is_open && self.executes_the_same()) {
                let reason = format!(
                    "{by_time}; processor time disagrees: {by_processor}; a build waits, or other programs \
                     interfered{way_out}"
                );
                return (verdict, reason);
            }
        }
        match &self.instructions {
            Some(_) if is_open && self.executes_the_same() => {
                let equal = "counts, work and instructions are equal, so head did not cause this";
                (Verdict::Pass, format!("{by_time}; but {equal}"))
            }
            Some(instructions) if is_open => {
                let (change, source) = (change(instructions.ratio()), instructions.source);
                (verdict, format!("{by_time}; instructions: {change} ({source}){way_out}"))
            }
            _ => (verdict, by_time + way_out),
        }
    }

    fn executes_the_same(&self) -> bool {
        self.work[0] == self.work[1] && self.instructions.as_ref().is_some_and(Instructions::are_equal)
    }
}

/// How the builds differ: `head is 5.0 % slower than base (95 % interval +4.9 % to +5.1 %, 8 rounds)`.
fn differs(judgement: &Judgement, rounds: usize) -> String {
    let ratio = judgement.ratio;
    format!(
        "head is {} {} than base (95 % interval {} to {}, {rounds} rounds)",
        percent((ratio.value - 1.0).abs()),
        if ratio.value < 1.0 { "faster" } else { "slower" },
        change(ratio.low),
        change(ratio.high)
    )
}

/// Says the result of the times in words, and what the user can do if the times cannot tell.
fn by_time(judgement: &Judgement, rounds: usize, threshold: f64) -> (String, &'static str) {
    let Judgement { verdict, ratio, noise_floor, .. } = judgement;
    let interval = differs(judgement, rounds);
    let (threshold, noise) = (percent(threshold), percent(*noise_floor));
    let mut way_out = "";
    let sentence = match verdict {
        Verdict::Regression => {
            format!("{interval}: beyond the threshold of {threshold} and the noise floor of {noise}")
        }
        Verdict::Pass => {
            format!("{interval}: below the threshold of {threshold}; the noise floor is {noise}")
        }
        _ if rounds < LOOKS[0] => {
            way_out = "; raise --budget, or compare on fewer workloads";
            format!("{interval}: no time for the {} rounds that a verdict needs", LOOKS[0])
        }
        _ if *noise_floor >= ratio.high - 1.0 || ratio.high < 1.0 => format!(
            "{interval}, and two runs of base differed by as much as {noise}: this machine is too noisy for a threshold of {threshold}"
        ),
        _ => {
            way_out = "; raise the threshold or use a quieter machine";
            format!(
                "{interval}: the interval contains the threshold of {threshold} or reaches the noise floor of {noise}"
            )
        }
    };
    (sentence, way_out)
}

/// The count of an answer and its work.
pub(crate) fn counted(answer: &Answer) -> String {
    format!("{} solutions, {}", answer.count, figures(&answer.work))
}

fn figures(work: &BTreeMap<String, Decimal>) -> String {
    if work.is_empty() {
        return "none".to_owned();
    }
    work.iter().map(|(name, figure)| format!("{figure} {}", name.replace('_', " "))).collect::<Vec<_>>().join(", ")
}

impl GateOutcome {
    /// Sets verdict and reason of the whole from those of the workloads.
    pub(crate) fn conclude(&mut self) {
        let (all, unfinished) = (self.workloads.len(), self.unfinished.len());
        if all == 0 && unfinished == 0 {
            self.verdict = Verdict::Failed;
            self.reason = format!("there is no workload that both builds run: {}", self.skipped.join("; "));
            return;
        }
        let worst = self.workloads.iter().map(|compared| compared.verdict).max().unwrap_or(Verdict::Inconclusive);
        let mut these = self.workloads.iter().filter(|compared| compared.verdict == worst);
        let mut reason = match (worst, these.next(), these.count()) {
            (_, None, _) => "nothing was measured".to_owned(),
            (_, Some(only), _) if all == 1 => format!("{}: {}", only.workload, only.reason),
            (Verdict::Pass, ..) => {
                format!("head is not slower by {} in any of {all} workloads", percent(self.threshold))
            }
            (_, Some(first), others) => {
                format!("{} of {all} workloads: {}: {}", others + 1, first.workload, first.reason)
            }
        };
        reason += &match self.stopped {
            None => String::new(),
            Some(Stopped::Interrupted) => format!("; interrupted before {unfinished} more"),
            Some(Stopped::Budget) => format!("; the time was over before {unfinished} more: raise --budget"),
            Some(Stopped::Failed) => format!("; {unfinished} more were not tried"),
        };
        self.verdict = if unfinished == 0 { worst } else { worst.max(Verdict::Inconclusive) };
        self.reason = reason;
    }
}
