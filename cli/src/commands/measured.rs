//! A forecast from a sample: `nqueens estimate --measure`.
//!
//! Predicted costs compare units of one kind well, and kinds badly. So each kind has its own ratio of measured seconds to
//! predicted cost. Units are drawn with probabilities in proportion to their costs, so the mean of their ratios times the
//! cost of the kind is its time.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use nqueens::CancelToken;
use nqueens::solver::Plan;
use serde_json::{Value, json};

use crate::exit;
use crate::forecast::between;
use crate::machine::stopwatch::Stopwatch;
use crate::terminal::task::Task;
use crate::terminal::units::plural;

/// The fewest samples of a kind: two tell how much they differ.
const FEWEST: usize = 2;

/// Times of one unit differ by a tenth from one count to the next.
const LEAST_DEVIATION: f64 = 0.1;

/// Half the length of a 95 % interval, in standard errors. More than 1.96, because few samples tell the error badly.
const ERRORS: f64 = 2.6;

/// Whole counts of n = 20 and 22 took between this share of what their samples said and its inverse: units in a count share
/// more, and clocks and neighbors change from one minute to the next.
const SAMPLE_ERROR: f64 = 1.5;

/// Units of one kind, and what was measured of them.
#[derive(Debug)]
pub(crate) struct Kind {
    number: usize,
    /// Each unit, after the predicted cost of those before it.
    units: Vec<(f64, usize)>,
    cost: f64,
    /// Seconds of a core for each predicted cost.
    ratios: Vec<f64>,
}

impl Kind {
    /// Seconds of a core for all its units, and the standard error.
    pub(crate) fn core_seconds(&self) -> [f64; 2] {
        let samples = self.ratios.len() as f64;
        let mean = self.ratios.iter().sum::<f64>() / samples;
        let squares: f64 = self.ratios.iter().map(|ratio| (ratio - mean).powi(2)).sum();
        let deviation = (squares / (samples - 1.0)).sqrt().max(LEAST_DEVIATION * mean);
        [mean, deviation / samples.sqrt()].map(|ratio| self.cost * ratio)
    }

    fn samples(&self) -> usize {
        self.ratios.len()
    }

    /// What was measured, such as `4: 5 to 7 h, 3 times among 8000 units`.
    pub(crate) fn in_words(&self) -> String {
        let [mean, error] = self.core_seconds();
        let half = ERRORS * error;
        let time = between([(mean - half).max(0.0), mean + half]);
        let units = plural(self.units.len(), "unit");
        format!("class {}: {time}; timed {} times among {units}", self.number, self.samples())
    }

    pub(crate) fn json(&self) -> Value {
        let [core_seconds, error] = self.core_seconds();
        json!({
            "kind": self.number,
            "units": self.units.len(),
            "samples": self.samples(),
            "predicted_cost": self.cost,
            "core_seconds": core_seconds,
            "standard_error": error,
        })
    }

    /// The unit at a share of the cost. Shares that follow each other are far apart, so samples are spread.
    fn next(&self) -> usize {
        let share = (0.5 + 0.618_034 * self.samples() as f64).fract();
        let after = self.units.partition_point(|&(before, _)| before <= share * self.cost);
        self.units[after.max(1) - 1].1
    }
}

/// Seconds of a core for all units: the mean, and the ends of the range in which whole counts were.
pub(crate) fn interval(kinds: &[Kind]) -> [f64; 3] {
    let all = kinds.iter().map(Kind::core_seconds);
    let (mean, squares) = all.fold((0.0, 0.0), |(sum, squares), [mean, error]| (sum + mean, squares + error * error));
    let half = ERRORS * f64::sqrt(squares);
    [mean, (mean - half).max(0.0) / SAMPLE_ERROR, (mean + half) * SAMPLE_ERROR]
}

/// Times units, or parts of long ones, for about this time, on this thread.
///
/// # Errors
/// If units of this plan cannot be timed alone, or if the work is cancelled.
pub(crate) fn measure(plan: &dyn Plan, core_seconds: f64, time: Duration, task: &Task) -> anyhow::Result<Vec<Kind>> {
    let mut kinds = of_plan(plan);
    let families = plan.families();
    let cost: f64 = kinds.iter().map(|kind| kind.cost).sum();
    let usual = core_seconds / cost;
    let (start, seconds) = (Instant::now(), time.as_secs_f64());
    // Each sample is timed twice.
    let most = seconds / (2 * FEWEST * kinds.len()) as f64;
    loop {
        let is_over = start.elapsed() >= time;
        let value = |kind: &Kind| match kind.samples() {
            few if few < FEWEST => (FEWEST - few) as f64 * 1e100 + kind.cost,
            _ if is_over => 0.0,
            samples => kind.core_seconds()[1] / (samples as f64).sqrt(),
        };
        let kind = kinds.iter_mut().max_by(|a, b| value(a).total_cmp(&value(b))).expect("a plan has units");
        if value(kind) == 0.0 {
            return Ok(kinds);
        }
        let unit = kind.next();
        let expected = kind.ratios.first().unwrap_or(&usual) * plan.cost(unit);
        let Some(part) = plan.audit().part(unit, (most / expected).min(1.0)) else {
            return Err(exit::Kind::Usage.error("--measure times units of the solver 'color': leave out --measure"));
        };
        let family = families.partition_point(|family| family.end <= unit);
        kind.ratios.push(seconds_of(&*part, families[family].len(), &task.cancel)? / part.cost(0));
        let samples: usize = kinds.iter().map(Kind::samples).sum();
        let share = (start.elapsed().as_secs_f64() / seconds).min(1.0);
        task.show(share, || format!("{} timed", plural(samples, "unit")));
    }
}

/// Seconds of a core for the unit of a part. Its second count is faster: the programs are there. In a whole count the
/// `sharing` units of a family share them.
fn seconds_of(part: &dyn Plan, sharing: usize, cancel: &CancelToken) -> nqueens::Result<f64> {
    let mut worker = part.worker();
    let mut count = || -> nqueens::Result<f64> {
        let watch = Stopwatch::start();
        worker.count(0, cancel)?;
        Ok(watch.core_seconds())
    };
    let (first, second) = (count()?, count()?);
    Ok(second + (first - second).max(0.0) / sharing as f64)
}

/// The units of a plan by kind.
fn of_plan(plan: &dyn Plan) -> Vec<Kind> {
    let mut kinds: BTreeMap<usize, Kind> = BTreeMap::new();
    for unit in 0..plan.units() {
        let number = plan.audit().kind(unit);
        let new = Kind { number, units: Vec::new(), cost: 0.0, ratios: Vec::new() };
        let kind = kinds.entry(number).or_insert(new);
        kind.units.push((kind.cost, unit));
        kind.cost += plan.cost(unit);
    }
    kinds.into_values().collect()
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
    fn every_unit_is_of_one_kind_and_samples_are_spread_by_cost() {
        let plan = plan(18);
        let mut kinds = of_plan(&*plan);
        let mut units: Vec<usize> = kinds.iter().flat_map(|kind| kind.units.iter().map(|&(_, unit)| unit)).collect();
        units.sort_unstable();
        assert_eq!(units, (0..plan.units()).collect::<Vec<_>>());
        let whole: f64 = units.iter().map(|&unit| plan.cost(unit)).sum();
        // A second for each 1000 of cost, and half as much more in every other sample.
        for kind in &mut kinds {
            let mut seen = Vec::new();
            for sample in 0..20 {
                let unit = kind.next();
                assert_eq!(kind.number, plan.audit().kind(unit));
                seen.push(unit);
                kind.ratios.push(if sample % 2 == 0 { 1e-3 } else { 1.5e-3 });
            }
            seen.sort_unstable();
            seen.dedup();
            assert!(seen.len() >= kind.units.len().min(10) / 2, "{seen:?}");
        }
        let [mean, low, high] = interval(&kinds);
        assert!(
            (mean / (1.25e-3 * whole) - 1.0).abs() < 1e-9
                && low * SAMPLE_ERROR < mean
                && mean * SAMPLE_ERROR < high
                && high < 2.1e-3 * whole
        );
    }

    /// The parts of a unit are units too: their tallies add up.
    #[test]
    fn a_part_has_its_share_of_the_cost() {
        let plan = plan(12);
        let mut sum = 0;
        for unit in 0..plan.units() {
            let (whole, part) = (plan.audit().part(unit, 1.0).unwrap(), plan.audit().part(unit, 0.3).unwrap());
            sum += whole.worker().count(0, &CancelToken::new()).unwrap().solutions;
            assert!(part.cost(0) <= whole.cost(0) && whole.cost(0) == plan.cost(unit));
        }
        assert_eq!(Some(sum), known::solutions(Size::new(12).unwrap()));
    }
}
