//! Measuring: what a benchmark runs, the record it leaves, and the verdicts and comparisons drawn from records.
//!
//! Three rules hold throughout. A wrong count is an error and never a time. A result carries the id of its workload, with
//! a version, and results of different workloads are never compared. Raw samples are kept, and whatever is derived from
//! them is derived anew by whoever reads the record.

pub(crate) mod compare;
pub(crate) mod doubt;
mod error;
pub(crate) mod export;
pub(crate) mod gate;
pub(crate) mod measure;
pub(crate) mod rank;
pub(crate) mod read;
pub(crate) mod record;
pub(crate) mod sample;
pub(crate) mod score;
pub(crate) mod statistics;
pub(crate) mod suite;
pub(crate) mod verdict;
mod warning;
pub(crate) mod workload;

pub(crate) use error::{Error, Result};
pub(crate) use record::Record;
pub(crate) use workload::WorkloadId;
