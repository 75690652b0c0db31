//! The gate's findings in words: a sentence for each workload, and a page for a pull request.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::{Compared, Outcome};
use crate::measure::record::Decimal;
use crate::measure::units::{change, percent, seconds};
use crate::measure::verdict::{Judgement, Verdict};

/// Why a workload got its verdict.
pub(super) fn reason(judgement: &Judgement, threshold: f64, rounds: usize) -> String {
    let Judgement { verdict, ratio, noise_floor, .. } = judgement;
    let interval = format!(
        "head is {} {} than base (95 % interval {} to {}, {rounds} rounds)",
        percent((ratio.value - 1.0).abs()),
        if ratio.value < 1.0 { "faster" } else { "slower" },
        change(ratio.low),
        change(ratio.high)
    );
    let (threshold, noise) = (percent(threshold), percent(*noise_floor));
    match verdict {
        Verdict::Regression => {
            format!("{interval}: all of it beyond the threshold of {threshold} and the noise floor of {noise}")
        }
        Verdict::Pass => {
            format!("{interval}: all of it below the threshold of {threshold}, with a noise floor of {noise}")
        }
        Verdict::Inconclusive if *noise_floor >= ratio.high - 1.0 || ratio.high < 1.0 => format!(
            "{interval}, and two runs of base differed by as much as {noise}: this machine is too noisy for a threshold of {threshold}"
        ),
        Verdict::Inconclusive => format!(
            "{interval}: the threshold of {threshold} lies inside it, or the noise floor of {noise} reaches it; raise the threshold or use a quieter machine"
        ),
    }
}

/// Why a workload is a regression without being timed.
pub(super) fn other_work(compared: &Compared) -> String {
    let [base, head] = &compared.work;
    format!(
        "head does other work than base ({} instead of {}): say --allow-other-work if that is meant",
        figures(head),
        figures(base)
    )
}

/// Work figures in a line.
pub(super) fn figures(work: &BTreeMap<String, Decimal>) -> String {
    if work.is_empty() {
        return "none".to_owned();
    }
    work.iter().map(|(name, figure)| format!("{figure} {}", name.replace('_', " "))).collect::<Vec<_>>().join(", ")
}

/// The verdict on all workloads, and why.
pub(super) fn overall(workloads: &[Compared], threshold: f64) -> (Verdict, String) {
    let verdict = workloads.iter().map(|compared| compared.verdict).max().unwrap_or(Verdict::Inconclusive);
    let mut these = workloads.iter().filter(|compared| compared.verdict == verdict);
    let reason = match (verdict, these.next(), these.count(), workloads.len()) {
        (_, Some(only), 0, 1) => format!("{}: {}", only.workload, only.reason),
        (Verdict::Pass, _, _, all) => format!("head is not slower by {} in any of {all} workloads", percent(threshold)),
        (_, Some(first), others, all) => {
            format!("{} of {all} workloads: {}: {}", others + 1, first.workload, first.reason)
        }
        (_, None, _, _) => "nothing was measured".to_owned(),
    };
    (verdict, reason)
}

impl Outcome {
    /// A page for a pull request: the verdict, its reason, a table.
    #[must_use]
    pub fn markdown(&self) -> String {
        let mut page = format!("### nqueens regress: {}\n\n{}\n\n", self.verdict.word(), self.reason);
        page += "| workload | verdict | base | head | head / base | 95 % interval | noise floor | rounds | work |\n";
        page += "|---|---|--:|--:|--:|--:|--:|--:|---|\n";
        for compared in &self.workloads {
            let work = if compared.work[0] == compared.work[1] { "equal" } else { "**differs**" };
            let times = compared.judgement.map_or_else(
                || " - | - | - | - | - | 0".to_owned(),
                |judgement| {
                    format!(
                        " {} | {} | {} | {} to {} | {} | {}",
                        seconds(compared.fastest(|round| round.base)),
                        seconds(compared.fastest(|round| round.head)),
                        change(judgement.ratio.value),
                        change(judgement.ratio.low),
                        change(judgement.ratio.high),
                        percent(judgement.noise_floor),
                        compared.rounds.len()
                    )
                },
            );
            let word = compared.verdict.word();
            let _ = writeln!(page, "| `{}` | {word} |{times} | {work} |", compared.workload);
        }
        for skipped in &self.skipped {
            let _ = write!(page, "\n{skipped}\n");
        }
        let _ = write!(
            page,
            "\nbase {} ({}), head {} ({}), threshold {}, on {} with {} usable CPUs.\n",
            self.base.commit,
            self.base.version,
            self.head.commit,
            self.head.version,
            percent(self.threshold),
            self.machine.cpu_model,
            self.machine.usable_cpus
        );
        page
    }
}

impl Compared {
    /// The median over the rounds of a build's times.
    fn fastest(&self, times: impl Fn(&crate::measure::verdict::Round) -> [f64; 2]) -> f64 {
        crate::measure::statistics::median(&self.rounds.iter().flat_map(times).collect::<Vec<_>>())
    }
}
