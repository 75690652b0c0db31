//! Long runs: counts that are cut into shards, which any number of processes and machines count.
//!
//! A *run* is a folder with a plan and logs. `plan.json` ([`RunPlan`]) cuts the count into numbered *shards*, which are
//! ranges of a solver's units of work. `logs` contains a [`Log`] for each process, such as `box-1234-89ab.jsonl`, to
//! which that process appends a [`Line`] for each shard that it has finished, with the count of every unit and a
//! checksum. Because no other state outlives a process, reading a run means reading all lines of all logs
//! ([`Results`]), continuing after a crash means counting the shards without a line, and merging two folders means
//! reading the logs of both.
//!
//! `claims` keeps two processes from counting the same shard: a process locks the shard's file there while it counts.
//! Where locks do not work, some shards are counted twice, and their two lines must agree.
//!
//! Runs rely on two guarantees of the file system: data are on the disk when `fsync` returns, and of several processes
//! that create one plan, only one succeeds. A reader on NFS may see zeros in place of new bytes for a moment, so a line
//! counts only once its checksum is right (`logs.rs`).
//!
//! Read the files in this order: `run_plan.rs`, `folder.rs`, `line.rs`, `log.rs`, `logs.rs`, `results.rs`,
//! `process.rs`, `round.rs`. The others serve these: `checksum.rs` serves plans and lines, `sanity.rs`, `unread.rs` and
//! `advice.rs` the results, `queue.rs` and `claim.rs` a round, and `retry.rs` whatever touches a file.

mod advice;
mod checksum;
mod claim;
mod folder;
mod line;
mod log;
mod logs;
mod process;
mod queue;
mod results;
mod retry;
mod round;
mod run_plan;
pub(crate) mod sanity;
#[cfg(test)]
pub(crate) mod tests;
mod unread;

pub(crate) use claim::{Claim, Claimant};
pub(crate) use folder::RunFolder;
pub(crate) use line::{CARDS, Contributor, Line, Tallied};
pub(crate) use log::Log;
#[cfg(test)]
pub(crate) use logs::log_files;
pub(crate) use process::Process;
pub(crate) use results::{Contribution, CountedUnit, Results, Verified, core_seconds};
pub(crate) use retry::{retry, retry_at_start};
pub(crate) use run_plan::{CheckedPlan, RunPlan};
