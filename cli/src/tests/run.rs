//! Damaged folders of runs, and logs that fail: whatever happens, it is noticed, and nothing wrong is merged.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::AtomicUsize;
use std::thread;

use nqueens::board::Size;
use nqueens::engine::Pool;
use nqueens::registry;
use nqueens::solver::Isa;
use nqueens::tally::{Tally, Work};
use nqueens::{CancelToken, Progress};

use crate::run::{Contribution, Log, Results, RunFolder, RunPlan, ShardJob, ShardResult, wobbly};

const SHARDS: usize = 12;

fn planned(path: &Path, n: usize, solver: &str, shards: usize) -> RunFolder {
    let plan = RunPlan::new(Size::new(n).unwrap(), registry::find(solver).unwrap(), Some(shards)).unwrap();
    let folder = RunFolder::create(path, &plan).unwrap().0;
    folder.make_folders().unwrap();
    folder
}

/// A finished run, by two processes.
fn finished(path: &Path, n: usize, solver: &str, shards: usize) -> RunFolder {
    let folder = planned(path, n, solver, shards);
    let units = folder.plan.cut.plan(Isa::Portable, path).unwrap();
    let mut worker = units.worker();
    let mut logs = [(); 2].map(|()| Log::begin(&folder.records(), "box").unwrap());
    for shard in 0..shards {
        let counted = folder.plan.units_of(shard).map(|unit| worker.count(unit, &CancelToken::new()));
        let counts: Vec<u128> = counted.map(|tally| tally.unwrap().solutions).collect();
        logs[shard % 2].append(&line(&folder, shard, &counts)).unwrap();
    }
    folder
}

/// A sound line of these counts.
fn line(folder: &RunFolder, shard: usize, counts: &[u128]) -> String {
    let by = Contribution::default();
    let mut result = ShardResult::begin(&folder.plan, shard, &by);
    for (unit, &solutions) in folder.plan.units_of(shard).zip(counts) {
        result.add(unit, Tally::new(solutions, Work::default()), 0.1).unwrap();
    }
    result.finish().line()
}

/// The logs of a run, in order.
fn logs(folder: &RunFolder) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder.records()).unwrap();
    let mut logs: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    logs.sort_unstable();
    logs
}

#[test]
fn a_run_takes_the_disk_that_is_forecast() {
    for (n, solver, shards) in [(12, "color", SHARDS), (10, "arrays", 5)] {
        let here = tempfile::tempdir().unwrap();
        let folder = finished(here.path(), n, solver, shards);
        let files: Vec<_> = logs(&folder).into_iter().chain([folder.plan_file()]).collect();
        let bytes: u64 = files.iter().map(|file| fs::metadata(file).unwrap().len()).sum();
        let forecast = folder.plan.predicted_bytes();
        // Names of machines and processors are longer or shorter.
        assert!((0.7..1.5).contains(&(bytes as f64 / forecast as f64)), "{bytes} of {forecast}");
    }
}

/// A copy of a run, made by another machine.
fn copy(from: &RunFolder, to: &Path) -> RunFolder {
    fs::create_dir_all(to.join("records")).unwrap();
    fs::copy(from.plan_file(), to.join("plan.json")).unwrap();
    for file in logs(from) {
        fs::copy(&file, to.join("records").join(file.file_name().unwrap())).unwrap();
    }
    RunFolder::open(to).unwrap()
}

/// Damages a run in one of many ways; names the way. The second folder is another copy, to be merged too.
fn damage(random: &mut fastrand::Rng, one: &RunFolder, second: &RunFolder, others: &[RunFolder]) -> &'static str {
    let mut files = logs(one);
    let file = files.swap_remove(random.usize(..2));
    let file = if random.u8(..10) == 0 { one.plan_file() } else { file };
    let mut bytes = fs::read(&file).unwrap();
    let at = random.usize(..bytes.len());
    match random.u8(..8) {
        0 => {
            fs::write(&file, &bytes[..at]).unwrap();
            "truncated"
        }
        1 | 2 => {
            bytes[at] ^= 1 << random.u8(..8);
            fs::write(&file, bytes).unwrap();
            "a bit flipped"
        }
        3 => {
            fs::write(&file, b"").unwrap();
            "emptied"
        }
        4 => {
            bytes.drain(at..(at + random.usize(1..900)).min(bytes.len()));
            fs::write(&file, bytes).unwrap();
            "a piece lost"
        }
        5 => {
            let shard = random.usize(..SHARDS);
            let by = Contribution::default();
            let mut counts = ShardResult::begin(&one.plan, shard, &by).counts;
            // No shard of this run has as many solutions.
            counts[0] = 3000 + 3 * random.u128(..9);
            Log::begin(&second.records(), "wrong").unwrap().append(&line(second, shard, &counts)).unwrap();
            "counted twice"
        }
        6 => {
            let other = &others[random.usize(..others.len())];
            fs::copy(&logs(other)[0], &file).unwrap();
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
fn a_thousand_damaged_runs_make_no_wrong_count() {
    let here = tempfile::tempdir().unwrap();
    let good = finished(&here.path().join("good"), 10, "bitmask", SHARDS);
    let total = |folders: &[RunFolder]| -> Result<u128, String> {
        let mut results = Results::read(folders).map_err(|error| error.to_string())?;
        results.check_units(here.path()).map_err(|error| error.to_string())?;
        match results.faults().join("; ") {
            fine if fine.is_empty() => results.total().map(|total| total.0).map_err(|error| error.to_string()),
            faults => Err(faults),
        }
    };
    assert_eq!(total(std::slice::from_ref(&good)), Ok(724));
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
        match RunFolder::open(&first) {
            // The plan itself, named with its file.
            Err(error) => assert!(error.to_string().contains("plan.json"), "{trial}, {way}: {error}"),
            Ok(one) => {
                let alone = total(std::slice::from_ref(&one));
                let both = total(&[one, two]);
                // A file that is cut between two lines has a part of the run, and no damage.
                let is_refused = alone.as_ref().is_err_and(|problem| {
                    ["records", "plan.json", "this run lacks"].iter().any(|part| problem.contains(part))
                });
                assert!(is_refused || way == "counted twice" && alone == Ok(724), "{trial}, {way}: {alone:?}");
                // The other folder has what this one lost.
                let is_other = way == "from another plan" || way == "counted twice";
                assert_eq!(both.is_ok(), !is_other, "{trial}, {way}: {both:?}");
                assert!(both.is_err() || both == Ok(724), "{trial}, {way}: {both:?}");
            }
        }
        fs::remove_dir_all(&first).unwrap();
        fs::remove_dir_all(&second).unwrap();
    }
    assert!(ways.len() == 7 && ways.values().all(|&times| times > 50), "{ways:?}");
}

/// Earlier programs wrote a file for each shard.
#[test]
fn old_records_are_logs_of_one_line() {
    let here = tempfile::tempdir().unwrap();
    let folder = finished(here.path(), 10, "bitmask", SHARDS);
    for log in logs(&folder) {
        for text in fs::read_to_string(&log).unwrap().split_inclusive('\n') {
            let shard: serde_json::Value = serde_json::from_str(text).unwrap();
            let name = format!("{:06}.json", shard["shard"].as_u64().unwrap());
            fs::write(folder.records().join(name), text).unwrap();
        }
        fs::remove_file(log).unwrap();
    }
    fs::write(folder.records().join(".index.json"), "an index").unwrap();
    assert_eq!(Results::read_one(&folder).unwrap().total().unwrap().0, 724);
}

/// A line that is being written, as others see it: byte by byte.
#[test]
fn a_reader_of_a_growing_log_takes_each_line_once_it_is_whole() {
    let here = tempfile::tempdir().unwrap();
    let good = finished(&here.path().join("good"), 10, "bitmask", SHARDS);
    let folder = planned(&here.path().join("r"), 10, "bitmask", SHARDS);
    let mut results = Results::read_one(&folder).unwrap();
    let text = fs::read(&logs(&good)[0]).unwrap();
    let log = folder.records().join("growing.jsonl");
    for length in 0..=text.len() {
        fs::write(&log, &text[..length]).unwrap();
        results.look().unwrap();
        let lines = text[..length].iter().filter(|&&byte| byte == b'\n').count();
        assert_eq!((SHARDS - results.missing().len(), results.faults()), (lines, Vec::new()));
    }
    // Another machine may see the end of the last lines before their middle.
    let mut results = Results::read_one(&planned(&here.path().join("empty"), 10, "bitmask", SHARDS)).unwrap();
    let log = here.path().join("empty/records/growing.jsonl");
    let last = text.len() - 1;
    for first in [10, last / 2, last] {
        let mut seen = text.clone();
        seen[first..last].fill(0);
        fs::write(&log, seen).unwrap();
        results.look().unwrap();
    }
    assert_eq!(results.missing().len(), SHARDS - SHARDS / 2);
}

/// Three processes, each with two calls of its log that fail.
fn count_with_faults(seed: u64) {
    let here = tempfile::tempdir().unwrap();
    let folder = &planned(here.path(), 9, "bitmask", SHARDS);
    let units = &*folder.plan.cut.plan(Isa::Portable, here.path()).unwrap();
    thread::scope(|scope| {
        for process in 0..3 {
            scope.spawn(move || {
                let mut random = fastrand::Rng::with_seed(3 * seed + process);
                let fails = [random.usize(1..9), random.usize(1..9)];
                let log = &Mutex::new(wobbly(&folder.records(), "box", move |call| fails.contains(&call)).unwrap());
                let by = &Contribution { machine: format!("machine {process}"), ..Contribution::default() };
                let results = &Mutex::new(Results::read_one(folder).unwrap());
                let (pool, unsaved) = (Pool::Own(1), &AtomicUsize::new(0));
                let job = ShardJob { folder, units, by, threads: 1, pool, deadline: None, results, log, unsaved };
                job.run(&Vec::from_iter(0..SHARDS), &CancelToken::new(), &Progress::new()).unwrap();
            });
        }
    });
    let results = Results::read_one(folder).unwrap();
    assert_eq!((results.faults(), results.total().unwrap().0), (Vec::new(), 352), "{seed}");
}

#[test]
fn calls_that_fail_for_a_moment_cost_a_pause_and_nothing_else() {
    (0..3).for_each(count_with_faults);
}
