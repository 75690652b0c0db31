//! The status of a run as JSON.

use serde::Serialize;

use super::text::basis;
use crate::runs::{Rate, RunFolder, RunningClaim, ShardState, Status};

/// What `--json` prints.
#[derive(Serialize)]
pub(crate) struct Json<'a> {
    schema: u32,
    size: usize,
    solver: &'a str,
    fingerprint: &'a str,
    shards: usize,
    done: usize,
    running: usize,
    missing: usize,
    damaged: usize,
    fraction: f64,
    core_seconds: f64,
    core_seconds_left: f64,
    seconds_left: Option<f64>,
    /// What the time left is based on.
    basis: String,
    processes: usize,
    threads: usize,
    running_shards: Vec<RunningShard<'a>>,
    /// What a scheduler has to start.
    shards_missing: Vec<usize>,
    machines: &'a [Rate],
    faults: Vec<String>,
}

#[derive(Serialize)]
struct RunningShard<'a> {
    shard: usize,
    machine: &'a str,
    process: u32,
    number: &'a str,
    threads: usize,
    since: &'a str,
    seconds: u64,
}

impl<'a> Json<'a> {
    pub(crate) fn new(folder: &'a RunFolder, status: &'a Status) -> Self {
        let plan = folder.plan();
        let wanted = |state: ShardState| matches!(state, ShardState::Missing | ShardState::Damaged);
        Self {
            schema: 1,
            size: plan.size().get(),
            solver: &plan.cut.solver,
            fingerprint: &plan.cut.fingerprint,
            shards: plan.shards(),
            done: status.count(ShardState::Done),
            running: status.count(ShardState::Running),
            missing: status.count(ShardState::Missing),
            damaged: status.count(ShardState::Damaged),
            fraction: status.fraction,
            core_seconds: status.core_seconds,
            core_seconds_left: status.core_seconds_left,
            seconds_left: status.seconds_left,
            basis: basis(status),
            processes: status.processes,
            threads: status.threads,
            running_shards: status
                .running
                .iter()
                .map(|RunningClaim { shard, claimant, age }| RunningShard {
                    shard: *shard,
                    machine: claimant.machine(),
                    process: claimant.process,
                    number: &claimant.number,
                    threads: claimant.threads,
                    since: &claimant.since,
                    seconds: age.as_secs(),
                })
                .collect(),
            shards_missing: (0..plan.shards()).filter(|&shard| wanted(status.states[shard])).collect(),
            machines: &status.rates,
            faults: status.faults.iter().map(ToString::to_string).collect(),
        }
    }
}
