//! Draws the search as an animation, or one position as a picture.

use std::collections::BTreeMap;

use nqueens::trace::Position;

use super::square::Square;
use crate::draw::board::{Grid, definitions};
use crate::draw::svg::{tenth, text, titled};
use crate::terminal::units::plural;

/// The style of the marks.
const MARKS: &str = "\
.picture .mark-column{fill:none;stroke:#1f6fd0;stroke-width:2.4}.picture .mark-diagonal{fill:none;stroke:#c2410c;stroke-width:2.4}\
.picture .mark-tried{fill:none;stroke:#665d52;stroke-width:2.4}.picture .mark-free{fill:#1a7f37;stroke:none}.here{fill:#1a7f37;fill-opacity:.16}\
.found{fill:none;stroke:#1a7f37;stroke-width:5}";

/// The layers of a picture, which are drawn in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Layer {
    /// The background of the next row.
    NextRow,
    /// The marks of its squares.
    Mark,
    Queen,
    /// The text below the board, and the frame of a solution.
    Note,
}

/// An element of a position and its layer.
type Element = (Layer, String);

/// Returns the elements of a position: the next row with its marks, and the queens above it.
fn elements(grid: &Grid, position: &Position) -> Vec<Element> {
    let row = position.queens.len();
    let mut elements = Vec::new();
    if !position.is_full() {
        let side = tenth(grid.side());
        let (left, top, height) = (tenth(grid.left), tenth(grid.y(row)), tenth(grid.square));
        let here = format!(r#"<rect class="here" x="{left}" y="{top}" width="{side}" height="{height}"/>"#);
        elements.push((Layer::NextRow, here));
        let square = |column| Square::of(&position.masks, column);
        elements.extend((0..grid.n).map(|column| (Layer::Mark, mark(grid, row, column, square(column)))));
    }
    let queen = |(row, &column): (usize, &u32)| (Layer::Queen, grid.queen(row, column as usize));
    elements.extend(position.queens.iter().enumerate().map(queen));
    elements
}

/// Draws the state of a square: an upright bar for an attack along its column, a slanted bar for an attack along a
/// diagonal, a dot if it is free, and a dash if it was tried.
fn mark(grid: &Grid, row: usize, column: usize, square: Square) -> String {
    let (x, y) = grid.middle(row, column);
    let reach = grid.square * 0.3;
    let stroke = |class: &str, dx: f64, dy: f64| {
        let [x1, y1, x2, y2] = [x - dx, y - dy, x + dx, y + dy].map(tenth);
        format!(r#"<path class="mark-{class}" d="M{x1} {y1}L{x2} {y2}"/>"#)
    };
    let free =
        format!(r#"<circle class="mark-free" cx="{}" cy="{}" r="{}"/>"#, tenth(x), tenth(y), tenth(grid.square * 0.15));
    let Square { on_column, on_diagonal, on_antidiagonal, is_free } = square;
    let marks = [
        (square == Square::default(), stroke("tried", grid.square * 0.2, 0.0)),
        (is_free, free),
        (on_column, stroke("column", 0.0, reach)),
        (on_diagonal, stroke("diagonal", reach, reach)),
        (on_antidiagonal, stroke("diagonal", reach, -reach)),
    ];
    marks.into_iter().filter(|(is_drawn, _)| *is_drawn).map(|(_, mark)| mark).collect()
}

/// The height of [`legend`].
const LEGEND_HEIGHT: f64 = 5.0 * 24.0;

/// Draws each mark beside its meaning, in one column.
fn legend(left: f64, top: f64) -> String {
    let tried = Square::default();
    let meanings = [
        (Square { is_free: true, ..tried }, "free"),
        (tried, "free, but tried already"),
        (Square { on_column: true, ..tried }, "attacked along the column"),
        (Square { on_diagonal: true, ..tried }, "attacked along a diagonal"),
        (Square { on_antidiagonal: true, ..tried }, "attacked along an antidiagonal"),
    ];
    let line = |(index, (square, meaning)): (usize, (Square, &str))| {
        let place = Grid { n: 1, left, top: top + 24.0 * index as f64, square: 22.0 };
        mark(&place, 0, 0, square) + &text(left + 28.0, place.top + 15.5, "word", meaning)
    };
    meanings.into_iter().enumerate().map(line).collect()
}

/// Draws positions of a search, each with the number of queens placed so far, as an animated SVG file. Each position is
/// a frame that lasts `seconds`. The animation contains no script, so that it also plays as an image on a page. Viewers
/// without animation show the last solution or, without one, the last frame.
pub(super) fn film(positions: &[(&Position, u64)], seconds: f64, title: &str) -> String {
    /// The number of frames for which a solution or the last position is shown.
    const REST: usize = 8;
    let n = positions[0].0.size.get();
    let square = (280.0 / n.max(1) as f64).floor().clamp(20.0, 50.0);
    let grid = Grid { n, left: 1.0, top: 1.0, square };
    let is_solution = |position: &Position| n > 0 && position.is_full();
    let mut frames = Vec::new();
    for (index, &(position, nodes)) in positions.iter().enumerate() {
        let stay = if is_solution(position) || index + 1 == positions.len() { REST } else { 1 };
        frames.extend(std::iter::repeat_n((position, nodes), stay));
    }
    // Each element is drawn once, and is visible in the frames that contain it.
    let mut shown: BTreeMap<Element, Vec<bool>> = BTreeMap::new();
    for (index, (position, nodes)) in frames.iter().enumerate() {
        let mut elements = elements(&grid, position);
        if is_solution(position) {
            elements.push((Layer::Note, grid.outline("found")));
        }
        let placed = format!("{} placed so far", plural(*nodes, "queen"));
        elements.push((Layer::Note, text(grid.left, grid.side() + 22.0, "note", &placed)));
        for element in elements {
            shown.entry(element).or_insert_with(|| vec![false; frames.len()])[index] = true;
        }
    }
    let still = frames.iter().rposition(|(position, _)| is_solution(position)).unwrap_or(frames.len() - 1);
    // An animation without duration would not move.
    let length = tenth(seconds * frames.len() as f64).max(0.1);
    let mut body = definitions(MARKS) + &grid.squares();
    body.extend(shown.iter().map(|((_, element), frames)| in_frames(element, frames, still, length)));
    body += &legend(grid.left, grid.side() + 34.0);
    let about = "The search, row by row: dots are free squares, dashes were tried, bars show along which lines the others are attacked";
    let extent = ((grid.side() + 2.0).max(240.0), grid.side() + 34.0 + LEGEND_HEIGHT);
    titled(title, about, extent, &body)
}

/// Shows an element in some frames of an animation that lasts `seconds`. Viewers without animation show frame `still`.
fn in_frames(element: &str, frames: &[bool], still: usize, seconds: f64) -> String {
    if !frames.contains(&false) {
        return element.to_owned();
    }
    // Only the changes are written, each with its time.
    let mut times = String::from("0");
    let mut values = u8::from(frames[0]).to_string();
    for (frame, pair) in frames.windows(2).enumerate().filter(|(_, pair)| pair[0] != pair[1]) {
        let time = (frame + 1) as f64 / frames.len() as f64;
        times += &format!(";{}", (time * 1e5).round() / 1e5);
        values += &format!(";{}", u8::from(pair[1]));
    }
    let opacity = u8::from(frames[still]);
    format!(
        r#"<g opacity="{opacity}">{element}<animate attributeName="opacity" calcMode="discrete" dur="{seconds}s" repeatCount="indefinite" keyTimes="{times}" values="{values}"/></g>"#
    )
}
