//! `compare` on records that are damaged, disturbed, repeated, or have nothing in common.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

const EPYC: &str = include_str!("../records/epyc.json");

/// A folder of records.
struct Records(tempfile::TempDir);

impl Records {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// The record of a real machine as another one, so many times as slow.
    fn add(&self, name: &str, machine: &str, factor: f64, edit: impl Fn(&mut Value)) {
        let mut record: Value = serde_json::from_str(EPYC).unwrap();
        record["name"] = json!(machine);
        for workload in record["workloads"].as_array_mut().unwrap() {
            for seconds in workload["seconds"].as_array_mut().unwrap() {
                *seconds = json!(factor * seconds.as_f64().unwrap());
            }
        }
        edit(&mut record);
        std::fs::write(self.path().join(name), record.to_string()).unwrap();
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    /// Status, standard output and standard error of a comparison.
    fn compare(&self, arguments: &[&str]) -> (Option<i32>, String, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_nqueens"));
        let output = command.args(["bench", "compare"]).args(arguments).current_dir(self.path()).output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (output.status.code(), text(output.stdout), text(output.stderr))
    }
}

fn disturbed(kind: &'static str) -> impl Fn(&mut Value) {
    move |record| record["warnings"] = json!([{"kind": kind, "message": "somebody was at work"}])
}

#[test]
fn bad_records_are_all_named_and_the_rest_is_compared() {
    let records = Records::new();
    records.add("a.json", "one", 1.0, |_| ());
    records.add("b.json", "two", 2.0, |_| ());
    records.add("wrong.json", "three", 1.0, |record| record["workloads"][0]["count"] = json!("93"));
    std::fs::write(records.path().join("half.json"), &EPYC[..EPYC.len() / 2]).unwrap();
    let (status, shown, said) = records.compare(&["none.json", "a.json", "half.json", "b.json"]);
    assert_eq!(status, Some(1), "{said}");
    assert!(
        said.contains("error: cannot read none.json: ") && said.contains("error: half.json is not a whole"),
        "{said}"
    );
    assert!(shown.contains("\none ") && shown.contains("\ntwo "), "{shown}");
    // A wrong count among them is the worst.
    let (status, shown, said) = records.compare(&["none.json", "a.json", "wrong.json", "b.json"]);
    assert!(status == Some(3) && said.contains("published") && shown.contains("\ntwo "), "{said}");
    let (status, shown, said) = records.compare(&["a.json", "half.json"]);
    assert_eq!((status, shown.as_str()), (Some(1), ""));
    assert!(said.contains("error: only one of these files holds a record"), "{said}");
}

#[test]
fn records_that_are_doubtful_or_share_nothing_are_inconclusive() {
    let records = Records::new();
    records.add("base.json", "one", 1.0, |_| ());
    records.add("same.json", "two", 1.0, |_| ());
    records.add("slow.json", "two", 1.2, |_| ());
    records.add("loaded.json", "three", 1.2, disturbed("load"));
    records.add("busy.json", "two", 1.0, disturbed("busy"));
    records.add("debug.json", "two", 1.2, |record| record["program"]["flags"] = json!("debug -O0"));
    records.add("other.json", "four", 1.2, |record| {
        let list = record["workloads"].as_array_mut().unwrap();
        list.truncate(1);
        list[0]["id"] = json!("count/mask/n=8/t=1@7");
    });
    std::fs::write(records.path().join("half.json"), &EPYC[..EPYC.len() / 2]).unwrap();
    for (files, status, part) in [
        (&["base.json", "same.json"][..], 0, ""),
        (&["base.json", "slow.json"], 4, "slower than the first on average"),
        (&["base.json", "loaded.json"], 5, "error: the last record is not to be trusted (somebody was at work)"),
        (&["busy.json", "base.json"], 5, "error: the first record is not to be trusted"),
        (&["base.json", "debug.json"], 5, "not a release build"),
        (&["base.json", "other.json"], 5, "share no workload"),
        // What lies between the first and the last decides nothing; a bad record is an error all the same.
        (&["base.json", "loaded.json", "same.json"], 0, ""),
        (&["base.json", "same.json", "other.json"], 5, "share no workload"),
        (&["base.json", "half.json", "same.json"], 1, "half.json"),
        (&["base.json", "same.json", "half.json"], 1, "half.json"),
        (&["base.json", "half.json", "slow.json"], 4, "half.json"),
    ] {
        let (found, _, said) = records.compare(&[files, &["--fail-if-slower", "5"]].concat());
        assert_eq!(found, Some(status), "{files:?}: {said}");
        assert!(said.contains(part), "{files:?}: {said}");
    }
}
