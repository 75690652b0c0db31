//! The folder of a run: its plan, its records, its claims.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use super::files::{names, read, write_once};
use super::{Claim, Claimant, RunPlan, ShardRecord, seal};
use crate::exit::Exit;

/// The folder of a run.
#[derive(Debug, Clone)]
pub(crate) struct RunFolder {
    pub(crate) path: PathBuf,
    pub(crate) plan: RunPlan,
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

impl RunFolder {
    /// Makes a folder with this plan, or opens one that has the same plan. The second value says whether it is new.
    pub(crate) fn create(path: &Path, plan: RunPlan) -> anyhow::Result<(Self, bool)> {
        let folder = Self { path: path.to_owned(), plan };
        folder.make_folders()?;
        let file = folder.plan_file();
        // Looks before it makes anything, because the folder of an existing plan may be read-only.
        if !file.exists() && write_once(&file, &seal::seal(&folder.plan)).with_context(|| cannot_write(&file))? {
            return Ok((folder, true));
        }
        let there = Self::open(path)?;
        if there.plan != folder.plan {
            let (found, wanted) = (there.plan.in_words(), folder.plan.in_words());
            bail!("{} already has a plan for {found}: choose another folder for {wanted}", path.display());
        }
        Ok((there, false))
    }

    /// Opens the folder of a run.
    pub(crate) fn open(path: &Path) -> anyhow::Result<Self> {
        let file = path.join("plan.json");
        let plan = match read(&file) {
            Err(error) if error.kind() == ErrorKind::NotFound => bail!(
                "there is no run in {0}: it has no plan.json; make one with 'nqueens run plan N --dir {0}'",
                path.display()
            ),
            Err(error) if error.kind() == ErrorKind::InvalidData => Err(error.to_string()),
            bytes => seal::open::<RunPlan>(&bytes.with_context(|| cannot_read(&file))?),
        };
        match plan.and_then(|plan| plan.check().map(|()| plan)) {
            Ok(plan) => Ok(Self { path: path.to_owned(), plan }),
            Err(problem) => bail!(
                "the plan {} is damaged: {problem}; copy it from another folder of this run, or make it again in a new \
                 folder with the same 'nqueens run plan' command",
                file.display()
            ),
        }
    }

    /// Makes the folders `records` and `claims`. A copy of a run lacks them if they were empty and the copy left them
    /// out.
    pub(crate) fn make_folders(&self) -> anyhow::Result<()> {
        for folder in [self.records(), self.claims()] {
            // The error names what the user typed.
            fs::create_dir_all(&folder).with_context(|| cannot_write(&self.path))?;
        }
        Ok(())
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
        self.records().join(record_name(shard))
    }

    fn claims(&self) -> PathBuf {
        self.path.join("claims")
    }

    /// The file of a shard's claim.
    fn claim_file(&self, shard: usize) -> PathBuf {
        self.claims().join(format!("{shard:06}"))
    }

    /// Reads a shard's record. Fails if the system cannot read the file, as it may on the next attempt.
    pub(crate) fn find(&self, shard: usize) -> anyhow::Result<FoundRecord> {
        let file = self.record_file(shard);
        let record = match read(&file) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(FoundRecord::Missing),
            Err(error) if error.kind() == ErrorKind::InvalidData => Err(error.to_string()),
            bytes => ShardRecord::parse(&bytes.with_context(|| cannot_read(&file))?, &self.plan, shard),
        };
        Ok(record.map_or_else(FoundRecord::Damaged, |record| FoundRecord::Valid(Box::new(record))))
    }

    /// Saves a record in one step. A damaged record of the shard is renamed first. Returns `false` if another process
    /// has saved the same counts, and fails if it has saved others.
    pub(crate) fn keep(&self, record: &ShardRecord) -> anyhow::Result<bool> {
        let shard = record.shard;
        let file = self.record_file(shard);
        // Between two steps, another process may write the record or rename a damaged one.
        loop {
            if write_once(&file, &seal::seal(record)).with_context(|| cannot_write(&file))? {
                return Ok(true);
            }
            match self.find(shard)? {
                FoundRecord::Missing => {}
                FoundRecord::Damaged(_) => self.set_aside(&file)?,
                FoundRecord::Valid(there) => {
                    let Some((unit, there, now)) = there.difference(record) else { return Ok(false) };
                    return Err(Exit::Wrong.error(format!(
                        "shard {shard} was counted twice with different results ({}, and now): unit {unit} counts \
                         {there} and {now}; one of the machines counts wrong: run 'nqueens verify' on both",
                        file.display()
                    )));
                }
            }
        }
    }

    /// Gives a damaged record another name.
    fn set_aside(&self, record: &Path) -> anyhow::Result<()> {
        let aside = (1..).map(|number| record.with_extension(format!("damaged-{number}")));
        let aside = aside.into_iter().find(|aside| !aside.exists()).expect("numbers do not end");
        match fs::rename(record, &aside) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(error).with_context(|| cannot_write(&aside)),
            _ => Ok(()),
        }
    }

    /// Claims a shard for this process; `None` if another process has it.
    pub(crate) fn claim(&self, shard: usize, claimant: &Claimant) -> Option<Claim> {
        Claim::attempt(&self.claim_file(shard), claimant)
    }

    /// The processes that hold a claim now, by shard.
    pub(crate) fn held(&self) -> anyhow::Result<BTreeMap<usize, Claimant>> {
        let names = names(&self.claims()).with_context(|| cannot_read(&self.claims()))?;
        let shards = names.into_iter().filter_map(|name| name.parse().ok());
        Ok(shards.filter_map(|shard| Some((shard, Claim::held(&self.claim_file(shard))?))).collect())
    }

    /// The shards that have a file in the folder of records, in order.
    pub(crate) fn listed(&self) -> anyhow::Result<Vec<usize>> {
        let names = names(&self.records()).with_context(|| cannot_read(&self.records()))?;
        let names: HashSet<String> = names.into_iter().collect();
        Ok((0..self.plan.shards()).filter(|&shard| names.contains(&record_name(shard))).collect())
    }
}

fn record_name(shard: usize) -> String {
    format!("{shard:06}.json")
}

/// Begins the error of a file that the system cannot read.
pub(crate) fn cannot_read(file: &Path) -> String {
    format!("cannot read {}", file.display())
}

fn cannot_write(file: &Path) -> String {
    format!("cannot write {}", file.display())
}
