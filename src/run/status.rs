//! How far a run is.

use std::collections::{BTreeMap, BTreeSet};

use super::{Claimant, Error, Fault, Found, Result, RunFolder};

/// The state of a shard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
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
#[non_exhaustive]
pub struct Rate {
    /// Its name, or its processor's model.
    pub machine: String,
    /// The instruction set used.
    pub isa: String,
    /// Shards it has counted.
    pub shards: usize,
    /// Seconds its cores were at work on them.
    pub core_seconds: f64,
    /// Seconds these were predicted to take, with portable code.
    pub predicted_seconds: f64,
    /// When the last one was finished.
    pub last_finished: String,
}

/// How far a run is.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Status {
    /// Each shard's state.
    pub states: Vec<State>,
    /// What is wrong in the folder.
    pub faults: Vec<Fault>,
    /// What each machine did, the busiest first.
    pub rates: Vec<Rate>,
    /// Processes that are counting now, and their threads.
    pub processes: usize,
    /// Threads of these.
    pub threads: usize,
    /// Share of the predicted work that is done, from 0 to 1.
    pub fraction: f64,
    /// Seconds of cores that the records took.
    pub core_seconds: f64,
    /// Seconds of cores that the rest will take, by the prediction and by how fast it went so far.
    pub core_seconds_left: f64,
}

impl Status {
    /// Reads every record and looks at every claim.
    ///
    /// # Errors
    /// [`Error::Read`] where the folder cannot be listed.
    pub fn of(folder: &RunFolder) -> Result<Self> {
        let plan = folder.plan();
        // Claims first: a shard that is finished meanwhile is done, not missing.
        let claimants = folder.claimants()?;
        let (shards, strays) = folder.listed()?;
        let mut states = vec![State::Missing; plan.shards()];
        let stray = |file| Fault { file, problem: "it is not named like a record".to_owned(), is_unreadable: false };
        let mut faults: Vec<Fault> = strays.into_iter().map(stray).collect();
        let mut rates: BTreeMap<(String, String), Rate> = BTreeMap::new();
        let (mut core_seconds, mut predicted) = (0.0, 0.0);
        for shard in shards {
            let fault = |problem, is_unreadable| Fault { file: folder.record_file(shard), problem, is_unreadable };
            match folder.find(shard) {
                Ok(Found::Valid(record)) => {
                    states[shard] = State::Done;
                    let origin = record.origin();
                    let machine = origin.machine.clone().unwrap_or_else(|| origin.cpu.clone());
                    let rate = rates.entry((machine.clone(), origin.isa.clone())).or_insert_with(|| Rate {
                        machine,
                        isa: origin.isa.clone(),
                        shards: 0,
                        core_seconds: 0.0,
                        predicted_seconds: 0.0,
                        last_finished: String::new(),
                    });
                    rate.shards += 1;
                    rate.core_seconds += record.core_seconds();
                    rate.predicted_seconds += plan.predicted_seconds(shard);
                    // Times in UTC, all of the same form, are in order as text.
                    if record.finished() > rate.last_finished.as_str() {
                        record.finished().clone_into(&mut rate.last_finished);
                    }
                    core_seconds += record.core_seconds();
                    predicted += plan.predicted_seconds(shard);
                }
                Ok(Found::Missing) => {}
                Ok(Found::Damaged(problem)) => {
                    states[shard] = State::Damaged;
                    faults.push(fault(problem, false));
                }
                Err(Error::Read { reason, .. }) => {
                    states[shard] = State::Damaged;
                    faults.push(fault(format!("cannot read it: {reason}"), true));
                }
                Err(error) => return Err(error),
            }
        }
        let mut processes: BTreeSet<(String, u32, usize)> = BTreeSet::new();
        for (shard, Claimant { threads, cpu, machine, process, .. }) in claimants {
            if let Some(state) = states.get_mut(shard).filter(|state| **state != State::Done) {
                *state = State::Running;
                processes.insert((machine.unwrap_or(cpu), process, threads));
            }
        }
        let whole = plan.whole_seconds();
        let pace = if predicted > 0.0 { core_seconds / predicted } else { 1.0 };
        let mut rates: Vec<Rate> = rates.into_values().collect();
        rates.sort_by(|a, b| b.core_seconds.total_cmp(&a.core_seconds));
        let is_done = states.iter().all(|&state| state == State::Done);
        Ok(Self {
            states,
            faults,
            rates,
            processes: processes.len(),
            threads: processes.iter().map(|(.., threads)| threads).sum(),
            fraction: if is_done { 1.0 } else { predicted / whole.max(f64::MIN_POSITIVE) },
            core_seconds,
            core_seconds_left: if is_done { 0.0 } else { pace * (whole - predicted) },
        })
    }

    /// How many shards are in this state.
    #[must_use]
    pub fn count(&self, state: State) -> usize {
        self.states.iter().filter(|&&other| other == state).count()
    }

    /// Seconds until it is done, if the threads that are counting now go on; `None` where there are none.
    #[must_use]
    pub fn seconds_left(&self) -> Option<f64> {
        (self.threads > 0).then(|| self.core_seconds_left / self.threads as f64)
    }
}
