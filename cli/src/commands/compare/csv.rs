//! The comparison as CSV.

use super::facts::{Fact, facts_of, text_of};
use crate::bench::comparison::Comparison;
use crate::bench::machines::Machine;
use crate::bench::rows::{Cell, Row};
use crate::terminal::escape;

/// Returns the figures as CSV, one per line, below the names of the fields.
pub(super) fn csv(comparison: &Comparison) -> String {
    let mut text = String::new();
    for row in &comparison.rows {
        for (machine, cell) in comparison.machines.iter().zip(&row.cells) {
            let fields = fields_of(row, machine, cell.as_ref());
            if text.is_empty() {
                text += &line(fields.iter().map(|(head, _)| *head));
            }
            text += &line(fields.iter().map(|(_, field)| &field[..]));
        }
    }
    text
}

fn line<'a>(fields: impl Iterator<Item = &'a str>) -> String {
    fields.map(quoted).collect::<Vec<_>>().join(",") + "\n"
}

/// Returns the fields of a line, with their names.
fn fields_of(row: &Row, machine: &Machine, cell: Option<&Cell>) -> Vec<Fact> {
    let figure = cell.map(|cell| cell.figure);
    let of_row = [
        ("workload", row.subject.to_string()),
        ("threads", row.threads.to_string()),
        ("figure", text_of(figure.map(|figure| figure.value))),
        ("unit", if row.subject.is_score() { "points" } else { "seconds" }.to_owned()),
        ("low", text_of(figure.map(|figure| figure.low))),
        ("high", text_of(figure.map(|figure| figure.high))),
        ("samples", text_of(figure.map(|figure| figure.samples))),
        ("speed", text_of(cell.and_then(|cell| cell.speed))),
        ("rank", text_of(cell.and_then(|cell| cell.rank))),
    ];
    let of_runs = [
        ("commit", machine.record().commit.clone()),
        ("GHz at the start", text_of(machine.gigahertz().map(|[start, _]| start))),
        ("GHz at the end", text_of(machine.gigahertz().map(|[_, end]| end))),
        ("runs", machine.runs.len().to_string()),
        ("file", machine.files()),
        ("warnings", machine.warnings_in_words()),
    ];
    [&of_row[..], &facts_of(machine), &of_runs].concat()
}

/// Returns a field of a line (RFC 4180). Because spreadsheets run a field that begins like a formula, an apostrophe
/// turns it into text.
fn quoted(field: &str) -> String {
    let formula = if field.starts_with(['=', '+', '-', '@']) { "'" } else { "" };
    let field = format!("{formula}{}", escape::escaped(field));
    if field.contains([',', '"']) { format!("\"{}\"", field.replace('"', "\"\"")) } else { field }
}
