//! A forecast from a sample of timed units, for `nqueens estimate --measure`.
//!
//! Predicted costs are accurate within a kind of units but not between kinds, so the ratio of measured seconds to
//! predicted cost is determined for each kind separately. A kind offers its units at evenly spread shares of its cost
//! ([`UnitKind::unit_of_timing`]), so a unit is chosen in proportion to its cost, and the mean of the ratios times the
//! cost of the kind estimates the time of the kind.

use std::collections::BTreeMap;
use std::ops::Range;
use std::time::{Duration, Instant};

use nqueens::CancelToken;
use nqueens::solver::Plan;
use serde_json::{Value, json};

use crate::exit;
use crate::forecast::Interval;
use crate::machine::stopwatch::Stopwatch;
use crate::terminal::task::Task;
use crate::terminal::units::plural;

/// The minimum number of timings of a kind, because the spread cannot be estimated from one.
const FEWEST_TIMINGS: usize = 2;

/// The minimum relative deviation of a kind, because even repeated counts of one unit differ by a tenth.
const LEAST_DEVIATION: f64 = 0.1;

/// How many times a timing counts its unit: see [`seconds_of`].
const COUNTS_OF_TIMING: usize = 2;

/// Half the length of a 95 % interval, in standard errors. It exceeds 1.96 because a standard error estimated from a
/// few timings is inaccurate itself.
const HALF_WIDTH_IN_STANDARD_ERRORS: f64 = 2.6;

/// The factor by which both ends of the interval are widened. Complete counts of n = 20 and 22 took up to this many
/// times as long, or as short, as their samples predicted: units share more in a complete count, and the clock of the
/// processor and the load change from minute to minute.
const SAMPLE_ERROR: f64 = 1.5;

/// The units of a plan by kind, with the measured times of some.
pub(super) struct TimedUnits<'a> {
    plan: &'a dyn Plan,
    /// The ranges of units that share programs.
    families: Vec<Range<usize>>,
    kinds: Vec<UnitKind>,
}

/// The units of one kind, and the measured ratios.
#[derive(Debug)]
struct UnitKind {
    /// The number of the kind, according to the plan's `Audit`.
    number: usize,
    /// Each unit of this kind, after the predicted cost of those before it.
    by_cost: Vec<(f64, usize)>,
    /// The predicted cost of all its units.
    cost: f64,
    /// Core seconds per predicted cost, for each timing.
    ratios: Vec<f64>,
}

/// Estimated core seconds of a kind, and their standard error.
struct Mean {
    seconds: f64,
    error: f64,
}

impl<'a> TimedUnits<'a> {
    /// Returns the units of a plan, none of which is timed yet.
    ///
    /// # Errors
    /// The units of this plan cannot be timed one by one.
    pub(super) fn new(plan: &'a dyn Plan) -> anyhow::Result<Self> {
        if plan.audit().part(0, 1.0).is_none() {
            return Err(exit::Kind::Usage.error(
                "--measure works only with the solver 'color': leave out --measure or, for n up to 30, give --solver color",
            ));
        }
        let mut kinds: BTreeMap<usize, UnitKind> = BTreeMap::new();
        for unit in 0..plan.units() {
            let number = plan.audit().kind(unit);
            let new = UnitKind { number, by_cost: Vec::new(), cost: 0.0, ratios: Vec::new() };
            let kind = kinds.entry(number).or_insert(new);
            kind.by_cost.push((kind.cost, unit));
            kind.cost += plan.cost(unit);
        }
        Ok(Self { plan, families: plan.families(), kinds: kinds.into_values().collect() })
    }

    /// Times units, or parts of long ones, on this thread for about `time`. `core_seconds` is the predicted time of the
    /// whole plan. After an error, the units that were timed before it count.
    pub(super) fn time_units(&mut self, time: Duration, core_seconds: f64, task: &Task) -> nqueens::Result<()> {
        let predicted_ratio = self.predicted_ratio(core_seconds);
        let seconds = time.as_secs_f64();
        let start = Instant::now();
        while let Some(at) = self.choose(start.elapsed() >= time) {
            let kind = &self.kinds[at];
            let unit = kind.unit_of_timing(kind.timings());
            let part = self.part(unit, time, *kind.ratios.first().unwrap_or(&predicted_ratio));
            let family = self.families.partition_point(|family| family.end <= unit);
            let ratio = seconds_of(&*part, self.families[family].len(), &task.stop.cancel)? / part.cost(0);
            self.kinds[at].ratios.push(ratio);
            let (timings, fewest) = (self.timings(), self.fewest_timings());
            let share = (start.elapsed().as_secs_f64() / seconds).min(timings as f64 / fewest as f64).min(1.0);
            task.show(share, || match self.choose(true) {
                Some(_) => format!("{timings} of at least {fewest} timings so far"),
                None => format!("{} so far", plural(timings, "timing")),
            });
        }
        Ok(())
    }

    /// Returns the predicted core seconds of the fewest timings in [`time_units`](Self::time_units), which cannot be
    /// left out however short `time` is, because even the smallest part of a long unit takes a while.
    pub(super) fn least_seconds(&self, time: Duration, core_seconds: f64) -> f64 {
        let ratio = self.predicted_ratio(core_seconds);
        let timings = self.kinds.iter().flat_map(|kind| (0..FEWEST_TIMINGS).map(|turn| kind.unit_of_timing(turn)));
        COUNTS_OF_TIMING as f64 * ratio * timings.map(|unit| self.part(unit, time, ratio).cost(0)).sum::<f64>()
    }

    /// Returns the predicted core seconds per predicted cost, from those of the whole plan.
    fn predicted_ratio(&self, core_seconds: f64) -> f64 {
        core_seconds / self.kinds.iter().map(|kind| kind.cost).sum::<f64>()
    }

    /// Returns a unit, or a part of a long one, so that `time` is enough for every kind. It takes `ratio` core seconds
    /// per predicted cost.
    fn part(&self, unit: usize, time: Duration, ratio: f64) -> Box<dyn Plan> {
        let longest = time.as_secs_f64() / (COUNTS_OF_TIMING * self.fewest_timings()) as f64;
        let share = (longest / (ratio * self.plan.cost(unit))).min(1.0);
        self.plan.audit().part(unit, share).expect("every unit of this plan has parts")
    }

    /// Returns the number of kinds.
    pub(super) fn kinds(&self) -> usize {
        self.kinds.len()
    }

    fn fewest_timings(&self) -> usize {
        FEWEST_TIMINGS * self.kinds.len()
    }

    /// Returns the number of timings. A unit may be timed several times.
    fn timings(&self) -> usize {
        self.kinds.iter().map(UnitKind::timings).sum()
    }

    /// Returns the size of the sample, such as `80 timings of 512 units`.
    pub(super) fn in_words(&self) -> String {
        format!("{} of {}", plural(self.timings(), "timing"), plural(self.plan.units(), "unit"))
    }

    /// Returns the kind to time next. Kinds with too few timings come first: the one with the fewest, and among equals
    /// the most costly. After that, until time is up, it is the kind whose next timing narrows the interval most.
    fn choose(&self, is_over: bool) -> Option<usize> {
        let all = || self.kinds.iter().enumerate();
        let few = all().filter(|(_, kind)| kind.timings() < FEWEST_TIMINGS);
        let least = few.min_by(|(_, a), (_, b)| a.timings().cmp(&b.timings()).then(b.cost.total_cmp(&a.cost)));
        if least.is_some() || is_over {
            return least.map(|(at, _)| at);
        }
        let gain = |kind: &UnitKind| kind.mean().map_or(0.0, |mean| mean.error / (kind.timings() as f64).sqrt());
        all().max_by(|(_, a), (_, b)| gain(a).total_cmp(&gain(b))).map(|(at, _)| at)
    }

    /// Returns the core seconds of all units, or `None` if a kind has too few timings.
    pub(super) fn core_seconds(&self) -> Option<Interval> {
        let means: Vec<Mean> = self.kinds.iter().map(UnitKind::mean).collect::<Option<_>>()?;
        let mean: f64 = means.iter().map(|mean| mean.seconds).sum();
        let squares: f64 = means.iter().map(|mean| mean.error.powi(2)).sum();
        let half = HALF_WIDTH_IN_STANDARD_ERRORS * squares.sqrt();
        Some(Interval { mean, low: (mean - half).max(0.0) / SAMPLE_ERROR, high: (mean + half) * SAMPLE_ERROR })
    }

    /// Returns the measurements of each kind, as JSON.
    pub(super) fn json(&self) -> Vec<Value> {
        self.kinds.iter().map(UnitKind::json).collect()
    }
}

impl UnitKind {
    /// Returns the core seconds of all its units, or `None` if it has too few timings.
    fn mean(&self) -> Option<Mean> {
        if self.timings() < FEWEST_TIMINGS {
            return None;
        }
        let timings = self.timings() as f64;
        let ratio = self.ratios.iter().sum::<f64>() / timings;
        let squares: f64 = self.ratios.iter().map(|one| (one - ratio).powi(2)).sum();
        let deviation = (squares / (timings - 1.0)).sqrt().max(LEAST_DEVIATION * ratio);
        Some(Mean { seconds: self.cost * ratio, error: self.cost * deviation / timings.sqrt() })
    }

    fn timings(&self) -> usize {
        self.ratios.len()
    }

    fn json(&self) -> Value {
        let mean = self.mean();
        json!({
            "kind": self.number,
            "units": self.by_cost.len(),
            "timings": self.timings(),
            "predicted_cost": self.cost,
            "core_seconds": mean.as_ref().map(|mean| mean.seconds),
            "standard_error": mean.as_ref().map(|mean| mean.error),
        })
    }

    /// Returns the unit of a timing, numbered from 0: the one at some share of the cost. Consecutive shares are
    /// multiples of the golden ratio modulo 1 and therefore far apart, which spreads the timings.
    fn unit_of_timing(&self, timing: usize) -> usize {
        let share = (0.5 + 0.618_034 * timing as f64).fract();
        let after = self.by_cost.partition_point(|&(before, _)| before <= share * self.cost);
        let (_, unit) = self.by_cost[after.max(1) - 1];
        unit
    }
}

/// Returns the core seconds of the only unit of a part. The second count of the unit is faster because its programs are
/// already written. In a complete count, the `sharing` units of a family write them once.
fn seconds_of(part: &dyn Plan, sharing: usize, cancel: &CancelToken) -> nqueens::Result<f64> {
    let mut worker = part.worker();
    let mut count = || -> nqueens::Result<f64> {
        let watch = Stopwatch::start();
        worker.count(0, cancel)?;
        Ok(watch.core_seconds())
    };
    let first = count()?;
    let second = count()?;
    Ok(second + (first - second).max(0.0) / sharing as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use nqueens::board::{Size, known};
    use nqueens::registry;
    use nqueens::solver::Isa;

    fn plan(n: usize) -> Box<dyn Plan> {
        let plan = registry::find("color").unwrap().plan(Size::new(n).unwrap(), Isa::Portable, &CancelToken::new());
        plan.unwrap()
    }

    #[test]
    fn every_unit_is_of_one_kind_and_timings_are_spread_by_cost() {
        let plan = plan(18);
        let mut timed = TimedUnits::new(&*plan).unwrap();
        let units = timed.kinds.iter().flat_map(|kind| kind.by_cost.iter().map(|&(_, unit)| unit));
        let mut units: Vec<usize> = units.collect();
        units.sort_unstable();
        assert_eq!(units, (0..plan.units()).collect::<Vec<_>>());
        let whole: f64 = units.iter().map(|&unit| plan.cost(unit)).sum();
        // Timings take alternately 1 and 1.5 seconds for each 1000 of cost.
        for kind in &mut timed.kinds {
            let mut seen = Vec::new();
            for turn in 0..20 {
                let unit = kind.unit_of_timing(turn);
                assert_eq!(kind.number, plan.audit().kind(unit));
                seen.push(unit);
                kind.ratios.push(if turn % 2 == 0 { 1e-3 } else { 1.5e-3 });
            }
            seen.sort_unstable();
            seen.dedup();
            assert!(seen.len() >= kind.by_cost.len().min(10) / 2, "{seen:?}");
        }
        let Interval { mean, low, high } = timed.core_seconds().unwrap();
        assert!(
            (mean / (1.25e-3 * whole) - 1.0).abs() < 1e-9
                && low * SAMPLE_ERROR < mean
                && mean * SAMPLE_ERROR < high
                && high < 2.1e-3 * whole
        );
    }

    /// Returns a kind of ten units with these ratios.
    fn kind(number: usize, cost: f64, ratios: &[f64]) -> UnitKind {
        UnitKind { number, by_cost: vec![(0.0, 0); 10], cost, ratios: ratios.to_vec() }
    }

    #[test]
    fn kinds_with_too_few_timings_come_first_then_those_that_say_most() {
        let plan = plan(12);
        let mut timed = TimedUnits::new(&*plan).unwrap();
        timed.kinds = vec![kind(0, 1.0, &[]), kind(1, 9.0, &[1.0]), kind(2, 5.0, &[])];
        let mut chosen = Vec::new();
        for _ in 0..5 {
            let at = timed.choose(true).unwrap();
            chosen.push(at);
            timed.kinds[at].ratios.push(1.0);
        }
        assert_eq!((chosen, timed.choose(true)), (vec![2, 0, 1, 2, 0], None));
        // The costliest of equally scattered kinds is chosen first, then a kind whose times are scattered more.
        assert_eq!(timed.choose(false), Some(1));
        timed.kinds[0].ratios.push(99.0);
        assert_eq!(timed.choose(false), Some(0));
    }

    #[test]
    fn a_whole_part_is_its_unit() {
        let plan = plan(12);
        let mut sum = 0;
        for unit in 0..plan.units() {
            let whole = plan.audit().part(unit, 1.0).unwrap();
            sum += whole.worker().count(0, &CancelToken::new()).unwrap().solutions;
            assert_eq!(whole.cost(0), plan.cost(unit));
        }
        assert_eq!(Some(sum), known::solutions(Size::new(12).unwrap()));
    }

    #[test]
    fn a_part_has_its_share_of_the_cost() {
        let plan = plan(18);
        let share = |unit| plan.audit().part(unit, 0.3).unwrap().cost(0) / plan.cost(unit);
        // Units with few terms have no part of this size.
        let close = (0..plan.units()).filter(|&unit| (0.25..0.35).contains(&share(unit))).count();
        assert!(close > 60, "{close} parts are about 30 % of their units");
    }
}
