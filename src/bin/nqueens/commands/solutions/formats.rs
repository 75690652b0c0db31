//! The formats that boards are written in.

use std::io;
use std::io::Write;

use nqueens::board::Board;
use serde::Serialize;

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum BoardFormat {
    /// Q for a queen, # for an empty square, an empty line between boards
    Grid,
    /// One line for each board: the column of each row's queen, from 1
    Columns,
    /// One line of JSON for each board
    Json,
    /// For terminals, in color if the terminal has colors
    Unicode,
    /// A page of boards as an SVG picture
    Svg,
}

/// A board as JSON.
#[derive(Serialize)]
struct BoardLine {
    schema: u32,
    size: usize,
    /// Counted from 1.
    columns: Vec<u32>,
}

impl BoardFormat {
    pub(crate) fn write(self, n: usize, board: &Board, out: &mut dyn Write) -> io::Result<()> {
        let columns = board.columns().iter().map(|column| column + 1);
        match self {
            Self::Columns => {
                for (row, column) in columns.enumerate() {
                    write!(out, "{}{column}", if row == 0 { "" } else { " " })?;
                }
                writeln!(out)
            }
            Self::Json => {
                serde_json::to_writer(&mut *out, &BoardLine { schema: 1, size: n, columns: columns.collect() })?;
                writeln!(out)
            }
            Self::Grid | Self::Unicode | Self::Svg => writeln!(out, "{board}"),
        }
    }
}
