//! Tests that the pages contain the measured figures of docs/figures.toml and docs/machines.
//!
//! A line `<!-- figures: a b -->` marks a table with a row for each of these series, and `<!-- figures by n: a b -->`
//! one with a row for each size and a column for each series. `FIGURES=overwrite cargo test figures` writes these
//! tables. The paragraph below `<!-- prose: a 20, b 22 -->` contains the values of series a at n = 20 and of series b
//! at n = 22.

use std::path::{Path, PathBuf};

use serde_json::Value;
use toml::Table;

use crate::helpers::{PROJECT, answer};

fn cells(row: &str) -> Vec<&str> {
    row.trim_matches('|').split('|').map(str::trim).collect()
}

/// Returns a row of these cells.
fn row<'a>(cells: impl Iterator<Item = &'a str>) -> String {
    cells.fold("|".to_owned(), |row, cell| row + if cell.is_empty() { "" } else { " " } + cell + " |")
}

/// Returns the value of a series for a key, or an empty text if it has none.
fn value<'a>(figures: &'a Table, name: &str, key: &str) -> &'a str {
    let series = figures.get(name).and_then(toml::Value::as_table).filter(|series| series.contains_key("source"));
    let series = series.unwrap_or_else(|| panic!("docs/figures.toml has no [{name}] with a source"));
    series.get(key).and_then(toml::Value::as_str).unwrap_or_default()
}

/// Returns the rows that must follow `header`. `old` are the rows of the page.
fn rows(marker: &str, header: &str, old: &[&str], figures: &Table) -> Vec<String> {
    let get = |name: &str, key: &str| value(figures, name, key);
    let names = |prefix| Some(marker.strip_prefix(prefix)?.strip_suffix(" -->")?.split(' ').collect::<Vec<_>>());
    if let Some(names) = names("<!-- figures by n: ") {
        let sizes = old.iter().map(|row| cells(row)[0]);
        return sizes.map(|n| row(std::iter::once(n).chain(names.iter().map(|name| get(name, n))))).collect();
    }
    let names = names("<!-- figures: ").expect(marker);
    let keys: Vec<&str> = cells(header).into_iter().map(|key| key.trim_start_matches("n = ")).collect();
    let has_figure = |name: &&str| keys.iter().any(|key| key.parse::<u32>().is_ok() && !get(name, key).is_empty());
    names.into_iter().filter(has_figure).map(|name| row(keys.iter().map(|key| get(name, key)))).collect()
}

/// Returns the contents of docs/figures.toml.
fn figures() -> Table {
    include_str!("../../../docs/figures.toml").parse().unwrap_or_else(|error| panic!("{error}"))
}

/// Returns the path and the text of README and of each page in docs/.
fn pages() -> Vec<(PathBuf, String)> {
    let project = Path::new(PROJECT);
    let docs = std::fs::read_dir(project.join("docs")).unwrap().map(|entry| entry.unwrap().path());
    let pages = docs.filter(|path| path.extension().is_some_and(|end| end == "md")).chain([project.join("README.md")]);
    pages.map(|path| (path.clone(), std::fs::read_to_string(path).unwrap())).collect()
}

#[test]
fn every_table_contains_the_figures_of_the_file() {
    let figures = figures();
    let mut tables = 0;
    for (page, text) in pages() {
        let lines: Vec<&str> = text.lines().collect();
        let mut new = String::new();
        let mut at = 0;
        while at < lines.len() {
            new += &format!("{}\n", lines[at]);
            at += 1;
            if lines[at - 1].starts_with("<!-- figures") {
                let end = at + lines[at..].iter().take_while(|line| line.starts_with('|')).count();
                let rows = rows(lines[at - 1], lines[at], &lines[at + 2..end], &figures);
                new += &format!("{}\n{}\n{}\n", lines[at], lines[at + 1], rows.join("\n"));
                (at, tables) = (end, tables + 1);
            }
        }
        if std::env::var_os("FIGURES").is_some_and(|what| what == "overwrite") {
            std::fs::write(page, new).unwrap();
        } else {
            let page = page.display();
            assert!(text == new, "{page} differs from docs/figures.toml. FIGURES=overwrite writes its tables");
        }
    }
    assert!(tables >= 7, "only {tables} tables: are their markers still there?");
}

#[test]
fn paragraphs_contain_the_figures_that_they_name() {
    let figures = figures();
    let mut found = 0;
    for (page, text) in pages() {
        for (names, rest) in text.split("<!-- prose: ").skip(1).filter_map(|marked| marked.split_once(" -->\n")) {
            let paragraph = rest.split("\n\n").next().unwrap_or_default();
            // A figure may end a line or a sentence.
            let words = paragraph.split_whitespace().collect::<Vec<_>>().join(" ");
            for (name, key) in names.split(", ").map(|named| named.split_once(' ').expect("a series and a key")) {
                let value = value(&figures, name, key);
                assert!(!value.is_empty(), "docs/figures.toml has no {key} in [{name}]");
                let is_apart = |(at, _): (usize, &str)| {
                    let is_digit = |c: char| c.is_ascii_digit() || c == '.';
                    let after = words[at + value.len()..].trim_start_matches(['.', ',']);
                    !words[..at].ends_with(is_digit) && !after.starts_with(is_digit)
                };
                let has_it = words.match_indices(value).any(is_apart);
                assert!(has_it, "{}: no {value}, which is {key} of [{name}], in: {paragraph}", page.display());
                found += 1;
            }
        }
    }
    assert!(found >= 35, "{found} figures: do their paragraphs still have markers?");
}

#[test]
fn the_table_of_machines_contains_the_scores_of_their_records() {
    let docs = Path::new(PROJECT).join("docs");
    let page = std::fs::read_to_string(docs.join("measuring.md")).unwrap();
    let files = std::fs::read_dir(docs.join("machines")).unwrap().map(|file| file.unwrap().file_name());
    let files: Vec<String> = files.map(|file| format!("machines/{}", file.display())).collect();
    let comparison = answer(&docs, &format!("compare {} --format csv", files.join(" ")));
    for file in files {
        let record: Value = serde_json::from_str(&std::fs::read_to_string(docs.join(file)).unwrap()).unwrap();
        let text = |field: &str| record[field].as_str().unwrap();
        // The name of the machine is the tenth field, which may be quoted. Runs of one machine share a row.
        let points = |score: &str, threads: &str| {
            let fields = comparison.lines().map(|line| line.splitn(10, ',').collect::<Vec<_>>());
            let starts = [format!("{},", text("name")), format!("\"{}\",", text("name"))];
            let is_of_it = |rest: &str| starts.iter().any(|start| rest.starts_with(start));
            let is_it = |fields: &Vec<&str>| fields[..2] == [score, threads] && is_of_it(fields[9]);
            let points = fields.into_iter().find(is_it).and_then(|fields| fields[2].parse::<f64>().ok());
            points.map_or_else(|| "-".to_owned(), |points| format!("{points:.0}"))
        };
        let scores = ["score", "color score"].map(|score| [points(score, "1"), points(score, "all")].join(" | "));
        let row = format!(
            "| {} | {} | {} | {} | {}, {} |\n",
            text("name"),
            record["machine"]["cores"],
            text("isa"),
            scores.join(" | "),
            &text("created")[..10],
            text("program").split_inclusive(')').next().unwrap(),
        );
        assert!(page.contains(&row), "docs/measuring.md has no row {row}");
    }
}
