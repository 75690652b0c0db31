//! Long runs: a count is cut into shards. Any number of processes and machines count them.
//!
//! A *run* is a folder. Its `plan.json` ([`RunPlan`]) says how the count is cut into numbered *shards*, ranges of a
//! solver's units of work. `records/` gets a file for each finished shard ([`ShardRecord`]), with the count of every
//! unit. It is written in one step and never changed. There is no other state: after a crash, a run goes on from its
//! records. [`merge`] reads the records of several folders. An index among the records saves reading them again.
//!
//! `claims/` keeps two processes from counting the same shard. A process locks a shard's file there while it counts. If
//! locks do not work, some shards are counted twice. The second process finds the record and compares its own with it.
//!
//! Runs rely on two properties of the file system, which local disks and NFS have. A new name of a file appears at once
//! or not at all, and replaces no other file. Data are on the disk when `fsync` returns.

mod claim;
mod clerk;
mod files;
mod folder;
mod index;
mod ledger;
mod merge;
mod patience;
mod plan;
pub(crate) mod plausible;
mod published;
mod queue;
mod record;
mod seal;
mod status;
mod work;

pub(crate) use claim::{Claim, Claimant, RunningClaim};
pub(crate) use folder::{FoundRecord, RunFolder};
pub(crate) use index::Look;
pub(crate) use ledger::{Contribution, Counted, Ledger, draw, fewer_wrong};
pub(crate) use merge::{Merged, merge};
pub(crate) use patience::{patiently, patiently_at_start, wait};
pub(crate) use plan::{Cut, RunPlan};
pub(crate) use published::Published;
pub(crate) use record::ShardRecord;
#[cfg(test)]
pub(crate) use seal::seal;
pub(crate) use status::{ShardState, Status};
pub(crate) use work::ShardJob;
