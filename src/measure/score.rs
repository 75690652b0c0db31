//! The headline scores of a suite, against an anchor: a record that is shipped with the program.
//!
//! There are two numbers of each kind, because a time tells of the machine and of the program. The score of the *frozen*
//! solvers ([`workload::FROZEN`]) is the machine's: their code stays as it is, so scores of this year and of the next one
//! compare. The score of the *newest* code is what this program makes of the machine, and rises with the program too.
//!
//! The anchor says of itself what it is called and which version it is (`xeon-2core@4`). `nqueens bench --anchor` records
//! it anew, with a release build on a machine quiet enough for every score to be known to 2.5 %.

use std::sync::LazyLock;

use super::Record;
use super::record::{BUSY, Scores, Workload};
use super::statistics::Estimate;
use super::workload::{self, Threads, WorkloadId};

const ANCHOR_RECORD: &str = include_str!("baseline.json");

/// Workloads that take less than this on the anchor are toys: they fit in the innermost cache, and the start of a count is
/// a part of their time.
pub const TOY_SECONDS: f64 = 1e-3;

/// What a toy weighs in a mean, any other workload weighing 1.
pub const TOY_WEIGHT: f64 = 0.25;

/// The points of the anchor.
pub const POINTS: f64 = 1000.0;

/// A score, of which 1 is the anchor's, in points: `1023`, `35.2`, `0.41`.
#[must_use]
pub fn points(score: f64) -> String {
    let points = POINTS * score;
    match points {
        _ if points >= 99.95 => format!("{points:.0}"),
        _ if points >= 9.995 => format!("{points:.1}"),
        _ if points >= 0.01 => format!("{points:.2}"),
        _ => format!("{points:.0e}"),
    }
}

/// Which code a score is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Code {
    /// The solvers that stay as they are.
    Frozen,
    /// The fastest there is.
    Newest,
}

/// The four scores: the code and the threads, in the order in which they are shown.
pub const KINDS: [(Code, Threads); 4] = [
    (Code::Frozen, Threads::Exactly(1)),
    (Code::Frozen, Threads::All),
    (Code::Newest, Threads::Exactly(1)),
    (Code::Newest, Threads::All),
];

impl Code {
    /// Which score a solver's workloads count in: the plain color split, which only checks the fast one, counts in none.
    #[must_use]
    pub fn of(solver: &str) -> Option<Self> {
        match solver {
            _ if workload::is_frozen(solver) => Some(Self::Frozen),
            "color-plain" => None,
            _ => Some(Self::Newest),
        }
    }

    /// What it is called.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Frozen => "frozen solvers",
            Self::Newest => "newest code",
        }
    }
}

/// The anchor that is shipped with the program; `None` only where it does not fit the program, which a test rules out.
#[must_use]
pub fn anchor() -> Option<&'static Record> {
    static ANCHOR: LazyLock<Option<Record>> = LazyLock::new(|| serde_json::from_str(ANCHOR_RECORD).ok());
    ANCHOR.as_ref()
}

/// What a workload weighs in a mean.
#[must_use]
pub fn weight(id: &WorkloadId) -> f64 {
    let is_toy = anchor().and_then(|anchor| find(anchor, id)).is_some_and(|found| found.median_seconds() < TOY_SECONDS);
    if is_toy { TOY_WEIGHT } else { 1.0 }
}

/// A record's workload.
pub(crate) fn find<'a>(record: &'a Record, id: &WorkloadId) -> Option<&'a Workload> {
    record.workloads.iter().find(|workload| workload.id == *id)
}

/// `above` over `below`, each with the interval of samples of its own: relative half-widths add as squares.
#[must_use]
pub fn quotient(above: Estimate, below: Estimate) -> Estimate {
    let reach = |a: f64, b: f64| (a.ln().powi(2) + b.ln().powi(2)).sqrt().exp();
    let value = above.value / below.value;
    Estimate {
        value,
        low: value / reach(above.value / above.low, below.high / below.value),
        high: value * reach(above.high / above.value, below.value / below.low),
    }
}

/// The weighted geometric mean of estimates that do not depend on one another; `None` of none.
#[must_use]
pub fn mean(parts: &[(Estimate, f64)]) -> Option<Estimate> {
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

/// Whether a record's times may make a score: not where other programs used half a core or more meanwhile.
#[must_use]
pub fn may_have_one(record: &Record) -> bool {
    record.warnings.iter().all(|warning| warning.kind != BUSY)
}

/// The scores of a record. A kind of which the anchor lacks a workload has no score, because a mean over fewer workloads
/// would be another score.
#[must_use]
pub fn estimates(record: &Record, anchor: &Record) -> [Option<Estimate>; 4] {
    if !may_have_one(record) {
        return [None; 4];
    }
    KINDS.map(|(code, threads)| {
        let counts = |id: &WorkloadId| id.threads == threads && Code::of(&id.solver) == Some(code);
        let parts: Option<Vec<(Estimate, f64)>> = record
            .workloads
            .iter()
            .filter(|workload| counts(&workload.id))
            .map(|workload| {
                let base = find(anchor, &workload.id)?;
                Some((quotient(base.estimate(), workload.estimate()), weight(&workload.id)))
            })
            .collect();
        mean(&parts?)
    })
}

/// The scores of a record, as records keep them.
#[must_use]
pub fn scores(record: &Record, anchor: &Record) -> Scores {
    const NAMES: [&str; 4] = ["one_thread", "all_threads", "newest_one_thread", "newest_all_threads"];
    let found = estimates(record, anchor);
    let [one_thread, all_threads, newest_one_thread, newest_all_threads] =
        found.map(|score| score.map(|score| score.value));
    let intervals = NAMES.iter().zip(found).filter_map(|(name, score)| {
        let Estimate { low, high, .. } = score?;
        Some(((*name).to_owned(), [low, high]))
    });
    Scores {
        baseline: anchor.name.clone(),
        one_thread,
        all_threads,
        newest_one_thread,
        newest_all_threads,
        intervals: intervals.collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample::{Runner, figures};
    use super::super::suite;
    use super::*;
    use crate::CancelToken;

    #[test]
    fn the_anchor_scores_one_and_covers_every_suite() {
        let mut record = anchor().expect("the anchor is a record").clone();
        let own = scores(&record, &record);
        for score in [own.one_thread, own.all_threads, own.newest_one_thread, own.newest_all_threads] {
            assert!((score.unwrap() - 1.0).abs() < 1e-12);
        }
        let base = record.clone();
        // Twice as fast on one workload of one thread: a toy counts less.
        let one_thread: f64 = base
            .workloads
            .iter()
            .filter(|w| w.id.threads == Threads::Exactly(1) && workload::is_frozen(&w.id.solver))
            .map(|w| weight(&w.id))
            .sum();
        for (id, weight) in [("count/arrays/n=8/t=1@1", TOY_WEIGHT), ("count/arrays/n=12/t=1@1", 1.0)] {
            let mut record = base.clone();
            let fast = record.workloads.iter_mut().find(|workload| workload.id.to_string() == id).unwrap();
            fast.seconds.iter_mut().for_each(|seconds| *seconds /= 2.0);
            let score = scores(&record, &base).one_thread.unwrap();
            assert!((score - 2f64.powf(weight / one_thread)).abs() < 1e-9, "{id}: {score}");
        }
        // A workload that the anchor does not know leaves no score of its kind, and the other kinds theirs.
        record.workloads[0].id.version += 1;
        let found = scores(&record, &base);
        assert!(found.one_thread.is_none() && found.newest_one_thread.is_some());
        assert!(found.intervals["newest_one_thread"][0] <= 1.0 && !found.intervals.contains_key("one_thread"));
    }

    /// A score is tied to the program: workloads of other versions, or code that does other work, have no anchor.
    #[test]
    fn the_anchor_is_of_the_workloads_of_this_program() {
        let anchor = anchor().expect("the anchor is a record");
        assert!(
            anchor.name.split_once('@').is_some_and(|(_, version)| version.parse::<u32>().is_ok()),
            "{}",
            anchor.name
        );
        let again = "record the anchor anew: nqueens bench --anchor NAME --out src/measure/baseline.json";
        assert!(!anchor.program.dirty && anchor.program.flags.starts_with("release"), "{again}");
        for name in suite::NAMES {
            for id in suite::find(name).unwrap().workloads {
                let is_scored = matches!(id.threads, Threads::Exactly(1) | Threads::All);
                assert!(
                    !is_scored || find(anchor, &id).is_some(),
                    "the anchor has no {id}, which {name} runs; {again}"
                );
            }
        }
        for workload in anchor.workloads.iter().filter(|w| workload::is_frozen(&w.id.solver)) {
            assert_eq!(workload.id.version, workload::version(&workload.id.solver), "{}: {again}", workload.id);
            if workload.median_seconds() < 0.05 {
                let mut runner = Runner::new(&workload.id, None).unwrap();
                let work = figures(runner.sample(1, &CancelToken::new()).unwrap().work);
                assert_eq!(work, workload.work, "{} does other work than the anchor's; {again}", workload.id);
            }
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
