//! The tables of a comparison for a terminal of 80 columns.

use crate::bench::compare::Comparison;
use crate::bench::rank::{Place, RankCell, RankRow, Ranking};
use crate::bench::record::Record;
use crate::bench::workload::Threads;
use crate::bench::{doubt, score};
use crate::terminal::table::Table;
use crate::terminal::units;
use crate::terminal::wrap::{short, wrapped};

/// The width of a table's first column, in characters.
const NAME: usize = 22;

/// Workloads beside one another. Each takes at most ten characters.
const BESIDE: usize = 5;

pub(crate) fn tables(comparison: &Comparison, records: &[(String, Record)]) -> String {
    let mut text = String::new();
    if !comparison.rankings.is_empty() {
        text += &format!("{}\n\n", ranking(comparison, records));
    }
    for rows in comparison.by_solver() {
        for block in rows.chunks(BESIDE) {
            text += &format!("{}\n\n", side_by_side(comparison, block));
        }
    }
    text += &format!("{}\n", wrapped(&explained(comparison), 0, 0));
    let doubts: Vec<String> = comparison
        .order()
        .into_iter()
        .filter_map(|machine| {
            let line = doubt::line(&comparison.doubts[machine])?;
            Some(format!("{}\n", wrapped(&format!("- {}: {line}", name(comparison, machine)), 0, 4)))
        })
        .collect();
    if !doubts.is_empty() {
        text += &format!("\nDoubts about this comparison:\n\n{}", doubts.concat());
    }
    text
}

/// What the figures of all tables mean.
fn explained(comparison: &Comparison) -> String {
    let ranked = match comparison.rankings.first().map(|ranking| ranking.anchor) {
        None => "There is no ranking: too few workloads count for a score, or a machine was busy. ".to_owned(),
        Some(Some(anchor)) => format!(
            "Scores are of the frozen solvers, in points. {anchor} has {}; twice the points means half the time. ",
            score::POINTS
        ),
        Some(None) => format!("x: times as fast as {} with the frozen solvers. ", comparison.reference()),
    };
    let reference = if comparison.against.is_none() { "the fastest machine" } else { comparison.reference() };
    format!(
        "{ranked}Workloads, by n and threads: times as fast as {reference}. #: the rank. Machines whose intervals overlap \
         share it. ±: half the 95 % interval, in percent. ~: do not trust. *: the fastest, or too close to tell. \
         Exact times: --format csv."
    )
}

fn name(comparison: &Comparison, machine: usize) -> String {
    short(&comparison.machines[machine], NAME)
}

/// The machines, the fastest first, with a column for each ranking.
fn ranking(comparison: &Comparison, records: &[(String, Record)]) -> String {
    let rankings = &comparison.rankings;
    let heads = rankings.iter().flat_map(|ranking| ["#", score::title(ranking.threads)]);
    let mut table = Table::new(["machine", "cores", "CPUs"].into_iter().chain(heads));
    for machine in comparison.order() {
        let record = &records[machine].1;
        let cores = record.machine.cores.map_or_else(|| "?".to_owned(), |cores| cores.to_string());
        let fixed = [name(comparison, machine), cores, record.machine.usable_cpus.to_string()];
        let speeds = rankings.iter().flat_map(|ranking| match ranking.place(machine) {
            Some(place) => [place.rank.to_string(), ranked(ranking, place)],
            None if !score::may_have_one(record) => [String::new(), "no score".to_owned()],
            None => [String::new(), "-".to_owned()],
        });
        table.add_row(fixed.into_iter().chain(speeds));
    }
    table.to_string()
}

/// A machine's points or speed in a ranking, with the interval.
fn ranked(ranking: &Ranking, place: &Place) -> String {
    let mark = if place.is_doubtful { "~" } else { "" };
    let half = 50.0 * place.speed.relative_width();
    let spread = match half {
        0.0 => String::new(),
        _ if half < 9.95 => format!(" ±{half:.1}%"),
        _ if half < 1000.0 => format!(" ±{half:.0}%"),
        _ => " ±>999%".to_owned(),
    };
    let unit = if ranking.anchor.is_some() { "" } else { "x" };
    format!("{mark}{}{unit}{spread}", ranking.figure(place.speed.value))
}

/// A row for each machine, a column for each of some workloads of one solver.
fn side_by_side(comparison: &Comparison, block: &[&RankRow]) -> String {
    let sizes = block.iter().map(|row| match row.workload.threads {
        Threads::Exactly(1) => row.workload.size.to_string(),
        Threads::Exactly(threads) => format!("{} t={threads}", row.workload.size),
        Threads::All => format!("{} all", row.workload.size),
    });
    let mut table = Table::new(std::iter::once(short(&block[0].workload.solver_label(), NAME)).chain(sizes));
    for machine in comparison.order() {
        let cells = block.iter().map(|row| row.cells[machine].as_ref().map_or_else(|| "-".to_owned(), shown));
        table.add_row(std::iter::once(name(comparison, machine)).chain(cells));
    }
    let reference = block.iter().map(|row| {
        let fastest = row.cells.iter().flatten().map(|cell| cell.time.value).fold(f64::INFINITY, f64::min);
        let base = comparison.against.and_then(|machine| row.cells[machine].as_ref());
        units::seconds(base.map_or(fastest, |cell| cell.time.value))
    });
    table.add_row(std::iter::once("1.00 is".to_owned()).chain(reference));
    table.to_string()
}

fn shown(cell: &RankCell) -> String {
    let mark = if cell.is_doubtful { "~" } else { "" };
    format!("{mark}{}{}", units::speed(cell.speed.value, 1e5), if cell.is_best { "*" } else { "" })
}
