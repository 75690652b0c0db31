//! The statistics of the gate: from timed rounds to pass, regression or inconclusive.
//!
//! A round runs the base A and the head B as A B B A, and every other round as B A A B, so that drift affects both
//! alike. Each run has a time by each [`Clock`]. By one clock, a round gives two ratios B over A, and one ratio A over
//! A, which shows how much two runs of the same command differ on this machine: the noise. By one clock, the head is
//!
//! - *slower* if the whole interval of the median ratio, or of the ratio of means, is above both the threshold and the
//!   noise. The means leave out the slowest of 32 runs and catch a head that is slow in only a quarter of its runs. It
//!   is also slower if every round is *clear*: both runs of the head take longer than both runs of the base, by more
//!   than the threshold. That takes five or six rounds, where everything else takes fifteen;
//! - *not slower* if the median's interval, shifted up by the median of A over A, is below the threshold, and so are
//!   the ratio of means and the ratio of fast runs. Other programs only add time, so fast runs show what they hide in
//!   the rest; the fastest of 20 is left out;
//! - *open* otherwise.
//!
//! The head is a *regression* if it is slower by either clock, and a *pass* if it is slower by neither and elapsed time
//! can be trusted. It often cannot on a busy machine, where the threads of the base wait for one another and a head
//! that lost its threads looks as fast. But other programs do not change how often a command waits of its own accord.
//! Elapsed time is therefore trusted if
//!
//! - most runs of the base take about the same time, as they do on a quiet machine; or
//! - base and head wait equally often. Then it may even stay open, as long as nothing in it speaks against the head.

use serde::Serialize;

use crate::statistics::{Estimate, Mean, quantile};
use crate::verdict::Verdict;

/// The fewest rounds of a verdict, unless all are clear. With 10, a head that is slow in a quarter of its runs would
/// pass in 3 of 1000 gates, because all of its 20 runs may be fast. With 15 it passes in 2 of 10 000.
pub(crate) const FEWEST_ROUNDS: usize = 15;

/// The confidence of the interval that gives the noise. With 0.95, the gate finds a third fewer slowdowns of 5 % on a
/// busy machine.
const NOISE_CONFIDENCE: f64 = 0.9;

/// One of this many runs is left out as the fastest, so that a single lucky run of the base decides nothing.
const FASTEST_OF: usize = 20;

/// One of this many runs is left out as the slowest. With 20, a head that is slow in a quarter of its runs would pass
/// in 2 of 1000 gates.
const SLOWEST_OF: usize = 32;

/// How many standard errors the interval of a mean reaches: more than 2, because the mean of few runs is not normal.
const ERRORS: f64 = 3.0;

/// The probability that a round of two equal commands is clear. Its four times come in six orders of base and head,
/// equally often whatever other programs do, and in one of them both times of the head are the longest.
const CLEAR_BY_CHANCE: f64 = 1.0 / 6.0;

/// How often a gate of equal commands may end with a regression because all rounds are clear: a fifth of the 1 in 200
/// that all its rules together may err.
const FALSE_CLEAR: f64 = 0.001;

/// Two commands wait equally often if their waits differ by less than this share of those of the base ...
const ALIKE_SHARE: f64 = 0.1;

/// ... or by less than this many in a run. A sleep more, or a thread fewer, is at least one wait in each run.
const ALIKE_WAITS: f64 = 0.25;

/// A way to measure the time of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Clock {
    /// The time that processors spend on the process and on its children. Other programs hardly affect it
    Processor,
    /// The time from start to end. On Linux, without the time in which the main thread waits for a free processor
    Elapsed,
}

impl Clock {
    /// All clocks, in the order of all tables.
    pub(crate) const ALL: [Self; 2] = [Self::Processor, Self::Elapsed];

    /// The name, also in JSON.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Processor => "processor",
            Self::Elapsed => "elapsed",
        }
    }
}

/// What is measured in one run.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub(crate) struct Run {
    /// Seconds by each of [`Clock::ALL`].
    pub(crate) times: [f64; 2],
    /// How often it waited of its own accord: for its threads, for a file, or in a sleep.
    pub(crate) waits: f64,
    /// Peak memory in bytes.
    pub(crate) memory: f64,
}

/// One round: two runs of the base and two of the head, each in the order in which they ran.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub(crate) struct Round {
    pub(crate) base: [Run; 2],
    pub(crate) head: [Run; 2],
}

/// The values of all runs of the base and of all runs of the head, in ascending order.
pub(crate) fn ascending(rounds: &[Round], of: impl Fn(&Run) -> f64) -> [Vec<f64>; 2] {
    [|round: &Round| round.base, |round: &Round| round.head].map(|side| {
        let mut values: Vec<f64> = rounds.iter().flat_map(side).map(|run| of(&run)).collect();
        values.sort_unstable_by(f64::total_cmp);
        values
    })
}

/// Values in ascending order without the slowest of [`SLOWEST_OF`].
fn but_the_slowest(values: &[f64]) -> &[f64] {
    &values[..values.len() - values.len() / SLOWEST_OF]
}

/// How a gate judges.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rules {
    /// The smallest slowdown that is a regression, such as 0.03.
    pub(crate) threshold: f64,
    /// The only clock that decides, if there is one.
    pub(crate) clock: Option<Clock>,
    /// How many commands the gate judges. The more there are, the surer each verdict has to be.
    pub(crate) commands: usize,
}

impl Rules {
    /// The confidence of each interval, such that all of them together have 95 %.
    fn confidence(self) -> f64 {
        1.0 - 0.05 / self.commands as f64
    }

    /// The number of clear rounds that prove a regression.
    pub(crate) fn clear_rounds(self) -> usize {
        let chance = FALSE_CLEAR / (Clock::ALL.len() * self.commands) as f64;
        (chance.log(CLEAR_BY_CHANCE).ceil() as usize).min(FEWEST_ROUNDS)
    }
}

/// What the rounds say by one clock.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(crate) struct Measurement {
    pub(crate) clock: Clock,
    /// The verdict by this clock alone, where inconclusive means open.
    #[serde(skip)]
    pub(crate) verdict: Verdict,
    /// Median seconds.
    pub(crate) base: f64,
    pub(crate) head: f64,
    /// Head time over base time. Above 1 the head is slower.
    pub(crate) ratio: Estimate,
    /// Mean of the head over mean of the base, both without the slowest runs.
    pub(crate) mean: f64,
    /// A fast run of the head over one of the base.
    pub(crate) fast: f64,
    /// How far from 1 the interval of the ratio of two runs of the base reaches.
    pub(crate) noise: f64,
    /// Whether every round is clear, and whether that is enough of them.
    #[serde(skip)]
    pub(crate) is_clear: bool,
}

impl Measurement {
    /// Measures at least one round by a clock.
    fn of(rounds: &[Round], clock: Clock, rules: Rules) -> Self {
        let limit = 1.0 + rules.threshold;
        let time = |run: &Run| run.times[clock as usize];
        let ratios = |round: &Round| [0, 1].map(|at| time(&round.head[at]) / time(&round.base[at]));
        let ratio = Estimate::of_median(rounds.iter().flat_map(ratios).collect(), rules.confidence());
        let again = |round: &Round| time(&round.base[1]) / time(&round.base[0]);
        let same = Estimate::of_median(rounds.iter().map(again).collect(), NOISE_CONFIDENCE);
        let noise = same.high.max(1.0 / same.low) - 1.0;
        let [base, head] = ascending(rounds, time);
        let [base_mean, head_mean] = [&base, &head].map(|times| Mean::of(but_the_slowest(times)));
        let mean = head_mean.value / base_mean.value;
        let mean_error = (base_mean.error / base_mean.value).hypot(head_mean.error / head_mean.value);
        let at = base.len() / FASTEST_OF;
        let fast = head[at] / base[at];

        let round_is_clear = |round: &Round| {
            let [base, head] = [round.base, round.head].map(|runs| runs.map(|run| time(&run)));
            head[0].min(head[1]) > base[0].max(base[1]) * limit
        };
        let is_clear = rounds.len() >= rules.clear_rounds() && rounds.iter().all(round_is_clear);
        let beyond = limit.max(1.0 + noise);
        let median_is_slower = ratio.low > beyond;
        let mean_is_slower = mean * (1.0 - ERRORS * mean_error) > beyond;

        // If the second run of the base takes longer than the first, the head may owe as much to its place in the
        // round.
        let bias = (same.value - 1.0).abs();
        let median_is_fine = ratio.high + bias < limit;
        let mean_is_fine = mean < limit;
        let fast_runs_are_fine = fast < limit;

        let verdict = if is_clear || median_is_slower || mean_is_slower {
            Verdict::Regression
        } else if median_is_fine && mean_is_fine && fast_runs_are_fine {
            Verdict::Pass
        } else {
            Verdict::Inconclusive
        };
        let [base, head] = [base, head].map(|times| quantile(&times, 0.5));
        Self { clock, verdict, base, head, ratio, mean, fast, noise, is_clear }
    }
}

/// Measures at least one round by each clock that decides.
pub(crate) fn measure(rounds: &[Round], rules: Rules) -> Vec<Measurement> {
    let decides = |clock: &Clock| rules.clock.is_none_or(|only| only == *clock);
    Clock::ALL.into_iter().filter(decides).map(|clock| Measurement::of(rounds, clock, rules)).collect()
}

/// What the waits of both commands say about elapsed time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Waits {
    /// Mean number of waits in a run of the base, and in a run of the head.
    pub(crate) means: [f64; 2],
    /// Whether both certainly wait about equally often.
    pub(crate) are_alike: bool,
    /// Whether the middle half of the runs of the base differ by less than the threshold.
    is_steady: bool,
}

impl Waits {
    fn of(rounds: &[Round], threshold: f64) -> Self {
        let [base, head] = ascending(rounds, |run| run.waits);
        let [base, head] = [base, head].map(|waits| Mean::of(but_the_slowest(&waits)));
        let farthest = (head.value - base.value).abs() + ERRORS * base.error.hypot(head.error);
        let are_alike = farthest < (ALIKE_SHARE * base.value).max(ALIKE_WAITS);
        let [times, _] = ascending(rounds, |run| run.times[Clock::Elapsed as usize]);
        let is_steady = quantile(&times, 0.75) / quantile(&times, 0.25) < 1.0 + threshold;
        Self { means: [base.value, head.value], are_alike, is_steady }
    }

    /// Whether a head that is not slower by elapsed time passes by this clock.
    fn let_pass(self, elapsed: &Measurement, rules: Rules) -> bool {
        let limit = 1.0 + rules.threshold;
        let can_be_trusted = self.are_alike || self.is_steady;
        let passes_alone = elapsed.verdict == Verdict::Pass && can_be_trusted;
        // On a busy machine elapsed time may stay open, because the head has passed by processor time.
        let is_busy = !self.is_steady;
        let processor_decides = rules.clock.is_none();
        let nothing_is_against = elapsed.ratio.low <= 1.0 && elapsed.ratio.value < limit && elapsed.fast < limit;
        passes_alone || processor_decides && is_busy && self.are_alike && nothing_is_against
    }
}

/// What all rounds say.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Judgement {
    /// Inconclusive if more rounds can change it.
    pub(crate) verdict: Verdict,
    /// By each clock that decides.
    pub(crate) measurements: Vec<Measurement>,
    /// The one that decides.
    pub(crate) by: Measurement,
    pub(crate) waits: Waits,
}

/// Judges the rounds, or returns `None` if there are too few.
pub(crate) fn judge(rounds: &[Round], rules: Rules) -> Option<Judgement> {
    if rounds.len() < rules.clear_rounds() {
        return None;
    }
    let measurements = measure(rounds, rules);
    let waits = Waits::of(rounds, rules.threshold);
    let has_enough = rounds.len() >= FEWEST_ROUNDS;
    let is_slower = |one: &&Measurement| if has_enough { one.verdict == Verdict::Regression } else { one.is_clear };
    let is_open = |one: &&Measurement| match one.clock {
        Clock::Processor => one.verdict != Verdict::Pass,
        Clock::Elapsed => !waits.let_pass(one, rules),
    };
    let (verdict, by) = if let Some(by) = measurements.iter().find(is_slower) {
        (Verdict::Regression, *by)
    } else if !has_enough {
        return None;
    } else if let Some(by) = measurements.iter().find(is_open) {
        (Verdict::Inconclusive, *by)
    } else {
        (Verdict::Pass, *measurements.last()?)
    };
    Some(Judgement { verdict, measurements, by, waits })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs(times: [f64; 2], waits: f64) -> [Run; 2] {
        times.map(|time| Run { times: [time; 2], waits, ..Run::default() })
    }

    fn rules(clock: Option<Clock>) -> Rules {
        Rules { threshold: 0.03, clock, commands: 1 }
    }

    /// The verdict on rounds with these times of the base and the head, by all clocks.
    fn verdict_on(rounds: usize, times: impl Fn(usize) -> [[f64; 2]; 2]) -> Verdict {
        let round = |[base, head]: [[f64; 2]; 2]| Round { base: runs(base, 1.0), head: runs(head, 1.0) };
        let rounds: Vec<Round> = (0..rounds).map(|number| round(times(number))).collect();
        judge(&rounds, rules(None)).unwrap().verdict
    }

    #[test]
    fn a_speedup_passes_and_a_steady_slowdown_does_not() {
        // The base, and the head that is slower by a ratio.
        let slower = |base: [f64; 2], ratio: f64| [base, base.map(|time| time * ratio)];
        let steady = [0.5, 1.02, 1.04].map(|ratio| verdict_on(15, |_| slower([1.0; 2], ratio)));
        assert_eq!(steady, [Verdict::Pass, Verdict::Pass, Verdict::Regression]);
        assert_eq!(judge(&[Round { base: runs([1.0; 2], 1.0), head: runs([1.02; 2], 1.0) }; 14], rules(None)), None);
        // The base differs from itself by 10 %: a slowdown of 4 % stays open.
        let noisy = [1.04, 1.24].map(|ratio| verdict_on(15, |number| slower([1.0, [1.1, 0.9][number % 2]], ratio)));
        assert_eq!(noisy, [Verdict::Inconclusive, Verdict::Regression]);
        // The second run of the base takes 5 % more: so does anything else, and 2 % can be anything.
        let biased = [0.9, 0.99, 1.02].map(|ratio| verdict_on(15, |_| slower([1.0, 1.05], ratio)));
        assert_eq!(biased, [Verdict::Pass, Verdict::Inconclusive, Verdict::Inconclusive]);
    }

    #[test]
    fn a_clear_regression_takes_few_rounds_and_more_of_them_with_more_commands() {
        let found = |head: [f64; 2], rounds: usize, commands: usize| {
            let rounds = vec![Round { base: runs([1.0, 1.2], 1.0), head: runs(head, 1.0) }; rounds];
            judge(&rounds, Rules { commands, ..rules(None) }).map(|judgement| judgement.verdict)
        };
        let clear = Some(Verdict::Regression);
        assert_eq!([4, 5, 14].map(|rounds| found([1.3, 1.4], rounds, 1)), [None, clear, clear]);
        assert_eq!(
            [(5, 3), (5, 4), (6, 4), (6, 23), (6, 24)].map(|(rounds, commands)| found([1.3, 1.4], rounds, commands)),
            [clear, None, clear, clear, None]
        );
        // The slower run of the base is within the threshold of the faster run of the head.
        assert_eq!(found([1.23, 2.0], 14, 1), None);
    }

    #[test]
    fn slower_by_one_clock_is_a_regression_by_it_unless_the_other_decides() {
        use Verdict::{Pass, Regression};
        for (ratios, all, processor, elapsed) in [
            ([1.0, 1.0], Pass, Pass, Pass),
            ([1.0, 2.0], Regression, Pass, Regression),
            ([2.0, 0.5], Regression, Regression, Pass),
        ] {
            let head = [Run { times: ratios, waits: 1.0, ..Run::default() }; 2];
            let rounds = [Round { base: runs([1.0; 2], 1.0), head }; 15];
            let found =
                [None, Some(Clock::Processor), Some(Clock::Elapsed)].map(|clock| judge(&rounds, rules(clock)).unwrap());
            assert_eq!(found.each_ref().map(|found| found.verdict), [all, processor, elapsed], "{ratios:?}");
            assert!(found[1].measurements.iter().all(|one| one.clock == Clock::Processor), "{ratios:?}");
        }
    }

    #[test]
    fn a_head_that_is_slow_in_a_quarter_of_its_runs_is_slower_and_no_single_run_decides() {
        let every = |number: usize, every: usize, slow: f64| {
            [2 * number, 2 * number + 1].map(|run| if run % every == 1 { slow } else { 1.0 })
        };
        assert_eq!(verdict_on(33, |number| [[1.0; 2], every(number, 4, 10.0)]), Verdict::Regression);
        assert_eq!(verdict_on(15, |number| [[1.0; 2], every(number, 10, 10.0)]), Verdict::Inconclusive);
        // The machine stood still for a moment, or let one run of the base be fast.
        for single in [1000.0, 0.5] {
            assert_eq!(verdict_on(16, |number| [[1.0; 2], every(number, 32, single)]), Verdict::Pass, "{single}");
            assert_eq!(verdict_on(16, |number| [every(number, 32, single), [1.0; 2]]), Verdict::Pass, "{single}");
        }
        // Other programs hide in most runs that the head takes twice the time.
        let hidden = |fast: f64, is_seen| if is_seen { [fast; 2] } else { [3.0; 2] };
        let found = verdict_on(15, |number| [hidden(1.0, number == 7), hidden(2.0, number == 5)]);
        assert_eq!(found, Verdict::Inconclusive);
    }

    /// Only the elapsed time differs from run to run, by 10 % or not.
    #[test]
    fn elapsed_time_counts_if_both_wait_equally_often_or_the_machine_is_quiet() {
        for (noise, waits, expected) in [
            (0.1, [3.0, 3.0], Verdict::Pass),
            (0.1, [3.0, 4.0], Verdict::Inconclusive),
            (0.1, [2.0, 1.0], Verdict::Inconclusive),
            (0.0, [3.0, 4.0], Verdict::Pass),
            (0.0, [2.0, 1.0], Verdict::Pass),
        ] {
            let side = |elapsed: f64, waits| [Run { times: [1.0, elapsed], waits, ..Run::default() }; 2];
            let round = |number: usize| {
                let [base, head] = if number.is_multiple_of(2) { [noise, -noise] } else { [-noise, noise] };
                Round { base: side(1.0 + base, waits[0]), head: side(0.95 + head, waits[1]) }
            };
            let rounds: Vec<Round> = (0..20).map(round).collect();
            assert_eq!(judge(&rounds, rules(None)).unwrap().verdict, expected, "{noise} {waits:?}");
            assert_eq!(judge(&rounds, rules(Some(Clock::Processor))).unwrap().verdict, Verdict::Pass);
        }
    }
}
