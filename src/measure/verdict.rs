//! The statistics of a regression gate: from timed rounds to pass, regression or inconclusive.
//!
//! A round runs the base build A and the candidate B as A B B A, every other round as B A A B, so that whatever drifts
//! drifts over both. It gives two paired ratios, B over A, and one of A over A, which shows what this machine does to two
//! runs of one and the same program: the noise floor. The judgement rests on the bootstrapped 95 % interval of the median
//! ratio:
//!
//! - *regression* where the whole interval lies beyond both the threshold and the noise floor;
//! - *pass* where the whole interval lies below the threshold, and the noise floor too;
//! - *inconclusive* otherwise, after as many rounds as are allowed.
//!
//! How often it errs is measured by the tests below, on synthetic samples with the noise of a real machine.

use serde::Serialize;

use super::statistics::{Estimate, median_with_interval};

/// Rounds after which a judgement is tried; where the last of them leaves it open, it stays open.
pub const LOOKS: [usize; 5] = [8, 12, 16, 24, 32];

/// What a gate says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The candidate is not slower by the threshold.
    Pass,
    /// The measurement cannot tell.
    Inconclusive,
    /// The candidate is slower by more than the threshold.
    Regression,
}

impl Verdict {
    /// The word for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Inconclusive => "inconclusive",
            Self::Regression => "regression",
        }
    }
}

/// One round's times, in seconds: the base and the candidate, twice each.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Round {
    /// The base, in the order it ran.
    pub base: [f64; 2],
    /// The candidate, in the order it ran.
    pub head: [f64; 2],
}

/// Which build to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The build compared against.
    Base,
    /// The candidate.
    Head,
}

/// The order of a round.
#[must_use]
pub fn order(round: usize) -> [Side; 4] {
    use Side::{Base, Head};
    if round.is_multiple_of(2) { [Base, Head, Head, Base] } else { [Head, Base, Base, Head] }
}

/// What the rounds say.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Judgement {
    /// The verdict.
    pub verdict: Verdict,
    /// Candidate time over base time: above 1 it is slower.
    pub ratio: Estimate,
    /// Base time over base time in the same rounds.
    pub base_ratio: Estimate,
    /// The noise floor: how far from 1 the interval of [`Judgement::base_ratio`] reaches.
    pub noise_floor: f64,
}

/// Judges rounds, of which there is at least one; `threshold` is the slowdown that is too much, such as 0.03.
#[must_use]
pub fn judge(rounds: &[Round], threshold: f64) -> Judgement {
    let pairs: Vec<f64> =
        rounds.iter().flat_map(|Round { base, head }| [head[0] / base[0], head[1] / base[1]]).collect();
    let same: Vec<f64> = rounds.iter().map(|Round { base, .. }| base[1] / base[0]).collect();
    let (ratio, base_ratio) = (median_with_interval(&pairs), median_with_interval(&same));
    let noise_floor = (1.0 - base_ratio.low).max(base_ratio.high - 1.0).max(0.0);
    let verdict = if ratio.low > 1.0 + threshold.max(noise_floor) {
        Verdict::Regression
    } else if ratio.high < 1.0 + threshold && noise_floor < threshold {
        Verdict::Pass
    } else {
        Verdict::Inconclusive
    };
    Judgement { verdict, ratio, base_ratio, noise_floor }
}

/// Runs rounds until they can be judged, `run` giving the time of one build.
///
/// # Errors
/// The first error of `run`.
pub fn until_judged<E>(
    threshold: f64,
    mut run: impl FnMut(Side) -> Result<f64, E>,
) -> Result<(Vec<Round>, Judgement), E> {
    let mut rounds = Vec::new();
    let last = LOOKS[LOOKS.len() - 1];
    loop {
        let (mut base, mut head) = (Vec::with_capacity(2), Vec::with_capacity(2));
        for side in order(rounds.len()) {
            match side {
                Side::Base => base.push(run(side)?),
                Side::Head => head.push(run(side)?),
            }
        }
        rounds.push(Round { base: [base[0], base[1]], head: [head[0], head[1]] });
        if LOOKS.contains(&rounds.len()) {
            let judgement = judge(&rounds, threshold);
            if judgement.verdict != Verdict::Inconclusive || rounds.len() >= last {
                return Ok((rounds, judgement));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::super::statistics::Generator;
    use super::*;

    /// What a machine does to a time. All of it is multiplied, and none of it is ever negative.
    #[derive(Clone, Copy)]
    struct Noise {
        /// Standard deviation of the logarithm of a time.
        spread: f64,
        /// The same for the step of a random walk between one process and the next: drift.
        drift: f64,
        /// How often another program is in the way for a whole process, and how much it adds on average.
        disturbed: f64,
        disturbance: f64,
    }

    /// The quiet two-core virtual machine of README's table: `nqueens regress --json` on two copies of one build.
    const QUIET: Noise = Noise { spread: 0.006, drift: 0.002, disturbed: 0.02, disturbance: 0.05 };

    /// The same machine while others build on it.
    const BUSY: Noise = Noise { spread: 0.03, drift: 0.005, disturbed: 0.2, disturbance: 0.3 };

    fn normal(generator: &mut Generator) -> f64 {
        let (radius, angle) = ((-2.0 * (1.0 - generator.unit()).ln()).sqrt(), std::f64::consts::TAU * generator.unit());
        radius * angle.cos()
    }

    /// The verdicts of a hundredfold of gates on a candidate that is so much slower.
    fn gates(noise: Noise, slowdown: f64, trials: u64) -> [usize; 3] {
        let mut verdicts = [0; 3];
        for trial in 0..trials {
            let mut generator = Generator::new(trial);
            let mut level = 0.0;
            let (_, judgement) = until_judged(0.03, |side| {
                level += noise.drift * normal(&mut generator);
                let mut time = (level + noise.spread * normal(&mut generator)).exp();
                if generator.unit() < noise.disturbed {
                    time *= 1.0 - noise.disturbance * (1.0 - generator.unit()).ln();
                }
                Ok::<f64, Infallible>(if side == Side::Head { time * (1.0 + slowdown) } else { time })
            })
            .unwrap_or_else(|never| match never {});
            verdicts[judgement.verdict as usize] += 1;
        }
        verdicts
    }

    #[test]
    fn identical_builds_raise_fewer_than_1_false_alarm_in_100() {
        let [pass, inconclusive, regression] = gates(QUIET, 0.0, 1000);
        println!("quiet, identical: pass {pass}, inconclusive {inconclusive}, regression {regression}");
        assert!(regression < 10 && pass > 990, "{pass} {inconclusive} {regression}");
        let [pass, inconclusive, regression] = gates(BUSY, 0.0, 300);
        println!("busy, identical: pass {pass}, inconclusive {inconclusive}, regression {regression}");
        assert!(regression < 3, "{pass} {inconclusive} {regression}");
    }

    #[test]
    fn a_slowdown_of_5_percent_is_found_in_more_than_95_of_100() {
        let [pass, inconclusive, regression] = gates(QUIET, 0.05, 1000);
        println!("quiet, 5 % slower: pass {pass}, inconclusive {inconclusive}, regression {regression}");
        assert!(regression > 950, "{pass} {inconclusive} {regression}");
        // Where others are at work it may not be found, but it must not pass.
        let [pass, inconclusive, regression] = gates(BUSY, 0.05, 300);
        println!("busy, 5 % slower: pass {pass}, inconclusive {inconclusive}, regression {regression}");
        assert!(pass < 15, "{pass} {inconclusive} {regression}");
    }

    #[test]
    fn a_speedup_passes_and_a_steady_slowdown_does_not() {
        let rounds = |ratio: f64| vec![Round { base: [1.0, 1.0], head: [ratio, ratio] }; 8];
        assert_eq!(judge(&rounds(0.5), 0.03).verdict, Verdict::Pass);
        assert_eq!(judge(&rounds(1.02), 0.03).verdict, Verdict::Pass);
        assert_eq!(judge(&rounds(1.04), 0.03).verdict, Verdict::Regression);
        assert_eq!(judge(&rounds(1.04), 0.05).verdict, Verdict::Pass);
        // A machine on which base differs from itself by 10 % cannot show 4 %.
        let noisy: Vec<Round> =
            (0..8).map(|round| Round { base: [1.0, [1.1, 0.9][round % 2]], head: [1.04, 1.04] }).collect();
        assert_eq!(judge(&noisy, 0.03).verdict, Verdict::Inconclusive);
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
