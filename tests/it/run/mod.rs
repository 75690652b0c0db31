//! Long runs: from the plan to the merged count, with everything that can happen to processes and files between.

mod audit;
mod commands;
mod faults;
mod forged;
#[cfg(unix)]
mod processes;
mod scale;

use std::path::Path;
use std::process::Output;

use nqueens::board::Size;
use nqueens::run::{RunFolder, RunPlan};
use nqueens::solver::registry;

use crate::program::{nqueens, text};

/// Runs a command in this folder.
fn output(folder: &Path, arguments: &[&str]) -> Output {
    nqueens(arguments).current_dir(folder).output().unwrap()
}

/// What it prints, if it ends well.
fn answer(folder: &Path, arguments: &[&str]) -> String {
    let output = output(folder, arguments);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", text(&output.stderr));
    text(&output.stdout).to_owned()
}

/// What it complains of, if it ends with this status.
fn complaint(folder: &Path, status: i32, arguments: &[&str]) -> String {
    let output = output(folder, arguments);
    assert_eq!(output.status.code(), Some(status), "{arguments:?}: {}", text(&output.stderr));
    assert_eq!(text(&output.stdout), "", "{arguments:?}");
    text(&output.stderr).to_owned()
}

/// A new run in a folder.
fn planned(path: &Path, n: usize, solver: &str, shards: usize) -> RunFolder {
    let plan = RunPlan::new(Size::new(n).unwrap(), registry::find(solver).unwrap(), Some(shards)).unwrap();
    RunFolder::create(path, plan).unwrap().0
}
