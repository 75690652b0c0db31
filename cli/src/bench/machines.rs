//! A machine with all its records: their joint figures, and the warnings about them.

use std::fmt;

use unicode_width::UnicodeWidthStr;

use super::figure::FEWEST_RANKED;
use super::points::{Threads, points, time};
use super::record::{Record, Run};
use super::score::Score;
use super::warning::Warning;
use super::workload::{Workload, WorkloadId, of_score};
use crate::machine::MachineFacts;
use crate::terminal::units::plural;
use crate::terminal::wrap::without_middle;

/// The name of a machine in a comparison, such as `My server` or, if another machine has the same name,
/// `My server (here.json)`.
#[derive(Debug, Clone)]
pub(crate) struct MachineName {
    pub(super) name: String,
    /// The name of a file in brackets, with a space before it, or an empty text.
    pub(super) file: String,
    /// A number in brackets, with a space before it, if the short name of another machine would be equal.
    pub(super) number: String,
}

/// The width of the shortest names, in columns.
pub(crate) const NAME_WIDTH: usize = 22;

impl MachineName {
    /// Cuts the name to `room` columns. The name of the file is cut last, because it distinguishes machines with the
    /// same name.
    pub(crate) fn short(&self, room: usize) -> String {
        let room = room - self.number.width();
        let file = without_middle(&self.file, room - 1);
        without_middle(&self.name, room - file.width()) + &file + &self.number
    }

    /// Returns the number of the name with the whole name, or `None` if it has no number.
    pub(crate) fn numbered(&self) -> Option<String> {
        (!self.number.is_empty()).then(|| format!("{}: {self}", self.number.trim_start()))
    }
}

/// Numbers the machines whose short names are equal.
pub(super) fn number_equal_names(machines: &mut [Machine]) {
    let names: Vec<String> = machines.iter().map(|machine| machine.name.short(NAME_WIDTH)).collect();
    for (at, machine) in machines.iter_mut().enumerate() {
        if names.iter().filter(|name| **name == names[at]).count() > 1 {
            machine.name.number = format!(" ({})", at + 1);
        }
    }
}

impl fmt::Display for MachineName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.name, self.file)
    }
}

/// A machine with its runs: the records with equal name, facts, instruction set and program.
#[derive(Debug, Clone)]
pub(crate) struct Machine {
    pub(crate) name: MachineName,
    /// Its runs. If one has the scores, the runs without them are left out.
    pub(crate) runs: Vec<Run>,
    /// The warnings of its records, and the reasons why it lacks a score or a rank.
    pub(crate) warnings: Vec<Warning>,
}

/// Returns the runs of each machine, in the order of their first runs.
pub(super) fn by_machine(all: Vec<Run>) -> Vec<Vec<Run>> {
    let mut machines: Vec<Vec<Run>> = Vec::new();
    for run in all {
        match machines.iter_mut().find(|runs| runs[0].is_of_machine(&run)) {
            Some(runs) => runs.push(run),
            None => machines.push(vec![run]),
        }
    }
    machines
}

impl Run {
    /// Returns whether both are records of one machine by one program. Other builds are compared, and not joined.
    pub(super) fn is_of_machine(&self, other: &Self) -> bool {
        let one = &self.record;
        let other = &other.record;
        one.machine == other.machine && one.name == other.name && one.isa == other.isa && one.program == other.program
    }

    /// Returns whether this run alone gives the machine these scores, on one thread and on all.
    fn has(&self, scores: &[Score]) -> bool {
        let alone = std::slice::from_ref(self);
        let has = |score: &Score| Threads::OF_SCORES.iter().all(|&threads| points(alone, *score, threads).is_ok());
        scores.iter().all(has)
    }
}

impl Machine {
    /// Joins the runs of a machine, of which there must be at least one. If the machine lacks one of `scores`, a
    /// warning says why.
    pub(super) fn from_runs(name: MachineName, runs: Vec<Run>, scores: &[Score]) -> Self {
        let (runs, mut warnings) = without_copies(runs);
        let (runs, skipped) = runs_worth_keeping(runs, scores);
        warnings.extend(skipped);
        for warning in runs.iter().flat_map(|run| &run.record.warnings) {
            if !warnings.contains(warning) {
                warnings.push(warning.clone());
            }
        }
        let mut machine = Self { name, runs, warnings };
        if !machine.is_spoiled() {
            let reasons = machine.reasons(scores);
            machine.warnings.extend(reasons.into_iter().map(Warning::note));
        }
        machine
    }

    /// Returns the reasons why the machine lacks a score or a rank.
    fn reasons(&self, scores: &[Score]) -> Vec<String> {
        let mut notes = Vec::new();
        let mut has_few = false;
        for &score in scores {
            let is_lacking =
                |id: &WorkloadId| Threads::OF_SCORES.iter().all(|&threads| time(&self.runs, id, threads).is_none());
            let mut reasons = Vec::new();
            if let Some(id) = of_score(score).map(Workload::id).find(is_lacking) {
                reasons.push(format!("{id} was measured neither on one thread nor on all threads"));
            } else {
                for threads in Threads::OF_SCORES {
                    match points(&self.runs, score, threads) {
                        Ok(points) => has_few |= points.samples < FEWEST_RANKED,
                        Err(reason) => reasons.push(reason),
                    }
                }
            }
            if !reasons.is_empty() {
                notes.push(format!("no {}: {}", score.name(), reasons.join(", and ")));
            }
        }
        notes.extend(has_few.then(|| format!("no rank: fewer than {FEWEST_RANKED} samples")));
        notes
    }

    /// Returns the facts about the machine, which all runs share.
    pub(crate) fn facts(&self) -> &MachineFacts {
        &self.record().machine
    }

    /// Returns the machine's first record.
    pub(crate) fn record(&self) -> &Record {
        &self.runs[0].record
    }

    /// Returns the frequency in GHz at the start of the first run and at the end of the last, if both are known.
    pub(crate) fn gigahertz(&self) -> Option<[f64; 2]> {
        let [start, _] = self.runs.first()?.record.gigahertz?;
        let [_, end] = self.runs.last()?.record.gigahertz?;
        Some([start, end])
    }

    /// Returns the names of the files that contain the machine's records.
    pub(crate) fn files(&self) -> String {
        self.runs.iter().map(|run| &run.file[..]).collect::<Vec<_>>().join(", ")
    }

    /// Returns whether a warning spoils the machine's scores.
    pub(crate) fn is_spoiled(&self) -> bool {
        self.warnings.iter().any(|warning| warning.spoils_score)
    }

    /// Returns the warnings in one line, or an empty string if there are none.
    pub(crate) fn warnings_in_words(&self) -> String {
        self.warnings.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
    }

    /// Returns the workloads of the machine, each with its threads. If the machine has only one thread, each workload
    /// is returned twice: on one thread and on all.
    pub(super) fn workloads(&self) -> impl Iterator<Item = (WorkloadId, Threads)> {
        let cpus = self.facts().usable_cpus;
        self.runs.iter().flat_map(|run| &run.record.workloads).flat_map(move |times| {
            let threads = times.threads;
            let by_number = (threads == 1 || threads != cpus).then_some(Threads::Number(threads));
            let all = (threads == cpus).then_some(Threads::All);
            by_number.into_iter().chain(all).map(|threads| (times.id(), threads))
        })
    }
}

/// Skips the records that equal an earlier one, because a copy would narrow the range without being another
/// measurement. A note names each copy.
fn without_copies(runs: Vec<Run>) -> (Vec<Run>, Vec<Warning>) {
    let mut kept: Vec<Run> = Vec::new();
    let mut notes = Vec::new();
    for run in runs {
        match kept.iter().find(|other| other.record == run.record) {
            Some(Run { file, .. }) if *file == run.file => notes.push(Warning::note(format!("{file} was given twice"))),
            Some(Run { file, .. }) => notes.push(Warning::note(format!("skipped {}, a copy of {file}", run.file))),
            None => kept.push(run),
        }
    }
    (kept, notes)
}

/// Skips the runs that lack one of the scores if any run has them all, or else those that lack the frozen score if any
/// run has it. A note says how many were skipped.
fn runs_worth_keeping(runs: Vec<Run>, scores: &[Score]) -> (Vec<Run>, Option<Warning>) {
    let all = plural(runs.len(), "run");
    let is_in_a_run = |scores: &&[Score]| runs.iter().any(|run| run.has(scores));
    let Some(scores) = [scores, &[Score::Frozen]].into_iter().find(is_in_a_run) else { return (runs, None) };
    let (kept, skipped): (Vec<Run>, Vec<Run>) = runs.into_iter().partition(|run| run.has(scores));
    let note = format!("skipped {} of {all} for lack of a score", skipped.len());
    (kept, (!skipped.is_empty()).then(|| Warning::note(note)))
}
