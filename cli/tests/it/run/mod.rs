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
use std::process::Child;

use serde_json::Value;
use tempfile::TempDir;

use crate::program::{Ended, answer, run, typed};

/// A folder with runs in it, in which commands are typed.
struct Place(TempDir);

impl Place {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// With a planned run `r`.
    fn with_run(n: usize, solver: &str, shards: usize) -> Self {
        let place = Self::new();
        planned(&place.path("r"), n, solver, shards);
        place
    }

    fn at(&self) -> &Path {
        self.0.path()
    }

    fn path(&self, name: &str) -> PathBuf {
        self.at().join(name)
    }

    /// The record of a shard of the run `r`.
    fn record(&self, shard: usize) -> PathBuf {
        record_file(&self.path("r"), shard)
    }

    /// The names in a folder, in order.
    fn names(&self, folder: &str) -> Vec<String> {
        let entries = fs::read_dir(self.path(folder)).unwrap();
        let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort_unstable();
        names
    }

    fn run(&self, line: &str) -> Ended {
        run(&mut typed(self.at(), line))
    }

    fn spawn(&self, line: &str) -> Child {
        typed(self.at(), line).spawn().unwrap()
    }

    #[track_caller]
    fn answer(&self, line: &str) -> String {
        answer(self.at(), line)
    }

    /// Fails unless the line prints nothing, ends with this status and says this.
    #[track_caller]
    fn refuses(&self, status: i32, line: &str, says: &str) {
        let ended = self.run(line);
        let told = (ended.status, ended.stdout.as_str(), ended.stderr.contains(says));
        assert_eq!(told, (Some(status), "", true), "{line}: not {says:?} in {}", ended.stderr);
    }

    fn json(&self, line: &str) -> Value {
        self.run(line).json()
    }
}

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

/// Adds to the first count of a record or a result, and to its sum.
fn raise(value: &mut Value, more: u128) {
    let raised = |text: &str| (text.parse::<u128>().unwrap() + more).to_string();
    let counts = value["counts"].as_str().unwrap();
    let (first, rest) = counts.split_once(' ').unwrap();
    value["counts"] = format!("{} {rest}", raised(first)).into();
    value["sum"] = raised(value["sum"].as_str().unwrap()).into();
}

/// A line of JSON with a checksum.
fn sealed(text: &str) -> String {
    let body = text.strip_suffix('}').unwrap_or(text);
    let mut crc = flate2::Crc::new();
    crc.update(body.as_bytes());
    format!("{body},\"crc32\":\"{:08x}\"}}\n", crc.sum())
}
