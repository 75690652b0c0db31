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
    /// For terminals, in colour if the terminal has colours
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
    /// As it is typed.
    pub(crate) fn name(self) -> String {
        clap::ValueEnum::to_possible_value(&self).map_or_else(String::new, |value| value.get_name().to_owned())
    }

    /// What the name of such a file ends in.
    pub(crate) fn ending(self) -> &'static str {
        match self {
            Self::Grid | Self::Columns | Self::Unicode => "txt",
            Self::Json => "json",
            Self::Svg => "svg",
        }
    }

    /// Whether a file whose name stands for another format may hold this one: all that is text may be called so.
    pub(crate) fn fits(self, named: Self) -> bool {
        let is_text = |format| format != Self::Svg;
        self == named || is_text(self) && matches!(named, Self::Grid | Self::Columns)
    }

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
