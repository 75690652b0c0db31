//! The report: what its page holds, whatever the records hold.

mod browser;

use crate::bench::Record;
use crate::bench::compare::Comparison;
use crate::draw::page;
use roxmltree::{Document, Node};
use serde_json::{Value, json};

use crate::tests::records::{LARGE, SMALL};

const HOSTILE: &str = "<script>window.injected=1</script>&\"'\u{202e}]]>-->";

fn record(text: &str, edit: impl Fn(&mut Value)) -> Record {
    let mut value: Value = serde_json::from_str(text).unwrap();
    edit(&mut value);
    serde_json::from_value(value).unwrap_or_else(|error| panic!("{error}"))
}

/// Three machines, one whose name is an attack.
fn machines() -> Vec<(String, Record)> {
    let busy = record(LARGE, |record| {
        record["name"] = json!("Busy");
        record["warnings"] = json!([{"severity": "no-score", "text": "other programs used 1.2 CPUs & more"}]);
    });
    let hostile = record(SMALL, |record| {
        record["name"] = json!(HOSTILE);
        record["machine"]["cpu_model"] = json!(HOSTILE);
        record["machine"]["os"] = json!("</style></svg></table><img src=x onerror=alert(1)>");
        record["warnings"] = json!([{"severity": "doubtful", "text": HOSTILE}]);
    });
    let all = [record(SMALL, |_| ()), record(LARGE, |_| ()), busy, hostile].into_iter().enumerate();
    all.map(|(index, record)| (format!("{index}.json"), record)).collect()
}

/// The page of some records, as it leaves.
fn html(records: &[(String, Record)], against: Option<&str>) -> String {
    crate::terminal::escape::terminal_lines(&page::html(&Comparison::of(records.to_vec(), against), None))
}

/// The page from its headings on, which is well-formed XML.
fn main_of(page: &str) -> Document<'_> {
    let start = page.find("<main>").unwrap();
    let end = page.find("</main>").unwrap() + "</main>".len();
    Document::parse(&page[start..end]).unwrap_or_else(|error| panic!("{error}"))
}

/// The section with this id.
fn section<'a>(main: &'a Document<'_>, id: &str) -> Node<'a, 'a> {
    main.descendants().find(|node| node.attribute("id") == Some(id)).unwrap()
}

fn has_class(node: &Node<'_, '_>, class: &str) -> bool {
    node.attribute("class").is_some_and(|classes| classes.split(' ').any(|one| one == class))
}

fn words(node: Node<'_, '_>) -> String {
    node.descendants().filter_map(|node| node.is_text().then(|| node.text()).flatten()).collect::<Vec<_>>().join(" ")
}

/// What the page says in numbers.
pub(super) fn numbers(page: &str) -> Vec<String> {
    main_of(page).descendants().filter(|node| node.has_tag_name("td") && has_class(node, "number")).map(words).collect()
}

/// The cells of each row of each table in a section, the heads included.
fn rows(main: &Document<'_>, id: &str) -> Vec<Vec<String>> {
    let rows = section(main, id).descendants().filter(|node| node.has_tag_name("tr"));
    rows.map(|row| row.children().map(words).collect()).collect()
}

#[test]
fn the_page_holds_every_machine_workload_and_theme() {
    let records = machines();
    let page = html(&records, None);
    for part in [
        "Two cores",
        "Sixteen cores",
        "no score: other programs used 1.2 CPUs &amp; more",
        "virtual machine",
        "id=\"machines\"",
    ] {
        assert!(page.contains(part), "{part}");
    }
    for name in records[0].1.workloads.iter().map(|workload| workload.name()) {
        for title in [format!(" title=\"{name}, t=1: "), format!(" title=\"{name}, all: ")] {
            assert!(page.contains(&title), "{title}");
        }
    }
    assert_eq!(page.matches("@media (prefers-color-scheme:dark)").count(), 1);
    assert!(page.contains("<meta name=\"viewport\"") && page.contains("default-src 'none'"));
    // Nothing is loaded from anywhere, and every link stays on the page. (The attack is text that speaks of loading.)
    let page = html(&records[..3], None);
    for outside in ["http:", "https:", " src=", "url(", "@import", "<link rel=\"stylesheet\""] {
        assert!(!page.contains(outside), "{outside}");
    }
    assert_eq!(page.matches("href=\"").count(), page.matches("href=\"data:,\"").count());
}

#[test]
fn every_median_has_a_shade_and_every_number_of_threads_a_speedup() {
    let records = machines();
    let page = html(&records, None);
    let main = main_of(&page);
    // The columns of each machine are its workloads of one thread and of all.
    let cells = section(&main, "workloads").descendants().filter(|node| node.has_tag_name("td"));
    let shaded = cells.filter(|cell| cell.attribute("class").unwrap().starts_with("number h"));
    assert_eq!(shaded.count(), records.len() * 6);
    let scaling = rows(&main, "scaling");
    assert!(scaling.iter().any(|row| row[..] == ["machine", "t=1", "t=2", "t=4", "t=8", "all"]), "{scaling:?}");
    let sixteen = scaling.iter().find(|row| row[0].starts_with("Sixteen cores")).unwrap();
    assert_eq!(sixteen[1..], ["1.00 100.0 %", "1.98 99.0 %", "3.90 97.5 %", "7.40 92.5 %", "12.50 78.1 %"]);
    let two = scaling.iter().find(|row| row[0].starts_with("Two cores")).unwrap();
    assert_eq!(two[1..], ["1.00 100.0 %", "1.90 95.0 %", "–", "–", "1.90 95.0 %"]);
}

#[test]
fn machines_are_ranked_by_points_on_one_thread_and_on_all() {
    let scaled = |name: &str, factor: f64| {
        let mut machine = record(LARGE, |record| record["name"] = json!(name));
        for workload in machine.workloads.iter_mut().filter(|workload| workload.threads == 16) {
            workload.seconds.iter_mut().for_each(|seconds| *seconds *= factor);
        }
        (format!("{name}.json"), machine)
    };
    let mut records = vec![scaled("two", 1.0), scaled("two hundred", 0.01), scaled("ten", 0.2)];
    records.push(machines().remove(2));
    let page = html(&records, None);
    let main = main_of(&page);
    let ranks = rows(&main, "ranking");
    // On one thread all are the same machine; on all threads the one with the most cores is the first.
    let of = |cell: &String| cell.split(['#', ' ']).nth(2).unwrap_or("-").to_owned();
    let shown: Vec<[String; 2]> = ranks[1..].iter().map(|cells| [of(&cells[1]), of(&cells[2])]).collect();
    assert_eq!(shown, [["1", "3"], ["1", "1"], ["1", "2"], ["-", "-"]]);
}

#[test]
fn text_of_others_stays_text() {
    let mut records = machines();
    for (_, record) in &mut records {
        // Every text that a record has.
        let mut value = serde_json::to_value(&*record).unwrap();
        value["machine"]["governor"] = json!(HOSTILE);
        value["program"] = json!(HOSTILE);
        value["isa"] = json!(HOSTILE);
        value["warnings"] = json!([{"severity": "note", "text": HOSTILE}]);
        value["name"] = json!(HOSTILE);
        *record = serde_json::from_value(value).unwrap();
    }
    // Two files with one name for an attack.
    records[0].0 = format!("{HOSTILE}.json");
    for page in [html(&records, Some(&format!("{HOSTILE}.json"))), html(&records[..1], None)] {
        assert!(!page.contains("<script") && !page.contains("<img"));
        let main = main_of(&page);
        for node in main.root_element().descendants().filter(Node::is_element) {
            let name = node.tag_name().name();
            let known = "main section article div p h2 h3 small table caption thead tbody tr th td";
            assert!(known.split(' ').any(|tag| tag == name), "{name}");
            let known = "id class title role scope tabindex aria-label";
            for attribute in node.attributes() {
                assert!(known.split(' ').any(|one| one == attribute.name()), "{}", attribute.name());
            }
        }
        // It is there, as text.
        let shown: Vec<String> = section(&main, "machines")
            .descendants()
            .filter(|node| node.is_element() && node.children().all(|child| child.is_text()))
            .map(words)
            .collect();
        let hostile = HOSTILE.replace('\u{202e}', "\\u{202e}");
        assert!(shown.iter().filter(|text| text.starts_with(&hostile)).count() > 4, "{shown:?}");
    }
}

/// Relative luminance, as WCAG 2 defines it.
fn luminance(color: &str) -> f64 {
    let channel = |at: usize| {
        let value = f64::from(u8::from_str_radix(&color[at..at + 2], 16).unwrap()) / 255.0;
        if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
    };
    0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5)
}

fn contrast(a: &str, b: &str) -> f64 {
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

#[test]
fn text_can_be_read_in_both_themes() {
    assert!((contrast("#000000", "#ffffff") - 21.0).abs() < 1e-9);
    let style = include_str!("../../draw/page.css");
    // The light theme is first.
    let color = |name: &str, theme: usize| {
        let name = format!("--{name}:#");
        let (at, _) = style.match_indices(&name).nth(theme).unwrap_or_else(|| panic!("{name}"));
        &style[at + name.len() - 1..at + name.len() + 6]
    };
    for theme in [0, 1] {
        for (ink, least) in [("ink", 7.0), ("muted", 7.0)] {
            for ground in ["paper", "panel"] {
                let found = contrast(color(ink, theme), color(ground, theme));
                assert!(found >= least, "{ink} on {ground}: {found}");
            }
        }
        for shade in 0..7 {
            let found = contrast(color("ink", theme), color(&format!("h{shade}"), theme));
            assert!(found >= 4.5, "ink on h{shade}: {found}");
        }
    }
}
