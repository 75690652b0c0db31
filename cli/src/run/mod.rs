//! Long runs: counts that are cut into shards, which any number of processes and machines count.
//!
//! A *run* is a folder with a plan and logs. `plan.json` ([`RunPlan`]) says how the count is cut into numbered
//! *shards*, which are ranges of a solver's units of work. `logs` holds a [`Log`] for each process, such as
//! `box-1234-89ab.jsonl`. Only that process writes to it: it appends a line for each shard that it has finished
//! ([`Line`]), with the count of every unit and a checksum. There is no other state, so reading a run means reading all
//! lines of all logs ([`Results`]), a run goes on from its lines after a crash, and merging two folders is reading the
//! logs of both.
//!
//! `claims` keeps two processes from counting the same shard: a process locks the shard's file there while it counts.
//! Where locks do not work, some shards are counted twice, and their two lines must agree.
//!
//! Runs rely on two properties of the file system, which local disks and NFS guarantee: what a process has appended to
//! a file never changes for its readers, and data are on the disk when `fsync` returns.
//!
//! Read the files in this order: `plan.rs`, `line.rs`, `log.rs`, `logs.rs`, `results.rs`, `walk.rs`, `round.rs`.

mod checksum;
mod claim;
mod folder;
mod line;
mod log;
mod logs;
mod plan;
mod queue;
mod results;
mod retry;
mod round;
mod sample;
pub(crate) mod sanity;
mod status;
mod walk;

pub(crate) use claim::{Claim, Claimant};
pub(crate) use folder::RunFolder;
pub(crate) use line::{Contributor, Line};
pub(crate) use log::Log;
#[cfg(test)]
pub(crate) use logs::log_files;
pub(crate) use plan::RunPlan;
pub(crate) use results::{Contribution, Results, core_seconds};
pub(crate) use retry::Stop;
pub(crate) use sample::{CountedUnit, fewer_wrong, sample};
pub(crate) use status::Status;
pub(crate) use walk::Walk;
