//! Measuring: benchmarks, their records, comparisons of records, and the gate for two commands.
//!
//! Three rules hold everywhere. A wrong count is an error and has no time. Only results of workloads with equal ids are
//! compared, and an id has a version. A record keeps all samples, and its readers compute everything else.

pub(crate) mod compare;
pub(crate) mod doubt;
pub(crate) mod gate;
pub(crate) mod measure;
pub(crate) mod ranking;
pub(crate) mod read;
pub(crate) mod record;
pub(crate) mod sample;
pub(crate) mod score;
pub(crate) mod statistics;
pub(crate) mod suite;
pub(crate) mod warning;
pub(crate) mod workload;

pub(crate) use record::Record;
pub(crate) use workload::WorkloadId;
