//! The protocol between the gate and a build. The gate runs `BUILD sample --workload ID ...`, and the build prints one
//! line of JSON. The line has a version, so that the gate does not take an old format for a wrong answer.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::bench::measure::warm_up;
use crate::bench::record::Decimal;
use crate::bench::sample::Sample;
use crate::bench::workload::Threads;
use crate::bench::{Result, WorkloadId};
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

/// Runs a workload for the gate: a warm-up, then `repetitions` samples of `runs` runs. `None` chooses the number of
/// runs that makes a sample long enough.
///
/// # Errors
/// Those of [`warm_up`] and of taking a sample.
pub(crate) fn answer(
    id: &WorkloadId,
    isa: Option<Isa>,
    repetitions: usize,
    runs: Option<u64>,
    cancel: &CancelToken,
) -> Result<Answer> {
    let (mut runner, enough) = warm_up(id, isa, cancel)?;
    let runs = runs.unwrap_or(enough);
    let samples = (0..repetitions).map(|_| runner.sample(runs, cancel)).collect::<Result<Vec<Sample>>>()?;
    let processor_seconds = samples.iter().filter_map(|sample| sample.processor_seconds).collect();
    let workload = runner.into_workload(runs, samples.iter().map(|sample| sample.seconds).collect())?;
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
        runs,
        seconds: workload.seconds,
        processor_seconds: if id.threads == Threads::Exactly(1) { processor_seconds } else { Vec::new() },
    })
}
