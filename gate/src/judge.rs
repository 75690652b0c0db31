//! The verdict on the rounds by both clocks.
//!
//! The head is a *regression* if it is slower by either clock. It is a *pass* if it is *not slower* by processor time
//! and, as far as elapsed time can be trusted, by elapsed time. On a busy machine it often cannot, because the threads
//! of the base wait for one another, so a head that no longer runs in parallel looks just as fast. Other programs,
//! however, do not change how often a command waits of its own accord. Elapsed time is therefore trusted if
//!
//! - most runs of the base take about the same time, as they do on a quiet machine; or
//! - base and head wait equally often. The finding by elapsed time may then even stay open, as long as none of its
//!   estimates shows that the head is slower and the fast runs of the base take about the same time. If they do not,
//!   the noise could hide that each wait of the head takes longer.

use crate::clock::Clock;
use crate::measurement::{
    FASTEST_OF, FEWEST_ROUNDS, Finding, HALF_WIDTH_IN_STANDARD_ERRORS, Measurement, Rules, but_the_slowest, measure,
};
use crate::rounds::{Round, ascending};
use crate::statistics::{Mean, quantile};
use crate::verdict::Verdict;

/// Two commands wait equally often if their waits differ by less than this share of the waits of the base.
const ALIKE_SHARE: f64 = 0.1;

/// They also wait equally often if their waits differ by less than this number in a run. One more sleep, or one thread
/// fewer, is at least one wait in each run.
const ALIKE_WAITS: f64 = 0.25;

/// How far elapsed time can be trusted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Trust {
    /// The mean number of waits in a run of the base and in a run of the head.
    pub(crate) waits: [f64; 2],
    /// Whether both certainly wait equally often.
    pub(crate) wait_alike: bool,
    /// Whether the middle half of the runs of the base differ by less than the threshold.
    is_steady: bool,
    /// The same for the fastest quarter, without the fastest twentieth.
    has_steady_fast_runs: bool,
}

impl Trust {
    fn of(rounds: &[Round], threshold: f64) -> Self {
        let [base, head] = ascending(rounds, |run| run.waits as f64);
        let [base, head] = [base, head].map(|waits| Mean::of(but_the_slowest(&waits)));
        let farthest = (head.value - base.value).abs() + HALF_WIDTH_IN_STANDARD_ERRORS * base.error.hypot(head.error);
        let wait_alike = farthest < (ALIKE_SHARE * base.value).max(ALIKE_WAITS);
        let [times, _] = ascending(rounds, |run| run.time(Clock::Elapsed));
        let agree = |from, to| quantile(&times, to) / quantile(&times, from) < 1.0 + threshold;
        Self {
            waits: [base.value, head.value],
            wait_alike,
            is_steady: agree(0.25, 0.75),
            has_steady_fast_runs: agree(1.0 / FASTEST_OF as f64, 0.25),
        }
    }

    /// Returns whether the head passes by elapsed time.
    fn lets_pass(self, elapsed: &Measurement, rules: Rules) -> bool {
        let limit = 1.0 + rules.threshold;
        let can_be_trusted = self.wait_alike || self.is_steady;
        let passes_alone = elapsed.finding == Finding::NotSlower && can_be_trusted;
        // On a busy machine, elapsed time may stay open, because the head also has to pass by processor time.
        let is_busy = !self.is_steady;
        let both_decide = rules.clock.is_none();
        let nothing_is_against = elapsed.ratio.low <= 1.0 && elapsed.ratio.value < limit && elapsed.fast < limit;
        let is_credible = self.wait_alike && self.has_steady_fast_runs && nothing_is_against;
        passes_alone || both_decide && is_busy && is_credible
    }
}

/// The verdict on all rounds, and what led to it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Judgment {
    /// The verdict by all clocks, which is inconclusive if only more rounds can decide.
    pub(crate) verdict: Verdict,
    /// The clock that decides.
    by: Clock,
    pub(crate) measurements: [Measurement; 2],
    pub(crate) trust: Trust,
    /// The number of rounds.
    pub(crate) rounds: usize,
    pub(crate) rules: Rules,
}

/// Judges the rounds. Returns `None` if there are too few.
pub(crate) fn judge(rounds: &[Round], rules: Rules) -> Option<Judgment> {
    if rounds.len() < rules.clear_rounds() {
        return None;
    }
    let measurements = measure(rounds, rules);
    let trust = Trust::of(rounds, rules.threshold);
    let is_open = |one: &Measurement| match one.clock {
        // Processor time needs no trust, because other programs hardly affect it.
        Clock::Processor => one.finding != Finding::NotSlower,
        Clock::Elapsed => !trust.lets_pass(one, rules),
    };
    let has_enough = rounds.len() >= FEWEST_ROUNDS;
    let deciding: Vec<&Measurement> = measurements.iter().filter(|one| one.decides).collect();
    let slower =
        deciding.iter().find(|one| matches!(one.finding, Finding::Slower { is_clear } if is_clear || has_enough));
    let open = deciding.iter().find(|one| is_open(one));
    let (verdict, by) = match (slower, open) {
        (Some(slower), _) => (Verdict::Regression, slower.clock),
        _ if !has_enough => return None,
        (None, Some(open)) => (Verdict::Inconclusive, open.clock),
        (None, None) => (Verdict::Pass, deciding.last()?.clock),
    };
    Some(Judgment { verdict, by, measurements, trust, rounds: rounds.len(), rules })
}

impl Judgment {
    /// Returns the measurement by the clock that decides.
    pub(crate) fn deciding(&self) -> &Measurement {
        &self.measurements[self.by as usize]
    }
}

/// Returns the judgment that ends a pair, or `None` if the pair needs another round. A pass that comes too early waits
/// for the next judgment.
///
/// Each judgment can go wrong by chance, so the number of rounds grows by half from one to the next. Clear rounds are
/// judged once, before the others, because more rounds are not all clear either if the first are not.
pub(crate) fn final_judgment(rounds: &[Round], rules: Rules, is_early: bool) -> Option<Judgment> {
    let mut moments = std::iter::successors(Some(FEWEST_ROUNDS), |rounds| Some(rounds + rounds / 2));
    let is_due = moments.find(|moment| *moment >= rounds.len()) == Some(rounds.len());
    if !is_due && rounds.len() != rules.clear_rounds() {
        return None;
    }
    judge(rounds, rules).filter(|judgment| match judgment.verdict {
        Verdict::Pass => !is_early,
        verdict => verdict == Verdict::Regression,
    })
}

#[cfg(test)]
mod tests;
