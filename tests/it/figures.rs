//! docs/figures.toml has every measured figure. Below a line `<!-- figures: a b -->` a page has a table with a row for
//! each of these series; below `<!-- figures by n: a b -->` a row for each size, and a column for each series.
//! `FIGURES=overwrite cargo test figures` writes the figures into the tables.

use std::collections::HashMap;
use std::path::Path;

/// The values of docs/figures.toml, by names such as "color.16": the series, then the size or another key.
fn figures() -> HashMap<String, String> {
    let mut all = HashMap::new();
    let mut series = "";
    for line in include_str!("../../docs/figures.toml").lines() {
        if let Some(name) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            series = name;
        } else if let Some((key, value)) = line.strip_suffix('"').and_then(|line| line.split_once(" = \"")) {
            assert!(all.insert(format!("{series}.{key}"), value.to_owned()).is_none(), "[{series}] has two {key}");
        } else {
            assert!(line.is_empty() || line.starts_with('#'), "docs/figures.toml: {line}");
        }
    }
    all
}

fn cells(row: &str) -> Vec<&str> {
    row.trim_matches('|').split('|').map(str::trim).collect()
}

/// The rows that belong below `header`. `old` has the rows of the page.
fn rows(marker: &str, header: &str, old: &[&str], all: &HashMap<String, String>) -> Vec<String> {
    let get = |series: &str, key: &str| {
        assert!(all.contains_key(&format!("{series}.source")), "docs/figures.toml has no [{series}] with a source");
        all.get(&format!("{series}.{key}")).map_or("", String::as_str)
    };
    let row = |cells: Vec<&str>| format!("| {} |", cells.join(" | ")).replace("|  |", "| |").replace("|  |", "| |");
    let names = |prefix| Some(marker.strip_prefix(prefix)?.strip_suffix(" -->")?.split(' ').collect::<Vec<_>>());
    if let Some(names) = names("<!-- figures by n: ") {
        let sizes = old.iter().map(|row| cells(row)[0]);
        return sizes.map(|n| row([n].into_iter().chain(names.iter().map(|name| get(name, n))).collect())).collect();
    }
    let names = names("<!-- figures: ").expect(marker);
    let keys: Vec<&str> = cells(header).into_iter().map(|key| key.trim_start_matches("n = ")).collect();
    let has_figure = |name: &&str| keys.iter().any(|key| key.parse::<u32>().is_ok() && !get(name, key).is_empty());
    let rows = names.into_iter().filter(has_figure);
    rows.map(|name| row(keys.iter().map(|key| get(name, key)).collect())).collect()
}

#[test]
fn every_table_has_the_figures_of_the_file() {
    let (all, mut tables) = (figures(), 0);
    for page in ["README.md", "docs/learn.md", "docs/measuring.md", "docs/color-split.md"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(page);
        let text = std::fs::read_to_string(&path).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        let (mut new, mut at) = (Vec::new(), 0);
        while at < lines.len() {
            new.push(lines[at].to_owned());
            at += 1;
            if lines[at - 1].starts_with("<!-- figures") {
                let end = at + lines[at..].iter().take_while(|line| line.starts_with('|')).count();
                new.extend(lines[at..at + 2].iter().map(|&line| line.to_owned()));
                new.extend(rows(lines[at - 1], lines[at], &lines[at + 2..end], &all));
                (at, tables) = (end, tables + 1);
            }
        }
        let new = new.join("\n") + "\n";
        if std::env::var_os("FIGURES").is_some_and(|what| what == "overwrite") {
            std::fs::write(&path, new).unwrap();
        } else {
            assert!(text == new, "{page}: other figures than in docs/figures.toml. FIGURES=overwrite writes them");
        }
    }
    assert!(tables >= 8, "only {tables} tables: are their markers still there?");
}
