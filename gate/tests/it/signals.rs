//! A gate that is interrupted or suspended.

use std::fs;

use testing::{end, send, wait_until};

use super::{gate, gated, has_ended, sh};

/// Trap: the runs are so short that each ends before the gate looks for a signal.
#[test]
fn a_gate_that_is_stopped_ends_all_it_started_and_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let (told, page) = (folder.path().join("told"), folder.path().join("page.md"));
    // It writes down the number of the process that it starts, and waits for it.
    let name = told.display();
    let hanging = sh(&format!("sleep 1000 & echo $! >{name}.part; mv {name}.part {name}; wait"));
    gated("true", &hanging, &["--budget", "1s"]).expect(1, "did not finish within the budget");
    wait_until("it outlives the gate", || has_ended(&told));
    let short = sh(&format!("echo >>{name}"));
    for (head, signals) in [(&hanging, 1), (&hanging, 2), (&short, 1)] {
        fs::remove_file(&told).unwrap();
        let child = gate("true", head, &["--json", "--markdown", page.to_str().unwrap()]).spawn().unwrap();
        wait_until("the head does not run", || told.exists());
        for _ in 0..signals {
            send("-TERM", &child);
        }
        end(child).expect(143, "\"reason\":\"the gate was interrupted");
        assert!(fs::read_to_string(&page).unwrap().contains("the gate was interrupted"));
        wait_until("it outlives the gate", || head == &short || has_ended(&told));
    }
}

/// Trap: the round that decides is complete, although a signal came during its last run of the head.
#[test]
fn a_verdict_that_a_complete_round_gives_counts_although_a_signal_came() {
    let folder = tempfile::tempdir().unwrap();
    let told = folder.path().join("told");
    let name = told.display();
    // The gate decides after five clear rounds, the last of which ends with the eleventh run of head and one of base.
    let head = sh(&format!("echo >>{name}; sleep 0.02; [ $(wc -l <{name}) -lt 11 ] || kill -TERM $PPID"));
    let try_it = |_| {
        let _ = fs::remove_file(&told);
        end(gate("true", &head, &["--threshold", "100"]).spawn().unwrap())
    };
    // On a busy machine, a round may not be clear, or a run may last until the gate looks for a signal.
    let ended = (0..5).map(try_it).find(|ended| ended.stdout.contains("\nregression: head is "));
    ended.expect("no verdict").expect(143, " in 5 rounds: in each round, both runs of head took over 100.0 % more ");
}

/// Trap: time in which the gate is suspended does not count, so the budget does not end repetitions.
#[test]
fn a_machine_that_is_suspended_again_and_again_ends_the_gate() {
    let head = sh("kill -STOP $PPID; sleep 2.1; kill -CONT $PPID");
    let ended = end(gate("true", &head, &["--budget", "9s"]).spawn().unwrap());
    ended.expect(5, ") was suspended together with the gate in 3 runs: keep the machine awake");
}

/// Trap: the gate is suspended for longer than its budget while its command runs on.
#[test]
fn the_time_in_which_the_gate_is_suspended_does_not_count() {
    let folder = tempfile::tempdir().unwrap();
    let told = folder.path().join("told");
    let nap = sh(&format!("echo >>{}; sleep 0.03", told.display()));
    let child = gate(&nap, &nap, &["--json", "--any-output", "--budget", "9s"]).spawn().unwrap();
    wait_until("the head does not run", || told.exists());
    send("-STOP", &child);
    std::thread::sleep(std::time::Duration::from_secs(10));
    send("-CONT", &child);
    let ended = end(child);
    assert!(ended.json()["pairs"][0]["rounds"].as_array().is_some_and(|rounds| rounds.len() >= 15), "{ended:?}");
}
