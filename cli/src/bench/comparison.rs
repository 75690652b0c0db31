//! Compares machines: the scores and the time of each workload side by side, with ranks.

use std::collections::BTreeMap;

use super::machines::{Machine, MachineName, by_machine, number_equal_names};
use super::points::{Threads, points};
use super::record::{Record, Run};
use super::rows::{Row, Subject};
use super::score::Score;
use super::workload::WorkloadId;

/// A comparison of machines, side by side.
#[derive(Debug, Clone)]
pub(crate) struct Comparison {
    /// The machines in descending order of their scores on one thread. Those without a score come last.
    pub(crate) machines: Vec<Machine>,
    /// The machine that speeds are relative to; `None` is the fastest of each row.
    pub(crate) against: Option<usize>,
    /// Each score on one thread and on all, then every workload that a record contains.
    pub(crate) rows: Vec<Row>,
    /// Why there are no color scores, if these machines cannot be ranked by them.
    pub(crate) refusal: Option<String>,
}

impl Comparison {
    /// Compares the machines of some runs. `against` is the file of a run whose machine is the reference.
    pub(crate) fn of(runs: Vec<Run>, against: Option<&str>) -> Self {
        let reference = runs.iter().find(|run| Some(&run.file[..]) == against).cloned();
        let groups = by_machine(runs);
        let first: Vec<&Record> = groups.iter().map(|runs| &runs[0].record).collect();
        let refusal = color_refusal(&first);
        let scores = if refusal.is_some() { &[Score::Frozen][..] } else { &Score::ALL };
        let names: Vec<String> = first.iter().map(|record| record.name.clone()).collect();
        let mut machines = Vec::new();
        for (runs, name) in groups.into_iter().zip(&names) {
            let is_unique = names.iter().filter(|other| *other == name).count() == 1;
            let file = if is_unique { String::new() } else { format!(" ({})", runs[0].file) };
            machines.push(Machine::from_runs(
                MachineName { name: name.clone(), file, number: String::new() },
                runs,
                scores,
            ));
        }
        machines.sort_by(|a, b| points_on_one_thread(b).total_cmp(&points_on_one_thread(a)));
        number_equal_names(&mut machines);
        let against = reference.and_then(|run| machines.iter().position(|one| one.runs[0].is_of_machine(&run)));
        let mut rows = Vec::new();
        for &score in scores {
            for threads in Threads::OF_SCORES {
                rows.push(Row::of(Subject::Score(score), threads, &machines, against));
            }
        }
        for (id, threads) in workloads(&machines) {
            rows.push(Row::of(Subject::Workload(id), threads, &machines, against));
        }
        Self { machines, against, rows, refusal }
    }

    /// Returns the rows in blocks of one subject each: first the scores, then the workloads.
    pub(crate) fn blocks(&self) -> impl Iterator<Item = &[Row]> {
        self.rows.chunk_by(|a, b| a.subject == b.subject)
    }

    /// Returns the machine that speeds are relative to, in words.
    pub(crate) fn reference(&self) -> String {
        self.against.map_or("the fastest machine".to_owned(), |machine| self.machines[machine].name.to_string())
    }
}

/// Returns the points on one thread, or 0 without a score.
fn points_on_one_thread(machine: &Machine) -> f64 {
    points(&machine.runs, Score::Frozen, Threads::Number(1)).map_or(0.0, |points| points.value)
}

/// Returns the reason why these machines cannot be compared by color score, or `None` if they can. Takes a record of
/// each machine.
fn color_refusal(machines: &[&Record]) -> Option<String> {
    let mut commits: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for record in machines {
        commits.entry(&record.commit).or_default().push(&record.name);
    }
    // A commit may also be `unknown` or `0123456789ab, modified`.
    let is_known = |commit: &&str| !commit.is_empty() && commit.chars().all(|c| c.is_ascii_hexdigit());
    if machines.len() < 2 || commits.len() == 1 && commits.keys().all(is_known) {
        return None;
    }
    let built = |(commit, names): (&&str, &Vec<&str>)| {
        let others = if names.len() == 1 { String::new() } else { format!(" and {} more", names.len() - 1) };
        format!("{}{others} with {commit}", names[0])
    };
    let built = commits.iter().map(built).collect::<Vec<_>>().join("; ");
    Some(format!(
        "There is no color score, which compares only machines measured with one unmodified commit: {built}. Leave \
         machines out, or measure all with one commit."
    ))
}

/// Returns the workloads of all machines, without repetitions. Of each solver, the version that this program measures
/// comes first.
fn workloads(machines: &[Machine]) -> Vec<(WorkloadId, Threads)> {
    let mut all: Vec<(WorkloadId, Threads)> = machines.iter().flat_map(Machine::workloads).collect();
    all.sort_by_key(|(id, threads)| {
        (id.solver.clone(), !id.has_version_of_suite(), id.version, id.n, id.unit, *threads)
    });
    all.dedup();
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::tests::record;
    use crate::bench::warning::Warning;

    /// Returns a run of each of some machines whose times are those of the sample record, multiplied by these factors.
    fn runs(factors: &[f64]) -> Vec<Run> {
        let scaled = |(index, factor): (usize, &f64)| {
            let mut record = record();
            record.name = format!("machine {index}");
            for seconds in record.workloads.iter_mut().flat_map(|workload| &mut workload.seconds) {
                *seconds *= factor;
            }
            Run { file: format!("{index}.json"), record }
        };
        factors.iter().enumerate().map(scaled).collect()
    }

    fn names(comparison: &Comparison) -> Vec<String> {
        comparison.machines.iter().map(|machine| machine.name.to_string()).collect()
    }

    fn has_score(comparison: &Comparison, score: Score) -> bool {
        comparison.rows.iter().any(|row| row.subject == Subject::Score(score))
    }

    fn ranks(row: &Row) -> Vec<Option<usize>> {
        row.cells.iter().map(|cell| cell.as_ref().and_then(|cell| cell.rank)).collect()
    }

    #[test]
    fn the_color_score_compares_only_records_of_one_known_commit() {
        let of = |commit: &str| Record { commit: commit.to_owned(), ..record() };
        for (commits, is_refused) in [
            (&["0123456789ab"; 2][..], false),
            (&["0123456789ab, modified"], false),
            (&["0123456789ab", "ba9876543210"], true),
            (&["0123456789ab", "0123456789ab, modified"], true),
            (&["0123456789ab, modified"; 2], true),
            (&["unknown"; 2], true),
        ] {
            let records: Vec<Record> = commits.iter().map(|commit| of(commit)).collect();
            let records: Vec<&Record> = records.iter().collect();
            assert_eq!(color_refusal(&records).is_some(), is_refused, "{commits:?}");
        }
    }

    #[test]
    fn the_fastest_is_first_and_speeds_are_relative_to_it_or_to_another() {
        for (against, expected) in
            [(None, [1.0, 0.5, 0.125]), (Some("0.json"), [2.0, 1.0, 0.25]), (Some("2.json"), [8.0, 4.0, 1.0])]
        {
            let comparison = Comparison::of(runs(&[1.0, 0.5, 4.0]), against);
            assert_eq!(names(&comparison), ["machine 1", "machine 0", "machine 2"]);
            for row in &comparison.rows {
                assert_eq!(ranks(row), [1, 2, 3].map(Some));
                for (cell, expected) in row.cells.iter().flatten().zip(expected) {
                    assert!((cell.speed.unwrap() - expected).abs() < 1e-9, "{}", row.subject);
                }
            }
        }
        // Machines that cannot be distinguished share a rank.
        let alike = Comparison::of(runs(&[1.0, 1.000_01, 2.0]), None);
        assert!(alike.rows.iter().all(|row| ranks(row) == [1, 1, 3].map(Some)));
    }

    /// A disturbed machine gets no rank and does not change the ranks of others.
    #[test]
    fn a_spoiled_record_has_no_rank() {
        let mut three = runs(&[1.0, 0.5, 2.0]);
        three[1].record.warnings.push(Warning::spoils("busy"));
        "machine 0".clone_into(&mut three[2].record.name);
        "another build".clone_into(&mut three[2].record.program);
        let comparison = Comparison::of(three, None);
        assert_eq!(names(&comparison), ["machine 0 (0.json)", "machine 0 (2.json)", "machine 1"]);
        for row in &comparison.rows {
            assert_eq!(ranks(row), [Some(1), Some(2), None], "{}", row.subject);
            assert!(row.subject.is_score() || row.cells[2].as_ref().unwrap().speed.unwrap() > 1.9);
        }
    }

    /// A machine that is measured several times, with or without other programs running, must not rank behind itself.
    #[test]
    fn runs_of_one_machine_are_one_row_with_the_spread_between_them() {
        let mut all = runs(&[1.0, 1.1, 0.9, 1.02]);
        for run in &mut all[..3] {
            "one box".clone_into(&mut run.record.name);
        }
        let comparison = Comparison::of(all.clone(), Some("2.json"));
        assert_eq!(names(&comparison), ["one box", "machine 3"]);
        assert_eq!(comparison.against, Some(0));
        assert_eq!(comparison.machines[0].files(), "0.json, 1.json, 2.json");
        let single = Comparison::of(runs(&[1.0]), None);
        let cell = |comparison: &Comparison, at: usize| comparison.rows[0].cells[at].clone().unwrap();
        let joined = cell(&comparison, 0);
        let alone = cell(&single, 0);
        assert!((joined.figure.value / alone.figure.value - 1.0).abs() < 0.01, "{joined:?} {alone:?}");
        assert!(joined.figure.spread() > 0.09 && alone.figure.spread() < 0.01, "{joined:?} {alone:?}");
        // Figures whose ranges overlap share a rank.
        assert_eq!(ranks(&comparison.rows[0]), [Some(1), Some(1)]);
        // A spoiled run of a machine is left out, and a copy of a record is not another run.
        all[1].record.warnings.push(Warning::spoils("busy"));
        all[2].record = all[0].record.clone();
        let comparison = Comparison::of(all, None);
        let machine = comparison.machines.iter().find(|machine| machine.name.to_string() == "one box").unwrap();
        assert_eq!(machine.files(), "0.json");
        assert_eq!(
            machine.warnings_in_words(),
            "skipped 2.json, a copy of 0.json; skipped 1 of 2 runs for lack of a score"
        );
        // A run whose times of color differ too much is left out if another run has a color score.
        let mut noisy = runs(&[1.0, 1.0]);
        noisy[1].record.name = noisy[0].record.name.clone();
        for workload in noisy[1].record.workloads.iter_mut().filter(|workload| workload.solver == "color") {
            workload.seconds.iter_mut().step_by(3).for_each(|seconds| *seconds *= 1.5);
        }
        let comparison = Comparison::of(noisy, None);
        assert_eq!(comparison.machines[0].files(), "0.json");
        assert!(has_score(&comparison, Score::Color) && comparison.rows.iter().all(|row| row.cells[0].is_some()));
        // A different program gets its own row.
        let mut builds = runs(&[1.0, 1.0]);
        for (at, run) in builds.iter_mut().enumerate() {
            "one box".clone_into(&mut run.record.name);
            run.record.program = format!("build {at}");
        }
        assert_eq!(names(&Comparison::of(builds, None)), ["one box (0.json)", "one box (1.json)"]);
    }

    #[test]
    fn fewer_than_ten_samples_have_no_rank_and_change_none() {
        let mut two = runs(&[1.0, 2.0]);
        two[0].record.workloads.iter_mut().for_each(|workload| workload.seconds.truncate(9));
        let comparison = Comparison::of(two, None);
        assert_eq!(names(&comparison), ["machine 0", "machine 1"]);
        assert!(comparison.rows.iter().all(|row| ranks(row) == [None, Some(1)]));
        assert_eq!(comparison.machines[0].warnings_in_words(), "no rank: fewer than 10 samples");
    }

    #[test]
    fn units_and_versions_are_workloads_of_their_own_after_those_of_this_program() {
        let mut four = runs(&[1.0; 4]);
        for (run, (unit, version)) in four.iter_mut().zip([(299, 3), (301, 3), (300, 3), (299, 4)]) {
            for times in run.record.workloads.iter_mut().filter(|times| times.unit == Some(299)) {
                (times.unit, times.version) = (Some(unit), version);
            }
        }
        let comparison = Comparison::of(four, None);
        let rows = comparison.blocks().map(|rows| &rows[0]).filter(|row| row.subject.to_string().contains("n=20"));
        let shown = |row: &Row| (row.subject.to_string(), row.cells.iter().position(Option::is_some).unwrap());
        let expected = [
            ("color n=20 unit", 0),
            ("color n=20 unit 300", 2),
            ("color n=20 unit 301", 1),
            ("color@4 n=20 unit 299", 3),
        ];
        assert_eq!(rows.map(shown).collect::<Vec<_>>(), expected.map(|(name, machine)| (name.to_owned(), machine)));
    }

    /// A speed would be misread if it were relative to a different machine than the speeds beside it.
    #[test]
    fn where_the_reference_lacks_a_workload_there_is_no_speed() {
        let mut two = runs(&[1.0, 2.0]);
        two[0].record.workloads.retain(|workload| workload.solver != "color");
        for row in &Comparison::of(two, Some("0.json")).rows {
            let is_there = !row.subject.to_string().starts_with("color");
            let [one, other] = [0, 1].map(|at| row.cells[at].as_ref());
            assert_eq!([one.is_some(), other.unwrap().speed.is_some(), row.reference.is_some()], [is_there; 3]);
        }
    }

    #[test]
    fn only_a_missing_score_is_explained() {
        let mut four = runs(&[1.0, 2.0, 3.0, 4.0]);
        // A machine with fewer threads, measured without --scaling.
        four[0].record.machine.usable_cpus = 8;
        four[0].record.workloads.retain(|workload| [1, 8].contains(&workload.threads));
        four[1].record.workloads.retain(|workload| workload.solver != "bitmask" || workload.threads == 1);
        four[3].record.workloads.retain(|workload| workload.solver != "color");
        for workload in &mut four[2].record.workloads {
            let slow = if workload.solver == "arrays" && workload.threads == 16 { 1.5 } else { 1.0 };
            workload.seconds.iter_mut().step_by(3).for_each(|seconds| *seconds *= slow);
        }
        let comparison = Comparison::of(four, None);
        let expected = [
            "",
            "no score: bitmask n=12 was not measured on all threads",
            "no score: the times of arrays n=10 on all threads differ by ±25 %: measure again",
            "no color score: color n=18 was measured neither on one thread nor on all threads",
        ];
        assert_eq!([0, 1, 2, 3].map(|at| comparison.machines[at].warnings_in_words()), expected);
        assert!(comparison.rows[0].cells.iter().all(Option::is_some));
    }

    /// Slow memory slows down counts of large boards, but not work in the first-level cache.
    #[test]
    fn a_fast_core_with_slow_memory_has_a_high_score_and_a_low_color_score() {
        let mut two = runs(&[1.0, 1.0]);
        for workload in &mut two[0].record.workloads {
            let factor = match (&workload.solver[..], workload.n) {
                ("arrays" | "bitmask", _) => 0.8,
                ("color", 18) => 1.0,
                _ => 1.6,
            };
            workload.seconds.iter_mut().for_each(|seconds| *seconds *= factor);
        }
        let comparison = Comparison::of(two, None);
        assert_eq!(names(&comparison), ["machine 0", "machine 1"]);
        assert_eq!(comparison.refusal, None);
        let ranks_by = |score| -> Vec<_> {
            comparison.rows.iter().filter(|row| row.subject == Subject::Score(score)).map(ranks).collect()
        };
        assert_eq!(ranks_by(Score::Frozen), [[1, 2].map(Some); 2]);
        assert_eq!(ranks_by(Score::Color), [[2, 1].map(Some); 2]);
    }

    /// `color` changes from commit to commit, so only the frozen score and the times are compared across them.
    #[test]
    fn records_of_two_commits_have_no_color_score_and_the_reason_is_given() {
        let mut two = runs(&[1.0, 2.0]);
        two[1].record.commit = "ba9876543210".to_owned();
        for (runs, has_color) in [(two.clone(), false), (two[1..].to_vec(), true)] {
            let comparison = Comparison::of(runs, None);
            assert_eq!(has_score(&comparison, Score::Color), has_color);
            assert!(has_score(&comparison, Score::Frozen));
            assert_eq!(comparison.refusal.is_none(), has_color);
            assert!(comparison.machines.iter().all(|machine| machine.warnings_in_words().is_empty()));
        }
    }
}
