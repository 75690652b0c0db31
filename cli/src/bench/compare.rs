//! Compares records: the score and the time of each workload on each machine.
//!
//! A score is the speed of a machine with the frozen solvers of the [suite](super::workload::SUITE). Its unit is exact: a
//! machine that counts a board in the time of each anchor has 1000 points, with one thread or with all. So the points of
//! all threads divided by those of one say how many single threads the machine is worth. Scores of different years compare
//! machines and not programs.

use std::collections::BTreeSet;

use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use super::Record;
use super::statistics::Estimate;
use super::warning::{Severity, Warning};
use super::workload::{SUITE, Workload};
use crate::terminal::units::{plural, speed};

/// The score in words.
pub(crate) const ABOUT: &str = "1000 points: a board of arrays, n = 10, in 2 ms, and one of bitmask, n = 12, in 3 ms. \
                                Twice the points means half the time";

/// The name of the rows with scores.
const SCORE: &str = "score";

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
    #[serde(flatten, serialize_with = "facts")]
    pub(crate) records: Vec<Record>,
    /// What to know before its figures are read, the worst first.
    pub(crate) warnings: Vec<Warning>,
}

/// The facts of records of one machine, and when each was begun.
fn facts<S: Serializer>(records: &[Record], serializer: S) -> Result<S::Ok, S::Error> {
    let Record { machine, isa, program, .. } = &records[0];
    let created: Vec<&str> = records.iter().map(|record| &record.created[..]).collect();
    json!({ "machine": machine, "isa": isa, "program": program, "created": created }).serialize(serializer)
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
    /// Points, or the median of the seconds of a board.
    pub(crate) figure: Estimate,
    /// How many times as fast as the reference. `None`: the reference has no figure.
    pub(crate) speed: Option<Estimate>,
    /// One more than the number of machines that are faster beyond doubt: their intervals do not overlap with this one.
    pub(crate) rank: usize,
}

impl Comparison {
    /// Compares records, each with the name of its file. `against` is the name of one of them.
    pub(crate) fn of(records: Vec<(String, Record)>, against: Option<&str>) -> Self {
        let mut machines = merged(records);
        let one_thread = |machine: &Compared| machine.points(Some(1)).map_or(0.0, |points| points.value);
        machines.sort_by(|a, b| one_thread(b).total_cmp(&one_thread(a)));
        let against = machines.iter().position(|machine| machine.files.iter().any(|file| Some(&file[..]) == against));
        let scores = [Some(1), None].map(|threads| (SCORE.to_owned(), threads));
        let rows = scores.into_iter().chain(workloads(&machines)).map(|(name, threads)| {
            let figures: Vec<_> = machines.iter().map(|machine| machine.figure(&name, threads)).collect();
            Row::of(name, threads, &figures, against)
        });
        let rows: Vec<Row> = rows.collect();
        for row in &rows {
            let overtaken: Vec<Option<String>> =
                (0..machines.len()).map(|at| row.overtaken(at).map(|other| machines[other].name.clone())).collect();
            for ((machine, cell), other) in machines.iter_mut().zip(&row.cells).zip(overtaken) {
                match (cell, other) {
                    (None, _) => machine.explain_missing(row),
                    (Some(cell), Some(other)) => machine.explain_rank(row, cell, &other),
                    _ => {}
                }
            }
        }
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
    fn of(name: String, threads: Threads, figures: &[Option<Estimate>], against: Option<usize>) -> Self {
        // More points are faster, and fewer seconds.
        let power = if name == SCORE { 1.0 } else { -1.0 };
        let pace = |figure: &Option<Estimate>| figure.map(|figure| Estimate::product(&[(figure, power)]));
        let paces: Vec<Option<Estimate>> = figures.iter().map(pace).collect();
        let known = || paces.iter().enumerate().filter_map(|(at, pace)| Some((at, (*pace)?)));
        let fastest = known().max_by(|(_, a), (_, b)| a.value.total_cmp(&b.value)).map(|(at, _)| at);
        let reference = against.or(fastest);
        let cell = |at: usize| {
            let (figure, pace) = (figures[at]?, paces[at]?);
            let speed = match reference {
                Some(reference) if reference == at => Some(Estimate::exact(1.0)),
                reference => reference
                    .and_then(|reference| paces[reference])
                    .map(|one| Estimate::product(&[(pace, 1.0), (one, -1.0)])),
            };
            let rank = 1 + known().filter(|(_, other)| other.low > pace.high).count();
            Some(Cell { figure, speed, rank })
        };
        let cells = (0..figures.len()).map(cell).collect();
        let reference = reference.and_then(|at| figures[at]).map(|figure| figure.value);
        Self { name, threads, reference, cells }
    }

    /// A machine with more points than this one and a worse rank, if there is one.
    fn overtaken(&self, at: usize) -> Option<usize> {
        let one = self.cells[at].as_ref().filter(|_| self.is_score())?;
        let is_overtaken = |other: &Cell| other.figure.value > one.figure.value && other.rank > one.rank;
        self.cells.iter().position(|cell| cell.as_ref().is_some_and(is_overtaken))
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

    /// `~` if a figure should not be trusted: its interval is too wide, or a warning speaks against all of the machine.
    pub(crate) fn mark(&self, cell: &Cell) -> &'static str {
        let spoils = |warning: &Warning| matches!(warning.severity, Severity::Spoiled | Severity::Doubtful);
        if cell.figure.is_wide() || self.warnings.iter().any(spoils) { "~" } else { "" }
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
            self.warnings.sort_by_key(|warning| warning.severity);
        }
    }

    /// The points or the time of a row.
    fn figure(&self, name: &str, threads: Threads) -> Option<Estimate> {
        if name == SCORE { self.points(threads) } else { self.time(name, threads) }
    }

    /// The time of a workload by all records.
    fn time(&self, name: &str, threads: Threads) -> Option<Estimate> {
        let threads = self.threads(threads);
        let is_it = |workload: &&Workload| workload.threads == threads && workload.name() == name;
        let found = self.records.iter().filter_map(|record| record.workloads.iter().find(is_it));
        let times: Vec<Estimate> = found.map(Workload::time).collect();
        (!times.is_empty()).then(|| Estimate::of_repetitions(&times))
    }

    /// The geometric mean of the speeds with the frozen solvers. `None` if a time of them is missing, or if a warning says
    /// that there is no score.
    fn points(&self, threads: Threads) -> Option<Estimate> {
        let frozen: Vec<_> = SUITE.iter().filter_map(|of| Some((of.name(), of.anchor?))).collect();
        let share = 1.0 / frozen.len() as f64;
        let mut factors = vec![(Estimate::exact(1000.0), 1.0)];
        for (name, anchor) in frozen {
            factors.extend([(Estimate::exact(anchor), share), (self.time(&name, threads)?, -share)]);
        }
        self.has_score().then(|| Estimate::product(&factors))
    }

    fn has_score(&self) -> bool {
        !self.warnings.iter().any(Warning::takes_score)
    }

    /// Adds a warning that says why it has a better rank than `other`, which has more points.
    fn explain_rank(&mut self, row: &Row, cell: &Cell, other: &str) {
        let [low, high] = [cell.figure.low, cell.figure.high].map(|points| speed(points, 1e9));
        let (rank, head) = (cell.rank, row.head());
        self.add(Warning::new(
            Severity::Note,
            format!(
                "rank {rank} by {head}, before {other} with more points: its interval, {low} to {high}, is so wide that \
                 fewer machines are faster beyond doubt"
            ),
        ));
    }

    /// Adds a warning that says why it has no figure in a row.
    fn explain_missing(&mut self, row: &Row) {
        let cpus = self.record().machine.usable_cpus;
        let why = match row.threads {
            _ if row.is_score() && !self.has_score() => return,
            _ if row.is_score() => {
                return self.add(Warning::new(Severity::NoScore, "it lacks a time of a frozen solver"));
            }
            Some(threads) if threads > cpus => format!("it has only {}", plural(cpus, "CPU")),
            Some(2..) if self.time(&row.name, Some(1)).is_some() => "it was measured without --scaling".to_owned(),
            _ => format!("it has no {}", row.name),
        };
        self.add(Warning::new(Severity::Note, format!("no time: {why}")));
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

/// The machines with their records. Records of one machine have the same name, the same facts about the machine, and the
/// same program. A record that is given twice counts once.
fn merged(records: Vec<(String, Record)>) -> Vec<Compared> {
    let mut machines: Vec<Compared> = Vec::new();
    for (file, record) in records {
        let is_same = |machine: &&mut Compared| {
            let Record { name, machine, program, isa, .. } = machine.record();
            (name, machine, program, isa) == (&record.name, &record.machine, &record.program, &record.isa)
        };
        let Some(machine) = machines.iter_mut().find(is_same) else {
            let (name, warnings) = (record.name.clone(), record.warnings.clone());
            machines.push(Compared { name, files: vec![file], records: vec![record], warnings });
            continue;
        };
        machine.files.push(file);
        if !machine.records.contains(&record) {
            record.warnings.iter().for_each(|warning| machine.add(warning.clone()));
            machine.records.push(record);
        }
    }
    for machine in machines.iter_mut().filter(|machine| machine.records.len() > 1) {
        let together =
            format!("{} of one machine: {}", plural(machine.records.len(), "record"), machine.files.join(", "));
        machine.add(Warning::new(Severity::Note, together));
    }
    let names: Vec<String> = machines.iter().map(|machine| machine.name.clone()).collect();
    let programs: Vec<String> = machines.iter().map(|machine| machine.record().program.clone()).collect();
    // If several programs are equally common, the first one counts as the usual.
    let usual = programs.iter().rev().max_by_key(|one| programs.iter().filter(|other| other == one).count());
    for at in 0..machines.len() {
        let (before, rest) = machines.split_at_mut(at);
        let machine = &mut rest[0];
        if let Some(first) = before.iter().find(|first| first.record().name == names[at]) {
            let apart = format!("apart from {}: {}", first.name, differences(first.record(), machine.record()));
            machine.add(Warning::new(Severity::Note, apart));
        }
        if names.iter().filter(|name| **name == names[at]).count() > 1 {
            machine.name = format!("{} ({})", machine.name, machine.files[0]);
        }
    }
    for (machine, program) in machines.iter_mut().zip(&programs) {
        if Some(program) != usual {
            machine.add(Warning::new(Severity::Note, format!("not the program of most records ({program})")));
        }
    }
    machines
}

/// The facts in which a record of a machine differs from another one of its name, such as `kernel 6.2 and not 6.1`.
fn differences(one: &Record, other: &Record) -> String {
    let facts = |record: &Record| {
        let mut facts = serde_json::to_value(&record.machine).unwrap_or_default();
        facts["isa"] = record.isa.as_str().into();
        facts["program"] = record.program.as_str().into();
        facts
    };
    let (one, other) = (facts(one), facts(other));
    let names = one.as_object().into_iter().chain(other.as_object()).flat_map(serde_json::Map::keys);
    let differing: BTreeSet<&String> = names.filter(|name| one.get(*name) != other.get(*name)).collect();
    let value = |facts: &Value, name: &str| match facts.get(name) {
        None | Some(Value::Null) => "unknown".to_owned(),
        Some(Value::String(text)) => text.clone(),
        Some(value) => value.to_string(),
    };
    let difference =
        |name: &String| format!("{} {} and not {}", name.replace('_', " "), value(&other, name), value(&one, name));
    differing.into_iter().map(difference).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::super::record;
    use super::*;
    use crate::tests::records::LARGE;

    /// Machines with these times, relative to one of them.
    fn records(factors: &[f64]) -> Vec<(String, Record)> {
        let scaled = |(index, factor): (usize, &f64)| {
            let mut record = record::parse(LARGE.as_bytes()).unwrap();
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
                    let Estimate { value, low, high } = cell.speed.unwrap();
                    assert!((value - expected).abs() < 1e-9 && low <= value && value <= high, "{}", row.name);
                }
            }
        }
        // Machines that cannot be told apart have one rank.
        let same = Comparison::of(records(&[1.0, 1.000_01, 2.0]), None);
        for row in &same.rows {
            let ranks: Vec<usize> = row.cells.iter().flatten().map(|cell| cell.rank).collect();
            assert_eq!(ranks, [1, 1, 3]);
        }
    }

    #[test]
    fn a_rank_that_does_not_follow_points_says_why() {
        let mut three = records(&[1.0, 1.1, 1.05]);
        // Its interval is wide: it may be as fast as the first.
        for workload in three[1].1.workloads.iter_mut().filter(|workload| workload.threads == 1) {
            workload.seconds.truncate(6);
            for (at, seconds) in workload.seconds.iter_mut().enumerate() {
                *seconds *= if at % 3 == 0 { 0.8 } else { 1.1 };
            }
        }
        let comparison = Comparison::of(three, None);
        assert_eq!(names(&comparison), ["machine 0", "machine 2", "machine 1"]);
        let ranks: Vec<usize> = comparison.rows[0].cells.iter().flatten().map(|cell| cell.rank).collect();
        assert_eq!(ranks, [1, 2, 1]);
        let said = comparison.machines.iter().map(Compared::warnings).collect::<Vec<_>>();
        assert!(said[2].starts_with("rank 1 by t=1, before machine 2 with more points: its interval, "), "{said:?}");
        assert!(said[..2].iter().all(String::is_empty), "{said:?}");
    }

    /// A speed that is relative to another machine than its neighbours would be misread.
    #[test]
    fn where_the_reference_lacks_a_workload_there_is_no_speed() {
        let mut two = records(&[1.0, 0.5]);
        two[0].1.workloads.retain(|workload| workload.solver != "color");
        let comparison = Comparison::of(two, Some("0.json"));
        for row in &comparison.rows {
            let cell = |name: &str| {
                let at = comparison.machines.iter().position(|machine| machine.name == name).unwrap();
                row.cells[at].as_ref()
            };
            let (is_there, other) = (cell("machine 0").is_some(), cell("machine 1").unwrap());
            assert_eq!(is_there, !row.name.starts_with("color"));
            assert_eq!((row.reference.is_some(), other.speed.is_some()), (is_there, is_there), "{}", row.name);
        }
        assert!(comparison.machines.iter().any(|machine| machine.warnings().contains("no time: it has no color n=16")));
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
    fn records_of_one_machine_are_merged() {
        let mut three = records(&[1.0, 1.1, 1.05]);
        three.iter_mut().for_each(|(_, record)| record.name = "mine".to_owned());
        let [first, second, third] = [0, 1, 2].map(|at: usize| three[at].1.workloads[0].time().value);
        let name = three[0].1.workloads[0].name();
        // The third is given twice.
        three.push(three[2].clone());
        let merged = Comparison::of(three.clone(), None);
        let row = merged.rows.iter().find(|row| row.name == name).unwrap();
        let cell = row.cells[0].as_ref().unwrap();
        let files = ["0.json", "1.json", "2.json", "2.json"].map(str::to_owned);
        assert_eq!(merged.machines[0].files, files);
        assert_eq!(merged.machines[0].warnings(), "3 records of one machine: 0.json, 1.json, 2.json, 2.json");
        // The median of three medians. Its interval contains all three.
        assert!(cell.figure.value == third && cell.figure.low <= first && cell.figure.high >= second);
        // One that was disturbed takes the score away. Another build or another machine is not merged.
        three[2].1.warnings.push(Warning::new(Severity::NoScore, "disturbed"));
        assert!(Comparison::of(three.clone(), None).rows[0].cells[0].is_none());
        three[1].1.program = "other".to_owned();
        three[2].1.machine.usable_cpus += 1;
        let apart = Comparison::of(three, None);
        assert_eq!(names(&apart), ["mine (0.json)", "mine (1.json)", "mine (2.json)"]);
        // What is told apart is told why.
        let mut two = records(&[1.0, 1.1]);
        two.iter_mut().for_each(|(_, record)| record.name = "mine".to_owned());
        two[0].1.machine.kernel = Some("6.1".to_owned());
        two[1].1.machine.kernel = Some("6.2".to_owned());
        two[1].1.machine.governor = Some("powersave".to_owned());
        let apart = Comparison::of(two, None);
        assert_eq!(apart.machines[0].warnings(), "");
        let said = "apart from mine (0.json): governor powersave and not performance, kernel 6.2 and not 6.1";
        assert_eq!(apart.machines[1].warnings(), said);
    }

    #[test]
    fn what_is_missing_is_explained() {
        let mut five = records(&[1.0, 0.5, 2.0, 3.0, 4.0]);
        five[1].1.warnings.push(Warning::new(Severity::NoScore, "other programs used 2.0 CPUs"));
        five[2].1.workloads.retain(|workload| [1, 16].contains(&workload.threads));
        five[3].1.workloads.iter_mut().filter(|one| one.solver == "arrays").for_each(|arrays| arrays.version = 7);
        five[4].1.machine.usable_cpus = 8;
        five[4].1.workloads.retain(|workload| workload.threads < 16);
        five[4].1.program = "other".to_owned();
        let other = "not the program of most records (other)";
        let comparison = Comparison::of(five, None);
        for (machine, (name, expected)) in comparison.machines.iter().zip([
            ("machine 0", "no time: it has no arrays@7 n=10"),
            ("machine 2", "no time: it was measured without --scaling; no time: it has no arrays@7 n=10"),
            ("machine 4", other),
            ("machine 1", "no score: other programs used 2.0 CPUs; no time: it has no arrays@7 n=10"),
            ("machine 3", "no score: it lacks a time of a frozen solver; no time: it has no arrays n=10"),
        ]) {
            let said = machine.warnings();
            assert!(
                machine.name == name && (said == expected || expected == other && said.starts_with(other)),
                "{said}"
            );
            assert_eq!(machine.has_score(), !said.starts_with("no score"));
        }
        // With eight CPUs, the time on eight threads is the one on all.
        assert!(comparison.rows.iter().all(|row| row.cells[2].is_some() == (row.name != "arrays@7 n=10")));
        let mut two = records(&[1.0, 1.0]);
        two[1].1.machine.usable_cpus = 4;
        two[1].1.workloads.retain(|workload| workload.threads <= 4);
        assert_eq!(Comparison::of(two, None).machines[1].warnings(), "no time: it has only 4 CPUs");
    }
}
