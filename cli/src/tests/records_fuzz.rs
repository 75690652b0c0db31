//! The reader of records against what nobody writes: any bytes, and real records with something changed. It says no or
//! gives a record that everything else can work with; it never panics.

use crate::bench::Record;
use crate::bench::compare::Comparison;
use crate::bench::record::parse;
use crate::draw::page;
use crate::terminal::escape::terminal_lines;
use serde_json::Value;

use super::records::SMALL;

/// A good record, made shorter.
fn short() -> Value {
    let mut record: Value = serde_json::from_str(SMALL).expect("the fixture is JSON");
    let workloads = record["workloads"].as_array_mut().expect("a list");
    workloads.truncate(4);
    for workload in workloads {
        workload["seconds"].as_array_mut().expect("a list").truncate(3);
    }
    record
}

/// Holds what the reader took against what it promises, and gives it to everything that works with records.
fn check(bytes: &[u8]) {
    let Ok(record): Result<Record, _> = parse(bytes) else { return };
    assert!(!record.workloads.is_empty());
    for workload in &record.workloads {
        assert!(!workload.seconds.is_empty() && workload.seconds.iter().all(|s| s.is_finite() && *s > 0.0));
        let estimate = workload.time();
        assert!(estimate.low <= estimate.value && estimate.value <= estimate.high);
    }
    assert_eq!(parse(record.json().as_bytes()).ok().as_ref(), Some(&record));
    let good = parse(short().to_string().as_bytes()).expect("the fixture is a record");
    let comparison = Comparison::of(vec![("good.json".to_owned(), good), ("fuzz.json".to_owned(), record)], None);
    let cells = comparison.rows.iter().flat_map(|row| row.cells.iter().flatten());
    assert!(
        cells
            .into_iter()
            .all(|cell| { cell.speed.is_none_or(|speed| speed.value.is_finite()) && cell.figure.value.is_finite() })
    );
    for number in super::page::numbers(&terminal_lines(&page::html(&comparison, None))) {
        assert!(!number.contains("NaN") && !number.contains("inf"), "{number}");
    }
}

/// Values that somebody, or a broken program, might write in place of another.
const VALUES: &str = "null|true|0|-0.0|-1|1|2|5e-324|1e-300|1e-10|3.2e9|1e308|-1e308|18446744073709551615|\
    18446744073709551616|\"\"|\"NaN\"|\"92\"|\"-1\"|\"\\u0000\\u001b[2J\"|\"bitmask\"|4096|4294967295|12|\"no-score\"|[]|[5e-324]|[1e308]|[1e-300, 1e300]|[1e-10, 3.2e9]|\
    {}|[[[]]]|\"340282366920938463463374607431768211456\"";

/// All places in a JSON document, as pointers.
fn pointers(value: &Value, here: &str, found: &mut Vec<String>) {
    found.push(here.to_owned());
    match value {
        Value::Object(fields) => {
            fields.iter().for_each(|(name, value)| pointers(value, &format!("{here}/{name}"), found));
        }
        Value::Array(list) => {
            list.iter().enumerate().for_each(|(index, value)| pointers(value, &format!("{here}/{index}"), found));
        }
        _ => {}
    }
}

fn some_place(random: &mut fastrand::Rng, record: &Value) -> String {
    let mut places = Vec::new();
    pointers(record, "", &mut places);
    places.swap_remove(random.usize(..places.len()))
}

#[test]
fn the_reader_stands_whatever_is_changed() {
    let values: Vec<&str> = VALUES.split('|').collect();
    let mut random = fastrand::Rng::with_seed(1);
    for number in 0..1500 {
        let mut record = short();
        let mut bytes = format!("{record:#}").into_bytes();
        for _ in 0..random.usize(1..4) {
            let place = some_place(&mut random, &record);
            let (parent, name) = place.rsplit_once('/').unwrap_or_default();
            match number % 3 {
                0 => {
                    let at = random.usize(..bytes.len());
                    bytes[at] = random.u8(..);
                }
                1 => {
                    let value = serde_json::from_str(random.choice(&values).expect("there are values"));
                    *record.pointer_mut(&place).expect("it is there") = value.expect("it is JSON");
                }
                // A value is removed or doubled.
                _ => match record.pointer_mut(parent) {
                    Some(Value::Object(fields)) => drop(fields.remove(name)),
                    Some(Value::Array(list)) => match name.parse::<usize>().expect("an index") {
                        index if random.bool() => list.push(list[index].clone()),
                        index => drop(list.remove(index)),
                    },
                    _ => {}
                },
            }
        }
        check(&if number % 3 == 0 { bytes } else { record.to_string().into_bytes() });
    }
}
