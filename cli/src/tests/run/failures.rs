//! Logs that fail.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;
use std::time::Duration;

use super::super::sleepy;
use super::*;
use crate::run::Append;

/// A log whose calls fail if `fails` says so of their number. The first call makes its file. A write that fails has written
/// a part.
fn wobbly(folder: &Path, fails: impl Fn(usize) -> bool + Send + Sync + 'static) -> anyhow::Result<Log> {
    let calls = AtomicUsize::new(0);
    let fails = Arc::new(move || fails(calls.fetch_add(1, Relaxed)));
    let create = move |path: &Path| -> io::Result<Box<Append>> {
        if fails() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        let (mut append, fails) = (create_log(path)?, Arc::clone(&fails));
        Ok(Box::new(move |bytes| {
            if fails() {
                append(&bytes[..bytes.len() / 2])?;
                return Err(io::ErrorKind::StorageFull.into());
            }
            append(bytes)
        }))
    };
    Log::begin(folder, "box", Box::new(create))
}

#[test]
fn an_append_that_fails_leaves_nothing_before_the_next_line() {
    // Each pair of the first calls after that which makes the file.
    for (one, other) in (1..4).flat_map(|one| (one..8).map(move |other| (one, other))) {
        let here = tempfile::tempdir().unwrap();
        let mut log = wobbly(here.path(), move |call| call == one || call == other).unwrap();
        let mut failed = 0;
        for number in 0..3 {
            while log.append(&format!("line {number}\n")).is_err() {
                failed += 1;
            }
        }
        let files = logs(here.path());
        let texts: Vec<String> = files.iter().map(|log| fs::read_to_string(log).unwrap()).collect();
        let mut found: Vec<&str> = texts.iter().flat_map(|text| text.split_inclusive('\n')).collect();
        // A log that failed ends with a part of a line.
        found.retain(|line| line.ends_with('\n'));
        found.sort_unstable();
        assert_eq!(found, ["line 0\n", "line 1\n", "line 2\n"], "{one}, {other}");
        assert!(failed > 0 && files.len() <= 3, "{one}, {other}: {failed}, {files:?}");
    }
}

/// Counts all shards of a run of n = 9, in a process whose log has two calls that fail. Returns the total.
pub(super) fn count_with_faults(folder: &RunFolder, seed: u64) -> u128 {
    let mut random = fastrand::Rng::with_seed(seed);
    let fails = [random.usize(1..9), random.usize(1..9)];
    let units = &sleepy(units(folder));
    let log = wobbly(&folder.logs(), move |call| fails.contains(&call)).unwrap();
    let walk = walk(folder, units, &format!("machine {seed}"), log);
    loop {
        let read = read(folder);
        assert_eq!(read.wrong.len(), 0, "{:?}", read.wrong);
        if read.missing().is_empty() {
            return read.total().unwrap().solutions;
        }
        *walk.results.lock().unwrap() = read;
        count(&walk);
        thread::sleep(Duration::from_millis(5));
    }
}
