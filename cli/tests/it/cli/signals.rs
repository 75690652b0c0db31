//! One signal stops the program, a second one ends it at once, and a shell sees that it was a signal.

use std::io::{BufRead, BufReader, PipeReader, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use rustix::fs::{OFlags, fcntl_setfl};
use rustix::process::{Pid, Signal, kill_process_group};

use crate::program::{PROJECT, heed_ignored_signals, mask_of_signals, nqueens, send, typed, wait_until};

/// Waits until the program catches SIGTERM.
#[track_caller]
fn wait_until_it_catches(child: &Child) {
    wait_until("it catches no signal", || {
        mask_of_signals(&child.id().to_string(), "SigCgt:") & (1 << (Signal::TERM.as_raw() - 1)) != 0
    });
}

/// The signal that ends the program, which must end by itself.
#[track_caller]
fn signal_that_ended(mut child: Child, what: &str) -> Option<i32> {
    let mut status = None;
    wait_until(&format!("{what}: it is deaf"), || {
        status = child.try_wait().unwrap();
        status.is_some()
    });
    status.unwrap().signal()
}

/// A pipe that is full and that nobody reads.
fn full_pipe() -> (PipeReader, Stdio) {
    let (reader, mut writer) = std::io::pipe().unwrap();
    fcntl_setfl(&writer, OFlags::NONBLOCK).unwrap();
    while writer.write(&[b'x'; 4096]).is_ok() {}
    fcntl_setfl(&writer, OFlags::empty()).unwrap();
    (reader, OwnedFd::from(writer).into())
}

/// The first signal asks it to stop; the second ends it, whoever does not read what it writes.
#[test]
fn two_signals_end_it_where_nobody_reads_its_output() {
    let folder = tempfile::tempdir().unwrap();
    for line in ["count 16", "count 26 --dir r"] {
        let (_reader, full) = full_pipe();
        let mut command = typed(folder.path(), line);
        // A long run tells of itself on standard error.
        if line.contains("--dir") {
            command.stderr(full)
        } else {
            command.stdout(full)
        };
        let mut child = command.spawn().unwrap();
        wait_until_it_catches(&child);
        wait_until(&format!("{line}: it is deaf"), || {
            send("-TERM", &child);
            child.try_wait().unwrap().is_some()
        });
        assert_eq!(child.wait().unwrap().signal(), Some(Signal::TERM.as_raw()), "{line}");
    }
}

/// A shell's loop goes on after a command that ends with a status, and ends with a command that dies by Ctrl-C.
#[test]
fn ctrl_c_ends_a_loop_of_the_shell() {
    heed_ignored_signals();
    let script = "for i in 1 2 3; do echo begins >&2; \"$0\" count 30 --solver bitmask; done";
    let mut bash = Command::new("bash");
    bash.args(["-c", script, env!("CARGO_BIN_EXE_nqueens")]).process_group(0);
    let mut bash = bash.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut said = BufReader::new(bash.stderr.take().unwrap());
    let mut line = String::new();
    while !line.starts_with("nqueens: counting") {
        line.clear();
        assert!(said.read_line(&mut line).unwrap() > 0, "it counts nothing");
    }
    let group = Pid::from_child(&bash);
    kill_process_group(group, Signal::INT).unwrap();
    let mut more = String::new();
    // What comes after the next beginning would not end by itself.
    while said.read_line(&mut more).unwrap() > 0 && !more.contains("begins") {}
    let _ = kill_process_group(group, Signal::KILL);
    assert!(more.contains("error: n = 30: stopped after") && !more.contains("begins"), "{more}");
    bash.wait().unwrap();
}

#[test]
fn an_audit_that_is_stopped_prints_what_it_has() {
    let published = Path::new(PROJECT).join("docs/results/n24");
    let mut audit = nqueens(&["audit", "--sample", "5000", "--isa", "portable"]);
    let mut audit = audit.arg(published).spawn().unwrap();
    let mut said = BufReader::new(audit.stderr.take().unwrap());
    said.read_line(&mut String::new()).unwrap();
    send("-TERM", &audit);
    let mut stdout = String::new();
    audit.stdout.take().unwrap().read_to_string(&mut stdout).unwrap();
    assert_eq!(signal_that_ended(audit, "audit"), Some(15));
    assert!(stdout.contains(" of 5000 chosen units agree"), "{stdout}");
    assert!(stdout.ends_with(" so far\n"), "{stdout}");
}
