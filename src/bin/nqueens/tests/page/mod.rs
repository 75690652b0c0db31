//! The report: what its page and its pictures hold, whatever the records hold.

mod browser;

use crate::bench::Record;
use crate::draw::page::Report;
use roxmltree::{Document, Node};
use serde_json::{Value, json};

use crate::tests::records::{EPYC, EPYC_PORTABLE};

const HOSTILE: &str = "<script>window.injected=1</script>&\"'\u{fffe}\u{202e}]]>-->";

fn record(text: &str, edit: impl Fn(&mut Value)) -> Record {
    let mut value: Value = serde_json::from_str(text).unwrap();
    edit(&mut value);
    // The reader refuses hostile texts; the report does not rely on that.
    serde_json::from_value(value).unwrap_or_else(|error| panic!("{error}"))
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
    let page = Report::new(&records, None).html();
    for part in ["EPYC", "Sixteen cores", "other programs used 1.2 CPUs &amp; more", "KVM", "id=\"machines\""] {
        assert!(page.contains(part), "{part}");
    }
    for id in records.iter().flat_map(|(_, record)| &record.workloads).map(|workload| workload.id.to_string()) {
        assert!(page.contains(&format!(": {id}: ")), "{id}");
    }
    assert_eq!(page.matches("@media (prefers-color-scheme:dark)").count(), 1);
    assert_eq!(page.matches("--paper:#").count(), 2);
    assert!(page.contains("<meta name=\"viewport\"") && page.contains("default-src 'none'"));
    // Nothing is loaded from anywhere, and every link stays on the page. (The attack is text that speaks of loading.)
    let page = Report::new(&records[..3], None).html();
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

/// Thirty machines: the real ones with other names and other times.
fn crowd() -> Vec<(String, Record)> {
    let one = |index: usize| {
        let factor = 0.3 + 0.1 * ((index * 7) % 30) as f64;
        let machine = record(if index.is_multiple_of(2) { EPYC } else { EPYC_PORTABLE }, |record| {
            record["name"] = json!(format!("Machine {index} with a rather long name of its own"));
            for workload in record["workloads"].as_array_mut().unwrap() {
                let seconds = workload["seconds"].as_array_mut().unwrap();
                seconds.iter_mut().for_each(|value| *value = json!(value.as_f64().unwrap() * factor));
            }
        });
        (format!("{index}.json"), machine)
    };
    (0..30).map(one).collect()
}

fn count(pictures: &[Document<'_>], class: &str) -> usize {
    pictures.iter().flat_map(Document::descendants).filter(|node| has_class(node, class)).count()
}

#[test]
fn pictures_are_well_formed_and_hold_every_median() {
    let records = machines();
    let report = Report::new(&records, None);
    let page = report.html();
    let medians: usize = records.iter().map(|(_, record)| record.workloads.len()).sum();
    let of = |name: &str| -> Vec<Document<'_>> {
        let id = format!("aria-labelledby=\"{name}");
        pictures_in(&page)
            .into_iter()
            .filter(|svg| svg.contains(&id))
            .map(|svg| Document::parse(svg).unwrap())
            .collect()
    };
    for name in ["ranking", "workloads", "scaling"] {
        let pictures = of(name);
        assert!(!pictures.is_empty(), "{name}");
        for root in pictures.iter().map(Document::root_element) {
            for label in root.attribute("aria-labelledby").unwrap().split(' ') {
                assert!(root.descendants().any(|node| node.attribute("id") == Some(label) && node.text().is_some()));
            }
        }
    }
    // Each median is a shade; the legend has seven.
    assert_eq!(count(&of("workloads"), "cell"), medians + 7);
    let words: Vec<String> = of("scaling").iter().flat_map(texts).collect();
    for word in ["ideal", "1", "2", "4", "8", "16", "Sixteen cores"] {
        assert!(words.iter().any(|text| text == word), "{word}: {words:?}");
    }
}

/// The texts of each row of a ranking: rank, name, facts, score.
fn ranked(ranking: &Document<'_>) -> Vec<Vec<String>> {
    let rows = ranking.descendants().filter(|node| has_class(node, "row"));
    let words = |row: Node<'_, '_>| row.children().filter_map(|node| node.text().map(str::to_owned)).collect();
    rows.map(words).collect()
}

#[test]
fn thirty_machines_are_ranked() {
    let records = crowd();
    let report = Report::new(&records, None);
    let svg = &report.pictures()[0].svg;
    let rows = ranked(&Document::parse(svg).unwrap());
    // 0.3 times the time is the fastest, 3.2 times the slowest.
    assert_eq!(rows.len(), 30);
    assert!(rows[0][1].starts_with("Machine 0 ") && rows[1][1].starts_with("Machine 13 "), "{rows:?}");
    let page = report.html();
    // Against one of them, half of the machines are faster.
    let against = Report::new(&records, Some(15)).html();
    assert!(against.contains("times as fast as Machine 15 with a rather long name of its own"));
    assert!(page.contains("nqueens on 30 machines"));
}

/// Machines with 2 and with 200 cores can be seen beside one another, and those that cannot be told apart share a rank.
#[test]
fn machines_are_ranked_by_points_and_all_threads_on_a_logarithmic_axis() {
    let scaled = |name: &str, factor: f64| {
        let machine = record(include_str!("../../bench/baseline.json"), |record| {
            record["name"] = json!(name);
            for workload in record["workloads"].as_array_mut().unwrap() {
                let all = workload["id"].as_str().unwrap().contains("t=all");
                let seconds = workload["seconds"].as_array_mut().unwrap();
                for value in seconds {
                    *value = json!(value.as_f64().unwrap() * if all { factor } else { 1.0 });
                }
            }
        });
        (format!("{name}.json"), machine)
    };
    let records = [scaled("two", 1.0), scaled("two hundred", 0.01), scaled("ten", 0.2)];
    let report = Report::new(&records, None);
    let ranking = &report.pictures()[0].svg;
    let ranking = Document::parse(ranking).unwrap();
    let ranks = ranked(&ranking);
    // On one thread all are the same machine; on all threads the one with the most cores is the first.
    let first: Vec<&str> = ranks.iter().map(|texts| texts[0].as_str()).collect();
    assert_eq!(first, ["1", "1", "1", "1", "2", "3"]);
    assert_eq!(ranks[3][1], "two hundred");
    // A tenth of the points is as far everywhere.
    let dots: Vec<f64> = ranking
        .descendants()
        .filter(|node| has_class(node, "mark"))
        .map(|node| node.attribute("d").unwrap()[1..].split(' ').next().unwrap().parse().unwrap())
        .collect();
    assert_eq!(dots.len(), 6);
    let decade = (dots[3] - dots[5]) / 2.0;
    assert!((dots[3] - dots[4] - decade * 20f64.log10()).abs() < 1.0, "{dots:?}");
    for axis in ["points, mean of", "logarithmic"] {
        assert!(texts(&ranking).iter().any(|text| text.contains(axis)), "{axis}");
    }
}

#[test]
fn files_stand_alone_in_both_themes() {
    let records = machines();
    let pictures = Report::new(&records, None).pictures();
    assert_eq!(pictures.iter().map(|picture| picture.name).collect::<Vec<_>>(), ["ranking", "workloads", "scaling"]);
    for picture in &pictures {
        let document = Document::parse(&picture.svg).unwrap_or_else(|error| panic!("{}: {error}", picture.name));
        assert_eq!(document.root_element().tag_name().namespace(), Some("http://www.w3.org/2000/svg"));
        let style = document.descendants().find(|node| node.has_tag_name("style")).unwrap().text().unwrap();
        assert!(style.contains("prefers-color-scheme:dark") && !style.contains("var("), "{}", picture.name);
        assert!(texts(&document).len() > 5, "{}", picture.name);
    }
}

#[test]
fn text_of_others_stays_text() {
    let mut records = machines();
    for (_, record) in &mut records {
        // Every text that a record has.
        let mut value = serde_json::to_value(&*record).unwrap();
        value["machine"]["hypervisor"] = json!(HOSTILE);
        value["program"]["version"] = json!(HOSTILE);
        value["program"]["commit"] = json!(HOSTILE);
        value["program"]["rustc"] = json!(HOSTILE);
        value["warnings"] = json!([{"kind": HOSTILE, "message": HOSTILE}]);
        value["name"] = json!(HOSTILE);
        *record = serde_json::from_value(value).unwrap();
    }
    // Two files with one name for an attack.
    records[0].0 = format!("{HOSTILE}.json");
    let report = Report::new(&records, Some(0));
    let files: Vec<String> = report.pictures().into_iter().map(|picture| picture.svg).collect();
    assert_eq!(files.len(), 3);
    let page = report.html();
    assert!(!page.contains("<script") && !page.contains("<img") && !page.contains(['\u{1}', '\u{fffe}']));
    for picture in pictures_in(&page).into_iter().chain(files.iter().map(String::as_str)) {
        let document = Document::parse(picture).unwrap();
        for node in document.root_element().descendants().filter(Node::is_element) {
            let name = node.tag_name().name();
            let known = ["svg", "g", "path", "rect", "text", "title", "desc", "style"];
            assert!(known.contains(&name), "{name}");
            assert!(node.attributes().all(|attribute| !attribute.name().starts_with("on")));
        }
        // Text in a style would be code.
        let styles = document.descendants().filter(|node| node.has_tag_name("style"));
        assert!(styles.filter_map(|style| style.text()).all(|style| !style.contains("injected")));
    }
    // It is there, as text: in a tip of the heat map, a table, a card and the line of doubts.
    let shown = HOSTILE.replace('\u{fffe}', "\u{fffd}").replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let shown = shown.replace('"', "&quot;");
    for before in ["<title>", "<bdi>", "<dd>"] {
        assert!(page.contains(&format!("{before}{shown}")), "{before}");
    }
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
        ("one workload", only(vec![workload("mask", 8, 1, 5.9e-6)]), 1),
        ("the shortest time", only(vec![tiny(1e-10)]), 1),
        ("a century", only(vec![tiny(3.2e9)]), 1),
        ("both in one", only(vec![apart]), 1),
        ("no thread count but 3", only(vec![workload("mask", 8, 3, 1e-3)]), 1),
        ("slower on 4096 threads", only(vec![workload("bitmask", 12, 1, 1e-3), workload("bitmask", 12, 4096, 1e3)]), 2),
        ("the smallest and the largest board", only(vec![workload("x", 0, 1, 1e-9), workload("x", 27, 1, 3e9)]), 1),
        ("twenty machines", crowd, 1),
    ] {
        let report = Report::new(&records, None);
        let page = report.html();
        let pictures = pictures_in(&page);
        assert!(pictures.len() >= drawn, "{what}: {}", pictures.len());
        let files = report.pictures();
        assert_eq!(files.len(), 3);
        for picture in pictures.into_iter().chain(files.iter().map(|picture| picture.svg.as_str())) {
            let document = Document::parse(picture).unwrap_or_else(|error| panic!("{what}: {error}"));
            let places = document.descendants().flat_map(|node| node.attributes()).map(|attribute| attribute.value());
            for place in places {
                assert!(!place.contains("NaN") && !place.contains("inf"), "{what}: {place}");
            }
        }
    }
}
