//! A page of boards.

use maud::html;

use super::piece::{BoardGrid, definitions};
use crate::draw::svg::{Drawing, Style, Texts, text, titled};
use nqueens::board::Board;

/// Number of boards side by side.
const COLUMNS: usize = 3;

/// The largest side of a board, in pixels, where its squares need no more.
const SIDE: f64 = 160.0;

/// Draws boards as an SVG file. Several boards are numbered.
pub(crate) fn boards(boards: &[Board], title: &str) -> String {
    let n = boards.iter().map(Board::size).max().unwrap_or(0);
    let square = (SIDE / n.max(1) as f64).floor().clamp(6.0, 40.0);
    let side = square * n as f64;
    let columns = boards.len().clamp(1, COLUMNS);
    let is_numbered = boards.len() > 1;
    let (gap, caption) = (16.0, if is_numbered { 26.0 } else { 4.0 });
    let rows = boards.len().div_ceil(columns);
    let body = html! {
        (definitions())
        @for (index, board) in boards.iter().enumerate() {
            @let left = (index % columns) as f64 * (side + gap);
            @let top = (index / columns) as f64 * (side + caption + gap / 2.0);
            @let grid = BoardGrid { n: board.size(), left: left + 1.0, top: top + 1.0, square };
            g.board {
                (grid.squares())
                @for (row, &column) in board.columns().iter().enumerate() { (grid.queen(row, column as usize, "queen")) }
                (grid.frame())
                @if is_numbered {
                    (text(left + side / 2.0, top + side + 18.0, &(index + 1).to_string(), Style::MUTED.anchored("middle")))
                }
            }
        }
    };
    let width = columns as f64 * (side + gap) - gap + 2.0;
    let height = rows as f64 * (side + caption + gap / 2.0) - gap / 2.0 + 2.0;
    let about =
        format!("{} of size {n}, queens drawn on their squares", if is_numbered { "Boards" } else { "A board" });
    titled(Drawing { width, height: height.max(1.0), body }, &Texts { title, about: &about })
}
