//! Compares records: the score and the time of each workload on each machine.
//!
//! A score is the speed of a machine with the frozen solvers of the [suite](super::workload::SUITE). Its unit is exact: a
//! machine that counts a board in the time of each anchor has 1000 points, with one thread or with all. So the points of
//! all threads divided by those of one say how many single threads the machine is worth. Scores of different years compare
//! machines and not programs.

use serde::Serialize;

use super::Record;
use super::figure::Figure;
use super::warning::Warning;
use super::workload::{SUITE, Workload};

/// The score in words.
pub(crate) const ABOUT: &str = "1000 points: a board of arrays, n = 10, in 2 ms, and one of bitmask, n = 12, in 3 ms. \
                                Twice the points means half the time";

/// The name of the rows with scores.
const SCORE: &str = "score";

/// Half the range of a figure, divided by the figure, from which on it should not be trusted and is no score.
const WIDE: f64 = 0.05;

/// A number of threads. `None`: all threads that a machine may use.
type Threads = Option<usize>;

/// Machines side by side.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Comparison {
    /// The machines: those with a score first, the fastest on one thread first.
    pub(crate) machines: Vec<Compared>,
    /// The machine that speeds are relative to. `None`: the fastest of each row.
    pub(crate) against: Option<usize>,
    /// The scores on one thread and on all, then every workload that a record has. Each version of a workload has its own
    /// row.
    pub(crate) rows: Vec<Row>,
}

/// A machine, by its record.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Compared {
    /// Its name. If another record has the same name, the name of the file is added.
    pub(crate) name: String,
    /// The file of its record.
    pub(crate) file: String,
    /// The record, with a note for each score that it does not have.
    pub(crate) record: Record,
}

/// A score or a workload on every machine.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Row {
    /// `score`, or a workload such as `arrays n=10`.
    pub(crate) name: String,
    pub(crate) threads: Threads,
    /// The figure of the machine that speeds are relative to. `None`: it has none.
    pub(crate) reference: Option<f64>,
    /// One cell for each machine. `None`: the machine has no figure.
    pub(crate) cells: Vec<Option<Cell>>,
}

/// A score or a workload on one machine.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Cell {
    /// Points, or the seconds of a board.
    pub(crate) figure: Figure,
    /// How many times as fast as the reference. `None`: the reference has no figure.
    pub(crate) speed: Option<f64>,
    /// One more than the number of machines that are faster beyond doubt: their ranges do not overlap with this one.
    /// Machines with a spoiled record have no rank and change none.
    pub(crate) rank: Option<usize>,
}

impl Comparison {
    /// Compares records, each with the name of its file. `against` is the name of one of them.
    pub(crate) fn of(records: Vec<(String, Record)>, against: Option<&str>) -> Self {
        let names: Vec<String> = records.iter().map(|(_, record)| record.name.clone()).collect();
        let is_unique = |name: &str| names.iter().filter(|other| *other == name).count() == 1;
        let machine = |(file, record): (String, Record)| {
            let name = if is_unique(&record.name) { record.name.clone() } else { format!("{} ({file})", record.name) };
            Compared { name, file, record }.explained()
        };
        let mut machines: Vec<Compared> = records.into_iter().map(machine).collect();
        let one_thread = |machine: &Compared| machine.points(Some(1)).map_or(0.0, |points| points.value);
        machines.sort_by(|a, b| one_thread(b).total_cmp(&one_thread(a)));
        let against = machines.iter().position(|machine| Some(&machine.file[..]) == against);
        let scores = [Some(1), None].map(|threads| (SCORE.to_owned(), threads));
        let rows = scores.into_iter().chain(workloads(&machines));
        let rows = rows.map(|(name, threads)| Row::of(name, threads, &machines, against)).collect();
        Self { machines, against, rows }
    }

    /// The scores, then the workloads of each solver, version and size.
    pub(crate) fn blocks(&self) -> impl Iterator<Item = &[Row]> {
        self.rows.chunk_by(|a, b| a.name == b.name)
    }

    /// The machine that speeds are relative to, in words.
    pub(crate) fn reference(&self) -> &str {
        self.against.map_or("the fastest machine", |machine| &self.machines[machine].name)
    }
}

impl Row {
    /// A row of the figures of these machines.
    fn of(name: String, threads: Threads, machines: &[Compared], against: Option<usize>) -> Self {
        let figures: Vec<Option<Figure>> = machines.iter().map(|machine| machine.figure(&name, threads)).collect();
        // More points are faster, and fewer seconds.
        let pace = |figure: Figure| if name == SCORE { figure } else { figure.dividing(1.0) };
        let paces: Vec<Option<Figure>> = figures.iter().map(|figure| figure.map(pace)).collect();
        let ranked: Vec<bool> = machines.iter().map(|machine| !machine.is_spoiled()).collect();
        let known = (0..machines.len()).filter_map(|at| Some((ranked[at], paces[at]?.value, at)));
        let fastest = known.max_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
        let reference = against.or(fastest.map(|(.., at)| at));
        let cell = |at: usize| {
            let (figure, pace) = (figures[at]?, paces[at]?);
            let speed = reference.and_then(|one| paces[one]).map(|one| pace.value / one.value);
            let is_faster = |other: &usize| ranked[*other] && paces[*other].is_some_and(|other| other.low > pace.high);
            let faster = (0..machines.len()).filter(is_faster).count();
            Some(Cell { figure, speed, rank: ranked[at].then_some(1 + faster) })
        };
        let cells = (0..machines.len()).map(cell).collect();
        let reference = reference.and_then(|at| figures[at]).map(|figure| figure.value);
        Self { name, threads, reference, cells }
    }

    /// Whether it has points.
    pub(crate) fn is_score(&self) -> bool {
        self.name == SCORE
    }

    /// The number of threads as a head of a column: `t=2` or `all`.
    pub(crate) fn head(&self) -> String {
        self.threads.map_or_else(|| "all".to_owned(), |threads| format!("t={threads}"))
    }
}

impl Compared {
    /// The same, with the reason for each score that is missing. A spoiled record has its reason.
    fn explained(mut self) -> Self {
        if !self.is_spoiled() {
            let whys = [Some(1), None].map(|threads| self.points(threads).err());
            self.record
                .warnings
                .extend(whys.into_iter().flatten().map(|why| Warning::note(format!("no score: {why}"))));
        }
        self
    }

    /// Whether a warning spoils its score.
    pub(crate) fn is_spoiled(&self) -> bool {
        self.record.warnings.iter().any(|warning| warning.spoils_score)
    }

    /// `~` if a figure should not be trusted: its range is wide, or the record is spoiled.
    pub(crate) fn mark(&self, cell: &Cell) -> &'static str {
        if cell.figure.spread() > WIDE || self.is_spoiled() { "~" } else { "" }
    }

    /// The warnings in one line. Empty if there are none.
    pub(crate) fn warnings(&self) -> String {
        self.record.warnings.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
    }

    /// The points or the time of a row.
    fn figure(&self, name: &str, threads: Threads) -> Option<Figure> {
        if name == SCORE { self.points(threads).ok() } else { self.time(name, threads) }
    }

    /// The time of a workload.
    fn time(&self, name: &str, threads: Threads) -> Option<Figure> {
        let threads = threads.unwrap_or(self.record.machine.usable_cpus);
        let is_it = |workload: &&Workload| workload.threads == threads && workload.name() == name;
        self.record.workloads.iter().find(is_it).map(|workload| Figure::of_samples(workload.seconds.clone()))
    }

    /// The geometric mean of the speeds with the frozen solvers, or why there is none.
    pub(crate) fn points(&self, threads: Threads) -> Result<Figure, String> {
        if let Some(spoils) = self.record.warnings.iter().find(|warning| warning.spoils_score) {
            return Err(spoils.text.clone());
        }
        let on = if threads.is_some() { "one thread" } else { "all threads" };
        let mut speeds = Vec::new();
        for (of, anchor) in SUITE.iter().filter_map(|of| Some((of, of.anchor?))) {
            let time =
                self.time(&of.name(), threads).ok_or_else(|| format!("it has no time of {} on {on}", of.name()))?;
            if time.spread() > WIDE {
                let percent = 100.0 * time.spread();
                return Err(format!("the times of {} on {on} differ by ±{percent:.0} %: measure again", of.name()));
            }
            speeds.push(time.dividing(1000.0 * anchor));
        }
        Ok(Figure::mean(&speeds))
    }
}

/// The workloads of all machines. The threads of a machine that are all of them have no number, except one.
fn workloads(machines: &[Compared]) -> Vec<(String, Threads)> {
    let mut all = Vec::new();
    for machine in machines {
        let cpus = machine.record.machine.usable_cpus;
        for workload in &machine.record.workloads {
            let (name, threads) = (workload.name(), workload.threads);
            all.extend((threads == 1 || threads != cpus).then(|| (name.clone(), Some(threads))));
            all.extend((threads == cpus).then_some((name, None)));
        }
    }
    all.sort_by_key(|(name, threads)| (name.clone(), threads.unwrap_or(usize::MAX)));
    all.dedup();
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::records::record;

    /// Machines with these times, relative to one of them.
    fn records(factors: &[f64]) -> Vec<(String, Record)> {
        let scaled = |(index, factor): (usize, &f64)| {
            let mut record = record();
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

    fn ranks(row: &Row) -> Vec<Option<usize>> {
        row.cells.iter().map(|cell| cell.as_ref().and_then(|cell| cell.rank)).collect()
    }

    #[test]
    fn the_fastest_is_first_and_speeds_are_relative_to_it_or_to_another() {
        for (against, expected) in
            [(None, [1.0, 0.5, 0.125]), (Some("0.json"), [2.0, 1.0, 0.25]), (Some("2.json"), [8.0, 4.0, 1.0])]
        {
            let comparison = Comparison::of(records(&[1.0, 0.5, 4.0]), against);
            assert_eq!(names(&comparison), ["machine 1", "machine 0", "machine 2"]);
            for row in &comparison.rows {
                assert_eq!(ranks(row), [1, 2, 3].map(Some));
                for (cell, expected) in row.cells.iter().flatten().zip(expected) {
                    assert!((cell.speed.unwrap() - expected).abs() < 1e-9, "{}", row.name);
                }
            }
        }
        // Machines that cannot be told apart have one rank.
        let alike = Comparison::of(records(&[1.0, 1.000_01, 2.0]), None);
        assert!(alike.rows.iter().all(|row| ranks(row) == [1, 1, 3].map(Some)));
    }

    /// A disturbed machine is no match for others, and no measure of them.
    #[test]
    fn a_spoiled_record_has_no_rank() {
        let mut three = records(&[1.0, 0.5, 2.0]);
        three[1].1.warnings.push(Warning::spoils("busy"));
        three[2].1.name = "machine 0".to_owned();
        let comparison = Comparison::of(three, None);
        assert_eq!(names(&comparison), ["machine 0 (0.json)", "machine 0 (2.json)", "machine 1"]);
        for row in &comparison.rows {
            assert_eq!(ranks(row), [Some(1), Some(2), None], "{}", row.name);
            assert!(row.is_score() || row.cells[2].as_ref().unwrap().speed.unwrap() > 1.9);
        }
    }

    /// A speed that is relative to another machine than its neighbours would be misread.
    #[test]
    fn where_the_reference_lacks_a_workload_there_is_no_speed() {
        let mut two = records(&[1.0, 2.0]);
        two[0].1.workloads.retain(|workload| workload.solver != "color");
        for row in &Comparison::of(two, Some("0.json")).rows {
            let is_there = !row.name.starts_with("color");
            let [one, other] = [0, 1].map(|at| row.cells[at].as_ref());
            assert_eq!([one.is_some(), other.unwrap().speed.is_some(), row.reference.is_some()], [is_there; 3]);
        }
    }

    #[test]
    fn only_a_missing_score_is_explained() {
        let mut three = records(&[1.0, 2.0, 3.0]);
        // Fewer threads, and no threads between.
        three[0].1.machine.usable_cpus = 8;
        three[0].1.workloads.retain(|workload| [1, 8].contains(&workload.threads));
        three[1].1.workloads.retain(|workload| workload.solver != "bitmask" || workload.threads == 1);
        for workload in &mut three[2].1.workloads {
            let slow = if workload.solver == "arrays" && workload.threads == 16 { 1.5 } else { 1.0 };
            workload.seconds.iter_mut().step_by(3).for_each(|seconds| *seconds *= slow);
        }
        let comparison = Comparison::of(three, None);
        let expected = [
            "",
            "no score: it has no time of bitmask n=12 on all threads",
            "no score: the times of arrays n=10 on all threads differ by ±25 %: measure again",
        ];
        assert_eq!([0, 1, 2].map(|at| comparison.machines[at].warnings()), expected);
        assert!(comparison.rows[0].cells.iter().all(Option::is_some));
    }
}
