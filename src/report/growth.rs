//! Time against the size of the board, on a log scale.

use maud::{Markup, html};

use super::draw::{Drawing, Plot, Style, Swatch, Width, legend, line, mark, text, widest};
use super::scale::{Scale, Spread, Tick, range, times};
use super::table::Table;
use super::theme::machine_class;
use super::{Machine, Section, solvers, workloads};
use crate::measure::record::Workload;
use crate::measure::statistics::ratio_of_medians;
use crate::measure::units;
use crate::measure::workload::Threads;

/// The times of one solver on one machine.
struct Series {
    machine: usize,
    solver: usize,
    /// Size, seconds and what is said of the point.
    points: Vec<(f64, f64, String)>,
}

pub(super) fn section<'a>(machines: &'a [Machine<'a>]) -> Section<'a> {
    Section {
        name: "time",
        title: "Time against n",
        about: "The median time of a count by the size n of the board, for each machine and solver. The time axis is \
                logarithmic: a line that climbs as steeply as another grows by the same factor. Lower is better."
            .to_owned(),
        missing: PANELS
            .iter()
            .all(|(threads, _)| series(machines, *threads).is_empty())
            .then_some("No record holds a workload on one thread or on all."),
        draw: Box::new(move |width| draw(machines, width)),
        table: table(machines),
    }
}

/// What the panels show: the threads, and the words for them.
const PANELS: [(Threads, &str); 2] = [(Threads::Exactly(1), "One thread"), (Threads::All, "All threads")];

/// A part of the picture.
struct Panel {
    title: &'static str,
    series: Vec<Series>,
    /// The first and the last size on its axis.
    sizes: (f64, f64),
}

fn series(machines: &[Machine<'_>], threads: Threads) -> Vec<Series> {
    let mut all = Vec::new();
    for (machine, Machine { name, record, .. }) in machines.iter().enumerate() {
        for (solver, solver_name) in solvers(machines).into_iter().enumerate() {
            let mut points: Vec<_> = record
                .workloads
                .iter()
                .filter(|workload| workload.id.solver == solver_name && workload.id.threads == threads)
                .map(|workload| point(name, workload))
                .collect();
            points.sort_by(|a, b| a.0.total_cmp(&b.0));
            if !points.is_empty() {
                all.push(Series { machine, solver, points });
            }
        }
    }
    all
}

fn point(machine: &str, workload: &Workload) -> (f64, f64, String) {
    let seconds = workload.median_seconds();
    let unit = if workload.threads == 1 { "thread" } else { "threads" };
    let words = format!(
        "{machine}: {} n = {} on {} {unit} ({}): {}",
        workload.id.solver,
        workload.id.size,
        workload.threads,
        workload.isa,
        units::seconds(seconds)
    );
    (workload.id.size.get() as f64, seconds, words)
}

fn draw(machines: &[Machine<'_>], width: Width) -> Drawing {
    const GAP: f64 = 28.0;
    /// From the first to the last size of a panel, at least.
    const FEWEST_SIZES: f64 = 3.0;
    let full = width.pixels();
    let panels: Vec<Panel> = PANELS
        .into_iter()
        .filter_map(|(threads, title)| {
            let series = series(machines, threads);
            let (low, high) = range(series.iter().flat_map(|series| &series.points).map(|point| point.0))?;
            // A few sizes would be drawn too far apart.
            Some(Panel { title, series, sizes: (low.min((high - FEWEST_SIZES).max(0.0)), high) })
        })
        .collect();
    let points = panels.iter().flat_map(|panel| &panel.series).flat_map(|series| &series.points);
    let ticks = times(range(points.map(|point| point.1)).unwrap_or((1e-3, 1.0)), 9);
    let names = machines.iter().enumerate().map(|(index, machine)| (Swatch::Machine(index), machine.name.clone()));
    let (machine_legend, height) = legend(&names.collect::<Vec<_>>(), 0.0, full);
    let names = solvers(machines).into_iter().enumerate().map(|(index, name)| (Swatch::Shape(index), name.to_owned()));
    let (solver_legend, more) = legend(&names.collect::<Vec<_>>(), height + 2.0, full);
    let head = height + more + 14.0;

    let left = widest(&ticks) + 10.0;
    let plot_height = if width.is_narrow() { 260.0 } else { 320.0 };
    let row_height = 46.0 + plot_height + 44.0;
    let plots: Vec<Plot> = if width.is_narrow() {
        let tops = (0..panels.len()).map(|row| head + row as f64 * (row_height + GAP) + 46.0);
        tops.map(|top| Plot { left, right: full - 8.0, top, bottom: top + plot_height }).collect()
    } else {
        // Side by side, a size about as wide in one as in the other: then slopes compare.
        let shares: Vec<f64> = panels.iter().map(|panel| panel.sizes.1 - panel.sizes.0 + 1.0).collect();
        let room = (full - left - 8.0 - GAP * (panels.len() - 1) as f64) / shares.iter().sum::<f64>();
        let top = head + 46.0;
        let mut next = left;
        shares
            .iter()
            .map(|share| {
                let plot = Plot { left: next, right: next + share * room, top, bottom: top + plot_height };
                next = plot.right + GAP;
                plot
            })
            .collect()
    };
    let body = html! {
        (machine_legend)
        (solver_legend)
        @for (panel, plot) in panels.iter().zip(&plots) {
            @let is_first = plot.left == left;
            (text(if is_first { 0.0 } else { plot.left }, plot.top - 30.0, panel.title, Style::STRONG))
            (draw_panel(plot, panel, &ticks, is_first))
        }
    };
    let bottom = plots.last().map_or(head, |plot| plot.bottom + 44.0);
    Drawing { width: full, height: bottom, body }
}

fn draw_panel(plot: &Plot, panel: &Panel, ticks: &[Tick], is_first: bool) -> Markup {
    let Panel { series, sizes, .. } = panel;
    let low = ticks.first().map_or(1.0, |tick| tick.0);
    let high = ticks.last().map_or(1.0, |tick| tick.0);
    let y = Scale::new(Spread::Log, (low, high), (plot.bottom, plot.top));
    let x = Scale::new(Spread::Linear, *sizes, (plot.left + 14.0, plot.right - 14.0));
    let numbers: Vec<Tick> = (sizes.0 as usize..=sizes.1 as usize).map(|n| (n as f64, n.to_string())).collect();
    // Panels side by side have one scale: its labels stand once.
    let y_ticks: Vec<Tick> =
        ticks.iter().map(|(value, label)| (*value, if is_first { label.clone() } else { String::new() })).collect();
    html! {
        (plot.y_axis(&y, &y_ticks, if is_first { "median time of a count" } else { "" }, 0.0))
        (plot.x_axis(&x, &numbers, "size n of the board"))
        @for Series { machine, points, .. } in series {
            (line(&points.iter().map(|point| (x.at(point.0), y.at(point.1))).collect::<Vec<_>>(), &machine_class(*machine)))
        }
        @for Series { machine, solver, points } in series {
            @for (n, seconds, words) in points {
                (mark(*solver, x.at(*n), y.at(*seconds), &machine_class(*machine), words))
            }
        }
    }
}

/// All workloads on all machines, those of other thread counts too.
fn table(machines: &[Machine<'_>]) -> Table {
    let rows = workloads(machines).into_iter().map(|id| {
        let found: Vec<Option<&Workload>> = machines
            .iter()
            .map(|machine| machine.record.workloads.iter().find(|workload| workload.id == *id))
            .collect();
        let first = found.iter().flatten().next().copied();
        let cells = found.iter().map(|workload| match (workload, first) {
            (Some(workload), Some(first)) => cell(workload, first),
            _ => "–".to_owned(),
        });
        std::iter::once(id.to_string()).chain(cells).collect()
    });
    let what = if machines.len() > 1 {
        "Median times with half their 95 % interval; × is how many times as fast as the first machine that ran it, with its 95 % interval"
    } else {
        "Median times with half their 95 % interval"
    };
    Table {
        caption: what.to_owned(),
        head: std::iter::once("workload".to_owned())
            .chain(machines.iter().map(|machine| machine.name.clone()))
            .collect(),
        words: 1,
        rows: rows.collect(),
    }
}

fn cell(workload: &Workload, first: &Workload) -> String {
    let estimate = workload.estimate();
    let time = format!("{} ± {}", units::seconds(estimate.value), units::percent(estimate.relative_width() / 2.0));
    if std::ptr::eq(workload, first) {
        return time;
    }
    let speed = ratio_of_medians(&first.seconds, &workload.seconds);
    format!("{time}, ×{:.2} ({:.2} to {:.2})", speed.value, speed.low, speed.high)
}
