//! docs/figures.toml has every measured figure. Below a line `<!-- figures: a b -->` a page has a table with a row for
//! each of these series; below `<!-- figures by n: a b -->` a row for each size, and a column for each series. `FIGURES=overwrite cargo test figures` writes them anew.

use std::path::{Path, PathBuf};

use toml::Table;

/// The series of docs/figures.toml: in each of them what was measured, and then a value for each size.
fn figures() -> Table {
    include_str!("../../../docs/figures.toml").parse().unwrap_or_else(|error| panic!("docs/figures.toml: {error}"))
}

/// The folder of the project.
fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Writes the text into a file of the project if `FIGURES` asks for it. Otherwise it must be there.
fn expect(file: &str, text: &str) {
    let path = project().join(file);
    if std::env::var_os("FIGURES").is_some_and(|what| what == "overwrite") {
        std::fs::write(&path, text).unwrap();
    }
    let is_there = std::fs::read_to_string(path).unwrap() == text;
    assert!(is_there, "{file} has other figures than docs/figures.toml. FIGURES=overwrite writes it anew");
}

fn cells(row: &str) -> Vec<&str> {
    row.trim_matches('|').split('|').map(str::trim).collect()
}

/// The rows that belong below `header`. `old` has the rows of the page.
fn rows(marker: &str, header: &str, old: &[&str], figures: &Table) -> Vec<String> {
    let get = |name: &str, key: &str| {
        let series = figures.get(name).and_then(toml::Value::as_table).filter(|series| series.contains_key("source"));
        let series = series.unwrap_or_else(|| panic!("docs/figures.toml has no [{name}] with a source"));
        series.get(key).and_then(toml::Value::as_str).unwrap_or_default()
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
    let (figures, mut tables) = (figures(), 0);
    for page in ["README.md", "docs/learn.md", "docs/measuring.md", "docs/color-split.md"] {
        let text = std::fs::read_to_string(project().join(page)).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        let (mut new, mut at) = (Vec::new(), 0);
        while at < lines.len() {
            new.push(lines[at].to_owned());
            at += 1;
            if lines[at - 1].starts_with("<!-- figures") {
                let end = at + lines[at..].iter().take_while(|line| line.starts_with('|')).count();
                new.extend(lines[at..at + 2].iter().map(|&line| line.to_owned()));
                new.extend(rows(lines[at - 1], lines[at], &lines[at + 2..end], &figures));
                (at, tables) = (end, tables + 1);
            }
        }
        expect(page, &(new.join("\n") + "\n"));
    }
    assert!(tables >= 7, "only {tables} tables: are their markers still there?");
}
