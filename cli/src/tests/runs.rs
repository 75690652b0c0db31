//! Damaged folders of runs: whatever happened to the files, it is noticed, and nothing wrong is merged.

use std::fs;
use std::path::Path;

use nqueens::CancelToken;
use nqueens::board::Size;
use nqueens::registry;
use nqueens::solver::Isa;
use nqueens::tally::{Tally, Work};

use crate::runs::{Contribution, FoundRecord, RunFolder, RunPlan, ShardRecord, merge, seal};

const SHARDS: usize = 12;

/// A finished run.
fn finished(path: &Path, n: usize, solver: &str, shards: usize) -> RunFolder {
    let plan = RunPlan::new(Size::new(n).unwrap(), registry::find(solver).unwrap(), Some(shards)).unwrap();
    let folder = RunFolder::create(path, &plan).unwrap().0;
    folder.make_folders().unwrap();
    let units = folder.plan.cut.plan(Isa::Portable, path).unwrap();
    let mut worker = units.worker();
    for shard in 0..shards {
        let counted = folder.plan.units_of(shard).map(|unit| worker.count(unit, &CancelToken::new()));
        let counts: Vec<u128> = counted.map(|tally| tally.unwrap().solutions).collect();
        folder.keep(&record_of(&folder, shard, &counts)).unwrap();
    }
    folder
}

/// Blocks of 4 KiB, as a real disk counts them.
#[test]
fn the_files_of_a_run_take_the_disk_that_is_forecast() {
    for (n, solver, shards) in [(12, "color", SHARDS), (10, "arrays", 5)] {
        let here = tempfile::tempdir().unwrap();
        let folder = finished(here.path(), n, solver, shards);
        let files: Vec<_> = (0..shards).map(|shard| folder.record_file(shard)).chain([folder.plan_file()]).collect();
        let blocks: u64 = files.iter().map(|file| fs::metadata(file).unwrap().len().div_ceil(4096)).sum();
        // The index comes with 64 records.
        assert_eq!(folder.plan.predicted_files(), (4096 * (blocks + 1), files.len() + 1));
    }
}

/// A copy of a run, made by another machine.
fn copy(from: &RunFolder, to: &Path) -> RunFolder {
    fs::create_dir_all(to.join("records")).unwrap();
    fs::copy(from.plan_file(), to.join("plan.json")).unwrap();
    for shard in 0..SHARDS {
        let file = from.record_file(shard);
        fs::copy(&file, to.join("records").join(file.file_name().unwrap())).unwrap();
    }
    RunFolder::open(to).unwrap()
}

/// A sound record of these counts.
fn record_of(folder: &RunFolder, shard: usize, counts: &[u128]) -> ShardRecord {
    let mut record = ShardRecord::begin(&folder.plan, shard, &Contribution::default());
    for (unit, &solutions) in folder.plan.units_of(shard).zip(counts) {
        record.add(unit, Tally::new(solutions, Work::default()), 0.1).unwrap();
    }
    record.finish()
}

fn counts_of(folder: &RunFolder, shard: usize) -> Vec<u128> {
    match folder.find(shard).unwrap() {
        FoundRecord::Valid(record) => record.counts,
        found => panic!("{found:?}"),
    }
}

/// Damages a run in one of many ways; names the way. The second folder is another copy, to be merged too.
fn damage(random: &mut fastrand::Rng, one: &RunFolder, second: &RunFolder, others: &[RunFolder]) -> &'static str {
    let shard = random.usize(0..SHARDS);
    let file = if random.u8(..10) == 0 { one.plan_file() } else { one.record_file(shard) };
    let bytes = fs::read(&file).unwrap();
    match random.u8(..8) {
        0 => {
            fs::write(&file, &bytes[..random.usize(..bytes.len())]).unwrap();
            "truncated"
        }
        1 | 2 => {
            let mut bytes = bytes;
            let at = random.usize(..bytes.len());
            bytes[at] ^= 1 << random.u8(..8);
            fs::write(&file, bytes).unwrap();
            "a bit flipped"
        }
        3 => {
            fs::write(&file, b"").unwrap();
            "emptied"
        }
        4 => {
            let (a, b) = (one.record_file(shard), one.record_file((shard + 1 + random.usize(..SHARDS - 1)) % SHARDS));
            let (first, last) = (fs::read(&a).unwrap(), fs::read(&b).unwrap());
            fs::write(a, last).unwrap();
            fs::write(b, first).unwrap();
            "swapped"
        }
        5 => {
            let mut counts = counts_of(one, shard);
            let at = random.usize(..counts.len());
            counts[at] += 3 * (1 + random.u128(..9));
            fs::write(second.record_file(shard), seal(&record_of(second, shard, &counts))).unwrap();
            "duplicated with another count"
        }
        6 => {
            let other = &others[random.usize(..others.len())];
            fs::copy(other.record_file(shard.min(other.plan.shards() - 1)), one.record_file(shard)).unwrap();
            "from another plan"
        }
        _ => {
            // For whoever may read everything, a file that nobody can read.
            fs::remove_file(&file).unwrap();
            fs::create_dir(&file).unwrap();
            "unreadable"
        }
    }
}

#[test]
fn a_thousand_damaged_ledgers_are_all_noticed() {
    let here = tempfile::tempdir().unwrap();
    let good = finished(&here.path().join("good"), 10, "bitmask", SHARDS);
    assert_eq!(merge(std::slice::from_ref(&good)).unwrap().total().unwrap().0, 724);
    let others: Vec<RunFolder> = [("n", 9, "bitmask", 12), ("solver", 10, "arrays", 12), ("shards", 10, "bitmask", 5)]
        .into_iter()
        .map(|(name, n, solver, shards)| finished(&here.path().join(name), n, solver, shards))
        .collect();
    let mut random = fastrand::Rng::with_seed(20);
    let mut ways = std::collections::BTreeMap::new();
    let (first, second) = (here.path().join("first"), here.path().join("second"));
    for trial in 0..1000 {
        let (one, two) = (copy(&good, &first), copy(&good, &second));
        let way = damage(&mut random, &one, &two, &others);
        *ways.entry(way).or_insert(0) += 1;
        let folders: Result<Vec<RunFolder>, _> =
            [&first, &second].into_iter().map(|path| RunFolder::open(path)).collect();
        match folders {
            // The plan itself, named with its file.
            Err(error) => assert!(error.to_string().contains("plan.json"), "{trial}, {way}: {error}"),
            Ok(folders) => {
                let problems: Vec<String> = match merge(&folders) {
                    Ok(merged) => merged.faults.into_iter().map(|(_, problem)| problem).collect(),
                    Err(error) => vec![error.to_string()],
                };
                assert!(!problems.is_empty(), "{trial}: {way} was not noticed");
                assert!(problems.iter().all(|problem| problem.contains("records")), "{trial}, {way}: {problems:?}");
            }
        }
        fs::remove_dir_all(&first).unwrap();
        fs::remove_dir_all(&second).unwrap();
    }
    assert!(ways.len() == 7 && ways.values().all(|&times| times > 50), "{ways:?}");
}

#[test]
fn a_record_is_never_replaced_by_another_count() {
    let here = tempfile::tempdir().unwrap();
    let folder = finished(here.path(), 10, "bitmask", SHARDS);
    let mut counts = counts_of(&folder, 4);
    let there = fs::read(folder.record_file(4)).unwrap();
    assert!(folder.keep(&record_of(&folder, 4, &counts)).is_ok());
    counts[0] += 3;
    let error = folder.keep(&record_of(&folder, 4, &counts)).unwrap_err().to_string();
    assert!(error.contains("shard 4 was counted twice") && error.contains("000004.json"), "{error}");
    assert_eq!(fs::read(folder.record_file(4)).unwrap(), there);
}
