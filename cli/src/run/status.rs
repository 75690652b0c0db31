//! The progress of a run.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use serde::Serialize;

use super::results::ValidLine;
use super::{Contribution, Results, RunFolder, RunningClaim, core_seconds};

/// The time left is forecast from this number of results, the last ones. Shards differ from their predictions by 45 %,
/// so the mean of 100 is right to 5 %.
const LATEST: usize = 100;

/// If the machines that count now have this number of results, only theirs are used.
const ENOUGH: usize = 5;

/// The state of a shard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ShardState {
    /// It has a valid line.
    Done,
    /// A process is counting it.
    Running,
    /// No process is counting it.
    Missing,
    /// No process is counting it, and a damaged line seems to be its.
    Damaged,
    /// It has lines with different counts.
    Disputed,
}

/// The progress of a run, as `--json` prints it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Status {
    schema: u32,
    size: usize,
    solver: String,
    fingerprint: String,
    /// Number of shards.
    shards: usize,
    pub(crate) done: usize,
    pub(crate) running: usize,
    pub(crate) missing: usize,
    pub(crate) damaged: usize,
    pub(crate) disputed: usize,
    /// Number of damaged lines that do no harm: other lines have their shards.
    pub(crate) damaged_lines_replaced: usize,
    /// The state of each shard.
    #[serde(skip)]
    pub(crate) states: Vec<ShardState>,
    /// The work of each machine, the busiest first.
    pub(crate) machines: Vec<Contribution>,
    /// The shards that are being counted, in order.
    pub(crate) running_shards: Vec<RunningClaim>,
    /// Number of processes that are counting.
    pub(crate) processes: usize,
    /// Number of threads of these processes.
    pub(crate) threads: usize,
    /// Share of the predicted work that is done, from 0 to 1.
    pub(crate) fraction: f64,
    /// Core seconds that all counted shards took.
    pub(crate) core_seconds: f64,
    /// Core seconds that the other shards will take, at the [latest pace](latest_pace).
    pub(crate) core_seconds_left: f64,
    /// Seconds until the run is done if these processes go on. `None` if no process is counting.
    pub(crate) seconds_left: Option<f64>,
    /// The shards that a scheduler has to start.
    shards_missing: Vec<usize>,
    /// What is wrong in the folders.
    pub(crate) faults: Vec<String>,
}

impl Status {
    /// Reads the logs and claims of these folders of one run.
    pub(crate) fn of(folders: &[RunFolder]) -> anyhow::Result<Self> {
        // Reads the claims first. A shard that is finished between the two steps then counts as done, and is not
        // missing.
        let mut running_shards = Vec::new();
        for folder in folders {
            running_shards.extend(folder.held()?);
        }
        // Processes can count a shard in two folders.
        running_shards.sort_by_key(|claim| claim.shard);
        running_shards.dedup_by_key(|claim| claim.shard);
        let results = &Results::read(folders)?;
        let plan = &results.plan;
        let mut states = vec![ShardState::Missing; plan.shards()];
        results.lines().for_each(|(shard, _)| states[shard] = ShardState::Done);
        results.damaged_shards().for_each(|shard| states[shard] = ShardState::Damaged);
        running_shards.retain(|one| states.get(one.shard).is_some_and(|&state| state != ShardState::Done));
        running_shards.iter().for_each(|one| states[one.shard] = ShardState::Running);
        results.wrong.keys().for_each(|&shard| states[shard] = ShardState::Disputed);
        let count = |state| states.iter().filter(|&&other| other == state).count();
        let is_wanted = |shard: &usize| matches!(states[*shard], ShardState::Missing | ShardState::Damaged);
        let processes: BTreeSet<(&str, u32, usize)> = running_shards
            .iter()
            .map(|RunningClaim { claimant, .. }| (claimant.machine.as_str(), claimant.process, claimant.threads))
            .collect();
        let threads: usize = processes.iter().map(|process| process.2).sum();
        let mut machines = results.machines();
        machines.sort_by(|a, b| b.core_seconds.total_cmp(&a.core_seconds));
        let predicted = machines.iter().fold(0.0, |sum, machine| sum + machine.predicted_seconds);
        let done = count(ShardState::Done);
        let whole = plan.whole_seconds();
        let (fraction, core_seconds_left) = if done == plan.shards() {
            (1.0, 0.0)
        } else {
            let at_work = running_shards.iter().map(|one| one.claimant.machine.as_str()).collect();
            (predicted / whole.max(f64::MIN_POSITIVE), latest_pace(results, &at_work) * (whole - predicted))
        };
        Ok(Self {
            schema: 1,
            size: plan.cut.size,
            solver: plan.cut.solver.clone(),
            fingerprint: plan.cut.fingerprint.clone(),
            shards: plan.shards(),
            done,
            running: count(ShardState::Running),
            missing: count(ShardState::Missing),
            damaged: count(ShardState::Damaged),
            disputed: results.wrong.len(),
            damaged_lines_replaced: results.replaced_lines(),
            core_seconds: core_seconds(&machines),
            machines,
            processes: processes.len(),
            threads,
            fraction,
            core_seconds_left,
            seconds_left: (threads > 0).then(|| core_seconds_left / threads as f64),
            shards_missing: (0..plan.shards()).filter(is_wanted).collect(),
            faults: results.faults().into_iter().map(str::to_owned).collect(),
            states,
            running_shards,
        })
    }
}

/// Core seconds per predicted second of the [`LATEST`] results of the machines at work. If they have fewer than
/// [`ENOUGH`], results of all machines are used; 1 if there are none.
fn latest_pace(results: &Results, at_work: &BTreeSet<&str>) -> f64 {
    let mut lines: Vec<(usize, &ValidLine)> = results.lines().collect();
    let is_at_work = |&(_, line): &(usize, &ValidLine)| at_work.contains(results.machine_of(line));
    if lines.iter().filter(|line| is_at_work(line)).count() >= ENOUGH {
        lines.retain(is_at_work);
    }
    if lines.len() > LATEST {
        lines.select_nth_unstable_by_key(LATEST, |(_, line)| Reverse(line.finished));
        lines.truncate(LATEST);
    }
    let (mut core_seconds, mut predicted) = (0.0, 0.0);
    for (shard, line) in lines {
        core_seconds += line.core_seconds;
        predicted += results.plan.predicted_seconds(shard);
    }
    if predicted > 0.0 { core_seconds / predicted } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::super::machines::Moment;
    use super::super::{Claim, Claimant, Contributor, Line, Log, RunPlan};
    use super::*;
    use nqueens::board::Size;
    use nqueens::registry;

    #[test]
    fn running_shards_of_several_folders_are_in_order_and_each_once() {
        let place = tempfile::tempdir().unwrap();
        let plan = RunPlan::new(Size::new(8).unwrap(), registry::find("arrays").unwrap(), Some(4)).unwrap();
        let folders = ["a", "b"].map(|name| RunFolder::create(&place.path().join(name), &plan).unwrap().0);
        folders.iter().for_each(|folder| folder.make_folders().unwrap());
        let claimed = [(0, 3), (0, 1), (1, 2), (1, 1)];
        let claims = claimed.map(|(folder, shard)| folders[folder].claim(shard, &Claimant::default()).unwrap());
        let running = Status::of(&folders).unwrap().running_shards;
        assert_eq!(running.iter().map(|claim| claim.shard).collect::<Vec<_>>(), [1, 2, 3]);
        drop(claims);
    }

    #[test]
    fn the_time_left_is_that_of_the_machines_that_count_now() {
        let here = tempfile::tempdir().unwrap();
        let shards = 50 + LATEST;
        let plan = RunPlan::new(Size::new(20).unwrap(), registry::find("bitmask").unwrap(), Some(shards)).unwrap();
        let folder = RunFolder::create(here.path(), &plan).unwrap().0;
        folder.make_folders().unwrap();
        let plan = &folder.plan;
        let mut log = Log::begin(&folder.logs(), "box").unwrap();
        let mut keep = |shard: usize, machine: &str, second: u64, pace: f64| {
            let by = Contributor { machine: machine.to_owned(), ..Contributor::default() };
            let mut result = Line::begin(plan, shard, &by);
            result.finished = Moment(second);
            result.core_seconds = pace * plan.predicted_seconds(shard);
            log.append(&result.line()).unwrap();
        };
        let pace_left = |at_work: &[&str]| {
            let here = std::slice::from_ref(&folder);
            let missing = Status::of(here).unwrap().shards_missing;
            let claims: Vec<Claim> = at_work
                .iter()
                .zip(&missing)
                .map(|(&machine, &shard)| {
                    folder.claim(shard, &Claimant { machine: machine.to_owned(), ..Claimant::default() }).unwrap()
                })
                .collect();
            let left: f64 = missing.iter().map(|&shard| plan.predicted_seconds(shard)).sum();
            let status = Status::of(here).unwrap();
            claims.into_iter().for_each(Claim::finish);
            status.core_seconds_left / left
        };
        let is_near = |one: f64, other: f64| (one / other - 1.0).abs() < 1e-6;
        assert!(is_near(pace_left(&[]), 1.0));
        // Thirty shards of a slow machine came first. The last hundred are of another machine.
        (0..30).for_each(|shard| keep(shard, "slow", shard as u64, 2.0));
        (30..30 + LATEST).for_each(|shard| keep(shard, "old", shard as u64, 0.2));
        assert!(is_near(pace_left(&[]), 0.2));
        assert!(is_near(pace_left(&["slow"]), 2.0));
        // A machine that has just begun is not known yet.
        (0..ENOUGH - 1).for_each(|shard| keep(30 + LATEST + shard, "new", 200, 0.1));
        assert!(pace_left(&["new"]) > 0.15);
        keep(30 + LATEST + ENOUGH, "new", 200, 0.1);
        assert!(is_near(pace_left(&["new"]), 0.1));
        assert!(pace_left(&["new", "old"]) > 0.15);
    }
}
