//! The folder of a run: its plan, its records, its claims.

use std::collections::HashSet;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use anyhow::{Context, bail};

use super::files::{Folder, is_part};
use super::{Claim, Claimant, RunPlan, RunningClaim, ShardRecord, seal};
use crate::exit::Fault;
use crate::terminal::escape::shortened;
use crate::terminal::units::plural;
use nqueens::board::Size;
use nqueens::solver::Solver;

/// The name of the plan.
const PLAN: &str = "plan.json";

/// The longest description of what is wrong with a file, in characters. Texts in a file may be as large as the file.
pub(super) const LONGEST: usize = 500;

/// The folder of a run.
#[derive(Debug)]
pub(crate) struct RunFolder {
    pub(crate) path: PathBuf,
    pub(crate) plan: RunPlan,
    /// Whether the folder `records` was opened. If it is missing later, its file system is away for a while.
    had_records: AtomicBool,
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
    /// Opens the run in this folder. If the folder is new or empty, plans the count there first, unless `is_there` says
    /// that there must be a run. Returns whether it planned. `solver` and `shards` are `None` if any will do. Fails if the
    /// folder has another run, or other files.
    pub(crate) fn join(
        path: &Path,
        size: Size,
        solver: Option<&dyn Solver>,
        shards: Option<usize>,
        is_there: bool,
    ) -> anyhow::Result<(Self, bool)> {
        let (folder, is_new) = match Self::find_plan(path)? {
            Some(there) => (there, false),
            None if is_there => bail!(
                "there is no run in {} to join: it has no {PLAN}; is its file system mounted? Without --join, a new run \
                 is planned there",
                path.display()
            ),
            None => {
                let solver = solver.unwrap_or_else(|| RunPlan::default_solver(size));
                Self::create(path, &RunPlan::new(size, solver, shards)?)?
            }
        };
        let plan = &folder.plan;
        let is_wanted = plan.cut.size == size.get()
            && solver.is_none_or(|solver| solver.name() == plan.cut.solver)
            && shards.is_none_or(|shards| shards == plan.shards());
        if !is_wanted {
            let with = solver.map_or(String::new(), |solver| format!(" with {}", solver.name()));
            let parts = shards.map_or(String::new(), |shards| format!(" in {}", plural(shards, "shard")));
            bail!(
                "{} has a run for {}: choose another folder for n = {size}{with}{parts}",
                path.display(),
                plan.in_words()
            );
        }
        Ok((folder, is_new))
    }

    /// Writes the plan to a new or an empty folder, and opens the folder. If another process writes its plan first, that
    /// plan is opened. Returns whether the plan is this one. Fails if the folder has other files and no plan.
    pub(crate) fn create(path: &Path, plan: &RunPlan) -> anyhow::Result<(Self, bool)> {
        let top = match Folder::of_user(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                fs::create_dir_all(path).and_then(|()| Folder::of_user(path))
            }
            opened => opened,
        };
        let top = top.with_context(|| cannot_write(path))?;
        let names = top.names().with_context(|| cannot_read(path))?;
        // Among the names may be those of a process that plans the run now.
        let Some(other) = names.iter().filter(|name| !is_part(name)).min() else {
            let is_new = top.write_once(PLAN, &seal::seal(plan)).with_context(|| cannot_write(&path.join(PLAN)))?;
            return Ok((Self::open(path)?, is_new));
        };
        match Self::find_plan(path)? {
            Some(there) => Ok((there, false)),
            None => bail!(
                "{place} is not the folder of a run: it has no {PLAN}, but holds '{other}'; give the name of a new or \
                 an empty folder, such as '{place}/run'",
                place = path.display()
            ),
        }
    }

    /// Opens the folder of a run.
    pub(crate) fn open(path: &Path) -> anyhow::Result<Self> {
        match Self::find_plan(path)? {
            Some(there) => Ok(there),
            None => bail!(
                "there is no run in {}: it has no {PLAN}; 'nqueens count N --dir FOLDER' plans one in a new folder, and a \
                 lost {PLAN} can be copied from another folder of the run",
                path.display()
            ),
        }
    }

    /// Opens the folder of a run; `None` if it has no plan.
    fn find_plan(path: &Path) -> anyhow::Result<Option<Self>> {
        let file = path.join(PLAN);
        let plan = match Folder::of_user(path).and_then(|folder| folder.read(PLAN)) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) if error.kind() == ErrorKind::InvalidData => Err(error.to_string()),
            bytes => seal::open(&bytes.with_context(|| cannot_read(&file))?, RunPlan::from_json),
        };
        match plan.and_then(|plan| plan.check().map(|()| plan)) {
            Ok(plan) => Ok(Some(Self { path: path.to_owned(), plan, had_records: AtomicBool::new(false) })),
            Err(problem) => bail!(
                "the plan {} is damaged: {}; copy it from another folder of this run, or start the same count in a new \
                 folder",
                file.display(),
                shortened(&problem, LONGEST)
            ),
        }
    }

    /// Makes the folders `records` and `claims`. A copy of a run lacks them if they were empty and the copy left them
    /// out. Removes the unfinished files of killed processes.
    pub(crate) fn make_folders(&self) -> anyhow::Result<()> {
        // The error names what the user typed.
        let top = Folder::of_user(&self.path).with_context(|| cannot_write(&self.path))?;
        for name in ["records", "claims"] {
            top.make_folder(name).with_context(|| cannot_write(&self.path))?;
            let path = self.path.join(name);
            let folder = Folder::of_run(&path).with_context(|| cannot_write(&path))?;
            // What cannot be removed does no harm.
            let _ = folder.remove_parts();
        }
        let _ = top.remove_parts();
        Ok(())
    }

    /// The file of the plan.
    pub(crate) fn plan_file(&self) -> PathBuf {
        self.path.join(PLAN)
    }

    /// The folder of the records.
    pub(crate) fn records(&self) -> PathBuf {
        self.path.join("records")
    }

    /// The file of a shard's record.
    pub(crate) fn record_file(&self, shard: usize) -> PathBuf {
        self.records().join(record_name(shard))
    }

    fn claims(&self) -> PathBuf {
        self.path.join("claims")
    }

    /// Reads a shard's record. Fails if the system cannot read the file, as it may on the next attempt, and if it is the
    /// record of another run.
    pub(crate) fn find(&self, shard: usize) -> anyhow::Result<FoundRecord> {
        let opened = self.open_records().with_context(|| cannot_read(&self.record_file(shard)))?;
        opened.map_or(Ok(FoundRecord::Missing), |folder| self.find_in(&folder, shard))
    }

    /// Like [`RunFolder::find`], in the open folder of the records.
    pub(super) fn find_in(&self, records: &Folder, shard: usize) -> anyhow::Result<FoundRecord> {
        self.find_at(records, &record_name(shard), shard)
    }

    /// Like [`RunFolder::find_in`], in the file of this name.
    fn find_at(&self, records: &Folder, name: &str, shard: usize) -> anyhow::Result<FoundRecord> {
        let file = self.records().join(name);
        let record = match records.read(name) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(FoundRecord::Missing),
            Err(error) if error.kind() == ErrorKind::InvalidData => Err(error.to_string()),
            bytes => ShardRecord::parse(&bytes.with_context(|| cannot_read(&file))?),
        };
        match record {
            Err(problem) => Ok(FoundRecord::Damaged(shortened(&problem, LONGEST))),
            // It is sound: somebody exchanged the plan, or put the record into the wrong folder.
            Ok(record) if !record.is_of(&self.plan) => bail!(
                "{} is the record of another run than {} plans: it is of {}, and the plan is for {}; put the right \
                 {PLAN} back, or move the record away",
                file.display(),
                self.plan_file().display(),
                shortened(&record.in_words(), LONGEST),
                self.plan.in_words()
            ),
            Ok(record) if record.shard != shard => {
                Ok(FoundRecord::Damaged(format!("it is of shard {}, and not of shard {shard}", record.shard)))
            }
            Ok(mut record) => {
                // The plan knows better than the file, which may be old.
                (record.by.shards, record.by.predicted_seconds) = (1, self.plan.predicted_seconds(shard));
                Ok(FoundRecord::Valid(Box::new(record)))
            }
        }
    }

    /// Writes, names and removes a file as [`RunFolder::keep`] writes and names a record. Fails if a record could not be
    /// saved, so that nothing is counted in vain. `number` differs between all processes.
    pub(crate) fn probe(&self, number: u64) -> anyhow::Result<()> {
        let probed = Folder::of_run(&self.records()).and_then(|folder| {
            // Its name is one of an unfinished file, so a later start removes what a killed process left.
            let name = format!(".probe.json-{number:016x}.part");
            let written = folder.write_once(&name, "nqueens\n");
            let removed = folder.remove(&name);
            written.and(removed)
        });
        probed.with_context(|| cannot_write(&self.records())).context("no record can be saved")
    }

    /// Saves a record in one step. A damaged record of the shard is renamed first. Returns `false` if another process
    /// has saved the same counts, and fails if it has saved others. After an error it can be called again.
    pub(crate) fn keep(&self, record: &ShardRecord) -> anyhow::Result<bool> {
        let shard = record.shard;
        let file = self.record_file(shard);
        // Between two steps, another process may write the record or rename a damaged one.
        loop {
            let written = Folder::of_run(&self.records())
                .and_then(|folder| folder.write_once(&record_name(shard), &seal::seal(record)));
            if written.with_context(|| cannot_write(&file))? {
                return Ok(true);
            }
            match self.find(shard)? {
                FoundRecord::Missing => {}
                FoundRecord::Damaged(_) => self.set_aside(shard).with_context(|| cannot_write(&file))?,
                // An attempt that failed had named the file already.
                FoundRecord::Valid(there) if *there == *record => {
                    let synced = Folder::of_run(&self.records()).and_then(|folder| folder.sync());
                    return synced.map(|()| true).with_context(|| cannot_write(&file));
                }
                FoundRecord::Valid(there) => {
                    let Some((unit, there, now)) = there.difference(record) else { return Ok(false) };
                    return Err(Fault::Wrong.error(format!(
                        "shard {shard} was counted twice with different results ({}, and now): unit {unit} counts \
                         {there} and {now}; one of the machines counts wrong: run 'nqueens verify' on both",
                        file.display()
                    )));
                }
            }
        }
    }

    /// Gives a damaged record another name, which replaces no file.
    fn set_aside(&self, shard: usize) -> io::Result<()> {
        let (folder, name) = (Folder::of_run(&self.records())?, record_name(shard));
        for number in 1.. {
            let aside = format!("{shard:06}.damaged-{number}");
            match folder.rename(&name, &aside) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => continue,
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(error),
                // Where locks do not work, another process may have saved a sound record meanwhile.
                Ok(()) if !matches!(self.find_at(&folder, &aside, shard), Ok(FoundRecord::Damaged(_))) => {
                    match folder.rename(&aside, &name) {
                        Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(error),
                        _ => {}
                    }
                }
                Ok(()) => {}
            }
            break;
        }
        Ok(())
    }

    /// Claims a shard for this process; `None` if another process has it.
    pub(crate) fn claim(&self, shard: usize, claimant: &Claimant) -> Option<Claim> {
        Claim::attempt(Folder::of_run(&self.claims()).ok(), shard, claimant)
    }

    /// The shards that a process is counting now, in order.
    pub(crate) fn held(&self) -> anyhow::Result<Vec<RunningClaim>> {
        let path = self.claims();
        let held = |folder: Folder| {
            let mut shards: Vec<usize> = folder.names()?.iter().filter_map(|name| name.parse().ok()).collect();
            shards.sort_unstable();
            shards.dedup();
            Ok(shards.into_iter().filter_map(|shard| Claim::held(&folder, shard)).collect())
        };
        let opened = open_if_there(&path).and_then(|folder| folder.map_or(Ok(Vec::new()), held));
        opened.with_context(|| cannot_read(&path))
    }

    /// The shards that have a file in the folder of records.
    pub(crate) fn listed(&self) -> anyhow::Result<HashSet<usize>> {
        let listed = |folder: Folder| Ok(folder.names()?.iter().filter_map(|name| shard_of_name(name)).collect());
        let opened = self.open_records().and_then(|folder| folder.map_or(Ok(HashSet::new()), listed));
        opened.with_context(|| cannot_read(&self.records()))
    }

    /// Opens the folder of the records; `None` if it was never there. Fails if it was there before.
    pub(super) fn open_records(&self) -> io::Result<Option<Folder>> {
        match Folder::of_run(&self.records()) {
            Err(error) if error.kind() == ErrorKind::NotFound && !self.had_records.load(Relaxed) => Ok(None),
            opened => {
                self.had_records.fetch_or(opened.is_ok(), Relaxed);
                opened.map(Some)
            }
        }
    }
}

/// Opens a folder of a run; `None` if it is missing, as in a copy that left out empty folders.
fn open_if_there(path: &Path) -> io::Result<Option<Folder>> {
    match Folder::of_run(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        folder => folder.map(Some),
    }
}

fn record_name(shard: usize) -> String {
    format!("{shard:06}.json")
}

/// The shard whose record has this name; `None` if it is no name of a record.
pub(crate) fn shard_of_name(name: &str) -> Option<usize> {
    let shard = name.strip_suffix(".json")?.parse().ok()?;
    (name == record_name(shard)).then_some(shard)
}

/// Begins the error of a file that the system cannot read.
pub(crate) fn cannot_read(file: &Path) -> String {
    format!("cannot read {}", file.display())
}

fn cannot_write(file: &Path) -> String {
    format!("cannot write {}", file.display())
}

#[cfg(test)]
mod tests {
    use super::super::Contribution;
    use super::*;
    use nqueens::registry;

    /// Without locks, another process may set a damaged record aside and save a sound one at the same moment.
    #[test]
    fn only_a_damaged_record_is_set_aside() {
        let here = tempfile::tempdir().unwrap();
        let plan = RunPlan::new(Size::new(8).unwrap(), registry::find("arrays").unwrap(), Some(4)).unwrap();
        let folder = RunFolder::create(here.path(), &plan).unwrap().0;
        folder.make_folders().unwrap();
        assert!(folder.keep(&ShardRecord::begin(&plan, 2, &Contribution::default())).unwrap());
        let names = || Folder::of_run(&folder.records()).unwrap().names().unwrap();
        folder.set_aside(2).unwrap();
        assert_eq!(names(), ["000002.json"]);
        fs::write(folder.record_file(2), "damaged").unwrap();
        folder.set_aside(2).unwrap();
        folder.set_aside(2).unwrap();
        assert_eq!(names(), ["000002.damaged-1"]);
    }
}
