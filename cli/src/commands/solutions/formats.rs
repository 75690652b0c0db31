//! The formats that boards are written in.

use std::fmt::Write as _;
use std::io::{self, Write};

use nqueens::board::Board;

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum BoardFormat {
    /// Q for a queen, # for an empty square, an empty line between boards
    Grid,
    /// One line for each board: the column of each row's queen, from 1
    Columns,
    /// One line of JSON for each board
    Json,
    /// A page of boards as an SVG picture
    Svg,
}

impl BoardFormat {
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

/// The column of each row's queen, from 1.
pub(in super::super) fn columns(board: &Board, between: &str) -> String {
    let mut text = String::new();
    for column in board.columns() {
        let _ = write!(text, "{}{}", if text.is_empty() { "" } else { between }, column + 1);
    }
    text
}
