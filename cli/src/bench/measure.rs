//! Runs the suite. All workloads take turns, so a disturbance spoils one sample of each workload and not all of one.

use std::time::Duration;

use anyhow::Result;
use nqueens::CancelToken;
use nqueens::registry::machine_isa;
use nqueens::solver::Isa;

use super::record::{KIND, Record, SCHEMA};
use super::warning::warnings;
use super::workload::Workload;
use crate::machine::{self, Watched};
use crate::version;

/// The fewest samples of a record.
const FEWEST_SAMPLES: usize = 5;

/// The samples of each workload, and the length of one. On any number of threads the start of a thread is less than a
/// hundredth of it. Times of a build without optimisation mean nothing, so it takes the fewest samples, of one board each.
const SAMPLES: (usize, Duration) =
    if version::is_release() { (30, Duration::from_millis(100)) } else { (FEWEST_SAMPLES, Duration::ZERO) };

/// The time that some workloads take, with a sample to warm up.
pub(crate) fn time(workloads: usize) -> Duration {
    let (samples, length) = SAMPLES;
    length * ((samples + 1) * workloads) as u32
}

/// Measures the workloads. `observe` is called after every sample with the share of the samples that were taken.
pub(crate) fn run(
    name: String,
    mut workloads: Vec<Workload>,
    isa: Option<Isa>,
    cancel: &CancelToken,
    observe: &mut dyn FnMut(f64, &Workload),
) -> Result<Record> {
    let (created, watched) = (machine::now(), Watched::start());
    let ((samples, length), count) = (SAMPLES, workloads.len());
    // The first sample fills caches and raises clocks, and does not count.
    for round in 0..=samples {
        for (at, workload) in workloads.iter_mut().enumerate() {
            let seconds = workload.sample(length, isa, cancel)?;
            if round > 0 {
                workload.seconds.push(seconds);
            }
            observe((round * count + at + 1) as f64 / ((samples + 1) * count) as f64, workload);
        }
    }
    let (isa, machine) = (isa.unwrap_or_else(machine_isa).name(), machine::facts());
    let warnings = warnings(isa, &machine, &watched.disturbance());
    // Flags that the user gave the compiler may name folders.
    let flags = if version::FLAGS.is_empty() { "" } else { ", RUSTFLAGS" };
    Ok(Record {
        schema: SCHEMA,
        kind: KIND.to_owned(),
        name,
        created,
        program: format!("{}, {}, {}, {}{flags}", version::LONG, version::RUSTC, version::TARGET, version::PROFILE),
        isa: isa.to_owned(),
        machine,
        warnings,
        workloads,
    })
}
