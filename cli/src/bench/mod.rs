//! Measuring: benchmarks, their records, and comparisons of records.
//!
//! Three rules hold everywhere. A wrong count is an error and has no time. Only equal versions of a workload are
//! compared. A record keeps all samples, and its readers compute everything else.

pub(crate) mod compare;
pub(crate) mod figure;
pub(crate) mod measure;
pub(crate) mod record;
pub(crate) mod warning;
pub(crate) mod workload;

pub(crate) use record::Record;
