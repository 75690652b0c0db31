//! The progress of a run.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use super::results::ValidLine;
use super::{Results, RunFolder, RunPlan, RunningClaim, moment};
use crate::forecast::CountForecast;
use nqueens::registry;

/// The time left is forecast from this number of results, the last ones. Shards differ from their predictions by 45 %,
/// so the mean of 100 is right to 5 %.
const LATEST: usize = 100;

/// The last minutes tell the pace if they have this number of results.
const ENOUGH: usize = 5;

/// The progress of a run. Each shard is done, running, missing or disputed.
#[derive(Debug)]
pub(crate) struct Status {
    pub(crate) results: Results,
    /// The shards that a process is counting, in order.
    pub(crate) running: Vec<RunningClaim>,
    /// The shards that no process is counting: a scheduler has to start them.
    pub(crate) missing: Vec<usize>,
    /// Core seconds per predicted second: the [latest](latest_pace), or that of [this machine](pace_here).
    pace: f64,
    /// Predicted seconds of the shards that were finished in each second of the last minutes.
    predicted_per_second: Option<f64>,
}

impl Status {
    /// Reads the logs and claims of these folders of one run.
    pub(crate) fn of(folders: &[RunFolder]) -> anyhow::Result<Self> {
        // Reads the claims first. A shard that is finished between the two steps then counts as done, and is not
        // missing.
        let mut running = Vec::new();
        for folder in folders {
            running.extend(folder.held()?);
        }
        // Processes can count a shard in two folders.
        running.sort_by_key(|claim| claim.shard);
        running.dedup_by_key(|claim| claim.shard);
        let results = Results::read(folders)?;
        let mut missing = results.missing();
        missing.retain(|shard| !results.wrong.contains_key(shard));
        running.retain(|claim| missing.binary_search(&claim.shard).is_ok());
        missing.retain(|shard| running.binary_search_by_key(shard, |claim| claim.shard).is_err());
        let pace = latest_pace(&results).map_or_else(|| pace_here(&results.plan), Ok)?;
        let predicted_per_second = latest_rate(&results);
        Ok(Self { results, running, missing, pace, predicted_per_second })
    }

    /// Number of shards that have a valid line and are not disputed.
    pub(crate) fn done(&self) -> usize {
        self.results.plan.shards() - self.running.len() - self.missing.len() - self.results.wrong.len()
    }

    /// Number of processes that are counting, and of their threads.
    pub(crate) fn processes(&self) -> (usize, usize) {
        let claimants = self.running.iter().map(|claim| &claim.claimant);
        let processes: BTreeSet<_> = claimants.map(|one| (&one.machine, one.process, one.threads)).collect();
        (processes.len(), processes.iter().map(|process| process.2).sum())
    }

    /// The share of the predicted work that is done, from 0 to 1.
    pub(crate) fn fraction(&self) -> f64 {
        let (plan, missing) = (&self.results.plan, self.results.missing().len());
        let (left, whole) = match plan.whole_seconds() {
            // Shards of a moment.
            0.0 => (missing as f64, plan.shards() as f64),
            whole => (self.predicted_left(), whole),
        };
        1.0 - left / whole
    }

    /// Core seconds that the shards without a line will take.
    pub(crate) fn core_seconds_left(&self) -> f64 {
        self.pace * self.predicted_left()
    }

    /// Seconds until the run is done if these processes go on, and whether that is by the clock: the lines of the last
    /// minutes, if there are enough, also tell what else the cores do. Otherwise each thread has a free core. `None` if no
    /// process says that it is counting.
    pub(crate) fn seconds_left(&self) -> Option<(f64, bool)> {
        let (_, threads) = self.processes();
        if threads == 0 {
            return None;
        }
        let by_cores = self.core_seconds_left() / threads as f64;
        let by_clock = self.predicted_per_second.map(|rate| self.predicted_left() / rate);
        // More threads than there were minutes ago finish sooner.
        Some(by_clock.filter(|&seconds| seconds > by_cores).map_or((by_cores, false), |seconds| (seconds, true)))
    }

    fn predicted_left(&self) -> f64 {
        self.results.plan.predicted_seconds_of(&self.results.missing())
    }
}

/// Core seconds per predicted second of the [`LATEST`] results; `None` if there are none.
fn latest_pace(results: &Results) -> Option<f64> {
    let mut lines: Vec<(usize, &ValidLine)> = results.lines().collect();
    if lines.len() > LATEST {
        lines.select_nth_unstable_by_key(LATEST, |(_, line)| Reverse(line.finished));
        lines.truncate(LATEST);
    }
    let (mut core_seconds, mut predicted) = (0.0, 0.0);
    for (shard, line) in lines {
        core_seconds += line.core_seconds;
        predicted += results.plan.predicted_seconds(shard);
    }
    (predicted > 0.0).then(|| core_seconds / predicted)
}

/// Predicted seconds of finished shards in each second since the first line of the last ten minutes. `None` if there are
/// fewer than [`ENOUGH`] lines, or if they are all of one moment.
fn latest_rate(results: &Results) -> Option<f64> {
    const RECENT: f64 = 600.0;
    let now = moment::now();
    let recent = results.lines().map(|(shard, line)| (shard, now.saturating_sub(line.finished) as f64));
    let recent: Vec<(usize, f64)> = recent.filter(|&(_, age)| age < RECENT).collect();
    let oldest = recent.iter().map(|&(_, age)| age).fold(0.0, f64::max);
    // The first of these shards was begun before that time.
    let predicted: f64 = recent.iter().map(|&(shard, _)| results.plan.predicted_seconds(shard)).sum();
    let share = (recent.len().saturating_sub(1)) as f64 / recent.len().max(1) as f64;
    (recent.len() >= ENOUGH && oldest > 1.0 && predicted > 0.0).then(|| share * predicted / oldest)
}

/// Core seconds per predicted second of a run on this machine, as `estimate` and `count` forecast them.
fn pace_here(plan: &RunPlan) -> nqueens::Result<f64> {
    let solver = plan.cut.solver()?;
    let isa = registry::best_isa(solver, registry::machine_isa());
    Ok(CountForecast::new(solver, plan.size(), isa, 1).core_seconds / plan.whole_seconds().max(1e-9))
}

#[cfg(test)]
mod tests {
    use super::super::{Claimant, Contributor, Line, Log};
    use super::*;
    use nqueens::board::Size;

    #[test]
    fn running_shards_of_several_folders_are_in_order_and_each_once() {
        let place = tempfile::tempdir().unwrap();
        let plan = RunPlan::new(Size::new(8).unwrap(), registry::find("arrays").unwrap(), Some(4)).unwrap();
        let folders = ["a", "b"].map(|name| RunFolder::create(&place.path().join(name), &plan).unwrap().0);
        folders.iter().for_each(|folder| folder.make_folders().unwrap());
        let claimed = [(0, 3), (0, 1), (1, 2), (1, 1)];
        let claims = claimed.map(|(folder, shard)| folders[folder].claim(shard, &Claimant::default()).unwrap());
        let running = Status::of(&folders).unwrap().running;
        assert_eq!(running.iter().map(|claim| claim.shard).collect::<Vec<_>>(), [1, 2, 3]);
        drop(claims);
    }

    #[test]
    fn the_time_left_goes_by_the_latest_results() {
        let here = tempfile::tempdir().unwrap();
        let shards = 50 + LATEST;
        let plan = RunPlan::new(Size::new(20).unwrap(), registry::find("bitmask").unwrap(), Some(shards)).unwrap();
        let folder = RunFolder::create(here.path(), &plan).unwrap().0;
        folder.make_folders().unwrap();
        let plan = &folder.plan;
        let mut log = Log::begin(&folder.logs(), "box").unwrap();
        let mut keep = |shard: usize, pace: f64| {
            let by = Contributor::default();
            let mut result = Line::begin(plan, shard, &by);
            result.finished = shard as u64;
            result.core_seconds = pace * plan.predicted_seconds(shard);
            log.append(&result.text()).unwrap();
        };
        let pace_left = || {
            let status = Status::of(std::slice::from_ref(&folder)).unwrap();
            status.core_seconds_left() / plan.predicted_seconds_of(&status.missing)
        };
        let is_near = |one: f64, other: f64| (one / other - 1.0).abs() < 1e-6;
        assert!(is_near(pace_left(), pace_here(plan).unwrap()));
        (0..30).for_each(|shard| keep(shard, 2.0));
        assert!(is_near(pace_left(), 2.0));
        (30..30 + LATEST).for_each(|shard| keep(shard, 0.2));
        assert!(is_near(pace_left(), 0.2));
    }
}
