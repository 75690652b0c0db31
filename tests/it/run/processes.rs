//! Processes that are killed, stopped, out of time, out of disk, or not alone.

use std::fs;
use std::path::Path;
use std::process::{Child, Command};
use std::thread::sleep;
use std::time::{Duration, Instant};

use nqueens::run::{State, Status, merge};

use super::{answer, nqueens, output, planned, text};

fn send(signal: &str, child: &Child) {
    assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
}

fn merged(path: &Path) -> u128 {
    let folder = nqueens::run::RunFolder::open(path).unwrap();
    let merged = merge(&[folder]).unwrap();
    assert_eq!(merged.faults, []);
    merged.total().unwrap().solutions
}

#[test]
fn killed_at_a_hundred_random_moments_it_ends_with_the_count() {
    let here = tempfile::tempdir().unwrap();
    let mut random = fastrand::Rng::with_seed(9);
    let mut partly = 0;
    // What it takes in all, here and now.
    let folder = planned(&here.path().join("once"), 12, "color", 32);
    let start = Instant::now();
    answer(folder.path(), &["run", "--dir", ".", "--quiet", "--threads", "2"]);
    let whole = start.elapsed();
    for trial in 0..100 {
        let path = here.path().join(trial.to_string());
        let folder = planned(&path, 12, "color", 32);
        let mut child =
            nqueens(&["run", "--dir", ".", "--quiet", "--threads", "2"]).current_dir(&path).spawn().unwrap();
        sleep(whole.mul_f64(random.f64() * 1.1));
        child.kill().unwrap();
        child.wait().unwrap();
        let done = Status::of(&folder).unwrap();
        assert_eq!((done.faults.len(), done.count(State::Running)), (0, 0), "{trial}");
        partly += usize::from((1..32).contains(&done.count(State::Done)));
        answer(&path, &["run", "--dir", ".", "--quiet", "--threads", "2"]);
        assert_eq!(merged(&path), 14_200, "{trial}");
        fs::remove_dir_all(&path).unwrap();
    }
    assert!(partly >= 10, "only {partly} were killed in the middle");
}

#[test]
fn a_signal_stops_it_and_what_is_finished_is_kept() {
    let here = tempfile::tempdir().unwrap();
    let at = here.path();
    answer(at, &["plan", "20", "--dir", "r", "--shards", "400"]);
    for (signal, code) in [("-INT", 130), ("-TERM", 143)] {
        let child = nqueens(&["run", "--dir", "r", "--threads", "2"]).current_dir(at).spawn().unwrap();
        let start = Instant::now();
        let records = || fs::read_dir(at.join("r/records")).unwrap().count();
        let before = records();
        while records() < before + 3 && start.elapsed() < Duration::from_secs(90) {
            sleep(Duration::from_millis(20));
        }
        let running = answer(at, &["status", "--dir", "r", "--json"]);
        assert!(!running.contains("\"running\":0") && running.contains("\"threads\":2"), "{running}");
        let stopped = Instant::now();
        send(signal, &child);
        let output = child.wait_with_output().unwrap();
        assert!(stopped.elapsed() < Duration::from_secs(1), "{:?}", stopped.elapsed());
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{said}");
        assert!(said.contains("error: stopped: ") && said.contains("run the same command again to go on"), "{said}");
        assert!(records() >= before + 3);
    }
    let status = answer(at, &["status", "--dir", "r"]);
    assert!(
        status.contains("running 0") && status.contains("damaged 0") && status.contains("nobody is counting"),
        "{status}"
    );
    let late = output(at, &["run", "--dir", "r", "--max-runtime", "1s", "--threads", "1"]);
    assert_eq!(late.status.code(), Some(75), "{late:?}");
    assert!(text(&late.stderr).contains("time is up: "), "{late:?}");
}

#[test]
fn a_count_with_a_checkpoint_goes_on_where_it_was_stopped() {
    let here = tempfile::tempdir().unwrap();
    let at = here.path();
    answer(at, &["plan", "15", "--dir", "r", "--shards", "60", "--solver", "color"]);
    let count = ["count", "15", "--checkpoint", "r", "--solver", "color", "--threads", "1"];
    for _ in 0..3 {
        let mut child = nqueens(&count).current_dir(at).spawn().unwrap();
        sleep(Duration::from_millis(60));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let there = fs::read_dir(at.join("r/records")).unwrap().count();
    assert_eq!(answer(at, &count), "2279184\n");
    // Everything is there now; the figures are those of the whole count.
    let plain = answer(at, &["count", "15", "--solver", "color", "--nodes"]);
    let again = answer(at, &[&count[..], &["--nodes"]].concat());
    assert_eq!(again, plain, "{there} shards were there");
    // Without a plan it makes one.
    assert_eq!(answer(at, &["count", "12", "--checkpoint", "new"]), "14200\n");
    assert!(at.join("new/plan.json").exists());
}

#[test]
fn two_processes_share_the_work() {
    let here = tempfile::tempdir().unwrap();
    let at = here.path();
    answer(at, &["plan", "16", "--dir", "r", "--shards", "60"]);
    let start = || nqueens(&["run", "--dir", "r", "--threads", "1"]).current_dir(at).spawn().unwrap();
    let children = [start(), start(), start()];
    let mut counted = 0;
    for child in children {
        let output = child.wait_with_output().unwrap();
        let said = text(&output.stderr);
        assert!(output.status.success(), "{said}");
        let line = said.lines().find(|line| line.contains(" counted and kept")).unwrap();
        counted += line.split(' ').nth(1).unwrap().parse::<usize>().unwrap();
    }
    assert_eq!(counted, 60, "no shard is counted twice");
    assert_eq!(merged(&at.join("r")), 14_772_512);
}

/// A file-size limit of one block: a record's first half could be written.
#[test]
fn a_full_disk_is_an_error_and_leaves_no_record() {
    let here = tempfile::tempdir().unwrap();
    let at = here.path();
    answer(at, &["plan", "14", "--dir", "r", "--shards", "2", "--solver", "bitmask"]);
    for blocks in ["0", "1"] {
        let script = format!("ulimit -f {blocks}; exec \"$0\" run --dir r");
        let limited =
            Command::new("sh").args(["-c", &script, env!("CARGO_BIN_EXE_nqueens")]).current_dir(at).output().unwrap();
        let said = text(&limited.stderr);
        assert_eq!(limited.status.code(), Some(74), "{said}");
        assert!(said.contains("error: cannot write r/records/00000") && said.contains("is kept"), "{said}");
        assert_eq!(fs::read_dir(at.join("r/records")).unwrap().count(), 0);
    }
    answer(at, &["run", "--dir", "r"]);
    assert_eq!(merged(&at.join("r")), 365_596);
}
