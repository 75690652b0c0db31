//! Measuring: benchmarks, their records, and comparisons of records.
//!
//! Three rules hold everywhere. A wrong count is an error and has no time. Only equal versions of a workload are
//! compared. A record keeps all samples, and everything else is computed from them.
//!
//! Read the files in this order: `score.rs` defines the scores, `workload.rs` lists their workloads, `record.rs`
//! defines what is saved, and `warning.rs` the warnings in it. `measure.rs` runs the suite, for which `sample.rs` times
//! workloads. `points.rs` computes the times and points of a machine as [figures](figure), `machines.rs` joins the
//! records of one machine, `comparison.rs` compares machines, and `rows.rs` ranks them.

pub(crate) mod comparison;
pub(crate) mod figure;
pub(crate) mod machines;
pub(crate) mod measure;
pub(crate) mod points;
pub(crate) mod record;
pub(crate) mod rows;
mod sample;
pub(crate) mod score;
#[cfg(test)]
pub(crate) mod tests;
pub(crate) mod warning;
pub(crate) mod workload;

pub(crate) use record::{Record, Run};
