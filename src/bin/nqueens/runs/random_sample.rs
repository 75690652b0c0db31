//! Estimates the time and the result of a count from a random sample of its units.
//!
//! *Clusters* are families of units, or parts of families. The sample lays their predicted costs end to end on a line,
//! in the plan's order, so that similar clusters are neighbors. It cuts the line into sections of equal cost. A random
//! point in each section draws the cluster at that point.
//!
//! Let y be the measured seconds or solutions of a cluster of cost c. Then y / c times the cost of the whole line is an
//! unbiased estimate of the total, even if the predictions are wrong (Hansen and Hurwitz, Annals of Mathematical
//! Statistics 14, 1943). The standard error comes from the differences of neighboring sections. It tends to be too
//! large.
//!
//! Units of a family share some work. A count does this work once for the family, a sample once for each part that it
//! draws. So the sample reduces the time of a part to its predicted share of the family's time.

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

/// A sample that would draw this share of the line counts the whole line.
const IN_FULL: f64 = 0.7;

/// The fewest draws of a sample.
const FEWEST: usize = 12;

/// A family of units, or a part of one.
#[derive(Debug)]
struct Cluster {
    units: Range<usize>,
    /// The predicted cost as a part of a whole count.
    cost: f64,
    /// The predicted cost if it is counted alone, with the shared work of its family.
    alone: f64,
}

/// The measurement of a cluster.
#[derive(Debug, Clone, Copy, Default)]
struct Measured {
    /// The core seconds that it would take as a part of a whole count.
    core_seconds: f64,
    /// The sum of the units.
    count: u128,
    /// Number of units that were counted.
    units: usize,
}

/// A value with its standard error.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Estimated {
    pub(crate) value: f64,
    pub(crate) error: f64,
}

/// A sample of a plan's units.
#[derive(Debug)]
pub(crate) struct RandomSample<'a> {
    plan: &'a dyn Plan,
    clusters: Vec<Cluster>,
    random: SplitMix64,
    /// The cluster that each section drew.
    drawn: Vec<usize>,
    /// Whether all clusters are drawn.
    is_full: bool,
    measured: BTreeMap<usize, Measured>,
}

impl<'a> RandomSample<'a> {
    /// Makes a sample without draws. Clusters are families, or parts of families that cost at most `cluster_cost`.
    pub(crate) fn new(plan: &'a dyn Plan, cluster_cost: f64, seed: u64) -> Self {
        let costs: Vec<f64> = (0..plan.units()).map(|unit| plan.cost(unit)).collect();
        let families = plan.families();
        let units = Units { costs: &costs, families: &families };
        let mut clusters = Vec::new();
        for family in &families {
            let (shared, of_family) = (plan.shared_cost(family.start), units.cost(family.clone()));
            for part in units.parts(family.clone(), cluster_cost) {
                let own = units.cost(part.clone());
                let cost = own + shared * own / of_family.max(f64::MIN_POSITIVE);
                clusters.push(Cluster { units: part, cost, alone: own + shared });
            }
        }
        Self {
            plan,
            clusters,
            random: SplitMix64::new(seed),
            drawn: Vec::new(),
            is_full: false,
            measured: BTreeMap::new(),
        }
    }

    /// The predicted cost of a whole count.
    pub(crate) fn whole_cost(&self) -> f64 {
        self.clusters.iter().map(|cluster| cluster.cost).sum()
    }

    /// The predicted cost of all clusters alone.
    fn cost_of_all(&self) -> f64 {
        self.clusters.iter().map(|cluster| cluster.alone).sum()
    }

    /// The mean predicted cost of a draw.
    fn cost_of_draw(&self) -> f64 {
        let weighted = self.clusters.iter().map(|cluster| cluster.cost * cluster.alone);
        weighted.sum::<f64>() / self.whole_cost().max(f64::MIN_POSITIVE)
    }

    /// The predicted cost of the smallest sample.
    pub(crate) fn smallest_cost(&self) -> f64 {
        (FEWEST as f64 * self.cost_of_draw()).min(self.cost_of_all())
    }

    /// Draws about this share of the cost, at least [`FEWEST`] clusters. Cuts the line into sections, and draws a
    /// cluster in each.
    pub(crate) fn draw(&mut self, share: f64) {
        let draws = ((share * self.whole_cost() / self.cost_of_draw()).ceil() as usize).max(FEWEST);
        self.is_full = draws as f64 * self.cost_of_draw() >= IN_FULL * self.cost_of_all();
        if self.is_full {
            self.drawn = (0..self.clusters.len()).collect();
            return;
        }
        let section = self.whole_cost() / draws as f64;
        let (mut at, mut end) = (0, self.clusters[0].cost);
        for number in 0..draws {
            let point = (number as f64 + self.random.unit()) * section;
            while end <= point && at + 1 < self.clusters.len() {
                at += 1;
                end += self.clusters[at].cost;
            }
            self.drawn.push(at);
        }
    }

    /// The clusters that are drawn, each once, the most expensive first.
    fn to_count(&self) -> Vec<usize> {
        let mut drawn = self.drawn.clone();
        drawn.dedup();
        drawn.sort_by(|&a, &b| self.clusters[b].cost.total_cmp(&self.clusters[a].cost));
        drawn
    }

    /// The predicted cost of counting the clusters that are drawn.
    pub(crate) fn cost_to_count(&self) -> f64 {
        self.to_count().into_iter().map(|cluster| self.clusters[cluster].alone).sum()
    }

    /// Counts the clusters that are drawn, on these threads.
    ///
    /// # Errors
    /// Those of [`engine::for_each`].
    pub(crate) fn count(&mut self, pool: Pool, cancel: &CancelToken, monitor: &Monitor) -> Result<()> {
        let units: Vec<(usize, usize)> = self
            .to_count()
            .into_iter()
            .flat_map(|cluster| self.clusters[cluster].units.clone().map(move |unit| (unit, cluster)))
            .collect();
        monitor.begin(units.len(), units.iter().map(|&(unit, _)| self.plan.cost(unit)).sum());
        let cluster_of: HashMap<usize, usize> = units.iter().copied().collect();
        let place = AtomicUsize::new(0);
        let taken_at = Mutex::new(HashMap::new());
        let lock = || taken_at.lock().unwrap_or_else(PoisonError::into_inner);
        let next = || {
            let &(unit, _) = units.get(place.fetch_add(1, Relaxed))?;
            lock().insert(thread::current().id(), Stopwatch::start());
            Some(unit)
        };
        let done = engine::drain(self.plan, next, pool, units.len(), cancel, monitor, |unit, tally| {
            let watch = lock().remove(&thread::current().id());
            let (at, seconds) = (cluster_of[&unit], watch.map_or(0.0, |watch: Stopwatch| watch.core_seconds()));
            let (cluster, measured) = (&self.clusters[at], self.measured.entry(at).or_default());
            measured.core_seconds += seconds * cluster.cost / cluster.alone.max(f64::MIN_POSITIVE);
            measured.count += tally.solutions;
            measured.units += 1;
            Ok(())
        })?;
        if done.units < units.len() {
            let per_mille = (1000 * done.units / units.len()) as u32;
            return Err(nqueens::Error::Cancelled { units_done: done.units, units: units.len(), per_mille });
        }
        Ok(())
    }

    /// Leaves out what was drawn and not counted, after a stop. Returns whether two draws are left: fewer have no
    /// standard error.
    pub(crate) fn keep_counted(&mut self) -> bool {
        let clusters = &self.clusters;
        self.measured.retain(|&at, measured| measured.units == clusters[at].units.len());
        self.drawn.retain(|at| self.measured.contains_key(at));
        self.is_full = false;
        self.drawn.len() >= 2
    }

    /// Number of clusters that were counted.
    pub(crate) fn parts(&self) -> usize {
        self.measured.len()
    }

    /// The share of the predicted cost that was counted.
    pub(crate) fn share(&self) -> f64 {
        self.measured.keys().map(|&cluster| self.clusters[cluster].cost).sum::<f64>() / self.whole_cost()
    }

    /// The sum of the units that were counted.
    pub(crate) fn sum(&self) -> u128 {
        self.measured.values().map(|measured| measured.count).sum()
    }

    /// Whether all units were counted.
    pub(crate) fn is_full(&self) -> bool {
        self.is_full
    }

    /// The estimate of seconds of cores for all units.
    pub(crate) fn core_seconds(&self) -> Estimated {
        self.whole(|measured| measured.core_seconds)
    }

    /// The estimate of the number of solutions.
    pub(crate) fn solutions(&self) -> Estimated {
        let divisor = self.plan.divisor() as f64;
        self.whole(|measured| measured.count as f64 / divisor)
    }

    /// The mean of the draws' estimates, with its standard error.
    fn whole(&self, of: impl Fn(Measured) -> f64) -> Estimated {
        if self.is_full {
            return Estimated { value: self.measured.values().map(|&measured| of(measured)).sum(), error: 0.0 };
        }
        let whole_cost = self.whole_cost();
        let estimate = |&cluster: &usize| of(self.measured[&cluster]) / self.clusters[cluster].cost * whole_cost;
        let estimates: Vec<f64> = self.drawn.iter().map(estimate).collect();
        let draws = estimates.len() as f64;
        let steps: f64 = estimates.windows(2).map(|pair| (pair[1] - pair[0]).powi(2)).sum();
        Estimated {
            value: estimates.iter().sum::<f64>() / draws,
            error: (steps / (2.0 * draws * (draws - 1.0))).sqrt(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::altered::Altered;
    use nqueens::board::Size;
    use nqueens::solver::{Isa, registry};

    #[test]
    fn a_sample_that_is_stopped_estimates_from_what_it_counted() {
        let size = Size::new(12).unwrap();
        let plan = registry::find("bitmask").unwrap().plan(size, Isa::Portable, &CancelToken::new()).unwrap();
        let (cancel, counted) = (CancelToken::new(), AtomicUsize::new(0));
        let stop = cancel.clone();
        let plan = Altered::tallies(plan, move |_, _| {
            if counted.fetch_add(1, Relaxed) == 15 {
                stop.cancel();
            }
            Ok(())
        });
        let mut sample = RandomSample::new(&plan, 0.0, 1);
        sample.draw(0.5);
        let stopped = sample.count(Pool::Own(1), &cancel, &Monitor::new());
        assert!(matches!(stopped, Err(nqueens::Error::Cancelled { .. })), "{stopped:?}");
        assert!(sample.keep_counted() && sample.parts() > 1 && sample.share() < 0.5);
        let solutions = sample.solutions();
        assert!((1420.0..142_000.0).contains(&solutions.value) && solutions.error > 0.0, "{solutions:?}");
    }
}
