//! Tests of the formats of a comparison, also with damaged records.

use proptest::prelude::*;
use serde_json::json;

use super::{CompareFormat, text};
use crate::bench::comparison::Comparison;
use crate::bench::record::parse;
use crate::bench::tests::{SMALL, edited, record};
use crate::bench::{Record, Run};

fn run(file: &str, record: Record) -> Run {
    Run { file: file.to_owned(), record }
}

proptest! {
    /// The reader rejects a damaged record, or returns one that can be compared in every format.
    #[test]
    fn a_damaged_record_is_refused_or_compared(at in 0..SMALL.len(), cut in 0..9usize, put in r#"[0-9eE.,+"\[\]{}-]{0,8}|\PC{0,3}"#) {
        let end = (at + cut).min(SMALL.len());
        if let Ok(record) = parse(&[&SMALL.as_bytes()[..at], put.as_bytes(), &SMALL.as_bytes()[end..]].concat()) {
            prop_assert_eq!(&parse(record.json().as_bytes()).unwrap(), &record);
            let comparison = Comparison::of(vec![run("a", record), run("b", self::record())], Some("b"));
            for format in [CompareFormat::Table, CompareFormat::Html, CompareFormat::Csv] {
                let text = text(&comparison, format, None);
                prop_assert!(!text.contains("NaN") && !text.contains("inf,"), "{}", text);
            }
        }
    }
}

/// Spreadsheets would run a field that begins like a formula.
#[test]
fn no_field_of_csv_is_a_formula() {
    let record = parse(edited("/name", json!("=1+\"1\",2")).as_bytes()).unwrap();
    let csv = text(&Comparison::of(vec![run("a", record)], None), CompareFormat::Csv, None);
    assert!(csv.lines().nth(1).unwrap().contains(",\"'=1+\"\"1\"\",2\","), "{csv}");
}

#[test]
fn a_page_shows_text_as_text_and_has_both_rankings() {
    let mut evil = parse(edited("/name", json!("<b>&\"")).as_bytes()).unwrap();
    // The page names both commits, because they differ.
    evil.commit = "<i>".to_owned();
    let comparison = Comparison::of(vec![run("a<i>", evil), run("b", record())], None);
    let page = text(&comparison, CompareFormat::Html, None);
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
