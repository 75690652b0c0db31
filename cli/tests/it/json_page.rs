//! Compares docs/json.md with the program: each command must print exactly the fields that the page lists. If a renamed
//! field makes this test fail, `schema` must rise.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::helpers::{PROJECT, run, shell};

/// Paths of fields: `a.b` is the field `b` of the object `a`, and `a[].b` is `b` of each object in the list `a`.
pub(crate) type Fields = BTreeSet<String>;

/// The tables of a page, each as a heading and the fields in the first column below it.
pub(crate) struct Page(Vec<(String, Fields)>);

impl Page {
    pub(crate) fn read(file: &str) -> Self {
        let text = std::fs::read_to_string(format!("{PROJECT}/{file}")).unwrap().replace("\n### ", "\n## ");
        let section = |section: &str| {
            let (heading, below) = section.split_once('\n').unwrap();
            let cells = below.lines().filter_map(|line| line.strip_prefix("| `")?.split(" | ").next());
            let fields = cells.flat_map(|cell| cell.split('`').step_by(2)).map(str::to_owned);
            (heading.replace('`', ""), fields.collect())
        };
        Self(text.split("\n## ").skip(1).map(section).collect())
    }

    /// Returns the fields below a heading. A field with a table of its own is followed by the fields in that table.
    pub(crate) fn fields(&self, heading: &str) -> Fields {
        let find = |heading: &str| self.0.iter().find(|(of, _)| of == heading).map(|(_, fields)| fields);
        let fields = find(heading).unwrap_or_else(|| panic!("the page has no heading '{heading}'"));
        let mut all = Fields::new();
        for field in fields {
            let table = match field.as_str() {
                "machines[]" => find("Machines of a run"),
                "machine" if heading != "Machines of a run" => find("Facts about a machine"),
                // The test of graphics cards compares these fields.
                "cards[]" => continue,
                _ => None,
            };
            match table {
                Some(inner) => all.extend(inner.iter().map(|inner| format!("{field}.{inner}"))),
                None => drop(all.insert(field.clone())),
            }
        }
        all
    }
}

/// Adds the fields of the value at `path`.
pub(crate) fn add_fields(fields: &mut Fields, path: &str, value: &Value) {
    match value {
        Value::Object(object) => {
            let dot = if path.is_empty() { "" } else { "." };
            object.iter().for_each(|(key, value)| add_fields(fields, &format!("{path}{dot}{key}"), value));
        }
        Value::Array(list) if list.iter().any(|value| !value.is_null()) => {
            list.iter().for_each(|value| add_fields(fields, &format!("{path}[]"), value));
        }
        Value::Array(_) => drop(fields.insert(format!("{path}[]"))),
        _ => drop(fields.insert(path.to_owned())),
    }
}

/// Headings of the page, each with a command that prints the fields below it.
const LINES: [(&str, &str); 11] = [
    ("nqueens count N --json", "nqueens count 8 --json"),
    ("nqueens count N --dir RUN --json", "nqueens count 12 --dir r --shards 6 --json"),
    ("nqueens count N --classes --json", "nqueens count 8 --classes --json"),
    ("nqueens count N --symmetry half-turn --json", "nqueens count 8 --symmetry half-turn --json"),
    ("nqueens solutions N --format json", "nqueens solutions 6 --format json --limit 1"),
    ("nqueens estimate N --json", "nqueens estimate 12 --measure 1s --json"),
    ("nqueens status RUN --json", "nqueens status s --json"),
    ("nqueens merge RUN --json", "nqueens merge r --json"),
    ("nqueens audit RUN --json", "nqueens audit r --sample 2 --json"),
    ("nqueens info --json", "nqueens info --json"),
    ("The record of nqueens bench", "cat small.json"),
];

#[test]
fn every_command_prints_the_fields_of_the_page() {
    let page = Page::read("docs/json.md");
    let folder = tempfile::tempdir().unwrap();
    let mut wrong = String::new();
    std::fs::copy(format!("{PROJECT}/cli/tests/it/records/small.json"), folder.path().join("small.json")).unwrap();
    // In the run `s`, another process is counting the last shard.
    run(&mut shell(folder.path(), "nqueens count 12 --dir s --shards 6 --only 0..=4 -q")).expect(0, "");
    let claim = std::fs::File::create(folder.path().join("s/claims/000005")).unwrap();
    claim.lock().unwrap();
    for (heading, line) in LINES {
        let ended = run(&mut shell(folder.path(), line));
        let mut printed = Fields::new();
        add_fields(&mut printed, "", &ended.json());
        let listed = page.fields(heading);
        let missing: Vec<_> = listed.difference(&printed).collect();
        let unlisted: Vec<_> = printed.difference(&listed).collect();
        if !missing.is_empty() || !unlisted.is_empty() {
            wrong += &format!("'{line}' does not print {missing:?}, and the page does not list {unlisted:?}\n");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    let others = ["Machines of a run", "Facts about a machine"];
    let unread: Vec<_> = page.0.iter().map(|(heading, _)| heading.as_str()).collect();
    let is_read = |heading: &&str| others.contains(heading) || LINES.iter().any(|(read, _)| read == heading);
    assert_eq!(unread.iter().filter(|heading| !is_read(heading)).count(), 0, "no command for some of {unread:?}");
}
