//! Workloads by machines: how fast each machine is on each, as shades with numbers.

use maud::{Markup, html};

use super::{Report, Section};
use crate::bench::rank::RankRow;
use crate::bench::workload::Threads;
use crate::draw::svg::{Drawing, Style, Swatch, WIDTH, at, elided, legend, name, text};
use crate::draw::theme::SHADES;
use crate::terminal::units;

/// The speeds at which shades begin, slowest first. Slower speeds have shade 0.
const AGAINST_FASTEST: [f64; SHADES - 1] = [0.15, 0.25, 0.4, 0.6, 0.8, 0.95];
const AGAINST_ONE: [f64; SHADES - 1] = [0.5, 0.8, 0.97, 1.03, 1.25, 2.0];

/// The left end of the columns, the width of one, and the height of a machine's row.
const LEFT: f64 = 190.0;
const COLUMN: f64 = 46.0;
const ROW: f64 = 22.0;

const SMALL: Style = Style { size: 11.5, anchor: "middle", class: "" };

pub(crate) fn section(report: &Report<'_>) -> Section {
    Section {
        name: "workloads",
        title: "Workload by workload",
        about: format!(
            "How many times as fast as {} a machine is: blue is faster, orange is slower. Each column is a size of a solver; \
             below the size is the number of threads. ~ marks times that should not be trusted: the interval is wider than \
             ± 2.5 %, or something disturbed the machine.",
            report.comparison.reference()
        ),
        missing: None,
        drawings: draw(report),
        table: None,
    }
}

fn steps(report: &Report<'_>) -> &'static [f64; SHADES - 1] {
    if report.comparison.reference() == "the fastest" { &AGAINST_FASTEST } else { &AGAINST_ONE }
}

fn draw(report: &Report<'_>) -> Vec<Drawing> {
    let rows = report.comparison.by_solver().concat();
    let steps = steps(report);
    let scale = (0..SHADES).map(|shade| {
        let words = match shade {
            0 => format!("below {}", steps[0]),
            _ if shade + 1 == SHADES => format!("from {}", steps[shade - 1]),
            _ => format!("to {}", steps[shade]),
        };
        (Swatch::Shade(shade), words)
    });
    let (legend, height) = legend(&scale.collect::<Vec<_>>(), 0.0, WIDTH);
    let mut head = Some((legend, height + 12.0));
    let blocks = rows.chunks(((WIDTH - LEFT) / COLUMN) as usize);
    blocks.map(|block| draw_block(report, block, head.take())).collect()
}

/// Some columns, below the legend if it is given, with its height.
fn draw_block(report: &Report<'_>, block: &[&RankRow], head: Option<(Markup, f64)>) -> Drawing {
    let (head, top) = head.map_or((None, 4.0), |(head, top)| (Some(head), top));
    let body_top = top + 50.0;
    let left = |index: usize| LEFT + COLUMN * index as f64;
    let mut next = 0;
    let solvers = block.chunk_by(|a, b| a.workload.solver_label() == b.workload.solver_label());
    let solvers = solvers.map(|rows| {
        next += rows.len();
        (left(next - rows.len()), rows[0].workload.solver_label(), COLUMN * rows.len() as f64)
    });
    let body = html! {
        @if let Some(head) = head { (head) }
        @for (x, solver, width) in solvers {
            (text(x + 2.0, top + 12.0, &elided(&solver, 11.5, width - 4.0), Style { size: 11.5, ..Style::STRONG }))
            path.axis d=(format!("M{} {}V{}", at(x), at(top), at(body_top))) {}
        }
        @for (index, row) in block.iter().enumerate() {
            @let middle = left(index) + COLUMN / 2.0;
            (text(middle, top + 29.0, &row.workload.size.to_string(), SMALL))
            (text(middle, top + 44.0, &threads(row), Style { class: "muted", ..SMALL }))
        }
        g {
            @for (place, machine) in report.machines.iter().enumerate() {
                g transform=(format!("translate(0 {})", at(body_top + ROW * place as f64))) {
                    (name(&machine.name, (0.0, 15.0), LEFT - 8.0))
                    @for (index, row) in block.iter().enumerate() { (cell(report, row, machine.at, left(index))) }
                }
            }
        }
    };
    Drawing { width: WIDTH, height: body_top + ROW * report.machines.len() as f64, body }
}

fn threads(row: &RankRow) -> String {
    match row.workload.threads {
        Threads::All => "all".to_owned(),
        Threads::Exactly(threads) => format!("{threads}t"),
    }
}

fn cell(report: &Report<'_>, row: &RankRow, machine: usize, x: f64) -> Markup {
    let Some(cell) = &row.cells[machine] else {
        return text(x + COLUMN / 2.0, 15.0, "–", Style { class: "muted", ..SMALL });
    };
    let speed = cell.speed.value;
    let shade = steps(report).iter().filter(|step| speed >= **step).count();
    let mark = if cell.is_doubtful { "~" } else { "" };
    // Six characters are wider than the cell.
    let shown = match format!("{mark}{}", units::speed(speed, 1e4)) {
        long if long.len() > 5 => long.replacen("~0.", "~.", 1),
        short => short,
    };
    let [value, low, high] = [speed, cell.speed.low, cell.speed.high].map(|speed| units::speed(speed, 1e5));
    let told = format!(
        "{}: {}: {}, {value} times as fast ({low} to {high}){}",
        report.comparison.machines[machine],
        row.workload,
        units::seconds(cell.seconds),
        if cell.is_doubtful { ", not to be trusted" } else { "" }
    );
    html! {
        g {
            title { (told) }
            rect class={ "cell h" (shade) } x=(at(x + 1.0)) y="1" width=(at(COLUMN - 2.0)) height=(at(ROW - 2.0)) {}
            (text(x + COLUMN / 2.0, 15.0, &shown, SMALL))
        }
    }
}
