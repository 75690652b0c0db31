//! The tables of a comparison, for a terminal of 80 columns and for Markdown.

use crate::bench::compare::{Cell, Comparison, Row};
use crate::bench::ranking::Place;
use crate::bench::score;
use crate::bench::workload::Threads;
use crate::terminal::escape::markdown as escaped;
use crate::terminal::table::Table;
use crate::terminal::units;
use crate::terminal::wrap::{short, wrapped};

/// The width of a table's first column in a terminal, in characters.
const NAME: usize = 22;

/// Workloads beside one another in a terminal. Each takes at most ten characters.
const BESIDE: usize = 5;

/// The comparison for a terminal of 80 columns.
pub(crate) fn text(comparison: &Comparison) -> String {
    let names: Vec<String> = comparison.machines.iter().map(|machine| short(&machine.name, NAME)).collect();
    let mut text = format!("{}\n\n", ranking(comparison, &names));
    for rows in comparison.by_solver() {
        for block in rows.chunks(BESIDE) {
            text += &format!("{}\n\n", side_by_side(comparison, block, &names));
        }
    }
    text += &format!("{}\n", wrapped(&explained(comparison), 0, 0));
    for (at, line) in remarks(comparison).enumerate() {
        text += if at == 0 { "\nRemarks:\n\n" } else { "" };
        text += &format!("{}\n", wrapped(&format!("- {line}"), 0, 4));
    }
    text
}

/// The comparison for a page or a comment in Markdown.
pub(crate) fn markdown(comparison: &Comparison) -> String {
    let names: Vec<String> = comparison.machines.iter().map(|machine| machine.name.clone()).collect();
    let mut text = format!("{}\n", ranking(comparison, &names).markdown());
    for rows in comparison.by_solver() {
        text += &format!("{}\n", side_by_side(comparison, rows, &names).markdown());
    }
    text += &format!("{}\n", escaped(&explained(comparison)));
    for (at, line) in remarks(comparison).enumerate() {
        text += &format!("{}- {}\n", if at == 0 { "\n" } else { "" }, escaped(&line));
    }
    text
}

/// What to know of each machine.
fn remarks(comparison: &Comparison) -> impl Iterator<Item = String> {
    let machines = comparison.machines.iter();
    machines.filter_map(|machine| Some(format!("{}: {}", machine.name, machine.remarks()?)))
}

/// What the figures of all tables mean.
fn explained(comparison: &Comparison) -> String {
    format!(
        "{}. Workloads, by threads: times as fast as {}. #: the rank. Machines whose intervals overlap share it. ±: half \
         the 95 % interval, in percent. ~: do not trust. *: the fastest, or too close to tell. -: a remark says why. \
         Exact times: --format csv.",
        score::ABOUT,
        comparison.reference()
    )
}

/// The machines, the fastest first, with their scores.
fn ranking(comparison: &Comparison, names: &[String]) -> Table {
    let heads = score::THREADS.into_iter().flat_map(|threads| ["#", score::title(threads)]);
    let mut table = Table::new(["machine", "cores", "CPUs"].into_iter().chain(heads));
    for (machine, name) in comparison.machines.iter().zip(names) {
        let facts = &machine.record().machine;
        let cores = facts.cores.map_or_else(|| "?".to_owned(), |cores| cores.to_string());
        let fixed = [name.clone(), cores, facts.usable_cpus.to_string()];
        let scores = match &machine.places {
            Some(places) => places.map(|place| [place.rank.to_string(), ranked(&place, machine.is_doubtful())]),
            None => [(); 2].map(|()| ["-".to_owned(), "-".to_owned()]),
        };
        table.add_row(fixed.into_iter().chain(scores.into_iter().flatten()));
    }
    table
}

/// A machine's points, with the interval.
fn ranked(place: &Place, is_doubtful: bool) -> String {
    let mark = if is_doubtful { "~" } else { "" };
    let half = 50.0 * place.score.relative_width();
    let spread = match half {
        _ if half < 9.95 => format!(" ±{half:.1}%"),
        _ if half < 1000.0 => format!(" ±{half:.0}%"),
        _ => " ±>999%".to_owned(),
    };
    format!("{mark}{}{spread}", score::points(place.score.value))
}

/// A row for each machine, a column for each of some workloads of one solver.
fn side_by_side(comparison: &Comparison, block: &[Row], names: &[String]) -> Table {
    let threads = block.iter().map(|row| match row.workload.threads {
        Threads::Exactly(threads) => format!("t={threads}"),
        Threads::All => "all".to_owned(),
    });
    let id = &block[0].workload;
    let title = short(&format!("{}, n = {}", id.solver_label(), id.size), NAME);
    let mut table = Table::new(std::iter::once(title).chain(threads));
    for (machine, name) in names.iter().enumerate() {
        let cells = block.iter().map(|row| row.cells[machine].as_ref().map_or_else(|| "-".to_owned(), shown));
        table.add_row(std::iter::once(name.clone()).chain(cells));
    }
    let reference = block.iter().map(|row| {
        let fastest = row.cells.iter().flatten().map(|cell| cell.time.value).fold(f64::INFINITY, f64::min);
        let base = comparison.against.and_then(|machine| row.cells[machine].as_ref());
        units::seconds(base.map_or(fastest, |cell| cell.time.value))
    });
    table.add_row(std::iter::once("1.00 is".to_owned()).chain(reference));
    table
}

fn shown(cell: &Cell) -> String {
    let mark = if cell.is_doubtful { "~" } else { "" };
    format!("{mark}{}{}", units::speed(cell.speed.value, 1e5), if cell.is_best { "*" } else { "" })
}
