//! The result of a gate: a verdict and a reason for each workload and for the whole gate.

use std::path::Path;
use std::time::Duration;

use serde::Serialize;

use super::Settings;
use super::instructions::Instructions;
use super::protocol::Answer;
use crate::bench::WorkloadId;
use crate::bench::record::Machine;
use crate::bench::statistics::median;
use crate::bench::verdict::{Judgement, LOOKS, Round, Verdict};
use crate::machine;
use crate::terminal::units::{change, nine_digits, percent};

/// The result of a gate.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct GateOutcome {
    /// The version, 1. It changes when a reader of the old format would misread the new one.
    pub(crate) schema: u64,
    /// Always `nqueens-gate`.
    pub(crate) kind: &'static str,
    /// The worst verdict of all workloads.
    pub(crate) verdict: Verdict,
    pub(crate) reason: String,
    pub(crate) threshold: f64,
    pub(crate) seconds: f64,
    pub(crate) base: Identity,
    pub(crate) head: Identity,
    pub(crate) machine: Machine,
    pub(crate) workloads: Vec<Compared>,
}

/// A build. Version and commit are unknown if no workload was measured.
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
    #[serde(flatten)]
    pub(crate) measured: Option<Measured>,
}

/// The measurements of a workload.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Measured {
    /// The first answers of the base and of the head. Later answers have the same count and work.
    pub(crate) answers: [Answer; 2],
    /// The clock of the times.
    pub(crate) clock: Clock,
    pub(crate) judgement: Judgement,
    /// The instructions of both builds, if they were counted.
    pub(crate) instructions: Option<Instructions>,
    /// The times of each round, in seconds.
    pub(crate) rounds: Vec<Round>,
}

/// The clock that decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Clock {
    /// It stops while other programs run. Builds report it for one thread, if their system has it.
    Processor,
    Wall,
}

impl Clock {
    /// The best clock that both builds report.
    pub(crate) fn of(answers: &[Answer; 2]) -> Self {
        let has_processor_times = answers.iter().all(|answer| !answer.processor_seconds.is_empty());
        if has_processor_times { Self::Processor } else { Self::Wall }
    }

    /// The times of an answer by this clock.
    pub(crate) fn times(self, answer: &Answer) -> &[f64] {
        match self {
            Self::Processor => &answer.processor_seconds,
            Self::Wall => &answer.seconds,
        }
    }
}

impl Measured {
    /// The median of a build's times over the rounds, in seconds.
    pub(crate) fn median_seconds(&self, times: impl Fn(&Round) -> [f64; 2]) -> f64 {
        median(&self.rounds.iter().flat_map(times).collect::<Vec<_>>())
    }

    pub(crate) fn is_equal_work(&self) -> bool {
        self.answers[0].work == self.answers[1].work
    }

    /// The verdict by the times. If times cannot tell, equal instructions are a pass.
    fn judged(&self, threshold: f64) -> (Verdict, String) {
        let by_time = self.by_time(threshold);
        match (self.judgement.verdict, &self.instructions) {
            (Verdict::Inconclusive, Some(instructions)) if instructions.are_equal() && self.is_equal_work() => {
                let equal = "counts, work and instructions are equal, so head did not cause this";
                (Verdict::Pass, format!("{by_time}; but {equal}"))
            }
            (Verdict::Inconclusive, instructions) => {
                let counted =
                    instructions.as_ref().map(|counted| format!("; instructions: {}", change(counted.ratio())));
                let is_short = self.rounds.len() < LOOKS[0];
                let way_out = if is_short { "raise --budget" } else { "raise --threshold or use a quieter machine" };
                (Verdict::Inconclusive, format!("{by_time}{}; {way_out}", counted.unwrap_or_default()))
            }
            (verdict, _) => (verdict, by_time),
        }
    }

    /// Says the result of the times in words.
    fn by_time(&self, threshold: f64) -> String {
        let Judgement { verdict, ratio, noise_floor, .. } = self.judgement;
        let (threshold, noise, rounds) = (percent(threshold), percent(noise_floor), self.rounds.len());
        let judged = match verdict {
            Verdict::Regression => format!("beyond the threshold of {threshold} and the noise floor of {noise}"),
            Verdict::Pass => format!("not slower by the threshold of {threshold}; the noise floor is {noise}"),
            _ if rounds < LOOKS[0] => {
                format!("no time for the {} rounds that a verdict needs", LOOKS[0])
            }
            _ => format!("a noise floor of {noise} leaves a threshold of {threshold} open"),
        };
        format!(
            "head is {} {} than base (95 % interval {} to {}, {rounds} rounds): {judged}",
            percent((ratio.value - 1.0).abs()),
            if ratio.value < 1.0 { "faster" } else { "slower" },
            change(ratio.low),
            change(ratio.high)
        )
    }
}

impl Compared {
    /// A workload that was not measured, and why.
    pub(crate) fn not_measured(workload: &WorkloadId, verdict: Verdict, reason: String) -> Self {
        Self { workload: workload.clone(), verdict, reason, measured: None }
    }

    /// Judges a workload that was measured.
    pub(crate) fn measured(workload: &WorkloadId, measured: Measured, settings: &Settings) -> Self {
        let (mut verdict, mut reason) = measured.judged(settings.threshold);
        if !measured.is_equal_work() && !settings.allows_other_work {
            let [base, head] = measured.answers.each_ref().map(Answer::figures);
            verdict = verdict.max(Verdict::OtherWork);
            reason = format!(
                "head does different work than base ({head} instead of {base}): give --allow-other-work if you intend that; \
                 {reason}"
            );
        }
        Self { workload: workload.clone(), verdict, reason, measured: Some(measured) }
    }
}

impl GateOutcome {
    pub(crate) fn new(settings: &Settings, workloads: Vec<Compared>, time: Duration) -> Self {
        let identity = |path: &Path, build: usize| {
            let answer =
                workloads.iter().find_map(|compared| compared.measured.as_ref()).map(|one| &one.answers[build]);
            Identity {
                path: path.display().to_string(),
                version: answer.map(|answer| answer.version.clone()),
                commit: answer.map(|answer| answer.commit.clone()),
            }
        };
        let (verdict, reason) = concluded(&workloads, settings.threshold);
        Self {
            schema: 1,
            kind: "nqueens-gate",
            verdict,
            reason,
            threshold: settings.threshold,
            seconds: nine_digits(time.as_secs_f64()),
            base: identity(&settings.base, 0),
            head: identity(&settings.head, 1),
            machine: machine::facts(),
            workloads,
        }
    }
}

/// Verdict and reason of the whole: those of the worst workload.
fn concluded(workloads: &[Compared], threshold: f64) -> (Verdict, String) {
    let Some(worst) = workloads.iter().rev().max_by_key(|compared| compared.verdict) else {
        return (Verdict::Failed, "there is no workload to compare".to_owned());
    };
    let alike = workloads.iter().filter(|compared| compared.verdict == worst.verdict).count();
    let first = format!("{}: {}", worst.workload, worst.reason);
    match (worst.verdict, alike) {
        (Verdict::Skipped, _) => (Verdict::Failed, format!("there is no workload that both builds run: {first}")),
        (Verdict::Pass, 2..) => {
            (Verdict::Pass, format!("head is not slower by {} in any of {alike} workloads", percent(threshold)))
        }
        (verdict, _) if workloads.len() == 1 => (verdict, first),
        (verdict, _) => (verdict, format!("{alike} of {} workloads: {first}", workloads.len())),
    }
}
