//! Processes that are killed, stopped, out of time, out of disk, or not alone.

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;
use std::thread::{sleep, yield_now};
use std::time::Duration;

use serde_json::{Value, json};

use crate::program::{end, make_pipe, run, send, skipped, typed, wait_until};

use super::{Place, flip, forge_line, lines, logs, planned};

/// The moment is a number of lines, not a time: the process is killed when they are there, or when it has ended.
#[test]
fn killed_at_random_moments_it_ends_with_the_count() {
    let mut random = fastrand::Rng::with_seed(9);
    let (mut trial, mut partly) = (0, 0);
    // On a busy machine the process may be done before we see that it has begun: such a trial is one more.
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
        let status = place.json("run status r --json");
        assert_eq!((&status["damaged"], &status["running"]), (&0.into(), &0.into()), "{trial}: {status}");
        partly += usize::from((1..32).contains(&status["done"].as_u64().unwrap()));
        assert_eq!(place.answer("count 12 --dir r --quiet --threads 2"), "14200\n", "{trial}");
        assert_eq!(place.answer("run merge r"), "14200\n", "{trial}");
        trial += 1;
    }
}

#[test]
fn a_signal_stops_it_and_what_is_finished_is_kept() {
    let place = Place::with_run(20, "auto", 400);
    for (signal, code) in [("-INT", 130), ("-TERM", 143)] {
        let child = place.spawn("count 20 --dir r --threads 2");
        let records = || place.lines().len();
        let before = records();
        wait_until("no shard is counted", || records() >= before + 3);
        // These shards take milliseconds, so one that is listed may be done before its claim is looked at.
        let mut running = Value::Null;
        wait_until("no shard is being counted", || {
            running = place.json("run status r --json");
            running["running"] != 0
        });
        assert_eq!(running["running_shards"][0]["threads"], 2, "{running}");
        send(signal, &child);
        let ended = end(child);
        ended.expect(code, "error: n = 20: stopped: ");
        ended.expect(code, "start the same command again to continue");
        assert!(records() >= before + 3);
    }
    let shown = place.answer("run status r");
    for part in ["running 0", "damaged 0", "no process is counting"] {
        assert!(shown.contains(part), "{shown}");
    }
    place.run("count 20 --dir r --for 1s --threads 1").expect(75, "time is up");
    // One unit takes months.
    planned(&place.path("months"), 28, "arrays", 2);
    place.run("count 28 --dir months --for 1s").expect(75, "no shard was finished in that time");
}

/// An unmounted share leaves an empty folder, or none, or only `records` is a share of its own.
#[test]
fn a_folder_that_is_away_for_a_moment_is_waited_for() {
    for (away, leaves_folder) in [("r", true), ("r", false), ("r/records", false)] {
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
        send("-INT", &child);
        let ended = end(child);
        ended.expect(130, "error: n = 20: stopped: ");
        assert!(!ended.stderr.contains("lost"), "{ended:?}");
        let [fails, works] = ["trying again for up to an hour", "works again"].map(|part| ended.stderr.matches(part));
        assert!(fails.count() > 0 && works.count() > 0, "{ended:?}");
        assert_eq!(place.json("run status r --json")["damaged"], 0);
    }
}

/// Somebody removes what a machine counted while it counts.
#[test]
fn a_log_that_is_removed_is_counted_again() {
    let place = Place::with_run(16, "color", 128);
    let child = place.spawn("count 16 --dir r --threads 1");
    wait_until("no shard is counted", || place.lines().len() >= 3);
    logs(&place.path("r")).into_iter().for_each(|log| fs::remove_file(log).unwrap());
    assert_eq!(end(child).stdout, "14772512\n");
    assert_eq!(place.answer("run merge r"), "14772512\n");
}

#[test]
fn what_others_count_meanwhile_was_not_there_before() {
    let place = Place::with_run(8, "color", 4);
    let lock = fs::File::create(place.path("r/claims/000002")).unwrap();
    lock.lock().unwrap();
    planned(&place.path("other"), 8, "color", 4);
    place.answer("count 8 --dir other");
    let line = |shard: usize| {
        let lines = lines(&place.path("other"));
        lines.into_iter().find(|line| line.contains(&format!("\"shard\":{shard},"))).unwrap()
    };
    fs::write(place.path("r/records/other.jsonl"), line(0)).unwrap();
    let mut child = place.spawn("count 8 --dir r --threads 1 --for 60s");
    let mut told = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
    assert!(told.any(|line| line.contains("waiting for shard 2")));
    fs::write(place.path("r/records/other.jsonl"), line(0) + &line(2)).unwrap();
    drop(lock);
    let last = "nqueens: 2 shards counted and saved, 1 there before, 1 counted by others meanwhile";
    assert_eq!(told.last().unwrap(), last);
    assert_eq!(end(child).stdout, "92\n");
}

/// The figures are those of the whole count, also of what was counted before this start.
#[test]
fn the_figures_are_those_of_all_lines() {
    let place = Place::with_run(12, "color", 12);
    let none = place.json("run status r --json")["core_seconds"].as_f64().unwrap();
    assert!(none == 0.0 && none.is_sign_positive(), "{none}");
    place.answer("count 12 --dir r --only 0..=7 --machine attic --isa portable");
    for _ in 0..2 {
        let json = run(typed(place.at(), "count 12 --dir r --json").env("NQUEENS_MACHINE", "cellar")).json();
        let of = |machine: usize, field: &str| json["machines"][machine][field].clone();
        let told = [of(0, "machine"), of(0, "isa"), of(0, "shards"), of(1, "machine"), of(1, "shards"), of(2, "isa")];
        assert_eq!(told, [json!("attic"), json!("portable"), json!(8), json!("cellar"), json!(4), Value::Null]);
        assert_eq!(json["isa"], "portable");
        let recorded = place.json("run status r --json")["core_seconds"].as_f64().unwrap();
        assert!((json["core_seconds"].as_f64().unwrap() / recorded - 1.0).abs() < 1e-9, "{json}");
    }
    // As graphics cards count: what counted the most shards is no instruction set.
    for shard in 0..8 {
        forge_line(&place.path("r"), shard, |result| result["isa"] = "gpu (card)".into());
    }
    assert_eq!(place.json("count 12 --dir r --json")["isa"], "gpu (card)");
    let portable = "count 12 --solver color --nodes --isa portable";
    assert_eq!(place.answer(&format!("{portable} --dir portable")), place.answer(portable));
}

/// Before each shard, a process looks for what others counted. A line that is damaged is not.
#[test]
fn processes_share_the_work_and_count_damaged_shards_again() {
    for round in 0..4 {
        let place = Place::with_run(14, "color", 60);
        let mut counted = 0;
        if round > 0 {
            place.answer("count 14 --dir r --only 0..=9");
            [2, 5, 7, 9].into_iter().for_each(|shard| flip(&place.path("r"), shard));
            counted = 6;
        }
        for child in [1, 2, 3].map(|_| place.spawn("count 14 --dir r --threads 1")) {
            // Each waits until all shards are counted.
            let ended = end(child);
            ended.expect(0, "counted and saved,");
            assert_eq!(ended.stdout, "365596\n");
            let words: Vec<&str> = ended.stderr.split(' ').collect();
            let at = words.windows(3).position(|words| words == ["counted", "and", "saved,"]).unwrap();
            counted += words[at - 2].parse::<usize>().unwrap();
        }
        assert_eq!(counted, 60, "no shard is counted twice");
        assert_eq!(place.answer("run merge r"), "365596\n");
    }
}

/// A limit on the size of files does not pass by itself.
#[test]
fn a_limit_on_files_is_an_error_and_loses_no_line() {
    let place = Place::with_run(14, "color", 20);
    // The name of the machine makes some lines as long as a block of 512 bytes.
    let script = format!("ulimit -f 4; exec \"$0\" count 14 --dir r --machine {:n<200}", "");
    let mut limited = Command::new("sh");
    let limited = limited.args(["-c", &script, env!("CARGO_BIN_EXE_nqueens")]).current_dir(place.at());
    run(limited).expect(74, "these shards were counted and are lost: ");
    let there = place.lines().len();
    assert!((1..20).contains(&there), "{there}");
    place.run("count 14 --dir r").expect(0, &format!(", {there} there before"));
    assert_eq!(place.answer("run merge r"), "365596\n");
}

/// What real file systems refuse: one that is full, and one that is read-only.
#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_waited_for_and_a_read_only_one_is_an_error() {
    let place = Place::with_run(16, "color", 128);
    let mount = place.path("r/records");
    let mount = mount.to_str().unwrap();
    // In a name space of mounts of its own.
    let script = format!(
        "mount -t tmpfs -o size=8k none {mount} && cd {} && {{
         \"$0\" count 16 --dir r --threads 1 --for 4s; echo status $?
         mount -o remount,size=8k,ro {mount}; \"$0\" count 16 --dir r; echo status $?
         mount -o remount,size=4m,rw {mount}; \"$0\" count 16 --dir r; \"$0\" run merge r; }}",
        place.at().display()
    );
    let mut shell = Command::new("unshare");
    let ended = run(shell
        .args(["--user", "--map-root-user", "--mount", "sh", "-c"])
        .args([script.as_str(), env!("CARGO_BIN_EXE_nqueens")]));
    if !ended.stdout.contains("status") {
        return skipped("no name space of mounts can be made");
    }
    assert_eq!(ended.stdout, "status 74\nstatus 74\n14772512\n14772512\n", "{ended:?}");
    for says in [
        "No space left on device (os error 28); trying again for up to an hour",
        "these shards were counted and are lost: ",
        "error: no result can be saved: cannot write r/records: Read-only file system",
    ] {
        assert!(ended.stderr.contains(says), "{says}: {ended:?}");
    }
}

#[test]
fn links_and_pipes_among_the_files_of_a_run_hold_up_nobody() {
    let bad: [fn(&Path); 3] =
        [|path| symlink("nowhere", path).unwrap(), |path| symlink("/dev/zero", path).unwrap(), make_pipe];
    for make in bad {
        let place = Place::with_run(8, "color", 4);
        symlink("r", place.path("link")).unwrap();
        make(&place.path("r/records/odd.jsonl"));
        place.run("run status link").expect(3, "odd.jsonl: it is not a regular file");
        place.run("count 8 --dir link").expect(0, "4 shards counted and saved");
        assert_eq!(place.answer("run merge r"), "92\n");
        // The plan.
        fs::remove_file(place.path("r/plan.json")).unwrap();
        make(&place.path("r/plan.json"));
        for command in ["run status r", "run merge r"] {
            assert_eq!(place.run(command).status, Some(1), "{command}");
        }
    }
}

/// Two users of a group share a folder, and one of them lets nobody else write its files.
#[test]
fn a_claim_that_may_not_be_written_is_respected() {
    let place = Place::with_run(8, "color", 4);
    let set = |name: &str, mode: u32| fs::set_permissions(place.path(name), fs::Permissions::from_mode(mode)).unwrap();
    let claim = fs::File::create(place.path("r/claims/000002")).unwrap();
    set("r/claims/000002", 0o444);
    claim.lock().unwrap();
    let count = "count 8 --dir r --for 2s";
    let mut command = typed(place.at(), count);
    // Root may write everything: it is nobody who does not.
    if rustix::process::geteuid().is_root() {
        fs::copy(env!("CARGO_BIN_EXE_nqueens"), place.path("nqueens")).unwrap();
        ["", "r", "r/records", "r/claims"].into_iter().for_each(|folder| set(folder, 0o777));
        command = Command::new(place.path("nqueens"));
        command.args(count.split(' ')).current_dir(place.at()).uid(65534).gid(65534);
    }
    run(&mut command).expect(75, "3 shards counted and saved, 0 there before, 1 shard left");
    // Nobody holds it any more.
    drop(claim);
    run(&mut command).expect(0, "");
    assert_eq!(place.answer("run merge r"), "92\n");
}

/// What a process leaves when it is stopped: a lock, and a text that is written no more. Others may write any text.
#[test]
fn a_stopped_process_is_shown_and_its_claim_can_be_removed() {
    let place = Place::with_run(8, "color", 4);
    let held = |shard: usize, threads: u64| {
        let lock = fs::File::create(place.path(&format!("r/claims/00000{shard}"))).unwrap();
        lock.lock().unwrap();
        let told = json!({"since": "2026-11-24T10:00:00Z", "threads": threads, "machine": "box", "process": shard});
        fs::write(place.path(&format!("r/claims/00000{shard}.json")), told.to_string()).unwrap();
        lock
    };
    let stopped = held(2, 3);
    let shown = place.answer("run status r");
    let left = "left on 3 threads of 1 process, if their cores are free, predicted for portable code";
    for part in ["+ shard 2: box, process 2, for ", left] {
        assert!(shown.contains(part), "{shown}");
    }
    let waited = place.run("count 8 --dir r --threads 1 --machine other --for 2s");
    waited.expect(75, "nqueens: waiting for shard 2, which box has been counting for ");
    assert_eq!(waited.stderr.matches("waiting for").count(), 1, "{waited:?}");
    let one = &place.json("run status r --json")["running_shards"][0];
    let told = ["shard", "machine", "since"].map(|field| &one[field]);
    assert_eq!(told, [&json!(2), &json!("box"), &json!("2026-11-24T10:00:00Z")]);
    assert!(one["seconds"].as_u64().is_some(), "{one}");
    fs::remove_file(place.path("r/claims/000002")).unwrap();
    assert_eq!(place.answer("count 8 --dir r"), "92\n");
    drop(stopped);
    // Claims of a million threads.
    fs::remove_dir_all(place.path("r")).unwrap();
    planned(&place.path("r"), 8, "color", 4);
    let locks: Vec<_> = (0..4).map(|shard| held(shard, u64::MAX)).collect();
    let shown = place.json("run status r --json");
    assert_eq!((&shown["running"], &shown["threads"]), (&4.into(), &(4 * nqueens::engine::MAX_THREADS).into()));
    drop(locks);
}
