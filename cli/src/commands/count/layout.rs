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
    pub(super) figures: Vec<Figure>,
    pub(super) seconds: f64,
    /// The fields of the JSON that differ from count to count.
    pub(super) json: Value,
}

/// A figure of a result, with the heading and the minimum width of its column.
pub(super) struct Figure {
    pub(super) heading: &'static str,
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

    /// Returns a figure whose column is wide enough for every published count of the sizes: three quarters of the
    /// largest n.
    pub(super) fn figure(&self, heading: &'static str, value: u128) -> Figure {
        let digits = self.sizes.iter().map(|size| (3 * size.get()).div_ceil(4)).max();
        Figure { heading, width: digits.unwrap_or(0), value }
    }

    /// Returns the figures of a count of all solutions.
    pub(super) fn figures(&self, solutions: u128, work: &Work) -> Vec<Figure> {
        let nodes = Figure { heading: "nodes", width: 18, value: work.nodes.into() };
        let nodes = self.options.nodes.then_some(nodes);
        [self.figure("solutions", solutions)].into_iter().chain(nodes).collect()
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
        let Counted { size, figures, seconds, mut json } = counted;
        if self.options.json {
            json["seconds"] = json!(seconds);
            json["version"] = json!(version::VERSION);
            json["commit"] = json!(version::COMMIT);
            json["processor"] = json!(machine::facts().cpu_model);
            return self.print_if_json(json, streams);
        }
        if self.sizes.len() == 1 && figures.len() == 1 && !self.options.time {
            writeln!(streams.out, "{}", figures[0].value)?;
            return streams.out.flush();
        }
        let size = ("n", 2, size.to_string());
        let figures = figures.into_iter().map(|Figure { heading, width, value }| (heading, width, value.to_string()));
        let time = self.options.time.then(|| ("seconds", 12, format!("{seconds:.6}")));
        let columns: Vec<_> = std::iter::once(size).chain(figures).chain(time).collect();
        let is_first = self.table.is_none();
        let table = self.table.get_or_insert_with(|| {
            Table::new(columns.iter().map(|&(heading, width, _)| Column::Figures(heading.len().max(width))))
        });
        if is_first {
            write!(streams.out, "{}", table.line(&columns.iter().map(|(heading, ..)| *heading).collect::<Vec<_>>()))?;
        }
        write!(streams.out, "{}", table.line(&columns.iter().map(|(.., cell)| cell).collect::<Vec<_>>()))?;
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
