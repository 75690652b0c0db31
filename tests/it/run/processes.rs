//! Processes that are killed, stopped, out of time, out of disk, or not alone.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;
use std::thread::yield_now;

use serde_json::Value;

use crate::program::{answer, end, make_pipe, run, send, typed, wait_until};

use super::{planned, record_file};

/// The count of a run, which ends with a line.
fn merged(path: &Path) -> String {
    answer(path, "run merge .")
}

/// What `status` says of a run.
fn status(path: &Path) -> serde_json::Value {
    run(&mut typed(path, "run status . --json")).json()
}

/// The moment is a number of records, not a time: the process is killed when they are there, or when it has ended.
#[test]
fn killed_at_random_moments_it_ends_with_the_count() {
    let here = tempfile::tempdir().unwrap();
    let mut random = fastrand::Rng::with_seed(9);
    let (mut trial, mut partly) = (0, 0);
    // On a busy machine the process may be done before we see that it has begun: such a trial is one more.
    while trial < 60 || partly < 20 {
        assert!(trial < 2000, "only {partly} of {trial} were killed in the middle");
        let path = here.path().join(trial.to_string());
        planned(&path, 12, "color", 32);
        let mut child = typed(&path, "count 12 --dir . --quiet --threads 2").spawn().unwrap();
        let records = || fs::read_dir(path.join("records")).map_or(0, Iterator::count);
        let moment = random.usize(0..24);
        while records() < moment && child.try_wait().unwrap().is_none() {
            yield_now();
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let status = status(&path);
        assert_eq!((&status["damaged"], &status["running"]), (&0.into(), &0.into()), "{trial}: {status}");
        partly += usize::from((1..32).contains(&status["done"].as_u64().unwrap()));
        assert_eq!(answer(&path, "count 12 --dir . --quiet --threads 2"), "14200\n", "{trial}");
        assert_eq!(merged(&path), "14200\n", "{trial}");
        fs::remove_dir_all(&path).unwrap();
        trial += 1;
    }
}

#[test]
fn a_signal_stops_it_and_what_is_finished_is_kept() {
    let here = tempfile::tempdir().unwrap();
    let at = here.path();
    planned(at, 20, "auto", 400);
    for (signal, code) in [("-INT", 130), ("-TERM", 143)] {
        let child = typed(at, "count 20 --dir . --threads 2").spawn().unwrap();
        let records = || fs::read_dir(at.join("records")).unwrap().count();
        let before = records();
        wait_until("no shard is counted", || records() >= before + 3);
        // These shards take milliseconds, so one that is listed may be done before its claim is looked at.
        let mut running = Value::Null;
        wait_until("no shard is being counted", || {
            running = status(at);
            running["running"] != 0
        });
        assert_eq!(running["running_shards"][0]["threads"], 2, "{running}");
        send(signal, &child);
        let ended = end(child);
        ended.expect(code, "error: n = 20: stopped: ");
        ended.expect(code, "start the same command again to continue");
        assert!(records() >= before + 3);
    }
    let shown = answer(at, "run status .");
    for part in ["running 0", "damaged 0", "no process is counting"] {
        assert!(shown.contains(part), "{shown}");
    }
    run(&mut typed(at, "count 20 --dir . --for 1s --threads 1")).expect(75, "time is up");
    // One unit takes months.
    planned(&at.join("months"), 28, "arrays", 2);
    run(&mut typed(at, "count 28 --dir months --for 1s")).expect(75, "no shard was finished in that time");
}

#[test]
fn a_count_in_a_folder_goes_on_where_it_was_stopped() {
    let here = tempfile::tempdir().unwrap();
    let at = here.path();
    planned(&at.join("r"), 15, "color", 60);
    let count = "count 15 --dir r --solver color --threads 1";
    for stop in 1..=3 {
        let mut child = typed(at, count).spawn().unwrap();
        wait_until("no shard is counted", || fs::read_dir(at.join("r/records")).unwrap().count() >= 5 * stop);
        child.kill().unwrap();
        child.wait().unwrap();
    }
    assert_eq!(answer(at, count), "2279184\n");
    // Everything is there now; the figures are those of the whole count.
    let plain = answer(at, "count 15 --solver color --nodes");
    assert_eq!(answer(at, &format!("{count} --nodes")), plain);
    // Without a plan it makes one.
    assert_eq!(answer(at, "count 12 --dir new"), "14200\n");
    // JSON tells who counted, before this start too.
    planned(&at.join("two"), 12, "color", 12);
    answer(at, "count 12 --dir two --only 0..=7 --machine attic --isa portable");
    for _ in 0..2 {
        let json = run(typed(at, "count 12 --dir two --json").env("NQUEENS_MACHINE", "cellar")).json();
        let names = ["machine", "isa", "shards"].map(|field| &json["machines"][0][field]);
        assert_eq!(names, [&Value::from("attic"), &"portable".into(), &8.into()], "{json}");
        assert_eq!((&json["machines"][1]["machine"], &json["machines"][1]["shards"]), (&"cellar".into(), &4.into()));
        assert_eq!((&json["machines"][2], &json["isa"]), (&Value::Null, &"portable".into()));
        let recorded = status(&at.join("two"))["core_seconds"].as_f64().unwrap();
        assert!((json["core_seconds"].as_f64().unwrap() / recorded - 1.0).abs() < 1e-9, "{json}");
    }
    assert!(at.join("new/plan.json").exists());
}

#[test]
fn two_processes_share_the_work() {
    let here = tempfile::tempdir().unwrap();
    let at = here.path();
    planned(&at.join("r"), 16, "auto", 60);
    let start = || typed(at, "count 16 --dir r --threads 1").spawn().unwrap();
    let children = [start(), start(), start()];
    let mut counted = 0;
    for child in children {
        // Each waits until all shards are counted.
        let ended = end(child);
        ended.expect(0, "counted and saved,");
        assert_eq!(ended.stdout, "14772512\n");
        let words: Vec<&str> = ended.stderr.split(' ').collect();
        let at = words.windows(3).position(|words| words == ["counted", "and", "saved,"]).unwrap();
        counted += words[at - 2].parse::<usize>().unwrap();
    }
    assert_eq!(counted, 60, "no shard is counted twice");
    assert_eq!(merged(&at.join("r")), "14772512\n");
}

/// Another process that finishes a shard makes a process look for what is there: a file that is damaged is not.
#[test]
fn three_processes_count_a_damaged_shard_again() {
    for _ in 0..3 {
        let here = tempfile::tempdir().unwrap();
        let at = here.path();
        planned(&at.join("r"), 14, "color", 60);
        for shard in [7, 20, 33, 46] {
            fs::write(record_file(&at.join("r"), shard), "damaged").unwrap();
        }
        let children = [1, 2, 3].map(|_| typed(at, "count 14 --dir r --threads 1").spawn().unwrap());
        for child in children {
            end(child).expect(0, "365596\n");
        }
        assert_eq!(merged(&at.join("r")), "365596\n");
    }
}

/// A limit on the size of files does not pass by itself. With one block, a record's first half could be written.
#[test]
fn a_limit_on_files_is_an_error_and_leaves_no_record() {
    let here = tempfile::tempdir().unwrap();
    let at = here.path();
    planned(&at.join("r"), 14, "color", 2);
    for (blocks, says) in [
        ("0", "error: no record can be saved: cannot write r/records: "),
        ("1", "these shards were counted and are lost: "),
    ] {
        let script = format!("ulimit -f {blocks}; exec \"$0\" count 14 --dir r");
        let mut limited = Command::new("sh");
        let limited = run(limited.args(["-c", &script, env!("CARGO_BIN_EXE_nqueens")]).current_dir(at));
        limited.expect(74, says);
        assert_eq!(fs::read_dir(at.join("r/records")).unwrap().count(), 0);
    }
    assert_eq!(answer(at, "count 14 --dir r"), "365596\n");
    assert_eq!(merged(&at.join("r")), "365596\n");
}

#[test]
fn links_and_pipes_among_the_files_of_a_run_lead_nowhere_and_hold_up_nobody() {
    let here = tempfile::tempdir().unwrap();
    let at = here.path();
    let ends = |line: &str, status: i32, part: &str| run(&mut typed(at, line)).expect(status, part);
    let fresh = || {
        let _ = fs::remove_dir_all(at.join("r"));
        planned(&at.join("r"), 8, "color", 4);
    };
    // A claim: its target is left alone, and the shard is counted without a claim. An empty file is no claim, either, if
    // it has another name.
    let claims: [fn(&Path, &Path); 4] = [
        |precious, claim| symlink(precious, claim).unwrap(),
        |precious, claim| fs::hard_link(precious, claim).unwrap(),
        |precious, claim| _ = fs::copy(precious, claim).unwrap(),
        |_, claim| make_pipe(claim),
    ];
    for (make, text) in claims.iter().flat_map(|make| [(make, "a letter"), (make, "")]) {
        for name in ["000000", "000000.json"] {
            fresh();
            fs::write(at.join("precious"), text).unwrap();
            make(&at.join("precious"), &at.join("r/claims").join(name));
            ends("run status r", 0, "running 0");
            ends("count 8 --dir r", 0, "4 shards counted");
            assert_eq!(fs::read_to_string(at.join("precious")).unwrap(), text);
            let there = fs::symlink_metadata(at.join("r/claims").join(name));
            // What is not a claim is not removed.
            assert!(there.is_ok() || text.is_empty(), "{name}, {text}");
        }
    }
    // A folder of claims or records that is a link.
    for (name, command) in [
        ("claims", "count 8 --dir r"),
        ("claims", "run status r"),
        ("records", "count 8 --dir r"),
        ("records", "run merge r"),
    ] {
        fresh();
        fs::create_dir_all(at.join("letters")).unwrap();
        fs::write(at.join("letters/000000"), "").unwrap();
        fs::remove_dir(at.join("r").join(name)).unwrap();
        symlink(at.join("letters"), at.join("r").join(name)).unwrap();
        ends(command, 74, &format!("r/{name}"));
        assert_eq!(fs::read_dir(at.join("letters")).unwrap().count(), 1);
    }
    // The folder of the run itself may be one.
    fresh();
    symlink("r", at.join("link")).unwrap();
    ends("count 8 --dir link", 0, "4 shards counted");
    let bad: [fn(&Path); 3] =
        [|path| symlink("nowhere", path).unwrap(), |path| symlink("/dev/zero", path).unwrap(), make_pipe];
    for make in bad {
        // A record: it makes way for a real one.
        fresh();
        make(&record_file(&at.join("r"), 2));
        ends("run status r", 0, "damaged 1");
        ends("run merge r", 3, "");
        ends("count 8 --dir r", 0, "it is not a regular file; its shard is counted again");
        assert_eq!(merged(&at.join("r")), "92\n");
        // The plan.
        fs::remove_file(at.join("r/plan.json")).unwrap();
        make(&at.join("r/plan.json"));
        for command in ["run status r", "count 8 --dir r", "run merge r"] {
            ends(command, 1, "r/plan.json is damaged: it is not a regular");
        }
    }
}

/// Two users of a group share a folder, and one of them lets nobody else write its files.
#[test]
fn a_claim_that_may_not_be_written_is_respected() {
    let here = tempfile::tempdir().unwrap();
    let at = here.path();
    planned(&at.join("r"), 8, "color", 4);
    let claim = fs::File::create(at.join("r/claims/000002")).unwrap();
    fs::set_permissions(at.join("r/claims/000002"), fs::Permissions::from_mode(0o444)).unwrap();
    claim.lock().unwrap();
    let set = |name: &str, mode: u32| fs::set_permissions(at.join(name), fs::Permissions::from_mode(mode)).unwrap();
    let count = "count 8 --dir r --for 2s";
    let mut command = typed(at, count);
    // Root may write everything: it is nobody who does not.
    if rustix::process::geteuid().is_root() {
        fs::copy(env!("CARGO_BIN_EXE_nqueens"), at.join("nqueens")).unwrap();
        ["", "r", "r/records", "r/claims"].into_iter().for_each(|folder| set(folder, 0o777));
        command = Command::new(at.join("nqueens"));
        command.args(count.split(' ')).current_dir(at).uid(65534).gid(65534);
    }
    run(&mut command).expect(75, "3 shards counted and saved, 0 there before, 1 shard left");
    // Nobody holds it any more.
    drop(claim);
    run(&mut command).expect(0, "");
    assert_eq!(merged(&at.join("r")), "92\n");
}

#[test]
fn a_stopped_process_is_shown_and_its_claim_can_be_removed() {
    let here = tempfile::tempdir().unwrap();
    let at = here.path();
    planned(&at.join("r"), 8, "color", 4);
    // What a process that counts leaves when it is stopped: a lock, and a text that is written no more.
    let claim = fs::File::create(at.join("r/claims/000002")).unwrap();
    claim.lock().unwrap();
    let since = "2026-11-24T10:00:00Z";
    let told = serde_json::json!({"since": since, "threads": 3, "cpu": "", "machine": "box", "process": 1});
    fs::write(at.join("r/claims/000002.json"), told.to_string()).unwrap();
    let shown = answer(at, "run status r");
    assert!(shown.contains("+ shard 2: box, process 1, for "), "{shown}");
    let left = "left on 3 threads of 1 process, if their cores are free, predicted for portable code";
    assert!(shown.contains(left), "{shown}");
    let waited = run(&mut typed(at, "count 8 --dir r --threads 1 --machine other --for 2s"));
    waited.expect(75, "nqueens: waiting for shard 2, which box has been counting for ");
    assert_eq!(waited.stderr.matches("waiting for").count(), 1, "{waited:?}");
    let json = status(&at.join("r"));
    let one = &json["running_shards"][0];
    assert_eq!((&one["shard"], &one["machine"], &one["since"]), (&2.into(), &"box".into(), &since.into()));
    assert!(one["seconds"].as_u64().is_some(), "{one}");
    fs::remove_file(at.join("r/claims/000002")).unwrap();
    answer(at, "count 8 --dir r");
    assert_eq!(merged(&at.join("r")), "92\n");
}

/// Claims of a million threads, and files that killed processes left, in a folder that others can write.
#[test]
fn hostile_claims_and_what_killed_processes_left_do_no_harm() {
    let here = tempfile::tempdir().unwrap();
    let at = here.path();
    planned(&at.join("r"), 8, "color", 4);
    let mut locks = Vec::new();
    for shard in 0..4 {
        let lock = fs::File::create(at.join(format!("r/claims/00000{shard}"))).unwrap();
        lock.lock().unwrap();
        locks.push(lock);
        let told = serde_json::json!({"since": "x", "threads": u64::MAX, "machine": "box", "process": shard});
        fs::write(at.join(format!("r/claims/00000{shard}.json")), told.to_string()).unwrap();
    }
    let shown = status(&at.join("r"));
    assert_eq!((&shown["running"], &shown["threads"]), (&4.into(), &(4 * nqueens::engine::MAX_THREADS).into()));
    drop(locks);
    let hour_ago = std::time::SystemTime::now() - std::time::Duration::from_secs(3700);
    for (part, time) in [("old", Some(hour_ago)), ("new", None)] {
        let file = fs::File::create(at.join(format!("r/records/.000001.json-{part}.part"))).unwrap();
        time.into_iter().for_each(|time| file.set_modified(time).unwrap());
    }
    answer(at, "count 8 --dir r");
    let mut left: Vec<_> =
        fs::read_dir(at.join("r/records")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    left.sort_unstable();
    assert_eq!(left[0], ".000001.json-new.part");
    assert_eq!((left.len(), fs::read_dir(at.join("r/claims")).unwrap().count()), (5, 0), "{left:?}");
}
