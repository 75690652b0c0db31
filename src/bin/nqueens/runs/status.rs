//! The progress of a run.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde::Serialize;

use super::{Claimant, Fault, Merged, Result, RunFolder, merge};

/// The time left is forecast from this number of records, the last ones: they come from the machines that count now.
pub(crate) const LATEST: usize = 100;

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
}

/// The work of one machine so far. Machines differ by name, or by processor if they have no name.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Rate {
    /// Its name, or its processor's model.
    pub(crate) machine: String,
    /// The instruction set used.
    pub(crate) isa: String,
    /// Number of shards counted.
    pub(crate) shards: usize,
    /// Core seconds that these shards took.
    pub(crate) core_seconds: f64,
    /// Core seconds that were predicted for these shards, with portable code.
    pub(crate) predicted_seconds: f64,
    /// When the last shard was finished.
    pub(crate) last_finished: String,
}

/// A shard that a process is counting.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct RunningClaim {
    pub(crate) shard: usize,
    /// The machine's name, or its processor's model.
    pub(crate) machine: String,
    /// The process on that machine.
    pub(crate) process: u32,
    /// A random number that differs between all processes.
    pub(crate) number: String,
    pub(crate) threads: usize,
    /// When the process claimed the shard.
    since: String,
    /// Seconds since it claimed the shard.
    pub(crate) seconds: u64,
}

impl RunningClaim {
    fn new(shard: usize, claimant: Claimant) -> Self {
        let since = claimant.since.parse::<jiff::Timestamp>().ok();
        let age = since.and_then(|since| Duration::try_from(jiff::Timestamp::now().duration_since(since)).ok());
        let machine = claimant.machine().to_owned();
        let Claimant { process, number, threads, since, .. } = claimant;
        Self { shard, machine, process, number, threads, since, seconds: age.unwrap_or_default().as_secs() }
    }
}

/// The progress of a run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Status {
    /// The state of each shard.
    #[serde(skip)]
    pub(crate) states: Vec<ShardState>,
    /// What is wrong in the folders.
    #[serde(skip)]
    pub(crate) faults: Vec<Fault>,
    /// The work of each machine, the busiest first.
    #[serde(rename = "machines")]
    pub(crate) rates: Vec<Rate>,
    /// The shards that are being counted, in order.
    #[serde(rename = "running_shards")]
    pub(crate) running: Vec<RunningClaim>,
    /// Number of processes that are counting.
    pub(crate) processes: usize,
    /// Number of threads of these processes.
    pub(crate) threads: usize,
    /// Share of the predicted work that is done, from 0 to 1.
    pub(crate) fraction: f64,
    /// Core seconds that all recorded shards took.
    pub(crate) core_seconds: f64,
    /// Core seconds that the other shards will take, at the speed of the [`LATEST`] records.
    pub(crate) core_seconds_left: f64,
    /// Seconds until the run is done if these processes go on. `None` if no process is counting.
    pub(crate) seconds_left: Option<f64>,
}

impl Status {
    /// Reads all records and claims of these folders of one run.
    ///
    /// # Errors
    /// Those of [`merge::read`].
    pub(crate) fn of(folders: &[RunFolder]) -> Result<Self> {
        // Reads the claims first. A shard that is finished between the two steps then counts as done, and is not
        // missing.
        let mut held = Vec::new();
        for folder in folders {
            held.extend(folder.held()?);
        }
        let merged = merge::read(folders)?;
        let plan = &merged.plan;
        let mut states = vec![ShardState::Missing; plan.shards()];
        merged.faults.iter().filter_map(|fault| fault.shard).for_each(|shard| states[shard] = ShardState::Damaged);
        merged.records.keys().for_each(|&shard| states[shard] = ShardState::Done);
        let is_done = |shard: usize| states.get(shard).is_none_or(|&state| state == ShardState::Done);
        let running: Vec<RunningClaim> = held
            .into_iter()
            .filter(|&(shard, _)| !is_done(shard))
            .map(|(shard, claimant)| RunningClaim::new(shard, claimant))
            .collect();
        running.iter().for_each(|one| states[one.shard] = ShardState::Running);
        let processes: BTreeSet<(&str, u32, &str, usize)> =
            running.iter().map(|it| (it.machine.as_str(), it.process, it.number.as_str(), it.threads)).collect();
        let (processes, threads) = (processes.len(), processes.iter().map(|it| it.3).sum::<usize>());
        let rates = rates(&merged);
        let predicted: f64 = rates.iter().fold(0.0, |sum, rate| sum + rate.predicted_seconds);
        let core_seconds: f64 = rates.iter().fold(0.0, |sum, rate| sum + rate.core_seconds);
        let is_done = states.iter().all(|&state| state == ShardState::Done);
        let whole = plan.whole_seconds();
        let core_seconds_left = if is_done { 0.0 } else { latest_pace(&merged) * (whole - predicted) };
        Ok(Self {
            states,
            faults: merged.faults,
            rates,
            running,
            processes,
            threads,
            fraction: if is_done { 1.0 } else { predicted / whole.max(f64::MIN_POSITIVE) },
            core_seconds,
            core_seconds_left,
            seconds_left: (threads > 0).then(|| core_seconds_left / threads as f64),
        })
    }

    /// The number of shards in this state.
    pub(crate) fn count(&self, state: ShardState) -> usize {
        self.states.iter().filter(|&&other| other == state).count()
    }
}

/// Core seconds per predicted second of the [`LATEST`] records; 1 if there are none.
fn latest_pace(merged: &Merged) -> f64 {
    let mut records: Vec<_> = merged.records.values().collect();
    // The texts of times in UTC are in the order of the times.
    records.sort_by(|a, b| b.finished.cmp(&a.finished));
    let (mut core_seconds, mut predicted) = (0.0, 0.0);
    for record in records.iter().take(LATEST) {
        core_seconds += record.core_seconds;
        predicted += merged.plan.predicted_seconds(record.shard);
    }
    if predicted > 0.0 { core_seconds / predicted } else { 1.0 }
}

/// Returns the work of each machine, the busiest first.
fn rates(merged: &Merged) -> Vec<Rate> {
    let mut rates: BTreeMap<(&str, &str), Rate> = BTreeMap::new();
    for record in merged.records.values() {
        let (machine, isa) = (record.origin.who(), record.origin.isa.as_str());
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
        rate.predicted_seconds += merged.plan.predicted_seconds(record.shard);
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
    use super::super::{Figures, Origin, RunPlan, ShardRecord};
    use super::*;
    use nqueens::board::Size;
    use nqueens::solver::registry;

    #[test]
    fn the_time_left_is_that_of_the_machines_that_count_now() {
        let here = tempfile::tempdir().unwrap();
        let plan = RunPlan::new(Size::new(18).unwrap(), registry::find("bitmask").unwrap(), Some(150)).unwrap();
        let (folder, _) = RunFolder::create(here.path(), plan).unwrap();
        let plan = folder.plan();
        // Thirty shards of a machine that is ten times slower came first.
        for shard in 0..30 + LATEST {
            let figures = Figures::of_units(plan.shard(shard).unwrap().len());
            let mut record = ShardRecord::new(plan, shard, figures, Origin::default()).unwrap();
            let (day, factor) = if shard < 30 { (1, 10.0) } else { (2, 1.0) };
            record.finished = format!("2026-11-0{day}T10:53:07Z");
            record.core_seconds = factor * 0.2 * plan.predicted_seconds(shard);
            folder.keep(&record).unwrap();
        }
        let status = Status::of(std::slice::from_ref(&folder)).unwrap();
        let left: f64 = (30 + LATEST..150).map(|shard| plan.predicted_seconds(shard)).sum();
        assert!(left > 0.0 && (status.core_seconds_left - 0.2 * left).abs() < 1e-6, "{status:?}");
    }
}
