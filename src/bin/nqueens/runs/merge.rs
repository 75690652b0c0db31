//! Reads the records of one or more folders and adds them up.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::{Error, FoundRecord, Residue, Result, RunFolder, RunPlan, ShardRecord};
use nqueens::count::Total;
use nqueens::solver::{Isa, registry};
use nqueens::{Outcome, verify};

/// A file that must not be merged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault {
    /// The file.
    pub(crate) file: PathBuf,
    /// The shard whose record it should be, if its name says so.
    pub(crate) shard: Option<usize>,
    /// What is wrong with it.
    pub(crate) problem: String,
    /// Whether the system could not read the file. The next attempt may succeed.
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
    /// Number of shards with a record in more than one folder.
    pub(crate) duplicates: usize,
    /// What is wrong in the folders.
    pub(crate) faults: Vec<Fault>,
    /// The file of each record.
    files: BTreeMap<usize, PathBuf>,
}

/// Reads all records of these folders of one run, and checks that its units are this program's.
///
/// # Errors
/// Those of [`read`]; [`Error::Cut`] and [`Error::Forged`] if the units are not this program's.
pub(crate) fn merge(folders: &[RunFolder]) -> Result<Merged> {
    let merged = read(folders)?;
    // If somebody removed shards from the plan, a partial sum would pass for the count.
    merged.plan.cut.plan(Isa::Portable, folders[0].path())?;
    Ok(merged)
}

/// Reads all records of these folders of one run.
///
/// # Errors
/// [`Error::NoPlan`] if there is no folder; [`Error::Foreign`] if a folder is of another run; [`Error::Read`] if a
/// folder cannot be listed. Problems of single files are among the faults.
pub(crate) fn read(folders: &[RunFolder]) -> Result<Merged> {
    let Some(first) = folders.first() else { return Err(Error::NoPlan { folder: PathBuf::new() }) };
    let mut merged = Merged {
        plan: first.plan().clone(),
        records: BTreeMap::new(),
        duplicates: 0,
        faults: Vec::new(),
        files: BTreeMap::new(),
    };
    for folder in folders {
        merged.add(folder, first.path())?;
    }
    Ok(merged)
}

impl Merged {
    /// Adds the records of a folder. Errors name `first`, the first folder.
    fn add(&mut self, folder: &RunFolder, first: &Path) -> Result<()> {
        if folder.plan() != &self.plan {
            let (found, wanted) = (folder.plan().in_words(), self.plan.in_words());
            return Err(Error::Foreign { folder: folder.path().to_owned(), found, first: first.to_owned(), wanted });
        }
        let (shards, strays) = folder.listed()?;
        for file in strays {
            self.fault(file, None, "it is not named like a record".to_owned(), false);
        }
        for shard in shards {
            let file = folder.record_file(shard);
            match folder.find(shard) {
                Ok(FoundRecord::Valid(record)) => self.add_record(file, *record),
                // Another process renamed it after the folder was listed.
                Ok(FoundRecord::Missing) => {}
                Ok(FoundRecord::Damaged(problem)) => self.fault(file, Some(shard), problem, false),
                Err(Error::Read { reason, .. }) => {
                    self.fault(file, Some(shard), format!("cannot read it: {reason}"), true);
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn fault(&mut self, file: PathBuf, shard: Option<usize>, problem: String, is_unreadable: bool) {
        self.faults.push(Fault { file, shard, problem, is_unreadable });
    }

    fn add_record(&mut self, file: PathBuf, record: ShardRecord) {
        let shard = record.shard;
        let (Some(known), Some(other)) = (self.records.get(&shard), self.files.get(&shard)) else {
            self.records.insert(shard, record);
            self.files.insert(shard, file);
            return;
        };
        self.duplicates += 1;
        if let Some((unit, by_known, by_this)) = known.difference(&record) {
            let problem = format!(
                "it and {} disagree: unit {unit} of shard {shard} counts {by_this} by {}, and {by_known} by {}; remove \
                 both, and count the shard again on another machine",
                other.display(),
                record.origin.who(),
                known.origin.who(),
            );
            self.fault(file, Some(shard), problem, false);
        }
    }

    /// The shards that have no valid record.
    pub(crate) fn missing(&self) -> Vec<usize> {
        (0..self.plan.shards()).filter(|shard| !self.records.contains_key(shard)).collect()
    }

    /// Returns the number of solutions and the sum of all units. The number is checked against published counts and
    /// Burnside's orbits.
    ///
    /// # Errors
    /// [`nqueens::Error::Indivisible`], [`nqueens::Error::Published`], [`nqueens::Error::Orbits`] if the count cannot
    /// be right; [`nqueens::Error::Cancelled`] if shards are missing; those of [`Merged::sum`].
    pub(crate) fn total(&self) -> nqueens::Result<(u128, Total)> {
        let missing = self.missing().len();
        if missing > 0 {
            let (units, done) = (self.plan.shards(), self.plan.shards() - missing);
            return Err(nqueens::Error::Cancelled { units_done: done, units, per_mille: (1000 * done / units) as u32 });
        }
        let total = self.sum()?;
        let (sum, divisor) = (total.solutions, self.plan.cut.divisor);
        if sum % u128::from(divisor) != 0 {
            return Err(nqueens::Error::Indivisible { sum, divisor });
        }
        let solutions = sum / u128::from(divisor);
        verify::check_total(self.plan.size(), solutions)?;
        Ok((solutions, total))
    }

    /// Adds up the records, once with all digits and once modulo 2^61 - 1.
    ///
    /// # Errors
    /// [`nqueens::Error::Residue`] if the two differ; [`nqueens::Error::Overflow`].
    fn sum(&self) -> nqueens::Result<Total> {
        let mut total = Total::default();
        let mut residue = Residue::default();
        for record in self.records.values() {
            total.merge(Total::new(record.counts.iter().sum(), record.work()))?;
            residue.merge(record.residue());
        }
        if residue != Residue::of(total.solutions) {
            return Err(nqueens::Error::Residue { sum: total.solutions });
        }
        Ok(total)
    }

    /// The count as an outcome of the library.
    ///
    /// # Errors
    /// Those of [`Merged::total`].
    pub(crate) fn outcome(&self, isa: Isa, threads: usize) -> nqueens::Result<Outcome> {
        let (solutions, total) = self.total()?;
        let solver = registry::find(&self.plan.cut.solver)?.name().into();
        let counted = Total::new(solutions, total.work);
        Ok(Outcome::of(counted, self.plan.size(), (solver, isa), threads, self.plan.cut.units))
    }
}
