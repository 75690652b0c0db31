//! Tests of records: which ones are read, how the others are rejected, and how they are compared.

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::bench::compare::Comparison;
use crate::bench::record::parse;
use crate::bench::{Record, Run};
use crate::commands::compare::{CompareFormat, text};

/// Records of two invented machines, one with two cores and one with sixteen, which was measured with `--scaling`.
pub(crate) const SMALL: &str = include_str!("../../tests/it/records/small.json");
pub(crate) const LARGE: &str = include_str!("../../tests/it/records/large.json");

/// Returns the record of sixteen cores.
pub(crate) fn record() -> Record {
    parse(LARGE.as_bytes()).unwrap()
}

fn run(file: &str, record: Record) -> Run {
    Run { file: file.to_owned(), record }
}

/// Returns the record of two cores with a value changed or added. `path` is a JSON pointer.
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
            "a damaged record of 'nqueens bench': workloads[0].seconds[1]: invalid type",
        ),
        ("/machine/cores", json!("two"), "a damaged record of 'nqueens bench': machine.cores: invalid type"),
        ("/machine/cores", json!(0), "machine.cores: 0 is not from 1 to 2"),
        ("/machine/usable_cpus", json!(3), "machine.usable_cpus: 3 is not from 1 to 2"),
        ("/machine/logical_cpus", json!(1_000_000_000), "machine.logical_cpus: 1000000000 is not from 1 to 65536"),
        ("/machine/memory_bytes", json!(1000), "machine.memory_bytes: 1000 cannot be the memory of a machine"),
        ("/created", json!("2999-11-26T12:00:00Z"), "created: \"2999-11-26T12:00:00Z\" is not a time between 2020 and"),
        ("/name", json!(" "), "name: the machine has no name"),
        ("/created", json!("yesterday"), "created: \"yesterday\" is not a time between 2020 and 2099"),
        ("/workloads/1/threads", json!(1_000_000_000), "arrays n=10, threads 1000000000: the machine has 2 threads"),
        ("/workloads/1/threads", json!(1), "arrays n=10, threads 1: measured twice"),
        ("/workloads/0/n", json!(1000), "arrays n=1000, threads 1: n is not from 0 to 32"),
    ] {
        let found = format!("{:#}", parse(edited(path, value).as_bytes()).expect_err("this record is wrong"));
        assert!(found.starts_with(message), "{path}: {found}");
    }
}

proptest! {
    /// The reader rejects a damaged record, or returns one that can be compared in every format.
    #[test]
    fn a_damaged_record_is_refused_or_compared(at in 0..SMALL.len(), cut in 0..9usize, put in r#"[0-9eE.,+"\[\]{}-]{0,8}|\PC{0,3}"#) {
        let end = (at + cut).min(SMALL.len());
        if let Ok(record) = parse(&[&SMALL.as_bytes()[..at], put.as_bytes(), &SMALL.as_bytes()[end..]].concat()) {
            prop_assert_eq!(&parse(record.json().as_bytes()).unwrap(), &record);
            let comparison = Comparison::of(vec![run("a", record), run("b", self::record())], Some("b"));
            for format in [CompareFormat::Table, CompareFormat::Html, CompareFormat::Csv, CompareFormat::Json] {
                let text = text(&comparison, format, [None; 2]);
                prop_assert!(!text.contains("NaN") && !text.contains("inf,"), "{}", text);
            }
        }
    }
}

/// Spreadsheets would run a field that begins like a formula.
#[test]
fn no_field_of_csv_is_a_formula() {
    let record = parse(edited("/name", json!("=1+\"1\",2")).as_bytes()).unwrap();
    let csv = text(&Comparison::of(vec![run("a", record)], None), CompareFormat::Csv, [None; 2]);
    assert!(csv.lines().nth(1).unwrap().contains(",\"'=1+\"\"1\"\",2\","), "{csv}");
}

#[test]
fn a_page_shows_text_as_text_and_has_both_rankings() {
    let evil = parse(edited("/name", json!("<b>&\"")).as_bytes()).unwrap();
    let comparison = Comparison::of(vec![run("a<i>", evil), run("b", record())], None);
    let page = text(&comparison, CompareFormat::Html, [None; 2]);
    assert!(!page.contains("<b>") && !page.contains("<i>") && page.contains("&lt;b&gt;&amp;&quot;"), "{page}");
    let ranking = |caption: &str| {
        let chart = page.split("<svg ").find(|chart| chart.contains(&format!(">{caption}</text>"))).unwrap();
        chart.split("</svg>").next().unwrap().to_owned()
    };
    for (caption, first, second) in
        [("score, 1 thread", "&lt;b&gt;", "Sixteen cores"), ("score, all threads", "Sixteen cores", "&lt;b&gt;")]
    {
        let chart = ranking(caption);
        assert!(chart.find(first).unwrap() < chart.find(second).unwrap(), "{chart}");
        assert_eq!(chart.matches("height=\"14\"").count(), 2, "{chart}");
    }
    // Each picture can be saved, and facts that all machines share are stated once.
    assert_eq!(page.matches("<svg ").count(), page.matches(" download=").count());
    assert!(page.contains("<p>Shared by all machines: system Linux (Debian GNU/Linux 12) 6.12.0; "), "{page}");
    assert_eq!(page.matches("6.12.0").count(), 1);
}
