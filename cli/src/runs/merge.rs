//! Reads the records of one or more folders and adds them up.

use std::collections::BTreeSet;
use std::path::PathBuf;

use anyhow::bail;

use super::record::{check_tallies, sum};
use super::{FoundRecord, Ledger, RunFolder, RunPlan, ShardRecord, plausible};
use crate::terminal::units::plural;
use nqueens::Outcome;
use nqueens::registry;
use nqueens::solver::Isa;
use nqueens::tally::{Tally, Work};

/// The records of a run, from all folders.
#[derive(Debug)]
pub(crate) struct Merged {
    /// The run's plan.
    pub(crate) plan: RunPlan,
    /// The valid records.
    pub(crate) ledger: Ledger,
    /// The work figures of these records.
    work: Work,
    /// The files that must not be merged: the shard, and a text that names the file and says what is wrong with it.
    pub(crate) faults: Vec<(usize, String)>,
    /// The shards that two folders have with different counts. They are among the faults.
    pub(crate) disputed: BTreeSet<usize>,
}

/// Reads all records of these folders of one run, at least one folder, and checks that its units are this program's.
pub(crate) fn merge(folders: &[RunFolder]) -> anyhow::Result<Merged> {
    let mut merged = Merged::new(folders)?;
    let read = (0..merged.plan.shards()).map(|shard| merged.read(shard, folders)).collect::<Result<Vec<_>, _>>()?;
    // If somebody removed shards from the plan, a partial sum would pass for the count.
    let units = merged.plan.cut.plan(Isa::Portable, &folders[0].path)?;
    for (file, record) in read.into_iter().flatten() {
        let shard = record.shard;
        if let Err(problem) = check_tallies(&*units, (record.first_unit..).zip(record.counts.iter().copied())) {
            let problem = format!("{}: {problem}; remove it, and count the shard again", file.display());
            merged.faults.push((shard, problem));
        }
        merged.work.add(record.work);
        merged.ledger.add(shard, merged.plan.units_of(shard), record.by);
        merged.ledger.counts.extend(record.counts);
    }
    Ok(merged)
}

/// Says what is wrong with the file of a shard's record.
pub(super) fn fault(folder: &RunFolder, shard: usize, problem: &str) -> String {
    format!("{}: {problem}", folder.record_file(shard).display())
}

impl Merged {
    /// Begins without records. Fails if the folders are of different runs.
    pub(crate) fn new(folders: &[RunFolder]) -> anyhow::Result<Self> {
        let plan = &folders[0].plan;
        if let Some(other) = folders.iter().find(|folder| folder.plan != *plan) {
            bail!(
                "{} and {} are of different runs: {}, and {}",
                other.path.display(),
                folders[0].path.display(),
                other.plan.in_words(),
                plan.in_words()
            );
        }
        Ok(Self {
            plan: plan.clone(),
            ledger: Ledger::default(),
            work: Work::default(),
            faults: Vec::new(),
            disputed: BTreeSet::new(),
        })
    }

    /// Reads the record of a shard, and compares them if several folders have one. Returns its file too.
    pub(crate) fn read(
        &mut self,
        shard: usize,
        folders: &[RunFolder],
    ) -> anyhow::Result<Option<(PathBuf, Box<ShardRecord>)>> {
        let mut first: Option<(PathBuf, Box<ShardRecord>)> = None;
        for folder in folders {
            match folder.find(shard)? {
                FoundRecord::Missing => {}
                FoundRecord::Damaged(problem) => {
                    // An index that calls it valid would keep `count --dir` from counting the shard again.
                    folder.forget_index();
                    self.faults.push((shard, fault(folder, shard, &problem)));
                }
                FoundRecord::Valid(record) => match &first {
                    None => first = Some((folder.record_file(shard), record)),
                    Some((known_file, known)) => {
                        if let Some((unit, by_known, by_this)) = known.difference(&record) {
                            let problem = format!(
                                "it and {} disagree: unit {unit} of shard {shard} counts {by_this} by {}, and \
                                 {by_known} by {}",
                                known_file.display(),
                                record.by.machine,
                                known.by.machine,
                            );
                            self.faults.push((shard, fault(folder, shard, &problem)));
                            self.disputed.insert(shard);
                        }
                    }
                },
            }
        }
        Ok(first)
    }

    /// The shards that have no valid record.
    pub(crate) fn missing(&self) -> Vec<usize> {
        let there: BTreeSet<usize> = self.ledger.shards.iter().map(|shard| shard.shard).collect();
        (0..self.plan.shards()).filter(|shard| !there.contains(shard)).collect()
    }

    /// Returns the number of solutions and the sum of all units. The number is checked against published counts and
    /// Burnside's orbits. Fails if shards are missing, or if the count cannot be right.
    pub(crate) fn total(&self) -> anyhow::Result<(u128, Tally)> {
        let missing = self.missing();
        if let Some(first) = missing.first() {
            bail!(
                "this run lacks {} of {}, the first is {first}: count them with 'nqueens count {} --dir RUN', or name \
                 the folder that has them, too",
                missing.len(),
                plural(self.plan.shards(), "shard"),
                self.plan.size()
            );
        }
        let sum = self.sum()?;
        Ok((plausible::solutions(&self.plan.cut, sum)?, Tally::new(sum, self.work)))
    }

    /// Checks the sum of the units counted so far. Fails if it cannot be a part of the count.
    pub(crate) fn check_part(&self) -> anyhow::Result<()> {
        plausible::check(&self.plan.cut, self.plan.size(), self.sum()?, false)
    }

    fn sum(&self) -> nqueens::Result<u128> {
        sum(&self.ledger.counts).ok_or(nqueens::Error::Overflow { bits: 128 })
    }

    /// The count as an outcome of the library.
    pub(crate) fn outcome(&self, threads: usize) -> anyhow::Result<Outcome> {
        let (solutions, total) = self.total()?;
        let code = self.ledger.code_of_most();
        // Graphics cards have no name there.
        let isa = Isa::ALL.iter().find(|isa| isa.name() == code).copied().unwrap_or(Isa::Portable);
        let solver = registry::find(&self.plan.cut.solver)?.name().into();
        let counted = Tally::new(solutions, total.work);
        Ok(Outcome::of(counted, self.plan.size(), (solver, isa), threads, self.plan.cut.units))
    }
}
