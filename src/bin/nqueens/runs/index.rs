//! A look at all records of a folder that reads only those that changed since the last look.
//!
//! The index is the file `.index.json` among the records. It has, for each record that was read and was valid, the size and
//! the time of its file, and what [`Status`](super::Status) tells of it. It is written as a whole, and the last writer
//! wins. A look needs no index. [`merge`](super::merge) reads every record and trusts no index.

use std::collections::BTreeMap;
use std::fs::{self, DirEntry};
use std::io::{self, ErrorKind};
use std::ops::Range;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::Context;
use serde::{Deserialize, Serialize};

use super::files::Folder;
use super::folder::{cannot_read, shard_of_name};
use super::plan::Cut;
use super::{FoundRecord, RunFolder, ShardRecord, seal};
use crate::version;

/// The name of the index.
const NAME: &str = ".index.json";

/// The value of `kind`.
const KIND: &str = "nqueens-index";

/// The folder is listed for this number of shards, and the index is written with this number of new records. For
/// fewer it would cost more than it saves.
const MANY: usize = 64;

/// A file that changed in this time is read again at the next look. File systems count time in steps of up to two
/// seconds, so a file could change twice and have one time.
const SETTLED: Duration = Duration::from_secs(3);

/// What the status of a run tells of a record.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Summary {
    /// The machine that counted.
    pub(crate) machine: String,
    /// The instruction set used.
    pub(crate) isa: String,
    /// Seconds of cores that it took.
    pub(crate) core_seconds: f64,
    /// When it was finished.
    pub(crate) finished: String,
}

impl From<ShardRecord> for Summary {
    fn from(record: ShardRecord) -> Self {
        let (origin, core_seconds, finished) = (record.origin, record.core_seconds, record.finished);
        Self { machine: origin.machine, isa: origin.isa, core_seconds, finished }
    }
}

/// The records of some shards.
#[derive(Debug, Default)]
pub(crate) struct Look {
    /// The valid records, by shard.
    pub(crate) valid: BTreeMap<usize, Summary>,
    /// The shards whose file is not a valid record, and what is wrong with it.
    pub(crate) damaged: BTreeMap<usize, String>,
}

impl Look {
    fn add(&mut self, shard: usize, found: FoundRecord) {
        match found {
            FoundRecord::Missing => {}
            FoundRecord::Valid(record) => _ = self.valid.insert(shard, (*record).into()),
            FoundRecord::Damaged(problem) => _ = self.damaged.insert(shard, problem),
        }
    }
}

/// Tells a version of a file from others.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Stamp {
    bytes: u64,
    /// Since 1970.
    modified: Duration,
}

impl Stamp {
    /// `None` if it is not a regular file, or if the system does not tell.
    fn of(entry: &DirEntry) -> Option<Self> {
        let metadata = entry.metadata().ok().filter(fs::Metadata::is_file)?;
        let modified = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
        Some(Self { bytes: metadata.len(), modified })
    }

    fn is_settled(&self, now: SystemTime) -> bool {
        now.duration_since(UNIX_EPOCH).is_ok_and(|now| self.modified + SETTLED < now)
    }
}

#[derive(Debug, Serialize, Deserialize)]
struct Index {
    kind: String,
    /// The program that wrote it. Another one may check more.
    program: String,
    cut: Cut,
    records: BTreeMap<usize, Indexed>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Indexed {
    /// The units of the shard.
    units: Range<usize>,
    stamp: Stamp,
    summary: Summary,
}

impl Index {
    fn new(folder: &RunFolder) -> Self {
        let program = format!("{} ({})", version::VERSION, version::COMMIT);
        Self { kind: KIND.to_owned(), program, cut: folder.plan.cut.clone(), records: BTreeMap::new() }
    }

    /// Reads the index of a folder. It is empty if there is none, or if it is damaged, of another program or plan.
    fn read(folder: &RunFolder) -> Self {
        let new = Self::new(folder);
        let bytes = Folder::of_run(&folder.records()).and_then(|records| records.read(NAME));
        let read = bytes.ok().and_then(|bytes| seal::open(&bytes, |json| serde_json::from_slice::<Self>(json)).ok());
        read.filter(|index| (&index.kind, &index.program, &index.cut) == (&new.kind, &new.program, &new.cut))
            .unwrap_or(new)
    }

    fn write(&self, folder: &RunFolder) -> io::Result<()> {
        let records = Folder::of_run(&folder.records())?;
        // Without an index, looks read all records. If another process writes one now, its index stays.
        let _ = records.remove(NAME);
        records.write_once(NAME, &seal::seal(self)).map(drop)
    }
}

impl RunFolder {
    /// Makes the next look read all records.
    pub(crate) fn forget_index(&self) {
        let _ = Folder::of_run(&self.records()).and_then(|records| records.remove(NAME));
    }

    /// Looks at the records of these shards, which are in order. Reads only files that changed since the last look.
    pub(crate) fn look(&self, shards: &[usize]) -> anyhow::Result<Look> {
        let mut look = Look::default();
        if shards.len() < MANY {
            for &shard in shards {
                look.add(shard, self.find(shard)?);
            }
            return Ok(look);
        }
        let entries = match fs::read_dir(self.records()) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(look),
            entries => entries.with_context(|| cannot_read(&self.records()))?,
        };
        let folder = Folder::of_run(&self.records()).with_context(|| cannot_read(&self.records()))?;
        let (mut index, now, mut added) = (Index::read(self), SystemTime::now(), 0);
        for entry in entries {
            let entry = entry.with_context(|| cannot_read(&self.records()))?;
            let shard = entry.file_name().to_str().and_then(shard_of_name);
            let Some(shard) = shard.filter(|shard| shards.binary_search(shard).is_ok()) else { continue };
            let (units, stamp) = (self.plan.units_of(shard), Stamp::of(&entry));
            if let Some(known) = index.records.get(&shard)
                && Some(&known.stamp) == stamp.as_ref()
                && known.units == units
            {
                look.valid.insert(shard, known.summary.clone());
                continue;
            }
            look.add(shard, self.find_in(&folder, shard)?);
            if let (Some(stamp), Some(summary)) = (stamp, look.valid.get(&shard))
                && stamp.is_settled(now)
            {
                index.records.insert(shard, Indexed { units, stamp, summary: summary.clone() });
                added += 1;
            }
        }
        if added >= MANY {
            // The folder may be read-only. Then every look reads all records.
            let _ = index.write(self);
        }
        Ok(look)
    }
}
