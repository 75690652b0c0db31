//! Measuring: benchmarks, their records, and comparisons of records.
//!
//! Three rules hold everywhere. A wrong count is an error and has no time. Only equal versions of a workload are
//! compared. A record keeps all samples, and everything else is computed from them.
//!
//! Read the files in this order: `workload.rs` is the suite and takes a sample, `measure.rs` runs the suite,
//! `record.rs` is what it saves, with the warnings of `warning.rs`. `score.rs` defines the scores, `joined.rs` joins
//! the runs of one machine, with `figure.rs`, and `compare.rs` ranks machines.

pub(crate) mod compare;
pub(crate) mod figure;
pub(crate) mod joined;
pub(crate) mod measure;
pub(crate) mod record;
pub(crate) mod score;
pub(crate) mod warning;
pub(crate) mod workload;

pub(crate) use record::Record;
