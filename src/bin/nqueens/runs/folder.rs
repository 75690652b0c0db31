//! The folder of a run: its plan, its records, its claims.

use std::collections::BTreeMap;
use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::claim::Lock;
use super::error::{cannot_read, cannot_write};
use super::files::{names, read, write_once};
use super::{Claim, Claimant, Error, Result, RunPlan, ShardRecord, seal};

/// Part of the name that a damaged record gets when a new one takes its place.
const DAMAGED: &str = ".damaged-";

/// The folder of a run.
#[derive(Debug, Clone)]
pub(crate) struct RunFolder {
    path: PathBuf,
    plan: RunPlan,
    pub(crate) lock: Lock,
}

/// What a shard's record file contains.
#[derive(Debug)]
pub(crate) enum FoundRecord {
    /// Nothing.
    Missing,
    /// The record of this shard of this plan, whole and sound.
    Valid(Box<ShardRecord>),
    /// Anything else. The text is a clause that says what is wrong with it.
    Damaged(String),
}

/// The result of saving a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeptAs {
    /// It was written.
    Written,
    /// Another process had written one with the same counts.
    AlreadyThere,
}

impl RunFolder {
    /// Makes a folder with this plan, or opens one that has the same plan. The second value says whether it is new.
    ///
    /// # Errors
    /// [`Error::OtherPlan`] if the folder has another plan; [`Error::PlanDamaged`], [`Error::Read`], [`Error::Write`].
    pub(crate) fn create(path: &Path, plan: RunPlan) -> Result<(Self, bool)> {
        let folder = Self { path: path.to_owned(), plan, lock: File::try_lock };
        folder.make_folders()?;
        let file = folder.plan_file();
        let text =
            seal::seal(&folder.plan).map_err(|error| Error::Write { file: file.clone(), reason: error.into() })?;
        // Looks before it makes anything, because the folder of an existing plan may be read-only.
        if !file.exists() && write_once(&file, &text)? {
            return Ok((folder, true));
        }
        let there = Self::open(path)?;
        if there.plan == folder.plan {
            return Ok((there, false));
        }
        Err(Error::OtherPlan { folder: path.to_owned(), found: there.plan.in_words(), wanted: folder.plan.in_words() })
    }

    /// Opens the folder of a run.
    ///
    /// # Errors
    /// [`Error::NoPlan`], [`Error::PlanDamaged`], [`Error::Read`].
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let file = path.join("plan.json");
        let bytes = match read(&file) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return Err(Error::NoPlan { folder: path.to_owned() });
            }
            Err(error) if error.kind() == ErrorKind::InvalidData => {
                return Err(Error::PlanDamaged { file, problem: error.to_string() });
            }
            other => other.map_err(cannot_read(&file))?,
        };
        let plan = seal::open::<RunPlan>(&bytes).and_then(|plan| plan.check().map(|()| plan));
        let plan = plan.map_err(|problem| Error::PlanDamaged { file, problem })?;
        Ok(Self { path: path.to_owned(), plan, lock: File::try_lock })
    }

    /// Makes the folders `records` and `claims`. A copy of a run lacks them if they were empty and the copy left them
    /// out.
    ///
    /// # Errors
    /// [`Error::Write`].
    pub(crate) fn make_folders(&self) -> Result<()> {
        for folder in [self.records(), self.claims()] {
            // The error names what the user typed.
            fs::create_dir_all(&folder).map_err(cannot_write(&self.path))?;
        }
        Ok(())
    }

    /// Its path.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Its plan.
    pub(crate) fn plan(&self) -> &RunPlan {
        &self.plan
    }

    /// The file of the plan.
    pub(crate) fn plan_file(&self) -> PathBuf {
        self.path.join("plan.json")
    }

    fn records(&self) -> PathBuf {
        self.path.join("records")
    }

    /// The file of a shard's record.
    pub(crate) fn record_file(&self, shard: usize) -> PathBuf {
        self.records().join(format!("{shard:06}.json"))
    }

    fn claims(&self) -> PathBuf {
        self.path.join("claims")
    }

    /// The file of a shard's claim.
    pub(crate) fn claim_file(&self, shard: usize) -> PathBuf {
        self.claims().join(format!("{shard:06}"))
    }

    /// Reads a shard's record.
    ///
    /// # Errors
    /// [`Error::Read`] if the file cannot be read; [`Error::Shard`].
    pub(crate) fn find(&self, shard: usize) -> Result<FoundRecord> {
        self.plan.shard(shard)?;
        let file = self.record_file(shard);
        match read(&file) {
            Ok(bytes) => Ok(
                match ShardRecord::parse(&bytes).and_then(|record| record.check(&self.plan, shard).map(|()| record)) {
                    Ok(record) => FoundRecord::Valid(Box::new(record)),
                    Err(problem) => FoundRecord::Damaged(problem),
                },
            ),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(FoundRecord::Missing),
            Err(error) if error.kind() == ErrorKind::InvalidData => Ok(FoundRecord::Damaged(error.to_string())),
            Err(error) => Err(cannot_read(&file)(error)),
        }
    }

    /// Saves a record in one step. A damaged record of the shard is renamed first.
    ///
    /// # Errors
    /// [`Error::Disagree`] if there is a record with other counts; [`Error::Write`], [`Error::Read`].
    pub(crate) fn keep(&self, record: &ShardRecord) -> Result<KeptAs> {
        let shard = record.shard;
        let file = self.record_file(shard);
        let text = record.to_text();
        // Between two steps, another process may write the record or rename a damaged one.
        for _ in 0..100 {
            if write_once(&file, &text)? {
                return Ok(KeptAs::Written);
            }
            match self.find(shard)? {
                FoundRecord::Missing => {}
                FoundRecord::Damaged(_) => self.set_aside(shard)?,
                FoundRecord::Valid(there) => match there.difference(record) {
                    None => return Ok(KeptAs::AlreadyThere),
                    Some((unit, there, now)) => {
                        let problem = format!("unit {unit} counts {there} and {now}");
                        return Err(Error::Disagree { shard, file, problem });
                    }
                },
            }
        }
        let reason = io::Error::new(ErrorKind::AlreadyExists, "a file in its place appears and vanishes again");
        Err(cannot_write(&file)(reason))
    }

    /// Gives a damaged record another name.
    fn set_aside(&self, shard: usize) -> Result<()> {
        let aside = |number: usize| self.records().join(format!("{shard:06}{DAMAGED}{number}"));
        let aside = (1..).map(aside).find(|aside| !aside.exists()).expect("numbers do not end");
        match fs::rename(self.record_file(shard), &aside) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(cannot_write(&aside)(error)),
            _ => Ok(()),
        }
    }

    /// Claims a shard for this process; `None` if another process has it.
    ///
    /// # Errors
    /// [`Error::Write`] if the file of the claim cannot be made.
    pub(crate) fn claim(&self, shard: usize, claimant: &Claimant) -> Result<Option<Claim>> {
        let file = self.claim_file(shard);
        Claim::attempt(&file, claimant, self.lock).map_err(cannot_write(&file))
    }

    /// Returns why file locks do not work in this folder. `None` if they work. Without locks, processes may count
    /// shards twice.
    pub(crate) fn why_no_locks(&self) -> Option<String> {
        // If no file can be made, making a claim will report it.
        let file = tempfile::tempfile_in(self.claims()).ok()?;
        match (self.lock)(&file) {
            Err(TryLockError::Error(reason)) => Some(reason.to_string()),
            _ => None,
        }
    }

    /// The processes that hold a claim now, by shard.
    ///
    /// # Errors
    /// [`Error::Read`].
    pub(crate) fn held(&self) -> Result<BTreeMap<usize, Claimant>> {
        let shards = names(&self.claims())?.into_iter().filter_map(|name| name.parse().ok());
        Ok(shards.filter_map(|shard| Some((shard, Claim::held(&self.claim_file(shard), self.lock)?))).collect())
    }

    /// Lists the folder of records. Returns the shards that have a file, in order, and the files that are not records.
    ///
    /// # Errors
    /// [`Error::Read`].
    pub(crate) fn listed(&self) -> Result<(Vec<usize>, Vec<PathBuf>)> {
        let (mut shards, mut strays) = (Vec::new(), Vec::new());
        for name in names(&self.records())? {
            let shard = name.strip_suffix(".json").and_then(|number| number.parse().ok());
            match shard.filter(|&shard| shard < self.plan.shards() && format!("{shard:06}.json") == name) {
                Some(shard) => shards.push(shard),
                None if name.starts_with('.') || name.contains(DAMAGED) => {}
                None => strays.push(self.records().join(name)),
            }
        }
        shards.sort_unstable();
        strays.sort();
        Ok((shards, strays))
    }
}
