//! Long runs: a count cut into shards, each counted by whatever process and machine, kept in a file, and merged.
//!
//! A *run* is a folder. Its `plan.json` ([`RunPlan`]) says once and for all how the count is cut into numbered *shards*,
//! ranges of a solver's units of work. `records/` gets a file for each shard when it is counted ([`ShardRecord`]): written
//! once and whole, never changed, with every unit's count, so that others can check it. Nothing else is needed: a run
//! that is killed goes on from its records, folders of several machines are merged by reading them all ([`merge`]), and
//! whatever starts the processes may be lost.
//!
//! `claims/` only keeps two processes from counting the same shard: a process holds an advisory lock on a shard's file
//! there while it counts. Where locks do not work, shards are counted twice and that is all: whoever is second finds the
//! record there, compares, and leaves the second one in `again/`.
//!
//! What is relied on, on a local disk as on NFS: a file is renamed, or linked, to a name that is not taken at once or not
//! at all; what `fsync` returned for is on the disk.

mod audit;
mod claim;
mod error;
mod files;
mod folder;
mod merge;
mod plan;
mod published;
mod queue;
mod random_sample;
mod record;
mod seal;
mod shards;
mod status;
mod work;

pub(crate) use audit::{Audit, Counted};
pub(crate) use claim::{Attempt, BEAT, Claim, Claimant, Held, SILENT_AFTER};
pub(crate) use error::{Error, Result};
pub(crate) use folder::{FoundRecord, KeptAs, RunFolder};
pub(crate) use merge::{Fault, Merged, merge};
pub(crate) use plan::{PLAN_VERSION, RunPlan};
pub(crate) use published::Published;
pub(crate) use random_sample::RandomSample;
pub(crate) use record::{Figures, Origin, Residue, ShardRecord};
pub(crate) use status::{Basis, RunningClaim, ShardState, Status};
pub(crate) use work::{CountedShards, ShardJob};
