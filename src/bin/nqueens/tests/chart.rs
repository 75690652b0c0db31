//! README's chart: seconds against n, for figures that come from several places.

use std::path::Path;

use maud::{Markup, html};

use crate::draw::svg::{Drawing, Style, Texts, at, text, titled};

/// What was timed, and the seconds for each size.
type Timed<'a> = (&'a str, Vec<(usize, f64)>);

/// Reads lines of `n seconds`, each group below a line with its name in brackets; `#` begins a comment.
fn read(text: &str) -> Vec<Timed<'_>> {
    let mut all: Vec<Timed<'_>> = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('#') && !line.is_empty()) {
        if let Some(name) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            all.push((name, Vec::new()));
        } else {
            let (n, seconds) = line.split_once(' ').expect(line);
            all.last_mut().expect(line).1.push((n.parse().expect(line), seconds.parse().expect(line)));
        }
    }
    all
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

/// Seconds over n as an SVG file, on a logarithmic axis.
fn growth(timed: &[Timed<'_>], title: &str) -> String {
    const WIDTH: f64 = 820.0;
    const HEIGHT: f64 = 400.0;
    const LEFT: f64 = 56.0;
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
    let body = html! {
        style { (style()) }
        (text(0.0, top - 14.0, "time of a count", Style::MUTED))
        @for power in first..=last {
            path.grid d=(format!("M{LEFT} {}H{WIDTH}", at(y(power.into())))) {}
            (text(LEFT - 7.0, y(power.into()) + 4.0, &time_label(power), Style::MUTED.anchored("end")))
        }
        @for n in least..=greatest { (text(x(n), top + HEIGHT + 17.0, &n.to_string(), Style::MUTED.anchored("middle"))) }
        (text(LEFT.midpoint(WIDTH), top + HEIGHT + 36.0, "size n of the board", Style::MUTED.anchored("middle")))
        @for (index, (name, points)) in timed.iter().enumerate() {
            @let place = |&(n, seconds): &(usize, f64)| format!("{} {}", at(x(n)), at(y(seconds.log10())));
            @let row = LEGEND_ROW * index as f64;
            g class={ "s" (index) } {
                path.line d=(format!("M0 {}h20", row + 10.0)) {}
                (mark(index, &format!("10 {}", row + 10.0), ""))
                path.line d={ "M" (points.iter().map(place).collect::<Vec<_>>().join("L")) } {}
                @for point in points { (mark(index, &place(point), &format!("{name}, n = {}: {} s", point.0, point.1))) }
            }
            (text(28.0, row + 14.5, name, Style::default()))
        }
    };
    let about =
        "The time axis is logarithmic; lower is better. Other programs' figures are those that their authors published";
    titled(Drawing { width: WIDTH, height: top + HEIGHT + 44.0, body }, &Texts { title, about })
}

/// A mark at a place: its shape tells lines apart.
fn mark(shape: usize, place: &str, told: &str) -> Markup {
    let outline = match shape {
        0 => "m-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0 -9 0z",
        1 => "m-4 -4h8v8h-8z",
        2 => "m0 -5.5l5.2 9h-10.4z",
        3 => "m0 -5.6l5.6 5.6l-5.6 5.6l-5.6 -5.6z",
        4 => "m0 5.5l5.2 -9h-10.4z",
        _ => "m-5 -2h3v-3h4v3h3v4h-3v3h-4v-3h-3z",
    };
    html! { path d={ "M" (place) (outline) } { @if !told.is_empty() { title { (told) } } } }
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

/// README's chart is drawn from docs/seconds.txt; `CHART=overwrite cargo test chart` draws it anew.
#[test]
fn readme_s_chart_is_drawn_from_its_figures() {
    let timed = read(include_str!("../../../../docs/seconds.txt"));
    assert!(timed.len() <= COLORS.len(), "give COLORS and `mark` one more");
    let svg = growth(&timed, "Counting all boards: seconds over n");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/seconds.svg");
    if std::env::var_os("CHART").is_some_and(|what| what == "overwrite") {
        std::fs::write(&path, &svg).unwrap();
    }
    assert!(
        std::fs::read_to_string(&path).unwrap() == svg,
        "docs/seconds.txt changed: draw the chart anew and look at it"
    );
}
