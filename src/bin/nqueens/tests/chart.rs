//! README's chart: seconds against n, for figures that come from several places.

use std::path::Path;

use maud::html;

use crate::draw::scale::{Scale, Tick, decades, range};
use crate::draw::svg::{Drawing, Plot, Swatch, Texts, legend, line, mark, titled, widest};
use crate::draw::theme::series_class;

/// What was timed, with the seconds for each size.
#[derive(Debug, Clone, PartialEq)]
struct Timed {
    /// What it is, as the legend says it.
    name: String,
    /// Sizes and seconds.
    points: Vec<(usize, f64)>,
}

impl Timed {
    /// Reads lines of `n seconds`, each group below a line with its name in brackets; `#` begins a comment.
    ///
    /// # Errors
    /// The first line that is nothing of this.
    fn read(text: &str) -> Result<Vec<Self>, String> {
        let mut all: Vec<Self> = Vec::new();
        for line in text.lines().filter(|line| !line.starts_with('#') && !line.is_empty()) {
            if let Some(name) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
                all.push(Self { name: name.to_owned(), points: Vec::new() });
                continue;
            }
            let point = line.split_once(' ').and_then(|(n, seconds)| Some((n.parse().ok()?, seconds.parse().ok()?)));
            match (point, all.last_mut()) {
                (Some(point), Some(last)) => last.points.push(point),
                _ => return Err(format!("neither a name in brackets nor a size and its seconds: {line}")),
            }
        }
        Ok(all)
    }
}

/// Seconds over n as an SVG file, on a logarithmic axis.
fn growth(timed: &[Timed], title: &str) -> String {
    const WIDTH: f64 = 820.0;
    let names: Vec<_> =
        timed.iter().enumerate().map(|(index, timed)| (Swatch::Series(index), timed.name.clone())).collect();
    let (key, height) = legend(&names, 0.0, WIDTH);
    let points = || timed.iter().flat_map(|timed| &timed.points);
    let ticks = times(range(points().map(|point| point.1)).unwrap_or((1e-3, 1.0)), 10);
    let left = widest(&ticks) + 10.0;
    let plot = Plot { left, right: WIDTH - 8.0, top: height + 42.0, bottom: height + 402.0 };
    let (low, high) = (ticks.first().map_or(1.0, |tick| tick.0), ticks.last().map_or(1.0, |tick| tick.0));
    let y = Scale::new((low, high), (plot.bottom, plot.top));
    let sizes = range(points().map(|point| point.0 as f64)).unwrap_or((0.0, 1.0));
    // Linear in n: a logarithmic scale of 2^n.
    let x = Scale::new((sizes.0.exp2(), sizes.1.exp2()), (plot.left + 14.0, plot.right - 14.0));
    let numbers: Vec<Tick> =
        (sizes.0 as usize..=sizes.1 as usize).map(|n| ((n as f64).exp2(), n.to_string())).collect();
    let body = html! {
        (key)
        (plot.y_axis(&y, &ticks, "time of a count", 0.0))
        (plot.x_axis(&x, &numbers, "size n of the board"))
        @for (index, Timed { name, points }) in timed.iter().enumerate() {
            @let places: Vec<(f64, f64)> = points.iter().map(|point| (x.at((point.0 as f64).exp2()), y.at(point.1))).collect();
            (line(&places, &series_class(index)))
            @for (&(px, py), (n, seconds)) in places.iter().zip(points) {
                (mark(index, px, py, &series_class(index), &format!("{name}, n = {n}: {seconds} s")))
            }
        }
    };
    let about =
        "The time axis is logarithmic; lower is better. Other programs' figures are those that their authors published";
    titled(Drawing { width: WIDTH, height: plot.bottom + 44.0, body }, &Texts { title, about })
}

/// Round times that enclose a range of them, at most about `most`.
fn times(range: (f64, f64), most: usize) -> Vec<Tick> {
    decades(range, most, time_label)
}

fn time_label(multiple: f64, power: i32) -> String {
    let (unit, base) = match power {
        0..=4 => ("s", 0),
        -3..=-1 => ("ms", -3),
        -6..=-4 => ("µs", -6),
        -9..=-7 => ("ns", -9),
        _ => return format!("{multiple}e{power} s"),
    };
    format!("{} {unit}", (multiple * 10f64.powi(power - base)).round())
}

#[test]
fn times_have_units_that_suit_them() {
    let labels = |range, most| times(range, most).into_iter().map(|tick| tick.1).collect::<Vec<_>>().join(" | ");
    assert_eq!(labels((5.9e-6, 2.4), 9), "1 µs | 10 µs | 100 µs | 1 ms | 10 ms | 100 ms | 1 s | 10 s");
    assert_eq!(labels((0.021, 0.19), 9), "20 ms | 50 ms | 100 ms | 200 ms");
}

/// README's chart is drawn from docs/seconds.txt; `CHART=overwrite cargo test chart` draws it anew.
#[test]
fn readme_s_chart_is_drawn_from_its_figures() {
    let timed = Timed::read(include_str!("../../../../docs/seconds.txt")).unwrap();
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
