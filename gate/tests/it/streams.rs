//! What the gate writes to its standard streams.

use std::io::{Read, Write};
use std::process::Command;

use testing::run;

use super::{QUICK, gate, gated};

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
