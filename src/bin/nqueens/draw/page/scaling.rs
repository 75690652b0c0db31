//! The gain of more threads: a table for each solver, with a row for each machine.

use std::collections::BTreeSet;

use maud::{Markup, html};
use nqueens::board::Size;

use super::{PageMachine, Report, table};
use crate::bench::rank::{RankCell, RankRow, speed};
use crate::terminal::units;

/// One size of a solver on one machine.
struct Series<'a> {
    machine: &'a PageMachine<'a>,
    n: usize,
    /// By the number of threads, one thread first.
    cells: Vec<&'a RankCell>,
}

pub(crate) fn section(report: &Report<'_>) -> Markup {
    let solvers: Vec<Markup> = report.comparison.by_solver().iter().filter_map(|rows| solver(report, rows)).collect();
    if solvers.is_empty() {
        return html! { p {
            "No record has a workload on one thread and on more. 'nqueens bench machine --suite standard' measures that."
        } };
    }
    html! {
        p.about {
            "The speedup is the speed of several threads divided by the speed of one. The efficiency is the speedup divided \
             by the number of threads. Each machine has a row for the size that it measured on the most numbers of \
             threads."
        }
        @for solver in solvers { (solver) }
    }
}

/// The table of one solver. `None`: no machine ran it on one thread and on more.
fn solver(report: &Report<'_>, rows: &[&RankRow]) -> Option<Markup> {
    let sizes: BTreeSet<Size> = rows.iter().map(|row| row.workload.size).collect();
    let of_machine = |machine| {
        let found = sizes.iter().filter_map(|&size| series(machine, rows, size));
        found.max_by_key(|series| (series.cells.len(), series.n))
    };
    let all: Vec<Series<'_>> = report.machines.iter().filter_map(of_machine).collect();
    let threads: BTreeSet<usize> = all.iter().flat_map(|series| &series.cells).map(|cell| cell.threads).collect();
    let head = html! {
        th scope="col" { "machine" }
        @for threads in &threads { th.number scope="col" { (threads) } }
    };
    let body = html! {
        @for series in &all {
            tr {
                th scope="row" { (series.machine.name) small { "n = " (series.n) } }
                @for &threads in &threads { (cell(series, threads)) }
            }
        }
    };
    let caption = format!("{}, by the number of threads", rows[0].workload.solver_label());
    (!all.is_empty()).then(|| table(&caption, &head, &body))
}

fn series<'a>(machine: &'a PageMachine<'a>, rows: &[&'a RankRow], size: Size) -> Option<Series<'a>> {
    let of_size = rows.iter().filter(|row| row.workload.size == size);
    let mut cells: Vec<&RankCell> = of_size.filter_map(|row| row.cells[machine.at].as_ref()).collect();
    // Two workloads can have the same number of threads, as t=2 and t=all on two cores. The table shows one of them.
    cells.sort_by_key(|cell| cell.threads);
    cells.dedup_by_key(|cell| cell.threads);
    (cells.len() > 1 && cells[0].threads == 1).then_some(Series { machine, n: size.get(), cells })
}

fn cell(series: &Series<'_>, threads: usize) -> Markup {
    let Some(cell) = series.cells.iter().find(|cell| cell.threads == threads) else {
        return html! { td.number { "–" } };
    };
    let speedup = speed(cell.time, series.cells[0].time);
    let told = format!("{}, {:.2} to {:.2} times as fast", units::seconds(cell.time.value), speedup.low, speedup.high);
    html! {
        td.number title=(told) {
            (format!("{:.2}", speedup.value)) small { (units::percent(speedup.value / threads as f64)) }
        }
    }
}
