//! The machines of a comparison: the records of each, merged, with its score and its ranks.
//!
//! Records of one machine have the same name, the same facts about the machine, and the same program.

use serde::Serialize;

use super::doubt::{self, Doubt};
use super::record::INTERRUPTED;
use super::score;
use super::statistics::Estimate;
use super::workload::Threads;
use super::{Record, WorkloadId};
use crate::terminal::units::plural;

/// A machine.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Compared {
    /// Its name. If two machines have the same name, the name of the file is added.
    pub(crate) name: String,
    /// The files of its records.
    pub(crate) files: Vec<String>,
    /// Its records, each of them once.
    #[serde(skip)]
    pub(crate) records: Vec<Record>,
    /// Its places on one thread and on all. `None`: it has no score.
    pub(crate) places: Option<[Place; 2]>,
    /// Why it has no score.
    pub(crate) no_score: Option<String>,
    /// Why some workloads have no time.
    pub(crate) missing: Option<String>,
    /// Reasons to doubt its times.
    pub(crate) doubts: Vec<Doubt>,
}

/// A machine among those with a score.
#[derive(Debug, Clone, Copy, Serialize)]
pub(crate) struct Place {
    /// Its rank, from 1. Machines whose intervals overlap share a rank.
    pub(crate) rank: usize,
    /// Its score, of which 1 is [`score::POINTS`] points.
    pub(crate) score: Estimate,
}

impl Compared {
    /// The first record. All of them have the same facts.
    pub(crate) fn record(&self) -> &Record {
        &self.records[0]
    }

    /// Whether its times should not be trusted.
    pub(crate) fn is_doubtful(&self) -> bool {
        self.doubts.iter().any(|doubt| doubt.is_grave)
    }

    /// What to know before its figures are read: why it has no score, why times are missing, and reasons to doubt.
    pub(crate) fn remarks(&self) -> Option<String> {
        let no_score = self.no_score.as_ref().map(|why| format!("no score: {why}"));
        let missing = self.missing.as_ref().map(|why| format!("no time: {why}"));
        let others = self.doubts.iter().filter(|doubt| Some(&doubt.words) != self.no_score.as_ref());
        let doubts = doubt::line(others);
        let remarks: Vec<String> = [no_score, missing, doubts].into_iter().flatten().collect();
        (!remarks.is_empty()).then(|| remarks.join("; "))
    }

    /// Why it has no time for a workload.
    pub(super) fn why_missing(&self, id: &WorkloadId) -> String {
        let (name, record) = (id.name(), self.record());
        let other = record.workloads.iter().find(|workload| workload.id.name() == name);
        match (other, id.threads) {
            (Some(other), _) => format!("{} is of version {}", id.solver, other.id.version),
            _ if record.warns_of(INTERRUPTED) => "it was interrupted".to_owned(),
            (None, Threads::Exactly(threads)) if threads >= record.machine.usable_cpus && threads > 1 => {
                format!("it has only {}", plural(record.machine.usable_cpus, "CPU"))
            }
            (None, Threads::Exactly(2..)) => "it was measured without --scaling".to_owned(),
            _ => format!("its suite has no {} n = {}", id.solver, id.size),
        }
    }
}

/// The score on one thread; no score is below every score.
fn one_thread(machine: &Compared) -> f64 {
    machine.places.map_or(0.0, |[one, _]| one.score.value)
}

/// Merges the records of each machine, gives ranks, and puts the fastest on one thread first.
pub(super) fn ranked(records: Vec<(String, Record)>) -> Vec<Compared> {
    let doubts = doubt::of_records(records.iter().map(|(_, record)| record));
    let mut machines: Vec<Compared> = Vec::new();
    for ((file, record), doubts) in records.into_iter().zip(doubts) {
        let is_same = |machine: &&mut Compared| {
            let first = machine.record();
            (&first.name, &first.machine, &first.program) == (&record.name, &record.machine, &record.program)
        };
        let Some(machine) = machines.iter_mut().find(is_same) else {
            let (name, files) = (record.name.clone(), vec![file]);
            machines.push(Compared {
                name,
                files,
                records: vec![record],
                places: None,
                no_score: None,
                missing: None,
                doubts,
            });
            continue;
        };
        machine.files.push(file);
        // A record that is given twice counts once.
        if !machine.records.contains(&record) {
            machine.records.push(record);
            for doubt in doubts {
                if !machine.doubts.contains(&doubt) {
                    machine.doubts.push(doubt);
                }
            }
        }
    }
    let names: Vec<String> = machines.iter().map(|machine| machine.name.clone()).collect();
    for machine in &mut machines {
        if names.iter().filter(|name| **name == machine.name).count() > 1 {
            machine.name = format!("{} ({})", machine.name, machine.files[0]);
        }
        match score::of(&machine.records.iter().collect::<Vec<_>>()) {
            Ok(scores) => machine.places = Some(scores.map(|score| Place { rank: 0, score })),
            Err(why) => machine.no_score = Some(why),
        }
    }
    machines.sort_by(|a, b| one_thread(b).total_cmp(&one_thread(a)));
    share_ranks(&mut machines);
    machines
}

/// Gives ranks to the machines with a score, on one thread and on all. A machine whose interval overlaps with that of a
/// faster one shares its rank, and all machines between them do.
fn share_ranks(machines: &mut [Compared]) {
    for which in 0..score::THREADS.len() {
        let mut places: Vec<&mut Place> =
            machines.iter_mut().filter_map(|machine| Some(&mut machine.places.as_mut()?[which])).collect();
        places.sort_by(|a, b| b.score.value.total_cmp(&a.score.value));
        let mut rank = 1;
        for at in 0..places.len() {
            let (faster, slower) = places.split_at(at);
            let least = faster.iter().map(|place| place.score.low).fold(f64::INFINITY, f64::min);
            if slower.iter().all(|place| place.score.high < least) {
                rank = at + 1;
            }
            places[at].rank = rank;
        }
    }
}
