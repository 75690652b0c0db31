//! A run without locks, and threads that sleep.

use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use super::*;
use crate::altered::Altered;

#[test]
fn without_locks_six_processes_make_one_run() {
    let here = tempfile::tempdir().unwrap();
    let folder = planned(here.path(), 11, "bitmask", 40);
    let plan = plan(&folder);
    // With a file in place of the folder, no claim can be made.
    fs::remove_dir(here.path().join("claims")).unwrap();
    fs::write(here.path().join("claims"), "").unwrap();
    let counted: Vec<usize> = thread::scope(|scope| {
        let processes: Vec<_> = (0..6).map(|_| scope.spawn(|| count(&folder, &*plan))).collect();
        processes.into_iter().map(|process| process.join().unwrap()).collect()
    });
    assert!(counted.iter().sum::<usize>() >= 40, "{counted:?}");
    let mut results = read(&folder);
    let results = results.verify(results.check_plan(&*plan).unwrap());
    assert_eq!(results.sound().unwrap().total().unwrap().solutions, 2680);
}

/// Each worker sleeps before each unit, as if another program used the core.
#[test]
#[cfg_attr(
    not(any(target_os = "linux", target_os = "macos")),
    ignore = "the system does not tell the processor time of a thread"
)]
fn results_tell_the_time_at_work_and_not_the_time_that_passed() {
    const NAP: Duration = Duration::from_millis(4);
    let here = tempfile::tempdir().unwrap();
    let folder = planned(here.path(), 7, "bitmask", 1);
    let plan = Altered::new(plan(&folder), |worker, unit, cancel| {
        thread::sleep(NAP);
        worker.count(unit, cancel)
    });
    let began = Instant::now();
    assert_eq!(count(&folder, &plan), 1);
    let passed = began.elapsed().as_secs_f64();
    let slept = plan.units() as f64 * NAP.as_secs_f64();
    let core = crate::run::core_seconds(&read(&folder).contributions());
    assert!(core > 0.0 && core < passed - 0.9 * slept, "{core} of {passed}, of which it slept {slept}");
}
