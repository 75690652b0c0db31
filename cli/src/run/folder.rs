//! The folder of a run: its plan, its logs, its claims.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, bail};

use super::{Claim, Claimant, RunPlan, RunningClaim, checksum};
use crate::machine::random;
use crate::terminal::escape::shortened;
use crate::terminal::files::{MAX_BYTES, cannot_write, read_whole};
use crate::terminal::units::plural;
use nqueens::board::Size;
use nqueens::solver::Solver;

/// The name of the plan.
const PLAN: &str = "plan.json";

/// The name of the folder of logs.
const LOGS: &str = "logs";

/// The longest description of what is wrong with a file, in characters. Texts in a file may be as large as the file.
pub(super) const LONGEST: usize = 500;

/// The beginning of the name of a plan that is being written.
const UNNAMED: &str = ".plan-";

/// The folder of a run.
#[derive(Debug)]
pub(crate) struct RunFolder {
    pub(crate) path: PathBuf,
    pub(crate) plan: RunPlan,
}

impl RunFolder {
    /// Fails if the run is not one of this size, solver and number of shards. `None` stands for any.
    pub(crate) fn check_is_of(
        &self,
        size: Size,
        solver: Option<&dyn Solver>,
        shards: Option<usize>,
    ) -> anyhow::Result<()> {
        let plan = &self.plan;
        if plan.cut.size == size.get()
            && solver.is_none_or(|solver| solver.name() == plan.cut.solver)
            && shards.is_none_or(|shards| shards == plan.shards())
        {
            return Ok(());
        }
        let with = solver.map_or(String::new(), |solver| format!(" with {}", solver.name()));
        let parts = shards.map_or(String::new(), |shards| format!(" in {}", plural(shards, "shard")));
        bail!(
            "{} has a run for {}: choose another folder for n = {size}{with}{parts}",
            self.path.display(),
            plan.in_words()
        );
    }

    /// Writes the plan to a new or an empty folder, and opens the folder. If another process writes its plan first, that
    /// plan is opened. Returns whether the plan is this one. Fails if the folder has other files and no plan.
    pub(crate) fn create(path: &Path, plan: &RunPlan) -> anyhow::Result<(Self, bool)> {
        fs::create_dir_all(path).with_context(|| cannot_write(path))?;
        let names = fs::read_dir(path).and_then(|entries| entries.map(|entry| Ok(entry?.file_name())).collect());
        let mut names: Vec<OsString> = names.with_context(|| cannot_read(path))?;
        names.retain(|name| !name.to_string_lossy().starts_with(UNNAMED));
        let is_new = names.is_empty() && write_plan(path, plan).with_context(|| cannot_write(&path.join(PLAN)))?;
        match (Self::find(path)?, names.iter().min()) {
            (None, Some(_)) if path.join(LOGS).is_dir() => Err(no_run(path)),
            (None, Some(other)) => bail!(
                "{place} is not the folder of a run: it has no {PLAN}, but holds '{}'; give the name of a new or an \
                 empty folder, such as '{place}/run'",
                other.display(),
                place = path.display()
            ),
            (folder, _) => Ok((folder.ok_or_else(|| no_run(path))?, is_new)),
        }
    }

    /// Opens the folder of a run.
    pub(crate) fn open(path: &Path) -> anyhow::Result<Self> {
        Self::find(path)?.ok_or_else(|| no_run(path))
    }

    /// Opens the folder of a run; `None` if it has no plan.
    pub(crate) fn find(path: &Path) -> anyhow::Result<Option<Self>> {
        let file = path.join(PLAN);
        // To open a pipe would wait for its other end.
        let read = || match fs::metadata(&file)?.is_file() {
            true => read_whole(File::open(&file)?, MAX_BYTES),
            false => Err(io::Error::new(ErrorKind::InvalidData, "it is not a regular file")),
        };
        if path.is_file() {
            return Err(is_a_file(path));
        }
        let plan = match read() {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) if error.kind() == ErrorKind::InvalidData => Err(error.to_string()),
            bytes => checksum::read(&bytes.with_context(|| cannot_read(&file))?, RunPlan::from_json),
        };
        match plan.and_then(|plan| plan.check().map(|()| plan)) {
            Ok(plan) => Ok(Some(Self { path: path.to_owned(), plan })),
            Err(problem) => bail!(
                "the plan {} is damaged: {}; copy it from another folder of this run, or start the same count in a new \
                 folder",
                file.display(),
                shortened(&problem, LONGEST)
            ),
        }
    }

    /// Fails if the folder has another plan now: somebody moved the run away, and began another one here.
    pub(crate) fn check_plan(&self) -> anyhow::Result<()> {
        let plan = self.plan_file();
        let is_same = fs::read(&plan).with_context(|| cannot_read(&plan))? == checksum::line(&self.plan).as_bytes();
        if !is_same {
            bail!(
                "{} has another run now: this run was moved; start the same command again with its new folder",
                self.path.display()
            );
        }
        Ok(())
    }

    /// Makes the folders `logs` and `claims`. A copy of a run lacks them if they were empty and the copy left them
    /// out.
    pub(crate) fn make_folders(&self) -> anyhow::Result<()> {
        for folder in [self.logs(), self.claims()] {
            match fs::create_dir(&folder) {
                // Files of another folder would be written and removed.
                Err(_) if folder.is_symlink() => bail!(
                    "{} is a link: a run writes and removes files there, so make it a folder of the run",
                    folder.display()
                ),
                Err(_) if folder.is_dir() => {}
                // The error names what the user typed.
                made => made.with_context(|| cannot_write(&folder))?,
            }
        }
        sync_folder(&self.path);
        Ok(())
    }

    /// The file of the plan.
    pub(crate) fn plan_file(&self) -> PathBuf {
        self.path.join(PLAN)
    }

    /// The folder of the logs.
    pub(crate) fn logs(&self) -> PathBuf {
        self.path.join(LOGS)
    }

    fn claims(&self) -> PathBuf {
        self.path.join("claims")
    }

    /// Claims a shard for this process; `None` if another process has it.
    pub(crate) fn claim(&self, shard: usize, claimant: &Claimant) -> Option<Claim> {
        Claim::attempt(&self.claims(), shard, claimant)
    }

    /// The shards that a process is counting now, in order.
    pub(crate) fn held(&self) -> anyhow::Result<Vec<RunningClaim>> {
        let path = self.claims();
        let entries = match fs::read_dir(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries.with_context(|| cannot_read(&path))?,
        };
        let names: Vec<_> = entries.map(|entry| Ok(entry?.file_name())).collect::<io::Result<_>>()?;
        let mut shards: Vec<usize> = names.iter().filter_map(|name| name.to_str()?.parse().ok()).collect();
        shards.sort_unstable();
        shards.dedup();
        Ok(shards.into_iter().filter_map(|shard| Claim::held(&path, shard)).collect())
    }
}

/// The error of a folder without a plan.
fn no_run(path: &Path) -> anyhow::Error {
    if path.join(LOGS).is_dir() {
        return anyhow!(
            "the run in {place} lacks its {PLAN}: copy it from another folder of the run, or plan the same count in a new \
             folder and copy that {PLAN} to {place}",
            place = path.display()
        );
    }
    anyhow!(
        "there is no run in {}: it has no {PLAN}; 'nqueens count N --dir FOLDER' plans one in a new folder, and a lost \
         {PLAN} can be copied from another folder of the run",
        path.display()
    )
}

/// The error of a file in the place of a folder.
fn is_a_file(path: &Path) -> anyhow::Error {
    match run_of(path) {
        Some(folder) => anyhow!("{} is a file of a run: give the folder, {}", path.display(), folder.display()),
        None => anyhow!("{} is a file, and a run is a folder: give the name of a folder", path.display()),
    }
}

/// The folder of the run that a file is in.
pub(super) fn run_of(file: &Path) -> Option<&Path> {
    let folders = file.ancestors().skip(1);
    let mut named = folders.map(|folder| if folder == Path::new("") { Path::new(".") } else { folder });
    named.find(|folder| folder.join(PLAN).is_file())
}

/// Writes the plan, and waits until it is on the disk. Returns `false` if there is a plan by then. The plan gets its name when
/// it is whole. A process that is killed before leaves a file that nobody reads.
fn write_plan(folder: &Path, plan: &RunPlan) -> io::Result<bool> {
    let (path, beside) = (folder.join(PLAN), folder.join(format!("{UNNAMED}{:016x}", random())));
    let text = checksum::line(plan);
    let linked = write_new(&beside, &text).and_then(|()| fs::hard_link(&beside, &path));
    let is_written = fs::remove_file(&beside).is_ok();
    let written = match linked {
        Err(_) if path.exists() => return Ok(false),
        // Some file systems have no links. There another process may see a part of the plan for a moment.
        Err(error) if is_written && error.kind() != ErrorKind::StorageFull => write_new(&path, &text),
        linked => linked,
    };
    match written {
        // For a name that exists, sshfs says that the right is missing.
        Err(_) if path.exists() => return Ok(false),
        written => written?,
    }
    sync_folder(folder);
    Ok(true)
}

/// Writes a file that must be new, and waits until it is on the disk. After an error nothing of it is left; a file of another
/// process stays.
fn write_new(path: &Path, text: &str) -> io::Result<()> {
    let mut file = File::create_new(path)?;
    let written = file.write_all(text.as_bytes()).and_then(|()| file.sync_all());
    if written.is_err() {
        let _ = fs::remove_file(path);
    }
    written
}

/// Waits until the names in a folder are on the disk, where the system and the file system can tell.
pub(super) fn sync_folder(folder: &Path) {
    let _ = File::open(folder).and_then(|folder| folder.sync_all());
}

/// Begins the error of a file that the system cannot read.
pub(crate) fn cannot_read(file: &Path) -> String {
    format!("cannot read {}", file.display())
}

#[cfg(test)]
mod tests {
    use super::*;
    use nqueens::registry;

    fn plan(n: usize) -> RunPlan {
        RunPlan::new(Size::new(n).unwrap(), registry::find("bitmask").unwrap(), Some(3)).unwrap()
    }

    #[test]
    fn a_plan_is_written_whole_and_once() {
        let here = tempfile::tempdir().unwrap();
        // What a killed process left.
        fs::write(here.path().join(".plan-0123"), "{").unwrap();
        let (first, is_new) = RunFolder::create(here.path(), &plan(8)).unwrap();
        assert!(is_new && first.plan.size().get() == 8);
        let (second, is_new) = RunFolder::create(here.path(), &plan(9)).unwrap();
        assert!(!is_new && second.plan.size().get() == 8);
        assert!(!write_plan(here.path(), &plan(9)).unwrap());
        // Where no links work, whoever comes second leaves the plan of the first.
        assert!(write_new(&here.path().join(PLAN), "other").is_err());
        assert_eq!(RunFolder::open(here.path()).unwrap().plan, plan(8));
        assert_eq!(fs::read_dir(here.path()).unwrap().count(), 2);
    }

    #[test]
    fn a_run_that_was_moved_away_is_no_longer_here() {
        let here = tempfile::tempdir().unwrap();
        let place = here.path().join("run");
        let (folder, _) = RunFolder::create(&place, &plan(8)).unwrap();
        folder.check_plan().unwrap();
        fs::rename(&place, here.path().join("moved")).unwrap();
        assert!(folder.check_plan().unwrap_err().downcast_ref::<io::Error>().is_some());
        RunFolder::create(&place, &plan(9)).unwrap();
        assert!(folder.check_plan().unwrap_err().to_string().contains("has another run now"));
    }
}
