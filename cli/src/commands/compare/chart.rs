//! The charts of the page: the machines in order of a score or of a workload, as SVG.

use std::fmt::Write as _;

use crate::bench::comparison::Comparison;
use crate::bench::machines::Machine;
use crate::bench::points::Threads;
use crate::bench::rows::{Cell, Row, Subject};
use crate::terminal::escape;
use crate::terminal::units::{self, plural};

// The columns of a chart: the right edge of the rank, the left edges of the name, the bars and the figure, and the
// width of the chart.
const RANK: f64 = 28.0;
const NAME: f64 = 36.0;
const BARS: f64 = 240.0;
const FIGURE: f64 = 700.0;
const WIDTH: f64 = 800.0;
// The upper edge of the first bar, and the height of a line.
const TOP: f64 = 40.0;
const LINE: f64 = 22.0;

/// Returns the chart of a row, below which a link saves it. The chart is empty if no machine has a figure.
pub(super) fn chart(comparison: &Comparison, row: &Row) -> String {
    let on = match row.threads {
        Threads::Number(threads) => plural(threads, "thread"),
        Threads::All => "all threads".to_owned(),
    };
    let caption = format!("{}, {on}", row.subject);
    let Some(svg) = picture(comparison, row, &caption) else { return String::new() };
    let file: String = caption.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    let link = format!("<a download=\"{file}.svg\" href=\"data:image/svg+xml,{}\">Save as SVG</a>", in_address(&svg));
    format!("<figure><div class=\"scroll\">{svg}</div><figcaption>{link}</figcaption></figure>\n")
}

/// Draws a line for each machine that has a figure, the fastest first. A bar begins at 0, and lines mark every 5 % of
/// the fastest.
fn picture(comparison: &Comparison, row: &Row, caption: &str) -> Option<String> {
    let cells = comparison.machines.iter().zip(&row.cells);
    let mut places: Vec<(&Machine, &Cell)> = cells.filter_map(|(one, cell)| Some((one, cell.as_ref()?))).collect();
    places.sort_by(|(_, a), (_, b)| b.pace.value.total_cmp(&a.pace.value));
    let fastest = places.first()?.1.pace.value;
    let widest = places.iter().map(|(_, cell)| cell.pace.high).fold(fastest, f64::max);
    let at = |pace: f64| BARS + (FIGURE - 10.0 - BARS) * pace / widest;
    let bottom = TOP + LINE * places.len() as f64;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" font-family=\"system-ui,sans-serif\" \
         font-size=\"13\" fill=\"#1b2026\"><rect width=\"{WIDTH}\" height=\"{height}\" fill=\"#fff\"/>\
         <text x=\"8\" y=\"18\" font-weight=\"600\">{}</text>{}",
        escape::html(caption),
        lines(|percent| at(fastest * percent / 100.0), bottom),
        height = bottom + 8.0,
    );
    for (line, (machine, cell)) in places.into_iter().enumerate() {
        let top = TOP + LINE * line as f64;
        let pace = cell.pace;
        let rank = cell.rank.map_or_else(String::new, |rank| rank.to_string());
        // The bar ends at the value, and the thin line goes from `low` to `high`.
        let _ = write!(
            svg,
            "<text x=\"{RANK}\" y=\"{text}\" text-anchor=\"end\">{rank}</text><text x=\"{NAME}\" y=\"{text}\">{name}</text>\
             <rect x=\"{BARS}\" y=\"{bar}\" width=\"{width:.1}\" height=\"14\" fill=\"{color}\"/>\
             <path d=\"M{low:.1} {middle}H{high:.1}\" stroke=\"#1b2026\" stroke-width=\"1.5\"/>\
             <text x=\"{FIGURE}\" y=\"{text}\">{figure}</text>",
            text = top + 15.0,
            bar = top + 4.0,
            middle = top + 11.0,
            width = at(pace.value) - BARS,
            low = at(pace.low),
            high = at(pace.high),
            name = escape::html(&machine.name.short(30)),
            color = color(comparison, cell),
            figure = figure(row, cell),
        );
    }
    Some(svg + "</svg>")
}

/// Returns the figure of a cell, with its mark.
fn figure(row: &Row, cell: &Cell) -> String {
    let value = cell.figure.value;
    let figure = match row.subject {
        Subject::Score(_) => units::three_digits(value, 1e9),
        Subject::Workload(_) => units::seconds(value),
    };
    format!("{}{figure}", cell.mark())
}

/// Returns the color of a bar, which shows whether the machine is faster, about as fast or slower.
fn color(comparison: &Comparison, cell: &Cell) -> &'static str {
    match (comparison.against.and(cell.speed), cell.rank) {
        (Some(speed), _) if speed > 1.1 => "#7db8e0",
        (Some(speed), _) if speed < 0.9 => "#f2ac66",
        (None, Some(1)) => "#7db8e0",
        _ => "#c3cbd3",
    }
}

/// Returns the lines of a chart at every 5 %, down to `bottom`. `at` returns the place of a percentage. Every fifth
/// line is labeled.
fn lines(at: impl Fn(f64) -> f64, bottom: f64) -> String {
    let mut svg = String::new();
    for percent in (0..=100).step_by(5) {
        let x = at(f64::from(percent));
        let is_major = percent % 25 == 0;
        let gray = if is_major { "#b0b8c0" } else { "#e6eaee" };
        let _ = write!(svg, "<path d=\"M{x:.1} {TOP}V{bottom}\" stroke=\"{gray}\"/>");
        if is_major {
            let label = format!("{percent} %");
            let _ = write!(svg, "<text x=\"{x:.1}\" y=\"34\" font-size=\"11\" text-anchor=\"middle\">{label}</text>");
        }
    }
    svg
}

/// Returns the text, escaped for use in a web address.
fn in_address(text: &str) -> String {
    text.bytes().fold(String::new(), |mut address, byte| {
        if byte.is_ascii_alphanumeric() || b"-_.~ /:=,;".contains(&byte) {
            address.push(byte.into());
        } else {
            let _ = write!(address, "%{byte:02X}");
        }
        address
    })
}
