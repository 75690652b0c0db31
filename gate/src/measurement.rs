//! Measures the rounds by one clock, and decides whether the head is slower or not slower, or leaves that open.
//!
//! A round runs base, head, head, base, and every other round head, base, base, head, so that drift affects both alike.
//! Each run has a time by each [`Clock`]. By one clock, a round gives two ratios of the head to the base, and one ratio
//! of the base to itself, which shows the noise: how much two runs of the same command differ on this machine. The head
//! is
//!
//! - *slower* if the whole interval of the median ratio, or of the ratio of means, lies above both the threshold and
//!   the noise. The means leave out the slowest of 32 runs, and catch a head that is slow in only a quarter of its
//!   runs. The head is also slower if every round is *clear*, which means that both runs of the head take longer than
//!   both runs of the base, by more than the threshold. Where everything else takes fifteen rounds, five clear rounds
//!   are enough for up to three pairs, and a few more for more pairs;
//! - *not slower* if the median's interval, shifted up by how far the median ratio of the base to itself is from 1, is
//!   below the threshold, and so are the ratio of means and the ratio of fast runs. Other programs only add time, so
//!   fast runs show a slowdown that the other runs hide. The fastest of 20 is left out;
//! - *open* otherwise.

use serde::Serialize;

use crate::clock::Clock;
use crate::rounds::{Round, Run, ascending};
use crate::statistics::{Estimate, Mean, quantile};

/// The minimum number of rounds for a verdict, unless all are clear. With 10, a head that is slow in a quarter of its
/// runs would pass in 3 of 1000 gates, because all of its 20 runs may be fast. With 15, it passes in 2 of 10 000.
pub(crate) const FEWEST_ROUNDS: usize = 15;

/// The confidence of the interval that gives the noise. With 0.95, the gate would find a third fewer slowdowns of 5 %
/// on a busy machine.
const NOISE_CONFIDENCE: f64 = 0.9;

/// One run in this many is left out: the fastest, so that a single lucky run of the base decides nothing.
pub(crate) const FASTEST_OF: usize = 20;

/// One run in this many is left out: the slowest. With 20, a head that is slow in a quarter of its runs would pass in 2
/// of 1000 gates.
const SLOWEST_OF: usize = 32;

/// The half-width of the interval of a mean, in standard errors. It is more than 2, because the mean of few runs is not
/// normally distributed.
pub(crate) const HALF_WIDTH_IN_STANDARD_ERRORS: f64 = 3.0;

/// The probability that a round of two equal commands is clear. Its four times come in six orders of base and head,
/// which are equally frequent whatever other programs do, and in one of them both times of the head are the longest.
const CLEAR_BY_CHANCE: f64 = 1.0 / 6.0;

/// How often a gate of equal commands may end with a regression because all rounds are clear: a fifth of the 1 in 200
/// that is allowed for all rules together.
const FALSE_CLEAR: f64 = 0.001;

/// Returns ascending values without the slowest, one in every [`SLOWEST_OF`].
pub(crate) fn but_the_slowest(values: &[f64]) -> &[f64] {
    &values[..values.len() - values.len() / SLOWEST_OF]
}

/// The rules of a gate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Rules {
    /// The smallest slowdown that is a regression, such as 0.03.
    pub(crate) threshold: f64,
    /// The only clock that decides, if there is one.
    pub(crate) clock: Option<Clock>,
    /// The number of pairs that the gate judges. The more there are, the surer each verdict has to be.
    pub(crate) pairs: usize,
}

impl Rules {
    /// Returns the confidence of each interval, such that all of them together have 95 %.
    fn confidence(self) -> f64 {
        1.0 - 0.05 / self.pairs as f64
    }

    /// Returns the number of clear rounds that prove a regression.
    pub(crate) fn clear_rounds(self) -> usize {
        let chance = FALSE_CLEAR / (Clock::ALL.len() * self.pairs) as f64;
        (chance.log(CLEAR_BY_CHANCE).ceil() as usize).min(FEWEST_ROUNDS)
    }
}

/// What the rounds show by one clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Finding {
    /// With fewer than [`FEWEST_ROUNDS`], this is proved only if each round is clear.
    Slower {
        is_clear: bool,
    },
    NotSlower,
    Open,
}

/// The result of all rounds by one clock.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(crate) struct Measurement {
    pub(crate) clock: Clock,
    /// Whether this clock contributes to the verdict.
    pub(crate) decides: bool,
    #[serde(skip)]
    pub(crate) finding: Finding,
    /// The median time of a run of the base in seconds.
    pub(crate) base: f64,
    /// The median time of a run of the head in seconds.
    pub(crate) head: f64,
    /// Time of the head over time of the base. Above 1, the head is slower.
    pub(crate) ratio: Estimate,
    /// Mean of the head over mean of the base, both without the slowest runs.
    pub(crate) mean: f64,
    /// A fast run of the head over a fast run of the base.
    pub(crate) fast: f64,
    /// How far the interval of the ratio of two runs of the base reaches from 1.
    pub(crate) noise: f64,
}

impl Measurement {
    /// Measures at least one round by a clock.
    fn of(rounds: &[Round], clock: Clock, rules: Rules) -> Self {
        let limit = 1.0 + rules.threshold;
        let time = |run: &Run| run.time(clock);
        let ratios = |round: &Round| [0, 1].map(|at| time(&round.head[at]) / time(&round.base[at]));
        let ratio = Estimate::of_median(rounds.iter().flat_map(ratios).collect(), rules.confidence());
        let again = |round: &Round| time(&round.base[1]) / time(&round.base[0]);
        let same = Estimate::of_median(rounds.iter().map(again).collect(), NOISE_CONFIDENCE);
        let noise = same.high.max(1.0 / same.low) - 1.0;
        let [base_times, head_times] = ascending(rounds, time);
        let [base_mean, head_mean] = [&base_times, &head_times].map(|times| Mean::of(but_the_slowest(times)));
        let mean = head_mean.value / base_mean.value;
        let mean_error = (base_mean.error / base_mean.value).hypot(head_mean.error / head_mean.value);
        let fastest_kept = base_times.len() / FASTEST_OF;
        let fast = head_times[fastest_kept] / base_times[fastest_kept];

        let is_clear = rounds.len() >= rules.clear_rounds() && rounds.iter().all(|round| round.is_clear(clock, limit));
        let beyond = limit.max(1.0 + noise);
        let median_is_slower = ratio.low > beyond;
        let mean_is_slower = mean * (1.0 - HALF_WIDTH_IN_STANDARD_ERRORS * mean_error) > beyond;

        // If the second run of the base takes longer than the first, the place in the round may favor the head as
        // much.
        let bias = (same.value - 1.0).abs();
        let median_is_fine = ratio.high + bias < limit;
        let mean_is_fine = mean < limit;
        let fast_runs_are_fine = fast < limit;

        let finding = if is_clear || median_is_slower || mean_is_slower {
            Finding::Slower { is_clear }
        } else if median_is_fine && mean_is_fine && fast_runs_are_fine {
            Finding::NotSlower
        } else {
            Finding::Open
        };
        let decides = rules.clock.is_none_or(|only| only == clock);
        let [base, head] = [base_times, head_times].map(|times| quantile(&times, 0.5));
        Self { clock, decides, finding, base, head, ratio, mean, fast, noise }
    }
}

/// Measures at least one round by each of [`Clock::ALL`].
pub(crate) fn measure(rounds: &[Round], rules: Rules) -> [Measurement; 2] {
    Clock::ALL.map(|clock| Measurement::of(rounds, clock, rules))
}
