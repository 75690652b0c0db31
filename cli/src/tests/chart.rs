//! The charts of README and docs/color-split.md, drawn from docs/figures.toml.

use std::path::Path;

use horrorshow::html;

use crate::draw::svg::{Style, at, text, titled};
use crate::draw::{Markup, markup};

/// The name of a series, and its values by size.
type Series<'a> = (&'a str, Vec<(usize, f64)>);

/// Reads the series of docs/figures.toml that have a name for this chart.
fn read<'a>(text: &'a str, chart: &str) -> Vec<Series<'a>> {
    let sections = text.split("\n[").skip(1);
    let named = sections.filter_map(|section| {
        let values: Vec<(&str, &str)> = section.lines().filter_map(|line| line.split_once(" = ")).collect();
        let name = values.iter().find(|(key, _)| *key == chart)?.1;
        let points =
            values.iter().filter_map(|(key, value)| Some((key.parse().ok()?, number(value.trim_matches('"')))));
        Some((name.trim_matches('"'), points.collect()))
    });
    named.collect()
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

/// `FIGURES=overwrite cargo test figures` draws the charts anew.
#[test]
fn charts_have_the_figures_of_the_file() {
    let figures = include_str!("../../../docs/figures.toml");
    let about = "The time axis is logarithmic; lower is better. Authors published the figures of their programs";
    let seconds = ["Counting all boards: seconds over n", about];
    let about = "What backtracking and the color split visit for a whole count, on a logarithmic axis";
    let work = ["How the work of a count grows", about];
    let charts = [
        ("docs/seconds.svg", growth(&read(figures, "seconds"), seconds, "time of a count", time_label)),
        ("docs/color-split/growth.svg", growth(&read(figures, "growth"), work, "number in a count", power_label)),
    ];
    for (path, svg) in charts {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path);
        if std::env::var_os("FIGURES").is_some_and(|what| what == "overwrite") {
            std::fs::write(&path, &svg).unwrap();
        }
        let drawn = std::fs::read_to_string(&path).unwrap();
        assert!(drawn == svg, "{}: docs/figures.toml changed. FIGURES=overwrite draws it anew", path.display());
    }
}
