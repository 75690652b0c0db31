//! `abgate` on commands that behave and on commands that do not. A slow command takes many times as long as a quick one, so
//! that a regression shows beside other programs, too. Closer verdicts are tested in src/judge.rs and src/rounds.rs, with invented times.
#![cfg(unix)]

mod program;

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use program::{Ended, Scripts, end, gate, run, send, wait_until};

fn gated(base: &str, head: &str, more: &[&str]) -> Ended {
    run(&mut gate(base, head, more))
}

#[test]
fn every_end_has_its_status_its_sentence_its_json_its_page_and_its_line_for_github() {
    let scripts = Scripts::new();
    let (quick, slow, rough) = (scripts.script("quick", "echo 92"), scripts.slow("slow"), scripts.alternating("rough"));
    let other = scripts.script("other", "echo 93");
    let failing = scripts.script("failing", "echo oh no >&2; exit 7");
    // A busy machine may need more than a second for ten rounds.
    let budgets: &[&str] = &["1s", "4s", "16s"];
    for (base, head, options, budgets, status, verdict, said) in [
        (&quick, &quick, "--threshold=100%", budgets, 0, "pass", "within the threshold of 100.0 %"),
        (&quick, &slow, "--threshold=2", budgets, 4, "regression", "beyond the threshold of 2.0 % and"),
        (&other, &slow, "--any-output", budgets, 4, "regression", "head takes "),
        (&rough, &rough, "--clock=elapsed", budgets, 5, "noise", "raise --budget or --threshold"),
        (&rough, &rough, "--clock=elapsed --allow-inconclusive", budgets, 0, "noise", "stays open"),
        (&quick, &quick, "--allow-inconclusive", &["1ms"], 5, "not-measured", "raise --budget to "),
        (&quick, &other, "--threshold=2", budgets, 1, "failed", "than base: line 1 is \"93\" instead of \"92\""),
        (&quick, &failing, "--any-output", budgets, 1, "failed", "status: 7; on standard error it said \"oh no\""),
        (
            &failing,
            &quick,
            "--any-output",
            budgets,
            2,
            "not-compared",
            "status: 7; on standard error it said \"oh no\"",
        ),
    ] {
        let summary = scripts.path("summary.md");
        let mut tries = budgets.iter().map(|budget| {
            let _ = fs::remove_file(&summary);
            let mut command = gate(base, head, &["--json", "--budget", budget]);
            command.args(options.split(' '));
            let ended = run(command.env("GITHUB_ACTIONS", "true").env("GITHUB_STEP_SUMMARY", &summary));
            (ended.json(), ended)
        });
        let (json, ended) = tries.find(|(json, _)| json["verdict"] == verdict).expect(said);
        ended.expect(status, said);
        let rounds = json["rounds"].as_array().unwrap();
        for clock in ["processor", "elapsed"] {
            assert_eq!(rounds.len() >= 10, json[clock]["ratio"]["high"].is_number(), "{json}");
            assert!(rounds.iter().all(|round| round["head"][clock][1].is_number()), "{json}");
        }
        let word = match verdict {
            "noise" | "not-measured" => "inconclusive",
            "not-compared" => "nothing can be compared",
            _ => verdict,
        };
        let kind = if verdict == "pass" { "notice" } else { ["warning", "error"][usize::from(status > 0)] };
        let line = format!("::{kind} title=abgate%3A {word}");
        assert_eq!(ended.stderr.lines().filter(|said| said.starts_with(&line)).count(), 1, "{ended:?}");
        let page = fs::read_to_string(&summary).unwrap();
        assert!(page.starts_with(&format!("### abgate: {word}")), "{page}");
        assert!(page.contains(&format!("Base `{base}`, head `{head}`.")), "{page}");
        for clock in ["\nprocessor ", "\nelapsed "] {
            assert_eq!(page.matches(clock).count(), usize::from(rounds.len() >= 10), "{page}");
        }
    }
    let text = gated(&quick, &quick, &["--budget", "1ms"]);
    assert!(text.stdout.starts_with("inconclusive: not measured: a run takes "), "{text:?}");
    // A file that cannot be written is told before anything is measured.
    let ended = gated("true", "true", &["--markdown", "nowhere/file"]);
    ended.expect(74, "cannot write the page to nowhere/file");
    assert_eq!(ended.stdout, "");
}

#[test]
fn nothing_can_be_compared_with_a_base_that_fails() {
    let scripts = Scripts::new();
    let good = scripts.script("good", "echo 92");
    let hanging = scripts.script("hanging", "sleep 1000");
    let hostile = scripts.script("hostile", "printf '\\033[2J\\342\\200\\256|`<b>' >&2; exit 7");
    let stubborn = scripts.script("stubborn", "trap '' INT TERM HUP QUIT; exec >&- 2>&-; kill -STOP $$");
    let changing = scripts.script("changing", "echo $$");
    let plain = scripts.path("plain").to_str().unwrap().to_owned();
    fs::write(&plain, "text").unwrap();
    for (command, problem) in [
        ("no/such/program", "it cannot be run: No such file or directory (os error 2)"),
        (&plain, "it cannot be run: Permission denied (os error 13)"),
        ("no-such-program", "for a file in this folder give its path, such as ./program"),
        ("false", "it ended with exit status: 1; on standard error it said nothing"),
        ("sh -c 'kill -SEGV $$'", "it ended with signal: 11"),
        (&hostile, "said \"\\u{1b}[2J\\u{202e}|`<b>\""),
    ] {
        let ended = gated(command, &good, &["--any-output"]);
        ended.expect(2, problem);
        assert!(ended.stdout.starts_with("nothing can be compared: base ("), "{ended:?}");
        gated(&good, command, &["--any-output"]).expect(1, problem);
    }
    for command in [&hanging, &stubborn] {
        let ended = gated(command, &good, &["--timeout", "100ms"]);
        ended.expect(2, "it did not finish in time and was stopped: raise --timeout");
    }
    gated("yes", &good, &[]).expect(2, "it printed more than 64 MiB: let it print less");
    gated(&changing, &changing, &[]).expect(2, "it prints something else each time");
    gated("'", &good, &[]).expect(2, "a quote is not closed");
    gated(&good, "", &[]).expect(2, "give a program and its arguments");
}

#[test]
fn no_line_with_a_command_in_it_is_obeyed_by_a_terminal_or_by_github() {
    let hostile = "echo '\n::error::a\n##[error]b \u{1b}[2J\u{202e}'";
    for format in ["--json", "--any-output"] {
        for (base, head) in [("echo", hostile), (hostile, "echo"), (hostile, hostile)] {
            let ended = run(gate(base, head, &["--budget", "1ms", format]).env("GITHUB_ACTIONS", "true"));
            let lines = || ended.stdout.lines().chain(ended.stderr.lines());
            assert!(!lines().any(|line| line.starts_with("::error::") || line.contains("##[")), "{ended:?}");
        }
    }
    let ended = gated("echo a\n::error::b", "echo", &[]);
    assert!(ended.status == Some(2) && !ended.stderr.lines().any(|line| line.starts_with("::")), "{ended:?}");
}

/// `cargo install` of the gate takes half a minute, and not two.
#[cfg(target_os = "linux")]
#[test]
fn at_most_25_crates_are_needed() {
    let arguments = "tree --offline --package abgate --edges normal,build --prefix none --no-dedupe";
    let mut cargo = Command::new(env!("CARGO"));
    let tree = run(cargo.args(arguments.split(' ')).current_dir(env!("CARGO_MANIFEST_DIR")));
    assert_eq!(tree.status, Some(0), "{tree:?}");
    let crates: std::collections::BTreeSet<&str> = tree.stdout.lines().collect();
    assert!((10..=25).contains(&crates.len()), "{crates:#?}");
}

#[test]
fn the_processor_time_of_children_is_judged() {
    let scripts = Scripts::new();
    let slow = scripts.slow("slow");
    let parent = scripts.script("parent", &format!("{slow} >/dev/null & wait; echo 92"));
    gated("echo 92", &parent, &["--clock", "processor"]).expect(4, "regression: head takes ");
}

#[test]
fn slower_by_one_clock_is_not_a_pass() {
    let ended = gated("sleep 0.02", "sleep 0.1", &["--threshold", "100", "--budget", "1m"]);
    ended.expect(5, "inconclusive, slower by one clock: head takes ");
    ended.expect(5, "--clock processor decides by processor time alone");
    assert!(ended.stdout.contains("\nprocessor ") && ended.stdout.contains("\nelapsed "), "{ended:?}");
}

#[test]
fn what_a_command_leaves_running_is_ended_and_nothing_passes() {
    let scripts = Scripts::new();
    let told = scripts.path("told");
    let good = scripts.script("good", "echo 92");
    let [job, daemon] = [("job", ""), ("daemon", "setsid ")].map(|(name, how)| {
        let body = format!("{how}sleep 1000 & echo $! >'{}'; sleep 0.1; echo 92", told.display());
        scripts.script(name, &body)
    });
    let daemons = if cfg!(target_os = "linux") { vec![&job, &daemon] } else { vec![&job] };
    for left in daemons {
        for (base, head, side) in [(left, &good, "base"), (&good, left, "head")] {
            let ended = gated(base, head, &["--json", "--allow-inconclusive"]);
            ended.expect(5, " was still running and was stopped");
            let json = ended.json();
            assert!(json["verdict"] == "left-running" && json["reason"].as_str().unwrap().starts_with(side), "{json}");
            let process = fs::read_to_string(&told).unwrap();
            assert!(!PathBuf::from(format!("/proc/{}", process.trim())).exists(), "it outlives the gate");
        }
    }
    if cfg!(target_os = "linux") {
        // On a busy machine it may not yet have its name.
        wait_until("it has no name", || gated(&good, &daemon, &[]).stdout.contains("'sleep' was still running"));
    }
    // What was there before the gate stays.
    let script = "sleep 1000 >/dev/null 2>&1 & echo $!; exec \"$@\"";
    let gate = gate("echo 92", "echo 93", &[]);
    let mut shell = Command::new("sh");
    shell.args(["-c", script, "sh"]).arg(gate.get_program()).args(gate.get_args()).stdin(Stdio::null());
    let ended = run(&mut shell);
    ended.expect(1, "it prints something else than base");
    let stays = ended.stdout.lines().next().unwrap();
    assert!(run(Command::new("kill").arg(stays)).status == Some(0), "it is gone");
}

#[test]
fn a_parent_that_ignores_its_children_changes_nothing() {
    let scripts = Scripts::new();
    let (quick, slow) = (scripts.script("quick", "echo 92"), scripts.slow("slow"));
    let script = "trap '' CHLD; exec \"$0\" --base \"$1\" --head \"$2\" --clock processor";
    let mut shell = Command::new("sh");
    shell.args(["-c", script, env!("CARGO_BIN_EXE_abgate"), &quick, &slow]).stdin(Stdio::null());
    run(&mut shell).expect(4, "regression: head takes ");
}

#[test]
fn every_run_reads_all_of_standard_input() {
    let scripts = Scripts::new();
    let path = scripts.path("lines");
    fs::write(&path, "1\n2\n3\n").unwrap();
    let (counts, slow) = (scripts.script("counts", "wc -l"), scripts.slow_after("slow", "wc -l"));
    let other = scripts.script("other", "cat");
    let with_file = |head: &str| run(gate(&counts, head, &[]).stdin(fs::File::open(&path).unwrap()));
    with_file(&slow).expect(4, "each run reads all of standard input");
    with_file(&other).expect(1, "line 1 is \"1\" instead of \"3\"");
    gated(&counts, &other, &[]).expect(1, "line 1 is nothing instead of \"0\"");
    // Its writer begins late.
    let mut writer =
        Command::new("sh").args(["-c", "sleep 1.2; echo 1; echo 2"]).stdout(Stdio::piped()).spawn().unwrap();
    let ended = run(gate(&counts, &other, &[]).stdin(writer.stdout.take().unwrap()));
    ended.expect(1, "line 1 is \"1\" instead of \"2\"");
    ended.expect(1, "waiting for the end of standard input");
    writer.wait().unwrap();
    // Some schedulers and `ssh` give a socket, or a pipe that never ends.
    let (reader, mut writer) = std::os::unix::net::UnixStream::pair().unwrap();
    std::io::Write::write_all(&mut writer, b"1\n").unwrap();
    let silent =
        gate(&counts, &other, &["--budget", "100ms"]).stdin(std::os::fd::OwnedFd::from(reader)).spawn().unwrap();
    end(silent).expect(2, "standard input does not end within --budget: give '</dev/null'");
}

#[test]
fn a_command_is_prepared_and_may_end_with_another_status() {
    let scripts = Scripts::new();
    let ready = scripts.path("ready");
    // It fails unless it is prepared, as a sort in place would.
    let once = format!("rm '{}'", ready.display());
    let (quick, slow) = (scripts.script("quick", &once), scripts.slow_after("slow", &once));
    let prepare = format!("touch '{}'", ready.display());
    gated(&quick, &slow, &[]).expect(2, "it ended with exit status: 1");
    gated(&quick, &slow, &["--prepare", &prepare]).expect(4, "regression: ");
    gated("true", "true", &["--prepare", "false"]).expect(2, "nothing can be compared: --prepare (false): ");
    let fails_late = scripts.slow_after("fails", "trap 'exit 1' EXIT");
    gated("false", &fails_late, &["--ignore-failure", "--any-output"]).expect(4, "regression: ");
    gated("false", "true", &["--ignore-failure"]).expect(1, "with exit status: 0 instead of exit status: 1");
    gated("sh -c 'kill -SEGV $$'", "true", &["--ignore-failure"]).expect(2, "signal: 11");
}

#[test]
fn a_wrong_command_line_and_a_short_command_or_budget_are_said_at_once() {
    // There is time for seven rounds at most.
    let ended = gated("sleep 0.2", "sleep 0.2", &["--budget", "6", "--json"]);
    ended.expect(5, "not measured: a run takes 2");
    ended.expect(5, "this gate may end without a verdict");
    assert_eq!(ended.json()["rounds"], serde_json::json!([]), "{ended:?}");
    gated("true", "true", &["--budget", "1M"]).expect(2, "'1M' has a capital M");
    // Other programs may make it look longer.
    wait_until("it is never short", || {
        let ended = gated("true", "true", &["--budget", "1ms"]);
        ended.stderr.contains("the start of the program is part of it")
    });
    gated("cat < x", "true", &[]).expect(2, "give \"sh -c 'cat < x'\"");
}

#[test]
fn a_run_that_is_stopped_is_ended_with_all_it_started() {
    let scripts = Scripts::new();
    let base = scripts.script("base", "echo 92");
    let told = scripts.path("told");
    // Tells the number of the process that it starts, and waits for it.
    let name = told.display();
    let hanging =
        scripts.script("hanging", &format!("sleep 1000 & echo $! >'{name}.part'; mv '{name}.part' '{name}'; wait"));
    let ended_too = || {
        let process = fs::read_to_string(&told).unwrap();
        wait_until("it outlives the gate", || {
            // A process that nobody has waited for yet is a zombie.
            let status = fs::read_to_string(format!("/proc/{}/status", process.trim())).unwrap_or_default();
            status.is_empty() || status.contains("State:\tZ")
        });
        fs::remove_file(&told).unwrap();
    };
    gated(&base, &hanging, &["--timeout", "1s"]).expect(1, "it did not finish in time");
    ended_too();
    let signals: [(&[&str], _); 5] =
        [(&["-INT"], 130), (&["-TERM"], 143), (&["-HUP"], 129), (&["-QUIT"], 131), (&["-INT", "-TERM"], 130)];
    for (signals, status) in signals {
        let page = scripts.path("page.md");
        let child = gate(&base, &hanging, &["--json", "--markdown", page.to_str().unwrap()]).spawn().unwrap();
        wait_until("the head does not run", || told.exists());
        signals.iter().for_each(|signal| send(signal, &child));
        let ended = end(child);
        // Of two signals sent at once either may come first.
        let is_other = signals.len() == 2 && ended.status == Some(143);
        assert!(ended.status == Some(status) || is_other, "{signals:?}: {ended:?}");
        let json = ended.json();
        let expected = ["not-measured", "not measured: the gate was interrupted"];
        assert_eq!([&json["verdict"], &json["reason"]], expected);
        assert!(fs::read_to_string(&page).unwrap().contains("the gate was interrupted"));
        fs::remove_file(page).unwrap();
        ended_too();
    }
}

/// Trap: runs so short that each ends before anybody looks at the signal.
#[test]
#[cfg(unix)]
fn a_signal_ends_a_gate_of_short_runs() {
    let scripts = Scripts::new();
    let told = scripts.path("told");
    let short = scripts.script("short", &format!("echo >>'{}'", told.display()));
    let child = gate(&short, &short, &["--budget", "100s", "--json"]).spawn().unwrap();
    wait_until("no run began", || told.exists());
    send("-TERM", &child);
    let ended = end(child);
    assert_eq!(ended.status, Some(143), "{ended:?}");
    assert_eq!(ended.json()["reason"], "not measured: the gate was interrupted");
}
