//! The score of a machine: its speed with two frozen solvers, on one thread and on all.
//!
//! The unit is exact. A machine that counts a board in the time that [`ANCHOR`] says has 1000 points, with one thread or
//! with all. So the points of all threads divided by those of one say how many single threads the machine is worth. The
//! code of [frozen solvers](super::workload::FROZEN) does not change, so scores of different years compare machines and
//! not programs. If a frozen solver must change, give it a new time here that leaves the scores of machines as they are.
//!
//! A record does not contain its score. Readers compute it from the samples.

use super::Record;
use super::record::{BUSY, INTERRUPTED, estimate};
use super::statistics::Estimate;
use super::suite::SUITE;
use super::workload::{Threads, WorkloadId};
use nqueens::board::Size;

/// The frozen solvers, and the seconds of their board of the suite that are worth 1000 points: about the pace of one
/// core of a server.
const ANCHOR: [(&str, f64); 2] = [("arrays", 2e-3), ("bitmask", 3e-3)];

/// The points of the anchor.
pub(crate) const POINTS: f64 = 1000.0;

/// The anchor in words.
pub(crate) const ABOUT: &str = "1000 points: a board of arrays, n = 10, in 2 ms, and one of bitmask, n = 12, in 3 ms. \
                                Twice the points means half the time";

/// The numbers of threads for which there is a score, in the order of display.
pub(crate) const THREADS: [Threads; 2] = [Threads::Exactly(1), Threads::All];

/// The name of one of [`THREADS`].
pub(crate) fn title(threads: Threads) -> &'static str {
    if threads == Threads::All { "all threads" } else { "one thread" }
}

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

/// Why a benchmark with this highest instruction set has no score, if it is below the machine's best.
pub(crate) fn lower(isa: &str, best: Option<&str>) -> Option<String> {
    let is_lower = isa != "auto" && best.is_some_and(|best| best != isa);
    is_lower.then(|| format!("it was limited to {isa}, and the machine has {}", best.unwrap_or_default()))
}

/// Why a benchmark of this build has no score, if it is not a release build.
pub(crate) fn unoptimized(flags: &str) -> Option<String> {
    (!flags.starts_with("release")).then(|| format!("it is not of a release build ({flags})"))
}

/// Why a record has no score.
fn obstacle(record: &Record) -> Option<String> {
    let best = record.machine.instruction_sets.last().map(String::as_str);
    let busy = record.warnings.iter().find(|warning| warning.kind == BUSY);
    // Without the advice.
    let busy = busy.map(|warning| warning.message.split(": ").next().unwrap_or_default().to_owned());
    let interrupted = record.warns_of(INTERRUPTED).then(|| "it was interrupted".to_owned());
    busy.or(interrupted).or_else(|| lower(&record.program.isa, best)).or_else(|| unoptimized(&record.program.flags))
}

/// The scores of a machine by its records, on each of [`THREADS`].
///
/// # Errors
/// Why there is none: a record was made beside other programs, with a lower instruction set, or of other workloads.
pub(crate) fn of(records: &[&Record]) -> Result<[Estimate; 2], String> {
    if let Some(why) = records.iter().find_map(|record| obstacle(record)) {
        return Err(why);
    }
    let score = |threads| {
        let parts = ANCHOR.into_iter().map(|(solver, seconds)| {
            let id = scored(solver, threads);
            let time = id.as_ref().and_then(|id| estimate(records.iter().copied(), id));
            let lacks = || format!("it has no {}", id.map_or_else(|| solver.to_owned(), |id| id.to_string()));
            time.map(|time| quotient(Estimate::exact(seconds), time)).ok_or_else(lacks)
        });
        parts.collect::<Result<Vec<_>, _>>().map(|parts| mean(&parts))
    };
    Ok([score(THREADS[0])?, score(THREADS[1])?])
}

/// The workload of a solver that counts in the score.
fn scored(solver: &str, threads: Threads) -> Option<WorkloadId> {
    let (_, n) = SUITE.into_iter().find(|(name, _)| *name == solver)?;
    Some(WorkloadId::new(solver, Size::new(n).ok()?, threads))
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

/// The geometric mean of independent estimates.
fn mean(parts: &[Estimate]) -> Estimate {
    let count = parts.len() as f64;
    let value = (parts.iter().map(|part| part.value.ln()).sum::<f64>() / count).exp();
    let reach = |pick: fn(&Estimate) -> f64| {
        (parts.iter().map(|part| pick(part).ln().powi(2)).sum::<f64>().sqrt() / count).exp()
    };
    Estimate {
        value,
        low: value / reach(|part| part.value / part.low),
        high: value * reach(|part| part.high / part.value),
    }
}

#[cfg(test)]
mod tests {
    use super::super::record::Warning;
    use super::super::{read, suite, workload};
    use super::*;

    fn record() -> Record {
        read::parse(crate::tests::records::LARGE.as_bytes()).unwrap()
    }

    #[test]
    fn a_machine_with_the_times_of_the_anchor_has_1000_points() {
        assert_eq!(ANCHOR.map(|(solver, _)| solver), workload::FROZEN.map(|(solver, _)| solver));
        let suite = suite::workloads(false);
        let mut exact = record();
        for (solver, seconds) in ANCHOR {
            for id in THREADS.map(|threads| scored(solver, threads).unwrap()) {
                assert!(suite.contains(&id), "{id}");
                exact.workloads.iter_mut().find(|workload| workload.id == id).unwrap().seconds = vec![seconds; 6];
            }
        }
        let values = |record: &Record| of(&[record]).unwrap().map(|score| (score.value * 1e9).round() / 1e9);
        assert_eq!(values(&exact), [1.0, 1.0]);
        let first = exact.workloads.iter_mut().find(|workload| workload.id == scored("bitmask", THREADS[0]).unwrap());
        first.unwrap().seconds = vec![0.75e-3; 6];
        assert_eq!(values(&exact), [2.0, 1.0]);
    }

    #[test]
    fn a_record_without_a_score_says_why() {
        assert!(of(&[&record()]).is_ok());
        let why = |edit: &dyn Fn(&mut Record)| {
            let mut edited = record();
            edit(&mut edited);
            // One such record is enough, whatever the others of the machine are.
            of(&[&record(), &edited]).unwrap_err()
        };
        let warn = |kind: &str, message: &str| {
            let warning = Warning { kind: kind.to_owned(), message: message.to_owned() };
            why(&move |record| record.warnings.push(warning.clone()))
        };
        assert_eq!(warn(BUSY, "other programs used 0.8 CPUs: stop them"), "other programs used 0.8 CPUs");
        assert_eq!(warn(INTERRUPTED, ""), "it was interrupted");
        let lower = why(&|record| record.program.isa = "portable".to_owned());
        assert!(lower.starts_with("it was limited to portable, and the machine has "), "{lower}");
        assert!(why(&|record| record.program.flags = "debug".to_owned()).contains("not of a release build (debug)"));
        let mut old = record();
        old.workloads.retain(|workload| workload.id.solver != "arrays");
        assert_eq!(of(&[&old]).unwrap_err(), "it has no count/arrays/n=10/t=1@2");
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
        let four = mean(&[about(1.0, 1.1), about(4.0, 1.1)]);
        assert!((four.value - 2.0).abs() < 1e-12);
        assert!((four.high / 2.0 - 1.1f64.powf(0.5f64.sqrt())).abs() < 1e-9);
    }
}
