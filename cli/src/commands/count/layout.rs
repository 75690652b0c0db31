//! How `nqueens count` prints results: a value, a table, JSON.

use std::iter;

use nqueens::board::Size;
use serde::Serialize;

use super::Args;
use crate::terminal::Streams;
use crate::terminal::table::{self, Table};
use crate::{machine, version};

/// A column of the table: its name, its least width and its value for a result.
pub(super) type Column<R> = (&'static str, usize, fn(&R) -> String);

/// How results are written: as JSON, as a table with a line for each size as soon as it is counted, or as one value
/// alone.
pub(super) struct Layout<R> {
    is_json: bool,
    has_time: bool,
    columns: Vec<Column<R>>,
    table: Option<Table>,
}

/// A result in JSON.
#[derive(Serialize)]
struct Timed<'a, R> {
    schema: u32,
    #[serde(flatten)]
    result: &'a R,
    version: &'static str,
    commit: &'static str,
    processor: String,
    seconds: f64,
}

impl<R: Serialize> Layout<R> {
    /// The layout that the options ask for. Writes the header of a table.
    pub(super) fn start(
        args: &Args,
        sizes: &[Size],
        columns: Vec<Column<R>>,
        streams: &mut Streams<'_>,
    ) -> std::io::Result<Self> {
        let widths = columns.iter().map(|(name, width, _)| name.len().max(*width));
        let table = Table::new(iter::once(2).chain(widths).chain([12]).map(table::Column::Figures));
        let is_table = !args.json && (sizes.len() > 1 || columns.len() > 1 || args.time);
        let layout = Self { is_json: args.json, has_time: args.time, columns, table: is_table.then_some(table) };
        if let Some(table) = &layout.table {
            let heads = layout.cells("n".to_owned(), |(name, ..)| (*name).to_owned(), "seconds".to_owned());
            write!(streams.out, "{}", table.line(&heads))?;
        }
        Ok(layout)
    }

    /// Writes the result of a size, and flushes: a later interruption does not lose it.
    pub(super) fn line(&self, size: Size, result: &R, seconds: f64, streams: &mut Streams<'_>) -> std::io::Result<()> {
        if self.is_json {
            let (version, commit) = (version::VERSION, version::COMMIT);
            let processor = machine::facts().cpu_model;
            streams.json(&Timed { schema: 1, result, version, commit, processor, seconds })?;
        } else if let Some(table) = &self.table {
            let cells = self.cells(size.to_string(), |(.., value)| value(result), format!("{seconds:.6}"));
            write!(streams.out, "{}", table.line(&cells))?;
        } else {
            writeln!(streams.out, "{}", (self.columns[0].2)(result))?;
        }
        streams.out.flush()
    }

    fn cells(&self, size: String, cell: impl Fn(&Column<R>) -> String, seconds: String) -> Vec<String> {
        let seconds = self.has_time.then_some(seconds);
        iter::once(size).chain(self.columns.iter().map(cell)).chain(seconds).collect()
    }
}

/// The most digits of a count for these sizes: three quarters of n, for the sizes counted so far.
pub(super) fn digits(sizes: &[Size]) -> usize {
    sizes.iter().map(|size| (3 * size.get()).div_ceil(4)).max().unwrap_or(0)
}
