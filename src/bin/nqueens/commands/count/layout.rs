//! How `nqueens count` prints results: lines, a table, JSON.

use nqueens::board::Size;
use serde::Serialize;

use super::Args;
use crate::terminal::Streams;

/// A column of the table: its name, its least width and its value for a result.
pub(super) type Column<R> = (&'static str, usize, fn(&R) -> String);

/// How results are written.
pub(super) enum Layout<R> {
    /// The value of the first column alone. Each other value is on its own line, with its name.
    Lines(Vec<Column<R>>),
    /// A line for each size as soon as it is counted.
    Table(Vec<Column<R>>),
    Json,
}

impl<R: Serialize> Layout<R> {
    /// The layout that the options ask for. `seconds` is the time of a result. Writes the header of a table.
    pub(super) fn start(
        args: &Args,
        is_table: bool,
        mut columns: Vec<Column<R>>,
        seconds: fn(&R) -> String,
        streams: &mut Streams<'_>,
    ) -> std::io::Result<Self> {
        if args.json {
            return Ok(Self::Json);
        }
        if args.time {
            columns.push(("seconds", 12, seconds));
        }
        if !is_table {
            return Ok(Self::Lines(columns));
        }
        write!(streams.out, " n")?;
        for (name, width, _) in &mut columns {
            *width = name.len().max(*width);
            write!(streams.out, "  {name:>width$}")?;
        }
        writeln!(streams.out)?;
        Ok(Self::Table(columns))
    }

    /// Writes the result of a size, and flushes: a later interruption does not lose it.
    pub(super) fn line(&self, size: usize, result: &R, streams: &mut Streams<'_>) -> std::io::Result<()> {
        match self {
            Self::Lines(columns) => {
                for (index, (name, _, value)) in columns.iter().enumerate() {
                    let name =
                        if index > 0 { format!("{}{}: ", name[..1].to_uppercase(), &name[1..]) } else { String::new() };
                    writeln!(streams.out, "{name}{}", value(result))?;
                }
            }
            Self::Table(columns) => {
                write!(streams.out, "{size:>2}")?;
                for (_, width, value) in columns {
                    write!(streams.out, "  {:>width$}", value(result))?;
                }
                writeln!(streams.out)?;
            }
            Self::Json => streams.json(result)?,
        }
        streams.out.flush()
    }
}

/// The most digits of a count for these sizes: three quarters of n, for the sizes counted so far.
pub(super) fn digits(sizes: &[Size]) -> usize {
    sizes.iter().map(|size| (3 * size.get()).div_ceil(4)).max().unwrap_or(0)
}
