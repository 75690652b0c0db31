//! Puts the records of one or more folders together.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::{Error, FoundRecord, Residue, Result, RunFolder, RunPlan, ShardRecord};
use nqueens::count::{Total, Work};
use nqueens::solver::{Isa, registry};
use nqueens::{Outcome, verify};

/// Something in a folder that must not be merged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault {
    /// The file.
    pub(crate) file: PathBuf,
    /// What is wrong with it.
    pub(crate) problem: String,
    /// Whether it could not be read at all: that may be different the next time.
    pub(crate) is_unreadable: bool,
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.file.display(), self.problem)
    }
}

/// The records of a run, from all folders.
#[derive(Debug)]
pub(crate) struct Merged {
    /// The run's plan.
    pub(crate) plan: RunPlan,
    /// The valid records, by shard.
    pub(crate) records: BTreeMap<usize, ShardRecord>,
    /// Records that more than one folder has.
    pub(crate) duplicates: usize,
    /// Records that count otherwise than the valid one of their shard, and are as sound.
    pub(crate) disputed: Vec<ShardRecord>,
    /// What is wrong in the folders.
    pub(crate) faults: Vec<Fault>,
    /// Where each shard's record was found.
    files: BTreeMap<usize, PathBuf>,
}

/// The complete count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Subtotals {
    /// The solutions.
    pub(crate) solutions: u128,
    /// The sum over all units, which is so many times the solutions as the plan's divisor says.
    pub(crate) sum: u128,
    /// The work it took.
    pub(crate) work: Work,
}

/// Reads every record of these folders and holds it against everything that must be true of it.
///
/// # Errors
/// [`Error::Foreign`] where a folder is of another run; [`Error::Cut`] and [`Error::Forged`] where its units are not
/// this program's; [`Error::Read`] where a folder cannot be listed. What is wrong with single files is among the faults.
pub(crate) fn merge(folders: &[RunFolder]) -> Result<Merged> {
    let Some(first) = folders.first() else { return Err(Error::NoPlan { folder: PathBuf::new() }) };
    // A plan that was made shorter would make any sum a count.
    first.plan().units_with(Isa::Portable, first.path())?;
    let mut merged = Merged {
        plan: first.plan().clone(),
        records: BTreeMap::new(),
        duplicates: 0,
        disputed: Vec::new(),
        faults: Vec::new(),
        files: BTreeMap::new(),
    };
    for folder in folders {
        merged.add(folder, first.path())?;
        // What was counted again belongs to what it was held against.
        if let Some(again) = folder.recount()? {
            merged.add(&again, first.path())?;
        }
    }
    Ok(merged)
}

/// An error where a folder is not of the run of the folder that came first.
pub(crate) fn same_run(folder: &RunFolder, first: &Path, plan: &RunPlan) -> Result<()> {
    if folder.plan() == plan {
        return Ok(());
    }
    let (found, wanted) = (folder.plan().in_words(), plan.in_words());
    Err(Error::Foreign { folder: folder.path().to_owned(), found, first: first.to_owned(), wanted })
}

impl Merged {
    /// Adds what a folder has; `first` is the folder that came first.
    fn add(&mut self, folder: &RunFolder, first: &Path) -> Result<()> {
        same_run(folder, first, &self.plan)?;
        let (shards, strays) = folder.listed()?;
        let stray = |file| Fault { file, problem: "it is not named like a record".to_owned(), is_unreadable: false };
        self.faults.extend(strays.into_iter().map(stray));
        for shard in shards {
            let file = folder.record_file(shard);
            match folder.find(shard) {
                Ok(FoundRecord::Valid(record)) => self.add_record(file, *record),
                // It was there when the folder was listed, and was set aside since.
                Ok(FoundRecord::Missing) => {}
                Ok(FoundRecord::Damaged(problem)) => self.faults.push(Fault { file, problem, is_unreadable: false }),
                Err(Error::Read { reason, .. }) => {
                    let problem = format!("cannot read it: {reason}");
                    self.faults.push(Fault { file, problem, is_unreadable: true });
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn add_record(&mut self, file: PathBuf, record: ShardRecord) {
        let shard = record.shard();
        let (Some(known), Some(other)) = (self.records.get(&shard), self.files.get(&shard)) else {
            self.records.insert(shard, record);
            self.files.insert(shard, file);
            return;
        };
        self.duplicates += 1;
        if let Some(difference) = known.difference(&record) {
            let (unit, by_known, by_this) = difference;
            let problem = format!(
                "it and {} disagree: unit {unit} of shard {shard} counts {by_this} by {}, and {by_known} by {}",
                other.display(),
                record.origin().who(),
                known.origin().who(),
            );
            self.faults.push(Fault { file, problem, is_unreadable: false });
            self.disputed.push(record);
        }
    }

    /// The shards that have no valid record.
    pub(crate) fn missing(&self) -> Vec<usize> {
        (0..self.plan.shards()).filter(|shard| !self.records.contains_key(shard)).collect()
    }

    /// Adds up the records of all shards, in two ways, and holds the sum against what is known.
    ///
    /// # Errors
    /// [`nqueens::Error::Indivisible`], [`nqueens::Error::Published`], [`nqueens::Error::Orbits`] where the count cannot be
    /// right; [`nqueens::Error::Residue`] where the residues do not fit; [`nqueens::Error::Overflow`];
    /// [`nqueens::Error::Cancelled`] where shards are missing.
    pub(crate) fn total(&self) -> nqueens::Result<Subtotals> {
        let missing = self.missing().len();
        if missing > 0 {
            let (units, done) = (self.plan.shards(), self.plan.shards() - missing);
            return Err(nqueens::Error::Cancelled { units_done: done, units, per_mille: (1000 * done / units) as u32 });
        }
        let total = self.sum()?;
        let (sum, divisor) = (total.solutions, self.plan.divisor());
        if sum % u128::from(divisor) != 0 {
            return Err(nqueens::Error::Indivisible { sum, divisor });
        }
        let solutions = sum / u128::from(divisor);
        verify::check_total(self.plan.size(), solutions)?;
        Ok(Subtotals { solutions, sum, work: total.work })
    }

    /// The sum of the records there are, made in two ways.
    ///
    /// # Errors
    /// [`nqueens::Error::Residue`] where these do not fit; [`nqueens::Error::Overflow`].
    pub(crate) fn sum(&self) -> nqueens::Result<Total> {
        let mut total = Total::default();
        let mut residue = Residue::default();
        for record in self.records.values() {
            let solutions = record.counts().iter().sum();
            let mut work = Work::default();
            for (name, figure) in record.work() {
                match name {
                    "nodes" => work.nodes = figure,
                    "lane_words" => work.words = figure,
                    _ => {}
                }
            }
            total.merge(Total::new(solutions, work))?;
            residue.merge(record.residue());
        }
        if residue != Residue::of(total.solutions) {
            return Err(nqueens::Error::Residue { sum: total.solutions });
        }
        Ok(total)
    }

    /// The same as the outcome of a count.
    ///
    /// # Errors
    /// Those of [`Merged::total`].
    pub(crate) fn outcome(&self, isa: Isa, threads: usize) -> nqueens::Result<Outcome> {
        let Subtotals { solutions, work, .. } = self.total()?;
        let solver = registry::find(self.plan.solver())?.name().into();
        let counted = Total::new(solutions, work);
        Ok(Outcome::of(counted, self.plan.size(), (solver, isa), threads, self.plan.units()))
    }
}
