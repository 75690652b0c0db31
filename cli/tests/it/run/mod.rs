//! Long runs from the plan to the merged count, with everything that can happen to processes and files in between.

mod forged;
#[cfg(unix)]
mod processes;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Child;

use serde_json::Value;
use tempfile::TempDir;

use crate::helpers::{Ended, answer, run, typed};

/// A temporary folder with runs, in which commands are typed.
struct Place(TempDir);

impl Place {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// Makes a place with a planned run `r`.
    fn with_run(n: usize, solver: &str, shards: usize) -> Self {
        let place = Self::new();
        place.plan("r", n, solver, shards);
        place
    }

    /// Plans a run. Its time is up before the first shard, so it has no lines.
    fn plan(&self, folder: &str, n: usize, solver: &str, shards: usize) {
        let line = format!("count {n} --dir {folder} --solver {solver} --shards {shards} --for 1ns -q");
        self.run(&line).expect(75, "");
        assert!(logs(&self.path(folder)).is_empty());
    }

    fn at(&self) -> &Path {
        self.0.path()
    }

    fn path(&self, name: &str) -> PathBuf {
        self.at().join(name)
    }

    /// Returns the complete lines of all logs of the run `r`.
    fn lines(&self) -> Vec<String> {
        let texts = logs(&self.path("r")).into_iter().filter_map(|log| fs::read_to_string(log).ok());
        let text: String = texts.collect();
        text.split_inclusive('\n').filter(|line| line.ends_with('\n')).map(str::to_owned).collect()
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

    /// Checks that the command prints no result and ends with this status, and that its errors contain this text.
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

/// Returns the logs of a run.
fn logs(run: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(run.join("logs")).unwrap();
    entries.map(|entry| entry.unwrap().path()).collect()
}

/// Changes the line of a shard in the log that contains it.
#[track_caller]
fn change_line(run: &Path, shard: usize, change: impl FnOnce(&str) -> Vec<u8>) {
    for log in logs(run) {
        let text = fs::read_to_string(&log).unwrap();
        let Some(line) = text.split_inclusive('\n').find(|line| line.contains(&format!("\"shard\":{shard},"))) else {
            continue;
        };
        let (before, after) = text.split_once(line).unwrap();
        return fs::write(log, [before.as_bytes(), &change(line), after.as_bytes()].concat()).unwrap();
    }
    panic!("shard {shard} has no line");
}

/// Flips a bit in the line of a shard.
fn flip(run: &Path, shard: usize) {
    change_line(run, shard, |line| {
        let mut bytes = line.as_bytes().to_vec();
        bytes[line.len() / 2] ^= 4;
        bytes
    });
}

/// Removes the line of a shard.
fn remove(run: &Path, shard: usize) {
    change_line(run, shard, |_| Vec::new());
}

/// Adds to the first count in the line of a shard and to its sum, and corrects the checksum.
fn raise(run: &Path, shard: usize, more: u128) {
    change_line(run, shard, |line| {
        let mut value: Value = serde_json::from_str(line).unwrap();
        let raised = |text: &str| (text.parse::<u128>().unwrap() + more).to_string();
        let (first, rest) = value["counts"].as_str().unwrap().split_once(' ').unwrap();
        value["counts"] = format!("{} {rest}", raised(first)).into();
        value["sum"] = raised(value["sum"].as_str().unwrap()).into();
        with_checksum(value).into_bytes()
    });
}

/// Returns a plan or a line with the correct checksum.
fn with_checksum(mut value: Value) -> String {
    value.as_object_mut().unwrap().remove("crc32");
    let text = value.to_string();
    let body = text.strip_suffix('}').unwrap();
    format!("{body},\"crc32\":\"{:08x}\"}}\n", crc32fast::hash(body.as_bytes()))
}
