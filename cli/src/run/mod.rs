//! Long runs: a count is cut into shards. Any number of processes and machines count them.
//!
//! A *run* is a plan and logs, in a folder. `plan.json` ([`RunPlan`]) says how the count is cut into numbered *shards*,
//! ranges of a solver's units of work. `logs` has a [`Log`] for each process, such as `box-1234-89ab.jsonl`. Only
//! that process writes to it: it appends a line for each shard that it finished ([`Line`]), with the count of
//! every unit and a checksum. There is no other state. Reading a run is reading all lines of all logs ([`Results`]).
//! After a crash, a run goes on from its lines. Merging folders is reading the logs of both, or copying them.
//!
//! `claims/` keeps two processes from counting the same shard. A process locks a shard's file there while it counts. If
//! locks do not work, some shards are counted twice. Two lines for a shard must agree.
//!
//! Runs rely on two properties of the file system, which local disks and NFS have. A file that one process appends to
//! never changes before its end, for whoever reads it. Data are on the disk when `fsync` returns.
//!
//! The order of reading: `plan.rs`, `line.rs`, `log.rs`, `logs.rs`, `results.rs`, `walk.rs`, `round.rs`.

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
pub(crate) use plan::RunPlan;
pub(crate) use results::{Contribution, Results, core_seconds};
pub(crate) use retry::Stop;
pub(crate) use sample::{CountedUnit, Proof, sample};
pub(crate) use status::Status;
pub(crate) use walk::Walk;
