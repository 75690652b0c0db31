//! Commands that fail, hang, print too much, or leave processes running.

use std::fs;
use std::process::{Command, Stdio};

use testing::{run, wait_until};

use super::{QUICK, gate, gated, has_ended, sh};

#[test]
fn nothing_can_be_compared_with_a_base_that_fails() {
    let hostile = sh("printf \"\\033[2J\\342\\200\\256|<b>\" >&2; exit 7");
    for (command, problem) in [
        ("no/such/program", "cannot be run: No such file or directory (os error 2)"),
        ("/etc/passwd", "Permission denied (os error 13); if it is a program, make it executable with chmod +x"),
        ("/tmp", "cannot be run: it is a folder: give the path of a program in it"),
        ("'/tmp/no such'", "; if its name has no space, leave out the quotes around the command"),
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
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("missing");
    let ended = run(gate(QUICK, QUICK, &[]).env("TMPDIR", &missing));
    ended.expect(2, &format!("not compared: cannot save the output of a command in {}: ", missing.display()));
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
