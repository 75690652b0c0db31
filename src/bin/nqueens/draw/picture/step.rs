//! Draws one step of the search: the board, the marks of the next row, and the masks of the solver `bitmask`.

use maud::{Markup, html};

use super::piece::{BoardGrid, definitions};
use crate::draw::svg::{Drawing, Style, Texts, at, text, titled};
use nqueens::trace::{Attackers, Position};

/// Draws the marks of a square. A bar means an attack on its column, a slanted bar an attack on a diagonal. A square
/// that is not attacked has a dot if it is free and a dash if it was tried.
pub(crate) fn marks(grid: &BoardGrid, row: usize, column: usize, attackers: Attackers, is_tried: bool) -> Markup {
    let (x, y) = grid.middle(row, column);
    let reach = grid.square * 0.3;
    let stroke = |dx: f64, dy: f64| format!("M{} {}L{} {}", at(x - dx), at(y - dy), at(x + dx), at(y + dy));
    html! {
        @if attackers.is_none() && is_tried { path.mark-tried d=(stroke(grid.square * 0.2, 0.0)) {} }
        @if attackers.is_none() && !is_tried { circle.mark-free cx=(at(x)) cy=(at(y)) r=(at(grid.square * 0.15)) {} }
        @if attackers.column { path.mark-column d=(stroke(0.0, reach)) {} }
        @if attackers.diagonal { path.mark-diagonal d=(stroke(reach, reach)) {} }
        @if attackers.antidiagonal { path.mark-diagonal d=(stroke(reach, -reach)) {} }
    }
}

/// The height of [`legend`].
pub(crate) const LEGEND_HEIGHT: f64 = 5.0 * 24.0;

/// Draws each mark and its meaning, one below the other.
pub(crate) fn legend(left: f64, top: f64) -> Markup {
    let straight = Attackers { column: true, ..Attackers::default() };
    let diagonal = Attackers { diagonal: true, ..Attackers::default() };
    let antidiagonal = Attackers { antidiagonal: true, ..Attackers::default() };
    let meanings = [
        (Attackers::default(), false, "free"),
        (Attackers::default(), true, "free, but tried already"),
        (straight, false, "attacked along the column"),
        (diagonal, false, "attacked along a diagonal"),
        (antidiagonal, false, "attacked along an antidiagonal"),
    ];
    html! {
        @for (index, (attackers, is_tried, meaning)) in meanings.into_iter().enumerate() {
            @let place = BoardGrid { n: 1, left, top: top + 24.0 * index as f64, square: 22.0 };
            (marks(&place, 0, 0, attackers, is_tried))
            (text(left + 28.0, place.top + 15.5, meaning, Style::default()))
        }
    }
}

/// Draws a position of the search as an SVG file: its queens, the marks of the next row, and the masks of the next row,
/// with bit c under column c.
pub(crate) fn step(position: &Position, title: &str) -> String {
    let n = position.size();
    let square = (210.0 / n.max(1) as f64).floor().clamp(18.0, 36.0);
    let grid = BoardGrid { n, left: 22.0, top: 22.0, square };
    let row = position.queens().len();
    let numbers = Style { size: 11.5, ..Style::MUTED }.anchored("middle");
    let masks = position.masks();
    let lines = [
        ("columns", masks.columns, "muted"),
        ("diagonals", masks.diagonals, "muted"),
        ("antidiagonals", masks.antidiagonals, "muted"),
        ("taken: any of the three", masks.taken(), "strong"),
        ("free", masks.free, "strong"),
        ("free & -free: the queen", masks.queen(), "strong"),
    ];
    let below = grid.top + grid.side() + 26.0;
    let has_masks = !position.is_full();
    let body = html! {
        (definitions())
        (grid.squares())
        @for line in 0..n {
            (text(grid.middle(0, line).0, 16.0, &(line + 1).to_string(), numbers))
            (text(10.0, grid.middle(line, 0).1 + 4.0, &(line + 1).to_string(), numbers))
        }
        @if has_masks {
            rect.here x=(at(grid.left)) y=(at(grid.y(row))) width=(at(grid.side())) height=(at(square)) {}
            @for column in 0..n {
                (marks(&grid, row, column, position.attackers(row, column), position.is_tried(column)))
            }
        }
        @for (row, &column) in position.queens().iter().enumerate() { (grid.queen(row, column, "queen")) }
        (grid.frame())
        @if has_masks {
            @for (index, (name, mask, class)) in lines.iter().enumerate() {
                @let y = below + 21.0 * index as f64;
                @for column in 0..n {
                    @let bit = mask >> column & 1;
                    @let style = Style { size: 14.0, anchor: "middle", class: if bit == 1 { class } else { "muted" } };
                    (text(grid.middle(0, column).0, y, if bit == 1 { "1" } else { "0" }, style))
                }
                (text(grid.left + grid.side() + 14.0, y, name, Style { class, ..Style::default() }))
            }
        }
    };
    let masks_end = below + 21.0 * lines.len() as f64;
    let body = html! { (body) @if has_masks { (legend(grid.left, masks_end)) } };
    let width = grid.left + grid.side() + if has_masks { 190.0 } else { 4.0 };
    let height = if has_masks { masks_end + LEGEND_HEIGHT } else { grid.top + grid.side() + 4.0 };
    let about = "The board of one step of the search, and the masks of the next row";
    titled(Drawing { width, height, body }, &Texts { title, about })
}
