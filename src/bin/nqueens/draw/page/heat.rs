//! Workloads by machines: how fast each machine is on each, as colored cells with numbers.

use maud::{Markup, html};

use super::{Report, table};
use crate::bench::rank::{RankCell, RankRow};
use crate::bench::workload::Threads;
use crate::terminal::units;

/// The speeds at which shades begin, slowest first. Slower speeds have shade 0.
type Steps = [f64; 6];
const AGAINST_FASTEST: Steps = [0.15, 0.25, 0.4, 0.6, 0.8, 0.95];
const AGAINST_ONE: Steps = [0.5, 0.8, 0.97, 1.03, 1.25, 2.0];

pub(crate) fn section(report: &Report<'_>) -> Markup {
    let steps = if report.comparison.is_against_the_fastest() { AGAINST_FASTEST } else { AGAINST_ONE };
    html! {
        p.about {
            "Speed of each machine divided by the speed of " (report.comparison.reference()) ". Blue is faster, orange is \
             slower. A column is a size; the number of threads is below it. ~ marks times to doubt: the interval is wider \
             than ± 2.5 %, or something disturbed the machine."
        }
        p { @for shade in 0..=steps.len() { span class={ "shade h" (shade) } { (range(&steps, shade)) } " " } }
        @for rows in report.comparison.by_solver() { (solver(report, &rows, &steps)) }
    }
}

/// The speeds of a shade, in words.
fn range(steps: &Steps, shade: usize) -> String {
    match steps.get(shade) {
        Some(end) if shade == 0 => format!("below {end}"),
        Some(end) => format!("to {end}"),
        None => format!("from {}", steps[shade - 1]),
    }
}

/// The workloads of one solver.
fn solver(report: &Report<'_>, rows: &[&RankRow], steps: &Steps) -> Markup {
    let head = html! {
        th scope="col" { "machine" }
        @for row in rows { th.number scope="col" { (row.workload.size) small { (threads(row)) } } }
    };
    let body = html! {
        @for machine in &report.machines {
            tr {
                th scope="row" { (machine.name) }
                @for row in rows { (cell(row, machine.at, steps)) }
            }
        }
    };
    table(&rows[0].workload.solver_label(), &head, &body)
}

fn threads(row: &RankRow) -> String {
    match row.workload.threads {
        Threads::All => "all".to_owned(),
        Threads::Exactly(threads) => format!("{threads}t"),
    }
}

fn cell(row: &RankRow, machine: usize, steps: &Steps) -> Markup {
    let Some(RankCell { time, speed, is_doubtful, .. }) = &row.cells[machine] else {
        return html! { td.number { "–" } };
    };
    let shade = steps.iter().filter(|step| speed.value >= **step).count();
    let [value, low, high] = [speed.value, speed.low, speed.high].map(|speed| units::speed(speed, 1e5));
    let told = format!("{}: {}, {value} times as fast ({low} to {high})", row.workload, units::seconds(time.value));
    html! {
        td class={ "number h" (shade) } title=(told) { @if *is_doubtful { "~" } (value) }
    }
}
