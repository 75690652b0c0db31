//! The formats in which boards are printed.

use std::fmt::Write as _;
use std::io::{self, Write};

use nqueens::board::Board;

/// A format of boards.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum BoardFormat {
    /// Q for a queen and # for an empty square, with an empty line between boards
    Grid,
    /// One line for each board: the column of each row's queen, from 1
    Columns,
    /// One line of JSON for each board
    Json,
    /// One SVG picture: a page of boards
    Svg,
}

impl BoardFormat {
    /// Writes one board as text. A picture needs all boards, so it is drawn elsewhere.
    pub(super) fn write(self, board: &Board, out: &mut dyn Write) -> io::Result<()> {
        match self {
            Self::Columns => writeln!(out, "{}", columns(board, " ")),
            Self::Json => {
                let columns = columns(board, ",");
                let schema = crate::version::JSON_SCHEMA;
                writeln!(out, "{{\"schema\":{schema},\"size\":{},\"columns\":[{columns}]}}", board.size())
            }
            Self::Grid | Self::Svg => writeln!(out, "{board}"),
        }
    }
}

/// Returns the column of each row's queen, counted from 1 and separated by `between`.
fn columns(board: &Board, between: &str) -> String {
    let mut text = String::new();
    for column in board.columns() {
        let _ = write!(text, "{}{}", if text.is_empty() { "" } else { between }, column + 1);
    }
    text
}
