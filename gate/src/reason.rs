//! Puts the verdict on a pair of commands into words.

use crate::clock::Clock;
use crate::judge::Judgment;
use crate::measurement::{Finding, Measurement};
use crate::statistics::Estimate;
use crate::units::{change, percent, plural};
use crate::verdict::{Outcome, Verdict};

/// Below this share of processor time in elapsed time, a command mostly waits.
const MOSTLY_WAITS: f64 = 0.1;

impl Judgment {
    /// Returns the verdict with its reason: the measurements that decide, and why they do.
    pub(crate) fn outcome(&self) -> Outcome {
        let why = match (self.verdict, self.deciding().finding) {
            (_, Finding::Slower { is_clear }) => self.why_slower(is_clear) + &self.way_out(),
            (Verdict::Pass, _) => self.why_not_slower(),
            _ => {
                let why = self.why_open();
                format!(": {why}; raise --budget or --threshold, or use a quieter machine{}", self.way_out())
            }
        };
        let mut reason = figures(&self.measurements, self.rounds) + &why;
        for one in self.measurements.iter().filter(|one| !one.decides && matches!(one.finding, Finding::Slower { .. }))
        {
            let clock = one.clock.name();
            let slower = speed(one.ratio.value.max(one.mean));
            reason += &format!("; by {clock} time, which --clock does not judge, head is {slower}");
        }
        Outcome { verdict: self.verdict, reason }
    }

    fn why_not_slower(&self) -> String {
        let by = self.deciding();
        let threshold = percent(self.rules.threshold);
        if by.finding == Finding::Open {
            return format!(
                ": within the threshold of {threshold} by processor time; elapsed time is too noisy to show that, but \
                 head waits as often as base ({:.1} times per run), and its fast runs are {}",
                self.trust.waits[1],
                speed(by.fast)
            );
        }
        let is_faster = self.measurements.iter().all(|one| !one.decides || one.ratio.high < 1.0);
        if is_faster { String::new() } else { format!(": within the threshold of {threshold}") }
    }

    fn why_slower(&self, is_clear: bool) -> String {
        let by = self.deciding();
        let clock = by.clock.name();
        let threshold = percent(self.rules.threshold);
        let why = if is_clear {
            format!("in each round, both runs of head took over {threshold} more {clock} time than both runs of base")
        } else {
            format!("beyond the threshold of {threshold} and the noise of {} by {clock} time", percent(by.noise))
        };
        let [processor, _] = &self.measurements;
        // A median beyond the threshold proves it as well, unless the noise hides it.
        let some_runs_decide = !is_clear && by.ratio.low <= 1.0 + self.rules.threshold;
        let more = if some_runs_decide {
            format!("; some runs are much slower, so the mean is {}", change(by.mean))
        } else if by.clock == Clock::Elapsed && processor.finding == Finding::NotSlower {
            ", but not by processor time, so head waits longer or uses fewer threads".to_owned()
        } else {
            String::new()
        };
        format!(": {why}{more}")
    }

    fn why_open(&self) -> String {
        let by = self.deciding();
        let clock = by.clock.name();
        let noise = percent(by.noise);
        let threshold = percent(self.rules.threshold);
        let limit = 1.0 + self.rules.threshold;
        if by.ratio.low > limit {
            format!("beyond the threshold of {threshold} by {clock} time, but not beyond the noise of {noise}")
        } else if by.ratio.low > 1.0 && by.ratio.high >= limit {
            format!("by {clock} time, the slowdown may be below the threshold of {threshold}")
        } else if by.clock == Clock::Elapsed && !self.trust.wait_alike {
            let [base, head] = self.trust.waits;
            format!(
                "base waits {base:.1} times per run and head {head:.1} times, but elapsed time is too noisy to show \
                 what that costs"
            )
        } else if by.ratio.high < limit && by.mean >= limit {
            format!("a few runs are slower, so the mean is {} by {clock} time", change(by.mean))
        } else if by.ratio.high < limit && by.fast >= limit {
            format!("the fast runs are {} by {clock} time, so other programs may hide a slowdown", speed(by.fast))
        } else {
            format!("the noise of {noise} by {clock} time may hide a slowdown of {threshold}")
        }
    }

    /// Returns a hint that names the clock to use if the other one prevents a pass.
    fn way_out(&self) -> String {
        let [processor, elapsed] = &self.measurements;
        let used = processor.base / elapsed.base;
        match self.deciding().clock {
            Clock::Elapsed if self.rules.clock.is_none() && processor.finding == Finding::NotSlower => {
                "; with --clock processor, only processor time decides".to_owned()
            }
            Clock::Processor if processor.finding == Finding::Open && used < MOSTLY_WAITS => {
                format!(
                    "; base uses the processor for {} of its time, so --clock elapsed suits it better",
                    percent(used)
                )
            }
            _ => String::new(),
        }
    }
}

/// Returns the outcome of a pair that gets no verdict because of `why`.
pub(crate) fn not_measured(measurements: Option<&[Measurement; 2]>, rounds: usize, why: &str) -> Outcome {
    let reason = match measurements {
        None => why.to_owned(),
        Some(measurements) => format!("{why}; so far, {}", figures(measurements, rounds)),
    };
    Outcome { verdict: Verdict::NotMeasured, reason }
}

/// Describes the measurements that decide.
fn figures(measurements: &[Measurement], rounds: usize) -> String {
    let by_clock = measurements.iter().filter(|one| one.decides).map(|measured| {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::judge;
    use crate::measurement::{Rules, measure};
    use crate::rounds::{Round, Run};

    /// Trap: by elapsed time, the means of equal commands differ if other programs delay a few runs.
    #[test]
    fn the_sentence_names_what_is_beyond_the_threshold_and_the_clock() {
        let run =
            |processor: f64, elapsed: f64, waits: u64| Run { times: [processor, elapsed], waits, ..Run::default() };
        let same = [run(1.0, 1.0, 0); 2];
        // The base may differ from itself, and the last round has a head of its own.
        let said = |noise: f64, head: [Run; 2], last: [Run; 2], clock| {
            let rules = Rules { threshold: 0.03, clock, pairs: 1 };
            let base = [run(1.0, 1.0 - noise, 0), run(1.0, 1.0 + noise, 0)];
            let mut rounds = [Round { base, head }; 15];
            rounds.iter_mut().step_by(2).for_each(|round| round.base.reverse());
            rounds[14].head = last;
            judge(&rounds, rules).unwrap().outcome().reason
        };
        let (faster, sleeping, slower, near) = (
            [run(0.82, 0.82, 0); 2],
            [run(1.0, 2.0, 1); 2],
            [run(1.2, 1.2, 0); 2],
            [run(1.02, 1.02, 0), run(1.04, 1.04, 0)],
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
                "head is as fast as base by processor time (+0.0 % to +0.0 %) in 15 rounds: within the threshold of \
                 3.0 %; by elapsed time, which --clock does not judge, head is 100.0 % slower",
            ),
            (
                said(0.1, [run(1.0, 0.9, 0), run(1.0, 1.1, 0)], same, None),
                ": within the threshold of 3.0 % by processor time; elapsed time is too noisy to show that, but head \
                 waits as often as base (0.0 times per run), and its fast runs are as fast as base",
            ),
            (said(0.1, [run(1.0, 1.0, 1); 2], same, None), "base waits 0.0 times per run and head 0.9 times"),
            (said(0.0, same, sleeping, None), "a few runs are slower, so the mean is +6.7 % by elapsed time"),
        ] {
            assert!(found.contains(expected), "{expected}: {found}");
        }
        let sides = [[run(0.01, 1.0, 1), run(0.02, 1.0, 1)], [run(0.02, 1.0, 1), run(0.01, 1.0, 1)]];
        let rounds: Vec<_> = (0..15).map(|at| Round { base: sides[at % 2], head: sides[at / 2 % 2] }).collect();
        let rules = Rules { threshold: 0.03, clock: Some(Clock::Processor), pairs: 1 };
        let found = judge(&rounds, rules).unwrap().outcome().reason;
        assert!(found.ends_with("base uses the processor for 1.5 % of its time, so --clock elapsed suits it better"));
    }

    /// Trap: after many rounds, an interruption is not a lack of rounds.
    #[test]
    fn what_ends_a_pair_without_a_verdict_precedes_its_figures() {
        let same = [Run { times: [1.0; 2], ..Run::default() }; 2];
        let rounds = [Round { base: same, head: same }; 80];
        let measurements = measure(&rounds, Rules { threshold: 0.03, clock: None, pairs: 1 });
        let said = not_measured(Some(&measurements), rounds.len(), "the gate was interrupted").reason;
        let figures = "the gate was interrupted; so far, head is as fast as base by processor time (+0.0 % to +0.0 %)";
        assert!(said.starts_with(figures) && said.ends_with(" in 80 rounds"), "{said}");
        assert_eq!(not_measured(None, 0, "the gate was interrupted").reason, "the gate was interrupted");
    }

    #[test]
    fn a_clock_that_does_not_decide_is_mentioned_after_few_rounds_as_well() {
        let run = |processor: f64| Run { times: [processor, 2.0], ..Run::default() };
        let base = [Run { times: [1.0; 2], ..Run::default() }; 2];
        let mut rounds = [Round { base, head: [run(2.0); 2] }; 5];
        // By processor time, this round is not clear.
        rounds[2].head[0] = run(1.0);
        let rules = Rules { threshold: 0.03, clock: Some(Clock::Elapsed), pairs: 1 };
        let found = judge(&rounds, rules).unwrap().outcome().reason;
        let expected = "; by processor time, which --clock does not judge, head is 100.0 % slower";
        assert!(found.ends_with(expected), "{found}");
        assert_eq!(judge(&rounds, Rules { clock: Some(Clock::Processor), ..rules }), None);
    }

    /// Trap: the noise hides the difference of the medians, so the means prove it, but all runs of the head are equal.
    #[test]
    fn no_runs_are_called_slower_than_others_if_the_median_is_beyond_the_threshold() {
        let run = |elapsed: f64| Run { times: [1.0, elapsed], ..Run::default() };
        let mut rounds = [Round { base: [run(1.0), run(1.06)], head: [run(1.12); 2] }; 15];
        // This round is not clear.
        rounds[2].base[1] = run(1.09);
        let judgment = judge(&rounds, Rules { threshold: 0.03, clock: None, pairs: 1 }).unwrap();
        let by = judgment.deciding();
        let median_is_slower = by.ratio.low > 1.0 + by.noise;
        assert_eq!((by.finding, median_is_slower), (Finding::Slower { is_clear: false }, false));
        let found = judgment.outcome().reason;
        let expected = "beyond the threshold of 3.0 % and the noise of 6.0 % by elapsed time, but not by processor \
                        time, so head waits longer";
        assert!(found.contains(expected), "{found}");
    }
}
