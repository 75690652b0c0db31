//! `abgate` on commands that behave and on commands that do not. The commands are shell scripts that keep the
//! processor busy for a number of steps. The slow ones differ by far more than a busy machine's noise.
#![cfg(unix)]

mod program;

use std::fs;

use program::{Ended, Scripts, end, gate, run, send, wait_until};

fn gated(base: &str, head: &str, more: &[&str]) -> Ended {
    run(&mut gate(base, head, more))
}

#[test]
fn every_end_has_its_status_its_sentence_its_json_its_page_and_its_line_for_github() {
    let scripts = Scripts::new();
    let (base, same, slow) = (scripts.busy("base", 10), scripts.busy("same", 10), scripts.busy("slow", 40));
    let rough = scripts.alternating("rough", [5, 10]);
    // The head is slower than each run of the base beside it, but by less than the base differs from itself. The base
    // runs twice before the first round, and the head once.
    let (uneven, slower) = (scripts.alternating("uneven", [5, 10]), scripts.alternating("slower", [16, 8]));
    let other = scripts.script("other", "echo 93");
    let failing = scripts.script("failing", "echo oh no >&2; exit 7");
    // Only noise is tolerated.
    let tolerant = "--budget 5s --allow-inconclusive";
    for (base, head, more, status, verdict, said) in [
        (&base, &same, "--threshold 100%", 0, "pass", "the noise is "),
        (&base, &slow, "--threshold 3", 4, "regression", "beyond the threshold of 3.0 % and"),
        (&rough, &rough, "--budget 5s", 5, "noise", "raise --budget or --threshold"),
        (&rough, &rough, tolerant, 0, "noise", "stays open"),
        (&uneven, &slower, tolerant, 5, "probably-slower", "but not beyond the noise"),
        (&base, &same, "--budget 1ms --allow-inconclusive", 5, "not-measured", "only 1 round in the time"),
        (&base, &other, "--threshold 100% --any-output", 0, "pass", "head is "),
        (&base, &other, "--budget 5s", 1, "failed", "than base: line 1 is \"93\" instead of \"92\""),
        (&base, &failing, "--budget 5s", 1, "failed", "status: 7; on standard error it said \"oh no\""),
    ] {
        let summary = scripts.path("summary.md");
        let mut command = gate(base, head, &more.split(' ').chain(["--json"]).collect::<Vec<_>>());
        let ended = run(command.env("GITHUB_ACTIONS", "true").env("GITHUB_STEP_SUMMARY", &summary));
        ended.expect(status, said);
        let json = ended.json();
        assert_eq!(json["verdict"], verdict, "{json}");
        let rounds = json["rounds"].as_array().unwrap().len();
        assert_eq!(rounds >= 8, json["ratio"].is_object(), "{json}");
        let line = if verdict == "pass" { "::notice " } else { ["::warning ", "::error "][usize::from(status > 0)] };
        assert_eq!(ended.stderr.lines().filter(|said| said.starts_with(line)).count(), 1, "{ended:?}");
        let page = fs::read_to_string(&summary).unwrap();
        let word = if status == 5 || verdict == "noise" { "inconclusive" } else { verdict };
        assert!(page.starts_with(&format!("### abgate: {word}")), "{page}");
        assert!(page.contains(&format!("| `{head}` | {word}")), "{page}");
        fs::remove_file(summary).unwrap();
    }
    let text = gated(&base, &same, &["--budget", "1ms"]);
    assert!(text.stdout.starts_with("inconclusive: not measured: only 1 round in the time"), "{text:?}");
    // A file that cannot be written is told before anything is measured.
    let ended = gated("true", "true", &["--markdown", "nowhere/file"]);
    ended.expect(74, "cannot write the page to nowhere/file");
    assert_eq!(ended.stdout, "");
}

#[test]
fn a_base_that_fails_is_no_verdict() {
    let scripts = Scripts::new();
    let good = scripts.busy("good", 1);
    let hanging = scripts.script("hanging", "sleep 1000");
    let hostile = scripts.script("hostile", "printf '\\033[2J\\342\\200\\256|`<b>' >&2; exit 7");
    let stubborn = scripts.script("stubborn", "trap '' INT TERM HUP QUIT; exec >&- 2>&-; kill -STOP $$");
    let changing = scripts.script("changing", "echo $$");
    let plain = scripts.path("plain").to_str().unwrap().to_owned();
    fs::write(&plain, "text").unwrap();
    let folder = scripts.folder().to_str().unwrap();
    for (command, problem) in [
        ("no/such/program", "it cannot be run: No such file or directory (os error 2); is it built?"),
        (&plain, "Permission denied (os error 13); a program needs the right to be executed (chmod +x)"),
        ("no-such-program", "for a file in this folder give its path, such as ./program"),
        (folder, "it is a folder: give a program in it"),
        ("false", "it ended with exit status: 1; on standard error it said nothing"),
        ("sh -c 'kill -SEGV $$'", "it ended with signal: 11"),
        (&hostile, "said \"\\u{1b}[2J\\u{202e}|`<b>\""),
        (&hanging, "it did not finish in time and was stopped: raise --timeout"),
        (&stubborn, "it did not finish in time and was stopped: raise --timeout"),
    ] {
        let more = ["--timeout", "1s", "--any-output"];
        let ended = gated(command, &good, &more);
        ended.expect(2, problem);
        ended.expect(2, "error: nothing can be compared: base (");
        assert_eq!(ended.stdout, "");
        gated(&good, command, &more).expect(1, problem);
    }
    gated("yes", &good, &[]).expect(2, "it printed more than 64 MiB: let it print less");
    gated(&changing, &changing, &[]).expect(2, "it prints something else each time");
    gated("'", &good, &[]).expect(2, "a quote is not closed");
    gated(&good, "", &[]).expect(2, "give a program and its arguments");
}

#[test]
fn the_processor_time_of_children_is_judged_and_waiting_only_if_asked_for() {
    let scripts = Scripts::new();
    let (base, slow) = (scripts.busy("base", 10), scripts.busy("slow", 40));
    let parent = scripts.script("parent", &format!("'{slow}' & '{base}' >/dev/null; wait"));
    gated(&base, &parent, &[]).expect(4, "regression: head is ");
    let (short, long) = (scripts.script("short", "sleep 0.02"), scripts.script("long", "sleep 0.2"));
    gated(&short, &long, &["--threshold", "100", "--allow-inconclusive"])
        .expect(5, "the commands mostly wait, which only --elapsed judges");
    let ended = gated(&short, &long, &["--elapsed", "--json"]);
    ended.expect(4, "regression: head is ");
    assert_eq!(ended.json()["clock"], "elapsed");
}

#[test]
fn a_run_that_is_stopped_is_ended_with_all_it_started() {
    let scripts = Scripts::new();
    let base = scripts.busy("base", 1);
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
    gated(&base, &hanging, &["--timeout", "2s"]).expect(1, "it did not finish in time");
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
