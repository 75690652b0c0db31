//! How far a run is.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use super::merge::same_run;
use super::{Claimant, Error, Fault, FoundRecord, Held, Result, RunFolder, RunPlan, SILENT_AFTER, ShardRecord};

/// The state of a shard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ShardState {
    /// Its record is there, whole and sound.
    Done,
    /// Some process is counting it.
    Running,
    /// Nobody is.
    Missing,
    /// There is a file in the record's place that is not the record.
    Damaged,
}

/// What one machine did so far. Machines are told apart by the names that were given, or by their processors.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Rate {
    /// Its name, or its processor's model.
    pub(crate) machine: String,
    /// The instruction set used.
    pub(crate) isa: String,
    /// Shards it has counted.
    pub(crate) shards: usize,
    /// Seconds its cores were at work on them.
    pub(crate) core_seconds: f64,
    /// Seconds these were predicted to take, with portable code.
    pub(crate) predicted_seconds: f64,
    /// When the last one was finished.
    pub(crate) last_finished: String,
}

/// A shard that some process is counting.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RunningClaim {
    /// The shard.
    pub(crate) shard: usize,
    /// Who counts it.
    pub(crate) claimant: Claimant,
    /// For how long.
    pub(crate) age: Duration,
    /// How long nothing was heard of the process: stopped or lost, where that is more than [`SILENT_AFTER`].
    pub(crate) silent: Duration,
}

impl RunningClaim {
    fn new(shard: usize, Held { claimant, silent }: Held) -> Self {
        let since = claimant.since.parse::<jiff::Timestamp>().ok();
        let age = since.and_then(|since| Duration::try_from(jiff::Timestamp::now().duration_since(since)).ok());
        Self { shard, age: age.unwrap_or_default(), silent, claimant }
    }

    /// Whether its process seems to be stopped or lost.
    pub(crate) fn is_silent(&self) -> bool {
        self.silent >= SILENT_AFTER
    }
}

/// What the time that is left rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Basis {
    /// So many records of the machines that are counting.
    TheseMachines(usize),
    /// So many records, of machines that are not all those that are counting.
    AllMachines(usize),
    /// No record: on what portable code was predicted to take.
    Prediction,
}

/// How far a run is.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Status {
    /// Each shard's state.
    pub(crate) states: Vec<ShardState>,
    /// What is wrong in the folder.
    pub(crate) faults: Vec<Fault>,
    /// What each machine did, the busiest first.
    pub(crate) rates: Vec<Rate>,
    /// The shards that are being counted, in order.
    pub(crate) running: Vec<RunningClaim>,
    /// Processes that are counting now: not those that are silent.
    pub(crate) processes: usize,
    /// Threads of these.
    pub(crate) threads: usize,
    /// How often a shard was counted that had a record already, or was about to get one.
    pub(crate) counted_again: usize,
    /// Share of the predicted work that is done, from 0 to 1.
    pub(crate) fraction: f64,
    /// Seconds of cores that the records took.
    pub(crate) core_seconds: f64,
    /// Seconds of cores that the rest will take, by the prediction and by how fast it went so far.
    pub(crate) core_seconds_left: f64,
    /// Seconds until it is done, if the threads that are counting now go on; `None` where there are none.
    pub(crate) seconds_left: Option<f64>,
    /// What that rests on.
    pub(crate) basis: Basis,
}

impl Status {
    /// Reads every record and looks at every claim of these folders of one run.
    ///
    /// # Errors
    /// [`Error::Read`] where a folder cannot be listed; [`Error::Foreign`] where one is of another run;
    /// [`Error::NoPlan`] where there is none.
    pub(crate) fn of(folders: &[RunFolder]) -> Result<Self> {
        let Some(first) = folders.first() else { return Err(Error::NoPlan { folder: PathBuf::new() }) };
        let plan = first.plan();
        let mut records = RecordsSeen::of(plan);
        let (mut held, mut counted_again) = (Vec::new(), 0);
        for folder in folders {
            same_run(folder, first.path(), plan)?;
            // Claims first: a shard that is finished meanwhile is done, not missing.
            held.extend(folder.held()?);
            records.add(folder)?;
            counted_again += folder.counted_again()?;
        }
        let RecordsSeen { mut states, faults, rates, core_seconds, predicted } = records;
        let is_done = |shard: usize| states.get(shard).is_none_or(|&state| state == ShardState::Done);
        let running: Vec<RunningClaim> = held
            .into_iter()
            .filter(|&(shard, _)| !is_done(shard))
            .map(|(shard, held)| RunningClaim::new(shard, held))
            .collect();
        running.iter().for_each(|one| states[one.shard] = ShardState::Running);
        let whole = plan.whole_seconds();
        let pace = if predicted > 0.0 { core_seconds / predicted } else { 1.0 };
        let mut rates: Vec<Rate> = rates.into_values().collect();
        rates.sort_by(|a, b| b.core_seconds.total_cmp(&a.core_seconds));
        let is_done = states.iter().all(|&state| state == ShardState::Done);
        let predicted_left = if is_done { 0.0 } else { whole - predicted };
        let hands = Hands::of(&running, &rates, pace);
        Ok(Self {
            states,
            faults,
            rates,
            running,
            processes: hands.processes,
            threads: hands.threads,
            counted_again,
            fraction: if is_done { 1.0 } else { predicted / whole.max(f64::MIN_POSITIVE) },
            core_seconds,
            core_seconds_left: pace * predicted_left,
            seconds_left: (hands.threads > 0).then(|| predicted_left / hands.speed),
            basis: hands.basis,
        })
    }

    /// How many shards are in this state.
    pub(crate) fn count(&self, state: ShardState) -> usize {
        self.states.iter().filter(|&&other| other == state).count()
    }
}

/// What the records tell.
struct RecordsSeen {
    states: Vec<ShardState>,
    faults: Vec<Fault>,
    rates: BTreeMap<(String, String), Rate>,
    core_seconds: f64,
    /// Predicted seconds of what is done.
    predicted: f64,
}

impl RecordsSeen {
    fn of(plan: &RunPlan) -> Self {
        let states = vec![ShardState::Missing; plan.shards()];
        Self { states, faults: Vec::new(), rates: BTreeMap::new(), core_seconds: 0.0, predicted: 0.0 }
    }

    /// Adds what a folder has.
    fn add(&mut self, folder: &RunFolder) -> Result<()> {
        let (shards, strays) = folder.listed()?;
        let stray = |file| Fault { file, problem: "it is not named like a record".to_owned(), is_unreadable: false };
        self.faults.extend(strays.into_iter().map(stray));
        for shard in shards {
            let (problem, is_unreadable) = match folder.find(shard) {
                // Another folder may have it too.
                Ok(FoundRecord::Valid(_)) if self.states[shard] == ShardState::Done => continue,
                Ok(FoundRecord::Valid(record)) => {
                    self.add_record(&record, folder.plan().predicted_seconds(shard));
                    continue;
                }
                Ok(FoundRecord::Missing) => continue,
                Ok(FoundRecord::Damaged(problem)) => (problem, false),
                Err(Error::Read { reason, .. }) => (format!("cannot read it: {reason}"), true),
                Err(error) => return Err(error),
            };
            if self.states[shard] != ShardState::Done {
                self.states[shard] = ShardState::Damaged;
            }
            self.faults.push(Fault { file: folder.record_file(shard), problem, is_unreadable });
        }
        Ok(())
    }

    fn add_record(&mut self, record: &ShardRecord, predicted: f64) {
        self.states[record.shard()] = ShardState::Done;
        let (machine, isa) = (record.origin().who().to_owned(), record.origin().isa.clone());
        let rate = self.rates.entry((machine.clone(), isa.clone())).or_insert_with(|| Rate {
            machine,
            isa,
            shards: 0,
            core_seconds: 0.0,
            predicted_seconds: 0.0,
            last_finished: String::new(),
        });
        rate.shards += 1;
        rate.core_seconds += record.core_seconds();
        rate.predicted_seconds += predicted;
        // Times in UTC, all of the same form, are in order as text.
        if record.finished() > rate.last_finished.as_str() {
            record.finished().clone_into(&mut rate.last_finished);
        }
        self.core_seconds += record.core_seconds();
        self.predicted += predicted;
    }
}

/// Those who are counting.
struct Hands {
    processes: usize,
    threads: usize,
    /// Predicted seconds that they do in a second.
    speed: f64,
    basis: Basis,
}

impl Hands {
    fn of(running: &[RunningClaim], rates: &[Rate], pace: f64) -> Self {
        // A process tells itself by its number; one of an earlier version had none.
        let processes: BTreeMap<_, &Claimant> = running
            .iter()
            .filter(|one| !one.is_silent())
            .map(|RunningClaim { claimant, .. }| ((claimant.machine(), claimant.process, &claimant.number), claimant))
            .collect();
        let of_machine = |name: &str| {
            let rates = rates.iter().filter(|rate| rate.machine == name);
            rates.fold((0, 0.0, 0.0), |(n, seconds, predicted), rate| {
                (n + rate.shards, seconds + rate.core_seconds, predicted + rate.predicted_seconds)
            })
        };
        let (mut threads, mut speed, mut is_known) = (0, 0.0, true);
        let mut machines: BTreeMap<&str, usize> = BTreeMap::new();
        for claimant in processes.values() {
            let (records, seconds, predicted) = of_machine(claimant.machine());
            let a_thread = if seconds > 0.0 { predicted / seconds } else { 1.0 / pace.max(f64::MIN_POSITIVE) };
            is_known &= seconds > 0.0;
            machines.insert(claimant.machine(), records);
            threads += claimant.threads;
            speed += a_thread * claimant.threads as f64;
        }
        let basis = match rates.iter().map(|rate| rate.shards).sum() {
            0 => Basis::Prediction,
            _ if is_known && threads > 0 => Basis::TheseMachines(machines.values().sum()),
            all => Basis::AllMachines(all),
        };
        Self { processes: processes.len(), threads, speed, basis }
    }
}
