//! Draws the queen and the squares of a board.

use maud::{Markup, PreEscaped, html};

use crate::draw::svg::at;

/// The style of boards. The squares have the color of wood in light and in dark themes.
pub(crate) const STYLE: &str = ".light{fill:#f2e5cd}.dark{fill:#c9a77a}.frame{fill:none;stroke:#5d4630;stroke-width:1.5}\
.queen{fill:#23201c;stroke:#fffaf0;stroke-width:3;stroke-linejoin:round;paint-order:stroke}\
.picture .mark-column{fill:none;stroke:#1f6fd0;stroke-width:2.4}.picture .mark-diagonal{fill:none;stroke:#c2410c;stroke-width:2.4}\
.picture .mark-tried{fill:none;stroke:#665d52;stroke-width:2.4}.picture .mark-free{fill:#1a7f37;stroke:none}.here{fill:#1a7f37;fill-opacity:.16}\
.found{fill:none;stroke:#1a7f37;stroke-width:5}";

/// The definitions that every picture with boards needs: `#queen` is the piece in a box of 100 by 100.
pub(crate) fn definitions() -> Markup {
    html! {
        style { (PreEscaped(STYLE)) }
        defs {
            g id="queen" {
                path d="M27 66L13 33L34 51L33 24L45 47L50 19L55 47L67 24L66 51L87 33L73 66C60 61 40 61 27 66Z" {}
                path d="M27 70C40 65 60 65 73 70L70 79C58 75 42 75 30 79Z" {}
                path d="M25 83C40 78 60 78 75 83L78 91H22Z" {}
                circle cx="12" cy="29" r="5" {}
                circle cx="33" cy="19" r="5" {}
                circle cx="50" cy="14" r="5" {}
                circle cx="67" cy="19" r="5" {}
                circle cx="88" cy="29" r="5" {}
            }
        }
    }
}

/// The place of a board and the size of its squares, in pixels.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BoardGrid {
    pub(crate) n: usize,
    pub(crate) left: f64,
    pub(crate) top: f64,
    pub(crate) square: f64,
}

impl BoardGrid {
    pub(crate) fn side(&self) -> f64 {
        self.n as f64 * self.square
    }

    pub(crate) fn x(&self, column: usize) -> f64 {
        self.left + column as f64 * self.square
    }

    pub(crate) fn y(&self, row: usize) -> f64 {
        self.top + row as f64 * self.square
    }

    /// The center of a square.
    pub(crate) fn middle(&self, row: usize, column: usize) -> (f64, f64) {
        (self.x(column) + self.square / 2.0, self.y(row) + self.square / 2.0)
    }

    /// Draws the empty board. The square of the first row and column is light.
    pub(crate) fn squares(&self) -> Markup {
        let side = at(self.side());
        let square = at(self.square);
        let dark: String = (0..self.n)
            .flat_map(|row| (0..self.n).filter(move |column| (row + column) % 2 == 1).map(move |column| (row, column)))
            .map(|(row, column)| format!("M{} {}h{square}v{square}h-{square}z", at(self.x(column)), at(self.y(row))))
            .collect();
        html! {
            rect.light x=(at(self.left)) y=(at(self.top)) width=(side) height=(side) {}
            path.dark d=(dark) {}
        }
    }

    pub(crate) fn frame(&self) -> Markup {
        let side = at(self.side());
        html! { rect.frame x=(at(self.left)) y=(at(self.top)) width=(side) height=(side) {} }
    }

    /// Draws a queen on a square, with this class of the style.
    pub(crate) fn queen(&self, row: usize, column: usize, class: &str) -> Markup {
        html! { use href="#queen" class=(class) transform=(self.place(row, column)) {} }
    }

    /// The transformation that moves the piece to a square.
    pub(crate) fn place(&self, row: usize, column: usize) -> String {
        let scale = (self.square / 100.0 * 1000.0).round() / 1000.0;
        format!("translate({} {}) scale({scale})", at(self.x(column)), at(self.y(row)))
    }
}
