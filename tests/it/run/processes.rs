//! Processes that are killed, stopped, out of time, out of disk, or not alone.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::{answer, nqueens, output, planned, sealed, text};
use crate::program::send;

/// The count of a run, which ends with a line.
fn merged(path: &Path) -> String {
    answer(path, &["run", "merge", "--dir", "."])
}

/// What `status` says of a run.
fn status(path: &Path) -> serde_json::Value {
    serde_json::from_str(&answer(path, &["run", "status", "--dir", ".", "--json"])).unwrap()
}

#[test]
fn killed_at_a_hundred_random_moments_it_ends_with_the_count() {
    let here = tempfile::tempdir().unwrap();
    let mut random = fastrand::Rng::with_seed(9);
    let mut partly = 0;
    // What it takes in all, here and now.
    let once = here.path().join("once");
    planned(&once, 12, "color", 32);
    let start = Instant::now();
    answer(&once, &["run", "count", "--dir", ".", "--quiet", "--threads", "2"]);
    let whole = start.elapsed();
    for trial in 0..100 {
        let path = here.path().join(trial.to_string());
        planned(&path, 12, "color", 32);
        let mut child =
            nqueens(&["run", "count", "--dir", ".", "--quiet", "--threads", "2"]).current_dir(&path).spawn().unwrap();
        sleep(whole.mul_f64(random.f64() * 1.1));
        child.kill().unwrap();
        child.wait().unwrap();
        let status = status(&path);
        assert_eq!((&status["damaged"], &status["running"]), (&0.into(), &0.into()), "{trial}: {status}");
        partly += usize::from((1..32).contains(&status["done"].as_u64().unwrap()));
        answer(&path, &["run", "count", "--dir", ".", "--quiet", "--threads", "2"]);
        assert_eq!(merged(&path), "14200\n", "{trial}");
        fs::remove_dir_all(&path).unwrap();
    }
    assert!(partly >= 10, "only {partly} were killed in the middle");
}

#[test]
fn a_signal_stops_it_and_what_is_finished_is_kept() {
    let here = tempfile::tempdir().unwrap();
    let at = here.path();
    answer(at, &["run", "plan", "20", "--dir", "r", "--shards", "400"]);
    for (signal, code) in [("-INT", 130), ("-TERM", 143)] {
        let child = nqueens(&["run", "count", "--dir", "r", "--threads", "2"]).current_dir(at).spawn().unwrap();
        let start = Instant::now();
        let records = || fs::read_dir(at.join("r/records")).unwrap().count();
        let before = records();
        while records() < before + 3 && start.elapsed() < Duration::from_secs(90) {
            sleep(Duration::from_millis(20));
        }
        let running = answer(at, &["run", "status", "--dir", "r", "--json"]);
        assert!(!running.contains("\"running\":0") && running.contains("\"threads\":2"), "{running}");
        send(signal, &child);
        let output = child.wait_with_output().unwrap();
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{said}");
        assert!(
            said.contains("error: stopped: ") && said.contains("start the same command again to continue"),
            "{said}"
        );
        assert!(records() >= before + 3);
    }
    let status = answer(at, &["run", "status", "--dir", "r"]);
    assert!(
        status.contains("running 0") && status.contains("damaged 0") && status.contains("no process is counting"),
        "{status}"
    );
    let late = output(at, &["run", "count", "--dir", "r", "--max-runtime", "1s", "--threads", "1"]);
    assert_eq!(late.status.code(), Some(75), "{late:?}");
    assert!(text(&late.stderr).contains("time is up"), "{late:?}");
}

#[test]
fn a_count_with_a_checkpoint_goes_on_where_it_was_stopped() {
    let here = tempfile::tempdir().unwrap();
    let at = here.path();
    answer(at, &["run", "plan", "15", "--dir", "r", "--shards", "60", "--solver", "color"]);
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
    answer(at, &["run", "plan", "16", "--dir", "r", "--shards", "60"]);
    let start = || nqueens(&["run", "count", "--dir", "r", "--threads", "1"]).current_dir(at).spawn().unwrap();
    let children = [start(), start(), start()];
    let mut counted = 0;
    for child in children {
        let output = child.wait_with_output().unwrap();
        let said = text(&output.stderr);
        // Each waits until all shards are counted.
        assert_eq!(output.status.code(), Some(0), "{said}");
        let words: Vec<&str> = said.split(' ').collect();
        let at = words.windows(3).position(|words| words == ["counted", "and", "saved,"]).unwrap();
        counted += words[at - 2].parse::<usize>().unwrap();
    }
    assert_eq!(counted, 60, "no shard is counted twice");
    assert_eq!(merged(&at.join("r")), "14772512\n");
}

/// A file-size limit of one block: a record's first half could be written.
#[test]
fn a_full_disk_is_an_error_and_leaves_no_record() {
    let here = tempfile::tempdir().unwrap();
    let at = here.path();
    answer(at, &["run", "plan", "14", "--dir", "r", "--shards", "2", "--solver", "bitmask"]);
    for blocks in ["0", "1"] {
        let script = format!("ulimit -f {blocks}; exec \"$0\" run count --dir r");
        let limited =
            Command::new("sh").args(["-c", &script, env!("CARGO_BIN_EXE_nqueens")]).current_dir(at).output().unwrap();
        let said = text(&limited.stderr);
        assert_eq!(limited.status.code(), Some(74), "{said}");
        assert!(said.contains("error: cannot write r/records/00000") && said.contains("is kept"), "{said}");
        assert_eq!(fs::read_dir(at.join("r/records")).unwrap().count(), 0);
    }
    answer(at, &["run", "count", "--dir", "r"]);
    assert_eq!(merged(&at.join("r")), "365596\n");
}

/// What a command says and how it ends, if it does within the time that a test has.
fn ends(at: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    let mut child = nqueens(arguments).current_dir(at).spawn().unwrap();
    let start = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if start.elapsed() > Duration::from_secs(60) {
            child.kill().unwrap();
            panic!("{arguments:?} does not end");
        }
        sleep(Duration::from_millis(10));
    }
    let output = child.wait_with_output().unwrap();
    (output.status.code(), text(&output.stderr).to_owned())
}

fn make_pipe(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

#[test]
fn links_and_pipes_among_the_files_of_a_run_lead_nowhere_and_hold_up_nobody() {
    let here = tempfile::tempdir().unwrap();
    let at = here.path();
    let fresh = || {
        let _ = fs::remove_dir_all(at.join("r"));
        answer(at, &["run", "plan", "8", "--dir", "r", "--shards", "4", "--solver", "bitmask", "--quiet"]);
    };
    // A claim: its target is left alone.
    fresh();
    fs::write(at.join("precious"), "text").unwrap();
    std::os::unix::fs::symlink(at.join("precious"), at.join("r/claims/000000")).unwrap();
    let (status, said) = ends(at, &["run", "count", "--dir", "r"]);
    assert!(status == Some(74) && said.contains("r/claims/000000: it is a link"), "{said}");
    assert_eq!(fs::read_to_string(at.join("precious")).unwrap(), "text");
    answer(at, &["run", "status", "--dir", "r"]);
    // A record: it makes way for a real one.
    let bad: [fn(&Path); 3] = [
        |path| std::os::unix::fs::symlink("nowhere", path).unwrap(),
        |path| std::os::unix::fs::symlink("/dev/zero", path).unwrap(),
        make_pipe,
    ];
    for make in bad {
        fresh();
        make(&at.join("r/records/000002.json"));
        assert!(answer(at, &["run", "status", "--dir", "r"]).contains("damaged 1"));
        assert_eq!(ends(at, &["run", "merge", "--dir", "r"]).0, Some(3));
        let (status, said) = ends(at, &["run", "count", "--dir", "r"]);
        assert!(status == Some(0) && said.contains(", and not a regular file; its shard is counted again"), "{said}");
        assert_eq!(merged(&at.join("r")), "92\n");
    }
    // The plan.
    for make in bad {
        let _ = fs::remove_dir_all(at.join("r"));
        fs::create_dir(at.join("r")).unwrap();
        make(&at.join("r/plan.json"));
        for command in [
            &["run", "status", "--dir", "r"][..],
            &["run", "count", "--dir", "r"],
            &["run", "merge", "--dir", "r"],
            &["run", "plan", "8", "--dir", "r"],
        ] {
            let (status, said) = ends(at, command);
            assert!(status == Some(1) && said.contains("r/plan.json is damaged: it is a"), "{command:?}: {said}");
        }
    }
}

/// Two users of a group share a folder, and one of them lets nobody else write its files.
#[test]
fn a_claim_that_may_not_be_written_is_taken() {
    let here = tempfile::tempdir().unwrap();
    let at = here.path();
    answer(at, &["run", "plan", "8", "--dir", "r", "--shards", "4", "--solver", "bitmask"]);
    let claim = fs::File::create(at.join("r/claims/000002")).unwrap();
    fs::set_permissions(at.join("r/claims/000002"), fs::Permissions::from_mode(0o444)).unwrap();
    claim.lock().unwrap();
    let count = ["run", "count", "--dir", "r", "--max-runtime", "2s"];
    let mut command = nqueens(&count);
    // Root may write everything: it is nobody who does not.
    if rustix::process::geteuid().is_root() {
        let program = at.join("nqueens");
        fs::copy(env!("CARGO_BIN_EXE_nqueens"), &program).unwrap();
        for folder in ["", "r", "r/records", "r/claims"] {
            fs::set_permissions(at.join(folder), fs::Permissions::from_mode(0o777)).unwrap();
        }
        command = Command::new(&program);
        command.args(count).stderr(std::process::Stdio::piped()).uid(65534).gid(65534);
    }
    let mut run = || command.current_dir(at).output().unwrap();
    let taken = run();
    assert_eq!(taken.status.code(), Some(75), "{taken:?}");
    assert!(text(&taken.stderr).contains("3 shards counted and saved, 0 there before, 1 shard left"), "{taken:?}");
    // Nobody holds it any more, but it cannot be replaced, or made.
    drop(claim);
    fs::set_permissions(at.join("r/claims"), fs::Permissions::from_mode(0o555)).unwrap();
    for is_there in [true, false] {
        if !is_there {
            fs::set_permissions(at.join("r/claims"), fs::Permissions::from_mode(0o755)).unwrap();
            fs::remove_file(at.join("r/claims/000002")).unwrap();
            fs::set_permissions(at.join("r/claims"), fs::Permissions::from_mode(0o555)).unwrap();
        }
        let refused = run();
        assert_eq!(refused.status.code(), Some(74), "{refused:?}");
        assert!(text(&refused.stderr).contains("cannot write r/claims/000002: "), "{refused:?}");
    }
    let claim = fs::File::create(at.join("r/claims/000002"));
    fs::set_permissions(at.join("r/claims"), fs::Permissions::from_mode(0o777)).unwrap();
    // It makes way.
    drop(claim);
    let free = run();
    assert!(free.status.success(), "{free:?}");
    assert_eq!(merged(&at.join("r")), "92\n");
}

#[test]
fn a_stopped_process_is_shown_and_its_claim_can_be_removed() {
    let here = tempfile::tempdir().unwrap();
    let at = here.path();
    answer(at, &["run", "plan", "8", "--dir", "r", "--shards", "4", "--solver", "bitmask"]);
    // What a process that counts leaves when it is stopped: a lock, and a text that is written no more.
    let claim = fs::File::create(at.join("r/claims/000002")).unwrap();
    claim.lock().unwrap();
    let since = "2026-11-24T10:00:00Z";
    let told = serde_json::json!({"since": since, "threads": 3, "cpu": "", "machine": "box", "process": 1, "number": "00c0ffee"});
    fs::write(at.join("r/claims/000002"), told.to_string()).unwrap();
    let shown = answer(at, &["run", "status", "--dir", "r"]);
    assert!(shown.contains("+ shard 2: box, process 1 (00c0ffee), for "), "{shown}");
    let left = "left on 3 threads of 1 process, if their cores are free; based on the prediction for portable code: no \
                shard is finished";
    assert!(shown.contains(left), "{shown}");
    let run = ["run", "count", "--dir", "r", "--threads", "1", "--machine", "other", "--max-runtime", "2s"];
    let run = output(at, &run);
    assert_eq!(run.status.code(), Some(75), "{run:?}");
    assert!(text(&run.stderr).contains("waiting for shards that other processes are counting"), "{run:?}");
    let shown = answer(at, &["run", "status", "--dir", "r"]);
    assert!(shown.contains("based on 3 records"), "{shown}");
    let json: serde_json::Value =
        serde_json::from_str(&answer(at, &["run", "status", "--dir", "r", "--json"])).unwrap();
    let one = &json["running_shards"][0];
    assert_eq!((&one["shard"], &one["number"], &one["since"]), (&2.into(), &"00c0ffee".into(), &since.into()));
    assert!(one["seconds"].as_u64().is_some(), "{one}");
    fs::remove_file(at.join("r/claims/000002")).unwrap();
    answer(at, &["run", "count", "--dir", "r"]);
    assert_eq!(merged(&at.join("r")), "92\n");
}

/// A plan may come from anywhere, and its words go to a terminal.
#[test]
fn what_comes_from_a_plan_is_shown_without_what_a_terminal_obeys() {
    let here = tempfile::tempdir().unwrap();
    let run = here.path().join("r");
    planned(&run, 8, "bitmask", 4);
    let file = run.join("plan.json");
    let mut plan: serde_json::Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    plan["fingerprint"] = "\u{1b}]0;x\u{7}".into();
    fs::write(file, sealed(&plan)).unwrap();
    assert!(answer(here.path(), &["run", "status", "--dir", "r"]).contains("fingerprint \\u{1b}]0;x"));
    for command in ["status", "count", "merge"] {
        let output = output(here.path(), &["run", command, "--dir", "r"]);
        assert!(![&output.stdout, &output.stderr].iter().any(|bytes| bytes.contains(&0x1b)), "{output:?}");
    }
}
