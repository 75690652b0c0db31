//! A forecast from a sample of units: `nqueens estimate --measure`.
//!
//! Predicted costs compare units of one class well, and classes badly. Each class therefore has its own ratio of
//! measured seconds to predicted cost. Units are drawn with probabilities in proportion to their costs, so that the
//! mean of their ratios times the cost of the class is the time of the class.

use std::collections::BTreeMap;
use std::ops::Range;
use std::time::{Duration, Instant};

use nqueens::CancelToken;
use nqueens::solver::Plan;
use serde_json::{Value, json};

use crate::exit;
use crate::machine::stopwatch::Stopwatch;
use crate::terminal::durations::TimeUnit;
use crate::terminal::task::Task;
use crate::terminal::units::plural;

/// The fewest samples of a class: two show how much they differ.
const FEWEST: usize = 2;

/// Times of one unit differ by a tenth from one count to the next.
const LEAST_DEVIATION: f64 = 0.1;

/// Half the length of a 95 % interval, in standard errors. More than 1.96, because few samples show the error badly.
const ERRORS: f64 = 2.6;

/// Whole counts of n = 20 and 22 took between this share of what their samples said and its inverse: units in a count
/// share more, and clocks and neighbors change from one minute to the next.
const SAMPLE_ERROR: f64 = 1.5;

/// An interval with ends further apart than this factor says only how long it takes at most.
const WIDEST: f64 = 20.0;

/// The units of a plan by class, and the times of some of them.
pub(crate) struct Sample<'a> {
    plan: &'a dyn Plan,
    families: Vec<Range<usize>>,
    classes: Vec<Class>,
}

/// Units of one class, and what was measured of them.
#[derive(Debug)]
struct Class {
    number: usize,
    /// Each unit, after the predicted cost of those before it.
    units: Vec<(f64, usize)>,
    cost: f64,
    /// Seconds of a core for each predicted cost.
    ratios: Vec<f64>,
}

impl<'a> Sample<'a> {
    /// A sample of no unit.
    ///
    /// # Errors
    /// If units of this plan cannot be timed alone.
    pub(crate) fn new(plan: &'a dyn Plan) -> anyhow::Result<Self> {
        if plan.audit().part(0, 1.0).is_none() {
            return Err(exit::Kind::Usage.error("--measure times units of the solver 'color': leave out --measure"));
        }
        let mut classes: BTreeMap<usize, Class> = BTreeMap::new();
        for unit in 0..plan.units() {
            let number = plan.audit().kind(unit);
            let new = Class { number, units: Vec::new(), cost: 0.0, ratios: Vec::new() };
            let class = classes.entry(number).or_insert(new);
            class.units.push((class.cost, unit));
            class.cost += plan.cost(unit);
        }
        Ok(Self { plan, families: plan.families(), classes: classes.into_values().collect() })
    }

    /// Times units, or parts of long ones, for about this time, on this thread. The whole plan is predicted to take
    /// `core_seconds`. After an error the sample has what was timed before it.
    pub(crate) fn time(&mut self, core_seconds: f64, time: Duration, task: &Task) -> nqueens::Result<()> {
        let usual = core_seconds / self.classes.iter().map(|class| class.cost).sum::<f64>();
        let (start, seconds) = (Instant::now(), time.as_secs_f64());
        // Each sample is timed twice.
        let most = seconds / (2 * FEWEST * self.classes.len()) as f64;
        while let Some(at) = self.choose(start.elapsed() >= time) {
            let class = &self.classes[at];
            let unit = class.next();
            let expected = class.ratios.first().unwrap_or(&usual) * self.plan.cost(unit);
            let part =
                self.plan.audit().part(unit, (most / expected).min(1.0)).expect("every unit of this plan has parts");
            let family = self.families.partition_point(|family| family.end <= unit);
            let ratio = seconds_of(&*part, self.families[family].len(), &task.cancel)? / part.cost(0);
            self.classes[at].ratios.push(ratio);
            let timed: usize = self.classes.iter().map(Class::samples).sum();
            let share = (start.elapsed().as_secs_f64() / seconds).min(1.0);
            task.show(share, || format!("{} timed", plural(timed, "unit")));
        }
        Ok(())
    }

    /// The class to time next: first those with too few samples, the fewest and then the most costly first; then the
    /// class whose next sample narrows the interval most, until time is over.
    fn choose(&self, is_over: bool) -> Option<usize> {
        let all = || self.classes.iter().enumerate();
        let few = all().filter(|(_, class)| class.samples() < FEWEST);
        let least = few.min_by(|(_, a), (_, b)| a.samples().cmp(&b.samples()).then(b.cost.total_cmp(&a.cost)));
        if least.is_some() || is_over {
            return least.map(|(at, _)| at);
        }
        let gain =
            |class: &Class| class.core_seconds().map_or(0.0, |[_, error]| error / (class.samples() as f64).sqrt());
        all().max_by(|(_, a), (_, b)| gain(a).total_cmp(&gain(b))).map(|(at, _)| at)
    }

    /// Seconds of a core for all units: the mean, and the ends of the range in which whole counts were. `None` if a
    /// class has too few samples.
    pub(crate) fn interval(&self) -> Option<[f64; 3]> {
        let (mut mean, mut squares) = (0.0, 0.0);
        for class in &self.classes {
            let [of_class, error] = class.core_seconds()?;
            mean += of_class;
            squares += error * error;
        }
        let half = ERRORS * f64::sqrt(squares);
        Some([mean, (mean - half).max(0.0) / SAMPLE_ERROR, (mean + half) * SAMPLE_ERROR])
    }

    /// What was measured of each class. The times have one unit, so that they can be compared.
    pub(crate) fn in_words(&self, unit: TimeUnit) -> impl Iterator<Item = String> {
        self.classes.iter().map(move |class| class.in_words(unit))
    }

    pub(crate) fn json(&self) -> Vec<Value> {
        self.classes.iter().map(Class::json).collect()
    }
}

impl Class {
    /// Seconds of a core for all its units, and the standard error. `None` if it has too few samples.
    fn core_seconds(&self) -> Option<[f64; 2]> {
        if self.samples() < FEWEST {
            return None;
        }
        let samples = self.samples() as f64;
        let mean = self.ratios.iter().sum::<f64>() / samples;
        let squares: f64 = self.ratios.iter().map(|ratio| (ratio - mean).powi(2)).sum();
        let deviation = (squares / (samples - 1.0)).sqrt().max(LEAST_DEVIATION * mean);
        Some([mean, deviation / samples.sqrt()].map(|ratio| self.cost * ratio))
    }

    fn samples(&self) -> usize {
        self.ratios.len()
    }

    /// What was measured, such as `class 4: 5 to 7 h; timed 3 times among 8000 units`.
    fn in_words(&self, unit: TimeUnit) -> String {
        let units = plural(self.units.len(), "unit");
        let timed = match self.samples() {
            0 => return format!("class {}: none of {units} was timed", self.number),
            1 => format!("timed once among {units}"),
            samples => format!("timed {samples} times among {units}"),
        };
        let range = self.core_seconds().map(|[mean, error]| [mean - ERRORS * error, mean + ERRORS * error]);
        let text = match range {
            Some(range @ [low, high]) if WIDEST * low >= high => format!("{}; {timed}", unit.between(range)),
            Some([_, high]) => format!("{}; {timed}, too seldom to say more", unit.between([0.0, high])),
            None => format!("{timed}, too seldom to say how long it takes"),
        };
        format!("class {}: {text}", self.number)
    }

    fn json(&self) -> Value {
        let [core_seconds, error] = self.core_seconds().map_or([None; 2], |both| both.map(Some));
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

/// Seconds of a core for the unit of a part. Its second count is faster, because the programs are already written; in a
/// whole count the `sharing` units of a family share them.
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
    fn every_unit_is_of_one_class_and_samples_are_spread_by_cost() {
        let plan = plan(18);
        let mut sample = Sample::new(&*plan).unwrap();
        let units = sample.classes.iter().flat_map(|class| class.units.iter().map(|&(_, unit)| unit));
        let mut units: Vec<usize> = units.collect();
        units.sort_unstable();
        assert_eq!(units, (0..plan.units()).collect::<Vec<_>>());
        let whole: f64 = units.iter().map(|&unit| plan.cost(unit)).sum();
        // A second for each 1000 of cost, and half as much more in every other sample.
        for class in &mut sample.classes {
            let mut seen = Vec::new();
            for turn in 0..20 {
                let unit = class.next();
                assert_eq!(class.number, plan.audit().kind(unit));
                seen.push(unit);
                class.ratios.push(if turn % 2 == 0 { 1e-3 } else { 1.5e-3 });
            }
            seen.sort_unstable();
            seen.dedup();
            assert!(seen.len() >= class.units.len().min(10) / 2, "{seen:?}");
        }
        let [mean, low, high] = sample.interval().unwrap();
        assert!(
            (mean / (1.25e-3 * whole) - 1.0).abs() < 1e-9
                && low * SAMPLE_ERROR < mean
                && mean * SAMPLE_ERROR < high
                && high < 2.1e-3 * whole
        );
    }

    /// A class of ten units with these ratios.
    fn class(number: usize, cost: f64, ratios: &[f64]) -> Class {
        Class { number, units: vec![(0.0, 0); 10], cost, ratios: ratios.to_vec() }
    }

    #[test]
    fn classes_with_too_few_samples_come_first_then_those_that_say_most() {
        let plan = plan(12);
        let mut sample = Sample::new(&*plan).unwrap();
        sample.classes = vec![class(0, 1.0, &[]), class(1, 9.0, &[1.0]), class(2, 5.0, &[])];
        let mut chosen = Vec::new();
        for _ in 0..5 {
            let at = sample.choose(true).unwrap();
            chosen.push(at);
            sample.classes[at].ratios.push(1.0);
        }
        assert_eq!((chosen, sample.choose(true)), (vec![2, 0, 1, 2, 0], None));
        // The most costly of equally scattered classes; then one whose times differ.
        assert_eq!(sample.choose(false), Some(1));
        sample.classes[0].ratios.push(99.0);
        assert_eq!(sample.choose(false), Some(0));
    }

    #[test]
    fn times_of_a_list_have_one_unit_and_a_class_timed_too_seldom_says_so() {
        const DAY: f64 = 86400.0;
        let days = TimeUnit::of([3.0 * DAY, 9.0 * DAY]);
        for (cost, ratios, words) in [
            (DAY, &[100.0, 100.0][..], "class 4: 80 to 120 days; timed 2 times among 10 units"),
            (1.0, &[100.0, 110.0, 100.0], "class 4: less than 0.1 days; timed 3 times among 10 units"),
            (DAY, &[1.0, 100.0], "class 4: up to 180 days; timed 2 times among 10 units, too seldom to say more"),
            (DAY, &[1.0], "class 4: timed once among 10 units, too seldom to say how long it takes"),
            (DAY, &[], "class 4: none of 10 units was timed"),
        ] {
            assert_eq!(class(4, cost, ratios).in_words(days), words);
        }
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
