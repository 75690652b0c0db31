//! Starts the program in tests.

use std::path::Path;
use std::process::{Command, Stdio};

pub(crate) use testing::*;

/// The folder of the whole project.
pub(crate) const PROJECT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// Reports a part that is not tested because something is missing. In CI, this is a failure.
pub(crate) fn skipped(why: &str) {
    assert!(std::env::var_os("CI").is_none(), "not tested: {why}");
    eprintln!("not tested: {why}");
}

/// Returns a command for the program with these arguments, without standard input and with its output captured.
pub(crate) fn nqueens(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_nqueens"));
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Returns a command for the program in a folder. `line` contains its arguments, separated by spaces.
pub(crate) fn typed(folder: &Path, line: &str) -> Command {
    let mut command = nqueens(&line.split(' ').collect::<Vec<_>>());
    command.current_dir(folder);
    command
}

/// Returns a shell command in a folder. The shell finds the program by its name.
pub(crate) fn shell(folder: &Path, line: &str) -> Command {
    let program = Path::new(env!("CARGO_BIN_EXE_nqueens")).parent().unwrap();
    let mut shell = Command::new("sh");
    shell.env("PATH", format!("{}:{}", program.display(), std::env::var("PATH").unwrap()));
    shell.args(["-c", line]).current_dir(folder);
    shell.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    shell
}

/// Runs a line that must succeed, and returns its standard output.
#[track_caller]
pub(crate) fn answer(folder: &Path, line: &str) -> String {
    let ended = run(&mut typed(folder, line));
    assert_eq!(ended.status, Some(0), "{line}: {ended:#?}");
    ended.stdout
}
