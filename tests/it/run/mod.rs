//! Long runs: from the plan to the merged count, with everything that can happen to processes and files between.

mod audit;
mod commands;
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod faults;
mod forged;
mod hostile;
#[cfg(unix)]
mod processes;

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::program::{run, typed};

/// A new run in a folder, without records: its time is up before the first shard.
fn planned(path: &Path, n: usize, solver: &str, shards: usize) {
    fs::create_dir_all(path).unwrap();
    let line = format!("count {n} --dir . --solver {solver} --shards {shards} --for 1ns -q");
    run(&mut typed(path, &line)).expect(75, "");
    assert_eq!(fs::read_dir(path.join("records")).unwrap().count(), 0);
}

/// Where the record of a shard is.
fn record_file(run: &Path, shard: usize) -> PathBuf {
    run.join(format!("records/{shard:06}.json"))
}

/// Changes a plan or a record as somebody would on purpose: with a checksum that fits again.
fn forge(file: &Path, change: impl FnOnce(&mut Value)) {
    let mut value: Value = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
    change(&mut value);
    value.as_object_mut().unwrap().remove("crc32");
    fs::write(file, sealed(&value.to_string())).unwrap();
}

/// A line of JSON with a checksum.
fn sealed(text: &str) -> String {
    let body = text.strip_suffix('}').unwrap_or(text);
    let mut crc = flate2::Crc::new();
    crc.update(body.as_bytes());
    format!("{body},\"crc32\":\"{:08x}\"}}\n", crc.sum())
}
