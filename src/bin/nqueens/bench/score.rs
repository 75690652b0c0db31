//! The score of a machine: its speed relative to the anchor, a record that is part of the program.
//!
//! Only workloads of *frozen* solvers ([`workload::FROZEN`]) count. Their code does not change, so scores of different
//! years compare machines and not programs. A record does not contain its score. Readers compute it from the samples.
//!
//! The anchor's name has a version, such as `xeon-2core@4`. `scripts/anchor.sh` measures a new anchor.

use std::sync::LazyLock;

use super::Record;
use super::record::{BUSY, INTERRUPTED, Workload};
use super::statistics::Estimate;
use super::suite;
use super::workload;
use super::workload::{Threads, WorkloadId};

const ANCHOR_RECORD: &str = include_str!("baseline.json");

/// Workloads that take less than this on the anchor are toys. They fit in the nearest cache, and the start of a count
/// is a noticeable part of their time.
pub(crate) const TOY_SECONDS: f64 = 1e-3;

/// The weight of a toy in a mean. Other workloads have weight 1.
pub(crate) const TOY_WEIGHT: f64 = 0.25;

/// The points of the anchor.
pub(crate) const POINTS: f64 = 1000.0;

/// Writes a score in points, such as `1023`, `35.2` or `0.41`. A score of 1 is the anchor's.
pub(crate) fn points(score: f64) -> String {
    let points = POINTS * score;
    match points {
        _ if points >= 99.95 => format!("{points:.0}"),
        _ if points >= 9.995 => format!("{points:.1}"),
        _ if points >= 0.01 => format!("{points:.2}"),
        _ => format!("{points:.0e}"),
    }
}

/// The numbers of threads for which there is a score, in the order of display.
pub(crate) const THREADS: [Threads; 2] = [Threads::Exactly(1), Threads::All];

/// The name of one of [`THREADS`].
pub(crate) fn title(threads: Threads) -> &'static str {
    if threads == Threads::All { "all threads" } else { "one thread" }
}

/// The anchor.
pub(crate) fn anchor() -> &'static Record {
    static ANCHOR: LazyLock<Record> =
        LazyLock::new(|| serde_json::from_str(ANCHOR_RECORD).expect("a test reads the anchor"));
    &ANCHOR
}

/// The anchor without its warnings: a record that may have a score, whatever else ran while it was measured.
#[cfg(test)]
pub(crate) fn quiet_anchor() -> Record {
    Record { warnings: Vec::new(), ..anchor().clone() }
}

/// The weight of a workload in a mean.
pub(crate) fn weight(id: &WorkloadId) -> f64 {
    let is_toy = find(anchor(), id).is_some_and(|found| found.estimate().value < TOY_SECONDS);
    if is_toy { TOY_WEIGHT } else { 1.0 }
}

/// A record's workload.
pub(crate) fn find<'a>(record: &'a Record, id: &WorkloadId) -> Option<&'a Workload> {
    record.workloads.iter().find(|workload| workload.id == *id)
}

/// Divides `above` by `below`. The two estimates are independent, so the squares of their relative half-widths add up.
pub(crate) fn quotient(above: Estimate, below: Estimate) -> Estimate {
    let reach = |a: f64, b: f64| (a.ln().powi(2) + b.ln().powi(2)).sqrt().exp();
    let value = above.value / below.value;
    Estimate {
        value,
        low: value / reach(above.value / above.low, below.high / below.value),
        high: value * reach(above.high / above.value, below.value / below.low),
    }
}

/// The weighted geometric mean of independent estimates. `None` if there are none.
pub(crate) fn mean(parts: &[(Estimate, f64)]) -> Option<Estimate> {
    let total: f64 = parts.iter().map(|(_, weight)| weight).sum();
    let log = |pick: fn(&Estimate) -> f64| parts.iter().map(move |(part, weight)| (weight * pick(part), part.value));
    let value = (log(|part| part.value.ln()).map(|(value, _)| value).sum::<f64>() / total).exp();
    let reach = |pick: fn(&Estimate) -> f64| (log(pick).map(|(part, _)| part * part).sum::<f64>().sqrt() / total).exp();
    (total > 0.0).then(|| Estimate {
        value,
        low: value / reach(|part| (part.value / part.low).ln()),
        high: value * reach(|part| (part.high / part.value).ln()),
    })
}

/// Whether a workload counts in the score on `threads`.
pub(crate) fn counts(id: &WorkloadId, threads: Threads) -> bool {
    id.threads == threads && workload::is_frozen(&id.solver)
}

/// Whether a record may have a score. It may not if other programs used half a core or more.
pub(crate) fn may_have_one(record: &Record) -> bool {
    record.warnings.iter().all(|warning| warning.kind != BUSY)
}

/// The scores of a record, on each of [`THREADS`]. There is none if the record has not a whole suite, if the machine
/// was busy, or if the anchor lacks one of the workloads. A mean over fewer workloads could not be compared.
pub(crate) fn of(record: &Record) -> [Option<Estimate>; 2] {
    let is_suite = suite::NAMES.contains(&record.suite.split('@').next().unwrap_or_default());
    let is_whole = record.warnings.iter().all(|warning| warning.kind != INTERRUPTED);
    if !is_suite || !is_whole || !may_have_one(record) {
        return [None; 2];
    }
    THREADS.map(|threads| {
        let workloads = record.workloads.iter().filter(|workload| counts(&workload.id, threads));
        let parts = workloads.map(|workload| {
            let base = find(anchor(), &workload.id)?;
            Some((quotient(base.estimate(), workload.estimate()), weight(&workload.id)))
        });
        mean(&parts.collect::<Option<Vec<_>>>()?)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_anchor_scores_one_and_covers_every_suite() {
        let mut base = quiet_anchor();
        base.suite = "standard@1".to_owned();
        let values = |record: &Record| of(record).map(|score| score.map(|score| score.value));
        for score in values(&base) {
            assert!((score.unwrap() - 1.0).abs() < 1e-12);
        }
        // The machine is twice as fast on one workload of one thread. A toy counts less.
        let scored = base.workloads.iter().filter(|w| counts(&w.id, Threads::Exactly(1)));
        let one_thread: f64 = scored.map(|w| weight(&w.id)).sum();
        for (id, weight) in [("count/arrays/n=8/t=1@1", TOY_WEIGHT), ("count/arrays/n=12/t=1@1", 1.0)] {
            let mut record = base.clone();
            let fast = record.workloads.iter_mut().find(|workload| workload.id.to_string() == id).unwrap();
            fast.seconds.iter_mut().for_each(|seconds| *seconds /= 2.0);
            let score = values(&record)[0].unwrap();
            assert!((score - 2f64.powf(weight / one_thread)).abs() < 1e-9, "{id}: {score}");
        }
        // A workload that the anchor does not know leaves no score of its kind, and the other its own.
        let mut record = base.clone();
        record.workloads[0].id.version += 1;
        assert!(matches!(values(&record), [None, Some(_)]));
    }

    #[test]
    fn only_whole_suites_have_a_score() {
        let mut record = quiet_anchor();
        record.suite = "quick@1".to_owned();
        assert!(of(&record).iter().all(Option::is_some));
        for (suite, kind) in [("custom@1", ""), ("quick@1", INTERRUPTED), ("quick@1", BUSY)] {
            let mut record = record.clone();
            record.suite = suite.to_owned();
            record.warnings.push(super::super::record::Warning { kind: kind.to_owned(), message: String::new() });
            assert_eq!(of(&record), [None, None], "{suite} {kind}");
        }
    }

    /// A score is tied to the program: workloads of other versions have no anchor.
    #[test]
    fn the_anchor_is_of_the_workloads_of_this_program() {
        let anchor = anchor();
        let version = anchor.name.split_once('@').and_then(|(_, version)| version.parse::<u32>().ok());
        assert!(version.is_some(), "{}", anchor.name);
        let again = "record the anchor anew: scripts/anchor.sh NAME@VERSION";
        assert!(!anchor.program.dirty && anchor.program.flags.starts_with("release"), "{again}");
        for id in suite::NAMES.into_iter().flat_map(|name| suite::find(name).unwrap().workloads) {
            let is_scored = THREADS.into_iter().any(|threads| counts(&id, threads));
            assert!(!is_scored || find(anchor, &id).is_some(), "the anchor has no {id}; {again}");
        }
    }

    #[test]
    fn points_have_no_more_digits_than_they_deserve() {
        for (score, expected) in
            [(1.0, "1000"), (1.02349, "1023"), (0.0999, "99.9"), (0.00999, "9.99"), (0.000_41, "0.41"), (1e-9, "1e-6")]
        {
            assert_eq!(points(score), expected);
        }
    }

    #[test]
    fn intervals_join_as_squares() {
        let about = |value: f64, reach: f64| Estimate { value, low: value / reach, high: value * reach };
        let joined = quotient(about(6.0, 1.03f64), about(2.0, 1.04));
        let reach = (1.03f64.ln().powi(2) + 1.04f64.ln().powi(2)).sqrt().exp();
        assert!((joined.value - 3.0).abs() < 1e-12 && (joined.high / joined.value - reach).abs() < 1e-12);
        let four = mean(&[(about(1.0, 1.1), 1.0), (about(4.0, 1.1), 1.0)]).unwrap();
        assert!((four.value - 2.0).abs() < 1e-12);
        assert!((four.high / 2.0 - 1.1f64.powf(0.5f64.sqrt())).abs() < 1e-9);
        assert_eq!(mean(&[]), None);
    }
}
