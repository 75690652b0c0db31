//! Seconds against n, for figures that come from several places.

use maud::html;

use crate::report::draw::{Drawing, Plot, Swatch, Texts, legend, line, mark, titled, widest};
use crate::report::scale::{Scale, Spread, Tick, range, times};
use crate::report::theme::series_class;

/// What was timed, with the seconds for each size.
#[derive(Debug, Clone, PartialEq)]
pub struct Timed {
    /// What it is, as the legend says it.
    pub name: String,
    /// Sizes and seconds.
    pub points: Vec<(usize, f64)>,
}

impl Timed {
    /// Reads lines of `n seconds`, each group below a line with its name in brackets; `#` begins a comment.
    ///
    /// # Errors
    /// The first line that is nothing of this.
    pub fn read(text: &str) -> Result<Vec<Self>, String> {
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
#[must_use]
pub fn growth(timed: &[Timed], title: &str) -> String {
    const WIDTH: f64 = 820.0;
    let names: Vec<_> =
        timed.iter().enumerate().map(|(index, timed)| (Swatch::Series(index), timed.name.clone())).collect();
    let (key, height) = legend(&names, 0.0, WIDTH);
    let points = || timed.iter().flat_map(|timed| &timed.points);
    let ticks = times(range(points().map(|point| point.1)).unwrap_or((1e-3, 1.0)), 10);
    let left = widest(&ticks) + 10.0;
    let plot = Plot { left, right: WIDTH - 8.0, top: height + 42.0, bottom: height + 402.0 };
    let (low, high) = (ticks.first().map_or(1.0, |tick| tick.0), ticks.last().map_or(1.0, |tick| tick.0));
    let y = Scale::new(Spread::Log, (low, high), (plot.bottom, plot.top));
    let sizes = range(points().map(|point| point.0 as f64)).unwrap_or((0.0, 1.0));
    let x = Scale::new(Spread::Linear, sizes, (plot.left + 14.0, plot.right - 14.0));
    let numbers: Vec<Tick> = (sizes.0 as usize..=sizes.1 as usize).map(|n| (n as f64, n.to_string())).collect();
    let body = html! {
        (key)
        (plot.y_axis(&y, &ticks, "time of a count", 0.0))
        (plot.x_axis(&x, &numbers, "size n of the board"))
        @for (index, Timed { name, points }) in timed.iter().enumerate() {
            @let places: Vec<(f64, f64)> = points.iter().map(|point| (x.at(point.0 as f64), y.at(point.1))).collect();
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
