//! Estimates the time and the result of a count from a random sample of its units.
//!
//! Units are in *strata*: the solver's classes, if the names of units have some. Each stratum has *clusters*: families or
//! parts of one. Clusters are drawn with replacement, with probabilities proportional to their predicted cost c. If a
//! cluster measures y (seconds, or solutions), y / c times the cost of the stratum is an unbiased estimate for the
//! stratum, however wrong the predictions are. The spread of several estimates gives the standard error of their mean
//! (Hansen and Hurwitz, Annals of Mathematical Statistics 14, 1943). If most of a stratum would be drawn, all of it is
//! counted.
//!
//! Units of a family share some work. A sample does it for each part that is drawn, a count once. So the time of a part is
//! reduced to its predicted share of the family's time.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;

use super::shards::Units;
use crate::machine::stopwatch::Stopwatch;
use nqueens::engine;
use nqueens::engine::Pool;
use nqueens::solver::Plan;
use nqueens::splitmix::SplitMix64;
use nqueens::{CancelToken, Monitor, Result};

/// The largest number of classes by the names of units.
const MAX_CLASSES: usize = 40;

/// Number of strata by cost, if names have no classes.
const COST_CLASSES: usize = 8;

/// If this share of a stratum would be drawn, all of it is counted.
const IN_FULL: f64 = 0.7;

/// The fewest clusters that are drawn of a stratum: two have a spread.
const FEWEST: usize = 2;

/// With fewer draws, the spread of a stratum is hardly known.
const FEW: usize = 5;

/// Units of one class.
#[derive(Debug, Clone, Default)]
pub(crate) struct Stratum {
    /// Its clusters.
    pub(crate) clusters: Vec<Range<usize>>,
    /// The predicted cost of each cluster in a count of the whole stratum.
    costs: Vec<f64>,
    /// The predicted cost of each cluster alone, with the shared work of its family.
    alone: Vec<f64>,
    /// The predicted cost of the stratum.
    pub(crate) cost: f64,
}

impl Stratum {
    /// The mean predicted cost of a draw.
    fn cost_of_draw(&self) -> f64 {
        let weighted = self.costs.iter().zip(&self.alone).map(|(cost, alone)| cost * alone);
        weighted.sum::<f64>() / self.cost.max(f64::MIN_POSITIVE)
    }

    /// The predicted cost of counting all of it.
    fn cost_of_all(&self) -> f64 {
        self.alone.iter().sum()
    }

    /// The time of a cluster in a count of its whole family, as a share of its time alone.
    fn fair_share(&self, cluster: usize) -> f64 {
        let (cost, alone) = (self.costs[cluster], self.alone[cluster]);
        if alone > 0.0 { cost / alone } else { 1.0 }
    }

    fn draw(&self, random: &mut SplitMix64) -> usize {
        let mut at = random.unit() * self.cost;
        for (cluster, cost) in self.costs.iter().enumerate() {
            if at < *cost {
                return cluster;
            }
            at -= cost;
        }
        self.costs.len() - 1
    }
}

/// A sample of a plan's units.
#[derive(Debug)]
pub(crate) struct RandomSample<'a> {
    plan: &'a dyn Plan,
    strata: Vec<Stratum>,
    random: SplitMix64,
    /// The clusters drawn of each stratum, some more than once; all, if it is counted in full.
    drawn: Vec<Vec<usize>>,
    is_full: Vec<bool>,
    /// The measurements, by stratum and cluster.
    measured: HashMap<(usize, usize), Measured>,
    /// Seconds of threads, at work or waiting.
    thread_seconds: f64,
}

/// The measurement of a cluster.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Measured {
    /// Seconds of cores.
    pub(crate) core_seconds: f64,
    /// Seconds of cores in a count of its whole family.
    pub(crate) fair_seconds: f64,
    /// The sum of its units.
    pub(crate) count: u128,
}

/// A drawn cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Draw {
    /// Its stratum.
    pub(crate) stratum: usize,
    /// Its number in the stratum.
    pub(crate) cluster: usize,
}

/// A value with its standard error.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Estimated {
    /// The value.
    pub(crate) value: f64,
    /// Its standard error; infinite if there is one draw.
    pub(crate) error: f64,
}

impl<'a> RandomSample<'a> {
    /// A sample without draws. Clusters are families, or parts of families that cost at most `cluster_cost`.
    pub(crate) fn new(plan: &'a dyn Plan, cluster_cost: f64, seed: u64) -> Self {
        let costs: Vec<f64> = (0..plan.units()).map(|unit| plan.cost(unit)).collect();
        let families = plan.families();
        let units = Units { costs: &costs, families: &families };
        let class = |family: &Range<usize>| {
            plan.name(family.start).split_once(',').map_or_else(String::new, |(class, _)| class.to_owned())
        };
        let mut classes: BTreeMap<String, Vec<Range<usize>>> = BTreeMap::new();
        for family in &families {
            classes.entry(class(family)).or_default().push(family.clone());
        }
        if !(2..=MAX_CLASSES).contains(&classes.len()) {
            classes = classes_by_cost(&units);
        }
        let stratum = |families: Vec<Range<usize>>| {
            let mut stratum = Stratum::default();
            for family in families {
                let (shared, of_family) = (plan.shared_cost(family.start), units.cost(family.clone()));
                for cluster in units.parts(family, cluster_cost) {
                    let own = units.cost(cluster.clone());
                    let cost = own + shared * own / of_family.max(f64::MIN_POSITIVE);
                    stratum.clusters.push(cluster);
                    stratum.costs.push(cost);
                    stratum.alone.push(own + shared);
                    stratum.cost += cost;
                }
            }
            stratum
        };
        let strata: Vec<Stratum> = classes.into_values().map(stratum).filter(|stratum| stratum.cost > 0.0).collect();
        Self {
            plan,
            drawn: vec![Vec::new(); strata.len()],
            is_full: vec![false; strata.len()],
            strata,
            random: SplitMix64::new(seed),
            measured: HashMap::new(),
            thread_seconds: 0.0,
        }
    }

    /// The predicted cost of the smallest sample.
    pub(crate) fn smallest_cost(&self) -> f64 {
        self.strata.iter().map(|stratum| (FEWEST as f64 * stratum.cost_of_draw()).min(stratum.cost_of_all())).sum()
    }

    /// The predicted cost of counting a cluster by itself.
    pub(crate) fn cost_alone(&self, draw: Draw) -> f64 {
        self.strata[draw.stratum].alone[draw.cluster]
    }

    /// The predicted cost of all strata.
    pub(crate) fn whole_cost(&self) -> f64 {
        self.strata.iter().map(|stratum| stratum.cost).sum()
    }

    /// Draws until about this share of every stratum is drawn, at least [`FEWEST`] clusters.
    pub(crate) fn draw_share(&mut self, share: f64) {
        for at in 0..self.strata.len() {
            let stratum = &self.strata[at];
            let wanted = (share * stratum.cost / stratum.cost_of_draw()).ceil() as usize;
            self.draw(at, wanted.max(FEWEST));
        }
    }

    /// Draws clusters that take about `core_seconds` more, by the measurements so far. A stratum gets draws in proportion
    /// to its time divided by the square root of the time of a draw.
    pub(crate) fn draw_seconds(&mut self, core_seconds: f64) {
        let seconds_of_draw: Vec<f64> = (0..self.strata.len())
            .map(|at| self.of_stratum(at, |measured| measured.fair_seconds).value / self.strata[at].cost)
            .zip(&self.strata)
            .map(|(pace, stratum)| pace * stratum.cost_of_draw())
            .collect();
        let whole: Vec<f64> = (0..self.strata.len()).map(|at| self.of_stratum(at, |m| m.fair_seconds).value).collect();
        let keenness = |at: usize| whole[at] / seconds_of_draw[at].max(1e-9).sqrt();
        let sum: f64 = (0..whole.len()).map(|at| keenness(at) * seconds_of_draw[at]).sum();
        for at in 0..whole.len() {
            let more = (core_seconds * keenness(at) / sum.max(1e-9)) as usize;
            let drawn = self.drawn[at].len();
            self.draw(at, drawn + more);
        }
    }

    /// Draws of a stratum until it has `wanted` draws.
    fn draw(&mut self, at: usize, wanted: usize) {
        let stratum = &self.strata[at];
        if self.is_full[at] {
            return;
        }
        if wanted as f64 * stratum.cost_of_draw() >= IN_FULL * stratum.cost_of_all() {
            self.is_full[at] = true;
            self.drawn[at] = (0..stratum.clusters.len()).collect();
            return;
        }
        while self.drawn[at].len() < wanted {
            let cluster = stratum.draw(&mut self.random);
            self.drawn[at].push(cluster);
        }
    }

    /// The clusters that are drawn and not counted, the dearest first.
    pub(crate) fn uncounted(&self) -> Vec<Draw> {
        let mut draws: Vec<Draw> = self
            .drawn
            .iter()
            .enumerate()
            .flat_map(|(stratum, drawn)| drawn.iter().map(move |&cluster| Draw { stratum, cluster }))
            .filter(|draw| !self.measured.contains_key(&(draw.stratum, draw.cluster)))
            .collect();
        draws.sort_unstable();
        draws.dedup();
        let cost = |draw: &Draw| self.strata[draw.stratum].costs[draw.cluster];
        draws.sort_by(|a, b| cost(b).total_cmp(&cost(a)));
        draws
    }

    /// Counts the clusters that are drawn, on this number of threads.
    ///
    /// # Errors
    /// Those of [`engine::for_each`].
    pub(crate) fn count(&mut self, threads: usize, cancel: &CancelToken, monitor: &Monitor) -> Result<()> {
        let draws = self.uncounted();
        let clusters: Vec<(usize, Range<usize>)> = draws
            .iter()
            .enumerate()
            .map(|(at, draw)| (at, self.strata[draw.stratum].clusters[draw.cluster].clone()))
            .collect();
        let units: Vec<(usize, usize)> =
            clusters.into_iter().flat_map(|(at, cluster)| cluster.map(move |unit| (at, unit))).collect();
        monitor.begin(units.len(), units.iter().map(|&(_, unit)| self.plan.cost(unit)).sum());
        let of_unit: HashMap<usize, usize> = units.iter().map(|&(at, unit)| (unit, at)).collect();
        let mut measured = vec![Measured::default(); draws.len()];
        let place = AtomicUsize::new(0);
        let taken_at = Mutex::new(HashMap::new());
        let lock = || taken_at.lock().unwrap_or_else(PoisonError::into_inner);
        let next = || {
            let &(_, unit) = units.get(place.fetch_add(1, Relaxed))?;
            lock().insert(thread::current().id(), Stopwatch::start());
            Some(unit)
        };
        let done = engine::drain(self.plan, next, Pool::Own(threads), units.len(), cancel, monitor, |unit, tally| {
            let watch = lock().remove(&thread::current().id());
            let (at, seconds) = (of_unit[&unit], watch.map_or(0.0, |watch| watch.core_seconds()));
            self.thread_seconds += watch.map_or(0.0, |watch| watch.elapsed_seconds());
            let (draw, cluster) = (draws[at], &mut measured[at]);
            cluster.core_seconds += seconds;
            cluster.fair_seconds += seconds * self.strata[draw.stratum].fair_share(draw.cluster);
            cluster.count += tally.solutions;
            Ok(())
        })?;
        if done.units < units.len() {
            let per_mille = (1000 * done.units / units.len()) as u32;
            return Err(nqueens::Error::Cancelled { units_done: done.units, units: units.len(), per_mille });
        }
        let keys = draws.into_iter().map(|draw| (draw.stratum, draw.cluster));
        self.measured.extend(keys.zip(measured));
        Ok(())
    }

    /// The mean share of a core that the threads got: less than 1 beside other programs. 1 if nothing was counted.
    pub(crate) fn core_share(&self) -> f64 {
        if self.thread_seconds > 0.0 { (self.total().core_seconds / self.thread_seconds).min(1.0) } else { 1.0 }
    }

    /// The clusters that were counted, by stratum.
    pub(crate) fn counted(&self) -> Vec<Draw> {
        let mut draws: Vec<Draw> = self.measured.keys().map(|&(stratum, cluster)| Draw { stratum, cluster }).collect();
        draws.sort_unstable();
        draws
    }

    /// The predicted cost of a cluster.
    pub(crate) fn cost(&self, draw: Draw) -> f64 {
        self.strata[draw.stratum].costs[draw.cluster]
    }

    /// The sum of all measurements.
    pub(crate) fn total(&self) -> Measured {
        self.measured.values().fold(Measured::default(), |sum, measured| Measured {
            core_seconds: sum.core_seconds + measured.core_seconds,
            fair_seconds: sum.fair_seconds + measured.fair_seconds,
            count: sum.count + measured.count,
        })
    }

    /// The sum of all units, if all were counted.
    pub(crate) fn exact(&self) -> Option<u128> {
        self.is_full.iter().all(|&is_full| is_full).then(|| self.total().count)
    }

    /// Whether the errors are from few draws of a stratum, and may be wrong by half.
    pub(crate) fn is_rough(&self) -> bool {
        self.drawn.iter().zip(&self.is_full).any(|(drawn, &is_full)| !is_full && drawn.len() < FEW)
    }

    /// The estimate of seconds of cores for all units.
    pub(crate) fn core_seconds(&self) -> Estimated {
        self.whole(|measured| measured.fair_seconds)
    }

    /// The estimate of the number of solutions.
    pub(crate) fn solutions(&self) -> Estimated {
        let divisor = self.plan.divisor() as f64;
        self.whole(|measured| measured.count as f64 / divisor)
    }

    fn whole(&self, of: impl Fn(Measured) -> f64) -> Estimated {
        let parts = (0..self.strata.len()).map(|at| self.of_stratum(at, &of));
        let (value, squares) =
            parts.fold((0.0, 0.0), |(value, squares), part| (value + part.value, squares + part.error.powi(2)));
        Estimated { value, error: squares.sqrt() }
    }

    /// The estimate for one stratum.
    fn of_stratum(&self, at: usize, of: impl Fn(Measured) -> f64) -> Estimated {
        let stratum = &self.strata[at];
        let measured = |&cluster: &usize| self.measured.get(&(at, cluster)).map(|&m| (of(m), stratum.costs[cluster]));
        let values: Vec<(f64, f64)> = self.drawn[at].iter().filter_map(measured).collect();
        if self.is_full[at] {
            return Estimated { value: values.iter().map(|(value, _)| value).sum(), error: 0.0 };
        }
        let number = values.len() as f64;
        let estimates: Vec<f64> = values.iter().map(|(value, cost)| value / cost * stratum.cost).collect();
        let mean = estimates.iter().sum::<f64>() / number.max(1.0);
        let squares: f64 = estimates.iter().map(|estimate| (estimate - mean).powi(2)).sum();
        let error = if number > 1.0 { (squares / (number * (number - 1.0))).sqrt() } else { f64::INFINITY };
        Estimated { value: mean, error }
    }
}

/// Families in groups, by cost.
fn classes_by_cost(units: &Units<'_>) -> BTreeMap<String, Vec<Range<usize>>> {
    let mut families = units.families.to_vec();
    families.sort_by(|a, b| units.cost(a.clone()).total_cmp(&units.cost(b.clone())));
    let size = families.len().div_ceil(COST_CLASSES).max(1);
    families.chunks(size).enumerate().map(|(at, some)| (format!("cost group {at}"), some.to_vec())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::stopwatch::tests::{NAP, sleepy};
    use nqueens::board::Size;
    use nqueens::solver::{Isa, registry};

    fn counted(plan: &dyn Plan, share: f64, seed: u64) -> RandomSample<'_> {
        let mut sample = RandomSample::new(plan, f64::INFINITY, seed);
        sample.draw_share(share);
        sample.count(2, &CancelToken::new(), &Monitor::new()).unwrap();
        sample
    }

    #[test]
    fn a_sample_of_everything_counts_everything() {
        for (solver, n, solutions) in [("color", 12, 14_200u128), ("bitmask", 9, 352), ("mask", 8, 92)] {
            let plan = registry::find(solver).unwrap().plan(Size::new(n).unwrap(), Isa::Portable);
            let sample = counted(&*plan, 1.0, 1);
            assert_eq!(sample.exact(), Some(solutions * u128::from(plan.divisor())), "{solver}");
            assert_eq!(sample.solutions().value, solutions as f64);
            assert_eq!((sample.solutions().error, sample.uncounted()), (0.0, vec![]));
        }
    }

    #[test]
    fn estimates_are_unbiased_and_spread_as_they_say() {
        let plan = registry::find("bitmask").unwrap().plan(Size::new(11).unwrap(), Isa::Portable);
        const SAMPLES: u64 = 300;
        let samples: Vec<Estimated> = (0..SAMPLES).map(|seed| counted(&*plan, 0.1, seed).solutions()).collect();
        let mean = samples.iter().map(|sample| sample.value).sum::<f64>() / SAMPLES as f64;
        let spread = (samples.iter().map(|s| (s.value - 2680.0).powi(2)).sum::<f64>() / SAMPLES as f64).sqrt();
        let said = (samples.iter().map(|sample| sample.error.powi(2)).sum::<f64>() / SAMPLES as f64).sqrt();
        assert!((mean - 2680.0).abs() < 4.0 * spread / (SAMPLES as f64).sqrt(), "{mean} with {spread}");
        assert!((0.8..1.25).contains(&(said / spread)), "said {said}, found {spread}");
    }

    #[test]
    #[cfg_attr(not(any(target_os = "linux", target_os = "macos")), ignore = "it tells no processor time")]
    fn waiting_is_not_taken_for_work() {
        let plan = registry::find("mask").unwrap().plan(Size::new(6).unwrap(), Isa::Portable);
        let units = plan.units();
        let sleepy = sleepy(plan);
        let sample = counted(&sleepy, 1.0, 1);
        let slept = units as f64 * NAP.as_secs_f64();
        assert!(sample.thread_seconds >= slept, "{} of {slept}", sample.thread_seconds);
        let (waited, share) = (sample.thread_seconds - sample.core_seconds().value, sample.core_share());
        assert!(waited > 0.9 * slept, "{waited} of {slept}");
        assert!((0.0..1.0).contains(&share), "{share}");
        assert_eq!(RandomSample::new(&sleepy, f64::INFINITY, 1).core_share(), 1.0);
    }

    #[test]
    fn the_same_seed_draws_the_same_clusters() {
        let plan = registry::find("bitmask").unwrap().plan(Size::new(11).unwrap(), Isa::Portable);
        let (one, other) = (counted(&*plan, 0.1, 7), counted(&*plan, 0.1, 7));
        assert_eq!((one.counted(), one.total().count), (other.counted(), other.total().count));
        assert!(one.exact().is_none());
    }
}
