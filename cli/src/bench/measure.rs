//! Runs the suite. All workloads take turns, so a disturbance spoils one sample of each workload and not all of one.

use std::time::{Duration, Instant};

use anyhow::Result;
use nqueens::CancelToken;
use nqueens::solver::Isa;

use super::record::{KIND, Record, SCHEMA, this_build};
use super::warning::warnings;
use super::workload::Workload;
use crate::machine::{self, Watched};
use crate::version;

/// The samples that every workload gets, even if the time is over.
pub(super) const FEWEST_SAMPLES: usize = 5;

/// The length of a sample. On any number of threads the start of a thread is less than a hundredth of it.
const SAMPLE: Duration = Duration::from_millis(100);

/// The time for all samples of a workload.
const ALL_SAMPLES: Duration = Duration::from_secs(3);

/// The time that the samples of these workloads may take, and the length of one. The times of a build without
/// optimisation mean nothing, so it takes the fewest samples, of one board each.
pub(crate) fn times(workloads: &[Workload]) -> [Duration; 2] {
    if version::is_release() { [ALL_SAMPLES * workloads.len() as u32, SAMPLE] } else { [Duration::ZERO; 2] }
}

/// Measures the workloads. `observe` is called after every sample with the share of the expected time that has passed.
pub(crate) fn run(
    name: String,
    mut workloads: Vec<Workload>,
    isa: Option<Isa>,
    cancel: &CancelToken,
    observe: &mut dyn FnMut(f64, &Workload),
) -> Result<Record> {
    let (created, watched) = (machine::now(), Watched::start());
    sample_all(&mut workloads, isa, cancel, observe)?;
    let (isa, machine) = (highest(isa), machine::facts());
    let warnings = warnings(isa, &machine, &watched.disturbance());
    Ok(Record {
        schema: SCHEMA,
        kind: KIND.to_owned(),
        name,
        created,
        program: this_build(),
        isa: isa.to_owned(),
        machine,
        warnings,
        workloads,
    })
}

/// The highest instruction set that solvers may use.
fn highest(isa: Option<Isa>) -> &'static str {
    isa.or(Isa::available().last().copied()).map_or("unknown", Isa::name)
}

/// Samples every workload until all have enough samples, or the time is over.
fn sample_all(
    workloads: &mut [Workload],
    isa: Option<Isa>,
    cancel: &CancelToken,
    observe: &mut dyn FnMut(f64, &Workload),
) -> Result<()> {
    let [budget, length] = times(workloads);
    for workload in workloads.iter() {
        // The first sample fills caches and raises clocks. It does not count.
        workload.sample(length, isa, cancel)?;
        observe(0.0, workload);
    }
    let (start, fewest) = (Instant::now(), FEWEST_SAMPLES * workloads.len());
    let (mut taken, mut is_done) = (0, false);
    while !is_done {
        is_done = true;
        for workload in workloads.iter_mut() {
            if workload.seconds.len() >= FEWEST_SAMPLES && start.elapsed() > budget {
                continue;
            }
            is_done = false;
            workload.seconds.push(workload.sample(length, isa, cancel)?);
            taken += 1;
            // On a slow machine the first few samples of each workload take longer than the budget.
            let fraction = start.elapsed().as_secs_f64() / budget.as_secs_f64();
            observe(fraction.min(taken as f64 / fewest as f64).min(1.0), workload);
        }
    }
    Ok(())
}
