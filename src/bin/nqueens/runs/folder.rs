//! The folder of a run: its plan, its records, its claims.

use std::collections::BTreeMap;
use std::fs::{self, TryLockError};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::claim::{Held, Lock, Manner, Sharing};
use super::error::{cannot_read, cannot_write};
use super::files::{UNFINISHED, names, read, write_once};
use super::{Attempt, Claim, Claimant, Error, Result, RunPlan, ShardRecord, claim, files, seal};

/// What a damaged record is called when it makes way for a new one.
const DAMAGED: &str = ".damaged-";

/// Where records are kept of shards that were counted again.
const RECOUNT: &str = "recount";

/// An unfinished file this old is nobody's any more.
const ABANDONED_AFTER: Duration = Duration::from_secs(3600);

/// The folder of a run.
#[derive(Debug, Clone)]
pub(crate) struct RunFolder {
    path: PathBuf,
    plan: RunPlan,
    pub(crate) lock: Lock,
}

/// What is in the place of a record.
#[derive(Debug)]
pub(crate) enum FoundRecord {
    /// Nothing.
    Missing,
    /// A record of this shard of this plan, whole and sound.
    Valid(Box<ShardRecord>),
    /// Something else; a clause that says what is wrong with it.
    Damaged(String),
}

/// What became of a record that was to be kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeptAs {
    /// It was written.
    Written,
    /// Somebody else had written one, with the same counts.
    AlreadyThere,
}

impl RunFolder {
    /// Makes a folder with this plan. Where there is one with the same plan, that is the one; the second value says
    /// whether it is new.
    ///
    /// # Errors
    /// [`Error::OtherPlan`] where the folder has another plan; [`Error::PlanDamaged`], [`Error::Read`],
    /// [`Error::Write`].
    pub(crate) fn create(path: &Path, plan: RunPlan) -> Result<(Self, bool)> {
        fs::create_dir_all(path).map_err(cannot_write(path))?;
        for folder in [path.join("records"), path.join("claims")] {
            files::make_folder(&folder)?;
        }
        let folder = Self { path: path.to_owned(), plan, lock: claim::lock };
        let file = folder.plan_file();
        let text =
            seal::seal(&folder.plan).map_err(|error| Error::Write { file: file.clone(), reason: error.into() })?;
        // Looked for first: what is there may lie where nothing can be written.
        if !file.exists() && write_once(&file, &text)? {
            return Ok((folder, true));
        }
        let there = Self::open(path)?;
        if there.plan == folder.plan {
            return Ok((there, false));
        }
        Err(Error::OtherPlan { folder: path.to_owned(), found: there.plan.in_words(), wanted: folder.plan.in_words() })
    }

    /// The folder of a run that was planned before.
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
        Ok(Self { path: path.to_owned(), plan, lock: claim::lock })
    }

    /// The folder in it with the records of what was counted again, if anything was.
    ///
    /// # Errors
    /// Those of [`RunFolder::open`].
    pub(crate) fn recount(&self) -> Result<Option<Self>> {
        match Self::open(&self.path.join(RECOUNT)) {
            Err(Error::NoPlan { .. }) => Ok(None),
            other => other.map(Some),
        }
    }

    /// The same, made if there is none.
    ///
    /// # Errors
    /// Those of [`RunFolder::create`].
    pub(crate) fn create_recount(&self) -> Result<Self> {
        let path = self.path.join(RECOUNT);
        files::make_folder(&path)?;
        Ok(Self::create(&path, self.plan.clone())?.0)
    }

    /// Where it is.
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

    fn claim_file(&self, shard: usize) -> PathBuf {
        self.claims().join(format!("{shard:06}"))
    }

    /// Where records go whose shard had one already.
    fn again(&self) -> PathBuf {
        self.path.join("again")
    }

    /// What is in the place of a shard's record.
    ///
    /// # Errors
    /// [`Error::Read`] where that cannot be told; [`Error::Shard`].
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

    /// Keeps a record: once, whole, and for good. A damaged one in its place makes way under another name.
    ///
    /// # Errors
    /// [`Error::Disagree`] where there is a record with other counts; [`Error::Write`], [`Error::Read`].
    pub(crate) fn keep(&self, record: &ShardRecord) -> Result<KeptAs> {
        let shard = record.shard();
        let file = self.record_file(shard);
        let text = record.to_text();
        // Between one look and the next somebody else may write it, or set a damaged one aside.
        for _ in 0..100 {
            if write_once(&file, &text)? {
                return Ok(KeptAs::Written);
            }
            match self.find(shard)? {
                FoundRecord::Missing => {}
                FoundRecord::Damaged(_) => {
                    self.set_aside(shard)?;
                }
                FoundRecord::Valid(there) => match there.difference(record) {
                    None => return Ok(KeptAs::AlreadyThere),
                    Some((unit, there, now)) => {
                        let problem = format!("unit {unit} counts {there} and {now}");
                        return Err(Error::Disagree { shard, file, problem });
                    }
                },
            }
        }
        let reason = io::Error::new(ErrorKind::AlreadyExists, "something is in its place and vanishes when looked at");
        Err(cannot_write(&file)(reason))
    }

    /// Notes that a shard was counted once more: keeps this record of it, beside the one that was there.
    ///
    /// # Errors
    /// [`Error::Write`].
    pub(crate) fn keep_again(&self, record: &ShardRecord, number: u64) -> Result<()> {
        write_once(&self.again().join(format!("{:06}-{number:016x}.json", record.shard())), &record.to_text())?;
        Ok(())
    }

    /// How often shards were counted though they had a record, or were about to get one.
    ///
    /// # Errors
    /// [`Error::Read`].
    pub(crate) fn counted_again(&self) -> Result<usize> {
        Ok(names(&self.again())?.iter().filter(|name| name.ends_with(".json") && !name.starts_with('.')).count())
    }

    /// Gives a damaged record another name, so that its shard is missing.
    ///
    /// # Errors
    /// [`Error::Write`].
    pub(crate) fn set_aside(&self, shard: usize) -> Result<PathBuf> {
        let file = self.record_file(shard);
        for number in 1.. {
            let aside = self.records().join(format!("{shard:06}{DAMAGED}{number}"));
            if !aside.exists() {
                return match fs::rename(&file, &aside) {
                    Err(error) if error.kind() != ErrorKind::NotFound => Err(cannot_write(&aside)(error)),
                    _ => Ok(aside),
                };
            }
        }
        unreachable!("numbers do not end")
    }

    /// Claims a shard for this process.
    ///
    /// # Errors
    /// [`Error::Write`] where the file of the claim cannot be made.
    pub(crate) fn claim(&self, shard: usize, claimant: &Claimant, manner: Manner) -> Result<Attempt> {
        self.claim_by(self.claim_file(shard), claimant, manner)
    }

    /// Claims the reading of all records for this process.
    ///
    /// # Errors
    /// As [`RunFolder::claim`].
    pub(crate) fn claim_check(&self, claimant: &Claimant) -> Result<Attempt> {
        self.claim_by(self.claims().join("check"), claimant, Manner::default())
    }

    fn claim_by(&self, file: PathBuf, claimant: &Claimant, manner: Manner) -> Result<Attempt> {
        let attempt = || Claim::attempt(&file, claimant, manner, self.lock);
        match attempt() {
            // A copy of a folder may lack the empty ones.
            Err(error) if error.kind() == ErrorKind::NotFound => {
                files::make_folder(&self.claims())?;
                attempt()
            }
            other => other,
        }
        .map_err(cannot_write(&file))
    }

    /// Why locks do not work in this folder, where they do not: then shards may be counted twice.
    pub(crate) fn why_no_locks(&self) -> Option<String> {
        // Where nothing can be written, that is what will be said.
        let file = tempfile::tempfile_in(self.claims()).ok()?;
        match (self.lock)(&file, Sharing::Alone) {
            Err(TryLockError::Error(reason)) => Some(reason.to_string()),
            _ => None,
        }
    }

    /// Who counts what at this moment, by shard.
    ///
    /// # Errors
    /// [`Error::Read`].
    pub(crate) fn held(&self) -> Result<BTreeMap<usize, Held>> {
        let shards = names(&self.claims())?.into_iter().filter_map(|name| name.parse().ok());
        Ok(shards.filter_map(|shard| Some((shard, Claim::held(&self.claim_file(shard), self.lock)?))).collect())
    }

    /// What lies among the records: the shards that have a file, and the files that are none.
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

    /// Removes what processes left unfinished that were killed more than an hour ago.
    pub(crate) fn sweep(&self) {
        let Ok(entries) = fs::read_dir(self.records()) else { return };
        for entry in entries.flatten() {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            let is_old = || {
                let modified = entry.metadata().and_then(|metadata| metadata.modified()).ok();
                modified
                    .and_then(|at| SystemTime::now().duration_since(at).ok())
                    .is_some_and(|age| age > ABANDONED_AFTER)
            };
            if name.starts_with('.') && name.ends_with(UNFINISHED) && is_old() {
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}
