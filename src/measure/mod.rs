//! Measuring: what a benchmark runs, the record it leaves, and the verdicts and comparisons drawn from records.
//!
//! Three rules hold throughout. A wrong count is an error and never a time. A result carries the id of its workload, with
//! a version, and results of different workloads are never compared. Raw samples are kept, and whatever is derived from
//! them is derived anew by whoever reads the record.

pub mod bench;
pub mod compare;
pub mod doubt;
mod error;
pub mod export;
pub mod machine;
pub mod merge;
mod program;
pub mod rank;
pub mod read;
pub mod record;
pub mod regress;
pub mod sample;
pub mod score;
pub mod statistics;
mod strict;
pub mod suite;
pub mod text;
pub mod units;
pub mod verdict;
mod warning;
pub mod workload;

pub use error::{Error, Result};
pub use record::Record;
pub use workload::WorkloadId;
