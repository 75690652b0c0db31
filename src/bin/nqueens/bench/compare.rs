//! Compares records: the time of each workload on each machine.

use serde::Serialize;

use super::doubt;
use super::ranking::{Compared, ranked};
use super::record::estimate;
use super::score::quotient;
use super::statistics::Estimate;
use super::{Record, WorkloadId};

/// Machines side by side.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Comparison {
    /// The machines: those with a score first, the fastest on one thread first.
    pub(crate) machines: Vec<Compared>,
    /// The machine that speeds of workloads are relative to. `None`: the fastest of each workload.
    pub(crate) against: Option<usize>,
    /// A row for every workload that a record has. Each version of a workload has its own row.
    pub(crate) rows: Vec<Row>,
}

/// A workload on every machine.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Row {
    pub(crate) workload: WorkloadId,
    /// One cell for each machine. `None`: the machine has no time.
    pub(crate) cells: Vec<Option<Cell>>,
}

/// A workload on one machine.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Cell {
    /// The median in seconds, with its 95 % interval.
    pub(crate) time: Estimate,
    pub(crate) samples: usize,
    pub(crate) threads: usize,
    pub(crate) isa: String,
    /// How many times as fast as the reference, with its 95 % interval. If the reference did not run the workload: as
    /// the fastest.
    pub(crate) speed: Estimate,
    /// Whether the machine is the fastest, or cannot be told from the fastest.
    pub(crate) is_best: bool,
    /// Whether the interval is too wide, or there is a grave doubt about the machine's times.
    pub(crate) is_doubtful: bool,
}

impl Comparison {
    /// Compares records, each with the name of its file. `against` is the index of one of them.
    pub(crate) fn of(records: Vec<(String, Record)>, against: Option<usize>) -> Self {
        let against = against.map(|at| records[at].0.clone());
        let mut machines = ranked(records);
        let against = machines.iter().position(|machine| against.as_ref().is_some_and(|it| machine.files.contains(it)));
        let mut ids: Vec<WorkloadId> = Vec::new();
        for workload in machines.iter().flat_map(|machine| &machine.records).flat_map(|record| &record.workloads) {
            if !ids.contains(&workload.id) {
                ids.push(workload.id.clone());
            }
        }
        ids.sort_by_key(|id| (id.solver.clone(), id.version, id.size, id.threads));
        let rows: Vec<Row> =
            ids.into_iter().map(|id| Row { cells: cells(&machines, against, &id), workload: id }).collect();
        for (at, machine) in machines.iter_mut().enumerate() {
            let mut reasons: Vec<String> = Vec::new();
            for row in rows.iter().filter(|row| row.cells[at].is_none()) {
                let reason = machine.why_missing(&row.workload);
                if !reasons.contains(&reason) {
                    reasons.push(reason);
                }
            }
            machine.missing = (!reasons.is_empty()).then(|| reasons.join(", "));
        }
        Self { machines, against, rows }
    }

    /// The workloads of each solver, version and size, fewest threads first.
    pub(crate) fn by_solver(&self) -> impl Iterator<Item = &[Row]> {
        let key = |row: &Row| (row.workload.solver_label(), row.workload.size);
        self.rows.chunk_by(move |a, b| key(a) == key(b))
    }

    /// The machine that speeds of workloads are relative to, in words.
    pub(crate) fn reference(&self) -> &str {
        self.against.map_or("the fastest machine", |machine| &self.machines[machine].name)
    }
}

/// Returns how many times as fast as `base` a time is.
pub(crate) fn speed(time: Estimate, base: Estimate) -> Estimate {
    if time == base { Estimate::exact(1.0) } else { quotient(base, time) }
}

fn cells(machines: &[Compared], against: Option<usize>, id: &WorkloadId) -> Vec<Option<Cell>> {
    let times: Vec<Option<Estimate>> = machines.iter().map(|machine| estimate(machine.records.iter(), id)).collect();
    let fastest = times.iter().flatten().min_by(|a, b| a.value.total_cmp(&b.value)).copied();
    let reference = against.and_then(|against| times[against]).or(fastest);
    let cell = |(machine, time): (&Compared, &Option<Estimate>)| {
        let time = (*time)?;
        let found: Vec<_> = machine.records.iter().filter_map(|record| record.find(id)).collect();
        Some(Cell {
            time,
            samples: found.iter().map(|workload| workload.seconds.len()).sum(),
            threads: found[0].threads,
            isa: found[0].isa.clone(),
            speed: speed(time, reference?),
            is_best: speed(time, fastest?).high >= 1.0,
            is_doubtful: machine.is_doubtful() || doubt::is_wide(time),
        })
    };
    machines.iter().zip(&times).map(cell).collect()
}

#[cfg(test)]
mod tests {
    use super::super::read;
    use super::super::record::{BUSY, Warning};
    use super::super::workload::Threads;
    use super::*;
    use crate::tests::records::LARGE;

    /// Machines with these times, relative to one of them.
    fn records(factors: &[f64]) -> Vec<(String, Record)> {
        let scaled = |(index, factor): (usize, &f64)| {
            let mut record = read::parse(LARGE.as_bytes()).unwrap();
            record.name = format!("machine {index}");
            for seconds in record.workloads.iter_mut().flat_map(|workload| &mut workload.seconds) {
                *seconds *= factor;
            }
            (format!("{index}.json"), record)
        };
        factors.iter().enumerate().map(scaled).collect()
    }

    fn names(comparison: &Comparison) -> Vec<&str> {
        comparison.machines.iter().map(|machine| &machine.name[..]).collect()
    }

    #[test]
    fn the_fastest_is_first_and_speeds_are_relative_to_it_or_to_another() {
        for (against, expected) in [(None, [1.0, 0.5, 0.125]), (Some(0), [2.0, 1.0, 0.25]), (Some(2), [8.0, 4.0, 1.0])]
        {
            let comparison = Comparison::of(records(&[1.0, 0.5, 4.0]), against);
            assert_eq!(names(&comparison), ["machine 1", "machine 0", "machine 2"]);
            for (machine, rank) in comparison.machines.iter().zip(1..) {
                assert_eq!(machine.places.unwrap().map(|place| place.rank), [rank; 2]);
            }
            for row in &comparison.rows {
                let cells: Vec<&Cell> = row.cells.iter().flatten().collect();
                assert_eq!(cells.iter().map(|cell| cell.is_best).collect::<Vec<_>>(), [true, false, false]);
                for (cell, expected) in cells.iter().zip(expected) {
                    let Estimate { value, low, high } = cell.speed;
                    assert!((value - expected).abs() < 1e-9 && low <= value && value <= high, "{}", row.workload);
                }
            }
        }
        // Machines that cannot be told apart share a rank, and both are best.
        let same = Comparison::of(records(&[1.0, 1.000_01, 2.0]), None);
        let ranks: Vec<usize> = same.machines.iter().map(|machine| machine.places.unwrap()[0].rank).collect();
        assert_eq!(ranks, [1, 1, 3]);
        assert!(same.rows.iter().all(|row| row.cells[1].as_ref().unwrap().is_best));
    }

    #[test]
    fn records_of_one_machine_are_merged() {
        let mut three = records(&[1.0, 1.1, 1.05]);
        three.iter_mut().for_each(|(_, record)| record.name = "mine".to_owned());
        let samples = three[0].1.workloads[0].seconds.len();
        let medians = [0, 1, 2].map(|at: usize| three[at].1.workloads[0].estimate().value);
        let id = three[0].1.workloads[0].id.clone();
        // The third is given twice.
        three.push(three[2].clone());
        let merged = Comparison::of(three.clone(), None);
        let row = merged.rows.iter().find(|row| row.workload == id).unwrap();
        let cell = row.cells[0].as_ref().unwrap();
        assert_eq!(
            (&merged.machines[0].files[..2], cell.samples),
            (&["0.json", "1.json"].map(str::to_owned)[..], 3 * samples)
        );
        // The median of three medians. Its interval contains all three.
        assert!(cell.time.value == medians[2] && cell.time.low <= medians[0] && cell.time.high >= medians[1]);
        // Another build or another machine is not merged.
        three[1].1.program.commit = "other".to_owned();
        three[2].1.machine.usable_cpus += 1;
        let apart = Comparison::of(three, None);
        assert_eq!(names(&apart), ["mine (0.json)", "mine (2.json)", "mine (1.json)"]);
    }

    #[test]
    fn what_is_missing_is_explained() {
        let mut four = records(&[1.0, 0.5, 2.0, 3.0]);
        let busy = Warning { kind: BUSY.to_owned(), message: "other programs used 2.0 CPUs: stop them".to_owned() };
        four[1].1.warnings.push(busy);
        four[2].1.workloads.retain(|workload| !matches!(workload.id.threads, Threads::Exactly(2..)));
        four[3].1.workloads[0].id.version = 7;
        let comparison = Comparison::of(four, None);
        let told: Vec<(&str, Option<String>)> =
            comparison.machines.iter().map(|machine| (&machine.name[..], machine.remarks())).collect();
        let expected = [
            ("machine 0", Some("no time: arrays is of version 2")),
            ("machine 2", Some("no time: it was measured without --scaling, arrays is of version 2")),
            ("machine 1", Some("no score: other programs used 2.0 CPUs; no time: arrays is of version 2")),
            ("machine 3", Some("no score: it has no count/arrays/n=10/t=1@2; no time: arrays is of version 7")),
        ];
        assert_eq!(told, expected.map(|(name, remarks)| (name, remarks.map(str::to_owned))));
        // Different versions have rows of their own.
        let arrays = comparison.rows.iter().filter(|row| row.workload.name() == "count/arrays/n=10/t=1");
        assert_eq!(arrays.count(), 2);
    }
}
