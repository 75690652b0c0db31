//! Records: what a benchmark writes is what the schema says and what the reader takes.

use crate::bench::Record;
use crate::bench::read::parse;
use serde_json::{Value, json};

/// Records of two real runs on one machine.
pub(crate) const EPYC: &str = include_str!("../../../../tests/it/records/epyc.json");
pub(crate) const EPYC_PORTABLE: &str = include_str!("../../../../tests/it/records/epyc-portable.json");

const SCHEMA: &str = include_str!("../bench/record.schema.json");

/// A record with a value changed or put in: `path` is a JSON pointer.
fn edited(path: &str, value: Value) -> String {
    let mut record: Value = serde_json::from_str(EPYC).unwrap();
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

/// What in a value is not as its schema says, objects being closed: a field that is written but not documented fails
/// too. It knows the keywords that our schema uses, and no other.
fn problems(value: &Value, schema: &Value, place: &str) -> Vec<String> {
    let mut found = Vec::new();
    let number = value.as_f64();
    let length = value.as_array().map(Vec::len).or(value.as_str().map(str::len)).unwrap_or(0) as u64;
    for (keyword, wanted) in schema.as_object().unwrap() {
        let is_fine = match keyword.as_str() {
            "$schema" | "title" | "description" | "$defs" | "format" | "pattern" | "additionalProperties" => true,
            "type" => match wanted.as_str().unwrap() {
                "object" => value.is_object(),
                "array" => value.is_array(),
                "string" => value.is_string(),
                "boolean" => value.is_boolean(),
                "integer" => value.is_u64(),
                "number" => value.is_number(),
                other => panic!("the type {other}"),
            },
            "const" => value == wanted,
            "enum" => wanted.as_array().unwrap().contains(value),
            "minimum" => number >= wanted.as_f64(),
            "maximum" => number <= wanted.as_f64(),
            "exclusiveMinimum" => number > wanted.as_f64(),
            "minLength" | "minItems" => length >= wanted.as_u64().unwrap(),
            "maxItems" => length <= wanted.as_u64().unwrap(),
            "required" => wanted.as_array().unwrap().iter().all(|name| value.get(name.as_str().unwrap()).is_some()),
            "$ref" => value.as_str().is_some_and(|text| text.parse::<u128>().is_ok()),
            "items" => {
                let list = value.as_array().into_iter().flatten().enumerate();
                found.extend(list.flat_map(|(at, one)| problems(one, wanted, &format!("{place}/{at}"))));
                true
            }
            "properties" => {
                for (name, one) in value.as_object().into_iter().flatten() {
                    match wanted.get(name) {
                        Some(schema) => found.extend(problems(one, schema, &format!("{place}/{name}"))),
                        None => found.push(format!("{place}/{name} is not documented")),
                    }
                }
                true
            }
            other => panic!("the schema has a keyword that this test does not know: {other}"),
        };
        if !is_fine {
            found.push(format!("{place}: {keyword}"));
        }
    }
    found
}

#[test]
fn records_are_what_their_schema_says() {
    let schema: Value = serde_json::from_str(SCHEMA).unwrap();
    for text in [EPYC, EPYC_PORTABLE] {
        let record: Record = parse(text.as_bytes()).unwrap();
        let written = serde_json::to_value(&record).unwrap();
        // Reading and writing loses nothing.
        assert_eq!(written, serde_json::from_str::<Value>(text).unwrap());
        assert_eq!(problems(&written, &schema, ""), [""; 0]);
    }
    for wrong in [
        edited("/schema", json!(2)),
        edited("/workloads", json!([])),
        edited("/workloads/0/count", json!(92)),
        edited("/workloads/0/seconds/0", json!(-1.0)),
        edited("/machine/caches/0", json!({"level": 1, "kind": "data", "bytes": 1, "surprise": 0})),
    ] {
        assert_eq!(problems(&serde_json::from_str(&wrong).unwrap(), &schema, "").len(), 1, "{wrong}");
    }
}

#[test]
fn a_wrong_record_is_told_by_its_field() {
    for (path, value, message) in [
        ("/workloads/0/seconds/1", json!(-1.5), "count/arrays/n=8/t=1: seconds: -1.5 is not the time of a run"),
        // Found by the fuzzer: a score of infinity.
        ("/workloads/0/seconds/1", json!(5e-324), "count/arrays/n=8/t=1: seconds: 5e-324 is not the time of a run"),
        ("/workloads/0/seconds", json!([]), "count/arrays/n=8/t=1: seconds: the list is empty"),
        (
            "/workloads/0/count",
            json!("93"),
            "count/arrays/n=8/t=1: count: the count for n = 8 is 93, and the published",
        ),
        ("/workloads/0/threads", json!(2), "count/arrays/n=8/t=1: threads: it is 2, and the id says 1"),
        ("/workloads", json!([]), "workloads: the list is empty"),
        ("/kind", json!("criterion"), "it is of kind 'criterion' and schema 1"),
        ("/schema", json!(2), "it is of kind 'nqueens-bench' and schema 2"),
    ] {
        let found = error(&edited(path, value));
        assert!(found.starts_with(message), "{path}: {found}");
    }
    for (path, value, message) in [
        ("/workloads/0/seconds/1", json!(null), "invalid type: null"),
        ("/workloads/0/count", json!(92), "invalid type: integer"),
        ("/workloads/0/work/nodes", json!("-5"), "'-5' is not a whole number"),
        ("/workloads/0/id", json!("sort/n=8@1"), "'sort/n=8@1' is not a workload"),
        ("/workloads/0/id", json!("count/bitmask/n=8/t=1"), "is not a workload: the version is missing"),
        ("/machine", json!({}), "missing field `cpu_model`"),
    ] {
        let found = error(&edited(path, value));
        assert!(found.starts_with("not a record of ") && found.contains(message), "{path}: {found}");
    }
}

#[test]
fn what_is_no_record_is_told_to_be_none() {
    let deep = "[".repeat(100_000);
    let doubled = EPYC.replacen("\"suite\":", "\"suite\": \"quick@1\", \"suite\":", 1);
    for (text, message) in [
        ("   \n", "EOF"),
        ("[1]", "invalid length"),
        ("{\"kind\": \"nqueens-bench\"}", "missing field `schema`"),
        // What hyperfine writes.
        ("{\"results\": [{\"command\": \"sleep 1\", \"mean\": 1.0}]}", "missing field"),
        (&EPYC[..EPYC.len() / 2], "EOF"),
        (&deep, "invalid"),
        (&doubled, "duplicate field `suite`"),
    ] {
        let found = error(text);
        assert!(found.starts_with("not a record of ") && found.contains(message), "{found}");
    }
}

#[test]
fn repetitions_are_parts_of_the_samples() {
    let with = |repetitions: Value| edited("/workloads/0/repetitions", repetitions);
    let samples = parse(EPYC.as_bytes()).unwrap().workloads[0].seconds.len();
    assert!(parse(with(json!([samples - 2, 2])).as_bytes()).is_ok());
    for wrong in [json!([1, 1]), json!([samples, 0]), json!([u64::MAX, 1 + samples])] {
        let found = error(&with(wrong));
        assert!(found.contains("repetitions: [") && found.contains("not parts of"), "{found}");
    }
}

#[test]
fn a_workload_twice_or_in_two_versions_is_refused() {
    let mut workload = serde_json::from_str::<Value>(EPYC).unwrap()["workloads"][0].clone();
    let name = workload["id"].as_str().unwrap().split_once('@').unwrap().0.to_owned();
    for version in [1, 2] {
        workload["id"] = json!(format!("{name}@{version}"));
        let found = error(&edited("/workloads/1", workload.clone()));
        assert_eq!(found, format!("{name} is there twice"));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn what_never_ends_is_read_no_further_than_any_record_reaches() {
    let error = crate::bench::read::read("/dev/zero".as_ref()).unwrap_err().to_string();
    assert_eq!(error, "/dev/zero is not a record: it has more than 16 MiB");
}
