//! The statistics of the gate: from timed rounds to pass, regression or inconclusive.
//!
//! A round runs the base A and the head B as A B B A, and every other round as B A A B, so that drift affects both. Each
//! run has a time by each [`Clock`]. For each clock, a round has two ratios B over A. Its ratio A over A shows the noise:
//! how much two runs of one command differ on this machine. By one clock, the head is
//!
//! - *slower* if the whole interval of the median ratio, or of the ratio of means, is above both the threshold and the
//!   noise. The means, without the slowest of 32 runs, see a head that is slow in a quarter of its runs. It is slower, too,
//!   if all rounds are *clear*: both runs of the head take longer than both of the base, beyond the threshold. Five
//!   clear rounds end a gate;
//! - *not slower* if the interval is below the threshold, even after the median of A over A is added to it, and so are
//!   the ratio of means and that of fast runs. Fast runs, without the fastest of 20, see what other programs hide,
//!   because they only add time;
//! - *open* otherwise.
//!
//! The head is a *regression* if it is slower by a clock. It is a *pass* if it is not slower by processor time and elapsed
//! time, and if elapsed time can be trusted. On a busy machine threads of the base wait for each other, and a head
//! without threads looks as fast. But other programs do not change how often a command waits by itself. So
//!
//! - either most runs of the base take about the same time, as they do on a quiet machine;
//! - or base and head wait equally often. Then elapsed time may even stay open, if nothing in it is against the head.

use serde::Serialize;

use crate::statistics::{Estimate, Mean, quantile};
use crate::verdict::Verdict;

/// No verdict comes from fewer rounds. With 10, a head that is slow in a quarter of its runs would pass in 3 of 1000 gates,
/// because its 20 runs may all be fast. With 15 it passes in 2 of 10 000.
pub(crate) const FEWEST_ROUNDS: usize = 15;

/// The confidence of the interval that gives the noise. With 0.95, a third fewer slowdowns of 5 % show on a busy machine.
const NOISE_CONFIDENCE: f64 = 0.9;

/// One run of so many is left out as the fastest: one lucky run of the base decides nothing.
const FASTEST_OF: usize = 20;

/// One run of so many is left out as the slowest. With 20, a head that is slow in a quarter of its runs would pass in 2 of
/// 1000 gates.
const SLOWEST_OF: usize = 32;

/// How many standard errors the interval of a mean reaches. A mean of few runs is not normal, so it is more than 2.
const ERRORS: f64 = 3.0;

/// The probability that one round of two equal commands is clear: of six orders of its four runs, one has both of the head
/// last. What other programs do does not change it, because it hits each of the four runs equally.
const CLEAR_BY_CHANCE: f64 = 1.0 / 6.0;

/// How often clear rounds alone may end a gate of equal commands.
const FALSE_CLEAR: f64 = 0.001;

/// Two commands wait equally often if their numbers of waits differ by less than this share, ...
const ALIKE_SHARE: f64 = 0.1;

/// ... or by less than so many in a run. One sleep more or one thread fewer is at least a whole wait in each run.
const ALIKE_WAITS: f64 = 0.25;

/// What measures a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Clock {
    /// The time that processors spend on the process and on its children. Other programs change it little
    Processor,
    /// The time from start to end. On Linux, without that in which its main thread waits for a free processor
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
    /// The seconds by each of [`Clock::ALL`].
    pub(crate) times: [f64; 2],
    /// How often it waited by itself: for its threads, a file or a moment.
    pub(crate) waits: f64,
    /// The most memory that it had at a time, in bytes.
    pub(crate) memory: f64,
}

/// One round: two runs of the base and two of the head, in the order they were taken.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub(crate) struct Round {
    pub(crate) base: [Run; 2],
    pub(crate) head: [Run; 2],
}

/// What a run of the base gave, and what one of the head gave, in all rounds and ascending.
pub(crate) fn ascending(rounds: &[Round], of: impl Fn(&Run) -> f64) -> [Vec<f64>; 2] {
    [|round: &Round| round.base, |round: &Round| round.head].map(|side| {
        let mut values: Vec<f64> = rounds.iter().flat_map(side).map(|run| of(&run)).collect();
        values.sort_unstable_by(f64::total_cmp);
        values
    })
}

/// Most of the values, which ascend.
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
    /// How many commands the gate judges. Each verdict is as much surer as there are more chances to err.
    pub(crate) commands: usize,
}

impl Rules {
    /// The confidence of each interval, so that together they have 95 %.
    fn confidence(self) -> f64 {
        1.0 - 0.05 / self.commands as f64
    }

    /// How many rounds are enough for a regression if every one of them is clear.
    pub(crate) fn clear_rounds(self) -> usize {
        let chance = FALSE_CLEAR / (Clock::ALL.len() * self.commands) as f64;
        (chance.log(CLEAR_BY_CHANCE).ceil() as usize).min(FEWEST_ROUNDS)
    }

    fn clocks(self) -> impl Iterator<Item = Clock> {
        Clock::ALL.into_iter().filter(move |&clock| self.clock.is_none_or(|only| only == clock))
    }
}

/// What the rounds say by one clock.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(crate) struct Measurement {
    pub(crate) clock: Clock,
    /// By this clock alone. Inconclusive means open.
    #[serde(skip)]
    pub(crate) verdict: Verdict,
    /// The medians, in seconds.
    pub(crate) base: f64,
    pub(crate) head: f64,
    /// Head time over base time. Above 1 the head is slower.
    pub(crate) ratio: Estimate,
    /// The mean of the head over the mean of the base, without the slowest runs.
    pub(crate) mean: f64,
    /// A fast run of the head over one of the base.
    pub(crate) fast: f64,
    /// By how much one run of the base is slower than another: how far from 1 the interval of their ratio reaches.
    pub(crate) noise: f64,
    /// Whether every round is clear, and there are enough.
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

        // The second run of the base takes longer or less than the first, and nobody knows which of them to compare with.
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

/// What at least one round says, by each clock that decides.
pub(crate) fn measure(rounds: &[Round], rules: Rules) -> Vec<Measurement> {
    rules.clocks().map(|clock| Measurement::of(rounds, clock, rules)).collect()
}

/// What the waits of both commands say about elapsed time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Waits {
    /// How often a run of the base and one of the head waits, on average.
    pub(crate) means: [f64; 2],
    /// Whether both surely wait about equally often.
    pub(crate) are_alike: bool,
    /// Whether half of the runs of the base take the same time, to within the threshold.
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

    /// Whether the head passes by elapsed time, if it is not slower by it.
    fn let_pass(self, elapsed: &Measurement, rules: Rules) -> bool {
        let limit = 1.0 + rules.threshold;
        let can_be_trusted = self.are_alike || self.is_steady;
        let passes_alone = elapsed.verdict == Verdict::Pass && can_be_trusted;
        // On a busy machine elapsed time may stay open. Then the processor time speaks for the head, which has passed by it.
        let is_busy = !self.is_steady;
        let processor_decides = rules.clock.is_none();
        let nothing_is_against = elapsed.ratio.low <= 1.0 && elapsed.ratio.value < limit && elapsed.fast < limit;
        passes_alone || processor_decides && is_busy && self.are_alike && nothing_is_against
    }
}

/// The result of the rounds.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Judgement {
    /// Inconclusive if more rounds can change it.
    pub(crate) verdict: Verdict,
    /// By each clock that decides.
    pub(crate) measurements: Vec<Measurement>,
    /// The one of these that the verdict is by.
    pub(crate) by: Measurement,
    pub(crate) waits: Waits,
}

/// Judges the rounds. `None` if there are too few.
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
        assert_eq!([5, 6].map(|rounds| found([1.3, 1.4], rounds, 20)), [None, clear]);
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
