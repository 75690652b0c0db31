//! Options that are refused.

use std::process::Command;

use testing::run;

use super::{QUICK, gate, gated};

#[test]
fn a_wrong_command_line_is_told_what_to_type() {
    for (options, said) in [
        (&["--treshold", "5"][..], "a similar argument exists: '--threshold'"),
        (&["--runs", "20"], "tip: only --budget limits the number of runs; if this is a CASE, type '--' before it"),
        (&["--clock processor"], "tip: '--clock processor' is one argument, so type '--clock=processor'"),
        (&["--budget", "-1"], "'-1' for '--budget <TIME>': give a duration above 0, such as '90s'"),
        (
            &["--threshold", "-3%"],
            "invalid value '-3%' for '--threshold <PERCENT>': give a percentage from 0.1 to 100, such as 3 for 3 %",
        ),
        (&["--markdown", "~/gate.md"], "your shell did not expand '~': type the whole path"),
        (&["--markdown", "$PAGES/gate.md"], "your shell did not expand '$': type the whole path"),
        (&["--json=x"], "\nUsage: abgate [OPTIONS] --base <CMD> --head <CMD> [CASE]...\n"),
        (
            &["--input", "-"],
            "give a file, because each run reads its input from the beginning, or ./- for a file called '-'",
        ),
        (&["--markdown", "-"], "give /dev/stdout for standard output, or ./- for a file called '-'"),
    ] {
        gated(QUICK, QUICK, options).expect(2, said);
    }
    let ended = run(gate(QUICK, QUICK, &["--runs"]).env("GITHUB_ACTIONS", "true"));
    let line =
        ended.stderr.lines().find(|line| line.starts_with("::error title=abgate%3A not compared::error: unexpec"));
    assert!(line.is_some_and(|line| line.ends_with("type '--' before it")), "{ended:?}");
    gated("FOO=1 ./old", QUICK, &[]).expect(2, "--base: 'FOO=1 ./old' sets a variable");
    gated(QUICK, "FOO=1 ./new x", &[]).expect(2, "give 'env FOO=1 ./new x'");
}

#[test]
fn a_page_that_cannot_be_written_is_reported_before_anything_is_measured() {
    let ended = gated("true", "true", &["--markdown", "nowhere/file"]);
    ended.expect(74, "cannot write the page to nowhere/file");
    assert!(!ended.stderr.contains("comparing"), "{ended:?}");
}

#[test]
#[cfg(target_os = "linux")]
fn a_help_that_cannot_be_written_is_reported() {
    let mut command = gate(QUICK, QUICK, &["--help"]);
    command.stdout(std::fs::File::create("/dev/full").unwrap());
    run(&mut command).expect(74, "cannot write to standard output");
}

/// Two places that cannot be written are two errors.
#[test]
#[cfg(target_os = "linux")]
fn each_place_that_cannot_be_written_is_reported() {
    let mut command = gate("true", "false", &["--markdown", "/dev/full"]);
    command.stdout(std::fs::File::create("/dev/full").unwrap());
    let ended = run(&mut command);
    // That head fails decides the status.
    ended.expect(1, "cannot write to standard output");
    ended.expect(1, "cannot write the page to /dev/full");
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
