//! Invented records, and how wrong records are rejected.

use serde_json::{Value, json};

use crate::bench::Record;
use crate::bench::record::parse;

/// Records of two invented machines, one with two cores and one with sixteen, which was measured with `--scaling`.
pub(crate) const SMALL: &str = include_str!("../../tests/it/records/small.json");
pub(crate) const LARGE: &str = include_str!("../../tests/it/records/large.json");

/// Returns the record of sixteen cores.
pub(crate) fn record() -> Record {
    parse(LARGE.as_bytes()).unwrap()
}

/// Returns the record of two cores with a value changed or added. `path` is a JSON pointer.
pub(crate) fn edited(path: &str, value: Value) -> String {
    let mut record: Value = serde_json::from_str(SMALL).unwrap();
    let (parent, name) = path.rsplit_once('/').unwrap();
    let parent = record.pointer_mut(parent).unwrap_or_else(|| panic!("no field {parent}"));
    match name.parse::<usize>() {
        Ok(index) => parent[index] = value,
        Err(_) => parent[name] = value,
    }
    record.to_string()
}

#[test]
fn a_wrong_record_is_rejected_with_the_name_of_its_field() {
    for (path, value, message) in [
        ("/workloads/0/seconds/1", json!(-1.5), "arrays n=10, threads 1: -1.5 cannot be the seconds of a count"),
        // Its score would be infinite.
        ("/workloads/0/seconds/1", json!(5e-324), "arrays n=10, threads 1: 5e-324 cannot be the seconds of a count"),
        ("/workloads/0/seconds", json!([]), "arrays n=10, threads 1: no samples"),
        ("/workloads", json!([]), "no workloads"),
        (
            "/workloads/0/seconds/1",
            json!(null),
            "a record that is damaged or of an older program: workloads[0].seconds[1]: invalid type",
        ),
        (
            "/machine/cores",
            json!("two"),
            "a record that is damaged or of an older program: machine.cores: invalid type",
        ),
        (
            "/workloads/0/n",
            json!("ten"),
            "a record that is damaged or of an older program: workloads[0].n: invalid type",
        ),
        ("/machine/cores", json!(0), "machine.cores: 0 is not from 1 to 2"),
        ("/machine/usable_cpus", json!(3), "machine.usable_cpus: 3 is not from 1 to 2"),
        ("/machine/logical_cpus", json!(1_000_000_000), "machine.logical_cpus: 1000000000 is not from 1 to 65536"),
        ("/machine/memory_bytes", json!(1000), "machine.memory_bytes: 1000 cannot be the memory of a machine"),
        ("/created", json!("2999-11-26T12:00:00Z"), "created: \"2999-11-26T12:00:00Z\" is not a time between 2020 and"),
        ("/name", json!(" "), "name: the machine has no name"),
        ("/name", json!("a\nb"), "name: \"a\\nb\" has several lines"),
        ("/created", json!("yesterday"), "created: \"yesterday\" is not a time between 2020 and 2099"),
        ("/workloads/1/threads", json!(1_000_000_000), "arrays n=10, threads 1000000000: the machine has 2 threads"),
        ("/workloads/1/threads", json!(1), "arrays n=10, threads 1: measured twice"),
        ("/workloads/0/n", json!(1000), "arrays n=1000, threads 1: n is not from 0 to 32"),
    ] {
        let found = format!("{:#}", parse(edited(path, value).as_bytes()).expect_err("this record is wrong"));
        assert!(found.starts_with(message), "{path}: {found}");
    }
}
