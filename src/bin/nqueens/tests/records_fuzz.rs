//! The reader of records against what nobody writes: any bytes, and real records with something changed. It says no or
//! gives a record that everything else can work with; it never panics.

use std::sync::LazyLock;

use crate::bench::compare::compare;
use crate::bench::read::parse;
use crate::bench::{Record, export, score};
use nqueens::board::known;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::Value;

use super::records::EPYC;

/// A real record, made shorter.
static RECORD: LazyLock<String> = LazyLock::new(|| {
    let mut record: Value = serde_json::from_str(EPYC).expect("the fixture is JSON");
    let workloads = record["workloads"].as_array_mut().expect("a list");
    workloads.truncate(2);
    for workload in workloads {
        workload["seconds"].as_array_mut().expect("a list").truncate(3);
    }
    format!("{record:#}")
});

/// Holds what the reader took against what it promises, and gives it to everything that works with records.
fn check(bytes: &[u8]) -> Result<(), TestCaseError> {
    let record: Record = match parse(bytes, "fuzz.json") {
        Ok(record) => record,
        Err(error) => {
            let error = error.to_string();
            prop_assert!(error.contains("fuzz.json"), "{error}");
            return Ok(());
        }
    };
    prop_assert!(!record.workloads.is_empty());
    for workload in &record.workloads {
        prop_assert!(!workload.seconds.is_empty() && workload.seconds.iter().all(|s| s.is_finite() && *s > 0.0));
        prop_assert!(known::solutions(workload.id.size).is_none_or(|published| published == workload.count.0));
        let estimate = workload.estimate();
        prop_assert!(estimate.low <= estimate.value && estimate.value <= estimate.high);
    }
    let again = parse(export::json(&record).as_bytes(), "again.json").ok();
    prop_assert_eq!(again.as_ref(), Some(&record));
    for text in [export::github(&record), export::bencher(&record)] {
        prop_assert!(!text.contains("null"), "{}", text);
    }
    let lines = export::csv(&record).lines().count();
    prop_assert_eq!(lines, 1 + record.workloads.iter().map(|workload| workload.seconds.len()).sum::<usize>());
    let epyc = parse(RECORD.as_bytes(), "epyc.json").expect("the fixture is a record");
    prop_assert!(score::of(&record).iter().flatten().all(|score| score.value.is_finite()));
    if let Ok(comparison) = compare(&[("epyc.json".to_owned(), epyc), ("fuzz.json".to_owned(), record)], None) {
        let cells = comparison.rows.iter().flat_map(|row| row.cells.iter().flatten());
        prop_assert!(cells.into_iter().all(|cell| cell.speed.value.is_finite()));
    }
    Ok(())
}

/// Values that somebody, or a broken program, might write in place of another.
const VALUES: [&str; 27] = [
    "null",
    "true",
    "0",
    "-0.0",
    "-1",
    "1",
    "2",
    "5e-324",
    "1e-300",
    "1e308",
    "-1e308",
    "18446744073709551615",
    "18446744073709551616",
    "\"\"",
    "\"NaN\"",
    "\"92\"",
    "\"-1\"",
    "\"\\u0000\\u001b[2J\"",
    "\"count/mask/n=8/t=all@1\"",
    "\"count/mask/n=28/t=1@4294967295\"",
    "[]",
    "[5e-324]",
    "[1e308]",
    "[1e-300, 1e300]",
    "{}",
    "[[[]]]",
    "\"340282366920938463463374607431768211456\"",
];

/// All places in a JSON document, as pointers.
fn pointers(value: &Value) -> Vec<String> {
    fn walk(value: &Value, here: &str, found: &mut Vec<String>) {
        found.push(here.to_owned());
        match value {
            Value::Object(fields) => {
                fields.iter().for_each(|(name, value)| walk(value, &format!("{here}/{name}"), found));
            }
            Value::Array(list) => {
                list.iter().enumerate().for_each(|(index, value)| walk(value, &format!("{here}/{index}"), found));
            }
            _ => {}
        }
    }
    let mut found = Vec::new();
    walk(value, "", &mut found);
    found
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn changed_bytes(changes in proptest::collection::vec((any::<Index>(), any::<u8>()), 1..4)) {
        let mut bytes = RECORD.as_bytes().to_vec();
        for (index, byte) in changes {
            let index = index.index(bytes.len());
            bytes[index] = byte;
        }
        check(&bytes)?;
    }

    #[test]
    fn changed_values(changes in proptest::collection::vec((any::<Index>(), select(&VALUES[..])), 1..4)) {
        let mut record: Value = serde_json::from_str(&RECORD).expect("the fixture is JSON");
        for (index, value) in changes {
            let places = pointers(&record);
            let place = &places[index.index(places.len())];
            *record.pointer_mut(place).expect("a place that was found") =
                serde_json::from_str(value).expect("the values are JSON");
        }
        check(record.to_string().as_bytes())?;
    }

    #[test]
    fn removed_and_doubled_values(index in any::<Index>(), is_doubled in any::<bool>()) {
        let mut record: Value = serde_json::from_str(&RECORD).expect("the fixture is JSON");
        let places = pointers(&record);
        let place = &places[index.index(places.len())];
        if let Some((parent, name)) = place.rsplit_once('/') {
            match record.pointer_mut(parent) {
                Some(Value::Object(fields)) => {
                    fields.remove(name);
                }
                Some(Value::Array(list)) => {
                    let index: usize = name.parse().expect("an index");
                    if is_doubled { list.push(list[index].clone()) } else { drop(list.remove(index)) }
                }
                _ => {}
            }
        }
        check(record.to_string().as_bytes())?;
    }
}
