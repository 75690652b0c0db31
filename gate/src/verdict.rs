//! The statistics of the gate: from timed rounds to pass, regression or inconclusive.
//!
//! A round runs the base A and the head B as A B B A, and every other round as B A A B, so that drift affects both. A
//! round has two ratios B over A. Its ratio A over A shows the noise: how much two runs of one command differ on this
//! machine. The exact 95 % interval of the median ratio decides, after at least [`FEWEST_ROUNDS`]:
//!
//! - *regression* if the whole interval is above both the threshold and the noise;
//! - *pass* if the whole interval and the noise are below the threshold, or if the interval plus the noise is: noise of
//!   8 % does not hide that the head is 20 % faster;
//! - *inconclusive* otherwise, when the time is over.
//!
//! The tests below measure how often it errs. They use the noise of a real machine (`noise.txt`), a threshold of 3 %
//! and at most 32 rounds, with 500 gates in each row:
//!
//! | other programs | head | passes | inconclusive | regressions |
//! |---|---|---|---|---|
//! | no | identical | 500 | 0 | 0 |
//! | no | 5 % slower | 0 | 0 | 500 |
//! | yes | identical | 223 | 277 | 0 |
//! | yes | 5 % slower | 0 | 226 | 274 |

use crate::statistics::Estimate;

/// No verdict comes from fewer rounds.
pub(crate) const FEWEST_ROUNDS: usize = 8;

/// The confidence of the interval that gives the noise. With 0.95, the interval of eight values would be their whole
/// range.
const NOISE_CONFIDENCE: f64 = 0.9;

/// The verdict of a gate, from best to worst. Those from `Noise` to `ProbablySlower` are inconclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Verdict {
    /// The head is not slower, or by less than the threshold.
    Pass,
    /// The times differ too much from run to run.
    Noise,
    /// There are fewer rounds than [`FEWEST_ROUNDS`].
    NotMeasured,
    /// The commands use little processor time, which is what is judged.
    MostlyWaits,
    /// The whole interval is above the threshold, but not above the noise.
    ProbablySlower,
    /// The head is slower by more than the threshold.
    Regression,
    /// The head cannot be run, fails, takes too long or prints something else than the base.
    Failed,
}

impl Verdict {
    /// The verdict in JSON.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Noise => "noise",
            Self::NotMeasured => "not-measured",
            Self::MostlyWaits => "mostly-waits",
            Self::ProbablySlower => "probably-slower",
            Self::Regression => "regression",
            Self::Failed => "failed",
        }
    }

    /// The verdict in words.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Noise | Self::NotMeasured | Self::MostlyWaits => "inconclusive",
            Self::ProbablySlower => "inconclusive, probably slower",
            Self::Regression => "regression",
            Self::Failed => "failed",
        }
    }
}

/// The times of one round, in seconds: two of the base and two of the head, in the order they were taken.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Round {
    pub(crate) base: [f64; 2],
    pub(crate) head: [f64; 2],
}

/// Which command to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Base,
    Head,
}

/// The order of a round.
pub(crate) fn order(round: usize) -> [Side; 4] {
    use Side::{Base, Head};
    if round.is_multiple_of(2) { [Base, Head, Head, Base] } else { [Head, Base, Base, Head] }
}

/// The result of the rounds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Judgement {
    pub(crate) verdict: Verdict,
    /// Head time over base time. Above 1 the head is slower.
    pub(crate) ratio: Estimate,
    /// By how much one run of the base is slower than another: how far from 1 the interval of their ratio reaches.
    pub(crate) noise: f64,
}

/// Judges the rounds. `threshold` is the smallest slowdown that is a regression, such as 0.03. `None` if there are too
/// few rounds.
pub(crate) fn judge(rounds: &[Round], threshold: f64) -> Option<Judgement> {
    if rounds.len() < FEWEST_ROUNDS {
        return None;
    }
    let pairs: Vec<f64> =
        rounds.iter().flat_map(|Round { base, head }| [head[0] / base[0], head[1] / base[1]]).collect();
    let same: Vec<f64> = rounds.iter().map(|Round { base, .. }| base[1] / base[0]).collect();
    let (ratio, same) = (Estimate::of_median(&pairs), Estimate::of_median_with(&same, NOISE_CONFIDENCE));
    let noise = same.high.max(1.0 / same.low) - 1.0;
    let limit = 1.0 + threshold;
    let verdict = if ratio.low > limit.max(1.0 + noise) {
        Verdict::Regression
    } else if ratio.high < limit && noise < threshold || ratio.high + noise < limit {
        Verdict::Pass
    } else if ratio.low > limit {
        Verdict::ProbablySlower
    } else {
        Verdict::Noise
    };
    Some(Judgement { verdict, ratio, noise })
}

/// Runs one round or more, until a verdict is pass or regression, or until `is_late` after a round. `run` returns the
/// seconds of one run.
pub(crate) fn until_judged<E>(
    threshold: f64,
    mut is_late: impl FnMut() -> bool,
    mut run: impl FnMut(Side) -> Result<f64, E>,
) -> Result<(Vec<Round>, Option<Judgement>), E> {
    // The number of rounds after which to judge next. It grows by half: each look is a chance to err.
    let (mut rounds, mut look) = (Vec::new(), FEWEST_ROUNDS);
    loop {
        let mut round = Round::default();
        for (at, side) in order(rounds.len()).into_iter().enumerate() {
            let times = if side == Side::Base { &mut round.base } else { &mut round.head };
            times[at / 2] = run(side)?;
        }
        rounds.push(round);
        let is_over = is_late();
        if is_over || rounds.len() == look {
            let judgement = judge(&rounds, threshold);
            let is_judged = judgement.is_some_and(|it| matches!(it.verdict, Verdict::Pass | Verdict::Regression));
            if is_over || is_judged {
                return Ok((rounds, judgement));
            }
            look += look / 2;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;

    /// Times of one program on a real machine, alone (`quiet`) or beside other programs (`busy`).
    fn noise(kind: &str) -> Vec<Vec<f64>> {
        let lines = include_str!("noise.txt").lines().filter_map(|line| line.strip_prefix(kind)?.strip_prefix(' '));
        lines.map(|line| line.split(' ').skip(1).map(|time| time.parse().unwrap()).collect()).collect()
    }

    /// The verdicts of `trials` gates of up to 32 rounds on a head that is slower by `slowdown`. Each gate reads the
    /// recorded times in order, from a random place on.
    fn gates(kind: &str, slowdown: f64, trials: usize) -> [usize; 3] {
        let (noise, mut generator) = (noise(kind), fastrand::Rng::with_seed(1));
        let mut verdicts = [0; 3];
        for trial in 0..trials {
            let times = &noise[trial % noise.len()];
            let mut at = generator.usize(..times.len());
            let mut rounds = 0;
            let is_late = || {
                rounds += 1;
                rounds == 32
            };
            let (_, judgement) = until_judged(0.03, is_late, |side| {
                at = (at + 1) % times.len();
                Ok::<_, Infallible>(times[at] * if side == Side::Head { 1.0 + slowdown } else { 1.0 })
            })
            .unwrap_or_else(|never| match never {});
            verdicts[match judgement.unwrap().verdict {
                Verdict::Pass => 0,
                Verdict::Regression => 2,
                _ => 1,
            }] += 1;
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
        let verdict = |rounds: &[Round], threshold| judge(rounds, threshold).unwrap().verdict;
        assert_eq!(verdict(&rounds(0.5), 0.03), Verdict::Pass);
        assert_eq!(verdict(&rounds(1.02), 0.03), Verdict::Pass);
        assert_eq!(verdict(&rounds(1.04), 0.03), Verdict::Regression);
        assert_eq!(verdict(&rounds(1.04), 0.05), Verdict::Pass);
        assert_eq!(judge(&rounds(2.0)[..7], 0.03), None);
        // The base differs from itself by 10 %: a slowdown of 4 % is only probable, and 2 % can be anything.
        let noisy = |ratio: f64| {
            let round = |number: usize| Round {
                base: [1.0, [1.1, 0.9][number % 2]],
                head: [ratio, [1.1, 0.9][number % 2] * ratio],
            };
            verdict(&(0..8).map(round).collect::<Vec<_>>(), 0.03)
        };
        assert_eq!(noisy(1.04), Verdict::ProbablySlower);
        assert_eq!(noisy(1.02), Verdict::Noise);
        assert_eq!(noisy(1.12), Verdict::Regression);
        // It can show that the head takes half the time, but not that it takes 4 % less.
        assert_eq!([0.5, 0.8, 0.96].map(noisy), [Verdict::Pass, Verdict::Pass, Verdict::Noise]);
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
            (rounds.len(), judgement.map(|found| found.verdict))
        };
        assert_eq!(gate(0), (1, None));
        assert_eq!(gate(7), (7, None));
        assert_eq!(gate(1000), (8, Some(Verdict::Pass)));
    }

    #[test]
    fn every_round_runs_each_build_twice_and_the_order_turns() {
        for round in 0..4 {
            let order = order(round);
            assert_eq!(order.iter().filter(|side| **side == Side::Base).count(), 2);
            assert_eq!([order[0], order[1]], [order[3], order[2]]);
            assert_ne!(order, super::order(round + 1));
        }
    }
}
