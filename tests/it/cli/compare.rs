//! `compare` on damaged records.

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
