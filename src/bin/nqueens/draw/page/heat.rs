//! Workloads by machines: how fast each machine is on each, as shades with numbers.

use maud::{Markup, html};

use super::ranking::shown;
use super::{Report, Section};
use crate::bench::rank::RankRow;
use crate::bench::workload::Threads;
use crate::draw::svg::{Drawing, Style, Swatch, WIDTH, at, elided, legend, name, text};
use crate::draw::theme::SHADES;
use crate::terminal::units;

/// Speeds from which a shade begins, slowest first; slower ones have shade 0.
const AGAINST_FASTEST: [f64; SHADES - 1] = [0.15, 0.25, 0.4, 0.6, 0.8, 0.95];
const AGAINST_ONE: [f64; SHADES - 1] = [0.5, 0.8, 0.97, 1.03, 1.25, 2.0];

pub(crate) fn section(report: &Report<'_>) -> Section {
    Section {
        name: "workloads",
        title: "Workload by workload",
        about: format!(
            "How many times as fast as {} {} on each workload: blue is faster, orange is slower. Columns are \
             the sizes of a solver; below a size stands the number of threads. ~ marks a measurement that should not be \
             trusted: its interval is wider than ± 2.5 %, or something disturbed its machine.",
            report.comparison.reference(),
            if report.machines.len() == 1 { "this machine is" } else { "each machine is" }
        ),
        missing: None,
        drawings: draw(report),
        table: None,
    }
}

fn steps(report: &Report<'_>) -> &'static [f64; SHADES - 1] {
    if report.comparison.reference() != "the fastest" { &AGAINST_ONE } else { &AGAINST_FASTEST }
}

fn threads(row: &RankRow) -> String {
    match row.workload.threads {
        Threads::All => "all".to_owned(),
        Threads::Exactly(threads) => format!("{threads}t"),
    }
}

/// Where the columns begin, and how wide one is.
const LEFT: f64 = 190.0;
const COLUMN: f64 = 46.0;

fn draw(report: &Report<'_>) -> Vec<Drawing> {
    let mut rows: Vec<&RankRow> = report.comparison.rows.iter().collect();
    // Solvers stay together, one thread before more.
    let solvers = report.solvers();
    let place = |row: &RankRow| solvers.iter().position(|solver| *solver == row.workload.solver);
    rows.sort_by_key(|row| (place(row), row.workload.threads, row.workload.size));
    let steps = steps(report);
    let scale = (0..SHADES).map(|shade| {
        let words = match shade {
            0 => format!("below {}", shown(steps[0])),
            _ if shade + 1 == SHADES => format!("from {}", shown(steps[shade - 1])),
            _ => format!("to {}", shown(steps[shade])),
        };
        (Swatch::Shade(shade), words)
    });
    let (legend, head) = legend(&scale.collect::<Vec<_>>(), 0.0, WIDTH);
    let mut top = head + 12.0;
    let mut legend = Some(legend);
    rows.chunks(((WIDTH - LEFT) / COLUMN) as usize)
        .map(|block| {
            let (part, height) = draw_block(report, block, top);
            top = 4.0;
            let legend = legend.take();
            Drawing { width: WIDTH, height, body: html! { @if let Some(legend) = legend { (legend) } (part) } }
        })
        .collect()
}

/// Some columns below `top`, and where they end.
fn draw_block(report: &Report<'_>, block: &[&RankRow], top: f64) -> (Markup, f64) {
    const HEAD: f64 = 50.0;
    const ROW: f64 = 22.0;
    let small = Style { size: 11.5, ..Style::default() };
    let body_top = top + HEAD;
    let is_new = |index: usize| index == 0 || block[index - 1].workload.solver != block[index].workload.solver;
    let body = html! {
        @for (index, row) in block.iter().enumerate() {
            @let x = LEFT + COLUMN * (index as f64 + 0.5);
            @if is_new(index) {
                (text(x - COLUMN / 2.0 + 2.0, top + 12.0, &solver_label(block, index), Style { size: 11.5, ..Style::STRONG }))
                path.axis d=(format!("M{} {}V{}", at(x - COLUMN / 2.0), at(top), at(body_top))) {}
            }
            (text(x, top + 29.0, &row.workload.size.to_string(), small.anchored("middle")))
            (text(x, top + 44.0, &threads(row), Style { size: 11.5, ..Style::MUTED }.anchored("middle")))
        }
        g {
            @for (place, machine) in report.machines.iter().enumerate() {
                g transform=(format!("translate(0 {})", at(body_top + ROW * place as f64))) {
                    (name(&machine.name, (0.0, 15.0), LEFT - 8.0))
                    @for (index, row) in block.iter().enumerate() {
                        (cell(report, row, machine.at, LEFT + COLUMN * index as f64, ROW))
                    }
                }
            }
        }
    };
    (body, body_top + ROW * report.machines.len() as f64)
}

/// The solver's name above the columns it has, cut to them.
fn solver_label(block: &[&RankRow], index: usize) -> String {
    let solver = &block[index].workload.solver;
    let columns = block[index..].iter().take_while(|row| row.workload.solver == *solver).count();
    elided(solver, 11.5, COLUMN * columns as f64 - 4.0)
}

fn cell(report: &Report<'_>, row: &RankRow, machine: usize, x: f64, height: f64) -> Markup {
    let words = Style { size: 11.5, anchor: "middle", class: "" };
    let Some(cell) = &row.cells[machine] else {
        return text(x + COLUMN / 2.0, 15.0, "–", Style { class: "muted", ..words });
    };
    let speed = cell.speed.value;
    let shade = steps(report).iter().filter(|step| speed >= **step).count();
    let mark = if cell.is_doubtful { "~" } else { "" };
    // Six characters are wider than the cell.
    let shown_speed = match format!("{mark}{}", units::speed(speed, 1e4)) {
        long if long.len() > 5 => long.replacen("~0.", "~.", 1),
        short => short,
    };
    let told = format!(
        "{}: {}: {}, {} times as fast ({} to {}){}",
        report.comparison.machines[machine],
        row.workload,
        units::seconds(cell.seconds),
        shown(speed),
        shown(cell.speed.low),
        shown(cell.speed.high),
        if cell.is_doubtful { ", not to be trusted" } else { "" }
    );
    html! {
        g {
            title { (told) }
            rect class={ "cell h" (shade) } x=(at(x + 1.0)) y="1" width=(at(COLUMN - 2.0)) height=(at(height - 2.0)) {}
            (text(x + COLUMN / 2.0, 15.0, &shown_speed, words))
        }
    }
}
