//! What becomes of an exit status when nobody reads the output, or it cannot be written.

use std::fs::File;
use std::process::{Command, Stdio};

use crate::program::{nqueens, run, typed};

/// An output that has lost its reader before the first byte.
fn unheard() -> Stdio {
    std::io::pipe().unwrap().1.into()
}

fn full() -> Stdio {
    File::options().write(true).open("/dev/full").unwrap().into()
}

#[test]
fn what_cannot_be_written_hides_no_verdict() {
    let folder = tempfile::tempdir().unwrap();
    // The one wrong board comes after far more lines than a pipe holds.
    let boards = "2 4 1 3\n".repeat(5000);
    std::fs::write(folder.path().join("wrong-boards"), format!("{boards}2 4 3 1\n")).unwrap();
    std::fs::write(folder.path().join("boards"), boards).unwrap();
    for (mut command, status) in [
        (super::gate::gate("echo 92", "echo 93", &[]), 1),
        (super::gate::gate("true", "true", &["--budget", "1ms"]), 5),
        (typed(folder.path(), "check wrong-boards"), 3),
        (typed(folder.path(), "check boards"), 0),
    ] {
        command.stdin(Stdio::null()).stderr(Stdio::piped());
        let closed = run(command.stdout(unheard()));
        closed.expect(status, "");
        assert!(!closed.stderr.contains("standard output"), "{closed:?}");
        if cfg!(target_os = "linux") {
            let told = run(command.stdout(full()));
            let expected = if status == 0 { 74 } else { status };
            told.expect(expected, "error: cannot write to standard output: No space left");
            assert_eq!(told.stderr.matches("No space left").count(), 1, "{told:?}");
        }
    }
}

#[test]
fn data_that_nobody_reads_are_no_error() {
    for line in ["solutions 13", "solutions 6 --format json", "count 8 --quiet", "info", "completions bash", "--help"] {
        let ended = run(typed(".".as_ref(), line).stdout(unheard()));
        assert_eq!((ended.status, ended.stderr.as_str()), (Some(0), ""), "{line}");
    }
    run(nqueens(&["count", "abc"]).stderr(unheard())).expect(2, "");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    for line in ["count 8", "solutions 8", "completions zsh", "--help", "--version"] {
        run(typed(".".as_ref(), line).stdout(full())).expect(74, "cannot write to standard output: No space left");
    }
    run(nqueens(&["count", "8"]).stderr(full())).expect(0, "92\n");
    let boards = "solutions 9 --out /dev/full";
    run(&mut typed(".".as_ref(), boards)).expect(74, "cannot write the boards to /dev/full: No space left");
}

#[cfg(unix)]
#[test]
fn a_standard_output_that_takes_nothing_is_said() {
    let redirected = |line: &str, how: &str| {
        let script = format!("exec \"$0\" {line} </dev/null {how}");
        run(Command::new("sh").args(["-c", &script, env!("CARGO_BIN_EXE_nqueens")]))
    };
    for line in ["count 8", "info", "--help", "trace 4"] {
        redirected(line, "1</dev/null").expect(74, "cannot write to standard output: ");
        redirected(line, ">&-").expect(0, "warning: standard output is closed, or it is /dev/null");
        let quiet = redirected(line, ">/dev/null");
        assert!(!quiet.stderr.contains("warning"), "{quiet:#?}");
        // As Python opens it with `DEVNULL`.
        let quiet = redirected(&format!("{line} --quiet"), "1<>/dev/null");
        assert!(quiet.stderr.is_empty() || line == "--help", "{quiet:#?}");
    }
    redirected("batch", "</").expect(74, "cannot read standard input");
    redirected("count 8", "2>&-").expect(0, "92\n");
}
