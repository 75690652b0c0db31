//! Puts the verdict on a pair of commands into words.

use crate::judge::Judgement;
use crate::measurement::{Clock, Measurement, Rules};
use crate::statistics::Estimate;
use crate::units::{change, percent, plural};
use crate::verdict::Verdict;

/// Describes the measurements, and the reason for the verdict.
pub(crate) fn reason(judgement: &Judgement, rounds: usize, rules: Rules) -> String {
    let is_faster = judgement.measurements.iter().all(|one| one.ratio.high < 1.0);
    let judged = match judgement.verdict {
        Verdict::Pass if is_faster => String::new(),
        Verdict::Pass => format!(": within the threshold of {}", percent(rules.threshold)),
        Verdict::Regression => why_slower(judgement, rules),
        _ => {
            let why = why_open(judgement, rules);
            format!(": {why}; raise --budget or --threshold, or use a quieter machine{}", way_out(judgement, rules))
        }
    };
    figures(&judgement.measurements, rounds) + &judged
}

/// Describes the measurements.
pub(crate) fn figures(measurements: &[Measurement], rounds: usize) -> String {
    let by_clock = measurements.iter().map(|measured| {
        let Estimate { value, low, high } = measured.ratio;
        format!("{} by {} time ({} to {})", speed(value), measured.clock.name(), change(low), change(high))
    });
    format!("head is {} in {}", by_clock.collect::<Vec<_>>().join(" and "), plural(rounds, "round"))
}

/// Describes a ratio of times, such as `5.1 % slower`.
fn speed(ratio: f64) -> String {
    let share = percent((ratio - 1.0).abs());
    match share.as_str() {
        "0.0 %" => "as fast as base".to_owned(),
        _ if ratio < 1.0 => share + " faster",
        _ => share + " slower",
    }
}

fn why_slower(judgement: &Judgement, rules: Rules) -> String {
    let by = &judgement.by;
    let (clock, threshold) = (by.clock.name(), percent(rules.threshold));
    let is_first_clock = judgement.measurements[0].clock == by.clock;
    let mut why = if by.is_clear {
        format!(": in each round, both runs of head took over {threshold} more {clock} time than both runs of base")
    } else {
        format!(": beyond the threshold of {threshold} and the noise of {} by {clock} time", percent(by.noise))
    };
    if !by.is_clear && by.ratio.low <= 1.0 + rules.threshold {
        why += &format!("; some runs are much slower, so the mean is {}", change(by.mean));
    } else if !is_first_clock && judgement.measurements[0].verdict == Verdict::Pass {
        why += ", but not by processor time, so head waits longer or uses fewer threads";
    }
    why + way_out(judgement, rules)
}

fn why_open(judgement: &Judgement, rules: Rules) -> String {
    let by = &judgement.by;
    let (clock, noise, threshold) = (by.clock.name(), percent(by.noise), percent(rules.threshold));
    let limit = 1.0 + rules.threshold;
    if by.ratio.low > limit {
        format!("beyond the threshold of {threshold} by {clock} time, but not beyond the noise of {noise}")
    } else if by.ratio.low > 1.0 && by.ratio.high >= limit {
        format!("by {clock} time, the slowdown may be below the threshold of {threshold}")
    } else if by.clock == Clock::Elapsed && !judgement.waits.are_alike {
        let [base, head] = judgement.waits.means;
        format!(
            "base waits {base:.1} times per run and head {head:.1} times, but elapsed time is too noisy to show what \
             that costs"
        )
    } else if by.ratio.high < limit && by.mean >= limit {
        format!("a few runs are slower, so the mean is {} by {clock} time", change(by.mean))
    } else if by.ratio.high < limit && by.fast >= limit {
        format!("the fast runs are {} by {clock} time, so other programs may hide a slowdown", speed(by.fast))
    } else {
        format!("the noise of {noise} by {clock} time may hide a slowdown of {threshold}")
    }
}

/// Returns a hint that names the option to use if only elapsed time prevents a pass.
fn way_out(judgement: &Judgement, rules: Rules) -> &'static str {
    let by_elapsed = rules.clock.is_none() && judgement.by.clock == Clock::Elapsed;
    let helps = by_elapsed && judgement.measurements[0].verdict == Verdict::Pass;
    if helps { "; with --clock processor, only processor time decides" } else { "" }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::judge;
    use crate::measurement::{Round, Run};

    /// Trap: by elapsed time, the means of equal commands differ if other programs delay a few runs.
    #[test]
    fn the_sentence_names_what_is_beyond_the_threshold_and_the_clock() {
        let run =
            |processor: f64, elapsed: f64, waits: f64| Run { times: [processor, elapsed], waits, ..Run::default() };
        let same = [run(1.0, 1.0, 0.0); 2];
        // The base may differ from itself, and the last round has a head of its own.
        let said = |noise: f64, head: [Run; 2], last: [Run; 2], clock| {
            let rules = Rules { threshold: 0.03, clock, pairs: 1 };
            let base = [run(1.0, 1.0 - noise, 0.0), run(1.0, 1.0 + noise, 0.0)];
            let mut rounds = [Round { base, head }; 15];
            rounds.iter_mut().step_by(2).for_each(|round| round.base.reverse());
            rounds[14].head = last;
            reason(&judge(&rounds, rules).unwrap(), 15, rules)
        };
        let (faster, sleeping, slower, near) = (
            [run(0.82, 0.82, 0.0); 2],
            [run(1.0, 2.0, 1.0); 2],
            [run(1.2, 1.2, 0.0); 2],
            [run(1.02, 1.02, 0.0), run(1.04, 1.04, 0.0)],
        );
        for (found, expected) in [
            (said(0.0, same, same, None), "(+0.0 % to +0.0 %) in 15 rounds: within the threshold of 3.0 %"),
            (
                said(0.0, faster, faster, None),
                "head is 18.0 % faster by processor time (-18.0 % to -18.0 %) and 18.0 % faster by elapsed time \
                 (-18.0 % to -18.0 %) in 15 rounds",
            ),
            (
                said(0.0, slower, slower, None),
                "in each round, both runs of head took over 3.0 % more processor time than both runs of base",
            ),
            (said(0.05, slower, same, None), "beyond the threshold of 3.0 % and the noise of 0.0 % by processor time"),
            (
                said(0.0, sleeping, sleeping, None),
                ", but not by processor time, so head waits longer or uses fewer threads; with --",
            ),
            (said(0.0, sleeping, sleeping, None), "; with --clock processor, only processor time decides"),
            (
                said(0.0, near, near, None),
                ": by processor time, the slowdown may be below the threshold of 3.0 %; raise",
            ),
            (
                said(0.0, sleeping, sleeping, Some(Clock::Processor)),
                "head is as fast as base by processor time (+0.0 % to +0.0 %) in",
            ),
            (said(0.1, [run(1.0, 1.0, 1.0); 2], same, None), "base waits 0.0 times per run and head 0.9 times"),
            (said(0.0, same, sleeping, None), "a few runs are slower, so the mean is +6.7 % by elapsed time"),
        ] {
            assert!(found.contains(expected), "{expected}: {found}");
        }
    }
}
