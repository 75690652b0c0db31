//! Prints the results of `nqueens count` as one value, a table or JSON.

use nqueens::board::Size;
use nqueens::symmetric::Turn;
use nqueens::tally::Work;
use serde_json::{Value, json};

use crate::commands::options::{turn_name, turns};
use crate::run::sanity::unpublished;
use crate::terminal::Streams;
use crate::terminal::table::{Column, Table};
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

/// The result for a size.
pub(super) struct Counted {
    pub(super) size: Size,
    /// The figures of the columns between the size and the time.
    pub(super) figures: Vec<u128>,
    pub(super) seconds: f64,
    /// The fields of the JSON that differ from count to count.
    pub(super) json: Value,
}

/// Prints each result as soon as it is counted.
pub(super) struct Layout {
    form: Form,
    pub(super) has_nodes: bool,
    has_time: bool,
}

/// The form of the results.
enum Form {
    Json,
    /// The count alone.
    Value,
    /// A line for each size, below the headings of the size, the figures, and the seconds if `--time` asks for them.
    Table {
        table: Table,
        /// Empty once they are printed.
        headings: Vec<&'static str>,
    },
}

impl Layout {
    /// Returns the layout that the options ask for.
    pub(super) fn of(options: &ResultOptions, sizes: &[Size]) -> Self {
        let time: &[(&str, usize)] = if options.time { &[("seconds", 12)] } else { &[] };
        let columns = [&[("n", 2)], &columns(options, digits(sizes))[..], time].concat();
        let form = if options.json {
            Form::Json
        } else if sizes.len() == 1 && columns.len() == 2 {
            Form::Value
        } else {
            let widths = columns.iter().map(|&(heading, width)| Column::Figures(heading.len().max(width)));
            let headings = columns.iter().map(|&(heading, _)| heading).collect();
            Form::Table { table: Table::new(widths), headings }
        };
        Self { form, has_nodes: options.nodes, has_time: options.time }
    }

    /// Returns the figures of the columns between the size and the time, for a count of all solutions.
    pub(super) fn figures(&self, solutions: u128, work: &Work) -> Vec<u128> {
        let nodes = self.has_nodes.then_some(work.nodes.into());
        std::iter::once(solutions).chain(nodes).collect()
    }

    /// Prints the count of all solutions for a size. If nobody has published it, notes what it is expected to be.
    pub(super) fn print_count(&mut self, counted: Counted, streams: &mut Streams<'_>) -> anyhow::Result<()> {
        let unpublished = unpublished(counted.size);
        self.print(counted, streams)?;
        unpublished.iter().for_each(|clause| streams.note(clause));
        Ok(())
    }

    /// Prints the result for a size and flushes it, so that a later interruption does not lose it.
    pub(super) fn print(&mut self, counted: Counted, streams: &mut Streams<'_>) -> std::io::Result<()> {
        let Counted { size, figures, seconds, mut json } = counted;
        match &mut self.form {
            Form::Json => {
                json["seconds"] = json!(seconds);
                json["version"] = json!(version::VERSION);
                json["commit"] = json!(version::COMMIT);
                json["processor"] = json!(machine::facts().cpu_model);
                return self.print_json(json, streams);
            }
            Form::Value => writeln!(streams.out, "{}", figures[0])?,
            Form::Table { table, headings } => {
                if !headings.is_empty() {
                    write!(streams.out, "{}", table.line(&std::mem::take(headings)))?;
                }
                let time = self.has_time.then(|| format!("{seconds:.6}"));
                let cells = std::iter::once(size.to_string()).chain(figures.iter().map(u128::to_string)).chain(time);
                write!(streams.out, "{}", table.line(&cells.collect::<Vec<_>>()))?;
            }
        }
        streams.out.flush()
    }

    /// Prints a line of JSON if `--json` asks for it. The line may be the progress of a run that has no count yet.
    pub(super) fn print_json(&self, line: Value, streams: &mut Streams<'_>) -> std::io::Result<()> {
        if let Form::Json = self.form {
            streams.json(line)?;
        }
        streams.out.flush()
    }
}

/// Returns the headings and minimum widths of the columns between the size and the time, for counts of up to `digits`
/// digits.
fn columns(options: &ResultOptions, digits: usize) -> Vec<(&'static str, usize)> {
    let solutions = ("solutions", digits);
    match options.symmetry {
        Some(turn) => vec![(turn_name(turn), 16)],
        // In the order of `symmetry::count_classes`.
        None if options.classes => vec![
            solutions,
            ("half turn", 12),
            ("quarter turn", 12),
            ("fundamental", digits),
            ("orbits: 8", digits),
            ("4", 11),
            ("2", 11),
        ],
        None if options.nodes => vec![solutions, ("nodes", 18)],
        None => vec![solutions],
    }
}

/// Returns enough digits for every published count of these sizes: three quarters of the largest n.
fn digits(sizes: &[Size]) -> usize {
    sizes.iter().map(|size| (3 * size.get()).div_ceil(4)).max().unwrap_or(0)
}
