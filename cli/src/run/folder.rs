//! The folder of a run, with its plan, logs and claims.

use std::ffi::OsString;
use std::fs::{self, DirEntry, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, bail, ensure};

use super::{Claim, Claimant, RunPlan, checksum};
use crate::machine::random;
use crate::terminal::files::{cannot_read, cannot_write, read_whole};
use nqueens::board::Size;
use nqueens::solver::Solver;

/// The name of the plan.
const PLAN: &str = "plan.json";

/// The names of the folders of logs and claims.
const LOGS: &str = "logs";
const CLAIMS: &str = "claims";

/// The prefix of the name of a plan that is being written.
const UNFINISHED_PREFIX: &str = ".plan-";

/// The folder of a run.
#[derive(Debug)]
pub(crate) struct RunFolder {
    pub(crate) path: PathBuf,
    pub(crate) run_plan: RunPlan,
}

/// The error of a plan that lacks its end. Without hard links (see [`write_plan`]), another process may still be
/// writing it, so `retry_at_start` reads it again for a moment.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct IncompletePlan(pub(super) String);

/// What to do if a plan is lost or damaged. The same version cuts the same units into the same shards.
const COPY_IT: &str = "copy it from another folder of the run, or from a new run of the same count, planned by the same \
                       version of the program with the same --solver and --shards";

impl RunFolder {
    /// Checks that the run has this size, solver and number of shards. `None` accepts any.
    pub(crate) fn check_is_of(
        &self,
        size: Size,
        solver: Option<&dyn Solver>,
        shards: Option<usize>,
    ) -> anyhow::Result<()> {
        let run_plan = &self.run_plan;
        ensure!(
            run_plan.size == size
                && solver.is_none_or(|solver| solver.name() == run_plan.solver)
                && shards.is_none_or(|shards| shards == run_plan.shards()),
            "{} contains a run for {}: for another size, solver or number of shards, choose another folder",
            self.path.display(),
            run_plan.in_words()
        );
        Ok(())
    }

    /// Writes the plan to a new or empty folder. Returns `None` if another process has written its plan first. Fails if
    /// the folder contains other files and no plan.
    pub(crate) fn create(path: &Path, run_plan: RunPlan) -> anyhow::Result<Option<Self>> {
        if let Some(run) = enclosing_run(path)? {
            bail!("{} is inside the run {}: choose a folder outside of it", path.display(), run.display());
        }
        refuse_broken_link(path)?;
        fs::create_dir_all(path).with_context(|| cannot_write(path))?;
        let mut names = names_in(path)?;
        names.retain(|name| !name.to_string_lossy().starts_with(UNFINISHED_PREFIX));
        if let Some(other) = names.first().filter(|_| names.iter().all(|name| name != PLAN)) {
            let other = other.display();
            if names.iter().all(|name| name == LOGS || name == CLAIMS) {
                bail!(
                    "{} contains '{other}' but no {PLAN}: {COPY_IT}; for another run, give the name of a new folder",
                    path.display()
                );
            }
            bail!(
                "{place} is not the folder of a run: it has no {PLAN}, but contains '{other}'; give the name of a new or \
                 empty folder, such as '{place}/run', or copy a lost {PLAN} from another folder of the run",
                place = path.display()
            );
        }
        let is_first = write_plan(path, &run_plan).with_context(|| cannot_write(&path.join(PLAN)))?;
        Ok(is_first.then(|| Self { path: path.to_owned(), run_plan }))
    }

    /// Opens the folder of a run.
    pub(crate) fn open(path: &Path) -> anyhow::Result<Self> {
        Self::find(path)?.ok_or_else(|| no_run(path))
    }

    /// Opens the folder of a run, or returns `None` if it has no plan.
    pub(crate) fn find(path: &Path) -> anyhow::Result<Option<Self>> {
        ensure!(!path.is_file(), "{} is a file, and a run is a folder: give the name of a folder", path.display());
        let file = path.join(PLAN);
        let bytes = match read_whole(&file) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            bytes => bytes.with_context(|| cannot_read(&file))?,
        };
        let run_plan = checksum::read(&bytes).and_then(|run_plan: RunPlan| run_plan.check().map(|()| run_plan));
        run_plan.map(|run_plan| Some(Self { path: path.to_owned(), run_plan })).map_err(|problem| {
            let damaged = format!(
                "the plan {} is damaged: {problem}; {COPY_IT}; if nothing was counted yet, start the count in a new \
                 folder",
                file.display()
            );
            if bytes.ends_with(b"\n") { anyhow!(damaged) } else { IncompletePlan(damaged).into() }
        })
    }

    /// Makes the folders `logs` and `claims`. A copy of a run may lack them because tools such as Git omit empty
    /// folders.
    pub(crate) fn make_folders(&self) -> anyhow::Result<()> {
        for folder in [self.logs(), self.claims()] {
            refuse_broken_link(&folder)?;
            match fs::create_dir(&folder) {
                Err(_) if folder.is_dir() => {}
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                    bail!("{} is not a folder, but the run needs a folder of this name: move it away", folder.display())
                }
                made => made.with_context(|| cannot_write(&folder))?,
            }
        }
        sync_folder(&self.path);
        Ok(())
    }

    /// Returns the path of the plan.
    pub(crate) fn plan_file(&self) -> PathBuf {
        self.path.join(PLAN)
    }

    /// Returns the folder of the logs.
    pub(crate) fn logs(&self) -> PathBuf {
        self.path.join(LOGS)
    }

    /// Returns the folder of the claims.
    pub(super) fn claims(&self) -> PathBuf {
        self.path.join(CLAIMS)
    }

    /// Claims a shard for this process.
    pub(crate) fn claim(&self, claimant: &Claimant) -> Claim {
        Claim::attempt(&self.claims(), claimant)
    }

    /// Returns the processes that are counting a shard now.
    pub(crate) fn held(&self) -> anyhow::Result<Vec<Claimant>> {
        let (path, names) = (self.claims(), names_in(&self.claims())?);
        let shards = names.iter().filter_map(|name| name.to_str()?.parse().ok());
        Ok(shards.filter_map(|shard| Claim::held(&path, shard)).collect())
    }
}

/// Fails if a folder is a link without a target, which is not the same as a folder that does not exist.
fn refuse_broken_link(folder: &Path) -> anyhow::Result<()> {
    let is_missing = folder.metadata().is_err_and(|error| error.kind() == ErrorKind::NotFound);
    ensure!(
        !(is_missing && folder.is_symlink()),
        "{} is a link to a folder that does not exist; is its file system mounted?",
        folder.display()
    );
    Ok(())
}

/// Returns the names in a folder, in order. A folder that does not exist, as in some copies of a run, is empty.
fn names_in(folder: &Path) -> anyhow::Result<Vec<OsString>> {
    Ok(entries_in(folder)?.iter().map(DirEntry::file_name).collect())
}

/// Like [`names_in`], but returns entries, most of which know whether they are folders without asking the file system.
pub(super) fn entries_in(folder: &Path) -> anyhow::Result<Vec<DirEntry>> {
    let mut entries: Vec<DirEntry> = match fs::read_dir(folder).and_then(Iterator::collect) {
        Err(error) if error.kind() == ErrorKind::NotFound => return refuse_broken_link(folder).map(|()| Vec::new()),
        entries => entries.with_context(|| cannot_read(folder))?,
    };
    entries.sort_by_cached_key(DirEntry::file_name);
    Ok(entries)
}

/// Returns the error of a folder without a plan.
fn no_run(path: &Path) -> anyhow::Error {
    if let Err(broken) = refuse_broken_link(path) {
        return broken;
    }
    if !path.exists() {
        let path = path.display();
        return anyhow!("there is no folder {path}; 'nqueens count N --dir RUN' plans a run in a new folder");
    }
    anyhow!(
        "there is no run in {}: it has no {PLAN}; 'nqueens count N --dir RUN' plans one in a new folder; if the plan of \
         a run is lost, {COPY_IT}",
        path.display()
    )
}

/// Returns the folder of the run that contains a folder, if there is one. The folder need not exist yet, and a run in
/// the folder itself does not count, because another process may have just written its plan there. Links and `..` are
/// followed, which the path of a folder that does not exist yet may contain as well.
fn enclosing_run(path: &Path) -> anyhow::Result<Option<PathBuf>> {
    let absolute = std::path::absolute(path).with_context(|| cannot_write(path))?;
    let parent = match absolute.canonicalize() {
        Ok(folder) => folder.parent().map(Path::to_owned),
        Err(_) => absolute.ancestors().skip(1).find_map(|ancestor| ancestor.canonicalize().ok()),
    };
    let is_run = |ancestor: &&Path| matches!(RunFolder::find(ancestor), Ok(Some(_)));
    Ok(parent.and_then(|parent| parent.ancestors().find(is_run).map(Path::to_owned)))
}

/// Writes the plan and waits until it is on the disk. Returns `false` if another process was first. Because the plan
/// gets its name only when it is complete, a process that is killed earlier leaves a file that nobody reads.
fn write_plan(folder: &Path, run_plan: &RunPlan) -> io::Result<bool> {
    let (path, beside) = (folder.join(PLAN), folder.join(format!("{UNFINISHED_PREFIX}{:016x}", random())));
    let text = checksum::line(run_plan);
    // On a file system without hard links, another process may see an incomplete plan for a moment.
    let link = |()| fs::hard_link(&beside, &path).or_else(|_| write_new(&path, &text));
    let written = write_new(&beside, &text).and_then(link);
    let _ = fs::remove_file(&beside);
    match written {
        // Another process was first. The kind of the error varies: sshfs reports "permission denied".
        Err(_) if path.exists() => Ok(false),
        written => {
            sync_folder(folder);
            written.map(|()| true)
        }
    }
}

/// Writes a new file and waits until it is on the disk. If that fails, it removes the file, unless another process made
/// it.
fn write_new(path: &Path, text: &str) -> io::Result<()> {
    let mut file = File::create_new(path)?;
    let written = file.write_all(text.as_bytes()).and_then(|()| file.sync_all());
    if written.is_err() {
        let _ = fs::remove_file(path);
    }
    written
}

/// Waits until the names in a folder are on the disk, where the system supports that.
pub(super) fn sync_folder(folder: &Path) {
    let _ = File::open(folder).and_then(|folder| folder.sync_all());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::tests::run_plan;

    #[test]
    fn a_plan_is_written_whole_and_once() {
        let here = tempfile::tempdir().unwrap();
        // Left by a process that was killed.
        fs::write(here.path().join(".plan-0123"), "{").unwrap();
        let first = RunFolder::create(here.path(), run_plan(8, None, None)).unwrap().unwrap();
        assert!(RunFolder::create(here.path(), run_plan(9, None, None)).unwrap().is_none());
        assert_eq!(RunFolder::find(here.path()).unwrap().unwrap().run_plan, first.run_plan);
        assert!(!write_plan(here.path(), &run_plan(9, None, None)).unwrap());
        // Even without hard links, the second process does not replace the plan of the first.
        assert!(write_new(&here.path().join(PLAN), "other").is_err());
        assert_eq!(RunFolder::open(here.path()).unwrap().run_plan, run_plan(8, None, None));
        // An incomplete plan may be complete a moment later, so its error is a temporary one.
        let text = fs::read(first.plan_file()).unwrap();
        fs::write(first.plan_file(), &text[..text.len() / 2]).unwrap();
        let error = RunFolder::open(here.path()).unwrap_err();
        assert!(error.is::<IncompletePlan>(), "{error:#}");
        assert_eq!(fs::read_dir(here.path()).unwrap().count(), 2);
    }
}
