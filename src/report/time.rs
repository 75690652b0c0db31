//! Time against the size of the board, on a log scale.

use maud::{Markup, html};

use super::draw::{Drawing, Swatch, Width, legend, line, mark, widest};
use super::multiples::Grid;
use super::scale::{Scale, Spread, Tick, range, times};
use super::theme::series_class;
use super::{Machine, Report, Section};
use crate::measure::record::Workload;
use crate::measure::units;
use crate::measure::workload::Threads;

/// The times of one solver on one machine.
struct Series {
    solver: usize,
    is_all_threads: bool,
    /// Size, seconds and what is said of the point.
    points: Vec<(f64, f64, String)>,
}

pub(super) fn section<'a>(report: &'a Report<'a>) -> Section<'a> {
    let behind = if report.machines.len() > 1 { " The other machines' lines lie behind in grey." } else { "" };
    Section {
        name: "time",
        title: "Time against n",
        about: format!(
            "The median time of a count by the size n of the board, a chart a machine, a colour and a mark a solver; \
             broken lines and hollow marks are on all threads. The time axis is logarithmic: lines that climb alike grow by the same \
             factor. Lower is better.{behind}"
        ),
        missing: report
            .machines
            .iter()
            .all(|machine| series(report, machine).is_empty())
            .then_some("No record holds a workload on one thread or on all."),
        draw: Box::new(move |width| draw(report, width)),
        table: None,
    }
}

fn series(report: &Report<'_>, machine: &Machine<'_>) -> Vec<Series> {
    let mut all = Vec::new();
    for threads in [Threads::Exactly(1), Threads::All] {
        for (solver, name) in report.solvers().into_iter().enumerate() {
            let mut points: Vec<_> = machine
                .record
                .workloads
                .iter()
                .filter(|workload| workload.id.solver == name && workload.id.threads == threads)
                .filter(|workload| report.holds(&workload.id))
                .map(|workload| point(&machine.name, workload))
                .collect();
            points.sort_by(|a, b| a.0.total_cmp(&b.0));
            if !points.is_empty() {
                all.push(Series { solver, is_all_threads: threads == Threads::All, points });
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

fn draw(report: &Report<'_>, width: Width) -> Vec<Drawing> {
    /// From the first to the last size, at least: a few would be drawn too far apart.
    const FEWEST_SIZES: f64 = 3.0;
    let machines: Vec<&Machine<'_>> = report.machines.iter().collect();
    let all: Vec<Vec<Series>> = machines.iter().map(|machine| series(report, machine)).collect();
    let points = || all.iter().flatten().flat_map(|series| &series.points);
    let y_ticks = times(range(points().map(|point| point.1)).unwrap_or((1e-3, 1.0)), 6);
    let (low, high) = range(points().map(|point| point.0)).unwrap_or((8.0, 12.0));
    let sizes = (low.min((high - FEWEST_SIZES).max(0.0)), high);
    let names = report.solvers().into_iter().enumerate().map(|(index, name)| (Swatch::Series(index), name.to_owned()));
    let mut items: Vec<(Swatch, String)> = names.collect();
    if all.iter().flatten().any(|series| series.is_all_threads) {
        items.push((Swatch::Broken, "on all threads".to_owned()));
    }
    if machines.len() > 1 {
        items.push((Swatch::Others, "other machines".to_owned()));
    }
    let (legend, height) = legend(&items, 0.0, width.pixels());
    let grid = Grid::new(machines.len(), width, widest(&y_ticks) + 10.0);
    let plot = grid.plot();
    let y = Scale::new(
        Spread::Log,
        (y_ticks.first().map_or(1.0, |tick| tick.0), y_ticks.last().map_or(1.0, |tick| tick.0)),
        (plot.bottom, plot.top),
    );
    let x = Scale::new(Spread::Linear, sizes, (plot.left + 10.0, plot.right - 10.0));
    let numbers: Vec<Tick> = (sizes.0 as usize..=sizes.1 as usize).map(|n| (n as f64, n.to_string())).collect();
    let path = |series: &Series, class: &str| {
        let places: Vec<_> = series.points.iter().map(|point| (x.at(point.0), y.at(point.1))).collect();
        line(&places, class)
    };
    let back: Markup = html! {
        (plot.frame(&x, &numbers, &y, &y_ticks))
        @if machines.len() > 1 { @for series in all.iter().flatten() { (path(series, "others")) } }
    };
    grid.draw(&machines, ("time", width), (legend, height + 12.0), &back, |index| {
        html! {
            @for series in &all[index] {
                @let class = series_class(series.solver);
                (path(series, &format!("{class}{}", if series.is_all_threads { " broken" } else { "" })))
                g class={ (class) @if series.is_all_threads { " hollow" } } {
                    @for (n, seconds, words) in &series.points { (mark(series.solver, x.at(*n), y.at(*seconds), &class, words)) }
                }
            }
        }
    })
}
