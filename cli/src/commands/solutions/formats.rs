//! The formats in which boards are printed.

use std::fmt;
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
            Self::Columns => Some(|board, out| writeln!(out, "{}", Columns(board, " "))),
            Self::Json => Some(|board, out| {
                let size = board.size();
                let columns = Columns(board, ",");
                writeln!(out, "{{\"schema\":{JSON_SCHEMA},\"size\":{size},\"columns\":[{columns}]}}")
            }),
            Self::Svg => None,
        }
    }
}

/// Shows the column of each row's queen, counted from 1 and separated by the second field.
struct Columns<'a>(&'a Board, &'static str);

impl fmt::Display for Columns<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(board, between) = self;
        for (row, column) in board.columns().iter().enumerate() {
            write!(f, "{}{}", if row == 0 { "" } else { between }, column + 1)?;
        }
        Ok(())
    }
}
