//! The folder of a run: its plan, its records, its claims.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::error::{cannot_read, cannot_write};
use super::{Attempt, Claim, Claimant, Error, Record, Result, RunPlan, seal};

/// The largest file that is taken for a plan or a record.
const MAX_BYTES: u64 = 256 << 20;

/// What an unfinished file is called until it is whole: hidden, and ending with this.
const UNFINISHED: &str = ".part";

/// What a damaged record is called when it makes way for a new one.
const DAMAGED: &str = ".damaged-";

/// Where records are kept of shards that were counted again.
const RECOUNT: &str = "recount";

/// An unfinished file this old is nobody's any more.
const ABANDONED_AFTER: Duration = Duration::from_secs(3600);

/// The folder of a run.
#[derive(Debug, Clone)]
pub struct RunFolder {
    path: PathBuf,
    plan: RunPlan,
}

/// What is in the place of a record.
#[derive(Debug)]
pub enum Found {
    /// Nothing.
    Missing,
    /// A record of this shard of this plan, whole and sound.
    Valid(Box<Record>),
    /// Something else; a clause that says what is wrong with it.
    Damaged(String),
}

/// What became of a record that was to be kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kept {
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
    pub fn create(path: &Path, plan: RunPlan) -> Result<(Self, bool)> {
        for folder in [path.to_owned(), path.join("records"), path.join("claims")] {
            fs::create_dir_all(&folder).map_err(cannot_write(&folder))?;
        }
        let folder = Self { path: path.to_owned(), plan };
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
    pub fn open(path: &Path) -> Result<Self> {
        let file = path.join("plan.json");
        let bytes = match read(&file) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return Err(Error::NoPlan { folder: path.to_owned() });
            }
            other => other.map_err(cannot_read(&file))?,
        };
        let plan = seal::open::<RunPlan>(&bytes).and_then(|plan| plan.check().map(|()| plan));
        let plan = plan.map_err(|problem| Error::PlanDamaged { file, problem })?;
        Ok(Self { path: path.to_owned(), plan })
    }

    /// The folder in it with the records of what was counted again, if anything was.
    ///
    /// # Errors
    /// Those of [`RunFolder::open`].
    pub fn recount(&self) -> Result<Option<Self>> {
        match Self::open(&self.path.join(RECOUNT)) {
            Err(Error::NoPlan { .. }) => Ok(None),
            other => other.map(Some),
        }
    }

    /// The same, made if there is none.
    ///
    /// # Errors
    /// Those of [`RunFolder::create`].
    pub fn create_recount(&self) -> Result<Self> {
        Ok(Self::create(&self.path.join(RECOUNT), self.plan.clone())?.0)
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its plan.
    #[must_use]
    pub fn plan(&self) -> &RunPlan {
        &self.plan
    }

    /// The file of the plan.
    #[must_use]
    pub fn plan_file(&self) -> PathBuf {
        self.path.join("plan.json")
    }

    fn records(&self) -> PathBuf {
        self.path.join("records")
    }

    /// The file of a shard's record.
    #[must_use]
    pub fn record_file(&self, shard: usize) -> PathBuf {
        self.records().join(format!("{shard:06}.json"))
    }

    fn claim_file(&self, shard: usize) -> PathBuf {
        self.path.join("claims").join(format!("{shard:06}"))
    }

    /// What is in the place of a shard's record.
    ///
    /// # Errors
    /// [`Error::Read`] where that cannot be told; [`Error::Shard`].
    pub fn find(&self, shard: usize) -> Result<Found> {
        self.plan.shard(shard)?;
        let file = self.record_file(shard);
        match read(&file) {
            Ok(bytes) => {
                Ok(match Record::parse(&bytes).and_then(|record| record.check(&self.plan, shard).map(|()| record)) {
                    Ok(record) => Found::Valid(Box::new(record)),
                    Err(problem) => Found::Damaged(problem),
                })
            }
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Found::Missing),
            Err(error) => Err(cannot_read(&file)(error)),
        }
    }

    /// Keeps a record: once, whole, and for good. A damaged one in its place makes way under another name.
    ///
    /// # Errors
    /// [`Error::Disagree`] where there is a record with other counts; [`Error::Write`], [`Error::Read`].
    pub fn keep(&self, record: &Record) -> Result<Kept> {
        let shard = record.shard();
        let file = self.record_file(shard);
        let text = record.to_text();
        loop {
            if write_once(&file, &text)? {
                return Ok(Kept::Written);
            }
            match self.find(shard)? {
                Found::Missing => {}
                Found::Damaged(_) => {
                    self.set_aside(shard)?;
                }
                Found::Valid(there) => match there.difference(record) {
                    None => return Ok(Kept::AlreadyThere),
                    Some((unit, there, now)) => {
                        let problem = format!("unit {unit} counts {there} and {now}");
                        return Err(Error::Disagree { shard, file, problem });
                    }
                },
            }
        }
    }

    /// Gives a damaged record another name, so that its shard is missing.
    ///
    /// # Errors
    /// [`Error::Write`].
    pub fn set_aside(&self, shard: usize) -> Result<PathBuf> {
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
    pub fn claim(&self, shard: usize, claimant: &Claimant) -> Result<Attempt> {
        let file = self.claim_file(shard);
        match Claim::attempt(file.clone(), claimant) {
            // A copy of a folder may lack the empty ones.
            Err(error) if error.kind() == ErrorKind::NotFound => {
                let claims = self.path.join("claims");
                fs::create_dir_all(&claims).map_err(cannot_write(&claims))?;
                Claim::attempt(file.clone(), claimant)
            }
            other => other,
        }
        .map_err(cannot_write(&file))
    }

    /// Who counts what at this moment.
    ///
    /// # Errors
    /// [`Error::Read`].
    pub fn claimants(&self) -> Result<BTreeMap<usize, Claimant>> {
        let mut claimants = BTreeMap::new();
        for name in names(&self.path.join("claims"))? {
            if let Ok(shard) = name.parse()
                && let Some(claimant) = Claim::claimant(&self.claim_file(shard))
            {
                claimants.insert(shard, claimant);
            }
        }
        Ok(claimants)
    }

    /// What lies among the records: the shards that have a file, and the files that are none.
    ///
    /// # Errors
    /// [`Error::Read`].
    pub fn listed(&self) -> Result<(Vec<usize>, Vec<PathBuf>)> {
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
    pub fn sweep(&self) {
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

/// The names in a folder; none where there is no such folder.
fn names(folder: &Path) -> Result<Vec<String>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        other => other.map_err(cannot_read(folder))?,
    };
    entries
        .map(|entry| entry.map(|entry| entry.file_name().to_string_lossy().into_owned()).map_err(cannot_read(folder)))
        .collect()
}

/// What a file holds, unless it is absurdly large or no file.
fn read(path: &Path) -> io::Result<Vec<u8>> {
    let file = File::open(path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(io::Error::new(ErrorKind::InvalidData, "it is not a file"));
    }
    let mut bytes = Vec::new();
    file.take(MAX_BYTES).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Writes a file whole, unless there is one of this name; says whether it did. When it returns, the file and its name
/// are on the disk.
fn write_once(path: &Path, text: &str) -> Result<bool> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let write = || -> io::Result<bool> {
        let mut builder = tempfile::Builder::new();
        let prefix = format!(".{name}-");
        builder.prefix(&prefix).suffix(UNFINISHED);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            // As the process's mask has it, like any new file.
            builder.permissions(fs::Permissions::from_mode(0o666));
        }
        let mut file = builder.tempfile_in(folder)?;
        file.write_all(text.as_bytes())?;
        file.as_file().sync_all()?;
        match file.persist_noclobber(path) {
            Ok(_) => {}
            Err(error) if error.error.kind() == ErrorKind::AlreadyExists => return Ok(false),
            Err(error) => return Err(error.error),
        }
        // Elsewhere folders cannot be opened as files.
        #[cfg(unix)]
        File::open(folder)?.sync_all()?;
        Ok(true)
    };
    match write() {
        Err(error) if error.kind() == ErrorKind::NotFound && !folder.exists() => {
            // A copy of a folder may lack the empty ones.
            fs::create_dir_all(folder).and_then(|()| write()).map_err(cannot_write(path))
        }
        other => other.map_err(cannot_write(path)),
    }
}
