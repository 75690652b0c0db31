//! Prints the results of `nqueens count` as one value, a table or JSON.

use nqueens::board::Size;
use nqueens::tally::Work;
use serde_json::{Value, json};

use super::result_options::ResultOptions;
use crate::machine;
use crate::run::sanity::unpublished;
use crate::terminal::Streams;
use crate::terminal::table::{Column, Table};
use crate::version;

/// The result for a size.
pub(super) struct Counted {
    pub(super) size: Size,
    /// The columns between the size and the time, which are equal for all sizes.
    pub(super) columns: Vec<ResultColumn>,
    pub(super) seconds: f64,
    /// The fields of the JSON that differ from count to count.
    pub(super) json: Value,
}

/// A column of the table with its value for one size.
pub(super) struct ResultColumn {
    pub(super) heading: &'static str,
    /// The minimum width.
    pub(super) width: usize,
    pub(super) value: u128,
}

/// Prints each result as soon as it is counted.
pub(super) struct Layout<'a> {
    pub(super) options: &'a ResultOptions,
    sizes: &'a [Size],
    /// `None` until its headings are printed.
    table: Option<Table>,
}

impl<'a> Layout<'a> {
    /// Returns the layout of the results for these sizes: JSON if it is asked for, the count alone if there is nothing
    /// else to print, and otherwise a table.
    pub(super) fn new(options: &'a ResultOptions, sizes: &'a [Size]) -> Self {
        Self { options, sizes, table: None }
    }

    /// Returns a column that is wide enough for every published count of the sizes: three quarters of the largest n.
    pub(super) fn column(&self, heading: &'static str, value: u128) -> ResultColumn {
        let digits = self.sizes.iter().map(|size| (3 * size.get()).div_ceil(4)).max();
        ResultColumn { heading, width: digits.unwrap_or(0), value }
    }

    /// Returns the columns of a count of all solutions.
    pub(super) fn columns(&self, solutions: u128, work: &Work) -> Vec<ResultColumn> {
        let mut columns = vec![self.column("solutions", solutions)];
        if self.options.nodes {
            columns.push(ResultColumn { heading: "nodes", width: 18, value: work.nodes.into() });
        }
        columns
    }

    /// Prints the count of all solutions for a size. If nobody has published it, notes what it is expected to be.
    pub(super) fn print_count(&mut self, counted: Counted, streams: &mut Streams<'_>) -> anyhow::Result<()> {
        let unpublished = unpublished(counted.size);
        self.print(counted, streams)?;
        if let Some(clause) = unpublished {
            streams.note(clause);
        }
        Ok(())
    }

    /// Prints the result for a size and flushes it, so that a later interruption does not lose it.
    pub(super) fn print(&mut self, counted: Counted, streams: &mut Streams<'_>) -> std::io::Result<()> {
        let Counted { size, columns, seconds, mut json } = counted;
        if self.options.json {
            json["seconds"] = json!(seconds);
            json["version"] = json!(version::VERSION);
            json["commit"] = json!(version::COMMIT);
            json["processor"] = json!(machine::facts().cpu_model);
            streams.json(json)?;
            return streams.out.flush();
        }
        if self.sizes.len() == 1 && columns.len() == 1 && !self.options.time {
            writeln!(streams.out, "{}", columns[0].value)?;
            return streams.out.flush();
        }
        let mut cells = vec![("n", 2, size.to_string())];
        cells.extend(columns.iter().map(|column| (column.heading, column.width, column.value.to_string())));
        if self.options.time {
            cells.push(("seconds", 12, format!("{seconds:.6}")));
        }
        let is_first = self.table.is_none();
        let table = self.table.get_or_insert_with(|| {
            Table::new(cells.iter().map(|&(heading, width, _)| Column::Figures(heading.len().max(width))))
        });
        if is_first {
            write!(streams.out, "{}", table.line(&cells.iter().map(|(heading, ..)| *heading).collect::<Vec<_>>()))?;
        }
        write!(streams.out, "{}", table.line(&cells.iter().map(|(.., cell)| cell).collect::<Vec<_>>()))?;
        streams.out.flush()
    }

    /// Prints a line of JSON if `--json` asks for it. The line may be the progress of a run that has no count yet.
    pub(super) fn print_if_json(&self, line: Value, streams: &mut Streams<'_>) -> std::io::Result<()> {
        if self.options.json {
            streams.json(line)?;
        }
        streams.out.flush()
    }
}
