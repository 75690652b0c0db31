//! The statistics of the gate: from timed rounds to pass, regression or inconclusive.
//!
//! A round runs the base A and the head B as A B B A, and every other round as B A A B, so that drift affects both. Each
//! run has two times: processor time and elapsed time. For each clock, a round has two ratios B over A. Its ratio A over A
//! shows the noise: how much two runs of one command differ on this machine. By one clock, the head is
//!
//! - *slower* if the whole 95 % interval of the median ratio is above both the threshold and the noise;
//! - *not slower* if the interval is below the threshold, even after the median of A over A is added to it, and so are
//!   the mean of all times and the fastest run, head over base. The mean, without the slowest of 32 runs, sees a head
//!   that is slow in a quarter of its runs. The fastest run sees what other programs hide, because they only add time;
//! - *open* by elapsed time if the system interrupts the base much more often than the head.
//!
//! Both clocks together give the verdict:
//!
//! - *pass* if the head is not slower by either clock;
//! - *regression* if it is slower by one clock, and the median of the other is above the threshold;
//! - *inconclusive* if it is slower by one clock only, or if the time is over.

use crate::statistics::Estimate;
use crate::verdict::Verdict;

/// No verdict comes from fewer rounds. With 8, a head that is slow in a quarter of its runs would pass in 7 of 1000 gates.
/// With 10 it passes in 2. With 12, an equal head would need a fifth more time to pass.
pub(crate) const FEWEST_ROUNDS: usize = 10;

/// The confidence of the interval that gives the noise. With 0.95, a third fewer slowdowns of 5 % show on a busy machine.
const NOISE_CONFIDENCE: f64 = 0.9;

/// What measures a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Clock {
    /// The time that processors spend on the process and on its children. Other programs change it little
    Processor,
    /// The time from start to end. Waiting counts, and so do other programs
    Elapsed,
}

impl Clock {
    /// Both clocks, in the order of all tables.
    pub(crate) const BOTH: [Self; 2] = [Self::Processor, Self::Elapsed];

    /// The name, also in JSON.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Processor => "processor",
            Self::Elapsed => "elapsed",
        }
    }
}

/// What is measured in one run.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Run {
    /// The seconds by each of [`Clock::BOTH`].
    pub(crate) times: [f64; 2],
    /// How often the system took a processor away from it.
    pub(crate) interruptions: f64,
}

/// One round: two runs of the base and two of the head, in the order they were taken.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Round {
    pub(crate) base: [Run; 2],
    pub(crate) head: [Run; 2],
}

/// What the rounds say by one clock.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Measurement {
    pub(crate) clock: Clock,
    /// By this clock alone.
    pub(crate) verdict: Verdict,
    /// The medians, in seconds.
    pub(crate) base: f64,
    pub(crate) head: f64,
    /// Head time over base time. Above 1 the head is slower.
    pub(crate) ratio: Estimate,
    /// The mean of the head over the mean of the base, without the slowest of 32 runs.
    pub(crate) mean: f64,
    /// The fastest run of the head over that of the base.
    pub(crate) fastest: f64,
    /// By how much one run of the base is slower than another: how far from 1 the interval of their ratio reaches.
    pub(crate) noise: f64,
    /// Whether only this keeps the verdict open: other programs hinder the base more than the head.
    pub(crate) is_base_hindered: bool,
}

/// The times of one command.
struct Summary {
    median: f64,
    /// Without the slowest of 32 runs: a machine that sleeps for a minute says nothing about a command.
    mean: f64,
    fastest: f64,
}

impl Summary {
    fn of(times: &[f64]) -> Self {
        let mut sorted = times.to_vec();
        sorted.sort_unstable_by(f64::total_cmp);
        let kept = &sorted[..sorted.len() - sorted.len() / 32];
        let mean = kept.iter().sum::<f64>() / kept.len() as f64;
        Self { median: Estimate::of_median(times).value, mean, fastest: sorted[0] }
    }
}

impl Measurement {
    /// Measures at least one round by a clock.
    fn of(rounds: &[Round], clock: Clock, threshold: f64) -> Self {
        let by = |runs: &[Run; 2]| runs.map(|run| run.times[clock as usize]);
        let sides: Vec<[[f64; 2]; 2]> = rounds.iter().map(|round| [by(&round.base), by(&round.head)]).collect();
        let pairs: Vec<f64> = sides.iter().flat_map(|[base, head]| [head[0] / base[0], head[1] / base[1]]).collect();
        let same: Vec<f64> = sides.iter().map(|[base, _]| base[1] / base[0]).collect();
        let [base, head] = [0, 1].map(|side| sides.iter().flat_map(|sides| sides[side]).collect::<Vec<_>>());
        let (ratio, same) = (Estimate::of_median(&pairs), Estimate::of_median_with(&same, NOISE_CONFIDENCE));
        let [base_times, head_times] = [&base, &head].map(|times| Summary::of(times));
        let (mean, fastest) = (head_times.mean / base_times.mean, head_times.fastest / base_times.fastest);
        let noise = same.high.max(1.0 / same.low) - 1.0;
        let limit = 1.0 + threshold;
        let is_open = (ratio.high + (same.value - 1.0).abs()).max(mean).max(fastest) >= limit;
        let is_base_hindered = !is_open && clock == Clock::Elapsed && is_base_hindered(rounds);
        let verdict = if ratio.low > limit.max(1.0 + noise) {
            Verdict::Regression
        } else if ratio.low > limit {
            Verdict::ProbablySlower
        } else if mean.max(fastest) > limit.max(1.0 + noise) {
            Verdict::Uneven
        } else if is_open || is_base_hindered {
            Verdict::Noise
        } else {
            Verdict::Pass
        };
        let [base, head] = [base_times.median, head_times.median];
        Self { clock, verdict, base, head, ratio, mean, fastest, noise, is_base_hindered }
    }
}

/// Whether the system interrupted the base much more often than the head, for the same processor time. If other programs
/// leave only one core, threads of the base wait for each other, and a head without threads looks as fast.
fn is_base_hindered(rounds: &[Round]) -> bool {
    let sums = |side: fn(&Round) -> [Run; 2]| {
        let runs = || rounds.iter().flat_map(side);
        let seconds: f64 = runs().map(|run| run.times[Clock::Processor as usize]).sum();
        (seconds, runs().map(|run| run.interruptions).sum::<f64>())
    };
    let ((base_seconds, base), (head_seconds, head)) = (sums(|round| round.base), sums(|round| round.head));
    // An interruption in each round may be chance.
    base > 2.0 * head * base_seconds / head_seconds + rounds.len() as f64
}

/// The result of the rounds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Judgement {
    pub(crate) verdict: Verdict,
    /// Whether more rounds cannot change the verdict.
    pub(crate) is_final: bool,
    /// By each of [`Clock::BOTH`].
    pub(crate) measurements: [Measurement; 2],
}

/// Judges the rounds. `threshold` is the smallest slowdown that is a regression, such as 0.03. `decides` is the only clock
/// that counts, if there is one. `None` if there are too few rounds.
pub(crate) fn judge(rounds: &[Round], threshold: f64, decides: Option<Clock>) -> Option<Judgement> {
    if rounds.len() < FEWEST_ROUNDS {
        return None;
    }
    let measurements = Clock::BOTH.map(|clock| Measurement::of(rounds, clock, threshold));
    let [a, b] = decides.map_or(measurements, |clock| [measurements[clock as usize]; 2]);
    let are_beyond = a.ratio.value.min(b.ratio.value) > 1.0 + threshold;
    let (verdict, is_final) = match a.verdict.max(b.verdict) {
        Verdict::Regression if !are_beyond => (Verdict::OneClock, a.verdict.min(b.verdict) == Verdict::Pass),
        worse => (worse, matches!(worse, Verdict::Pass | Verdict::Regression)),
    };
    Some(Judgement { verdict, is_final, measurements })
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOTH: Option<Clock> = None;

    fn runs(times: [[f64; 2]; 2]) -> [Run; 2] {
        times.map(|times| Run { times, ..Run::default() })
    }

    /// The verdict on rounds with these times of the base and the head, by both clocks or by one.
    fn verdict_on(rounds: usize, decides: Option<Clock>, times: impl Fn(usize) -> [[[f64; 2]; 2]; 2]) -> Verdict {
        let round = |[base, head]: [[[f64; 2]; 2]; 2]| Round { base: runs(base), head: runs(head) };
        judge(&(0..rounds).map(|number| round(times(number))).collect::<Vec<_>>(), 0.03, decides).unwrap().verdict
    }

    #[test]
    fn a_speedup_passes_and_a_steady_slowdown_does_not() {
        // The base, and the head that is slower by a ratio.
        let slower =
            |base: [f64; 2], ratio: f64| [base, base.map(|time| time * ratio)].map(|side| side.map(|time| [time; 2]));
        let steady = [0.5, 1.02, 1.04].map(|ratio| verdict_on(10, BOTH, |_| slower([1.0; 2], ratio)));
        assert_eq!(steady, [Verdict::Pass, Verdict::Pass, Verdict::Regression]);
        assert_eq!(judge(&[Round { base: runs([[1.0; 2]; 2]), head: runs([[2.0; 2]; 2]) }; 9], 0.03, None), None);
        // The base differs from itself by 10 %: a slowdown of 4 % is only probable.
        let noisy =
            [1.04, 1.12].map(|ratio| verdict_on(10, BOTH, |number| slower([1.0, [1.1, 0.9][number % 2]], ratio)));
        assert_eq!(noisy, [Verdict::ProbablySlower, Verdict::Regression]);
        // The second run of the base takes 5 % more: so does anything else, and 2 % can be anything.
        let biased = [0.9, 0.99, 1.02].map(|ratio| verdict_on(10, BOTH, |_| slower([1.0, 1.05], ratio)));
        assert_eq!(biased, [Verdict::Pass, Verdict::Noise, Verdict::Noise]);
    }

    #[test]
    fn slower_by_one_clock_is_neither_pass_nor_regression_until_a_clock_is_named() {
        for (ratios, both, processor, elapsed) in [
            ([1.0, 1.0], Verdict::Pass, Verdict::Pass, Verdict::Pass),
            ([1.0, 2.0], Verdict::OneClock, Verdict::Pass, Verdict::Regression),
            ([2.0, 0.5], Verdict::OneClock, Verdict::Regression, Verdict::Pass),
            ([1.5, 1.5], Verdict::Regression, Verdict::Regression, Verdict::Regression),
        ] {
            let found = [BOTH, Some(Clock::Processor), Some(Clock::Elapsed)]
                .map(|decides| verdict_on(10, decides, |_| [[[1.0; 2]; 2], [ratios; 2]]));
            assert_eq!(found, [both, processor, elapsed], "{ratios:?}");
        }
    }

    #[test]
    fn a_head_that_is_slow_in_a_quarter_of_its_runs_does_not_pass() {
        for (every, expected) in [(4, Verdict::Uneven), (24, Verdict::Uneven), (99, Verdict::Pass)] {
            let time = |run: usize| if run % every == 1 && every < 99 { [10.0; 2] } else { [1.0; 2] };
            let found = verdict_on(10, BOTH, |number| [[[1.0; 2]; 2], [time(2 * number), time(2 * number + 1)]]);
            assert_eq!(found, expected, "{every}");
        }
        // The machine stood still for a moment.
        let stopped = |number| if number == 5 { 1000.0 } else { 1.0 };
        assert_eq!(verdict_on(18, BOTH, |number| [[[1.0; 2]; 2], [[1.0, stopped(number)], [1.0; 2]]]), Verdict::Pass);
        // Other programs hide in most runs that the head takes twice the time.
        let hidden = |fast: f64, is_seen| [if is_seen { [fast; 2] } else { [3.0; 2] }; 2];
        let found = verdict_on(10, BOTH, |number| [hidden(1.0, number == 7), hidden(2.0, number == 5)]);
        assert_eq!(found, Verdict::Uneven);
    }

    #[test]
    fn elapsed_time_of_a_base_that_is_interrupted_more_than_the_head_tells_nothing() {
        for (base, head, expected) in [
            (8.0, 1.0, Verdict::Noise),
            (8.0, 8.0, Verdict::Pass),
            (1.0, 8.0, Verdict::Pass),
            (0.4, 0.0, Verdict::Pass),
        ] {
            let run = |interruptions| [Run { times: [1.0; 2], interruptions }; 2];
            let rounds = [Round { base: run(base), head: run(head) }; 10];
            let found = [BOTH, Some(Clock::Processor)].map(|decides| judge(&rounds, 0.03, decides).unwrap());
            assert_eq!(found.map(|it| it.verdict), [expected, Verdict::Pass], "{base}, {head}");
            assert_eq!(found[0].measurements[1].is_base_hindered, expected == Verdict::Noise);
        }
    }
}
