//! The folder of a run: its plan, its logs, its claims.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, anyhow, bail};

use super::retry::wait;
use super::{Claim, Claimant, RunPlan, RunningClaim, checksum};
use crate::terminal::escape::shortened;
use crate::terminal::files::{MAX_BYTES, read_whole};
use crate::terminal::units::plural;
use nqueens::board::Size;
use nqueens::solver::Solver;

/// The name of the plan.
const PLAN: &str = "plan.json";

/// The longest description of what is wrong with a file, in characters. Texts in a file may be as large as the file.
pub(super) const LONGEST: usize = 500;

/// How long another process may take to write a plan.
const WRITING: Duration = Duration::from_secs(10);

/// The folder of a run.
#[derive(Debug)]
pub(crate) struct RunFolder {
    pub(crate) path: PathBuf,
    pub(crate) plan: RunPlan,
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
        let (folder, is_new) = match Self::find(path, WRITING)? {
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
        fs::create_dir_all(path).with_context(|| cannot_write(path))?;
        let names = fs::read_dir(path).and_then(|entries| entries.map(|entry| Ok(entry?.file_name())).collect());
        let names: Vec<_> = names.with_context(|| cannot_read(path))?;
        let is_new = names.is_empty() && write_plan(path, plan).with_context(|| cannot_write(&path.join(PLAN)))?;
        match (Self::find(path, WRITING)?, names.iter().min()) {
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
        Self::find(path, Duration::ZERO)?.ok_or_else(|| no_run(path))
    }

    /// Opens the folder of a run; `None` if it has no plan. Waits this time for a process that is writing the plan.
    fn find(path: &Path, patience: Duration) -> anyhow::Result<Option<Self>> {
        const PAUSE: Duration = Duration::from_millis(50);
        let file = path.join(PLAN);
        // To open a pipe would wait for its other end.
        let read = || match fs::metadata(&file)?.is_file() {
            true => read_whole(File::open(&file)?, MAX_BYTES),
            false => Err(io::Error::new(ErrorKind::InvalidData, "it is not a regular file")),
        };
        if path.is_file() {
            return Err(is_a_file(path));
        }
        let mut waited = Duration::ZERO;
        loop {
            let plan = match read() {
                Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
                Err(error) if error.kind() == ErrorKind::InvalidData => Err(error.to_string()),
                bytes => {
                    let bytes = bytes.with_context(|| cannot_read(&file))?;
                    if !bytes.ends_with(b"\n") && waited < patience {
                        wait(PAUSE, || false);
                        waited += PAUSE;
                        continue;
                    }
                    checksum::read(&bytes, RunPlan::from_json)
                }
            };
            return match plan.and_then(|plan| plan.check().map(|()| plan)) {
                Ok(plan) => Ok(Some(Self { path: path.to_owned(), plan })),
                Err(problem) => bail!(
                    "the plan {} is damaged: {}; copy it from another folder of this run, or start the same count in a \
                     new folder",
                    file.display(),
                    shortened(&problem, LONGEST)
                ),
            };
        }
    }

    /// Makes the folders `logs` and `claims`. A copy of a run lacks them if they were empty and the copy left them
    /// out.
    pub(crate) fn make_folders(&self) -> anyhow::Result<()> {
        for folder in [self.logs(), self.claims()] {
            match fs::create_dir(&folder) {
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
        self.path.join("logs")
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

/// Writes the plan, and waits until it is on the disk. Returns `false`, and writes nothing, if there is a plan.
fn write_plan(folder: &Path, plan: &RunPlan) -> io::Result<bool> {
    let path = folder.join(PLAN);
    let mut file = match File::create_new(&path) {
        // For a name that exists, sshfs says that the right is missing.
        Err(_) if path.exists() => return Ok(false),
        file => file?,
    };
    if let Err(error) = file.write_all(checksum::line(plan).as_bytes()).and_then(|()| file.sync_all()) {
        drop(file);
        // The next attempt writes a whole plan.
        let _ = fs::remove_file(&path);
        return Err(error);
    }
    sync_folder(folder);
    Ok(true)
}

/// Waits until the names in a folder are on the disk, where the system and the file system can tell.
pub(super) fn sync_folder(folder: &Path) {
    let _ = File::open(folder).and_then(|folder| folder.sync_all());
}

/// Begins the error of a file that the system cannot read.
pub(crate) fn cannot_read(file: &Path) -> String {
    format!("cannot read {}", file.display())
}

pub(crate) fn cannot_write(file: &Path) -> String {
    format!("cannot write {}", file.display())
}
