//! How `nqueens count` prints results: lines, a table, JSON.

use nqueens::board::Size;
use serde::Serialize;

use crate::terminal::Streams;

/// A column of the table: its name, its width and its value for a result.
pub(crate) type Column<R> = (&'static str, usize, fn(&R) -> String);

/// How results are written.
pub(crate) enum Layout<R> {
    /// The value of the first column alone. Each other value is on its own line, with its name.
    Lines(Vec<Column<R>>),
    /// A line for each size as soon as it is counted.
    Table(Vec<Column<R>>),
    Json,
}

impl<R: Serialize> Layout<R> {
    pub(crate) fn new(is_json: bool, is_table: bool, columns: Vec<Column<R>>) -> Self {
        match (is_json, is_table) {
            (true, _) => Self::Json,
            (false, true) => Self::Table(columns),
            (false, false) => Self::Lines(columns),
        }
    }

    /// Writes the header of the table.
    pub(crate) fn head(&self, streams: &mut Streams<'_>) -> std::io::Result<()> {
        let Self::Table(columns) = self else { return Ok(()) };
        write!(streams.out, " n")?;
        for (name, width, _) in columns {
            write!(streams.out, "  {name:>width$}")?;
        }
        writeln!(streams.out)
    }

    /// Writes the result of a size, and flushes: a later interruption does not lose it.
    pub(crate) fn line(&self, size: usize, result: &R, streams: &mut Streams<'_>) -> std::io::Result<()> {
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

/// The width of a column of counts. A count has at most as many digits as 3/4 n, for the sizes counted so far.
pub(crate) fn width(name: &str, sizes: &[Size]) -> usize {
    let largest = sizes.iter().map(|size| size.get()).max().unwrap_or(0);
    (3 * largest).div_ceil(4).max(name.len())
}
