//! Long runs: a count is cut into shards. Any number of processes and machines count them.
//!
//! A *run* is a folder. Its `plan.json` ([`RunPlan`]) says how the count is cut into numbered *shards*, ranges of a
//! solver's units of work. `records/` gets a file for each finished shard ([`ShardRecord`]), with the count of every unit.
//! It is written once and whole, and never changed. Nothing else is needed: a run that is killed goes on from its records,
//! and [`merge`] reads the records of several folders.
//!
//! `claims/` keeps two processes from counting the same shard. A process locks a shard's file there while it counts. If
//! locks do not work, some shards are counted twice. The second process finds the record and compares its own with it.
//!
//! The file system has to promise two things, on a local disk as on NFS. A file gets a name that is not taken at once or
//! not at all. Data are on the disk when `fsync` returns.

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
pub(crate) use claim::{Claim, Claimant};
pub(crate) use error::{Error, Result};
pub(crate) use folder::{FoundRecord, KeptAs, RunFolder};
pub(crate) use merge::{Fault, Merged, merge};
pub(crate) use plan::RunPlan;
pub(crate) use published::Published;
pub(crate) use random_sample::RandomSample;
pub(crate) use record::{Figures, Origin, Residue, ShardRecord};
pub(crate) use status::{RunningClaim, ShardState, Status};
pub(crate) use work::{CountedShards, ShardJob};
