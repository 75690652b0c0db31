//! The gate's findings in words: a sentence for each workload and one for the whole.

use std::collections::BTreeMap;

use super::build::Ran;
use super::task::Task;
use super::{Compared, Stopped};
use crate::bench::record::Decimal;
use crate::bench::verdict::{Judgement, LOOKS, Verdict};
use crate::terminal::units::{change, percent};

/// Why builds that are the same pass.
pub(crate) const IDENTICAL: &str =
    "base and head are the same byte for byte, and count right: there is nothing to time (--measure-anyway does)";

/// A workload's verdict and why. Times decide where they can tell; then the processor's time, then the instructions.
pub(crate) fn judged(compared: &Compared, judgement: &Judgement, threshold: f64) -> (Verdict, String) {
    let rounds = compared.rounds.len();
    let (by_time, way_out) = by_time(judgement, rounds, threshold);
    let verdict = judgement.verdict;
    let is_open = verdict == Verdict::Inconclusive;
    let processor = compared.processor.filter(|processor| processor.verdict != Verdict::Inconclusive);
    match (processor, &compared.instructions) {
        // What the processor's time says must lie within what the wall's leaves open.
        (Some(processor), _) if is_open && leaves_open(judgement, processor.ratio.value) => {
            let reason = format!("{by_time}; the processor's time tells: by it {}", differs(&processor, rounds));
            (processor.verdict, reason)
        }
        (_, Some(_)) if is_open && compared.executes_the_same() => {
            let reason = format!(
                "{by_time}; but counts, work and instructions are equal: nothing that these times show is head's doing"
            );
            (Verdict::Pass, reason)
        }
        (Some(processor), _) if processor.verdict != verdict => {
            let reason = format!(
                "{by_time}; the processor's time disagrees: by it {}: a build waits, or other programs were in the way",
                differs(&processor, rounds)
            );
            (verdict, reason + way_out)
        }
        (_, Some(instructions)) if is_open => {
            let (change, source) = (change(instructions.ratio()), instructions.source);
            (verdict, format!("{by_time}; instructions: {change} ({source}){way_out}"))
        }
        _ => (verdict, by_time + way_out),
    }
}

/// Whether a ratio is one that a judgement does not exclude: it lies within the interval and the noise around it.
fn leaves_open(judgement: &Judgement, ratio: f64) -> bool {
    let (interval, noise) = (judgement.ratio, judgement.noise_floor);
    (interval.low - noise..=interval.high + noise).contains(&ratio)
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

/// What the times say, and what to do where they do not tell and nothing else does.
fn by_time(judgement: &Judgement, rounds: usize, threshold: f64) -> (String, &'static str) {
    let Judgement { verdict, ratio, noise_floor, .. } = judgement;
    let interval = differs(judgement, rounds);
    let (threshold, noise) = (percent(threshold), percent(*noise_floor));
    let mut way_out = "";
    let sentence = match verdict {
        Verdict::Regression => {
            format!("{interval}: all of it beyond the threshold of {threshold} and the noise floor of {noise}")
        }
        Verdict::Pass => {
            format!("{interval}: all of it below the threshold of {threshold}, with a noise floor of {noise}")
        }
        _ if rounds < LOOKS[0] => {
            way_out = "; raise --budget, or compare on fewer workloads";
            format!("{interval}: there was no time for the {} rounds that it takes to tell", LOOKS[0])
        }
        _ if *noise_floor >= ratio.high - 1.0 || ratio.high < 1.0 => format!(
            "{interval}, and two runs of base differed by as much as {noise}: this machine is too noisy for a threshold of {threshold}"
        ),
        _ => {
            way_out = "; raise the threshold or use a quieter machine";
            format!("{interval}: the threshold of {threshold} lies inside it, or the noise floor of {noise} reaches it")
        }
    };
    (sentence, way_out)
}

/// Why a workload whose times have their reason already is of other work.
pub(crate) fn other_work(compared: &Compared) -> String {
    let [base, head] = &compared.work;
    format!(
        "head does other work than base ({} instead of {}): say --allow-other-work if that is meant; {}",
        figures(head),
        figures(base),
        compared.reason
    )
}

/// A count and the work it took, in a line.
pub(crate) fn counted(ran: &Ran) -> String {
    let count = ran.count.map_or_else(String::new, |count| format!("{count} solutions, "));
    format!("{count}{}", figures(&ran.work))
}

/// Work figures in a line.
fn figures(work: &BTreeMap<String, Decimal>) -> String {
    if work.is_empty() {
        return "none".to_owned();
    }
    work.iter().map(|(name, figure)| format!("{figure} {}", name.replace('_', " "))).collect::<Vec<_>>().join(", ")
}

/// The verdict on all workloads, and why. What was not measured cannot pass, and where the time was over before anything
/// was, the gate has failed.
pub(crate) fn overall(
    workloads: &[Compared],
    unfinished: &[Task],
    skipped: &[String],
    stopped: Option<Stopped>,
    threshold: f64,
) -> (Verdict, String) {
    if workloads.is_empty() && unfinished.is_empty() {
        return (Verdict::Failed, format!("there is no workload that both builds run: {}", skipped.join("; ")));
    }
    let nothing = if stopped == Some(Stopped::Interrupted) { Verdict::Inconclusive } else { Verdict::Failed };
    let worst = workloads.iter().map(|compared| compared.verdict).max().unwrap_or(nothing);
    let verdict = if unfinished.is_empty() { worst } else { worst.max(Verdict::Inconclusive) };
    let mut these = workloads.iter().filter(|compared| compared.verdict == worst);
    let reason = match (worst, these.next(), these.count(), workloads.len()) {
        (_, Some(only), 0, 1) => format!("{}: {}", only.workload, only.reason),
        (Verdict::Pass, _, _, all) => format!("head is not slower by {} in any of {all} workloads", percent(threshold)),
        (_, Some(first), others, all) => {
            format!("{} of {all} workloads: {}: {}", others + 1, first.workload, first.reason)
        }
        (_, None, _, _) => "nothing was measured".to_owned(),
    };
    let missing = match stopped {
        _ if unfinished.is_empty() => String::new(),
        Some(Stopped::Interrupted) => format!("; interrupted before {} more", unfinished.len()),
        Some(Stopped::Budget) => format!("; the time was over before {} more: raise --budget", unfinished.len()),
        Some(Stopped::Failed) | None => format!("; {} more were not tried", unfinished.len()),
    };
    (verdict, format!("{reason}{missing}"))
}
