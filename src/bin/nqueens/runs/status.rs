//! The progress of a run.

use std::collections::{BTreeMap, BTreeSet};
use std::time::SystemTime;

use serde::Serialize;

use super::{Claimant, Merged, RunFolder, RunPlan, Summary};
use crate::terminal::units::seconds_in_json;

/// The time left is forecast from this number of records, the last ones. Shards differ from their predictions by 45 %,
/// so the mean of 100 is right to 5 %.
const LATEST: usize = 100;

/// If the machines that count now have this number of records, only theirs are used.
const ENOUGH: usize = 5;

/// The state of a shard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ShardState {
    /// Its record is valid.
    Done,
    /// A process is counting it.
    Running,
    /// No process is counting it.
    Missing,
    /// The file in the record's place is not a valid record.
    Damaged,
    /// Two folders have records with different counts.
    Disputed,
}

/// The work of one machine so far.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Rate {
    /// Its name.
    pub(crate) machine: String,
    /// The instruction set used.
    pub(crate) isa: String,
    /// Number of shards counted.
    pub(crate) shards: usize,
    /// Core seconds that these shards took.
    #[serde(serialize_with = "seconds_in_json")]
    pub(crate) core_seconds: f64,
    /// Core seconds that were predicted for these shards, with portable code.
    #[serde(serialize_with = "seconds_in_json")]
    pub(crate) predicted_seconds: f64,
    /// When the last shard was finished.
    pub(crate) last_finished: String,
}

/// A shard that a process is counting.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct RunningClaim {
    pub(crate) shard: usize,
    #[serde(flatten)]
    pub(crate) claimant: Claimant,
    /// Seconds since it claimed the shard.
    pub(crate) seconds: u64,
}

impl RunningClaim {
    pub(crate) fn new(shard: usize, claimant: Claimant) -> Self {
        let since = humantime::parse_rfc3339(&claimant.since).ok();
        let age = since.and_then(|since| SystemTime::now().duration_since(since).ok());
        Self { shard, claimant, seconds: age.unwrap_or_default().as_secs() }
    }
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
    /// The state of each shard.
    #[serde(skip)]
    pub(crate) states: Vec<ShardState>,
    /// The work of each machine, the busiest first.
    #[serde(rename = "machines")]
    pub(crate) rates: Vec<Rate>,
    /// The shards that are being counted, in order.
    pub(crate) running_shards: Vec<RunningClaim>,
    /// Number of processes that are counting.
    pub(crate) processes: usize,
    /// Number of threads of these processes.
    pub(crate) threads: usize,
    /// Share of the predicted work that is done, from 0 to 1.
    pub(crate) fraction: f64,
    /// Core seconds that all recorded shards took.
    #[serde(serialize_with = "seconds_in_json")]
    pub(crate) core_seconds: f64,
    /// Core seconds that the other shards will take, at the [latest pace](latest_pace).
    #[serde(serialize_with = "seconds_in_json")]
    pub(crate) core_seconds_left: f64,
    /// Seconds until the run is done if these processes go on. `None` if no process is counting.
    #[serde(serialize_with = "seconds_in_json")]
    pub(crate) seconds_left: Option<f64>,
    /// The shards that a scheduler has to start.
    shards_missing: Vec<usize>,
    /// What is wrong in the folders.
    pub(crate) faults: Vec<String>,
}

impl Status {
    /// Looks at the records and claims of these folders of one run.
    pub(crate) fn of(folders: &[RunFolder]) -> anyhow::Result<Self> {
        // Reads the claims first. A shard that is finished between the two steps then counts as done, and is not
        // missing.
        let mut held = Vec::new();
        for folder in folders {
            held.extend(folder.held()?);
        }
        let (mut merged, mut valid, mut twice) = (Merged::new(folders)?, BTreeMap::new(), BTreeSet::new());
        for folder in folders {
            let mut look = folder.look(&Vec::from_iter(0..merged.plan.shards()))?;
            twice.extend(look.valid.keys().filter(|shard| valid.contains_key(*shard)));
            look.valid.append(&mut valid);
            valid = look.valid;
            let fault = |(shard, problem)| (shard, format!("{}: {problem}", folder.record_file(shard).display()));
            merged.faults.extend(look.damaged.into_iter().map(fault));
        }
        // Folders that have one shard may disagree.
        merged.faults.retain(|(shard, _)| !twice.contains(shard));
        for &shard in &twice {
            merged.read(shard, folders)?;
        }
        merged.faults.sort_by_key(|&(shard, _)| shard);
        held.retain(|(shard, _)| *shard < merged.plan.shards() && !valid.contains_key(shard));
        let running_shards: Vec<RunningClaim> =
            held.into_iter().map(|(shard, claimant)| RunningClaim::new(shard, claimant)).collect();
        Ok(Self::new(&merged, &valid, running_shards))
    }

    /// The status of these valid records. `merged` has the faults.
    fn new(merged: &Merged, valid: &BTreeMap<usize, Summary>, running_shards: Vec<RunningClaim>) -> Self {
        let (plan, faults) = (&merged.plan, &merged.faults);
        let mut states = vec![ShardState::Missing; plan.shards()];
        faults.iter().for_each(|&(shard, _)| states[shard] = ShardState::Damaged);
        valid.keys().for_each(|&shard| states[shard] = ShardState::Done);
        running_shards.iter().for_each(|one| states[one.shard] = ShardState::Running);
        merged.disputed.iter().for_each(|&shard| states[shard] = ShardState::Disputed);
        let count = |state| states.iter().filter(|&&other| other == state).count();
        let is_wanted = |shard: &usize| matches!(states[*shard], ShardState::Missing | ShardState::Damaged);
        let processes: BTreeSet<(&str, u32, usize)> = running_shards
            .iter()
            .map(|RunningClaim { claimant, .. }| (claimant.machine.as_str(), claimant.process, claimant.threads))
            .collect();
        let threads: usize = processes.iter().map(|process| process.2).sum();
        let rates = rates(plan, valid);
        let predicted: f64 = rates.iter().fold(0.0, |sum, rate| sum + rate.predicted_seconds);
        let core_seconds: f64 = rates.iter().fold(0.0, |sum, rate| sum + rate.core_seconds);
        let done = count(ShardState::Done);
        let whole = plan.whole_seconds();
        let (fraction, core_seconds_left) = if done == plan.shards() {
            (1.0, 0.0)
        } else {
            let at_work = running_shards.iter().map(|one| one.claimant.machine.as_str()).collect();
            (predicted / whole.max(f64::MIN_POSITIVE), latest_pace(plan, valid, &at_work) * (whole - predicted))
        };
        Self {
            schema: 1,
            size: plan.cut.size,
            solver: plan.cut.solver.clone(),
            fingerprint: plan.cut.fingerprint.clone(),
            shards: plan.shards(),
            done,
            running: count(ShardState::Running),
            missing: count(ShardState::Missing),
            damaged: count(ShardState::Damaged),
            disputed: merged.disputed.len(),
            rates,
            processes: processes.len(),
            threads,
            fraction,
            core_seconds,
            core_seconds_left,
            seconds_left: (threads > 0).then(|| core_seconds_left / threads as f64),
            shards_missing: (0..plan.shards()).filter(is_wanted).collect(),
            faults: faults.iter().map(|(_, problem)| problem.clone()).collect(),
            states,
            running_shards,
        }
    }
}

/// Core seconds per predicted second of the [`LATEST`] records of the machines at work. If they have fewer than
/// [`ENOUGH`], records of all machines are used; 1 if there are none.
fn latest_pace(plan: &RunPlan, valid: &BTreeMap<usize, Summary>, at_work: &BTreeSet<&str>) -> f64 {
    let mut records: Vec<(&usize, &Summary)> = valid.iter().collect();
    // The texts of times in UTC are in the order of the times.
    records.sort_by(|(_, a), (_, b)| b.finished.cmp(&a.finished));
    let is_at_work = |(_, record): &(&usize, &Summary)| at_work.contains(record.machine.as_str());
    if records.iter().copied().filter(is_at_work).count() >= ENOUGH {
        records.retain(is_at_work);
    }
    let (mut core_seconds, mut predicted) = (0.0, 0.0);
    for (shard, record) in records.into_iter().take(LATEST) {
        core_seconds += record.core_seconds;
        predicted += plan.predicted_seconds(*shard);
    }
    if predicted > 0.0 { core_seconds / predicted } else { 1.0 }
}

/// Returns the work of each machine, the busiest first.
fn rates(plan: &RunPlan, valid: &BTreeMap<usize, Summary>) -> Vec<Rate> {
    let mut rates: BTreeMap<(&str, &str), Rate> = BTreeMap::new();
    for (&shard, record) in valid {
        let (machine, isa) = (record.machine.as_str(), record.isa.as_str());
        let rate = rates.entry((machine, isa)).or_insert_with(|| Rate {
            machine: machine.to_owned(),
            isa: isa.to_owned(),
            shards: 0,
            core_seconds: 0.0,
            predicted_seconds: 0.0,
            last_finished: String::new(),
        });
        rate.shards += 1;
        rate.core_seconds += record.core_seconds;
        rate.predicted_seconds += plan.predicted_seconds(shard);
        // The texts of times in UTC are in the order of the times.
        if record.finished > rate.last_finished {
            rate.last_finished.clone_from(&record.finished);
        }
    }
    let mut rates: Vec<Rate> = rates.into_values().collect();
    rates.sort_by(|a, b| b.core_seconds.total_cmp(&a.core_seconds));
    rates
}

#[cfg(test)]
mod tests {
    use super::super::{Origin, ShardRecord};
    use super::*;
    use nqueens::board::Size;
    use nqueens::solver::registry;

    #[test]
    fn the_time_left_is_that_of_the_machines_that_count_now() {
        let here = tempfile::tempdir().unwrap();
        let shards = 50 + LATEST;
        let plan = RunPlan::new(Size::new(20).unwrap(), registry::find("bitmask").unwrap(), Some(shards)).unwrap();
        let folder = RunFolder::create(here.path(), &plan).unwrap();
        folder.make_folders().unwrap();
        let plan = &folder.plan;
        let keep = |shard: usize, machine: &str, second: usize, pace: f64| {
            let origin = Origin { machine: machine.to_owned(), ..Origin::default() };
            let mut record = ShardRecord::begin(plan, shard, origin);
            record.finished = format!("2026-11-01T10:{:02}:{:02}Z", second / 60, second % 60);
            record.core_seconds = pace * plan.predicted_seconds(shard);
            folder.keep(&record).unwrap();
        };
        let pace_left = |at_work: &[&str]| {
            let valid = folder.look(&Vec::from_iter(0..plan.shards())).unwrap().valid;
            let missing: Vec<usize> = (0..plan.shards()).filter(|shard| !valid.contains_key(shard)).collect();
            let claims = at_work.iter().zip(&missing).map(|(&machine, &shard)| {
                RunningClaim::new(shard, Claimant { machine: machine.to_owned(), ..Claimant::default() })
            });
            let left: f64 = missing.iter().map(|&shard| plan.predicted_seconds(shard)).sum();
            Status::new(&Merged::new(std::slice::from_ref(&folder)).unwrap(), &valid, claims.collect())
                .core_seconds_left
                / left
        };
        let is_near = |one: f64, other: f64| (one / other - 1.0).abs() < 1e-6;
        assert!(is_near(pace_left(&[]), 1.0));
        // Thirty shards of a slow machine came first. The last hundred are of another machine.
        (0..30).for_each(|shard| keep(shard, "slow", shard, 2.0));
        (30..30 + LATEST).for_each(|shard| keep(shard, "old", shard, 0.2));
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
