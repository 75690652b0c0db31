//! Estimates of a count from a random sample of its units: how long it takes, and how large it is.
//!
//! Units are put into *strata*, the solver's own classes where their names tell such, and in each stratum into
//! *clusters*, families or parts of one. Clusters are drawn with replacement, with probabilities proportional to their
//! predicted cost c. If a drawn cluster measures y (seconds, or solutions), y / c times the whole cost of the stratum is
//! an unbiased estimate for the stratum, whatever the predictions are worth; the mean of several is a better one, and
//! their spread gives its standard error (Hansen and Hurwitz, Annals of Mathematical Statistics 14, 1943). A stratum of
//! which most would be drawn is counted in full.
//!
//! What a family's units share is done for each part of it that is drawn, and once where all are counted. A part's time
//! is therefore taken down to its share of a whole family's, by what is predicted of both.

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

/// The most classes that are taken from the names of units.
const MAX_CLASSES: usize = 40;

/// Strata where names tell no classes: as many groups of families, by cost.
const COST_CLASSES: usize = 8;

/// Where so large a share of a stratum would be drawn, it is counted in full.
const IN_FULL: f64 = 0.7;

/// Clusters drawn of each stratum at least, so that their spread is seen.
const FEWEST: usize = 2;

/// With fewer draws of a stratum its spread is hardly known.
const FEW: usize = 5;

/// Units of one class.
#[derive(Debug, Clone, Default)]
pub(crate) struct Stratum {
    /// Its clusters.
    pub(crate) clusters: Vec<Range<usize>>,
    /// The predicted cost of each: its share of the stratum's.
    costs: Vec<f64>,
    /// The predicted cost of counting each by itself, with what its family shares.
    alone: Vec<f64>,
    /// The predicted cost of all.
    pub(crate) cost: f64,
}

impl Stratum {
    /// The predicted cost of counting the cluster that is drawn, on average.
    fn cost_of_draw(&self) -> f64 {
        let weighted = self.costs.iter().zip(&self.alone).map(|(cost, alone)| cost * alone);
        weighted.sum::<f64>() / self.cost.max(f64::MIN_POSITIVE)
    }

    /// The predicted cost of counting all of it.
    fn cost_of_all(&self) -> f64 {
        self.alone.iter().sum()
    }

    /// The share of the time of counting a cluster by itself that it takes where its whole family is counted.
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
    /// What was drawn of each stratum, some perhaps more than once; all of it where it is counted in full.
    drawn: Vec<Vec<usize>>,
    is_full: Vec<bool>,
    /// What each cluster measured: seconds of cores, and its count.
    measured: HashMap<(usize, usize), Measured>,
    /// Seconds that passed for the threads that counted, at work or not.
    thread_seconds: f64,
}

/// What a cluster measured.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Measured {
    /// Seconds that cores were at work.
    pub(crate) core_seconds: f64,
    /// As many of them as it takes where its whole family is counted.
    pub(crate) fair_seconds: f64,
    /// The sum of its units.
    pub(crate) count: u128,
}

/// A drawn cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Draw {
    /// The number of its stratum.
    pub(crate) stratum: usize,
    /// Its number in it.
    pub(crate) cluster: usize,
}

/// A value with its standard error.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Estimated {
    /// The value.
    pub(crate) value: f64,
    /// Its standard error; infinite where one draw is all there is.
    pub(crate) error: f64,
}

impl<'a> RandomSample<'a> {
    /// Nothing is drawn yet. Clusters are families, or parts of them that cost about so much.
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

    /// Draws about so large a share of every stratum, and some clusters at least; those drawn before count.
    pub(crate) fn draw_share(&mut self, share: f64) {
        for at in 0..self.strata.len() {
            let stratum = &self.strata[at];
            let wanted = (share * stratum.cost / stratum.cost_of_draw()).ceil() as usize;
            self.draw(at, wanted.max(FEWEST));
        }
    }

    /// Draws so much that it takes about so many seconds of one core more, by what the clusters took that were counted
    /// so far. Strata get draws in proportion to their share of the time, divided by the root of what a draw costs.
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

    /// Draws of a stratum until so many are drawn.
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

    /// What was drawn and is not counted yet, the dearest first.
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

    /// Counts what was drawn, on so many threads.
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

    /// The share of a core that each thread got while it counted, on average: less than 1 where other programs are at
    /// work, or more threads than cores. 1 where nothing was counted.
    pub(crate) fn core_share(&self) -> f64 {
        if self.thread_seconds > 0.0 { (self.total().core_seconds / self.thread_seconds).min(1.0) } else { 1.0 }
    }

    /// Everything that was counted, by stratum.
    pub(crate) fn counted(&self) -> Vec<Draw> {
        let mut draws: Vec<Draw> = self.measured.keys().map(|&(stratum, cluster)| Draw { stratum, cluster }).collect();
        draws.sort_unstable();
        draws
    }

    /// The predicted cost of a cluster.
    pub(crate) fn cost(&self, draw: Draw) -> f64 {
        self.strata[draw.stratum].costs[draw.cluster]
    }

    /// The sum over all clusters that were counted.
    pub(crate) fn total(&self) -> Measured {
        self.measured.values().fold(Measured::default(), |sum, measured| Measured {
            core_seconds: sum.core_seconds + measured.core_seconds,
            fair_seconds: sum.fair_seconds + measured.fair_seconds,
            count: sum.count + measured.count,
        })
    }

    /// The exact sum of all units, where all were counted.
    pub(crate) fn exact(&self) -> Option<u128> {
        self.is_full.iter().all(|&is_full| is_full).then(|| self.total().count)
    }

    /// Whether the stated errors come from few draws of some stratum, so that they may be off by half themselves.
    pub(crate) fn is_rough(&self) -> bool {
        self.drawn.iter().zip(&self.is_full).any(|(drawn, &is_full)| !is_full && drawn.len() < FEW)
    }

    /// Estimated seconds of cores for all units.
    pub(crate) fn core_seconds(&self) -> Estimated {
        self.whole(|measured| measured.fair_seconds)
    }

    /// Estimated solutions.
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

    /// An estimate for one stratum.
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

    /// The mean of many estimates is the count, and they are spread as they say.
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

    /// A core that others have is no work of this one, and the share that it got is told.
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
