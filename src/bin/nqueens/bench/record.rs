//! The record of a benchmark: machine, program, and each sample with its count.
//!
//! Counts are strings, because many readers of JSON lose digits above 2^53. Unknown facts are left out, never guessed.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::WorkloadId;
use super::statistics::{Estimate, median_with_interval, repeated_median_with_interval};
use crate::machine::Machine;
use crate::terminal::escape;
use crate::version;
use nqueens::solver::Isa;

/// The version of the format. It changes when an old reader would misread a record. Fields may be added.
pub(crate) const SCHEMA: u64 = 1;

/// The value of `kind` in every record. It tells records from files of other tools.
pub(crate) const KIND: &str = "nqueens-bench";

/// The kind of the warning that the machine was too busy for a score.
pub(crate) const BUSY: &str = "busy";

/// The kind of the warning that the benchmark was interrupted. It comes first.
pub(crate) const INTERRUPTED: &str = "interrupted";

/// The result of one `nqueens bench machine`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Record {
    pub(crate) schema: u64,
    pub(crate) kind: String,
    /// The machine's name: `--name`, or the processor's model.
    pub(crate) name: String,
    /// When the benchmark began, such as `2026-11-21T10:53:07Z`.
    pub(crate) created: String,
    pub(crate) elapsed_seconds: f64,
    pub(crate) program: ProgramFacts,
    pub(crate) machine: Machine,
    pub(crate) warnings: Vec<Warning>,
    pub(crate) workloads: Vec<Workload>,
}

impl Record {
    /// The record as JSON.
    pub(crate) fn json(&self) -> String {
        let value = serde_json::to_value(self).unwrap_or_default();
        format!("{}\n", escape::json(&format!("{value:#}")))
    }

    /// The workload with this id.
    pub(crate) fn find(&self, id: &WorkloadId) -> Option<&Workload> {
        self.workloads.iter().find(|workload| workload.id == *id)
    }

    /// Whether it has a warning of this kind.
    pub(crate) fn warns_of(&self, kind: &str) -> bool {
        self.warnings.iter().any(|warning| warning.kind == kind)
    }
}

/// The program that was measured.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ProgramFacts {
    pub(crate) version: String,
    pub(crate) commit: String,
    /// Whether the sources differ from the commit.
    pub(crate) dirty: bool,
    pub(crate) rustc: String,
    pub(crate) target: String,
    /// The cargo profile, and whether `RUSTFLAGS` had other flags.
    pub(crate) flags: String,
    /// The value of `--isa`, or `auto`.
    pub(crate) isa: String,
}

impl ProgramFacts {
    /// This program. `isa` is the instruction set that the user chose.
    pub(crate) fn of_this_build(isa: Option<Isa>) -> Self {
        // Other flags are left out of the record, because they may name folders.
        let flags = if version::FLAGS.is_empty() { "" } else { ", with RUSTFLAGS" };
        Self {
            version: version::VERSION.to_owned(),
            commit: version::COMMIT.to_owned(),
            dirty: version::IS_DIRTY,
            rustc: version::RUSTC.to_owned(),
            target: version::TARGET.to_owned(),
            flags: format!("{}{flags}", version::PROFILE),
            isa: isa.map_or("auto", Isa::name).to_owned(),
        }
    }
}

/// An event or a state that may have spoiled the measurement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Warning {
    /// One word: `busy`, `load`, `steal`, `throttling`, `governor` or `interrupted`.
    pub(crate) kind: String,
    pub(crate) message: String,
}

/// One workload's results.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Workload {
    pub(crate) id: WorkloadId,
    pub(crate) threads: usize,
    /// The instruction set that was used.
    pub(crate) isa: String,
    /// The count of every board.
    pub(crate) count: Decimal,
    /// Seconds of a board, sample by sample in order, without the warm-up. All threads together count one in this time.
    pub(crate) seconds: Vec<f64>,
}

impl Workload {
    /// The median of `seconds` with its 95 % interval.
    pub(crate) fn estimate(&self) -> Estimate {
        median_with_interval(&self.seconds)
    }
}

/// The time of a workload in several records of one machine: the median of their medians. Its interval contains their
/// intervals, so it includes differences between starts. `None` if no record has the workload.
pub(crate) fn estimate<'a>(records: impl Iterator<Item = &'a Record>, id: &WorkloadId) -> Option<Estimate> {
    let times: Vec<&[f64]> = records.filter_map(|record| Some(&record.find(id)?.seconds[..])).collect();
    (!times.is_empty()).then(|| repeated_median_with_interval(&times))
}

/// A whole number. JSON has it as a string of digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Decimal(#[serde(with = "nqueens::decimal")] pub u128);

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_past_two_to_the_53_come_back_whole() {
        let text = serde_json::to_string(&Decimal(u128::MAX)).unwrap();
        assert_eq!(text, format!("\"{}\"", u128::MAX));
        assert_eq!(serde_json::from_str::<Decimal>(&text).unwrap(), Decimal(u128::MAX));
        for wrong in ["92", "\"\"", "\"-1\"", "\"+1\"", "\"1e3\"", "\"999999999999999999999999999999999999999999\""] {
            assert!(serde_json::from_str::<Decimal>(wrong).is_err(), "{wrong}");
        }
    }
}
