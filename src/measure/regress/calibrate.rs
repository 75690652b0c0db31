//! How noisy a machine is: one build against its own copy, and the threshold that follows.

use std::path::Path;
use std::time::Duration;

use serde::Serialize;

use super::task::{Program, Task};
use super::{Outcome, Progress, Settings, run};
use crate::CancelToken;
use crate::measure::{Error, Result};
use crate::solver::Isa;

/// The smallest threshold that is proposed: even a quiet machine places two builds of one source differently.
const SMALLEST: f64 = 0.02;

/// How much larger the threshold is than what was seen: another hour may be noisier than this one.
const MARGIN: f64 = 1.5;

/// A machine's noise.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct Calibration {
    /// 1; it changes when a reader of the old one would misread the new one.
    pub schema: u64,
    /// `nqueens-calibration`.
    pub kind: &'static str,
    /// The proposed threshold, such as 0.03.
    pub threshold: f64,
    /// The most by which the copies differed from each other or one from itself, at the end of an interval of 95 %.
    pub noise: f64,
    /// The whole comparison.
    pub outcome: Outcome,
}

/// Compares a build with its copy, in a temporary folder, on every workload until the first look, and proposes a threshold.
///
/// # Errors
/// [`Error::Unreadable`] for a build that cannot be copied; [`Error::Calibration`] where it fails, counts wrong, or there
/// is no time.
pub fn calibrate(
    build: &Path,
    tasks: Vec<Task>,
    isa: Option<Isa>,
    budget: Duration,
    timeout: Duration,
    cancel: &CancelToken,
    observe: &mut dyn FnMut(Progress<'_>),
) -> Result<Calibration> {
    let file = build.display().to_string();
    let unreadable = |reason| Error::Unreadable { file: file.clone(), reason };
    let folder = tempfile::tempdir().map_err(unreadable)?;
    let copy = |name: &str| {
        let copy = folder.path().join(name);
        std::fs::copy(build, &copy).map(|_| copy).map_err(unreadable)
    };
    let settings = Settings {
        base: Program::Build(copy("base")?),
        head: Program::Build(copy("head")?),
        tasks,
        has_count: true,
        skips_unknown: false,
        // No round is the last before its time: the more of them, the better the noise is known.
        threshold: f64::MIN_POSITIVE,
        isa,
        allows_other_work: false,
        measures_anyway: true,
        timeout,
        budget,
        counts_instructions: false,
    };
    let outcome = run(&settings, cancel, observe)?;
    if outcome.partial || outcome.workloads.iter().any(|compared| compared.judgement.is_none()) {
        return Err(Error::Calibration { reason: outcome.reason });
    }
    let noise = outcome
        .workloads
        .iter()
        .filter_map(|compared| compared.judgement)
        .map(|judgement| judgement.noise_floor.max(judgement.ratio.high - 1.0).max(1.0 - judgement.ratio.low))
        .fold(0.0, f64::max);
    Ok(Calibration { schema: 1, kind: "nqueens-calibration", threshold: proposed(noise), noise, outcome })
}

/// The threshold for a noise, in whole halves of a percent.
fn proposed(noise: f64) -> f64 {
    ((noise * MARGIN).max(SMALLEST) * 200.0 - 1e-9).ceil() / 200.0
}

#[cfg(test)]
mod tests {
    use super::proposed;

    #[test]
    fn the_threshold_is_beyond_the_noise() {
        for (noise, threshold) in [(0.0, 0.02), (0.011, 0.02), (0.02, 0.03), (0.021, 0.035), (0.3, 0.45)] {
            assert_eq!(proposed(noise), threshold, "{noise}");
        }
    }
}
