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

/// A shard that takes this number of times its forecast is marked.
const LATE: f64 = 10.0;

/// A shard that is younger than this number of seconds is not marked.
const YOUNG: f64 = 60.0;

/// The progress of a run, as `--json` prints it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Status {
    schema: u32,
    size: usize,
    solver: String,
    fingerprint: String,
    /// Number of shards. Each is counted in one of the next four fields.
    pub(crate) shards: usize,
    /// They have a valid line.
    pub(crate) done: usize,
    /// A process is counting them.
    pub(crate) running: usize,
    /// No process is counting them.
    pub(crate) missing: usize,
    /// Their count cannot be right.
    pub(crate) disputed: usize,
    /// The work of each machine, the busiest first.
    pub(crate) machines: Vec<Contribution>,
    /// The shards that are being counted, in order.
    pub(crate) running_shards: Vec<RunningShard>,
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
    /// The shards that are missing: a scheduler has to start them.
    shards_missing: Vec<usize>,
    /// The shards that are disputed.
    shards_disputed: Vec<usize>,
    /// The logs that have lines of another run. These lines are left out.
    pub(crate) foreign: Vec<String>,
    /// What is wrong in the folders, and what to do about it.
    pub(crate) faults: Vec<String>,
    pub(crate) advice: Option<String>,
}

/// A shard that a process is counting.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct RunningShard {
    #[serde(flatten)]
    pub(crate) claim: RunningClaim,
    /// Core seconds that it will take, at the [latest pace](latest_pace).
    pub(crate) forecast_seconds: f64,
}

impl RunningShard {
    /// Whether the process should have finished the shard long ago: it hangs, or its clock differs from this one.
    pub(crate) fn is_late(&self) -> bool {
        self.claim.seconds as f64 > (LATE * self.forecast_seconds).max(YOUNG)
    }
}

impl Status {
    /// Reads the logs and claims of these folders of one run.
    pub(crate) fn of(folders: &[RunFolder]) -> anyhow::Result<Self> {
        // Reads the claims first. A shard that is finished between the two steps then counts as done, and is not
        // missing.
        let mut claims = Vec::new();
        for folder in folders {
            claims.extend(folder.held()?);
        }
        // Processes can count a shard in two folders.
        claims.sort_by_key(|claim| claim.shard);
        claims.dedup_by_key(|claim| claim.shard);
        let results = &Results::read(folders)?;
        let (plan, missing) = (&results.plan, results.missing());
        claims.retain(|claim| missing.binary_search(&claim.shard).is_ok() && !results.wrong.contains_key(&claim.shard));
        let running: BTreeSet<usize> = claims.iter().map(|claim| claim.shard).collect();
        let is_wanted = |shard: &usize| !running.contains(shard) && !results.wrong.contains_key(shard);
        let shards_missing: Vec<usize> = missing.into_iter().filter(is_wanted).collect();
        let shards_disputed: Vec<usize> = results.wrong.keys().copied().collect();
        let processes: BTreeSet<(&str, u32, usize)> = claims
            .iter()
            .map(|RunningClaim { claimant, .. }| (claimant.machine.as_str(), claimant.process, claimant.threads))
            .collect();
        let (threads, processes) = (processes.iter().map(|process| process.2).sum::<usize>(), processes.len());
        let machines = results.machines();
        let predicted = machines.iter().fold(0.0, |sum, machine| sum + machine.predicted_seconds);
        let (whole, left) = (plan.whole_seconds(), plan.shards() - results.lines().count());
        let pace = latest_pace(results, &claims.iter().map(|claim| claim.claimant.machine.as_str()).collect());
        let (fraction, core_seconds_left) = match left {
            0 => (1.0, 0.0),
            _ => (predicted / whole.max(f64::MIN_POSITIVE), pace * (whole - predicted)),
        };
        let forecast =
            |claim: RunningClaim| RunningShard { forecast_seconds: pace * plan.predicted_seconds(claim.shard), claim };
        Ok(Self {
            schema: 1,
            size: plan.cut.size,
            solver: plan.cut.solver.clone(),
            fingerprint: plan.cut.fingerprint.clone(),
            shards: plan.shards(),
            done: plan.shards() - running.len() - shards_missing.len() - shards_disputed.len(),
            running: running.len(),
            missing: shards_missing.len(),
            disputed: shards_disputed.len(),
            core_seconds: core_seconds(&machines),
            machines,
            processes,
            threads,
            fraction,
            core_seconds_left,
            seconds_left: (threads > 0).then(|| core_seconds_left / threads as f64),
            shards_missing,
            shards_disputed,
            foreign: results.foreign(),
            faults: results.faults().into_iter().map(str::to_owned).collect(),
            advice: results.advice(),
            running_shards: claims.into_iter().map(forecast).collect(),
        })
    }
}

/// Core seconds per predicted second of the [`LATEST`] results of the machines at work. If they have fewer than
/// [`ENOUGH`], results of all machines are used; 1 if there are none.
fn latest_pace(results: &Results, at_work: &BTreeSet<&str>) -> f64 {
    let mut lines: Vec<(usize, &ValidLine)> = results.lines().collect();
    let is_at_work = |&(_, line): &(usize, &ValidLine)| at_work.contains(&*results.by(line).machine);
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
        assert_eq!(running.iter().map(|running| running.claim.shard).collect::<Vec<_>>(), [1, 2, 3]);
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
            result.finished = second;
            result.core_seconds = pace * plan.predicted_seconds(shard);
            log.append(&result.text()).unwrap();
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
