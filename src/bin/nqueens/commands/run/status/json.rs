//! The status of a run as JSON.

use serde::Serialize;

use super::text::basis;
use crate::runs::{RunFolder, ShardState, Status};

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
    /// What the time left is based on.
    basis: String,
    #[serde(flatten)]
    status: &'a Status,
    /// What a scheduler has to start.
    shards_missing: Vec<usize>,
    faults: Vec<String>,
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
            basis: basis(status),
            status,
            shards_missing: (0..plan.shards()).filter(|&shard| wanted(status.states[shard])).collect(),
            faults: status.faults.iter().map(ToString::to_string).collect(),
        }
    }
}
