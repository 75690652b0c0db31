//! The record of a benchmark: machine, program, and each sample with its count.
//!
//! `record.schema.json` beside this file describes the format. Counts are strings, because many readers of JSON lose
//! digits above 2^53. Unknown facts are left out, never guessed.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::WorkloadId;
use super::statistics::{Estimate, repeated_median_with_interval};
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
    /// The suite and its version, such as `quick@1`.
    pub(crate) suite: String,
    /// When the benchmark began, such as `2026-11-21T10:53:07Z`.
    pub(crate) created: String,
    pub(crate) elapsed_seconds: f64,
    pub(crate) program: ProgramFacts,
    pub(crate) machine: Machine,
    pub(crate) warnings: Vec<Warning>,
    pub(crate) workloads: Vec<Workload>,
    /// The result of `--sustain`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) sustained: Option<Sustained>,
}

/// A workload that runs again and again for minutes, to see whether the machine keeps its speed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Sustained {
    pub(crate) workload: WorkloadId,
    pub(crate) threads: usize,
    pub(crate) points: Vec<SustainedPoint>,
}

/// A sample of a sustained measurement.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct SustainedPoint {
    /// The end of the sample, in seconds since the start of the measurement.
    pub(crate) at_seconds: f64,
    /// Seconds of one run.
    pub(crate) seconds: f64,
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

/// Facts about the machine.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Machine {
    /// The processor's model, as it calls itself.
    pub(crate) cpu_model: String,
    /// Logical CPUs online.
    pub(crate) logical_cpus: usize,
    /// CPUs that this process may use, by affinity and quota: the threads of `t=all`.
    pub(crate) usable_cpus: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) cores: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) numa_nodes: Option<usize>,
    /// Whether the machine has more than one kind of core.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) hybrid: Option<bool>,
    /// The caches of the first CPU, nearest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) caches: Vec<Cache>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) memory_bytes: Option<u64>,
    #[serde(default, skip_serializing_if = "Clock::is_unknown")]
    pub(crate) clock: Clock,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) virtualised: Option<bool>,
    /// The name that the hypervisor reports.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) hypervisor: Option<String>,
    /// The instruction sets of [`Isa`] that the machine has, slowest first.
    pub(crate) instruction_sets: Vec<String>,
    /// The operating system, such as `Debian GNU/Linux 12 (bookworm)`.
    pub(crate) os: String,
    /// Its kernel's release.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) kernel: Option<String>,
}

/// A cache.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Cache {
    pub(crate) level: u8,
    /// `data`, `instruction` or `unified`.
    pub(crate) kind: String,
    pub(crate) bytes: u64,
    /// Logical CPUs that share it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) shared_by: Option<usize>,
}

/// Clocks of the first CPU.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Clock {
    /// The kernel's clock governor, such as `performance` or `powersave`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) governor: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) driver: Option<String>,
    /// The median clock of one core during the benchmark, in MHz, measured by a chain of dependent operations.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) measured_mhz: Option<f64>,
    /// The highest clock, in MHz.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) max_mhz: Option<f64>,
}

/// An event or a state that may have spoiled the measurement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Warning {
    /// One word: `busy`, `load`, `steal`, `throttling`, `quota`, `battery`, `governor`, `hybrid`,
    /// `interrupted`.
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
    /// The count of every run.
    pub(crate) count: Decimal,
    /// Figures by name. They depend on the input and the instruction set, and not on the clock.
    pub(crate) work: BTreeMap<String, Decimal>,
    /// Runs in a sample: more than one if a run is too short to be timed well.
    pub(crate) runs_per_sample: u64,
    /// Seconds of one run, sample by sample in order, without the warm-up.
    pub(crate) seconds: Vec<f64>,
    /// Number of samples of each repetition. Empty if there is only one repetition.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) repetitions: Vec<usize>,
}

impl Workload {
    /// The median of `seconds` with its 95 % interval. For several repetitions it is the median of their medians.
    pub(crate) fn estimate(&self) -> Estimate {
        let mut rest = &self.seconds[..];
        let mut parts: Vec<&[f64]> = self.repetitions.iter().filter_map(|&length| rest.split_off(..length)).collect();
        if parts.is_empty() {
            parts.push(rest);
        }
        repeated_median_with_interval(&parts)
    }

    /// Adds the samples of another repetition.
    pub(crate) fn add(&mut self, other: &Self) {
        if self.repetitions.is_empty() {
            self.repetitions.push(self.seconds.len());
        }
        self.repetitions.push(other.seconds.len());
        self.seconds.extend(&other.seconds);
    }
}

impl Clock {
    fn is_unknown(&self) -> bool {
        *self == Self::default()
    }
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
    use super::super::{export, read, score};
    use super::*;

    #[test]
    fn repetitions_have_one_interval_with_all_of_them() {
        let mut record = score::quiet_anchor();
        let base = record.workloads.remove(0);
        let given = [1.0, 1.1, 1.05].map(|factor| Workload {
            seconds: base.seconds.iter().map(|time| time * factor).collect(),
            ..base.clone()
        });
        let mut added = given[0].clone();
        given[1..].iter().for_each(|again| added.add(again));
        let estimate = added.estimate();
        // The median of three medians. Its interval contains all three.
        let [first, second, third] = given.each_ref().map(|one| one.estimate().value);
        assert!(estimate.value == third && estimate.low <= first && estimate.high >= second, "{estimate:?}");
        assert_eq!(added.seconds.len(), added.repetitions.iter().sum::<usize>());
        record.workloads = vec![added];
        assert_eq!(read::parse(export::json(&record).as_bytes()).unwrap(), record);
    }

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
