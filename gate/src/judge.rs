//! The verdict on the rounds by both clocks.
//!
//! The head is a *regression* if it is slower by either clock, and a *pass* if it is slower by neither and elapsed time
//! can be trusted. On a busy machine it often cannot, because the threads of the base wait for one another, so a head
//! that no longer runs in parallel looks just as fast. Other programs, however, do not change how often a command waits
//! of its own accord. Elapsed time is therefore trusted if
//!
//! - most runs of the base take about the same time, as they do on a quiet machine; or
//! - base and head wait equally often. The finding by elapsed time may then even stay open, as long as none of its
//!   estimates shows that the head is slower and the fast runs of the base take about the same time. If they do not,
//!   the noise could hide that each wait of the head takes longer.

use crate::measurement::{
    Clock, ERRORS, FASTEST_OF, FEWEST_ROUNDS, Finding, Measurement, Round, Rules, ascending, but_the_slowest, measure,
};
use crate::statistics::{Mean, quantile};
use crate::verdict::Verdict;

/// Two commands wait equally often if their waits differ by less than this share of the waits of the base ...
const ALIKE_SHARE: f64 = 0.1;

/// ... or by less than this many in a run. One more sleep, or one thread fewer, is at least one wait in each run.
const ALIKE_WAITS: f64 = 0.25;

/// How often both commands wait, and whether their elapsed time can be trusted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Waits {
    /// The mean number of waits in a run of the base and in a run of the head.
    pub(crate) means: [f64; 2],
    /// Whether both certainly wait equally often.
    pub(crate) are_alike: bool,
    /// Whether the middle half of the runs of the base differ by less than the threshold.
    is_steady: bool,
    /// The same for the fastest quarter.
    has_steady_fast_runs: bool,
}

impl Waits {
    fn of(rounds: &[Round], threshold: f64) -> Self {
        let [base, head] = ascending(rounds, |run| run.waits as f64);
        let [base, head] = [base, head].map(|waits| Mean::of(but_the_slowest(&waits)));
        let farthest = (head.value - base.value).abs() + ERRORS * base.error.hypot(head.error);
        let are_alike = farthest < (ALIKE_SHARE * base.value).max(ALIKE_WAITS);
        let [times, _] = ascending(rounds, |run| run.times[Clock::Elapsed as usize]);
        let agree = |from, to| quantile(&times, to) / quantile(&times, from) < 1.0 + threshold;
        let (is_steady, has_steady_fast_runs) = (agree(0.25, 0.75), agree(1.0 / FASTEST_OF as f64, 0.25));
        Self { means: [base.value, head.value], are_alike, is_steady, has_steady_fast_runs }
    }

    /// Returns whether the head passes by elapsed time.
    fn let_pass(self, elapsed: &Measurement, rules: Rules) -> bool {
        let limit = 1.0 + rules.threshold;
        let can_be_trusted = self.are_alike || self.is_steady;
        let passes_alone = elapsed.finding == Finding::NotSlower && can_be_trusted;
        // On a busy machine, elapsed time may stay open, because the head also has to pass by processor time.
        let is_busy = !self.is_steady;
        let processor_decides = rules.clock.is_none();
        let nothing_is_against = elapsed.ratio.low <= 1.0 && elapsed.ratio.value < limit && elapsed.fast < limit;
        let is_credible = self.are_alike && self.has_steady_fast_runs && nothing_is_against;
        passes_alone || processor_decides && is_busy && is_credible
    }
}

/// The verdict on all rounds, and the measurements that led to it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Judgement {
    /// The verdict by all clocks, which is inconclusive if only more rounds can decide.
    pub(crate) verdict: Verdict,
    pub(crate) measurements: [Measurement; 2],
    /// The measurement that decides.
    pub(crate) by: Measurement,
    pub(crate) waits: Waits,
}

/// Judges the rounds. Returns `None` if there are too few.
pub(crate) fn judge(rounds: &[Round], rules: Rules) -> Option<Judgement> {
    if rounds.len() < rules.clear_rounds() {
        return None;
    }
    let measurements = measure(rounds, rules);
    let waits = Waits::of(rounds, rules.threshold);
    let has_enough = rounds.len() >= FEWEST_ROUNDS;
    let is_slower = |one: &&Measurement| if has_enough { one.finding == Finding::Slower } else { one.is_clear };
    let is_open = |one: &&Measurement| match one.clock {
        // Processor time needs no trust, because other programs hardly affect it.
        Clock::Processor => one.finding != Finding::NotSlower,
        Clock::Elapsed => !waits.let_pass(one, rules),
    };
    let mut deciding = measurements.iter().filter(|one| one.decides);
    let (verdict, by) = if let Some(by) = deciding.clone().find(is_slower) {
        (Verdict::Regression, *by)
    } else if !has_enough {
        return None;
    } else if let Some(by) = deciding.clone().find(is_open) {
        (Verdict::Inconclusive, *by)
    } else {
        (Verdict::Pass, *deciding.next_back()?)
    };
    Some(Judgement { verdict, measurements, by, waits })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measurement::Run;

    fn runs(times: [f64; 2], waits: u64) -> [Run; 2] {
        times.map(|time| Run { times: [time; 2], waits, ..Run::default() })
    }

    fn rules(clock: Option<Clock>) -> Rules {
        Rules { threshold: 0.03, clock, pairs: 1 }
    }

    /// Returns the verdict by all clocks on rounds with these times of the base and the head.
    fn verdict_on(rounds: usize, times: impl Fn(usize) -> [[f64; 2]; 2]) -> Verdict {
        let round = |[base, head]: [[f64; 2]; 2]| Round { base: runs(base, 1), head: runs(head, 1) };
        let rounds: Vec<Round> = (0..rounds).map(|number| round(times(number))).collect();
        judge(&rounds, rules(None)).unwrap().verdict
    }

    #[test]
    fn a_speedup_passes_and_a_steady_slowdown_does_not() {
        // The base, and a head that is slower by this ratio.
        let slower = |base: [f64; 2], ratio: f64| [base, base.map(|time| time * ratio)];
        let steady = [0.5, 1.02, 1.04].map(|ratio| verdict_on(15, |_| slower([1.0; 2], ratio)));
        assert_eq!(steady, [Verdict::Pass, Verdict::Pass, Verdict::Regression]);
        assert_eq!(judge(&[Round { base: runs([1.0; 2], 1), head: runs([1.02; 2], 1) }; 14], rules(None)), None);
        // The base differs from itself by 10 %: a slowdown of 4 % stays open.
        let noisy = [1.04, 1.24].map(|ratio| verdict_on(15, |number| slower([1.0, [1.1, 0.9][number % 2]], ratio)));
        assert_eq!(noisy, [Verdict::Inconclusive, Verdict::Regression]);
        // The second run of the base takes 5 % more, so a change of 2 % may come from the place in the round.
        let biased = [0.9, 0.99, 1.02].map(|ratio| verdict_on(15, |_| slower([1.0, 1.05], ratio)));
        assert_eq!(biased, [Verdict::Pass, Verdict::Inconclusive, Verdict::Inconclusive]);
    }

    #[test]
    fn a_clear_regression_takes_few_rounds_and_more_of_them_with_more_pairs() {
        let found = |head: [f64; 2], rounds: usize, pairs: usize| {
            let rounds = vec![Round { base: runs([1.0, 1.2], 1), head: runs(head, 1) }; rounds];
            judge(&rounds, Rules { pairs, ..rules(None) }).map(|judgement| judgement.verdict)
        };
        let clear = Some(Verdict::Regression);
        assert_eq!([4, 5, 14].map(|rounds| found([1.3, 1.4], rounds, 1)), [None, clear, clear]);
        assert_eq!(
            [(5, 3), (5, 4), (6, 4), (6, 23), (6, 24)].map(|(rounds, pairs)| found([1.3, 1.4], rounds, pairs)),
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
            let head = [Run { times: ratios, waits: 1, ..Run::default() }; 2];
            let rounds = [Round { base: runs([1.0; 2], 1), head }; 15];
            let found =
                [None, Some(Clock::Processor), Some(Clock::Elapsed)].map(|clock| judge(&rounds, rules(clock)).unwrap());
            assert_eq!(found.each_ref().map(|found| found.verdict), [all, processor, elapsed], "{ratios:?}");
            assert_eq!(found[1].measurements.map(|one| one.decides), [true, false]);
        }
    }

    #[test]
    fn a_head_that_is_slow_in_a_quarter_of_its_runs_is_slower_and_no_single_run_decides() {
        let every = |number: usize, every: usize, slow: f64| {
            [2 * number, 2 * number + 1].map(|run| if run % every == 1 { slow } else { 1.0 })
        };
        assert_eq!(verdict_on(33, |number| [[1.0; 2], every(number, 4, 10.0)]), Verdict::Regression);
        assert_eq!(verdict_on(15, |number| [[1.0; 2], every(number, 10, 10.0)]), Verdict::Inconclusive);
        // The machine stood still during one run, or one run was fast by luck.
        for single in [1000.0, 0.5] {
            assert_eq!(verdict_on(16, |number| [[1.0; 2], every(number, 32, single)]), Verdict::Pass, "{single}");
            assert_eq!(verdict_on(16, |number| [every(number, 32, single), [1.0; 2]]), Verdict::Pass, "{single}");
        }
        // In most runs, other programs hide that the head takes twice the time.
        let hidden = |fast: f64, is_seen| if is_seen { [fast; 2] } else { [3.0; 2] };
        let found = verdict_on(15, |number| [hidden(1.0, number == 7), hidden(2.0, number == 5)]);
        assert_eq!(found, Verdict::Inconclusive);
    }

    /// Other programs delay a share of the runs by up to three times their time, and the waits of the head may take
    /// longer.
    #[test]
    fn a_head_whose_waits_take_longer_does_not_pass_because_it_waits_as_often() {
        let mut generator = fastrand::Rng::with_seed(1);
        let mut passes = |delayed: f64, longer: f64| {
            let mut side = |time: f64| {
                [0, 1].map(|_| {
                    let delay = if generator.f64() < delayed { 3.0 * generator.f64() } else { 0.01 * generator.f64() };
                    Run { times: [1.0, time * (1.0 + delay)], waits: 1, ..Run::default() }
                })
            };
            let mut gate = || (0..22).map(|_| Round { base: side(1.0), head: side(longer) }).collect::<Vec<_>>();
            (0..400).filter(|_| judge(&gate(), rules(None)).unwrap().verdict == Verdict::Pass).count()
        };
        let [equal, slower] = [1.0, 1.05].map(|longer| [0.5, 0.7, 0.9].map(|delayed| passes(delayed, longer)));
        assert!(equal[0] >= 360, "{equal:?}");
        assert_eq!(slower, [0; 3], "{equal:?}");
    }

    /// Only elapsed time differs from run to run, by 10 % or not at all.
    #[test]
    fn elapsed_time_counts_if_both_wait_equally_often_or_the_machine_is_quiet() {
        for (noise, waits, expected) in [
            (0.1, [3, 3], Verdict::Pass),
            (0.1, [3, 4], Verdict::Inconclusive),
            (0.1, [2, 1], Verdict::Inconclusive),
            (0.0, [3, 4], Verdict::Pass),
            (0.0, [2, 1], Verdict::Pass),
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
