//! Long runs: from the plan to the merged count, with everything that can happen to processes and files between.

mod audit;
mod commands;
mod faults;
mod forged;
#[cfg(unix)]
mod processes;

use std::path::{Path, PathBuf};
use std::process::Output;

use serde_json::Value;

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
fn planned(path: &Path, n: usize, solver: &str, shards: usize) {
    std::fs::create_dir_all(path).unwrap();
    answer(
        path,
        &["run", "plan", &n.to_string(), "--dir", ".", "--solver", solver, "--shards", &shards.to_string(), "-q"],
    );
}

/// Where the record of a shard is.
fn record_file(run: &Path, shard: usize) -> PathBuf {
    run.join(format!("records/{shard:06}.json"))
}

/// A value as a line of JSON with its checksum, as the program writes plans and records.
fn sealed(value: &Value) -> String {
    let mut fields = value.as_object().unwrap().clone();
    fields.remove("crc32");
    let text = serde_json::to_string(&fields).unwrap();
    let body = text.strip_suffix('}').unwrap();
    let mut crc = flate2::Crc::new();
    crc.update(body.as_bytes());
    format!("{body},\"crc32\":\"{:08x}\"}}\n", crc.sum())
}
