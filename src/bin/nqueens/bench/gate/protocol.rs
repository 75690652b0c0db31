//! The protocol between the gate and a build. The gate runs `BUILD sample --workload ID ...`, and the build prints one
//! line of JSON. The line has a version, so that the gate does not take an old format for a wrong answer.

use crate::terminal::plural::plural;
use std::collections::BTreeMap;

use anyhow::Result;
use serde::{Deserialize, Serialize};

use crate::bench::WorkloadId;
use crate::bench::record::Decimal;
use crate::bench::sample::{Runner, Sample};
use crate::bench::workload::Threads;
use crate::version;
use nqueens::CancelToken;
use nqueens::solver::Isa;

/// The version of the line. It changes when an old reader would misread the line. Fields may be added.
pub(crate) const PROTOCOL: u32 = 1;

/// The value of [`Answer::program`]. It tells this program from others.
pub(crate) const PROGRAM: &str = "nqueens";

/// The answer of one process.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Answer {
    pub(crate) program: String,
    pub(crate) protocol: u32,
    pub(crate) version: String,
    pub(crate) commit: String,
    pub(crate) workload: WorkloadId,
    pub(crate) threads: usize,
    pub(crate) isa: String,
    /// The count. It was checked in every run.
    pub(crate) count: Decimal,
    /// Figures that do not depend on the clock, by name.
    pub(crate) work: BTreeMap<String, Decimal>,
    /// Runs in a sample.
    pub(crate) runs: u64,
    /// Seconds of one run, sample by sample, after a warm-up.
    pub(crate) seconds: Vec<f64>,
    /// The processor's seconds of one run, sample by sample, for one thread and if the system reports them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) processor_seconds: Vec<f64>,
}

impl Answer {
    /// The count and the work, in words.
    pub(crate) fn counted(&self) -> String {
        format!("{}, {}", plural(self.count.0, "solution"), self.figures())
    }

    /// The work in words.
    pub(crate) fn figures(&self) -> String {
        self.work
            .iter()
            .map(|(name, figure)| format!("{figure} {}", name.replace('_', " ")))
            .collect::<Vec<_>>()
            .join(", ")
    }
}

/// Runs a workload for the gate: a warm-up, then `repetitions` samples of `runs` runs. `None` chooses the number of
/// runs that makes a sample long enough.
pub(crate) fn answer(
    id: &WorkloadId,
    isa: Option<Isa>,
    repetitions: usize,
    runs: Option<u64>,
    cancel: &CancelToken,
) -> Result<Answer> {
    let mut runner = Runner::warm(id, isa, cancel)?;
    runner.runs = runs.unwrap_or(runner.runs);
    let samples = (0..repetitions).map(|_| runner.sample(cancel)).collect::<Result<Vec<Sample>>>()?;
    let processor_seconds = samples.iter().filter_map(|sample| sample.processor_seconds).collect();
    let workload = runner.into_workload(samples.iter().map(|sample| sample.seconds).collect())?;
    Ok(Answer {
        program: PROGRAM.to_owned(),
        protocol: PROTOCOL,
        version: version::VERSION.to_owned(),
        commit: if version::IS_DIRTY { format!("{}-dirty", version::COMMIT) } else { version::COMMIT.to_owned() },
        workload: workload.id,
        threads: workload.threads,
        isa: workload.isa,
        count: workload.count,
        work: workload.work,
        runs: workload.runs_per_sample,
        seconds: workload.seconds,
        processor_seconds: if id.threads == Threads::Exactly(1) { processor_seconds } else { Vec::new() },
    })
}
