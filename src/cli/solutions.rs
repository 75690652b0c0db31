//! `nqueens solutions`: the boards themselves.

use std::io::{self, Write};

use nqueens::board::{Size, Solution};
use nqueens::solver::registry;
use serde::Serialize;

use super::Streams;
use super::args::lister_names;
use super::exit::Exit;

/// Lists the solutions for a size, in lexicographic order
///
/// They are written as they are found, in constant memory: end it with Ctrl-C, --limit or a pipe
/// that closes, such as `| head`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nqueens solutions 8 --limit 1          the first board, drawn with Q and #
  nqueens solutions 6 --format columns   each row's column, counted from 1, a board a line
  nqueens solutions 6 --format json      the same as lines of JSON")]
pub(super) struct Args {
    /// The size, from 0 to 32
    #[arg(value_name = "N", allow_negative_numbers = true)]
    size: Size,
    /// Stops after so many boards
    #[arg(long, value_name = "K", value_parser = limit, allow_negative_numbers = true)]
    limit: Option<u64>,
    /// How a board is written
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = Format::Grid)]
    format: Format,
    /// The solver that finds them
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = lister_names())]
    solver: String,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Format {
    /// A picture: Q for a queen, # for an empty square, an empty line between boards
    Grid,
    /// The column of each row's queen, counted from 1, a board a line
    Columns,
    /// The same as JSON, a board a line
    Json,
}

fn limit(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| {
        format!("'{text}' is not a number of boards: give a whole number, or leave it out to list them all")
    })
}

pub(super) fn run(args: &Args, streams: &mut Streams<'_>) -> anyhow::Result<Exit> {
    let size = args.size;
    let solutions = match args.solver.as_str() {
        "auto" => nqueens::solutions(size.get())?,
        name => nqueens::solutions_by(registry::find(name)?, size)?,
    };
    let mut written = 0u64;
    for solution in solutions.take(args.limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX)))
    {
        if written > 0 && matches!(args.format, Format::Grid) {
            writeln!(streams.out)?;
        }
        args.format.write(size, &solution, streams.out)?;
        written += 1;
    }
    if written == 0 && args.limit != Some(0) {
        streams.note(format_args!("there are no solutions for n = {size}"));
    }
    Ok(Exit::Fine)
}

/// A board as JSON.
#[derive(Serialize)]
struct Record {
    schema: u32,
    size: usize,
    /// Counted from 1.
    columns: Vec<u8>,
}

impl Format {
    fn write(self, size: Size, solution: &Solution, out: &mut dyn Write) -> io::Result<()> {
        let columns = solution.columns().iter().map(|column| column + 1);
        match self {
            Self::Grid => writeln!(out, "{solution}"),
            Self::Columns => {
                for (row, column) in columns.enumerate() {
                    write!(out, "{}{column}", if row == 0 { "" } else { " " })?;
                }
                writeln!(out)
            }
            Self::Json => {
                serde_json::to_writer(&mut *out, &Record { schema: 1, size: size.get(), columns: columns.collect() })?;
                writeln!(out)
            }
        }
    }
}
