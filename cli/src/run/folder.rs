//! The folder of a run: its plan, its logs, its claims.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, bail};

use super::retry::wait;
use super::{Claim, Claimant, RunPlan, RunningClaim, checksum};
use crate::terminal::atomic_file::{MAX_BYTES, read_whole};
use crate::terminal::escape::shortened;
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

/// What a folder has in the place of a plan.
enum Found {
    Nothing,
    /// A part of a plan: another process writes it, or was killed before it was finished.
    Part(String),
    Plan(RunFolder),
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
            Found::Nothing if is_there => bail!(
                "there is no run in {} to join: it has no {PLAN}; is its file system mounted? Without --join, a new run \
                 is planned there",
                path.display()
            ),
            Found::Nothing => {
                let solver = solver.unwrap_or_else(|| RunPlan::default_solver(size));
                Self::create(path, &RunPlan::new(size, solver, shards)?)?
            }
            Found::Part(_) => (Self::open_when_written(path)?, false),
            Found::Plan(there) => (there, false),
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
        if let Some(other) = names.iter().min()
            && let Found::Nothing = Self::find_plan(path)?
        {
            bail!(
                "{place} is not the folder of a run: it has no {PLAN}, but holds '{}'; give the name of a new or an \
                 empty folder, such as '{place}/run'",
                other.display(),
                place = path.display()
            );
        }
        let is_new = names.is_empty() && write_plan(path, plan).with_context(|| cannot_write(&path.join(PLAN)))?;
        Ok((Self::open_when_written(path)?, is_new))
    }

    /// Opens a folder in which another process may be writing the plan.
    fn open_when_written(path: &Path) -> anyhow::Result<Self> {
        const PAUSE: Duration = Duration::from_millis(50);
        let mut waited = Duration::ZERO;
        while let Found::Part(_) = Self::find_plan(path)?
            && waited < WRITING
        {
            wait(PAUSE, || false);
            waited += PAUSE;
        }
        Self::open(path)
    }

    /// Opens the folder of a run.
    pub(crate) fn open(path: &Path) -> anyhow::Result<Self> {
        match Self::find_plan(path)? {
            Found::Plan(there) => Ok(there),
            Found::Part(problem) => Err(damaged(&path.join(PLAN), &problem)),
            Found::Nothing => bail!(
                "there is no run in {}: it has no {PLAN}; 'nqueens count N --dir FOLDER' plans one in a new folder, and a \
                 lost {PLAN} can be copied from another folder of the run",
                path.display()
            ),
        }
    }

    /// Reads the plan in a folder.
    fn find_plan(path: &Path) -> anyhow::Result<Found> {
        let file = path.join(PLAN);
        // To open a pipe would wait for its other end.
        let read = || match fs::metadata(&file)?.is_file() {
            true => read_whole(File::open(&file)?, MAX_BYTES),
            false => Err(io::Error::new(ErrorKind::InvalidData, "it is not a regular file")),
        };
        let plan = match read() {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Found::Nothing),
            Err(error) if error.kind() == ErrorKind::InvalidData => Err(error.to_string()),
            bytes => {
                let bytes = bytes.with_context(|| cannot_read(&file))?;
                let plan = checksum::read(&bytes, RunPlan::from_json);
                match plan {
                    Err(problem) if !bytes.ends_with(b"\n") => return Ok(Found::Part(problem)),
                    plan => plan,
                }
            }
        };
        match plan.and_then(|plan| plan.check().map(|()| plan)) {
            Ok(plan) => Ok(Found::Plan(Self { path: path.to_owned(), plan })),
            Err(problem) => Err(damaged(&file, &problem)),
        }
    }

    /// Makes the folders `records` and `claims`. A copy of a run lacks them if they were empty and the copy left them
    /// out.
    pub(crate) fn make_folders(&self) -> anyhow::Result<()> {
        for folder in [self.records(), self.claims()] {
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
    pub(crate) fn records(&self) -> PathBuf {
        self.path.join("records")
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

/// The error of a plan that cannot be used.
fn damaged(file: &Path, problem: &str) -> anyhow::Error {
    anyhow::anyhow!(
        "the plan {} is damaged: {}; copy it from another folder of this run, or start the same count in a new folder",
        file.display(),
        shortened(problem, LONGEST)
    )
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
