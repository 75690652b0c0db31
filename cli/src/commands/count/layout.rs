//! Prints the results of `nqueens count` as one value, a table or JSON.

use nqueens::board::Size;
use nqueens::symmetric::Turn;
use serde_json::{Value, json};

use super::super::options::turns;
use crate::run::sanity::unpublished;
use crate::terminal::Streams;
use crate::terminal::table::{self, Table};
use crate::{machine, version};

/// What to count for each size, and how to print it.
#[derive(Debug, clap::Args)]
pub(super) struct ResultOptions {
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Add the time in seconds
    #[arg(long)]
    time: bool,
    /// Add the number of queens placed during the search
    #[arg(long, conflicts_with_all = ["classes", "symmetry"])]
    pub(super) nodes: bool,
    /// Count all, symmetric and fundamental solutions, and the orbits of 8, 4 and 2 solutions
    #[arg(long, group = "what")]
    pub(super) classes: bool,
    /// Count only the solutions that look the same after this turn
    #[arg(long, value_name = "TURN", value_parser = turns(), group = "what", conflicts_with_all = ["solver", "isa", "device"])]
    pub(super) symmetry: Option<Turn>,
}

/// A column of the table: its name, its minimum width, and the place of its value in the JSON of a result.
type Column = (&'static str, usize, &'static str);

/// Prints each result as soon as it is counted: as JSON, as one value, or as a line of a table.
pub(super) struct Layout {
    is_json: bool,
    /// The size, the values, and the seconds if `--time` asks for them.
    columns: Vec<Column>,
    table: Option<Table>,
    /// Whether the header of the table was printed.
    is_begun: bool,
}

impl Layout {
    /// Returns the layout that the options ask for.
    pub(super) fn of(options: &ResultOptions, sizes: &[Size]) -> Self {
        let values = values(options, digits(sizes));
        let time: &[Column] = if options.time { &[("seconds", 12, "/seconds")] } else { &[] };
        let columns = [&[("n", 2, "/size")], &values[..], time].concat();
        let is_table = !options.json && (sizes.len() > 1 || columns.len() > 2);
        let widths = columns.iter().map(|(name, width, _)| name.len().max(*width));
        let table = is_table.then(|| Table::new(widths.map(table::Column::Figures)));
        Self { is_json: options.json, columns, table, is_begun: false }
    }

    /// Returns whether the number of nodes is a column.
    pub(super) fn has_nodes(&self) -> bool {
        self.columns.iter().any(|(name, ..)| *name == "nodes")
    }

    /// Prints the count for a size. If nobody has published this count, notes what it is expected to be.
    pub(super) fn print_count(
        &mut self,
        size: Size,
        result: Value,
        seconds: f64,
        streams: &mut Streams<'_>,
    ) -> anyhow::Result<()> {
        self.print(result, seconds, streams)?;
        if let Some(clause) = unpublished(size) {
            streams.note(clause);
        }
        Ok(())
    }

    /// Prints the result for a size and flushes it, so that a later interruption does not lose it.
    pub(super) fn print(&mut self, mut result: Value, seconds: f64, streams: &mut Streams<'_>) -> std::io::Result<()> {
        result["seconds"] = json!(seconds);
        if self.is_json {
            result["version"] = json!(version::VERSION);
            result["commit"] = json!(version::COMMIT);
            result["processor"] = json!(machine::facts().cpu_model);
            return self.print_json(result, streams);
        }
        // Counts are strings in JSON because they may be larger than 2^53.
        let cell = |(.., place): &Column| match result.pointer(place).unwrap_or_default() {
            Value::String(count) => count.clone(),
            value if value.is_f64() => format!("{seconds:.6}"),
            size => size.to_string(),
        };
        if let Some(table) = &self.table {
            if !std::mem::replace(&mut self.is_begun, true) {
                let names: Vec<&str> = self.columns.iter().map(|(name, ..)| *name).collect();
                write!(streams.out, "{}", table.line(&names))?;
            }
            write!(streams.out, "{}", table.line(&self.columns.iter().map(cell).collect::<Vec<_>>()))?;
        } else {
            writeln!(streams.out, "{}", cell(&self.columns[1]))?;
        }
        streams.out.flush()
    }

    /// Prints a line of JSON if `--json` asks for it. The line may be the progress of a run that has no count yet.
    pub(super) fn print_json(&self, mut line: Value, streams: &mut Streams<'_>) -> std::io::Result<()> {
        if self.is_json {
            line["schema"] = json!(version::JSON_SCHEMA);
            streams.json(&line)?;
        }
        streams.out.flush()
    }
}

/// Returns the columns between the size and the time, for counts of up to `digits` digits.
fn values(options: &ResultOptions, digits: usize) -> Vec<Column> {
    let solutions = ("solutions", digits, "/solutions");
    match options.symmetry {
        Some(turn) => vec![(turn_name(turn), 16, "/solutions")],
        None if options.classes => vec![
            ("solutions", digits, "/all"),
            ("half turn", 12, "/half_turn"),
            ("quarter turn", 12, "/quarter_turn"),
            ("fundamental", digits, "/fundamental"),
            ("orbits: 8", digits, "/asymmetric_orbits"),
            ("4", 11, "/half_turn_orbits"),
            ("2", 11, "/quarter_turn_orbits"),
        ],
        None if options.nodes => vec![solutions, ("nodes", 18, "/work/nodes")],
        None => vec![solutions],
    }
}

/// Returns the name of a turn in the form that users type.
pub(super) fn turn_name(turn: Turn) -> &'static str {
    if turn == Turn::Half { "half-turn" } else { "quarter-turn" }
}

/// Returns enough digits for every published count of these sizes: three quarters of the largest n.
fn digits(sizes: &[Size]) -> usize {
    sizes.iter().map(|size| (3 * size.get()).div_ceil(4)).max().unwrap_or(0)
}
