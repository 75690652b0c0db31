//! What runs of a machine say: the time of a workload, and the points of a score.

use std::fmt;

use super::figure::{Figure, WIDE};
use super::record::Run;
use super::score::Score;
use super::workload::{Times, WorkloadId, of_score};

/// The threads on which a workload is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Threads {
    Number(usize),
    /// All that the machine may use.
    All,
}

impl Threads {
    /// The threads of each score.
    pub(crate) const OF_SCORES: [Self; 2] = [Self::Number(1), Self::All];
}

impl fmt::Display for Threads {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(threads) => write!(f, "{threads}"),
            Self::All => write!(f, "all"),
        }
    }
}

/// Returns the points that these runs of a machine give it, or the reason why they give none.
pub(super) fn points(runs: &[Run], score: Score, threads: Threads) -> Result<Figure, String> {
    let mut warnings = runs.iter().flat_map(|run| &run.record.warnings);
    if let Some(spoils) = warnings.find(|warning| warning.spoils_score) {
        return Err(spoils.text.clone());
    }
    let on = if threads == Threads::All { "all threads" } else { "one thread" };
    let mut paces = Vec::new();
    for workload in of_score(score) {
        let id = workload.id();
        let samples = samples(runs, &id, threads);
        if samples.is_empty() {
            return Err(format!("{id} was not measured on {on}"));
        }
        // Only the spread within each run is limited: runs may differ more, and the range of the joined figure then
        // shows it.
        let widest = samples.iter().map(|&run| Figure::of_runs(&[run]).spread()).fold(0.0, f64::max);
        if widest > WIDE {
            let percent = 100.0 * widest;
            return Err(format!("the times of {id} on {on} differ by ±{percent:.0} %: measure again"));
        }
        paces.push(Figure::of_runs(&samples).as_pace(1000.0 * workload.anchor_seconds));
    }
    Ok(Figure::mean(&paces))
}

/// Returns the time of a workload in all of these runs that contain it.
pub(super) fn time(runs: &[Run], id: &WorkloadId, threads: Threads) -> Option<Figure> {
    let samples = samples(runs, id, threads);
    (!samples.is_empty()).then(|| Figure::of_runs(&samples))
}

/// Returns the samples of a workload, run by run.
fn samples<'a>(runs: &'a [Run], id: &WorkloadId, threads: Threads) -> Vec<&'a [f64]> {
    let mut samples = Vec::new();
    for Run { record, .. } in runs {
        let threads = match threads {
            Threads::Number(number) => number,
            Threads::All => record.machine.usable_cpus,
        };
        let is_it = |times: &&Times| times.threads == threads && times.id() == *id;
        samples.extend(record.workloads.iter().filter(is_it).map(|times| &times.seconds[..]));
    }
    samples
}
