//! How `nqueens count` prints results: a value, a table, JSON.

use nqueens::board::Size;
use serde::Serialize;

use super::Args;
use crate::terminal::Streams;

/// A column of the table: its name, its least width and its value for a result.
pub(super) type Column<R> = (&'static str, usize, fn(&R) -> String);

/// How results are written: as JSON, as a table with a line for each size as soon as it is counted, or as one value alone.
pub(super) struct Layout<R> {
    is_json: bool,
    is_table: bool,
    has_time: bool,
    columns: Vec<Column<R>>,
}

/// A result in JSON.
#[derive(Serialize)]
struct Timed<'a, R> {
    schema: u32,
    #[serde(flatten)]
    result: &'a R,
    seconds: f64,
}

impl<R: Serialize> Layout<R> {
    /// The layout that the options ask for. Writes the header of a table.
    pub(super) fn start(
        args: &Args,
        sizes: &[Size],
        mut columns: Vec<Column<R>>,
        streams: &mut Streams<'_>,
    ) -> std::io::Result<Self> {
        for (name, width, _) in &mut columns {
            *width = name.len().max(*width);
        }
        let is_table = !args.json && (sizes.len() > 1 || columns.len() > 1 || args.time);
        let layout = Self { is_json: args.json, is_table, has_time: args.time, columns };
        if is_table {
            layout.row(" n", |(name, ..)| (*name).to_owned(), "seconds", streams)?;
        }
        Ok(layout)
    }

    /// Writes the result of a size, and flushes: a later interruption does not lose it.
    pub(super) fn line(&self, size: Size, result: &R, seconds: f64, streams: &mut Streams<'_>) -> std::io::Result<()> {
        if self.is_json {
            streams.json(&Timed { schema: 1, result, seconds })?;
        } else if self.is_table {
            self.row(&format!("{:>2}", size.get()), |(.., value)| value(result), &format!("{seconds:.6}"), streams)?;
        } else {
            writeln!(streams.out, "{}", (self.columns[0].2)(result))?;
        }
        streams.out.flush()
    }

    fn row(
        &self,
        size: &str,
        cell: impl Fn(&Column<R>) -> String,
        seconds: &str,
        streams: &mut Streams<'_>,
    ) -> std::io::Result<()> {
        write!(streams.out, "{size}")?;
        for column in &self.columns {
            write!(streams.out, "  {:>width$}", cell(column), width = column.1)?;
        }
        if self.has_time {
            write!(streams.out, "  {seconds:>12}")?;
        }
        writeln!(streams.out)
    }
}

/// The most digits of a count for these sizes: three quarters of n, for the sizes counted so far.
pub(super) fn digits(sizes: &[Size]) -> usize {
    sizes.iter().map(|size| (3 * size.get()).div_ceil(4)).max().unwrap_or(0)
}
