//! How `nqueens count` prints results: a value, a table, JSON.

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
    /// The size, the values, and the seconds with `--time`.
    columns: Vec<Column>,
    table: Option<Table>,
}

impl Layout {
    /// The layout that the options ask for. `values` are the columns beside size and time. Writes the header of a table.
    pub(super) fn start(
        args: &Args,
        sizes: &[Size],
        values: &[Column],
        streams: &mut Streams<'_>,
    ) -> std::io::Result<Self> {
        let time: &[Column] = if args.time { &[("seconds", 12, "/seconds")] } else { &[] };
        let columns = [&[("n", 2, "/size")], values, time].concat();
        let is_table = !args.json && (sizes.len() > 1 || columns.len() > 2);
        let widths = columns.iter().map(|(name, width, _)| name.len().max(*width));
        let table = is_table.then(|| Table::new(widths.map(table::Column::Figures)));
        if let Some(table) = &table {
            let heads: Vec<&str> = columns.iter().map(|(name, ..)| *name).collect();
            write!(streams.out, "{}", table.line(&heads))?;
        }
        Ok(Self { is_json: args.json, columns, table })
    }

    /// Writes the result of a size, and flushes: a later interruption does not lose it.
    pub(super) fn line(&self, mut result: Value, seconds: f64, streams: &mut Streams<'_>) -> std::io::Result<()> {
        result["seconds"] = json!(seconds);
        // Counts are strings in JSON: they pass 2^53.
        let cell = |(.., place): &Column| match result.pointer(place).unwrap_or_default() {
            Value::String(count) => count.clone(),
            value if value.is_f64() => format!("{seconds:.6}"),
            size => size.to_string(),
        };
        if let Some(table) = &self.table {
            write!(streams.out, "{}", table.line(&self.columns.iter().map(cell).collect::<Vec<_>>()))?;
        } else if !self.is_json {
            writeln!(streams.out, "{}", cell(&self.columns[1]))?;
        } else {
            result["schema"] = json!(version::JSON_SCHEMA);
            result["version"] = json!(version::VERSION);
            result["commit"] = json!(version::COMMIT);
            result["processor"] = json!(machine::facts().cpu_model);
            streams.json(&result)?;
        }
        streams.out.flush()
    }
}

/// The most digits of a count for these sizes: three quarters of n, for the sizes counted so far.
pub(super) fn digits(sizes: &[Size]) -> usize {
    sizes.iter().map(|size| (3 * size.get()).div_ceil(4)).max().unwrap_or(0)
}
