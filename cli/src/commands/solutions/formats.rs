//! The formats in which boards are printed.

use std::fmt::Write as _;
use std::io::{self, Write};

use nqueens::board::Board;

use crate::version::JSON_SCHEMA;

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

/// Writes one board in a format.
pub(super) type Writer = fn(&Board, &mut dyn Write) -> io::Result<()>;

impl BoardFormat {
    /// Returns what writes each board as text, or `None` for a picture, which shows all boards.
    pub(super) fn writer(self) -> Option<Writer> {
        match self {
            Self::Grid => Some(|board, out| writeln!(out, "{board}")),
            Self::Columns => Some(|board, out| writeln!(out, "{}", columns(board, " "))),
            Self::Json => Some(|board, out| {
                let size = board.size();
                let columns = columns(board, ",");
                writeln!(out, "{{\"schema\":{JSON_SCHEMA},\"size\":{size},\"columns\":[{columns}]}}")
            }),
            Self::Svg => None,
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
