//! The formats that boards are written in.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::Path;

use nqueens::board::Board;

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

impl BoardFormat {
    /// The format for boards of n rows if the user named none: pictures for a file that ends in `.svg`, or else text.
    pub(super) fn default_for(file: Option<&Path>, n: usize) -> Self {
        match file.and_then(Path::extension) {
            Some(ending) if ending.eq_ignore_ascii_case("svg") => Self::Svg,
            _ if n > 100 => Self::Columns,
            _ => Self::Grid,
        }
    }

    pub(super) fn write(self, board: &Board, out: &mut dyn Write) -> io::Result<()> {
        match self {
            Self::Columns => writeln!(out, "{}", columns(board, " ")),
            Self::Json => {
                let columns = columns(board, ",");
                writeln!(out, "{{\"schema\":1,\"size\":{},\"columns\":[{columns}]}}", board.size())
            }
            Self::Unicode => framed(board, out),
            Self::Grid | Self::Svg => writeln!(out, "{board}"),
        }
    }
}

/// The column of each row's queen, from 1.
fn columns(board: &Board, between: &str) -> String {
    let mut text = String::new();
    for column in board.columns() {
        let _ = write!(text, "{}{}", if text.is_empty() { "" } else { between }, column + 1);
    }
    text
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
