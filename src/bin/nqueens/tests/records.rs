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
    parse(text.as_bytes(), "a.json").expect_err("this record is wrong").to_string()
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
        let record: Record = parse(text.as_bytes(), "a.json").unwrap();
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
fn a_wrong_record_is_told_by_file_and_field() {
    for (path, value, message) in [
        ("/workloads/0/seconds/1", json!(-1.5), "a.json: workloads[0].seconds[1]: -1.5 is not the time of a run"),
        ("/workloads/0/seconds/1", json!(null), "a.json: workloads[0].seconds[1]: invalid type: null"),
        // Found by the fuzzer: a score of infinity.
        ("/workloads/0/seconds/1", json!(5e-324), "a.json: workloads[0].seconds[1]: 5e-324 is not the time of a run"),
        ("/name", json!("a\u{1b}[2J"), "a.json: name: \"a\\u{1b}[2J\" has control characters"),
        ("/workloads/0/seconds", json!([]), "a.json: workloads[0].seconds: the list is empty"),
        ("/workloads/0/count", json!("93"), "a.json: workloads[0].count: the count for n = 8 is 93, and the published"),
        ("/workloads/0/count", json!(92), "a.json: workloads[0].count: invalid type: integer"),
        ("/workloads/0/work/nodes", json!("-5"), "a.json: workloads[0].work.nodes: '-5' is not a whole number"),
        ("/workloads/0/threads", json!(2), "a.json: workloads[0].threads: it is 2, and the id says 1"),
        ("/workloads/0/isa", json!("sse9"), "a.json: workloads[0].isa: there is no instruction set 'sse9'"),
        ("/workloads/0/id", json!("sort/n=8@1"), "a.json: workloads[0].id: 'sort/n=8@1' is not a workload"),
        (
            "/workloads/0/id",
            json!("count/mask/n=8/t=1"),
            "a.json: workloads[0].id: 'count/mask/n=8/t=1' is not a workload: the version is missing",
        ),
        ("/workloads/0/runs_per_sample", json!(0), "a.json: workloads[0].runs_per_sample: 0 runs"),
        ("/workloads", json!([]), "a.json: workloads: the list is empty"),
        ("/name", json!(" "), "a.json: name: it is empty"),
        ("/name", json!("::error::x"), "a.json: name: it begins with '::'"),
        ("/suite", json!("quick"), "a.json: suite: 'quick' is not a suite with its version"),
        ("/created", json!("yesterday"), "a.json: created: 'yesterday' is not a time"),
        ("/elapsed_seconds", json!(-1), "a.json: elapsed_seconds: -1 is not a time"),
        ("/name", json!("a\u{202e}b"), "a.json: name: \"a\\u{202e}b\" has characters that do not show"),
        (
            "/warnings",
            json!([{"kind": "a\u{9b}", "message": "b"}]),
            "a.json: warnings[0].kind: \"a\\u{9b}\" has control",
        ),
        ("/workloads/0/work", json!({"a\u{1b}": "1"}), "a.json: workloads[0].work: \"a\\u{1b}\" has control"),
        (
            "/workloads/0/id",
            json!("count/mask/n=28/t=1@1"),
            "a.json: workloads[0].id: nobody has published the count for n = 28",
        ),
        ("/machine", json!({}), "a.json: machine: missing field `cpu_model`"),
        ("/schema", json!(2), "a.json has schema 2, and this program reads schema 1"),
        ("/kind", json!("criterion"), "a.json is not a record of nqueens: its kind is \"criterion\""),
    ] {
        let found = error(&edited(path, value));
        assert!(found.starts_with(message), "{path}: {found}");
    }
}

#[test]
fn what_is_no_record_is_told_to_be_none() {
    let deep = "[".repeat(100_000);
    let doubled = EPYC.replacen("\"suite\":", "\"suite\": \"quick@1\", \"suite\":", 1);
    for (text, message) in [
        ("   \n", "a.json is not a whole JSON file: it is empty"),
        ("[1]", "a.json is not a record of nqueens: its kind is null"),
        ("{\"kind\": \"nqueens-bench\"}", "a.json has schema null, and this program reads schema 1"),
        ("{\"kind\": \"nqueens-bench\", \"schema\": 1e999}", "a.json is not a whole JSON file: number out of range"),
        // What hyperfine writes.
        ("{\"results\": [{\"command\": \"sleep 1\", \"mean\": 1.0}]}", "a.json is not a record of nqueens"),
        (&EPYC[..EPYC.len() / 2], "a.json is not a whole JSON file: EOF"),
        (&deep, "a.json is not a whole JSON file: recursion limit"),
        (&doubled, "a.json: record: duplicate field `suite`"),
    ] {
        let found = error(text);
        assert!(found.starts_with(message), "{found}");
    }
}

#[test]
fn repetitions_are_parts_of_the_samples() {
    let with = |repetitions: Value| edited("/workloads/0/repetitions", repetitions);
    let samples = parse(EPYC.as_bytes(), "a.json").unwrap().workloads[0].seconds.len();
    assert!(parse(with(json!([samples - 2, 2])).as_bytes(), "a.json").is_ok());
    for wrong in [json!([1, 1]), json!([samples, 0]), json!([u64::MAX, 1 + samples])] {
        let found = error(&with(wrong));
        assert!(found.starts_with("a.json: workloads[0].repetitions: [") && found.contains("not parts of"), "{found}");
    }
}

#[test]
fn a_workload_twice_or_in_two_versions_is_refused() {
    let mut workload = serde_json::from_str::<Value>(EPYC).unwrap()["workloads"][0].clone();
    let name = workload["id"].as_str().unwrap().split_once('@').unwrap().0.to_owned();
    for version in [1, 2] {
        workload["id"] = json!(format!("{name}@{version}"));
        let found = error(&edited("/workloads/1", workload.clone()));
        assert_eq!(found, format!("a.json: workloads[1].id: {name} is there twice"));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn what_never_ends_is_read_no_further_than_any_record_reaches() {
    let error = crate::bench::read::read("/dev/zero".as_ref()).unwrap_err().to_string();
    assert_eq!(
        error,
        "/dev/zero is not a record of nqueens: it has more than 64 MiB; give a file that 'nqueens bench machine --out FILE' wrote"
    );
}
