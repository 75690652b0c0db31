//! The tests of `abgate` on real commands, in one binary with a module for each subject. A slow command takes many
//! times as long as a quick one, so that a regression shows on a busy machine as well. src/judge/tests.rs tests closer
//! verdicts with invented and recorded times.
#![cfg(unix)]

mod commands;
mod options;
mod readme;
mod signals;
mod streams;
mod verdicts;

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use testing::{Ended, run};

const QUICK: &str = "echo 92";

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
    // An ended process stays as a zombie until its parent waits for it. `kill -0` takes a zombie for a process, so only
    // systems without /proc ask it.
    if !Path::new("/proc/self/status").exists() {
        let asked = Command::new("kill").args(["-0", number.trim()]).stderr(Stdio::null()).status();
        return !asked.unwrap().success();
    }
    let status = fs::read_to_string(format!("/proc/{}/status", number.trim())).unwrap_or_default();
    status.is_empty() || status.contains("State:\tZ")
}
