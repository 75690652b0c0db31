//! Records: what the reader takes, and what it says of the rest.

use crate::bench::Record;
use crate::bench::record::parse;
use serde_json::{Value, json};

/// Records of two invented machines: one with two cores, and one with sixteen that was measured with `--scaling`.
pub(crate) const SMALL: &str = include_str!("../../tests/it/records/small.json");
pub(crate) const LARGE: &str = include_str!("../../tests/it/records/large.json");

/// A record with a value changed or put in: `path` is a JSON pointer.
fn edited(path: &str, value: Value) -> String {
    let mut record: Value = serde_json::from_str(SMALL).unwrap();
    let (parent, name) = path.rsplit_once('/').unwrap();
    let parent = record.pointer_mut(parent).unwrap_or_else(|| panic!("no field {parent}"));
    match name.parse::<usize>() {
        Ok(index) => parent[index] = value,
        Err(_) => parent[name] = value,
    }
    record.to_string()
}

fn error(text: &str) -> String {
    format!("{:#}", parse(text.as_bytes()).expect_err("this record is wrong"))
}

#[test]
fn reading_and_writing_loses_nothing() {
    for text in [SMALL, LARGE] {
        let record: Record = parse(text.as_bytes()).unwrap();
        assert_eq!(
            serde_json::from_str::<Value>(&record.json()).unwrap(),
            serde_json::from_str::<Value>(text).unwrap()
        );
    }
}

#[test]
fn a_wrong_record_is_told_by_its_field() {
    let first = serde_json::from_str::<Value>(SMALL).unwrap()["workloads"][0].clone();
    let mut other_version = first.clone();
    other_version["version"] = json!(1);
    for (path, value, message) in [
        ("/workloads/0/seconds/1", json!(-1.5), "arrays n=10, threads 1: seconds: -1.5 is not the time of a board"),
        // Found by the fuzzer: a score of infinity.
        ("/workloads/0/seconds/1", json!(5e-324), "arrays n=10, threads 1: seconds: 5e-324 is not the time of a board"),
        ("/workloads/0/seconds", json!([]), "arrays n=10, threads 1: seconds: the list is empty"),
        ("/workloads/0/threads", json!(0), "arrays n=10, threads 0: threads: give a number from 1 to 4096"),
        ("/workloads/1", first, "arrays n=10, threads 1: it is there twice"),
        ("/workloads/1", other_version, "arrays n=10, threads 1: it is there twice"),
        ("/workloads", json!([]), "workloads: give 1 to 1000 of them"),
        ("/kind", json!("criterion"), "it is of kind 'criterion' and schema 2"),
        ("/schema", json!(3), "it is of kind 'nqueens-bench' and schema 3"),
    ] {
        let found = error(&edited(path, value));
        assert!(found.starts_with(message), "{path}: {found}");
    }
    for (path, value, message) in [
        ("/workloads/0/seconds/1", json!(null), "invalid type: null"),
        ("/workloads/0/n", json!(-5), "invalid value: integer `-5`"),
        ("/warnings", json!([{"severity": "heavy", "text": "x"}]), "unknown variant `heavy`"),
        ("/machine", json!({}), "missing field `cpu_model`"),
    ] {
        let found = error(&edited(path, value));
        assert!(found.starts_with("not a record of ") && found.contains(message), "{path}: {found}");
    }
}

/// The first version called warnings remarks.
#[test]
fn records_of_the_first_version_are_read() {
    let old = SMALL.replace("\"schema\": 2", "\"schema\": 1");
    let old = old.replace("\"warnings\":", "\"remarks\":").replace("\"severity\":", "\"weight\":");
    let [old, new] = [&old, SMALL].map(|text| parse(text.as_bytes()).unwrap());
    assert_eq!((old.schema, &old.warnings), (1, &new.warnings));
    assert!(!new.warnings.is_empty());
}
