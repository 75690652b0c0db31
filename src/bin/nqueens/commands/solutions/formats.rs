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
    /// For terminals, with a frame and dark squares
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
            Self::Unicode => framed(board, out),
            Self::Grid | Self::Svg => writeln!(out, "{board}"),
        }
    }
}

/// Writes a board in a frame, with two characters for a square.
fn framed(board: &Board, out: &mut dyn Write) -> io::Result<()> {
    let edge = "──".repeat(board.size());
    writeln!(out, "┌{edge}┐")?;
    for (row, &queen) in board.columns().iter().enumerate() {
        let squares = (0..board.size()).map(|column| match (column == queen as usize, (row + column) % 2 == 0) {
            (true, _) => "♛ ",
            (false, true) => "  ",
            (false, false) => "░░",
        });
        writeln!(out, "│{}│", squares.collect::<String>())?;
    }
    writeln!(out, "└{edge}┘")
}
