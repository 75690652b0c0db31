//! Compares records: the score and the time of each workload on each machine.
//!
//! A score is the speed of a machine with the frozen solvers of the [suite](super::workload::SUITE). Its unit is exact:
//! a machine that counts each board in the time of its anchor scores 1000 points, with one thread or with all, so the
//! points of all threads divided by those of one say how many single threads the machine is worth. Because the solvers
//! are frozen, scores of different years compare machines and not programs.

use serde::Serialize;

use super::Record;
use super::figure::Figure;
use super::warning::Warning;
use super::workload::{SUITE, Workload};
use crate::machine::Machine;
use crate::terminal::units::plural;

/// The score in words.
pub(crate) const ABOUT: &str = "A machine that counts a board of arrays, n = 10, in 2 ms and one of bitmask, n = 12, in \
                                3 ms scores 1000 points; half the time is twice the points";

/// The name of the rows with scores.
const SCORE: &str = "score";

/// A figure whose range is wider than this should not be trusted and is not a score: half the range, divided by the
/// figure.
const WIDE: f64 = 0.05;

/// A number of threads; `None` is all that a machine may use.
type Threads = Option<usize>;

/// Fewer samples make no rank.
const FEWEST_RANKED: usize = 10;

/// Machines side by side.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Comparison {
    /// The machines: those with a score first, the fastest on one thread first.
    pub(crate) machines: Vec<Compared>,
    /// The machine that speeds are relative to; `None` is the fastest of each row.
    pub(crate) against: Option<usize>,
    /// The scores on one thread and on all, then every workload that a record has. Each version of a workload has its
    /// own row.
    pub(crate) rows: Vec<Row>,
}

/// A machine, by its records: those with equal name, facts, instruction set and program are runs of one machine.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Compared {
    /// Its name. If another machine has the same name, the name of a file is added.
    pub(crate) name: String,
    /// Its records. Those without a score are not here if one has a score.
    pub(crate) runs: Vec<Run>,
    /// What to know before its figures are read.
    pub(crate) warnings: Vec<Warning>,
}

/// A record and its file.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Run {
    pub(crate) file: String,
    pub(crate) record: Record,
}

/// A score or a workload on every machine.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Row {
    /// `score`, or a workload such as `arrays n=10`.
    pub(crate) name: String,
    pub(crate) threads: Threads,
    /// The figure of the machine that speeds are relative to, if it has one.
    pub(crate) reference: Option<f64>,
    /// One cell for each machine; `None` if it has no figure.
    pub(crate) cells: Vec<Option<Cell>>,
}

/// A score or a workload on one machine.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Cell {
    /// Points, or the seconds of a board.
    pub(crate) figure: Figure,
    /// How many times as fast as the reference it is; `None` if the reference has no figure.
    pub(crate) speed: Option<f64>,
    /// One plus the number of machines that are clearly faster: their ranges do not overlap with this one.
    /// Figures of a spoiled record, or of fewer than ten samples, have no rank and change none.
    pub(crate) rank: Option<usize>,
}

impl Comparison {
    /// Compares records, each with the name of its file. `against` is the name of one of them.
    pub(crate) fn of(records: Vec<(String, Record)>, against: Option<&str>) -> Self {
        let mut groups: Vec<Vec<Run>> = Vec::new();
        for (file, record) in records {
            let run = Run { file, record };
            match groups.iter_mut().find(|group| group[0].is_of_machine(&run)) {
                Some(group) => group.push(run),
                None => groups.push(vec![run]),
            }
        }
        let is_reference = |group: &Vec<Run>| group.iter().any(|run| Some(&run.file[..]) == against);
        let names: Vec<String> = groups.iter().map(|group| group[0].record.name.clone()).collect();
        let is_unique = |name: &str| names.iter().filter(|other| *other == name).count() == 1;
        let machine = |group: Vec<Run>| {
            let Run { file, record } = &group[0];
            let name = if is_unique(&record.name) { record.name.clone() } else { format!("{} ({file})", record.name) };
            (is_reference(&group), Compared::of(name, group))
        };
        let mut machines: Vec<(bool, Compared)> = groups.into_iter().map(machine).collect();
        let one_thread = |machine: &Compared| machine.points(Some(1)).map_or(0.0, |points| points.value);
        machines.sort_by(|(_, a), (_, b)| one_thread(b).total_cmp(&one_thread(a)));
        let against = machines.iter().position(|&(is_reference, _)| is_reference);
        let machines: Vec<Compared> = machines.into_iter().map(|(_, machine)| machine).collect();
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
        let has_samples = |figure: Figure| figure.samples >= FEWEST_RANKED;
        let is_ranked = |at: usize| !machines[at].is_spoiled() && figures[at].is_some_and(has_samples);
        let ranked: Vec<bool> = (0..machines.len()).map(is_ranked).collect();
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

impl Run {
    /// Whether both are records of one machine, by one program. Other builds are compared, and not joined.
    fn is_of_machine(&self, other: &Self) -> bool {
        let (one, other) = (&self.record, &other.record);
        one.machine == other.machine && one.name == other.name && one.isa == other.isa && one.program == other.program
    }

    /// Whether the machine has a score without the others.
    fn has_score(&self) -> bool {
        let alone = Compared { name: String::new(), runs: vec![self.clone()], warnings: self.record.warnings.clone() };
        [Some(1), None].into_iter().all(|threads| alone.points(threads).is_ok())
    }
}

impl Compared {
    /// The machine of at least one run, with the reason for each score that is missing.
    fn of(name: String, mut runs: Vec<Run>) -> Self {
        let mut warnings: Vec<Warning> = Vec::new();
        let mut kept: Vec<Run> = Vec::new();
        for run in runs.drain(..) {
            match kept.iter().find(|other| other.record == run.record) {
                Some(other) => {
                    warnings.push(Warning::note(format!(
                        "{} has the same record as {}: counted once",
                        run.file, other.file
                    )));
                }
                None => kept.push(run),
            }
        }
        // Runs with a score are worth more than those without.
        let (sound, others): (Vec<Run>, Vec<Run>) = kept.into_iter().partition(Run::has_score);
        let all = sound.len() + others.len();
        if !sound.is_empty() && !others.is_empty() {
            let (others, all) = (others.len(), plural(all, "run"));
            warnings.push(Warning::note(format!("{others} of {all} without a score left out")));
        }
        let kept = if sound.is_empty() { others } else { sound };
        for warning in kept.iter().flat_map(|run| &run.record.warnings) {
            if !warnings.contains(warning) {
                warnings.push(warning.clone());
            }
        }
        let mut machine = Self { name, runs: kept, warnings };
        if !machine.is_spoiled() {
            let points = [Some(1), None].map(|threads| machine.points(threads));
            let few = points.iter().flatten().any(|points| points.samples < FEWEST_RANKED);
            let why = points.into_iter().filter_map(|points| Some(format!("no score: {}", points.err()?)));
            let why: Vec<String> =
                why.chain(few.then(|| format!("no rank: fewer than {FEWEST_RANKED} samples"))).collect();
            machine.warnings.extend(why.into_iter().map(Warning::note));
        }
        machine
    }

    /// The facts, which all runs share.
    pub(crate) fn facts(&self) -> &Machine {
        &self.runs[0].record.machine
    }

    /// The first of its records.
    pub(crate) fn record(&self) -> &Record {
        &self.runs[0].record
    }

    /// The frequency in GHz at the start and at the end: the means of the runs that have it.
    pub(crate) fn gigahertz(&self) -> Option<[f64; 2]> {
        let all: Vec<[f64; 2]> = self.runs.iter().filter_map(|run| run.record.gigahertz).collect();
        let mean = |at: usize| {
            let mean = all.iter().map(|both| both[at]).sum::<f64>() / all.len() as f64;
            (1000.0 * mean).round() / 1000.0
        };
        (!all.is_empty()).then(|| [mean(0), mean(1)])
    }

    /// The files of its records.
    pub(crate) fn files(&self) -> String {
        self.runs.iter().map(|run| &run.file[..]).collect::<Vec<_>>().join(", ")
    }

    /// Whether a warning spoils its score.
    pub(crate) fn is_spoiled(&self) -> bool {
        self.warnings.iter().any(|warning| warning.spoils_score)
    }

    /// `~` if a figure should not be trusted: its range is wide, its samples are few, or the record is spoiled.
    pub(crate) fn mark(&self, cell: &Cell) -> &'static str {
        let is_doubtful = cell.figure.spread() > WIDE || cell.rank.is_none();
        if is_doubtful { "~" } else { "" }
    }

    /// The warnings in one line. Empty if there are none.
    pub(crate) fn warnings(&self) -> String {
        self.warnings.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
    }

    /// The points or the time of a row.
    fn figure(&self, name: &str, threads: Threads) -> Option<Figure> {
        if name == SCORE { self.points(threads).ok() } else { self.time(name, threads) }
    }

    /// The time of a workload, by all runs that have it.
    fn time(&self, name: &str, threads: Threads) -> Option<Figure> {
        let samples = self.samples(name, threads);
        (!samples.is_empty()).then(|| Figure::of_runs(&samples))
    }

    /// The samples of a workload, run by run.
    fn samples(&self, name: &str, threads: Threads) -> Vec<&[f64]> {
        let threads = threads.unwrap_or(self.facts().usable_cpus);
        let workloads = self.runs.iter().flat_map(|run| &run.record.workloads);
        let is_it = |workload: &&Workload| workload.threads == threads && workload.name() == name;
        workloads.filter(is_it).map(|workload| &workload.seconds[..]).collect()
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
            // Runs may differ more: that is the spread of the joined figure.
            let spreads = self.samples(&of.name(), threads).into_iter().map(|run| Figure::of_runs(&[run]).spread());
            let widest = spreads.fold(0.0, f64::max);
            if widest > WIDE {
                let percent = 100.0 * widest;
                return Err(format!("the times of {} on {on} differ by ±{percent:.0} %: measure again", of.name()));
            }
            speeds.push(time.dividing(1000.0 * anchor));
        }
        Ok(Figure::mean(&speeds))
    }
}

/// The workloads of all machines, each with its number of threads. `None` means all threads of a machine, unless it is
/// one.
fn workloads(machines: &[Compared]) -> Vec<(String, Threads)> {
    let mut all = Vec::new();
    for machine in machines {
        let cpus = machine.facts().usable_cpus;
        for workload in machine.runs.iter().flat_map(|run| &run.record.workloads) {
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
        // Machines that cannot be distinguished have one rank.
        let alike = Comparison::of(records(&[1.0, 1.000_01, 2.0]), None);
        assert!(alike.rows.iter().all(|row| ranks(row) == [1, 1, 3].map(Some)));
    }

    /// A disturbed machine gets no rank, and does not change the ranks of others.
    #[test]
    fn a_spoiled_record_has_no_rank() {
        let mut three = records(&[1.0, 0.5, 2.0]);
        three[1].1.warnings.push(Warning::spoils("busy"));
        (three[2].1.name, three[2].1.program) = ("machine 0".to_owned(), "another build".to_owned());
        let comparison = Comparison::of(three, None);
        assert_eq!(names(&comparison), ["machine 0 (0.json)", "machine 0 (2.json)", "machine 1"]);
        for row in &comparison.rows {
            assert_eq!(ranks(row), [Some(1), Some(2), None], "{}", row.name);
            assert!(row.is_score() || row.cells[2].as_ref().unwrap().speed.unwrap() > 1.9);
        }
    }

    /// The same box beside other programs is one machine, not several that rank behind each other.
    #[test]
    fn runs_of_one_machine_are_one_row_with_the_spread_between_them() {
        let mut all = records(&[1.0, 1.1, 0.9, 1.02]);
        for (_, record) in &mut all[..3] {
            "one box".clone_into(&mut record.name);
        }
        let comparison = Comparison::of(all.clone(), Some("2.json"));
        assert_eq!((names(&comparison), comparison.against), (vec!["one box", "machine 3"], Some(0)));
        assert_eq!(comparison.machines[0].files(), "0.json, 1.json, 2.json");
        let single = Comparison::of(records(&[1.0]), None);
        let cell = |comparison: &Comparison, at: usize| comparison.rows[0].cells[at].clone().unwrap();
        let (joined, alone) = (cell(&comparison, 0), cell(&single, 0));
        assert!((joined.figure.value / alone.figure.value - 1.0).abs() < 0.01, "{joined:?} {alone:?}");
        assert!(joined.figure.spread() > 0.09 && alone.figure.spread() < 0.01, "{joined:?} {alone:?}");
        // Ranges that overlap cannot be distinguished.
        assert_eq!(ranks(&comparison.rows[0]), [Some(1), Some(1)]);
        // A spoiled run of a machine is left out, and a copy of a record does not count as another run.
        all[1].1.warnings.push(Warning::spoils("busy"));
        all[2].1 = all[0].1.clone();
        let comparison = Comparison::of(all, None);
        let machine = comparison.machines.iter().find(|machine| machine.name == "one box").unwrap();
        assert_eq!(machine.files(), "0.json");
        assert_eq!(
            machine.warnings(),
            "2.json has the same record as 0.json: counted once; 1 of 2 runs without a score left out"
        );
        // Another program is another row.
        let mut builds = records(&[1.0, 1.0]);
        for (at, (_, record)) in builds.iter_mut().enumerate() {
            (record.name, record.program) = ("one box".to_owned(), format!("build {at}"));
        }
        assert_eq!(names(&Comparison::of(builds, None)), ["one box (0.json)", "one box (1.json)"]);
    }

    #[test]
    fn fewer_than_ten_samples_have_no_rank_and_change_none() {
        let mut two = records(&[1.0, 2.0]);
        two[0].1.workloads.iter_mut().for_each(|workload| workload.seconds.truncate(9));
        let comparison = Comparison::of(two, None);
        assert_eq!(names(&comparison), ["machine 0", "machine 1"]);
        assert!(comparison.rows.iter().all(|row| ranks(row) == [None, Some(1)]));
        assert_eq!(comparison.machines[0].warnings(), "no rank: fewer than 10 samples");
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
