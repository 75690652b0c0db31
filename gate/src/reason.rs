//! The verdict on a pair of commands in words.

use crate::judge::{Clock, Judgement, Rules};
use crate::statistics::Estimate;
use crate::units::{change, percent, plural};
use crate::verdict::Verdict;

/// The measurement and its verdict in words.
pub(crate) fn reason(judgement: &Judgement, rounds: usize, rules: Rules) -> String {
    let takes = judgement.measurements.iter().map(|measured| {
        let Estimate { value, low, high } = measured.ratio;
        format!("{} {} time ({} to {})", change(value), measured.clock.name(), change(low), change(high))
    });
    let takes = takes.collect::<Vec<_>>().join(" and ");
    let judged = match judgement.verdict {
        Verdict::Pass => format!("within the threshold of {}", percent(rules.threshold)),
        Verdict::Regression => why_slower(judgement, rules),
        _ => {
            why_open(judgement, rules)
                + "; raise --budget or --threshold, or use a quieter machine"
                + way_out(judgement, rules)
        }
    };
    format!("head takes {takes} in {}: {judged}", plural(rounds, "round"))
}

fn why_slower(judgement: &Judgement, rules: Rules) -> String {
    let by = &judgement.by;
    let mut why = format!(
        "beyond the threshold of {} and the noise of {} by {} time",
        percent(rules.threshold),
        percent(by.noise),
        by.clock.name()
    );
    if by.ratio.low <= 1.0 + rules.threshold {
        why += &format!(": some runs are much slower, so that its mean is {}", change(by.mean));
    } else if by.clock != Clock::Processor && rules.clock.is_none() {
        why += ", and not by processor time: it waits longer, or uses fewer threads";
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
        format!("slower, but by {clock} time it lies on the threshold of {threshold}")
    } else if by.clock == Clock::Elapsed && !judgement.waits.are_alike {
        let [base, head] = judgement.waits.means;
        format!(
            "base waits {base:.1} times in a run and head {head:.1} times, and elapsed time is too noisy to tell what that \
             costs"
        )
    } else if by.ratio.high < limit && by.mean >= limit {
        format!("a few runs are slower, so that by {clock} time its mean is {}", change(by.mean))
    } else if by.ratio.high < limit && by.fast >= limit {
        format!("by {clock} time its fast runs take {}: other programs may hide that it is slower", change(by.fast))
    } else {
        format!("a threshold of {threshold} stays open by {clock} time with a noise of {noise}")
    }
}

/// What decides otherwise, if only elapsed time is in the way of a pass.
fn way_out(judgement: &Judgement, rules: Rules) -> &'static str {
    let by_elapsed = rules.clock.is_none() && judgement.by.clock == Clock::Elapsed;
    let is_one = by_elapsed && judgement.measurements[0].verdict == Verdict::Pass;
    if is_one { "; --clock processor decides by processor time alone" } else { "" }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::{Round, Run, judge};

    /// Trap: by elapsed time, the mean of equal commands differs if other programs stop a few runs.
    #[test]
    fn the_sentence_names_what_is_beyond_the_threshold_and_the_clock() {
        let run =
            |processor: f64, elapsed: f64, waits: f64| Run { times: [processor, elapsed], waits, ..Run::default() };
        let same = [run(1.0, 1.0, 0.0); 2];
        // The base differs from itself by 10 %, and the last round is special.
        let said = |noise: f64, head: [Run; 2], last: [Run; 2], clock| {
            let rules = Rules { threshold: 0.03, clock, confidence: 0.95 };
            let base = [run(1.0, 1.0 - noise, 0.0), run(1.0, 1.0 + noise, 0.0)];
            let mut rounds = [Round { base, head }; 15];
            rounds.iter_mut().step_by(2).for_each(|round| round.base.reverse());
            rounds[14].head = last;
            reason(&judge(&rounds, rules).unwrap(), 15, rules)
        };
        let (sleeping, slower, near) =
            ([run(1.0, 2.0, 1.0); 2], [run(1.2, 1.2, 0.0); 2], [run(1.02, 1.02, 0.0), run(1.04, 1.04, 0.0)]);
        for (found, expected) in [
            (said(0.0, same, same, None), "(+0.0 % to +0.0 %) in 15 rounds: within the threshold of 3.0 %"),
            (said(0.0, slower, slower, None), "beyond the threshold of 3.0 % and the noise of 0.0 % by processor time"),
            (said(0.0, sleeping, sleeping, None), "; --clock processor decides by processor time alone"),
            (said(0.0, near, near, None), ": slower, but by processor time it lies on the threshold of 3.0 %; raise"),
            (
                said(0.0, sleeping, sleeping, Some(Clock::Processor)),
                "head takes +0.0 % processor time (+0.0 % to +0.0 %) in",
            ),
            (said(0.1, [run(1.0, 1.0, 1.0); 2], same, None), "base waits 0.0 times in a run and head 0.9 times"),
            (said(0.0, same, sleeping, None), "a few runs are slower, so that by elapsed time its mean is +6.7 %"),
        ] {
            assert!(found.contains(expected), "{expected}: {found}");
        }
    }
}
