//! Reads the records of one or more folders and adds them up.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::bail;

use super::record::check_tallies;
use super::{FoundRecord, RunFolder, RunPlan, ShardRecord, plausible};
use crate::terminal::units::plural;
use nqueens::count::Tally;
use nqueens::solver::{Isa, registry};
use nqueens::{Outcome, verify};

/// The records of a run, from all folders.
#[derive(Debug)]
pub(crate) struct Merged {
    /// The run's plan.
    pub(crate) plan: RunPlan,
    /// The valid records, by shard.
    pub(crate) records: BTreeMap<usize, ShardRecord>,
    /// The files that must not be merged: the shard, and a text that names the file and says what is wrong with it.
    pub(crate) faults: Vec<(usize, String)>,
    /// The shards that two folders have with different counts. They are among the faults.
    pub(crate) disputed: BTreeSet<usize>,
}

/// Reads all records of these folders of one run, at least one folder, and checks that its units are this program's.
pub(crate) fn merge(folders: &[RunFolder]) -> anyhow::Result<Merged> {
    let mut merged = Merged::new(folders)?;
    for shard in 0..merged.plan.shards() {
        merged.read(shard, folders)?;
    }
    // If somebody removed shards from the plan, a partial sum would pass for the count.
    let plan = merged.plan.cut.plan(Isa::Portable, &folders[0].path)?;
    for record in merged.records.values() {
        if let Err(problem) = check_tallies(&*plan, (record.first_unit..).zip(record.counts.iter().copied())) {
            let file = folders.iter().map(|folder| folder.record_file(record.shard)).find(|file| file.exists());
            let file = file.unwrap_or_default();
            let problem = format!("{}: {problem}; remove it, and count the shard again", file.display());
            merged.faults.push((record.shard, problem));
        }
    }
    Ok(merged)
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
        Ok(Self { plan: plan.clone(), records: BTreeMap::new(), faults: Vec::new(), disputed: BTreeSet::new() })
    }

    /// Reads the records of a shard, and compares them if several folders have one.
    pub(crate) fn read(&mut self, shard: usize, folders: &[RunFolder]) -> anyhow::Result<()> {
        let mut first = None;
        for folder in folders {
            let file = folder.record_file(shard);
            match folder.find(shard)? {
                FoundRecord::Missing => {}
                FoundRecord::Damaged(problem) => {
                    // An index that calls it valid would keep `count --dir` from counting the shard again.
                    folder.forget_index();
                    self.faults.push((shard, format!("{}: {problem}", file.display())));
                }
                FoundRecord::Valid(record) => match &first {
                    None => first = Some((file, record)),
                    Some((known_file, known)) => {
                        if let Some((unit, by_known, by_this)) = known.difference(&record) {
                            let problem = format!(
                                "{}: it and {} disagree: unit {unit} of shard {shard} counts {by_this} by {}, and \
                                 {by_known} by {}",
                                file.display(),
                                known_file.display(),
                                record.origin.machine,
                                known.origin.machine,
                            );
                            self.faults.push((shard, problem));
                            self.disputed.insert(shard);
                        }
                    }
                },
            }
        }
        self.records.extend(first.map(|(_, record)| (shard, *record)));
        Ok(())
    }

    /// The shards that have no valid record.
    pub(crate) fn missing(&self) -> Vec<usize> {
        (0..self.plan.shards()).filter(|shard| !self.records.contains_key(shard)).collect()
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
        let total = self.sum()?;
        let (sum, divisor) = (total.solutions, self.plan.cut.divisor);
        if sum % u128::from(divisor) != 0 {
            return Err(nqueens::Error::Indivisible { sum, divisor }.into());
        }
        let solutions = sum / u128::from(divisor);
        verify::check_total(self.plan.size(), solutions)?;
        plausible::check(&self.plan.cut, self.plan.size(), sum, true)?;
        Ok((solutions, total))
    }

    /// The sum of the units counted so far. Fails if it cannot be a part of the count.
    pub(crate) fn sum_so_far(&self) -> anyhow::Result<Tally> {
        let sum = self.sum()?;
        plausible::check(&self.plan.cut, self.plan.size(), sum.solutions, false)?;
        Ok(sum)
    }

    /// Adds up the records.
    fn sum(&self) -> nqueens::Result<Tally> {
        let mut total = Tally::default();
        for record in self.records.values() {
            total.add(Tally::new(record.counts.iter().sum(), record.work))?;
        }
        Ok(total)
    }

    /// Seconds of cores that all records took.
    pub(crate) fn core_seconds(&self) -> f64 {
        self.records.values().map(|record| record.core_seconds).sum()
    }

    /// The count as an outcome of the library, with the instruction set that counted the most shards.
    pub(crate) fn outcome(&self, threads: usize) -> anyhow::Result<Outcome> {
        let (solutions, total) = self.total()?;
        let shards_of = |isa: &&Isa| self.records.values().filter(|record| record.origin.isa == isa.name()).count();
        let isa = Isa::ALL.iter().max_by_key(shards_of).copied().unwrap_or(Isa::Portable);
        let solver = registry::find(&self.plan.cut.solver)?.name().into();
        let counted = Tally::new(solutions, total.work);
        Ok(Outcome::of(counted, self.plan.size(), (solver, isa), threads, self.plan.cut.units))
    }
}
