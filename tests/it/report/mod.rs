//! The report: what its page and its pictures hold, whatever the records hold.

mod browser;
mod command;

use nqueens::measure::Record;
use nqueens::measure::read::parse;
use nqueens::report::Report;
use roxmltree::{Document, Node};
use serde_json::{Value, json};

use crate::records::{EPYC, EPYC_PORTABLE};

const HOSTILE: &str = "<script>window.injected=1</script>&\"'\u{fffe}\u{202e}]]>-->";

fn record(text: &str, edit: impl Fn(&mut Value)) -> Record {
    let mut value: Value = serde_json::from_str(text).unwrap();
    edit(&mut value);
    parse(value.to_string().as_bytes(), "a.json").unwrap_or_else(|error| panic!("{error}"))
}

/// A workload as a record holds it, of a size whose count is known.
fn workload(solver: &str, n: usize, threads: usize, seconds: f64) -> Value {
    let samples: Vec<f64> = [1.0, 1.004, 0.998, 1.02, 0.996, 1.001].map(|factor| factor * seconds).to_vec();
    json!({
        "id": format!("count/{solver}/n={n}/t={threads}@1"), "threads": threads, "isa": "avx2",
        "count": nqueens::board::known::solutions(nqueens::board::Size::new(n).unwrap()).unwrap().to_string(),
        "work": {}, "runs_per_sample": 1, "seconds": samples,
    })
}

/// Two real machines, one with sixteen cores, and one whose name is an attack.
fn machines() -> Vec<(String, Record)> {
    let sixteen = record(EPYC, |record| {
        record["name"] = json!("Sixteen cores");
        record["scores"] = json!({"baseline": "epyc-2core@1", "one_thread": 0.9, "all_threads": 11.0});
        record["warnings"] = json!([{"kind": "load", "message": "other programs used 1.2 CPUs & more"}]);
        let list = record["workloads"].as_array_mut().unwrap();
        for (threads, speedup) in [(1, 1.0), (2, 1.98), (4, 3.9), (8, 7.4), (16, 12.5)] {
            list.push(workload("bitmask", 15, threads, 0.031 / speedup));
        }
    });
    let hostile = record(EPYC_PORTABLE, |record| {
        record["name"] = json!(HOSTILE);
        record["machine"]["cpu_model"] = json!(HOSTILE);
        record["machine"]["os"] = json!("</style></svg></table><img src=x onerror=alert(1)>");
        record["warnings"] = json!([{"kind": "load", "message": format!("{HOSTILE}\u{1}")}]);
        record["scores"] = json!({"baseline": HOSTILE, "one_thread": 0.4, "all_threads": 12.5});
    });
    [record(EPYC, |_| ()), record(EPYC_PORTABLE, |_| ()), sixteen, hostile]
        .into_iter()
        .enumerate()
        .map(|(index, record)| (format!("{index}.json"), record))
        .collect()
}

/// The pictures in a page, each as it stands there.
fn pictures_in(page: &str) -> Vec<&str> {
    page.match_indices("<svg").map(|(at, _)| &page[at..at + page[at..].find("</svg>").unwrap() + 6]).collect()
}

fn has_class(node: &Node<'_, '_>, class: &str) -> bool {
    node.attribute("class").is_some_and(|classes| classes.split(' ').any(|one| one == class))
}

fn texts(document: &Document<'_>) -> Vec<String> {
    document
        .descendants()
        .filter(|node| node.has_tag_name("text"))
        .filter_map(|node| node.text())
        .map(str::to_owned)
        .collect()
}

#[test]
fn the_page_holds_every_machine_workload_and_theme() {
    let records = machines();
    let page = Report::new(&records).unwrap().html();
    for part in ["EPYC", "Sixteen cores", "other programs used 1.2 CPUs &amp; more", "AuthenticAMD", "id=\"machines\""]
    {
        assert!(page.contains(part), "{part}");
    }
    for id in records.iter().flat_map(|(_, record)| &record.workloads).map(|workload| workload.id.to_string()) {
        assert!(page.contains(&format!("<th scope=\"row\">{id}</th>")), "{id}");
    }
    assert_eq!(page.matches("@media (prefers-color-scheme:dark)").count(), 1);
    assert_eq!(page.matches("--paper:#").count(), 2);
    assert!(page.contains("<meta name=\"viewport\"") && page.contains("default-src 'none'"));
    // Nothing is loaded from anywhere, and every link stays on the page. (The attack is text that speaks of loading.)
    let page = Report::new(&records[..3]).unwrap().html();
    for outside in ["http:", "https:", " src=", "url(", "@import", "<link rel=\"stylesheet\""] {
        let found = page.replace("http://www.w3.org/2000/svg", "");
        assert!(!found.contains(outside), "{outside}");
    }
    assert!(
        page.matches("href=\"").count() == page.matches("href=\"#").count() + page.matches("href=\"data:,\"").count()
    );
    // Ids are there once, so that labels and anchors lead to one place.
    let mut ids: Vec<&str> =
        page.match_indices(" id=\"").map(|(at, _)| page[at + 5..].split('"').next().unwrap()).collect();
    let count = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), count);
}

#[test]
fn pictures_are_well_formed_and_hold_a_mark_for_every_median() {
    let records = machines();
    let report = Report::new(&records).unwrap();
    let page = report.html();
    let pictures = pictures_in(&page);
    // Four pictures, wide and narrow.
    assert_eq!(pictures.len(), 8);
    let medians: usize = records.iter().map(|(_, record)| record.workloads.len()).sum();
    let solvers = 3;
    for (picture, id) in pictures.iter().zip(["scores-wide", "scores-narrow", "time-wide", "time-narrow"]) {
        let document = Document::parse(picture).unwrap();
        let root = document.root_element();
        assert_eq!(root.attribute("role"), Some("img"));
        for label in root.attribute("aria-labelledby").unwrap().split(' ') {
            assert!(label.starts_with(id));
            assert!(document.descendants().any(|node| node.attribute("id") == Some(label) && node.text().is_some()));
        }
        if id.starts_with("time") {
            let marks = document.descendants().filter(|node| has_class(node, "mark")).count();
            // Those on 2 to 16 threads are in the next picture; the legend shows each solver's mark.
            assert_eq!(marks, medians - 4 + solvers, "{id}");
            // A line for each machine and solver on one thread and on all (6 + 3 + 6 + ...), and each machine's legend.
            let series: usize = records.iter().map(|(_, record)| series_of(record)).sum();
            let lines = document.descendants().filter(|node| has_class(node, "line")).count();
            assert_eq!(lines, series + records.len(), "{id}");
        }
    }
    let samples = Document::parse(pictures[6]).unwrap();
    assert_eq!(samples.descendants().filter(|node| has_class(node, "dots")).count(), medians);
    let drawn: usize = samples
        .descendants()
        .filter(|node| has_class(node, "dots") || (has_class(node, "bar") && node.has_tag_name("path")))
        .map(|node| node.attribute("d").unwrap().matches('M').count())
        .sum();
    let taken: usize =
        records.iter().flat_map(|(_, record)| &record.workloads).map(|workload| workload.seconds.len()).sum();
    assert_eq!(drawn, taken, "every sample is drawn, once");
    let scaling = Document::parse(pictures[4]).unwrap();
    let words = texts(&scaling);
    for word in ["ideal", "1", "2", "4", "8", "16", "threads", "bitmask n = 15, Sixteen cores"] {
        assert!(words.iter().any(|text| text == word), "{word}: {words:?}");
    }
}

/// Lines that a record makes in the picture of time against n.
fn series_of(record: &Record) -> usize {
    use nqueens::measure::workload::Threads;
    let mut series: Vec<_> = record
        .workloads
        .iter()
        .map(|workload| (&workload.id.solver, workload.id.threads))
        .filter(|(_, threads)| matches!(threads, Threads::Exactly(1) | Threads::All))
        .collect();
    series.sort_unstable();
    series.dedup();
    series.len()
}

#[test]
fn files_stand_alone_in_both_themes() {
    let records = machines();
    let pictures = Report::new(&records).unwrap().pictures();
    assert_eq!(
        pictures.iter().map(|picture| picture.name).collect::<Vec<_>>(),
        ["scores", "time", "scaling", "samples"]
    );
    for picture in &pictures {
        let document = Document::parse(&picture.svg).unwrap_or_else(|error| panic!("{}: {error}", picture.name));
        assert_eq!(document.root_element().tag_name().namespace(), Some("http://www.w3.org/2000/svg"));
        let style = document.descendants().find(|node| node.has_tag_name("style")).unwrap().text().unwrap();
        assert!(style.contains("prefers-color-scheme:dark") && !style.contains("var("), "{}", picture.name);
        assert!(texts(&document).len() > 5, "{}", picture.name);
    }
}

#[test]
fn text_from_records_stays_text() {
    let records = machines();
    let report = Report::new(&records).unwrap();
    let page = report.html();
    assert!(!page.contains("<script") && !page.contains("<img") && !page.contains(['\u{1}', '\u{fffe}']));
    // Where it may not stand, it does not; where it is shown, it is whole, but for the character that has no place in XML.
    let shown = HOSTILE.replace('\u{fffe}', "\u{fffd}");
    let time = report.pictures().into_iter().find(|picture| picture.name == "time").unwrap();
    let document = Document::parse(&time.svg).unwrap();
    assert!(texts(&document).contains(&shown), "{:?}", texts(&document));
    assert!(
        page.contains(&shown.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;"))
    );
}

/// Whatever the reader of records lets through is drawn: no number that is none, no picture that is not well formed.
#[test]
fn extreme_records_are_drawn() {
    let only = |list: Vec<Value>| {
        vec![("a.json".to_owned(), record(EPYC, |record| record["workloads"] = json!(list.clone())))]
    };
    let tiny = |value: f64| {
        let mut tiny = workload("mask", 8, 1, 1.0);
        tiny["seconds"] = json!([value]);
        tiny
    };
    let mut apart = workload("mask", 8, 1, 1.0);
    apart["seconds"] = json!([1e-10, 3.2e9, 1.0]);
    let crowd: Vec<(String, Record)> = (0..20)
        .map(|index| {
            (format!("{index}.json"), record(EPYC, |record| record["name"] = json!("很长的名字".repeat(index) + "x")))
        })
        .collect();
    for (what, records, drawn) in [
        ("one workload", only(vec![workload("mask", 8, 1, 5.9e-6)]), 2),
        ("the shortest time", only(vec![tiny(1e-10)]), 2),
        ("a century", only(vec![tiny(3.2e9)]), 2),
        ("both in one", only(vec![apart]), 2),
        ("no thread count but 3", only(vec![workload("mask", 8, 3, 1e-3)]), 1),
        ("slower on 4096 threads", only(vec![workload("bitmask", 12, 1, 1e-3), workload("bitmask", 12, 4096, 1e3)]), 3),
        ("the smallest and the largest board", only(vec![workload("x", 0, 1, 1e-9), workload("x", 27, 1, 3e9)]), 2),
        ("twenty machines", crowd, 2),
    ] {
        let report = Report::new(&records).unwrap();
        let page = report.html();
        let pictures = pictures_in(&page);
        assert_eq!(pictures.len(), 2 * drawn, "{what}");
        let files = report.pictures();
        assert_eq!(files.len(), 4);
        for picture in pictures.into_iter().chain(files.iter().map(|picture| picture.svg.as_str())) {
            let document = Document::parse(picture).unwrap_or_else(|error| panic!("{what}: {error}"));
            let places = document.descendants().flat_map(|node| node.attributes()).map(|attribute| attribute.value());
            for place in places {
                assert!(!place.contains("NaN") && !place.contains("inf"), "{what}: {place}");
            }
        }
    }
}

#[test]
fn versions_are_never_mixed() {
    let old = record(EPYC, |record| record["workloads"][2]["id"] = json!("count/mask/n=8/t=1@0"));
    let mut records = machines();
    records.push(("old.json".to_owned(), old));
    let error = Report::new(&records).unwrap_err().to_string();
    assert!(error.contains("count/mask/n=8/t=1 is version 0 in old.json and version 1 in 0.json"), "{error}");
}
