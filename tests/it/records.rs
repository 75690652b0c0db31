//! Records: what a benchmark writes is what the schema says and what the reader takes.

use nqueens::measure::read::parse;
use nqueens::measure::{Error, Record, score};
use serde_json::{Value, json};

/// Records of two real runs on one machine.
pub(crate) const EPYC: &str = include_str!("records/epyc.json");
pub(crate) const EPYC_PORTABLE: &str = include_str!("records/epyc-portable.json");

const SCHEMA: &str = include_str!("../../src/measure/record.schema.json");

/// A record with a field changed: `path` is a JSON pointer.
fn edited(path: &str, value: Value) -> String {
    let mut record: Value = serde_json::from_str(EPYC).unwrap();
    *record.pointer_mut(path).unwrap_or_else(|| panic!("no field {path}")) = value;
    record.to_string()
}

fn error(text: &str) -> String {
    parse(text.as_bytes(), "a.json").expect_err("this record is wrong").to_string()
}

/// What a value has against a part of the schema, which may use these words: `$ref`, `const`, `type`, `required`,
/// `properties`, `items`, `minItems`, `minimum`, `exclusiveMinimum`. Objects are closed: a field that is not documented
/// is a problem.
fn problems(root: &Value, schema: &Value, value: &Value, at: &str, found: &mut Vec<String>) {
    if let Some(name) = schema.get("$ref").and_then(Value::as_str) {
        let part = root.pointer(name.trim_start_matches('#')).unwrap_or_else(|| panic!("no {name}"));
        return problems(root, part, value, at, found);
    }
    let mut refuse = |is_wrong: bool, what: &str| found.extend(is_wrong.then(|| format!("{at}: {what}")));
    refuse(schema.get("const").is_some_and(|wanted| wanted != value), "not the constant");
    let kind = schema.get("type").and_then(Value::as_str);
    let is_kind = match kind {
        Some("object") => value.is_object(),
        Some("array") => value.is_array(),
        Some("string") => value.is_string(),
        Some("integer") => value.is_u64() || value.is_i64(),
        Some("number") => value.is_number(),
        Some("boolean") => value.is_boolean(),
        Some(other) => panic!("{at}: the schema has the type {other}"),
        None => true,
    };
    refuse(!is_kind, "of another type");
    let least = |word: &str| schema.get(word).and_then(Value::as_f64);
    let number = value.as_f64();
    refuse(least("minimum").zip(number).is_some_and(|(least, number)| number < least), "too small");
    refuse(least("exclusiveMinimum").zip(number).is_some_and(|(least, number)| number <= least), "too small");
    let length = value.as_array().map(|list| list.len() as f64);
    refuse(least("minItems").zip(length).is_some_and(|(least, length)| length < least), "too short");
    for name in schema.get("required").and_then(Value::as_array).into_iter().flatten() {
        refuse(value.get(name.as_str().unwrap()).is_none(), &format!("lacks {name}"));
    }
    if let Some(fields) = schema.get("properties") {
        for (name, field) in value.as_object().into_iter().flatten() {
            match fields.get(name) {
                Some(schema) => problems(root, schema, field, &format!("{at}/{name}"), found),
                None => found.push(format!("{at}/{name}: not documented")),
            }
        }
    }
    if let Some(others) = schema.get("additionalProperties") {
        for (name, field) in value.as_object().into_iter().flatten() {
            problems(root, others, field, &format!("{at}/{name}"), found);
        }
    }
    for (number, item) in value.as_array().into_iter().flatten().enumerate() {
        problems(root, schema.get("items").unwrap_or(&Value::Null), item, &format!("{at}/{number}"), found);
    }
}

#[test]
fn records_are_what_their_schema_says() {
    let schema: Value = serde_json::from_str(SCHEMA).unwrap();
    let problems = |record: &Value| {
        let mut found = Vec::new();
        problems(&schema, &schema, record, "", &mut found);
        found
    };
    for text in [EPYC, EPYC_PORTABLE] {
        let record: Record = parse(text.as_bytes(), "a.json").unwrap();
        let written = serde_json::to_value(&record).unwrap();
        // Reading and writing loses nothing.
        assert_eq!(written, serde_json::from_str::<Value>(text).unwrap());
        assert_eq!(problems(&written), [""; 0]);
    }
    for (path, value) in [
        ("/schema", json!(2)),
        ("/workloads", json!([])),
        ("/workloads/0/count", json!(92)),
        ("/workloads/0/seconds/0", json!(-1.0)),
        ("/machine/caches/0", json!({"level": 1, "kind": "data", "bytes": 1, "surprise": 0})),
    ] {
        let found = problems(&serde_json::from_str(&edited(path, value)).unwrap());
        assert!(found.iter().all(|problem| problem.starts_with(path)) && !found.is_empty(), "{path}: {found:?}");
    }
}

#[test]
fn a_wrong_record_is_told_by_file_and_field() {
    for (path, value, message) in [
        ("/workloads/0/seconds/1", json!(-1.5), "a.json: workloads[0].seconds[1]: -1.5 is not the time of a run"),
        ("/workloads/0/seconds/1", json!(0), "a.json: workloads[0].seconds[1]: 0.0 is not the time of a run"),
        ("/workloads/0/seconds/1", json!(null), "a.json: workloads[0].seconds[1]: invalid type: null"),
        // Found by the fuzzer: a score of infinity.
        ("/workloads/0/seconds/1", json!(5e-324), "a.json: workloads[0].seconds[1]: 5e-324 is not the time of a run"),
        ("/name", json!("a\u{1b}[2J"), "a.json: name: \"a\\u{1b}[2J\" has control characters"),
        ("/machine/os", json!("a\nb"), "a.json: machine.os: \"a\\nb\" has control characters"),
        ("/workloads/0/seconds/1", json!("1"), "a.json: workloads[0].seconds[1]: invalid type: string"),
        ("/workloads/0/seconds", json!([]), "a.json: workloads[0].seconds: the list is empty"),
        ("/workloads/0/count", json!("93"), "a.json: workloads[0].count: the count for n = 8 is 93, and the published"),
        ("/workloads/0/count", json!(92), "a.json: workloads[0].count: invalid type: integer"),
        ("/workloads/0/work/nodes", json!("-5"), "a.json: workloads[0].work.nodes: '-5' is not a whole number"),
        ("/workloads/0/threads", json!(2), "a.json: workloads[0].threads: it is 2, and the id says 1"),
        ("/workloads/0/threads", json!(-1), "a.json: workloads[0].threads: invalid value"),
        ("/workloads/0/isa", json!("sse9"), "a.json: workloads[0].isa: there is no instruction set 'sse9'"),
        ("/workloads/0/id", json!("sort/n=8@1"), "a.json: workloads[0].id: 'sort/n=8@1' is not a workload"),
        (
            "/workloads/0/id",
            json!("count/mask/n=8/t=1"),
            "a.json: workloads[0].id: 'count/mask/n=8/t=1' is not a workload: the version is missing",
        ),
        ("/workloads/0/runs_per_sample", json!(0), "a.json: workloads[0].runs_per_sample: 0 runs"),
        ("/workloads", json!([]), "a.json: workloads: the list is empty"),
        ("/workloads", json!({}), "a.json: workloads: invalid type: map"),
        ("/name", json!(" "), "a.json: name: it is empty"),
        ("/suite", json!("quick"), "a.json: suite: 'quick' is not a suite with its version"),
        ("/created", json!("yesterday"), "a.json: created: 'yesterday' is not a time"),
        ("/elapsed_seconds", json!(-1), "a.json: elapsed_seconds: -1 is not a time"),
        ("/scores", json!({"baseline": "x@1", "one_thread": 0}), "a.json: scores.one_thread: 0 is not"),
        (
            "/scores",
            json!({"baseline": score::anchor().unwrap().name, "one_thread": 9.5}),
            "a.json: scores.one_thread: it is 9.5, and the samples make",
        ),
        (
            "/scores",
            json!({"baseline": "a\u{1b}[2J"}),
            "a.json: scores.baseline: \"a\\u{1b}[2J\" has control characters",
        ),
        ("/name", json!("a\u{202e}b"), "a.json: name: \"a\\u{202e}b\" has characters that do not show"),
        ("/name", json!("\u{200b}"), "a.json: name: \"\\u{200b}\" has characters that do not show"),
        (
            "/warnings",
            json!([{"kind": "a\u{9b}", "message": "b"}]),
            "a.json: warnings[0].kind: \"a\\u{9b}\" has control",
        ),
        ("/workloads/0/work", json!({"a\u{1b}": "1"}), "a.json: workloads[0].work: \"a\\u{1b}\" has control"),
        ("/suite", json!("=cmd@1"), "a.json: suite: '=cmd@1' is not a suite"),
        ("/elapsed_seconds", json!(1e308), "a.json: elapsed_seconds: "),
        ("/machine/clock", json!({"now_mhz": -1}), "a.json: machine.clock.now_mhz: -1.0 is not a clock"),
        ("/machine/clock", json!({"max_mhz": 1e308}), "a.json: machine.clock.max_mhz: 1e308 is not a clock"),
        (
            "/machine/logical_cpus",
            json!(1u64 << 63),
            "a.json: machine.logical_cpus: 9223372036854775808 is not a number",
        ),
        (
            "/workloads/0/id",
            json!("count/mask/n=28/t=1@1"),
            "a.json: workloads[0].count: 92 cannot be the count for n = 28",
        ),
        ("/machine", json!({}), "a.json: machine: missing field `cpu_model`"),
        ("/schema", json!(2), "a.json has schema 2, and this program reads schema 1"),
        ("/schema", json!("1"), "a.json has schema \"1\", and this program reads schema 1"),
        ("/kind", json!("criterion"), "a.json is not a record of nqueens: its kind is \"criterion\""),
    ] {
        let found = error(&if ["/scores", "/warnings"].contains(&path) {
            with_field(&path[1..], value)
        } else {
            edited(path, value)
        });
        assert!(found.starts_with(message), "{path}: {found}");
    }
}

/// A record with a field that may be missing from it.
fn with_field(name: &str, value: Value) -> String {
    let mut record: Value = serde_json::from_str(EPYC).unwrap();
    record[name] = value;
    record.to_string()
}

#[test]
fn what_is_no_record_is_told_to_be_none() {
    for (text, message) in [
        ("", "a.json is not a whole JSON file: it is empty"),
        ("   \n", "a.json is not a whole JSON file: it is empty"),
        ("[]", "a.json is not a record of nqueens: it holds an empty list"),
        ("[1]", "a.json is not a record of nqueens: it holds a list"),
        ("3", "a.json is not a record of nqueens: it holds a single value"),
        ("{}", "a.json is not a record of nqueens: it has no field 'kind'"),
        ("{\"kind\": \"nqueens-bench\"}", "a.json is not a record of nqueens: it has no field 'schema'"),
        ("{\"kind\": \"nqueens-bench\", \"schema\": NaN}", "a.json is not a whole JSON file: expected value"),
        ("{\"kind\": \"nqueens-bench\", \"schema\": 1e999}", "a.json is not a whole JSON file: number out of range"),
        // What hyperfine, criterion and github-action-benchmark write.
        ("{\"results\": [{\"command\": \"sleep 1\", \"mean\": 1.0}]}", "a.json is not a record of nqueens"),
        ("{\"mean\": {\"point_estimate\": 1.0}}", "a.json is not a record of nqueens"),
        ("[{\"name\": \"x\", \"unit\": \"s\", \"value\": 1}]", "a.json is not a record of nqueens: it holds a list"),
    ] {
        let found = error(text);
        assert!(found.starts_with(message), "{text}: {found}");
    }
    assert!(error(&EPYC[..EPYC.len() / 2]).starts_with("a.json is not a whole JSON file: EOF"));
    let deep = "[".repeat(100_000);
    assert!(error(&deep).contains("recursion limit"));
}

/// Every time that a record holds is read as it was written, to the last digit: its figures are the same everywhere.
#[test]
fn times_that_are_read_back_are_those_that_were_written() {
    let mut record = parse(EPYC.as_bytes(), "a.json").unwrap();
    // Numbers with all their digits, of many magnitudes.
    let mut state = 1u64;
    record.workloads[0].seconds = (0..5000)
        .map(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            10f64.powi((state >> 60) as i32 - 9) * (1.0 + (state >> 12) as f64 / 2f64.powi(52))
        })
        .collect();
    record.scores = None;
    let back = parse(nqueens::measure::export::json(&record).as_bytes(), "a.json").unwrap();
    assert!(record.workloads[0].seconds == back.workloads[0].seconds, "some of 5000 times differ");
    assert_eq!(record, back);
}

#[test]
fn repetitions_are_parts_of_the_samples() {
    let with = |repetitions: Value| {
        let mut record: Value = serde_json::from_str(EPYC).unwrap();
        record["workloads"][0]["repetitions"] = repetitions;
        record["scores"].take();
        record.to_string()
    };
    let samples = parse(EPYC.as_bytes(), "a.json").unwrap().workloads[0].seconds.len();
    assert!(parse(with(json!([samples - 2, 2])).as_bytes(), "a.json").is_ok());
    for wrong in [json!([1, 1]), json!([samples, 0]), json!([u64::MAX, 1 + samples])] {
        let found = error(&with(wrong));
        assert!(found.starts_with("a.json: workloads[0].repetitions: [") && found.contains("not parts of"), "{found}");
    }
}

#[test]
fn a_workload_twice_or_in_two_versions_is_refused() {
    let mut record: Value = serde_json::from_str(EPYC).unwrap();
    let first = record["workloads"][0].clone();
    let name = first["id"].as_str().unwrap().split_once('@').unwrap().0.to_owned();
    record["workloads"].as_array_mut().unwrap().push(first);
    let last = record["workloads"].as_array().unwrap().len() - 1;
    assert_eq!(error(&record.to_string()), format!("a.json: workloads[{last}].id: {name}@1 is there twice"));
    record["workloads"][last]["id"] = json!(format!("{name}@2"));
    assert!(error(&record.to_string()).contains(&format!("{name} is there in two versions")));
}

#[test]
fn a_key_that_is_there_twice_is_refused() {
    let doubled = EPYC.replacen("\"suite\":", "\"suite\": \"quick@1\", \"suite\":", 1);
    assert!(error(&doubled).starts_with("a.json is not a whole JSON file: the key \"suite\" is there twice"));
    assert_eq!(parse(EPYC.as_bytes(), "a.json").unwrap().name, serde_json::from_str::<Value>(EPYC).unwrap()["name"]);
}

#[cfg(target_os = "linux")]
#[test]
fn what_never_ends_is_read_no_further_than_any_record_reaches() {
    let error = nqueens::measure::read::read("/dev/zero".as_ref()).unwrap_err().to_string();
    assert_eq!(
        error,
        "/dev/zero is not a record of nqueens: it has more than 64 MiB; give a file that 'nqueens bench --out FILE' wrote"
    );
}

#[test]
fn a_file_that_is_not_there_is_told() {
    let missing = "no/such/record.json";
    let error = nqueens::measure::read::read(missing.as_ref()).unwrap_err();
    assert!(matches!(error, Error::Unreadable { .. }));
    // Each system has words of its own for it.
    let system = std::fs::read(missing).unwrap_err();
    assert_eq!(error.to_string(), format!("cannot read {missing}: {system}"));
}
