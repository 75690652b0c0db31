//! The nodes of the search, row by row.

use maud::html;

use crate::draw::scale::{Scale, Spread, Tick, rounds};
use crate::draw::svg::{Drawing, Plot, Style, Texts, at, text, titled};
use crate::draw::theme::series_class;

/// The profile of a search as a chart of bars, an SVG file.
pub(crate) fn profile(profile: &[u64]) -> String {
    let n = profile.len().saturating_sub(1);
    let most = profile.iter().copied().max().unwrap_or(1).max(1) as f64;
    let ticks: Vec<Tick> = rounds((0.0, most), 5).into_iter().map(|value| (value, format!("{value}"))).collect();
    let left = crate::draw::svg::widest(&ticks) + 10.0;
    let room = (640.0 / profile.len().max(1) as f64).clamp(16.0, 56.0);
    let right = left + room * profile.len() as f64 + 10.0;
    let plot = Plot { left, right, top: 34.0, bottom: 314.0 };
    let high = ticks.last().map_or(1.0, |tick| tick.0);
    let y = Scale::new(Spread::Linear, (0.0, high), (plot.bottom, plot.top));
    let x = Scale::new(Spread::Linear, (-0.5, n as f64 + 0.5), (plot.left + 5.0, plot.right - 5.0));
    let rows: Vec<Tick> = (0..=n).map(|row| (row as f64, row.to_string())).collect();
    let body = html! {
        (plot.y_axis(&y, &ticks, "nodes", 0.0))
        path.axis d=(format!("M{} {}H{}", at(plot.left), at(plot.bottom), at(plot.right))) {}
        (plot.x_labels(&x, &rows, plot.bottom + 17.0))
        (text(left.midpoint(right), plot.bottom + 36.0, "queens on the board", Style::MUTED.anchored("middle")))
        @for (queens, &nodes) in profile.iter().enumerate() {
            @let top = y.at(nodes as f64);
            rect class={ (series_class(0)) " bar" } x=(at(x.at(queens as f64) - room * 0.36)) y=(at(top)) width=(at(room * 0.72))
                height=(at(plot.bottom - top)) { title { (queens) " queens: " (nodes) } }
            @if room >= 40.0 {
                (text(x.at(queens as f64), top - 5.0, &nodes.to_string(), Style { size: 11.0, ..Style::MUTED }.anchored("middle")))
            }
        }
    };
    let title = format!("Nodes of the search for n = {n}, row by row");
    let about = "How many ways there are to place so many queens in the first rows, none attacking another";
    titled(Drawing { width: right, height: plot.bottom + 44.0, body }, &Texts { title: &title, about })
}
