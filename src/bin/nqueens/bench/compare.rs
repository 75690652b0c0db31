//! Compares records: the time of each workload on each machine, and the ranks of the machines.

use anyhow::{Result, ensure};
use serde::Serialize;

use super::Record;
use super::doubt::{self, Doubt};
use super::rank::{self, RankRow, Ranking};
use super::score;

/// Records side by side.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Comparison {
    /// The names of the machines. If two machines have the same name, the name of the file is added.
    pub(crate) machines: Vec<String>,
    /// The machine that speeds are relative to. `None`: workloads are relative to the fastest, and rankings to the
    /// anchor.
    pub(crate) against: Option<usize>,
    /// The anchor's name, if the speeds of the only record are relative to it.
    pub(crate) anchor: Option<&'static str>,
    /// The machines in order of their speed, on one thread and on all.
    pub(crate) rankings: Vec<Ranking>,
    /// A row for every workload that enough of the records have, in the first record's order.
    pub(crate) rows: Vec<RankRow>,
    /// Reasons to doubt the comparison, for each machine.
    pub(crate) doubts: Vec<Vec<Doubt>>,
}

/// Compares records, each with the name of its file, against one of them or against the fastest. At least one workload
/// must be in two of them.
pub(crate) fn compare(records: &[(String, Record)], against: Option<usize>) -> Result<Comparison> {
    let comparison = Comparison::of(records, against, 2);
    ensure!(!comparison.rows.is_empty(), "no workload is in two of these records: measure one suite on each machine");
    Ok(comparison)
}

impl Comparison {
    /// Compares records on the workloads that at least `fewest` of them have.
    pub(crate) fn of(records: &[(String, Record)], against: Option<usize>, fewest: usize) -> Self {
        let doubts = doubt::of_records(records);
        let rows = rank::rows(records, against, fewest, &doubts);
        let has_score: Vec<bool> = records.iter().map(|(_, record)| score::may_have_one(record)).collect();
        let ranking = |threads| rank::ranking(&rows, threads, against, &has_score);
        Self {
            machines: machine_names(records),
            against,
            // A single record is compared with the anchor. Otherwise it would always be the fastest.
            anchor: (records.len() == 1).then_some(score::anchor().name.as_str()),
            rankings: score::THREADS.into_iter().filter_map(ranking).collect(),
            rows,
            doubts,
        }
    }

    /// The machines in the order of display: those of the first ranking, then the others.
    pub(crate) fn order(&self) -> Vec<usize> {
        let ranked = self.rankings.iter().flat_map(|ranking| &ranking.places).map(|place| place.machine);
        let mut order = Vec::with_capacity(self.machines.len());
        for machine in ranked.chain(0..self.machines.len()) {
            if !order.contains(&machine) {
                order.push(machine);
            }
        }
        order
    }

    /// The workloads of each solver and version. One thread comes before more threads, small sizes before large ones.
    pub(crate) fn by_solver(&self) -> Vec<Vec<&RankRow>> {
        let mut solvers: Vec<Vec<&RankRow>> = Vec::new();
        let key = |row: &RankRow| (row.workload.solver.clone(), row.workload.version);
        for row in &self.rows {
            match solvers.iter_mut().find(|rows| key(rows[0]) == key(row)) {
                Some(rows) => rows.push(row),
                None => solvers.push(vec![row]),
            }
        }
        for rows in &mut solvers {
            rows.sort_by_key(|row| (row.workload.threads, row.workload.size));
        }
        solvers
    }

    /// Whether speeds are relative to the fastest machine of each workload. Then no speed is above 1.
    pub(crate) fn is_against_the_fastest(&self) -> bool {
        self.against.is_none() && self.anchor.is_none()
    }

    /// The machine that speeds of workloads are relative to, in words.
    pub(crate) fn reference(&self) -> &str {
        self.against.map(|machine| self.machines[machine].as_str()).or(self.anchor).unwrap_or("the fastest")
    }
}

fn machine_names(records: &[(String, Record)]) -> Vec<String> {
    let is_shared = |name: &str| records.iter().filter(|(_, record)| record.name == name).count() > 1;
    let name = |(file, record): &(String, Record)| match is_shared(&record.name) {
        true => format!("{} ({file})", record.name),
        false => record.name.clone(),
    };
    records.iter().map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::super::rank::RankCell;
    use super::super::statistics::Estimate;
    use super::*;

    fn records(factors: &[f64]) -> Vec<(String, Record)> {
        let base = score::quiet_anchor();
        let scaled = |factor: &f64| {
            let mut record = base.clone();
            for seconds in record.workloads.iter_mut().flat_map(|workload| &mut workload.seconds) {
                *seconds *= factor;
            }
            record
        };
        factors.iter().enumerate().map(|(index, factor)| (format!("{index}.json"), scaled(factor))).collect()
    }

    #[test]
    fn the_fastest_is_first_and_speeds_are_relative_to_it_or_to_whom_one_asks_for() {
        let records = records(&[1.0, 0.5, 4.0]);
        for (against, expected, scores) in [
            (None, [1.0, 0.5, 0.125], [2.0, 1.0, 0.25]),
            (Some(0), [2.0, 1.0, 0.25], [2.0, 1.0, 0.25]),
            (Some(2), [8.0, 4.0, 1.0], [8.0, 4.0, 1.0]),
        ] {
            let comparison = compare(&records, against).unwrap();
            assert_eq!((comparison.order(), comparison.rankings.len()), (vec![1, 0, 2], 2));
            for ranking in &comparison.rankings {
                // Machines are ranked by their scores, unless somebody asks how they are against one of them.
                assert_eq!(ranking.anchor.is_some(), against.is_none());
                for (place, (expected, rank)) in ranking.places.iter().zip(scores.into_iter().zip(1..)) {
                    let Estimate { value, low, high } = place.speed;
                    assert!((value - expected).abs() < 1e-9 && low <= value && value <= high, "{}", ranking.threads);
                    assert_eq!(place.rank, rank);
                }
            }
            for row in &comparison.rows {
                let cells: Vec<&RankCell> = row.cells.iter().flatten().collect();
                assert_eq!(cells.iter().map(|cell| cell.is_best).collect::<Vec<_>>(), [false, true, false]);
                assert!((cells[1].speed.value - expected[0]).abs() < 1e-9);
            }
        }
        let comparison = compare(&records, None).unwrap();
        assert_eq!(comparison.machines[1], format!("{} (1.json)", score::anchor().name));
        // A machine that cannot be told from the best is marked as best too.
        let same = compare(&super::tests::records(&[1.0, 1.0]), None).unwrap();
        assert!(same.rows.iter().all(|row| row.cells.iter().all(|cell| cell.as_ref().unwrap().is_best)));
    }

    #[test]
    fn two_runs_of_one_machine_share_a_rank() {
        let same = compare(&records(&[1.0, 1.000_01, 2.0]), None).unwrap();
        assert_eq!(same.rankings[0].places.iter().map(|place| place.rank).collect::<Vec<_>>(), [1, 1, 3]);
    }

    #[test]
    fn a_machine_that_was_busy_has_no_score() {
        let mut three = records(&[1.0, 0.5, 4.0]);
        let warning = super::super::record::Warning { kind: "busy".to_owned(), message: "0.6 CPUs".to_owned() };
        three[1].1.warnings.push(warning);
        let ranked = |against| {
            let comparison = compare(&three, against).unwrap();
            comparison.rankings[0].places.iter().map(|place| place.machine).collect::<Vec<_>>()
        };
        assert_eq!(ranked(None), [0, 2]);
        // A comparison with another machine includes the doubtful one, and marks it.
        assert_eq!(ranked(Some(0)), [1, 0, 2]);
        assert_eq!(score::of(&three[1].1), [None, None]);
    }

    #[test]
    fn versions_are_never_mixed_and_the_rest_is_compared() {
        let mut three = records(&[1.0, 1.0, 1.0]);
        let name = three[0].1.workloads[0].id.name();
        three[1].1.workloads[0].id.version = 2;
        let comparison = compare(&three, None).unwrap();
        assert_eq!(comparison.rows.iter().filter(|row| row.workload.name() == name).count(), 1);
        assert!(comparison.rows[0].cells[1].is_none() && comparison.rows[0].cells[0].is_some());
        // The page has a row for each version.
        let rows = Comparison::of(&three, None, 1).rows;
        assert_eq!(rows.iter().filter(|row| row.workload.name() == name).count(), 2);
        // The others' mean has the workload, so the machine without it is not ranked.
        assert_eq!(comparison.rankings[0].places.len(), 2);
        assert_eq!(comparison.rankings[1].places.len(), 3);
    }

    #[test]
    fn workloads_that_one_machine_did_not_run_are_blank() {
        let mut three = records(&[1.0, 0.5, 0.5]);
        three[2].1.workloads.remove(0);
        let comparison = compare(&three, None).unwrap();
        assert!(comparison.rows[0].cells[2].is_none());
        three[1].1.workloads.truncate(1);
        let two: Vec<_> = three.drain(1..).collect();
        assert!(compare(&two, None).is_err());
    }
}
