//! The headline scores of a suite, against a baseline record that is shipped with the program.

use super::Record;
use super::record::Scores;
use super::statistics::geometric_mean;
use super::workload::Threads;

/// The baseline's name and version: scores against another one are not comparable. The record is a run of the full suite
/// on a quiet two-core virtual machine, made by `nqueens bench --suite full --out src/measure/baseline.json`.
pub const BASELINE: &str = "epyc-2core@1";

const BASELINE_RECORD: &str = include_str!("baseline.json");

/// The baseline that is shipped with the program; `None` only where it does not fit the program, which a test rules out.
#[must_use]
pub fn baseline() -> Option<Record> {
    super::read::parse(BASELINE_RECORD.as_bytes(), "baseline.json").ok()
}

/// The scores of a record: over all its workloads of one thread and of all threads. A kind of which the baseline lacks a
/// workload has no score, because a mean over fewer workloads would be another score.
#[must_use]
pub fn scores(record: &Record, baseline: &Record) -> Scores {
    let score = |threads: Threads| {
        let mut ratios = Vec::new();
        for workload in record.workloads.iter().filter(|workload| workload.id.threads == threads) {
            let base = baseline.workloads.iter().find(|base| base.id == workload.id)?;
            ratios.push(base.median_seconds() / workload.median_seconds());
        }
        (!ratios.is_empty()).then(|| geometric_mean(&ratios))
    };
    Scores { baseline: BASELINE.to_owned(), one_thread: score(Threads::Exactly(1)), all_threads: score(Threads::All) }
}

#[cfg(test)]
mod tests {
    use super::super::suite;
    use super::*;

    #[test]
    fn the_baseline_scores_one_and_covers_every_suite() {
        let mut record = baseline().expect("the baseline is a record");
        let scores_of_itself = scores(&record, &record);
        assert!((scores_of_itself.one_thread.unwrap() - 1.0).abs() < 1e-12);
        assert!((scores_of_itself.all_threads.unwrap() - 1.0).abs() < 1e-12);
        for name in suite::NAMES {
            for id in suite::find(name).unwrap().workloads {
                let is_scored = matches!(id.threads, Threads::Exactly(1) | Threads::All);
                assert!(!is_scored || record.workloads.iter().any(|workload| workload.id == id), "{name}: {id}");
            }
        }
        // Twice as fast on one workload of one thread.
        let baseline = record.clone();
        let one_thread = record.workloads.iter().filter(|workload| workload.id.threads == Threads::Exactly(1)).count();
        record.workloads[0].seconds.iter_mut().for_each(|seconds| *seconds /= 2.0);
        let expected = 2f64.powf(1.0 / one_thread as f64);
        assert!((scores(&record, &baseline).one_thread.unwrap() - expected).abs() < 1e-9);
        // A workload that the baseline does not know leaves no score.
        record.workloads[0].id.version += 1;
        assert_eq!(scores(&record, &baseline).one_thread, None);
    }
}
