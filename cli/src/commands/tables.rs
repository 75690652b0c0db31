//! The tables of a comparison for a terminal, 80 columns wide.

use crate::bench::comparison::Comparison;
use crate::bench::figure::{FEWEST_RANKED, WIDE};
use crate::bench::machines::{Machine, NAME_WIDTH};
use crate::bench::rows::{Cell, Row, Subject};
use crate::bench::score::Score;
use crate::bench::workload::WorkloadId;
use crate::terminal::table::Table;
use crate::terminal::units;
use crate::terminal::wrap::{without_middle, wrapped};

/// The maximum number of workloads side by side. Each takes at most ten characters.
const WORKLOADS_SIDE_BY_SIDE: usize = 5;

/// Returns sentences about what names contain, as far as the comparison shows it.
pub(crate) fn about_names(comparison: &Comparison) -> Vec<String> {
    let is_shown = |is_such: fn(&WorkloadId) -> bool| {
        comparison.rows.iter().any(|row| matches!(&row.subject, Subject::Workload(id) if is_such(id)))
    };
    let mut sentences = Vec::new();
    if is_shown(|id| id.unit.is_some()) {
        sentences.push("unit: one unit of a count, which is a small piece.".to_owned());
    }
    if is_shown(|id| !id.has_version_of_suite()) {
        sentences.push("@2: version 2 of a workload, which this program does not measure.".to_owned());
    }
    let numbered: Vec<String> = comparison.machines.iter().filter_map(|machine| machine.name.numbered()).collect();
    if !numbered.is_empty() {
        sentences.push(format!("{}.", numbered.join("; ")));
    }
    sentences
}

/// Returns sentences about the marks of figures, as far as the comparison shows them.
fn about_marks(comparison: &Comparison) -> Vec<String> {
    let mut sentences = vec!["±: half the width of the middle 80 % of the samples, in percent.".to_owned()];
    if comparison.rows.iter().flat_map(|row| &row.cells).flatten().any(|cell| !cell.mark().is_empty()) {
        sentences.push(format!(
            "~: do not trust the figure, because ± is above {:.0}, there are fewer than {FEWEST_RANKED} samples, or a \
             warning spoils the scores.",
            100.0 * WIDE
        ));
    }
    sentences
}

/// Returns the table of the first machine.
pub(crate) fn of_one(comparison: &Comparison) -> String {
    let mut rows = vec![["workload", "threads", "figure", "±"].map(str::to_owned).to_vec()];
    for row in &comparison.rows {
        let Some(cell) = &row.cells[0] else {
            // The warnings say why.
            rows.push(vec![row.subject.to_string(), row.head(), "-".to_owned(), String::new()]);
            continue;
        };
        let value = cell.figure.value;
        let figure = match row.subject {
            Subject::Score(_) => format!("{} points", units::three_digits(value, 1e9)),
            Subject::Workload(_) => units::seconds(value),
        };
        let doubt = cell.mark();
        rows.push(vec![row.subject.to_string(), row.head(), format!("{doubt}{figure}"), spread(cell)]);
    }
    let mut marks = vec!["Times are per count: all threads together finish one count in this time.".to_owned()];
    marks.extend(about_names(comparison));
    marks.extend(about_marks(comparison));
    let clock = comparison.machines[0].gigahertz().map_or_else(String::new, |[start, end]| {
        format!("The core ran at {start} GHz at the start and at {end} GHz at the end.\n")
    });
    format!("{}\n{}{clock}{}", Table::text(&rows), notes(comparison, &marks), warnings(comparison))
}

/// Returns the tables of all machines.
pub(crate) fn of_all(comparison: &Comparison) -> String {
    let names: Vec<String> = comparison.machines.iter().map(|machine| machine.name.short(NAME_WIDTH)).collect();
    let mut tables = String::new();
    for rows in comparison.blocks().flat_map(|rows| rows.chunks(WORKLOADS_SIDE_BY_SIDE)) {
        tables += &match rows[0].subject {
            Subject::Score(_) => table_of_points(comparison, rows, &names),
            Subject::Workload(_) => table_of_speeds(comparison, rows, &names),
        };
        tables += "\n";
    }
    let workloads = || comparison.rows.iter().filter(|row| !row.subject.is_score());
    let has_first = workloads().any(|row| row.ranked() > 1);
    let has_gap =
        workloads().flat_map(|row| &row.cells).any(|cell| cell.as_ref().is_none_or(|cell| cell.speed.is_none()));
    let mut marks = vec![
        "t=2: on two threads. all: on all hardware threads that the program may use; threads: how many these are."
            .to_owned(),
        format!("Workloads: speed relative to {}.", comparison.reference()),
    ];
    marks.extend(about_names(comparison));
    marks.push("#: the rank, one plus the number of machines that are clearly faster.".to_owned());
    marks.extend(about_marks(comparison));
    if has_first {
        marks.push("*: rank 1 of several.".to_owned());
    }
    if has_gap {
        marks.push("-: not measured.".to_owned());
    }
    marks.push("For exact times, add --format csv.".to_owned());
    format!("{tables}{}{}", notes(comparison, &marks), warnings(comparison))
}

/// Returns paragraphs about the scores that the comparison shows, the scores that it lacks, and the marks.
fn notes(comparison: &Comparison, marks: &[String]) -> String {
    let is_shown = |score: &Score| comparison.rows.iter().any(|row| row.subject == Subject::Score(*score));
    let scores = Score::ALL.into_iter().filter(is_shown).map(|score| score.about().to_owned());
    let all = scores.chain(comparison.refusal.clone()).chain([marks.join(" ")]);
    all.map(|paragraph| wrapped(&paragraph, 0, 0) + "\n").collect::<Vec<_>>().join("\n")
}

/// Returns the warnings of each machine.
fn warnings(comparison: &Comparison) -> String {
    let warned = comparison.machines.iter().filter(|machine| !machine.warnings.is_empty());
    let line =
        |machine: &Machine| wrapped(&format!("- {}: {}", machine.name, machine.warnings_in_words()), 0, 4) + "\n";
    let lines: String = warned.map(line).collect();
    if lines.is_empty() { lines } else { format!("\nWarnings:\n\n{lines}") }
}

/// Returns the table of a score: a line for each machine with its points on one thread and on all.
fn table_of_points(comparison: &Comparison, rows: &[Row], names: &[String]) -> String {
    let mut lines = vec![vec![heading(rows), "cores".to_owned(), "threads".to_owned()]];
    lines[0].extend(rows.iter().map(Row::head));
    for (at, machine) in comparison.machines.iter().enumerate() {
        let facts = machine.facts();
        let cores = facts.cores.map_or_else(|| "?".to_owned(), |cores| cores.to_string());
        let mut line = vec![names[at].clone(), cores, facts.usable_cpus.to_string()];
        line.extend(rows.iter().map(|row| points(row.cells[at].as_ref())));
        lines.push(line);
    }
    Table::text(&lines)
}

/// Returns the points of a machine with their range and rank.
fn points(cell: Option<&Cell>) -> String {
    let Some(cell) = cell else { return "-".to_owned() };
    let points = units::three_digits(cell.figure.value, 1e9);
    let rank = cell.rank.map_or_else(|| "-".to_owned(), |rank| rank.to_string());
    format!("{}{points} {} #{rank:<2}", cell.mark(), spread(cell))
}

/// Returns the table of a workload: a line for each machine with its speed on each number of threads, and a last line
/// with the times to which the speeds are relative.
fn table_of_speeds(comparison: &Comparison, rows: &[Row], names: &[String]) -> String {
    // A speed is no better than the figure that it is relative to.
    let doubt_of_reference =
        |row: &Row| comparison.against.and_then(|at| row.cells[at].as_ref()).map_or("", Cell::mark);
    let mut lines = vec![vec![heading(rows)]];
    lines[0].extend(rows.iter().map(Row::head));
    for (at, name) in names.iter().enumerate() {
        let mut line = vec![name.clone()];
        line.extend(rows.iter().map(|row| speed(row, at, doubt_of_reference(row))));
        lines.push(line);
    }
    let mut last = vec!["1.00 is".to_owned()];
    last.extend(rows.iter().map(|row| match row.reference {
        Some(time) => format!("{}{}", doubt_of_reference(row), units::seconds(time)),
        None => String::new(),
    }));
    lines.push(last);
    Table::text(&lines)
}

/// Returns the speed of the machine `at` this index, with a mark if it is the first of several.
fn speed(row: &Row, at: usize, doubt_of_reference: &str) -> String {
    let Some(cell) = &row.cells[at] else { return "-".to_owned() };
    let Some(speed) = cell.speed else { return "-".to_owned() };
    let doubt = if cell.mark().is_empty() { doubt_of_reference } else { cell.mark() };
    let first = if cell.rank == Some(1) && row.ranked() > 1 { "*" } else { "" };
    format!("{doubt}{}{first}", units::three_digits(speed, 1e5))
}

/// Returns the head of the first column: what the rows show.
fn heading(rows: &[Row]) -> String {
    without_middle(&rows[0].subject.to_string(), NAME_WIDTH)
}

/// Returns half the width of a figure's range, in percent of the figure.
fn spread(cell: &Cell) -> String {
    let percent = 100.0 * cell.figure.spread();
    if percent < 1000.0 { format!("±{percent:.1}%") } else { "±>999%".to_owned() }
}
