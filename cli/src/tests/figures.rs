//! docs/figures.toml has every measured figure. Below a line `<!-- figures: a b -->` a page has a table with a row for
//! each of these series; below `<!-- figures by n: a b -->` a row for each size, and a column for each series. Series that
//! have a name for a chart are drawn in it. `FIGURES=overwrite cargo test figures` writes the tables and the charts anew.

use std::path::{Path, PathBuf};

use horrorshow::html;
use toml::Table;

use crate::draw::svg::{Style, at, text, titled};
use crate::draw::{Markup, markup};

/// The name of a series, and its values by size.
type Series<'a> = (&'a str, Vec<(usize, f64)>);

/// The series of docs/figures.toml: in each of them what was measured, and then a value for each size.
fn figures() -> Table {
    include_str!("../../../docs/figures.toml").parse().unwrap_or_else(|error| panic!("docs/figures.toml: {error}"))
}

/// Writes the text into a file of the project if `FIGURES` asks for it. Otherwise it must be there.
fn expect(file: &str, text: &str) {
    let path: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(file);
    if std::env::var_os("FIGURES").is_some_and(|what| what == "overwrite") {
        std::fs::write(&path, text).unwrap();
    }
    let is_there = std::fs::read_to_string(path).unwrap() == text;
    assert!(is_there, "{file} has other figures than docs/figures.toml. FIGURES=overwrite writes it anew");
}

/// The series that have a name for this chart.
fn series<'a>(figures: &'a Table, chart: &str) -> Vec<Series<'a>> {
    let points = |values: &'a Table| -> Vec<(usize, f64)> {
        let points = values.iter().filter_map(|(key, value)| Some((key.parse().ok()?, number(value.as_str()?))));
        points.collect()
    };
    let all = figures.values().filter_map(toml::Value::as_table);
    all.filter_map(|values| Some((values.get(chart)?.as_str()?, points(values)))).collect()
}

/// The number that a figure stands for: `4.39`, `1 141 190 302`, `about 3e14`, `6 min 56 s`.
fn number(figure: &str) -> f64 {
    let figure = figure.trim_start_matches("about ");
    if let Ok(number) = figure.replace(' ', "").parse() {
        return number;
    }
    let words: Vec<&str> = figure.split(' ').collect();
    let seconds = |pair: &[&str]| {
        let unit =
            [("s", 1.0), ("min", 60.0), ("h", 3600.0), ("d", 86_400.0)].into_iter().find(|unit| unit.0 == pair[1]);
        pair[0].parse::<f64>().expect(figure) * unit.expect(figure).1
    };
    words.chunks(2).map(seconds).sum()
}

/// The colors of the lines, in the light and in the dark theme.
const COLORS: [(&str, &str); 6] = [
    ("#0a2f7a", "#ffc806"),
    ("#1e8fcf", "#5bf9ee"),
    ("#d9480f", "#d93a10"),
    ("#9902ff", "#b040ff"),
    ("#c3757d", "#b3607f"),
    ("#5c0300", "#d7fea5"),
];

fn style() -> String {
    let lines = |color: fn(&(&'static str, &'static str)) -> &'static str| -> String {
        COLORS.iter().enumerate().map(|(i, pair)| format!(".s{i}{{stroke:{0};fill:{0}}}", color(pair))).collect()
    };
    format!(
        ".line{{fill:none;stroke-width:2}}.grid{{stroke:#8b959f;stroke-opacity:.4}}{}\
         @media (prefers-color-scheme:dark){{{}}}",
        lines(|pair| pair.0),
        lines(|pair| pair.1)
    )
}

/// Values over n as an SVG file with this title and description, on a logarithmic axis with this title and these labels
/// of powers of ten.
fn growth(timed: &[Series<'_>], [title, about]: [&str; 2], axis: &str, label: fn(i32) -> String) -> String {
    const WIDTH: f64 = 560.0;
    const HEIGHT: f64 = 400.0;
    const LEFT: f64 = 66.0;
    const LEGEND_ROW: f64 = 20.0;
    let points = || timed.iter().flat_map(|(_, points)| points);
    let powers = points().map(|(_, seconds)| seconds.log10());
    let (first, last) = powers.fold((0.0f64, 0.0f64), |(low, high), power| (low.min(power), high.max(power)));
    let (first, last) = (first.floor() as i32, last.ceil() as i32);
    let least = points().map(|point| point.0).min().unwrap_or(0);
    let greatest = points().map(|point| point.0).max().unwrap_or(1);
    let top = LEGEND_ROW * timed.len() as f64 + 36.0;
    let x = |n: usize| {
        let share = (n - least) as f64 / (greatest - least) as f64;
        LEFT + 14.0 + share * (WIDTH - LEFT - 36.0)
    };
    let y = |power: f64| top + HEIGHT * (f64::from(last) - power) / f64::from(last - first);
    let place = |&(n, seconds): &(usize, f64)| format!("{} {}", at(x(n)), at(y(seconds.log10())));
    let row = |index: usize| LEGEND_ROW * index as f64;
    let body = markup(html! {
        style : style();
        : text(0.0, top - 14.0, axis, Style::MUTED);
        @ for power in first..=last {
            path(class="grid", d=format_args!("M{LEFT} {}H{WIDTH}", at(y(power.into()))));
            : text(LEFT - 7.0, y(power.into()) + 4.0, &label(power), Style::MUTED.anchored("end"));
        }
        @ for n in least..=greatest {
            : text(x(n), top + HEIGHT + 17.0, &n.to_string(), Style::MUTED.anchored("middle"));
        }
        : text(LEFT.midpoint(WIDTH), top + HEIGHT + 36.0, "size n of the board", Style::MUTED.anchored("middle"));
        @ for (index, (name, points)) in timed.iter().enumerate() {
            g(class=format_args!("s{index}")) {
                path(class="line", d=format_args!("M0 {}h20", row(index) + 10.0));
                : mark(index, &format!("10 {}", row(index) + 10.0), "");
                path(class="line", d=format_args!("M{}", points.iter().map(place).collect::<Vec<_>>().join("L")));
                @ for point in points {
                    : mark(index, &place(point), &format!("{name}, n = {}: {}", point.0, point.1));
                }
            }
            : text(28.0, row(index) + 14.5, name, Style::default());
        }
    });
    titled(title, about, (WIDTH, top + HEIGHT + 44.0), &body)
}

/// A mark at a place: its shape tells lines apart.
fn mark(shape: usize, place: &str, tooltip: &str) -> Markup {
    let outline = match shape {
        0 => "m-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0 -9 0z",
        1 => "m-4 -4h8v8h-8z",
        2 => "m0 -5.5l5.2 9h-10.4z",
        3 => "m0 -5.6l5.6 5.6l-5.6 5.6l-5.6 -5.6z",
        4 => "m0 5.5l5.2 -9h-10.4z",
        _ => "m-5 -2h3v-3h4v3h3v4h-3v3h-4v-3h-3z",
    };
    markup(html! { path(d=format_args!("M{place}{outline}")) { @ if !tooltip.is_empty() { title : tooltip; } } })
}

/// Ten to a power, in seconds.
fn time_label(power: i32) -> String {
    let (unit, base) = match power {
        0.. => ("s", 0),
        -3..=-1 => ("ms", -3),
        _ => ("µs", -6),
    };
    format!("{} {unit}", 10f64.powi(power - base).round())
}

/// Ten to a power.
fn power_label(power: i32) -> String {
    let digit = |digit: char| "⁰¹²³⁴⁵⁶⁷⁸⁹".chars().nth(digit as usize - '0' as usize).unwrap();
    format!("10{}", power.to_string().chars().map(digit).collect::<String>())
}

#[test]
fn charts_have_the_figures_of_the_file() {
    let figures = figures();
    let about = "The time axis is logarithmic; lower is better. Authors published the figures of their programs";
    let seconds = ["Counting all boards: seconds over n", about];
    let about = "What backtracking and the color split visit for a whole count, on a logarithmic axis";
    let work = ["How the work of a count grows", about];
    let seconds = growth(&series(&figures, "seconds"), seconds, "time of a count", time_label);
    expect("docs/seconds.svg", &seconds);
    let work = growth(&series(&figures, "growth"), work, "number in a count", power_label);
    expect("docs/color-split/growth.svg", &work);
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
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(page);
        let text = std::fs::read_to_string(path).unwrap();
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
    assert!(tables >= 8, "only {tables} tables: are their markers still there?");
}
