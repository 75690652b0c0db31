//! Runs the suite. All workloads take turns, so a disturbance spoils one sample of each workload and not all of one.

use std::time::Duration;

use anyhow::Result;
use nqueens::CancelToken;
use nqueens::registry::machine_isa;
use nqueens::solver::Isa;

use super::record::{KIND, Record, SCHEMA};
use super::warning::{Warning, warnings};
use super::workload::Workload;
use crate::machine::{self, Watched, frequency};
use crate::version;

/// The fewest samples of a record.
const FEWEST_SAMPLES: usize = 5;

/// The samples of each workload, and the length of one: starting a thread takes less than a hundredth of it on any
/// number of threads. Times of a build without optimisation mean nothing, so such a build takes the fewest samples, of
/// one board each.
const SAMPLES: (usize, Duration) =
    if version::is_release() { (30, Duration::from_millis(100)) } else { (FEWEST_SAMPLES, Duration::ZERO) };

/// The time that some workloads take, with a sample to warm up.
pub(crate) fn time(workloads: usize) -> Duration {
    let (samples, length) = SAMPLES;
    length * ((samples + 1) * workloads) as u32
}

/// Measures the workloads. `observe` is called after every sample with the share of the samples that were taken. After
/// an error the record has the samples that were taken before it, and no workload without a sample.
pub(crate) fn run(
    name: String,
    mut workloads: Vec<Workload>,
    isa: Option<Isa>,
    cancel: &CancelToken,
    observe: &mut dyn FnMut(f64, &Workload),
) -> (Record, Result<()>) {
    // Without optimisation the loop has other cycles.
    let gigahertz = || version::is_release().then(frequency::gigahertz).flatten();
    let (created, before, watched) = (machine::now(), gigahertz(), Watched::start());
    let done = sample(&mut workloads, isa, cancel, observe);
    let (disturbance, after) = (watched.disturbance(), gigahertz());
    let (isa, machine) = (isa.unwrap_or_else(machine_isa).name(), machine::facts());
    let mut warnings = warnings(isa, &machine, &disturbance);
    if let Err(error) = &done {
        let taken = workloads.last().map_or(0, |last| last.seconds.len());
        warnings.push(match cancel.is_cancelled() {
            true => Warning::note(format!("stopped after {taken} of {} samples", SAMPLES.0)),
            false => Warning::spoils(format!("{error:#}")),
        });
    }
    workloads.retain(|workload| !workload.seconds.is_empty());
    // Flags that the user gave the compiler may name folders.
    let flags = if version::FLAGS.is_empty() { "" } else { ", RUSTFLAGS" };
    let record = Record {
        schema: SCHEMA,
        kind: KIND.to_owned(),
        name,
        created,
        program: format!("{}, {}, {}, {}{flags}", version::LONG, version::RUSTC, version::TARGET, version::PROFILE),
        isa: isa.to_owned(),
        machine,
        gigahertz: before.zip(after).map(|(before, after)| [before, after]),
        warnings,
        workloads,
    };
    (record, done)
}

/// Takes all samples of the workloads in turn.
fn sample(
    workloads: &mut [Workload],
    isa: Option<Isa>,
    cancel: &CancelToken,
    observe: &mut dyn FnMut(f64, &Workload),
) -> Result<()> {
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
    Ok(())
}
