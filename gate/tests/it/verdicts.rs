//! The verdicts, their exit statuses, and where they are shown.

use std::fs;
use std::process::{Command, Stdio};

use testing::{Ended, run};

use super::{QUICK, gate, gated, sh, slow};

#[test]
fn every_end_has_its_status_its_json_its_page_and_its_line_for_github() {
    let folder = tempfile::tempdir().unwrap();
    let calls = folder.path().join("calls");
    fs::write(&calls, "0\n").unwrap();
    // It waits for 5 ms and for 20 ms by turns.
    let name = calls.display();
    let count = format!("read calls <{name}; echo $((calls + 1)) >{name}");
    let rough = sh(&format!("{count}; [ $((calls % 2)) = 0 ] && exec sleep 0.005 || exec sleep 0.02"));
    let slow = slow(QUICK);
    let failing = sh("echo oh no >&2; exit 7");
    // It exists but cannot be loaded, like a program that was built for another libc.
    let unloadable = folder.path().join("unloadable").display().to_string();
    fs::write(&unloadable, "#!/no/such/interpreter\n").unwrap();
    run(Command::new("chmod").args(["+x", &unloadable])).expect(0, "");
    for (base, head, options, status, verdict, said) in [
        (QUICK, QUICK, "--threshold=100%", 0, "pass", "within the threshold of 100.0 %"),
        (QUICK, &slow, "--clock=processor", 4, "regression", " by processor time"),
        ("sleep 0.02", "sleep 0.1", "--threshold=100", 4, "regression", "more elapsed time than both runs of base"),
        (&rough, &rough, "--clock=elapsed --allow-inconclusive", 0, "inconclusive", "raise --budget or --threshold"),
        ("./new", QUICK, "--skip-new", 0, "skipped", "only head can run it: base (./new) cannot be run: No such"),
        (&failing, QUICK, "--skip-new", 0, "skipped", "ended with exit status 7"),
        (
            "nowhere/new",
            QUICK,
            "--skip-new",
            2,
            "not compared",
            "; its folder does not exist either: has it been built?",
        ),
        (&unloadable, QUICK, "--skip-new", 2, "not compared", "the interpreter or loader that it names does not"),
        (&failing, "./new", "--skip-new", 1, "failed", "cannot be run: No such file"),
        (
            QUICK,
            "echo 93",
            "--threshold=2",
            1,
            "failed",
            "did not print the same as base: line 1 is \"93\" instead of \"92\"",
        ),
        (&failing, QUICK, "--any-output", 2, "not compared", "status 7 and printed \"oh no\" on standard error"),
    ] {
        let summary = folder.path().join("summary.md");
        let try_with = |budget: &&str| {
            let _ = fs::remove_file(&summary);
            let mut command = gate(base, head, &["--json", "--budget", budget]);
            run(command.args(options.split(' ')).arg("--markdown").arg(&summary).env("GITHUB_ACTIONS", "true"))
        };
        // A busy machine may need more than a second for fifteen rounds, and blur five that should be clear.
        let mut tries = ["2s", "6s", "16s", "1m"].iter().map(try_with);
        let is_expected = |ended: &Ended| {
            ended.status == Some(status) && ended.json()["verdict"] == verdict && ended.stderr.contains(said)
        };
        let ended = tries.find(is_expected).expect(said);
        let json = ended.json();
        let pair = &json["pairs"][0];
        let rounds = pair["rounds"].as_array().unwrap();
        let is_measured = !rounds.is_empty();
        let measurements = pair["measurements"].as_array().unwrap();
        for clock in ["processor", "elapsed"] {
            let decides = !options.contains("--clock") || options.contains(&format!("--clock={clock}"));
            let shown = measurements.iter().find(|one| one["clock"] == clock);
            assert_eq!(is_measured, shown.is_some_and(|one| one["ratio"]["high"].is_number()), "{json}");
            assert!(shown.is_none_or(|one| one["decides"] == decides), "{json}");
        }
        // Nanoseconds, and whole numbers of waits and bytes.
        let is_short =
            |seconds: &serde_json::Value| seconds.to_string().split('.').nth(1).is_none_or(|to| to.len() < 10);
        for run in rounds.iter().flat_map(|round| [&round["base"][0], &round["head"][1]]) {
            assert!(run["times"].as_array().unwrap().iter().all(is_short), "{run}");
            assert!(run["waits"].is_u64() && run["memory"].is_u64(), "{run}");
        }
        assert_eq!(is_measured, pair["memory"]["head"].as_u64().is_some_and(|size| size > 65536), "{json}");
        let kind = match (verdict, status) {
            ("pass" | "skipped", _) => "notice",
            (_, 0) => "warning",
            _ => "error",
        };
        let line = format!("::{kind} title=abgate%3A {verdict}");
        assert_eq!(ended.stderr.lines().filter(|said| said.starts_with(&line)).count(), 1, "{ended:?}");
        let page = fs::read_to_string(&summary).unwrap();
        assert!(page.starts_with(&format!("### abgate: {verdict}")), "{page}");
        assert!(page.contains(&format!("Base `{base}`, head `{head}`.")), "{page}");
        assert_eq!(page.contains("\nprocessor") && page.contains("\nelapsed"), is_measured, "{page}");
        assert_eq!(page.contains(", not judged"), is_measured && options.contains("--clock"), "{page}");
    }
}

#[test]
fn a_head_that_fails_after_some_rounds_has_no_figures() {
    let folder = tempfile::tempdir().unwrap();
    let (calls, page) = (folder.path().join("calls"), folder.path().join("page.md"));
    let name = calls.display();
    // The eighth run of head is in the fourth round.
    let head = sh(&format!("echo >>{name}; [ $(wc -l <{name}) -lt 8 ]"));
    let ended = gated("true", &head, &["--json", "--markdown", page.to_str().unwrap()]);
    ended.expect(1, "ended with exit status 1");
    let pair = &ended.json()["pairs"][0];
    assert_eq!(pair["rounds"].as_array().map(Vec::len), Some(3), "{ended:?}");
    assert_eq!(pair["measurements"], serde_json::json!([]));
    let page = fs::read_to_string(&page).unwrap();
    assert!(page.starts_with("### abgate: failed") && !page.contains("elapsed"), "{page}");
}

/// A budget that is too short has one status, whether it ends in the first run or after some rounds.
#[test]
fn a_budget_that_is_too_short_is_named_with_a_sufficient_one() {
    // Fifteen rounds take three seconds.
    let nap = "sleep 0.05";
    let text = gated(nap, nap, &["--budget", "1s", "--allow-inconclusive"]);
    text.expect(5, "a pass takes at least 15 rounds: give --budget ");
    let named = |ended: &Ended| ended.stdout.split("--budget ").nth(1).unwrap().split('s').next().unwrap().to_owned();
    let enough = named(&text);
    let judged = gated(nap, nap, &["--budget", &enough]);
    assert!(!judged.stdout.contains("not measured"), "{enough}: {judged:?}");
    let [names, .., last] = text.stdout.lines().collect::<Vec<_>>()[..] else { panic!("{text:?}") };
    let is_said = last.starts_with("not measured: too few rounds, because ") && last.contains("; so far, head is ");
    assert!(names.starts_with("clock ") && is_said, "{text:?}");
    let text = gated(nap, nap, &["--budget", "1ms", "--allow-inconclusive"]);
    text.expect(5, "not measured: base (sleep 0.05) did not finish within the budget: raise --budget");
}

/// Trap: a parent that ignores SIGCHLD, as daemons do. The system then forgets the times of children.
#[test]
fn the_processor_time_of_children_is_judged() {
    let parent = slow("(i=0; while [ $i -lt 10000 ]; do i=$((i + 1)); done) & wait; echo 92");
    let script = "trap '' CHLD; exec \"$0\" --base \"$1\" --head \"$2\" --clock processor";
    let mut shell = Command::new("sh");
    shell.args(["-c", script, env!("CARGO_BIN_EXE_abgate"), &slow(QUICK), &parent]).stdin(Stdio::null());
    run(&mut shell).expect(4, "regression: head is ");
}

#[test]
fn several_cases_have_a_table_and_the_worst_verdict_is_the_status() {
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("lines");
    fs::write(&input, "1\n2\n3\n").unwrap();
    let input = input.to_str().unwrap();
    let [base, head] = [sh("exec {}"), slow("{}")];
    let options = ["--input", input, "--clock", "processor", "--threshold", "100", "--budget", "3m"];
    let ended = gated(&base, &head, &[&options[..], &["wc -l", "tail -n 1", "false"]].concat());
    ended.expect(2, "not compared: false: base (sh -c ");
    ended.expect(2, "\nregression: wc -l: head is ");
    let last = ended.stdout.lines().last();
    assert_eq!(last, Some("not compared: 1 of 3 cases was not compared, 2 are regressions"), "{ended:?}");
    for row in ["case       clock ", "wc -l      processor ", "tail -n 1  processor "] {
        assert!(ended.stdout.lines().any(|line| line.starts_with(row)), "{row}: {ended:?}");
    }
    let gone = folder.path().join("gone");
    gated("cat", "cat", &["--input", gone.to_str().unwrap()]).expect(2, "gone' for '--input <FILE>': No such file");
    // Without a file there is nothing to read, whatever the gate itself could read.
    let empty = ["sh -c 'wc -c; sleep 0.05'", "sh -c 'echo 0; sleep 0.05'"];
    run(gate(empty[0], empty[1], &["--budget", "1s"]).stdin(Stdio::piped())).expect(5, "not measured");
}

/// A verdict on the first command takes 25 s, while fifteen rounds of the second fit into its half of the budget.
#[test]
fn a_long_command_takes_no_time_from_a_short_one() {
    let ended = gated("sleep {}", "sleep {}", &["0.4", "0.001", "--json", "--budget", "16s", "--threshold", "100"]);
    ended.expect(5, "not measured: 0.4: too few rounds");
    // Trap: the short command has many more runs, so their mean says little about the long one.
    let enough = ended.json()["pairs"][0]["reason"].as_str().unwrap().split("--budget ").nth(1).map(str::to_owned);
    let enough: u64 = enough.unwrap().split('s').next().unwrap().parse().unwrap();
    assert!(enough >= 50, "{ended:?}");
    assert_eq!(ended.json()["pairs"][1]["verdict"], "pass", "{ended:?}");
}

/// Trap: several heads hang, each for as long as the whole budget.
#[test]
fn the_budget_is_for_all_cases_together() {
    let ended = gated("true {}", "sleep {}", &["1000", "1001", "1002", "--budget", "1s"]);
    ended.expect(1, "failed: 1000: head (sleep 1000) did not finish within the budget");
    ended.expect(1, "not measured: 1002: too few rounds, because a pass takes at least 15 rounds: give --budget ");
    ended.expect(1, "failed: 1 of 3 cases failed, 2 were not measured");
}

#[test]
fn a_command_is_prepared_and_may_end_with_another_status() {
    let folder = tempfile::tempdir().unwrap();
    let ready = folder.path().join("ready");
    // The command fails unless it is prepared, like a program that changes its input.
    let once = format!("rm {}", ready.display());
    let prepare = format!("touch {}", ready.display());
    let by_processor = ["--clock", "processor"];
    gated(&once, &slow(&once), &[]).expect(2, "ended with exit status 1");
    gated(&once, &slow(&once), &[&by_processor[..], &["--prepare", &prepare]].concat()).expect(4, "regression: ");
    for options in [&["--prepare", "false"][..], &["--prepare", "false", "--ignore-failure"]] {
        gated("true", "true", options).expect(2, "not compared: --prepare (false) ended with");
    }
    let fails_late = slow("trap \"exit 1\" EXIT");
    gated("false", &fails_late, &[&by_processor[..], &["--ignore-failure"]].concat()).expect(4, "regression: ");
    gated("false", "true", &["--ignore-failure"]).expect(1, "ended with exit status 0, but base with exit status 1");
    gated("sh -c 'kill -SEGV $$'", "true", &["--ignore-failure"]).expect(2, "signal 11");
}
