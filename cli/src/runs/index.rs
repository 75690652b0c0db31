//! A look at all records of a folder that reads only those that changed since the last look.
//!
//! The index is the file `.index.json` among the records. It has, for each record that was read and was valid, the size and
//! the time of its file, and what [`Status`](super::Status) tells of it. It is written as a whole, and the last writer
//! wins. A look needs no index. [`merge`](super::merge) reads every record and trusts no index.

use std::collections::BTreeMap;
use std::fs::{self, DirEntry};
use std::io;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::Context;
use serde::{Deserialize, Serialize};

use super::files::Folder;
use super::folder::{cannot_read, shard_of_name};
use super::{Contribution, FoundRecord, RunFolder, seal};
use crate::version;

/// The name of the index.
const NAME: &str = ".index.json";

/// The folder is listed for this number of shards, and the index is written with this number of new records. For
/// fewer it would cost more than it saves.
const MANY: usize = 64;

/// A file that changed in this time is read again at the next look. File systems count time in steps of up to two
/// seconds, so a file could change twice and have one time.
const SETTLED: Duration = Duration::from_secs(3);

/// The shards that have a file. Each has what its valid record tells, or a clause that says what is wrong with the file.
pub(crate) type Look = BTreeMap<usize, Result<Contribution, String>>;

/// Tells a version of a file from others: its bytes, and when it was changed, since 1970.
type Stamp = (u64, Duration);

/// `None` if it is not a regular file, or if the system does not tell.
fn stamp(entry: &DirEntry) -> Option<Stamp> {
    let metadata = entry.metadata().ok().filter(fs::Metadata::is_file)?;
    Some((metadata.len(), metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?))
}

#[derive(Debug, Serialize, Deserialize)]
struct Index {
    /// The program that wrote it. Another one may check more.
    program: String,
    /// The checksum of the plan.
    plan: String,
    records: BTreeMap<usize, (Stamp, Contribution)>,
}

impl Index {
    /// Reads the index of a folder. It is empty if there is none, or if it is damaged, of another program or plan.
    fn read(folder: &RunFolder) -> Self {
        let (program, plan) = (version::LONG.to_owned(), seal::checksum(&folder.plan));
        let bytes = Folder::of_run(&folder.records()).and_then(|records| records.read(NAME));
        let read = bytes.ok().and_then(|bytes| seal::open(&bytes, |json| serde_json::from_slice::<Self>(json)).ok());
        read.filter(|index| (&index.program, &index.plan) == (&program, &plan)).unwrap_or(Self {
            program,
            plan,
            records: BTreeMap::new(),
        })
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
        let mut look = Look::new();
        let told = |found| match found {
            FoundRecord::Missing => None,
            FoundRecord::Valid(record) => Some(Ok(record.by)),
            FoundRecord::Damaged(problem) => Some(Err(problem)),
        };
        if shards.len() < MANY {
            for &shard in shards {
                look.extend(told(self.find(shard)?).map(|told| (shard, told)));
            }
            return Ok(look);
        }
        let cannot = || cannot_read(&self.records());
        let Some(folder) = self.open_records().with_context(cannot)? else { return Ok(look) };
        let entries = fs::read_dir(self.records()).with_context(cannot)?;
        let (mut index, now, mut added) = (Index::read(self), SystemTime::now(), 0);
        for entry in entries {
            let entry = entry.with_context(cannot)?;
            let shard = entry.file_name().to_str().and_then(shard_of_name);
            let Some(shard) = shard.filter(|shard| shards.binary_search(shard).is_ok()) else { continue };
            let stamp = stamp(&entry);
            if let Some((known, told)) = index.records.get(&shard)
                && Some(known) == stamp.as_ref()
            {
                look.insert(shard, Ok(told.clone()));
                continue;
            }
            let Some(told) = told(self.find_in(&folder, shard)?) else { continue };
            if let (Some(stamp), Ok(by)) = (stamp, &told)
                && now.duration_since(UNIX_EPOCH).is_ok_and(|now| stamp.1 + SETTLED < now)
            {
                index.records.insert(shard, (stamp, by.clone()));
                added += 1;
            }
            look.insert(shard, told);
        }
        if added >= MANY {
            // The folder may be read-only. Then every look reads all records.
            let _ = index.write(self);
        }
        Ok(look)
    }
}
