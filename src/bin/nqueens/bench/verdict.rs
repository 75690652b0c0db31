//! The statistics of a regression gate: from timed rounds to pass, regression or inconclusive.
//!
//! A round runs the base A and the head B as A B B A, and every other round as B A A B, so that drift affects both. A
//! round has two ratios B over A. Its ratio A over A shows the noise floor: how much two runs of one program differ on
//! this machine. The exact 95 % interval of the median ratio decides:
//!
//! - *regression* if the whole interval is above both the threshold and the noise floor;
//! - *pass* if the whole interval and the noise floor are below the threshold, or if the interval plus the noise floor
//!   is: noise of 8 % does not hide that a build is 20 % faster;
//! - *inconclusive* otherwise, after the last round.
//!
//! The tests below measure how often it errs. They use the noise of a real machine (`noise.txt`) and a threshold of
//! 3 %, with 500 gates in each row:
//!
//! | other programs | head | passes | inconclusive | regressions |
//! |---|---|---|---|---|
//! | no | identical | 500 | 0 | 0 |
//! | no | 5 % slower | 0 | 0 | 500 |
//! | yes | identical | 227 | 273 | 0 |
//! | yes | 5 % slower | 0 | 231 | 269 |

use serde::Serialize;

use super::statistics::{Estimate, median_with_interval, median_with_interval_of};

/// The numbers of rounds after which to judge. After the last one, the verdict is inconclusive if it is still open.
pub(crate) const LOOKS: [usize; 5] = [8, 12, 16, 24, 32];

/// The confidence of the interval that gives the noise floor. With 0.95, the interval of eight values would be their
/// whole range.
const NOISE_CONFIDENCE: f64 = 0.9;

/// The verdict of a gate, from best to worst.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Verdict {
    /// A build does not know the workload.
    Skipped,
    /// The head is not slower, or by less than the threshold.
    Pass,
    /// The measurement cannot tell.
    Inconclusive,
    /// The head reports other work than the base, and no slowdown is known.
    #[serde(rename = "other-work")]
    OtherWork,
    /// The head is slower by more than the threshold.
    Regression,
    /// A build cannot be run, or breaks the protocol.
    Failed,
    /// A build counted wrong, so its time means nothing.
    Wrong,
}

impl Verdict {
    /// The verdict in words.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Skipped => "skipped",
            Self::Pass => "pass",
            Self::Inconclusive => "inconclusive",
            Self::OtherWork => "other work",
            Self::Regression => "regression",
            Self::Failed => "failed",
            Self::Wrong => "wrong count",
        }
    }
}

/// The times of one round, in seconds: two of the base and two of the head.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(crate) struct Round {
    pub(crate) base: [f64; 2],
    pub(crate) head: [f64; 2],
}

/// Which build to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BuildSide {
    Base,
    Head,
}

/// The order of a round.
pub(crate) fn order(round: usize) -> [BuildSide; 4] {
    use BuildSide::{Base, Head};
    if round.is_multiple_of(2) { [Base, Head, Head, Base] } else { [Head, Base, Base, Head] }
}

/// The rounds of times in the order they were taken. An incomplete last round is left out.
pub(crate) fn rounds(times: &[f64]) -> Vec<Round> {
    let (rounds, _) = times.as_chunks::<4>();
    let round = |(number, &[first, second, third, fourth]): (usize, &[f64; 4])| {
        let (outer, inner) = ([first, fourth], [second, third]);
        let [base, head] = if order(number)[0] == BuildSide::Base { [outer, inner] } else { [inner, outer] };
        Round { base, head }
    };
    rounds.iter().enumerate().map(round).collect()
}

/// The result of the rounds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(crate) struct Judgement {
    pub(crate) verdict: Verdict,
    /// Head time over base time. Above 1 the head is slower.
    pub(crate) ratio: Estimate,
    /// Base time over base time in the same rounds.
    pub(crate) base_ratio: Estimate,
    /// How far from 1 the interval of `base_ratio` reaches.
    pub(crate) noise_floor: f64,
}

/// Judges one round or more. Fewer than the first of [`LOOKS`] are inconclusive. `threshold` is the smallest slowdown
/// that is a regression, such as 0.03.
pub(crate) fn judge(rounds: &[Round], threshold: f64) -> Judgement {
    let pairs: Vec<f64> =
        rounds.iter().flat_map(|Round { base, head }| [head[0] / base[0], head[1] / base[1]]).collect();
    let same: Vec<f64> = rounds.iter().map(|Round { base, .. }| base[1] / base[0]).collect();
    let (ratio, base_ratio) = (median_with_interval(&pairs), median_with_interval_of(&same, NOISE_CONFIDENCE));
    let noise_floor = (1.0 - base_ratio.low).max(base_ratio.high - 1.0).max(0.0);
    let verdict = if rounds.len() < LOOKS[0] {
        Verdict::Inconclusive
    } else if ratio.low > 1.0 + threshold.max(noise_floor) {
        Verdict::Regression
    } else if ratio.high < 1.0 + threshold && noise_floor < threshold || ratio.high + noise_floor < 1.0 + threshold {
        Verdict::Pass
    } else {
        Verdict::Inconclusive
    };
    Judgement { verdict, ratio, base_ratio, noise_floor }
}

/// Runs one round or more until they can be judged, or until `is_late` after a round. `run` returns the seconds of one
/// build.
pub(crate) fn until_judged<E>(
    threshold: f64,
    mut is_late: impl FnMut() -> bool,
    mut run: impl FnMut(BuildSide) -> Result<f64, E>,
) -> Result<(Vec<Round>, Judgement), E> {
    let mut times = Vec::new();
    loop {
        for side in order(times.len() / 4) {
            times.push(run(side)?);
        }
        let rounds = rounds(&times);
        let is_over = is_late() || rounds.len() == LOOKS[LOOKS.len() - 1];
        if is_over || LOOKS.contains(&rounds.len()) {
            let judgement = judge(&rounds, threshold);
            if is_over || judgement.verdict != Verdict::Inconclusive {
                return Ok((rounds, judgement));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;
    use nqueens::splitmix::SplitMix64;

    /// Times of one program on a real machine, alone (`quiet`) or beside other programs (`busy`).
    fn noise(kind: &str) -> Vec<Vec<f64>> {
        let lines = include_str!("noise.txt").lines().filter_map(|line| line.strip_prefix(kind)?.strip_prefix(' '));
        lines.map(|line| line.split(' ').skip(1).map(|time| time.parse().unwrap()).collect()).collect()
    }

    /// The verdicts of `trials` gates on a head that is slower by `slowdown`. Each gate reads the recorded times in
    /// order, from a random place on.
    fn gates(kind: &str, slowdown: f64, trials: usize) -> [usize; 3] {
        let (noise, mut generator) = (noise(kind), SplitMix64::new(1));
        let mut verdicts = [0; 3];
        for trial in 0..trials {
            let times = &noise[trial % noise.len()];
            let mut at = generator.below(times.len());
            let never = || false;
            let (_, judgement) = until_judged(0.03, never, |side| {
                at = (at + 1) % times.len();
                Ok::<_, Infallible>(times[at] * if side == BuildSide::Head { 1.0 + slowdown } else { 1.0 })
            })
            .unwrap_or_else(|never| match never {});
            let place = [Verdict::Pass, Verdict::Inconclusive, Verdict::Regression];
            let verdict = judgement.verdict;
            verdicts[place.iter().position(|&known| known == verdict).unwrap()] += 1;
        }
        println!("{kind}, {slowdown}: pass {}, inconclusive {}, regression {}", verdicts[0], verdicts[1], verdicts[2]);
        verdicts
    }

    #[test]
    fn identical_builds_raise_fewer_than_1_false_alarm_in_100() {
        let [pass, _, regression] = gates("quiet", 0.0, 500);
        assert!(regression < 5 && pass > 450, "{pass} {regression}");
        let [_, _, regression] = gates("busy", 0.0, 500);
        assert_eq!(regression, 0);
    }

    #[test]
    fn a_slowdown_of_5_percent_is_found_in_more_than_95_of_100() {
        let [pass, _, regression] = gates("quiet", 0.05, 500);
        assert!(regression > 475 && pass == 0, "{pass} {regression}");
        // Beside other programs the gate may miss the slowdown, but must not pass it.
        let [pass, _, _] = gates("busy", 0.05, 500);
        assert_eq!(pass, 0);
    }

    #[test]
    fn a_speedup_passes_and_a_steady_slowdown_does_not() {
        let rounds = |ratio: f64| vec![Round { base: [1.0, 1.0], head: [ratio, ratio] }; 8];
        assert_eq!(judge(&rounds(0.5), 0.03).verdict, Verdict::Pass);
        assert_eq!(judge(&rounds(1.02), 0.03).verdict, Verdict::Pass);
        assert_eq!(judge(&rounds(1.04), 0.03).verdict, Verdict::Regression);
        assert_eq!(judge(&rounds(1.04), 0.05).verdict, Verdict::Pass);
        // If the base differs from itself by 10 %, the machine cannot show a slowdown of 4 %.
        let noisy: Vec<Round> =
            (0..8).map(|round| Round { base: [1.0, [1.1, 0.9][round % 2]], head: [1.04, 1.04] }).collect();
        assert_eq!(judge(&noisy, 0.03).verdict, Verdict::Inconclusive);
        // It can show that a build takes half the time, but not that it takes 4 % less.
        let faster = |ratio: f64| {
            let rounds = noisy.iter().map(|round| Round { head: [ratio, ratio], ..*round });
            judge(&rounds.collect::<Vec<_>>(), 0.03).verdict
        };
        assert_eq!([0.5, 0.8, 0.96].map(faster), [Verdict::Pass, Verdict::Pass, Verdict::Inconclusive]);
    }

    #[test]
    fn what_fits_the_time_is_judged_and_too_few_rounds_tell_nothing() {
        let gate = |most_rounds: usize| {
            let mut rounds = 0;
            let is_late = || {
                rounds += 1;
                rounds >= most_rounds
            };
            let (rounds, judgement) = until_judged(0.03, is_late, |_| Ok::<_, Infallible>(1.0)).unwrap();
            (rounds.len(), judgement.verdict)
        };
        assert_eq!(gate(0), (1, Verdict::Inconclusive));
        assert_eq!(gate(7), (7, Verdict::Inconclusive));
        assert_eq!(gate(1000), (8, Verdict::Pass));
    }

    #[test]
    fn every_round_runs_each_build_twice_and_the_order_turns() {
        for round in 0..4 {
            let order = order(round);
            assert_eq!(order.iter().filter(|side| **side == BuildSide::Base).count(), 2);
            assert_eq!([order[0], order[1]], [order[3], order[2]]);
            assert_ne!(order, super::order(round + 1));
        }
    }
}
