//! How `nqueens count` prints results: a value, a table, JSON.

use std::iter;

use nqueens::board::Size;
use serde_json::{Value, json};

use super::Args;
use crate::terminal::Streams;
use crate::terminal::table::{self, Table};
use crate::{machine, version};

/// A column of the table: its name, its least width, and the place of its value in the JSON of a result.
pub(super) type Column = (&'static str, usize, &'static str);

/// How results are written: as JSON, as a table with a line for each size as soon as it is counted, or as one value
/// alone.
pub(super) struct Layout {
    is_json: bool,
    has_time: bool,
    columns: Vec<Column>,
    table: Option<Table>,
}

impl Layout {
    /// The layout that the options ask for. Writes the header of a table.
    pub(super) fn start(
        args: &Args,
        sizes: &[Size],
        columns: &[Column],
        streams: &mut Streams<'_>,
    ) -> std::io::Result<Self> {
        let widths = columns.iter().map(|(name, width, _)| name.len().max(*width));
        let table = Table::new(iter::once(2).chain(widths).chain([12]).map(table::Column::Figures));
        let is_table = !args.json && (sizes.len() > 1 || columns.len() > 1 || args.time);
        let table = is_table.then_some(table);
        let layout = Self { is_json: args.json, has_time: args.time, columns: columns.to_vec(), table };
        if let Some(table) = &layout.table {
            let heads = layout.cells("n".to_owned(), |(name, ..)| (*name).to_owned(), "seconds".to_owned());
            write!(streams.out, "{}", table.line(&heads))?;
        }
        Ok(layout)
    }

    /// Writes the result of a size, and flushes: a later interruption does not lose it.
    pub(super) fn line(
        &self,
        size: Size,
        mut result: Value,
        seconds: f64,
        streams: &mut Streams<'_>,
    ) -> std::io::Result<()> {
        // Counts are strings in JSON: they pass 2^53.
        let cell = |column: &Column| result.pointer(column.2).and_then(Value::as_str).unwrap_or_default().to_owned();
        if let Some(table) = &self.table {
            let cells = self.cells(size.to_string(), cell, format!("{seconds:.6}"));
            write!(streams.out, "{}", table.line(&cells))?;
        } else if !self.is_json {
            writeln!(streams.out, "{}", cell(&self.columns[0]))?;
        } else {
            let about = [
                ("schema", json!(1)),
                ("version", json!(version::VERSION)),
                ("commit", json!(version::COMMIT)),
                ("processor", json!(machine::facts().cpu_model)),
                ("seconds", json!(seconds)),
            ];
            about.into_iter().for_each(|(name, value)| result[name] = value);
            streams.json(&result)?;
        }
        streams.out.flush()
    }

    fn cells(&self, size: String, cell: impl Fn(&Column) -> String, seconds: String) -> Vec<String> {
        let seconds = self.has_time.then_some(seconds);
        iter::once(size).chain(self.columns.iter().map(cell)).chain(seconds).collect()
    }
}

/// The most digits of a count for these sizes: three quarters of n, for the sizes counted so far.
pub(super) fn digits(sizes: &[Size]) -> usize {
    sizes.iter().map(|size| (3 * size.get()).div_ceil(4)).max().unwrap_or(0)
}
