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
use crate::terminal::units::plural;

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

/// A machine.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Compared {
    /// Its name. If two machines have the same name, the name of the file is added.
    pub(crate) name: String,
    /// The files of its records.
    pub(crate) files: Vec<String>,
    /// Its records, each of them once. All have the same facts.
    pub(crate) records: Vec<Record>,
    /// What to know before its figures are read, the worst first.
    pub(crate) warnings: Vec<Warning>,
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
    pub(crate) rank: usize,
}

impl Comparison {
    /// Compares records, each with the name of its file. `against` is the name of one of them.
    pub(crate) fn of(records: Vec<(String, Record)>, against: Option<&str>) -> Self {
        let reference = records.iter().find(|(file, _)| Some(&file[..]) == against).map(|(_, record)| record.clone());
        let mut machines = merged(records);
        machines.iter_mut().for_each(Compared::explain_score);
        let one_thread = |machine: &Compared| machine.points(Some(1)).map_or(0.0, |points| points.value);
        machines.sort_by(|a, b| one_thread(b).total_cmp(&one_thread(a)));
        let against = reference.and_then(|one| machines.iter().position(|machine| one.is_of(machine.record())));
        let scores = [Some(1), None].map(|threads| (SCORE.to_owned(), threads));
        let rows = scores.into_iter().chain(workloads(&machines)).map(|(name, threads)| {
            let figure = |machine: &Compared| match &name[..] {
                SCORE => machine.points(threads).ok(),
                workload => machine.time(workload, threads),
            };
            let figures: Vec<_> = machines.iter().map(figure).collect();
            Row::of(name, threads, &figures, against)
        });
        let rows = rows.collect();
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
    /// A row of these figures of the machines.
    fn of(name: String, threads: Threads, figures: &[Option<Figure>], against: Option<usize>) -> Self {
        // More points are faster, and fewer seconds.
        let pace = |figure: Figure| if name == SCORE { figure } else { figure.dividing(1.0) };
        let paces: Vec<Option<Figure>> = figures.iter().map(|figure| figure.map(pace)).collect();
        let known = || paces.iter().enumerate().filter_map(|(at, pace)| Some((at, (*pace)?)));
        let fastest = known().max_by(|(_, a), (_, b)| a.value.total_cmp(&b.value)).map(|(at, _)| at);
        let reference = against.or(fastest);
        let cell = |at: usize| {
            let (figure, pace) = (figures[at]?, paces[at]?);
            let speed = reference.and_then(|reference| paces[reference]).map(|one| pace.value / one.value);
            let rank = 1 + known().filter(|(_, other)| other.low > pace.high).count();
            Some(Cell { figure, speed, rank })
        };
        let cells = (0..figures.len()).map(cell).collect();
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
    /// The first record. All of them have the same facts.
    pub(crate) fn record(&self) -> &Record {
        &self.records[0]
    }

    /// `~` if a figure should not be trusted: its range is wide, or a warning spoils the records of the machine.
    pub(crate) fn mark(&self, cell: &Cell) -> &'static str {
        if cell.figure.spread() > WIDE || self.warnings.iter().any(|warning| warning.spoils_score) { "~" } else { "" }
    }

    /// The warnings in one line. Empty if there are none.
    pub(crate) fn warnings(&self) -> String {
        self.warnings.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
    }

    /// When its records were begun, in one line.
    pub(crate) fn dates(&self) -> String {
        self.records.iter().map(|record| &record.created[..]).collect::<Vec<_>>().join("; ")
    }

    /// The number of threads that `threads` stands for.
    pub(crate) fn threads(&self, threads: Threads) -> usize {
        threads.unwrap_or(self.record().machine.usable_cpus)
    }

    /// Adds a warning, unless it is there.
    fn add(&mut self, warning: Warning) {
        if !self.warnings.contains(&warning) {
            self.warnings.push(warning);
            self.warnings.sort_by_key(|warning| !warning.spoils_score);
        }
    }

    /// The time of a workload: the median of the samples of all records. Its range includes the differences between them.
    fn time(&self, name: &str, threads: Threads) -> Option<Figure> {
        let threads = self.threads(threads);
        let is_it = |workload: &&Workload| workload.threads == threads && workload.name() == name;
        let found = self.records.iter().filter_map(|record| record.workloads.iter().find(is_it));
        let samples: Vec<f64> = found.flat_map(|workload| &workload.seconds).copied().collect();
        (!samples.is_empty()).then(|| Figure::of_samples(samples))
    }

    /// The geometric mean of the speeds with the frozen solvers, or why there is none.
    pub(crate) fn points(&self, threads: Threads) -> Result<Figure, String> {
        if let Some(spoils) = self.warnings.iter().find(|warning| warning.spoils_score) {
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

    /// Leaves out the records that a warning spoils, unless all are spoiled. Takes the warnings of the others.
    fn leave_out_disturbed(&mut self) {
        let spoils = |record: &Record| record.warnings.iter().find(|warning| warning.spoils_score).cloned();
        if self.records.iter().any(|record| spoils(record).is_none()) {
            let all = std::mem::take(&mut self.files).into_iter().zip(std::mem::take(&mut self.records));
            for (file, record) in all {
                match spoils(&record) {
                    Some(warning) => self.add(Warning::note(format!("{file} is left out: {}", warning.text))),
                    None => {
                        self.files.push(file);
                        self.records.push(record);
                    }
                }
            }
        }
        if self.records.len() > 1 {
            self.add(Warning::note(format!("{} of one machine", plural(self.records.len(), "record"))));
        }
        let warnings: Vec<Warning> = self.records.iter().flat_map(|record| record.warnings.clone()).collect();
        warnings.into_iter().for_each(|warning| self.add(warning));
    }

    /// Adds a note if it has no score, unless a warning says why.
    fn explain_score(&mut self) {
        if self.warnings.iter().any(|warning| warning.spoils_score) {
            return;
        }
        let whys = [Some(1), None].map(|threads| self.points(threads).err());
        for why in whys.into_iter().flatten() {
            self.add(Warning::note(format!("no score: {why}")));
        }
    }
}

/// The workloads of all machines. The threads of a machine that are all of them have no number, except one.
fn workloads(machines: &[Compared]) -> Vec<(String, Threads)> {
    let mut all = Vec::new();
    for machine in machines {
        let cpus = machine.record().machine.usable_cpus;
        for workload in machine.records.iter().flat_map(|record| &record.workloads) {
            let (name, threads) = (workload.name(), workload.threads);
            let numbered = (threads == 1 || threads != cpus).then_some(Some(threads));
            all.extend([numbered, (threads == cpus).then_some(None)].into_iter().flatten().map(|t| (name.clone(), t)));
        }
    }
    all.sort_by_key(|(name, threads)| (name.clone(), threads.unwrap_or(usize::MAX)));
    all.dedup();
    all
}

/// The machines with their records. A record that is given twice counts once. A record that was disturbed is left out if another was not.
fn merged(records: Vec<(String, Record)>) -> Vec<Compared> {
    let mut machines: Vec<Compared> = Vec::new();
    for (file, record) in records {
        match machines.iter_mut().find(|machine| record.is_of(machine.record())) {
            Some(machine) if machine.records.contains(&record) => {}
            Some(machine) => {
                machine.files.push(file);
                machine.records.push(record);
            }
            None => {
                let name = record.name.clone();
                machines.push(Compared { name, files: vec![file], records: vec![record], warnings: Vec::new() });
            }
        }
    }
    machines.iter_mut().for_each(Compared::leave_out_disturbed);
    let names: Vec<String> = machines.iter().map(|machine| machine.name.clone()).collect();
    for machine in &mut machines {
        if names.iter().filter(|name| **name == machine.name).count() > 1 {
            machine.name = format!("{} ({})", machine.name, machine.files[0]);
            machine.add(Warning::note("another record of this name has other facts, or is of another program"));
        }
    }
    machines
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

    #[test]
    fn the_fastest_is_first_and_speeds_are_relative_to_it_or_to_another() {
        for (against, expected) in
            [(None, [1.0, 0.5, 0.125]), (Some("0.json"), [2.0, 1.0, 0.25]), (Some("2.json"), [8.0, 4.0, 1.0])]
        {
            let comparison = Comparison::of(records(&[1.0, 0.5, 4.0]), against);
            assert_eq!(names(&comparison), ["machine 1", "machine 0", "machine 2"]);
            for row in &comparison.rows {
                let cells: Vec<&Cell> = row.cells.iter().flatten().collect();
                assert_eq!(cells.iter().map(|cell| cell.rank).collect::<Vec<_>>(), [1, 2, 3]);
                for (cell, expected) in cells.iter().zip(expected) {
                    assert!((cell.speed.unwrap() - expected).abs() < 1e-9, "{}", row.name);
                }
            }
        }
        // Machines that cannot be told apart have one rank.
        for row in &Comparison::of(records(&[1.0, 1.000_01, 2.0]), None).rows {
            assert_eq!(row.cells.iter().flatten().map(|cell| cell.rank).collect::<Vec<_>>(), [1, 1, 3]);
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
    fn a_machine_with_the_times_of_the_anchor_has_1000_points() {
        let points = |factor: f64| {
            let mut exact = records(&[1.0]);
            for workload in &mut exact[0].1.workloads {
                let of = SUITE.iter().find(|of| of.solver == workload.solver).unwrap();
                let seconds = of.anchor.unwrap_or(1.0);
                let is_faster = workload.solver == "bitmask" && workload.threads == 1;
                workload.seconds = vec![if is_faster { factor * seconds } else { seconds }; 6];
            }
            let of = |row: &Row| (row.cells[0].as_ref().unwrap().figure.value * 1e6).round() / 1e6;
            Comparison::of(exact, None).rows[..2].iter().map(of).collect::<Vec<_>>()
        };
        assert_eq!(points(1.0), [1000.0, 1000.0]);
        assert_eq!(points(0.25), [2000.0, 1000.0]);
    }

    #[test]
    fn records_of_one_machine_are_merged_without_the_disturbed_ones() {
        let mut three = records(&[1.0, 1.02, 1.01]);
        three.iter_mut().for_each(|(_, record)| record.name = "mine".to_owned());
        // The third is given twice.
        three.push(three[2].clone());
        let merged = Comparison::of(three.clone(), None);
        assert_eq!(merged.machines[0].files, ["0.json", "1.json", "2.json"]);
        assert_eq!(merged.machines[0].warnings(), "3 records of one machine");
        let points = |comparison: &Comparison| comparison.rows[0].cells[0].as_ref().map(|cell| cell.figure);
        let all = points(&merged).unwrap();
        assert!(all.low < 1050.0 / 1.01 && all.high > 1050.0 / 1.01, "{all:?}");
        // A disturbed one is left out, also if it was given first. `--against` finds the machine all the same.
        three[0].1.warnings.push(Warning::spoils("busy"));
        let others = Comparison::of(three.clone(), Some("0.json"));
        assert_eq!(others.machines[0].warnings(), "0.json is left out: busy; 2 records of one machine");
        assert_eq!((others.machines[0].files.len(), others.against), (2, Some(0)));
        assert!(points(&others).unwrap().high < all.high);
        // If all are disturbed, there is no score.
        three.iter_mut().for_each(|(_, record)| record.warnings = vec![Warning::spoils("busy")]);
        let none = Comparison::of(three.clone(), None);
        assert!(points(&none).is_none() && none.rows[2].cells[0].is_some());
        assert_eq!(none.machines[0].warnings(), "no score: busy; 3 records of one machine");
        // Another build and another machine are not merged.
        three[1].1.program = "other".to_owned();
        three[2].1.machine.usable_cpus += 1;
        let apart = Comparison::of(three[..3].to_vec(), None);
        assert_eq!(names(&apart), ["mine (0.json)", "mine (1.json)", "mine (2.json)"]);
        assert!(
            apart.machines[1]
                .warnings()
                .ends_with("another record of this name has other facts, or is of another program")
        );
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
        for (at, expected) in [
            "",
            "no score: it has no time of bitmask n=12 on all threads",
            "no score: the times of arrays n=10 on all threads differ by ±25 %: measure again",
        ]
        .into_iter()
        .enumerate()
        {
            assert_eq!(comparison.machines[at].warnings(), expected);
            let has_score = [0, 1].map(|row: usize| comparison.rows[row].cells[at].is_some());
            assert_eq!(has_score, [true, expected.is_empty()], "{at}");
        }
    }
}
