//! `abgate` on commands that behave and on commands that do not. A slow command takes many times as long as a quick
//! one, so that a regression shows on a busy machine as well. src/judge.rs and src/rounds.rs test closer verdicts with
//! invented and recorded times.
#![cfg(unix)]

use std::collections::BTreeSet;
use std::fs;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use testing::{Ended, end, run, send, wait_until};

const QUICK: &str = "echo 92";

/// A command for which a budget of one second is too short, because fifteen rounds take three seconds.
const NAP: &str = "sleep 0.05";

/// Returns the command that runs this line in a shell.
fn sh(line: &str) -> String {
    format!("sh -c '{line}'")
}

/// Returns the command that runs this line in a shell and then keeps the processor busy for about 10 ms.
fn slow(line: &str) -> String {
    sh(&format!("{line}; i=0; while [ $i -lt 10000 ]; do i=$((i + 1)); done"))
}

/// Returns a gate that does not run in a job on GitHub.
fn gate(base: &str, head: &str, more: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_abgate"));
    command.args(["--base", base, "--head", head]).args(more);
    command.env_remove("GITHUB_ACTIONS").env("LC_ALL", "C");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn gated(base: &str, head: &str, more: &[&str]) -> Ended {
    run(&mut gate(base, head, more))
}

/// Returns whether the process whose number is in this file has ended.
fn has_ended(file: &Path) -> bool {
    let number = fs::read_to_string(file).unwrap();
    // An ended process stays as a zombie until its parent waits for it.
    let status = fs::read_to_string(format!("/proc/{}/status", number.trim())).unwrap_or_default();
    status.is_empty() || status.contains("State:\tZ")
}

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
        ("nowhere/new", QUICK, "--skip-new", 2, "not compared", "cannot be run: No such file"),
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
            let is_shown = is_measured && !options.contains("--clock") || options.contains(&format!("--clock={clock}"));
            let shown = measurements.iter().find(|one| one["clock"] == clock);
            assert_eq!(is_shown, shown.is_some_and(|one| one["ratio"]["high"].is_number()), "{json}");
        }
        assert!(rounds.iter().all(|round| round["head"][1]["times"][1].is_number()), "{json}");
        assert_eq!(!rounds.is_empty(), pair["memory"]["head"].as_f64().is_some_and(|size| size > 65536.0), "{json}");
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
        assert_eq!(page.contains("\nprocessor ") || page.contains("\nelapsed "), is_measured, "{page}");
    }
    // A budget that is too short has one status, whether it ends in the first run or after some rounds.
    let text = gated(NAP, NAP, &["--budget", "1s", "--allow-inconclusive"]);
    text.expect(5, "a pass takes at least 15 rounds, so raise --budget to ");
    let [names, .., last] = text.stdout.lines().collect::<Vec<_>>()[..] else { panic!("{text:?}") };
    assert!(names.starts_with("clock ") && last.starts_with("not measured: too few rounds, head is "), "{text:?}");
    let text = gated(NAP, NAP, &["--budget", "1ms", "--allow-inconclusive"]);
    text.expect(5, "not measured: base (sleep 0.05) did not finish within the budget: raise --budget");
    // A page that cannot be written is reported before anything is measured.
    gated("true", "true", &["--markdown", "nowhere/file"]).expect(74, "cannot write the page to nowhere/file");
}

#[test]
fn nothing_can_be_compared_with_a_base_that_fails() {
    let hostile = sh("printf \"\\033[2J\\342\\200\\256|<b>\" >&2; exit 7");
    for (command, problem) in [
        ("no/such/program", "cannot be run: No such file or directory (os error 2)"),
        ("/tmp", "cannot be run: it is a folder: give the path of a program in it"),
        ("no-such-program", "for a file in this folder give its path, such as ./program"),
        ("false", "ended with exit status 1 and printed nothing on standard error"),
        ("sh -c 'kill -SEGV $$'", "ended with signal 11"),
        (&hostile, "printed \"\\u001b[2J\\u202e|<b>\" on standard error"),
    ] {
        let ended = gated(command, QUICK, &["--any-output"]);
        ended.expect(2, problem);
        assert!(ended.stdout.starts_with("not compared: base ("), "{ended:?}");
        gated(QUICK, command, &["--any-output"]).expect(1, problem);
    }
    let stubborn = sh("trap \"\" INT TERM HUP QUIT; exec >&- 2>&-; kill -STOP $$");
    gated(&stubborn, QUICK, &["--budget", "100ms"]).expect(5, "did not finish within the budget: raise --budget");
    gated("yes", QUICK, &[]).expect(2, "printed more than 64 MiB: make it print less");
    // This one ends before the gate looks at its output.
    let chatty = sh("head -c 70000000 /dev/zero >&2");
    gated(&chatty, QUICK, &["--any-output"]).expect(2, "printed more than 64 MiB: make it print less");
    gated("sh -c 'echo $$'", QUICK, &[]).expect(2, "did not print the same as its first run");
}

#[test]
fn no_line_with_a_command_in_it_is_obeyed_by_a_terminal_or_by_github() {
    let hostile = "echo '\n::error::a\n##[error]b \u{1b}[2J\u{202e}'";
    for format in ["--json", "--any-output"] {
        for (base, head) in [("echo", hostile), (hostile, "echo")] {
            let ended = run(gate(base, head, &["--budget", "1s", format]).env("GITHUB_ACTIONS", "true"));
            let mut lines = ended.stdout.lines().chain(ended.stderr.lines());
            assert!(!lines.any(|line| line.starts_with("::error::") || line.contains("##[")), "{ended:?}");
        }
    }
    let ended = gated("echo a\n::error::b", "echo", &[]);
    assert!(ended.status == Some(2) && !ended.stderr.lines().any(|line| line.starts_with("::")), "{ended:?}");
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
fn several_commands_have_a_table_of_names_and_the_worst_verdict_is_the_status() {
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
    assert_eq!(last, Some("not compared: 1 of 3 commands was not compared, 2 are regressions"), "{ended:?}");
    for row in ["command    clock ", "wc -l      processor ", "tail -n 1  processor "] {
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
    assert_eq!(ended.json()["pairs"][1]["verdict"], "pass", "{ended:?}");
}

/// Trap: several heads hang, each for as long as the whole budget.
#[test]
fn the_budget_is_for_all_commands_together() {
    let ended = gated("true {}", "sleep {}", &["1000", "1001", "1002", "--budget", "1s"]);
    ended.expect(1, "failed: 1000: head (sleep 1000) did not finish within the budget");
    ended.expect(1, "not measured: 1002: a pass takes at least 15 rounds, so raise --budget");
    ended.expect(1, "failed: 1 of 3 commands failed, 2 were not measured");
}

#[test]
fn what_a_command_leaves_running_is_ended_and_nothing_passes() {
    let folder = tempfile::tempdir().unwrap();
    let told = folder.path().join("told");
    let job = sh(&format!("sleep 1000 & echo $! >{}; sleep 0.1; echo 92", told.display()));
    for (base, head, status) in [(job.as_str(), QUICK, 2), (QUICK, &job, 1)] {
        let ended = gated(base, head, &["--json", "--allow-inconclusive"]);
        ended.expect(status, ") left a process (sleep) running");
        wait_until("it outlives the gate", || has_ended(&told));
    }
    // Processes that leave the group and the session do not outlive the gate either, nor do their children.
    #[cfg(target_os = "linux")]
    {
        let name = told.display();
        let escaped =
            format!("setsid sh -c \"sleep 1000 & echo \\$! >{name}; wait\" & setsid sleep 1000 & sleep 0.1; echo 92");
        gated(QUICK, &sh(&escaped), &[]).expect(1, ") left 2 processes (");
        wait_until("it outlives the gate", || has_ended(&told));
    }
    // A program whose name is not valid UTF-8 does not outlive the gate either.
    #[cfg(target_os = "linux")]
    {
        use std::os::unix::{ffi::OsStrExt, fs::PermissionsExt};
        let odd = folder.path().join(std::ffi::OsStr::from_bytes(b"odd\xff"));
        fs::write(&odd, "#!/bin/sh\nsleep 1000\n").unwrap();
        fs::set_permissions(&odd, fs::Permissions::from_mode(0o755)).unwrap();
        let line = format!("setsid {}/odd* & echo $! >{}; sleep 0.1; echo 92", folder.path().display(), told.display());
        gated(QUICK, &sh(&line), &["--budget", "1s"]).expect(1, ") left a process (odd\u{fffd}) running");
        wait_until("it outlives the gate", || has_ended(&told));
    }
    // A process that was there before the gate is left alone.
    let gate = gate(QUICK, "echo 93", &[]);
    let mut shell = Command::new("sh");
    shell.args(["-c", "sleep 1000 >/dev/null 2>&1 & echo $!; exec \"$@\"", "sh"]);
    let ended = run(shell.arg(gate.get_program()).args(gate.get_args()).stdin(Stdio::null()));
    ended.expect(1, "did not print the same as base");
    let stays = ended.stdout.lines().next().unwrap();
    assert!(run(Command::new("kill").arg(stays)).status == Some(0), "it is gone");
}

/// A limit on the size of files imitates a full disk, which takes the output of base but not the output of head, or
/// neither. Trap: a command that ignores the error succeeds with a part of its output.
#[test]
fn a_folder_that_cannot_take_the_output_is_blamed_and_no_command() {
    let ended = run(gate(QUICK, QUICK, &[]).env("TMPDIR", "/nowhere"));
    ended.expect(2, "not compared: cannot save the output of a command in /nowhere: ");
    ended.expect(2, "set TMPDIR to another folder");
    let full = "ulimit -f 100; exec \"$0\" --base \"$1\" --head \"$2\"";
    let large = "head -c 1000000 /dev/zero";
    let ignoring = sh(&format!("{large} 2>&1; true"));
    for (base, head) in [("true", large), ("true", &ignoring), (&ignoring, &ignoring)] {
        let mut shell = Command::new("sh");
        shell.args(["-c", full, env!("CARGO_BIN_EXE_abgate"), base, head]).env("TMPDIR", "/tmp");
        run(&mut shell).expect(2, "not compared: cannot save the output of a command in /tmp: File too large");
    }
}

/// Trap: a background process that reads from the terminal is stopped, and waits forever.
#[test]
#[cfg(target_os = "linux")]
fn a_command_that_asks_the_terminal_fails_at_once() {
    for line in ["read x", "stty -echo"] {
        let gate = format!(
            "{} --budget 9s --base true --head \"{}\"",
            env!("CARGO_BIN_EXE_abgate"),
            sh(&format!("{line} </dev/tty"))
        );
        let mut terminal = Command::new("script");
        let ended = run(terminal.args(["-qec", &gate, "/dev/null"]).stdin(Stdio::null()));
        ended.expect(1, "waits for the terminal, which no command gets: give its input with --input");
    }
}

/// Trap: a parent that shares the pipe has made it non-blocking, as Node does.
#[test]
fn a_reader_that_is_late_gets_everything() {
    use nix::fcntl::{FcntlArg, OFlag, fcntl};
    let (mut reader, mut writer) = std::io::pipe().unwrap();
    fcntl(&writer, FcntlArg::F_SETFL(OFlag::O_NONBLOCK)).unwrap();
    // The pipe is full when the gate begins.
    let filled = std::iter::from_fn(|| writer.write(&[b'\n'; 4096]).ok()).sum::<usize>();
    let [out, err] = [writer.try_clone().unwrap(), writer];
    let mut child = gate(QUICK, "false", &["--any-output"]).stdout(out).stderr(err).spawn().unwrap();
    std::thread::sleep(std::time::Duration::from_millis(300));
    let mut found = String::new();
    reader.read_to_string(&mut found).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(1));
    let expected = "abgate: comparing for up to 3m\nfailed: head (false) ended with exit status 1 and printed nothing \
                    on standard error\n";
    assert_eq!(&found[filled..], expected);
}

/// A reader that closes the help early causes no panic.
#[test]
fn help_may_be_cut() {
    let cut = run(Command::new("sh").args(["-c", "\"$0\" --help | true", env!("CARGO_BIN_EXE_abgate")]));
    assert_eq!((cut.status, &*cut.stderr), (Some(0), ""));
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
    gated("true", "true", &["--prepare", "false"]).expect(2, "not compared: --prepare (false) ended with");
    let fails_late = slow("trap \"exit 1\" EXIT");
    gated("false", &fails_late, &[&by_processor[..], &["--ignore-failure"]].concat()).expect(4, "regression: ");
    gated("false", "true", &["--ignore-failure"]).expect(1, "ended with exit status 0, but base with exit status 1");
    gated("sh -c 'kill -SEGV $$'", "true", &["--ignore-failure"]).expect(2, "signal 11");
}

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
        end(child).expect(143, "the gate was interrupted\",\"rounds\":");
        assert!(fs::read_to_string(&page).unwrap().contains("the gate was interrupted"));
        wait_until("it outlives the gate", || head == &short || has_ended(&told));
    }
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

/// Runs the commands of the page's job for GitHub on a runner that keeps its clone. Between two jobs, the checkout
/// removes every file that is not in the repository, including the folder of the base, which Git still believes to be
/// there.
#[test]
fn the_job_for_github_runs_twice_in_one_clone() {
    let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md")).unwrap();
    let job = page.split("```").find(|part| part.starts_with("yaml\nname: gate")).unwrap();
    let lines: Vec<&str> = job.lines().filter_map(|line| line.trim().strip_prefix("- run: ")).collect();
    assert!(lines.len() == 2 && lines[0].contains("git worktree add old"), "{lines:?}");
    let arguments = job.split("arguments: |\n").nth(1).unwrap().lines().map(str::trim).filter(|line| !line.is_empty());

    let folder = tempfile::tempdir().unwrap();
    let in_clone = |program: &str, arguments: &[&str]| {
        let mut command = Command::new(program);
        command.args(arguments).current_dir(folder.path()).env("BASE", "HEAD~1").env_remove("GITHUB_ACTIONS");
        for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"] {
            command.env_remove(name);
        }
        run(command.env("PATH", format!("{}:{}", folder.path().display(), std::env::var("PATH").unwrap())))
    };
    let git = |line: &str| {
        let words: Vec<&str> =
            ["-c", "user.name=a", "-c", "user.email=a@b.c"].into_iter().chain(line.split(' ')).collect();
        in_clone("git", &words).expect(0, "");
    };
    // Base and head build their program with a `make` that is in the repository.
    fs::write(folder.path().join("make"), "#!/bin/sh\n[ \"$1\" = -C ] && cd \"$2\"; ln -sf /bin/cat sort\n").unwrap();
    fs::write(folder.path().join("big.txt"), "2\n1\n").unwrap();
    fs::write(folder.path().join("small.txt"), "1\n").unwrap();
    run(Command::new("chmod").arg("+x").arg(folder.path().join("make"))).expect(0, "");
    ["init -q", "add .", "commit -q -m base", "commit -q --allow-empty -m head"].into_iter().for_each(git);
    let gate: Vec<String> =
        arguments.map(str::to_owned).chain(["--threshold=100".to_owned(), "--budget=60s".to_owned()]).collect();
    for _ in 0..2 {
        for line in &lines {
            in_clone("sh", &["-ec", line]).expect(0, "");
        }
        let gate: Vec<&str> = gate.iter().map(String::as_str).collect();
        in_clone(env!("CARGO_BIN_EXE_abgate"), &gate).expect(0, "pass: 2 of 2 commands pass");
        git("clean -q -ffdx");
    }
}

/// Adds the paths in a JSON value, such as `pairs[].name`.
fn add_paths(value: &serde_json::Value, path: &str, paths: &mut BTreeSet<String>) {
    match value {
        serde_json::Value::Object(fields) => {
            let name = |field: &String| if path.is_empty() { field.clone() } else { format!("{path}.{field}") };
            fields.iter().for_each(|(field, value)| add_paths(value, &name(field), paths));
        }
        serde_json::Value::Array(values) => {
            values.iter().for_each(|value| add_paths(value, &format!("{path}[]"), paths));
        }
        _ => _ = paths.insert(path.to_owned()),
    }
}

#[test]
fn the_page_has_every_field_of_the_json_and_no_other() {
    let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md")).unwrap();
    let rows = page.split("| field | meaning |").nth(1).unwrap().lines().filter(|line| line.starts_with("| `"));
    let fields = rows.flat_map(|row| row.split('|').nth(1).unwrap().split(", "));
    let shown: BTreeSet<String> = fields.map(|field| field.trim().trim_matches('`').to_owned()).collect();
    let mut paths = BTreeSet::new();
    add_paths(&gated(QUICK, QUICK, &["--json", "--budget", "1s"]).json(), "", &mut paths);
    assert_eq!(paths, shown);
}

#[test]
fn a_wrong_command_line_is_told_what_to_type() {
    for (options, said) in [
        (&["--treshold", "5"][..], "a similar argument exists: '--threshold'"),
        (&["--budget", "-1"], "'-1' is not a length of time: give one such as '90s'"),
        (
            &["--threshold", "-3%"],
            "invalid value '-3%' for '--threshold <PERCENT>': give a percentage from 0.1 to 100, such as 3 for 3 %",
        ),
        (&["--markdown", "~/gate.md"], "your shell did not expand '~': type the whole path"),
        (&["--markdown", "$PAGES/gate.md"], "your shell did not expand '$': type the whole path"),
        (&["--input", "-"], "it may mean a standard stream or a file called '-'"),
        (
            &["--markdown", "-"],
            "it may mean a standard stream or a file called '-': give /dev/stdin, /dev/stdout or ./-",
        ),
    ] {
        gated(QUICK, QUICK, options).expect(2, said);
    }
    gated("FOO=1 ./old", QUICK, &[]).expect(2, "--base: 'FOO=1 ./old' sets a variable");
    gated(QUICK, "FOO=1 ./new x", &[]).expect(2, "give 'env FOO=1 ./new x'");
}

/// Trap: opening a pipe waits for the process at its other end.
#[test]
fn a_pipe_without_another_end_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let pipe = pipe.to_str().unwrap();
    gated(QUICK, QUICK, &["--budget", "9s", "--markdown", pipe]).expect(74, "nobody reads this pipe");
    gated(QUICK, QUICK, &["--budget", "9s", "--input", pipe]).expect(2, "it is not a file that each run can read");
}
