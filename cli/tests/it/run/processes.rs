//! Processes that are killed or stopped, run out of time or disk, or share a run.

use std::fs;
use std::process::Command;
use std::thread::{sleep, yield_now};
use std::time::Duration;

use serde_json::{Value, json};

use crate::helpers::{end, run, send, skipped, wait_until};

use super::{Place, flip, logs};

/// Four processes find an empty folder at the same moment, with equal or different plans. The first one plans the run,
/// and the others join it.
#[test]
fn processes_that_plan_one_folder_at_one_moment_end_in_one_plan() {
    for (shards, joined) in [([16; 4], 4), ([13, 14, 15, 16], 1)].repeat(5) {
        let place = Place::new();
        let start = |shards| place.spawn(&format!("count 10 --dir r --solver color --shards {shards} --threads 1"));
        let ended: Vec<_> = shards.map(start).into_iter().map(end).collect();
        assert_eq!(ended.iter().filter(|ended| ended.stdout == "724\n").count(), joined, "{ended:#?}");
        for ended in ended.iter().filter(|ended| ended.stdout.is_empty()) {
            ended.expect(1, "r contains a run for n = 10 with color in 1");
        }
        assert_eq!(place.answer("merge r"), "724\n");
        assert_eq!(fs::read_dir(place.path("r")).unwrap().count(), 3, "the plan, logs and claims");
    }
}

/// The moment is a random number of lines rather than a time: once they are saved, the process is killed.
#[test]
fn killed_at_random_moments_it_ends_with_the_count() {
    let mut random = fastrand::Rng::with_seed(9);
    let (mut trial, mut partly) = (0, 0);
    // On a busy machine, a process may be done before we see its first line. Such a trial is repeated.
    while trial < 60 || partly < 20 {
        assert!(trial < 2000, "only {partly} of {trial} were killed in the middle");
        let place = Place::with_run(12, "color", 32);
        let mut child = place.spawn("count 12 --dir r --quiet --threads 2");
        let moment = random.usize(0..24);
        while place.lines().len() < moment && child.try_wait().unwrap().is_none() {
            yield_now();
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let status = place.json("status r --json");
        assert_eq!((&status["problems"], &status["running"]), (&json!([]), &json!(0)), "{trial}: {status}");
        partly += usize::from((1..32).contains(&status["done"].as_u64().unwrap()));
        assert_eq!(place.answer("count 12 --dir r --quiet --threads 2"), "14200\n", "{trial}");
        assert_eq!(place.answer("merge r"), "14200\n", "{trial}");
        trial += 1;
    }
}

#[test]
fn what_is_finished_is_kept_after_a_signal_or_the_end_of_its_time() {
    let place = Place::with_run(20, "auto", 400);
    let child = place.spawn("count 20 --dir r --threads 2");
    wait_until("no shard is counted", || place.lines().len() >= 3);
    // These shards take milliseconds, so a listed shard may be done before its claim is read. A process takes the lock
    // a moment before it writes its name.
    let mut running = Value::Null;
    wait_until("no shard is being counted", || {
        running = place.json("status r --json");
        running["running_shards"][0]["process"].as_u64().is_some_and(|process| process > 0)
    });
    assert_eq!(running["running_shards"][0]["threads"], 2, "{running}");
    send("-TERM", &child);
    end(child).expect(143, "start the same command again to continue");
    assert!(place.lines().len() >= 3);
    let shown = place.answer("status r");
    assert!(shown.contains("no running process was found"), "{shown}");
    assert!(!["  + shard", "damaged"].iter().any(|part| shown.contains(part)), "{shown}");
    // One unit takes months.
    place.plan("months", 28, "arrays", 2);
    place.run("count 28 --dir months --for 1s").expect(75, "2 shards left");
}

/// An unmounted share leaves an empty folder or none. The share may also be `logs` alone.
#[test]
fn a_folder_that_is_away_for_a_moment_is_waited_for() {
    for (away, leaves_folder) in [("r", true), ("r", false), ("r/logs", false)] {
        let place = Place::with_run(20, "auto", 400);
        let child = place.spawn("count 20 --dir r --threads 2");
        wait_until("no shard is counted", || place.lines().len() >= 3);
        fs::rename(place.path(away), place.path("away")).unwrap();
        if leaves_folder {
            fs::create_dir(place.path(away)).unwrap();
        }
        sleep(Duration::from_millis(1500));
        let stayed_empty = !leaves_folder || fs::remove_dir(place.path(away)).is_ok();
        assert!(stayed_empty, "nothing is written below a mount point");
        fs::rename(place.path("away"), place.path(away)).unwrap();
        let before = place.lines().len();
        wait_until("no shard is counted any more", || place.lines().len() >= before + 3);
        send("-TERM", &child);
        let ended = end(child);
        ended.expect(143, "error: n = 20: stopped: ");
        assert!(!ended.stderr.contains("lost"), "{ended:?}");
        let [fails, works] = ["trying again for up to an hour", "works again"].map(|part| ended.stderr.matches(part));
        assert!(fails.count() > 0 && works.count() > 0, "{ended:?}");
        assert_eq!(place.json("status r --json")["problems"], json!([]));
    }
}

/// Before each shard, a process reads the lines of the others. Damaged lines do not count.
#[test]
fn processes_share_the_work_and_count_damaged_shards_again() {
    for _ in 0..3 {
        let place = Place::with_run(14, "color", 60);
        place.answer("count 14 --dir r --only 0..=9");
        [2, 5, 7, 9].into_iter().for_each(|shard| flip(&place.path("r"), shard));
        let mut counted = 6;
        for child in [1, 2, 3].map(|_| place.spawn("count 14 --dir r --threads 1")) {
            let of_child = format!("-{}-", child.id());
            // Each process waits until all shards are counted.
            let ended = end(child);
            assert_eq!(ended.stdout, "365596\n", "{ended:?}");
            let logs = logs(&place.path("r")).into_iter();
            let own = logs.filter(|log| log.file_name().unwrap().to_str().unwrap().contains(&of_child));
            let saved: usize = own.map(|log| fs::read_to_string(log).unwrap().lines().count()).sum();
            let last = ended.stderr.lines().last().unwrap();
            assert!(last.starts_with(&format!("nqueens: {saved} shard")), "{saved} lines: {ended:?}");
            counted += saved;
        }
        assert_eq!(counted, 60, "no shard is counted twice");
        assert_eq!(place.answer("merge r"), "365596\n");
    }
}

/// Runs a script whose mounts only it sees, and in which `$0` is the program. The script must print `status`. Returns
/// `None` if the system allows no such mounts.
#[cfg(target_os = "linux")]
fn in_namespace(script: &str) -> Option<crate::helpers::Ended> {
    let ended = run(Command::new("unshare")
        .args(["--user", "--map-root-user", "--mount", "sh", "-c"])
        .args([script, env!("CARGO_BIN_EXE_nqueens")]));
    if ended.stdout.contains("status") {
        return Some(ended);
    }
    skipped("no name space of mounts can be made");
    None
}

/// A file system that is full, and one that is read-only.
#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_waited_for_and_a_read_only_one_is_an_error() {
    let place = Place::with_run(16, "color", 128);
    let mount = place.path("r/logs");
    let mount = mount.to_str().unwrap();
    // The mount is only visible in its own namespace.
    let script = format!(
        "mount -t tmpfs -o size=8k none {mount} && cd {} && {{
         \"$0\" count 16 --dir r --threads 1 --for 4s; echo status $?
         mount -o remount,size=8k,ro {mount}; \"$0\" count 16 --dir r; echo status $?
         mount -o remount,size=4m,rw {mount}; \"$0\" count 16 --dir r; \"$0\" merge r; }}",
        place.at().display()
    );
    let Some(ended) = in_namespace(&script) else { return };
    assert_eq!(ended.stdout, "status 75\nstatus 74\n14772512\n14772512\n", "{ended:?}");
    for says in [
        "No space left on device (os error 28); trying again for up to an hour",
        "error: no result can be saved: cannot write r/logs: Read-only file system",
    ] {
        assert!(ended.stderr.contains(says), "{says}: {ended:?}");
    }
    // The time is up as well, but losing a shard is an error.
    let is_loss =
        |line: &str| line.starts_with("error: ") && line.contains(" counted and lost: stopped: cannot write r/logs: ");
    assert!(ended.stderr.lines().any(is_loss), "{ended:?}");
}

/// Trap: each finished shard that waits for the disk keeps its claim, an open file. If these files reach the limit, no
/// log can be opened, not even once the disk works again.
#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_does_not_use_up_the_open_files() {
    let place = Place::with_run(16, "color", 128);
    let mount = place.path("r/logs");
    let mount = mount.to_str().unwrap();
    let script = format!(
        "mount -t tmpfs -o size=256k none {mount} && cd {} && ulimit -n 24 && {{
         head -c 1m /dev/zero >{mount}/.full; (sleep 3; rm {mount}/.full) &
         \"$0\" count 16 --dir r --threads 2 --for 40s; echo status $?; }}",
        place.at().display()
    );
    let Some(ended) = in_namespace(&script) else { return };
    assert_eq!(ended.stdout, "14772512\nstatus 0\n", "{ended:?}");
    assert!(ended.stderr.contains("the file system works again"), "{ended:?}");
    assert!(!ended.stderr.contains("Too many open files"), "{ended:?}");
}

/// A suspended process keeps the lock on its claim, and `status` shows the text in the claim, which anybody may have
/// written.
#[test]
fn a_stopped_process_is_shown_and_its_claim_can_be_removed() {
    let place = Place::with_run(8, "color", 4);
    let claim = place.path("r/claims/000002");
    let stopped = fs::File::create(&claim).unwrap();
    stopped.lock().unwrap();
    let claimant = json!({"since": "2026-11-24T10:00:00Z", "threads": 3, "machine": "box", "process": 2});
    fs::write(&claim, claimant.to_string()).unwrap();
    let shown = place.answer("status r");
    assert!(shown.contains("+ shard 2: box, process 2, since 2026-11-24T10:00:00Z"), "{shown}");
    let waited = place.run("count 8 --dir r --threads 1 --machine other --for 2s");
    waited.expect(75, "nqueens: waiting for 1 shard that other processes are counting: ");
    assert_eq!(waited.stderr.matches("waiting for").count(), 1, "{waited:?}");
    fs::remove_file(&claim).unwrap();
    assert_eq!(place.answer("count 8 --dir r"), "92\n");
    drop(stopped);
}
