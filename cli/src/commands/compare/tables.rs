//! The tables of a comparison, for a terminal of 80 columns.

use crate::bench::compare::{ABOUT, Cell, Compared, Comparison, Row};
use crate::terminal::table::Table;
use crate::terminal::units;
use crate::terminal::wrap::{short, wrapped};

/// The width of a table's first column in a terminal, in characters.
const NAME: usize = 22;

/// Workloads beside one another in a terminal. Each takes at most ten characters.
const BESIDE: usize = 5;

/// What the marks mean.
const MARKS: &str = "±: half the width of the middle 80 % of the samples, in percent. ~: do not trust it, because ± is \
                     above 5, there are fewer than ten samples, or a warning spoils the score.";

/// The figures of the first machine, for a terminal of 80 columns.
pub(crate) fn of_one(comparison: &Comparison) -> String {
    let mut rows = vec![["workload", "threads", "figure", "±"].map(str::to_owned).to_vec()];
    for row in &comparison.rows {
        let Some(cell) = &row.cells[0] else { continue };
        let figure = match cell.figure.value {
            points if row.is_score() => format!("{} points", units::speed(points, 1e9)),
            time => units::seconds(time),
        };
        let doubt = comparison.machines[0].mark(cell);
        rows.push(vec![row.name.clone(), row.head(), format!("{doubt}{figure}"), spread(cell)]);
    }
    let about = format!("{ABOUT}. Times are for one board; all threads together count one in it. {MARKS}");
    let clock = comparison.machines[0].gigahertz().map_or_else(String::new, |[start, end]| {
        format!("The core ran at {start} GHz at the start and at {end} GHz at the end.\n")
    });
    format!("{}\n{}\n{clock}{}", Table::text(&rows), wrapped(&about, 0, 0), warnings(comparison))
}

/// The comparison for a terminal of 80 columns.
pub(crate) fn text(comparison: &Comparison) -> String {
    let names: Vec<String> = comparison.machines.iter().map(|machine| short(&machine.name, NAME)).collect();
    let blocks = comparison.blocks().flat_map(|rows| rows.chunks(BESIDE));
    let tables: String = blocks.map(|rows| format!("{}\n", side_by_side(comparison, rows, &names))).collect();
    let about = format!(
        "{ABOUT}. t, all: threads. Workloads: times as fast as {}. #: the rank, one plus the number of machines that are \
         clearly faster. {MARKS} *: rank 1. -: not measured. Exact times: --format csv.",
        comparison.reference()
    );
    format!("{tables}{}\n{}", wrapped(&about, 0, 0), warnings(comparison))
}

/// The warnings of each machine.
fn warnings(comparison: &Comparison) -> String {
    let warned = comparison.machines.iter().filter(|machine| !machine.warnings.is_empty());
    let line = |machine: &Compared| wrapped(&format!("- {}: {}", machine.name, machine.warnings()), 0, 4) + "\n";
    let lines: String = warned.map(line).collect();
    if lines.is_empty() { lines } else { format!("\nWarnings:\n\n{lines}") }
}

/// A row for each machine, the fastest first. A column for each of some rows of the comparison.
fn side_by_side(comparison: &Comparison, rows: &[Row], names: &[String]) -> String {
    let is_score = rows[0].is_score();
    let line = |first: &str, facts: [&str; 2], cells: &mut dyn Iterator<Item = String>| -> Vec<String> {
        let facts = facts.iter().filter(|_| is_score).map(|&fact| fact.to_owned());
        std::iter::once(first.to_owned()).chain(facts).chain(cells).collect()
    };
    let head = line(&short(&rows[0].name, NAME), ["cores", "CPUs"], &mut rows.iter().map(Row::head));
    let mut lines = vec![head];
    for (at, machine) in comparison.machines.iter().enumerate() {
        let cell = |row: &Row| {
            let Some(cell) = &row.cells[at] else { return "-".to_owned() };
            let doubt = machine.mark(cell);
            match cell.speed {
                _ if is_score => {
                    let rank = cell.rank.map_or_else(|| "-".to_owned(), |rank| rank.to_string());
                    format!("{doubt}{} {} #{rank:<2}", units::speed(cell.figure.value, 1e9), spread(cell))
                }
                Some(speed) => {
                    format!("{doubt}{}{}", units::speed(speed, 1e5), if cell.rank == Some(1) { "*" } else { "" })
                }
                None => "-".to_owned(),
            }
        };
        let facts = machine.facts();
        let cores = facts.cores.map_or_else(|| "?".to_owned(), |cores| cores.to_string());
        lines.push(line(&names[at], [&cores, &facts.usable_cpus.to_string()], &mut rows.iter().map(cell)));
    }
    if !is_score {
        let references = |row: &Row| row.reference.map_or_else(String::new, units::seconds);
        lines.push(line("1.00 is", [""; 2], &mut rows.iter().map(references)));
    }
    Table::text(&lines)
}

/// Half the range of a figure.
fn spread(cell: &Cell) -> String {
    let percent = 100.0 * cell.figure.spread();
    if percent < 1000.0 { format!("±{percent:.1}%") } else { "±>999%".to_owned() }
}
