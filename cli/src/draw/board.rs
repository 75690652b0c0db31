//! Draws queens, squares and pages of boards.

use super::svg::{tenth, text, titled};
use nqueens::board::Board;

/// The style of boards. Their squares have the colors of wood, which suit light and dark themes.
const STYLE: &str = ".light{fill:#f2e5cd}.dark{fill:#c9a77a}.frame{fill:none;stroke:#5d4630;stroke-width:1.5}\
.queen{fill:#23201c;stroke:#fffaf0;stroke-width:3;stroke-linejoin:round;paint-order:stroke}";

/// Returns the definitions of a picture with boards: their style, followed by the `style` of what else it contains, and
/// `#queen`, which is drawn in a box of 100 by 100.
pub(crate) fn definitions(style: &str) -> String {
    let balls = [(12, 29), (33, 19), (50, 14), (67, 19), (88, 29)];
    let balls = balls.map(|(x, y)| format!(r#"<circle cx="{x}" cy="{y}" r="5"/>"#)).concat();
    format!(
        r#"<style>{STYLE}{style}</style><defs><g id="queen">
<path d="M27 66L13 33L34 51L33 24L45 47L50 19L55 47L67 24L66 51L87 33L73 66C60 61 40 61 27 66Z"/>
<path d="M27 70C40 65 60 65 73 70L70 79C58 75 42 75 30 79Z"/>
<path d="M25 83C40 78 60 78 75 83L78 91H22Z"/>{balls}
</g></defs>"#
    )
}

/// The place of a board and the size of its squares, in pixels.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Grid {
    pub(crate) n: usize,
    pub(crate) left: f64,
    pub(crate) top: f64,
    pub(crate) square: f64,
}

impl Grid {
    pub(crate) fn side(&self) -> f64 {
        self.n as f64 * self.square
    }

    pub(crate) fn x(&self, column: usize) -> f64 {
        self.left + column as f64 * self.square
    }

    pub(crate) fn y(&self, row: usize) -> f64 {
        self.top + row as f64 * self.square
    }

    /// Returns the center of a square.
    pub(crate) fn middle(&self, row: usize, column: usize) -> (f64, f64) {
        (self.x(column) + self.square / 2.0, self.y(row) + self.square / 2.0)
    }

    /// Draws the empty board, whose first square is light.
    pub(crate) fn squares(&self) -> String {
        let square = tenth(self.square);
        let dark: String = (0..self.n)
            .flat_map(|row| (0..self.n).filter(move |column| (row + column) % 2 == 1).map(move |column| (row, column)))
            .map(|(row, column)| {
                format!("M{} {}h{square}v{square}h-{square}z", tenth(self.x(column)), tenth(self.y(row)))
            })
            .collect();
        format!(r#"{}<path class="dark" d="{dark}"/>{}"#, self.outline("light"), self.outline("frame"))
    }

    /// Draws a square around the board in a class of the style.
    pub(crate) fn outline(&self, class: &str) -> String {
        let [x, y, side] = [self.left, self.top, self.side()].map(tenth);
        format!(r#"<rect class="{class}" x="{x}" y="{y}" width="{side}" height="{side}"/>"#)
    }

    /// Draws a queen on a square.
    pub(crate) fn queen(&self, row: usize, column: usize) -> String {
        let scale = (self.square / 100.0 * 1000.0).round() / 1000.0;
        let (x, y) = (tenth(self.x(column)), tenth(self.y(row)));
        format!(r##"<use href="#queen" class="queen" transform="translate({x} {y}) scale({scale})"/>"##)
    }
}

/// Draws boards as an SVG file, three in a row. Several boards are numbered.
pub(crate) fn page(boards: &[Board], title: &str) -> String {
    const COLUMNS: usize = 3;
    /// The side of a board in pixels, unless its squares would become too small.
    const SIDE: f64 = 160.0;
    const GAP: f64 = 16.0;
    let n = boards.iter().map(Board::size).max().unwrap_or(0);
    let square = (SIDE / n.max(1) as f64).floor().clamp(6.0, 40.0);
    let side = square * n as f64;
    let columns = boards.len().clamp(1, COLUMNS);
    let is_numbered = boards.len() > 1;
    // The distances between the left edges and between the upper edges of two boards.
    let step_right = side + GAP;
    let step_down = side + GAP / 2.0 + if is_numbered { 26.0 } else { 4.0 };
    let mut body = definitions("");
    for (index, board) in boards.iter().enumerate() {
        let left = (index % columns) as f64 * step_right;
        let top = (index / columns) as f64 * step_down;
        let grid = Grid { n, left: left + 1.0, top: top + 1.0, square };
        body += r#"<g class="board">"#;
        body += &grid.squares();
        body.extend(board.columns().iter().enumerate().map(|(row, &column)| grid.queen(row, column as usize)));
        if is_numbered {
            body += &text(left + side / 2.0, top + side + 18.0, "number", &(index + 1).to_string());
        }
        body += "</g>";
    }
    let width = columns as f64 * step_right - GAP + 2.0;
    let height = boards.len().div_ceil(columns) as f64 * step_down - GAP / 2.0 + 2.0;
    let about =
        format!("{} of size {n}, queens drawn on their squares", if is_numbered { "Boards" } else { "A board" });
    titled(title, &about, (width, height), &body)
}
