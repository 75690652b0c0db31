//! How much faster more threads are: a line for each machine, a panel for each solver.

use std::collections::BTreeSet;

use maud::{Markup, html};
use nqueens::board::Size;

use super::table::PageTable;
use super::{PageMachine, Report, Section};
use crate::bench::rank::{RankCell, RankRow};
use crate::bench::score::quotient;
use crate::bench::statistics::Estimate;
use crate::draw::scale::{Scale, doublings, range};
use crate::draw::svg::{Drawing, Plot, Style, Swatch, WIDTH, at, legend, line, mark, text, widest};
use crate::draw::theme::{COLORS, series_class};
use crate::terminal::units;

/// One solver and size on one machine.
struct Series<'a> {
    machine: &'a PageMachine<'a>,
    /// The machine's colour. `None`: grey, because there are more machines than colours.
    color: Option<usize>,
    solver: String,
    n: usize,
    /// By the number of threads, one thread first.
    points: Vec<Point>,
}

struct Point {
    threads: usize,
    seconds: f64,
    speedup: Estimate,
}

pub(crate) fn section(report: &Report<'_>) -> Section {
    let all = series(report);
    let missing =
        "No record has a workload on one thread and on more. 'nqueens bench machine --suite standard' measures that.";
    Section {
        name: "scaling",
        title: "Thread scaling",
        about: "How many times as fast as one thread more threads are, with 95 % intervals. Each machine has a line for the \
                size of a solver that it measured on the most numbers of threads. On the dashed line, twice the threads \
                take half the time."
            .to_owned(),
        missing: all.is_empty().then_some(missing),
        drawings: draw(&all),
        table: (!all.is_empty()).then(|| table(&all)),
    }
}

/// The series of each solver, machine by machine.
fn series<'a>(report: &'a Report<'a>) -> Vec<Series<'a>> {
    let mut all = Vec::new();
    for rows in report.comparison.by_solver() {
        let sizes: BTreeSet<Size> = rows.iter().map(|row| row.workload.size).collect();
        for machine in &report.machines {
            let found = sizes.iter().filter_map(|&size| of_size(machine, &rows, size));
            all.extend(found.max_by_key(|series| (series.points.len(), series.n)));
        }
    }
    let drawn = |machine: &&PageMachine<'_>| all.iter().any(|series| series.machine.at == machine.at);
    let colored: Vec<usize> = report.machines.iter().filter(drawn).take(COLORS).map(|machine| machine.at).collect();
    for series in &mut all {
        series.color = colored.iter().position(|&machine| machine == series.machine.at);
    }
    all
}

fn of_size<'a>(machine: &'a PageMachine<'a>, rows: &[&RankRow], size: Size) -> Option<Series<'a>> {
    let of_size = rows.iter().filter(|row| row.workload.size == size);
    let mut cells: Vec<&RankCell> = of_size.filter_map(|row| row.cells[machine.at].as_ref()).collect();
    // "All threads" may be as many as those of another workload. One of the two is enough.
    cells.sort_by_key(|cell| cell.threads);
    cells.dedup_by_key(|cell| cell.threads);
    let one = *cells.first().filter(|cell| cell.threads == 1)?;
    let point = |cell: &RankCell| {
        let speedup = if cell.threads == 1 { Estimate::exact(1.0) } else { quotient(one.estimate(), cell.estimate()) };
        Point { threads: cell.threads, seconds: cell.seconds, speedup }
    };
    let points = cells.iter().map(|cell| point(cell));
    let points: Vec<Point> = points.filter(|point| point.speedup.high.is_finite() && point.speedup.low > 0.0).collect();
    let solver = rows[0].workload.solver_label();
    (points.len() > 1).then_some(Series { machine, color: None, solver, n: size.get(), points })
}

fn draw(all: &[Series<'_>]) -> Vec<Drawing> {
    let points = || all.iter().flat_map(|series| &series.points);
    let most = points().map(|point| point.threads).max().unwrap_or(2) as f64;
    let speedups = range(points().flat_map(|point| [point.speedup.low, point.speedup.high])).unwrap_or((1.0, 1.0));
    let mut items = vec![(Swatch::Reference, "ideal".to_owned())];
    for color in 0..COLORS {
        let one = all.iter().find(|series| series.color == Some(color));
        items.extend(one.map(|series| (Swatch::Series(color), series.machine.name.clone())));
    }
    if all.iter().any(|series| series.color.is_none()) {
        items.push((Swatch::Others, "other machines".to_owned()));
    }
    let (legend, height) = legend(&items, 0.0, WIDTH);
    let mut head = Some((legend, height + 12.0));
    let panels = all.chunk_by(|a, b| a.solver == b.solver);
    panels.map(|panel_series| panel(panel_series, most, speedups, head.take())).collect()
}

/// One solver on all machines, below the legend if it is given, with its height.
fn panel(all: &[Series<'_>], most: f64, (low, high): (f64, f64), head: Option<(Markup, f64)>) -> Drawing {
    const HEIGHT: f64 = 300.0;
    let (head, top) = head.map_or((None, 0.0), |(head, top)| (Some(head), top));
    let mut threads = doublings((1.0, most));
    threads.retain(|(threads, _)| *threads < most / 1.2);
    threads.push((most, most.to_string()));
    // A tick below 1 is for clear slowdowns. A whisker may touch the axis.
    let speeds = doublings((if low < 0.97 { low } else { 1.0 }, high.max(most)));
    let plot = Plot { left: widest(&speeds) + 10.0, right: WIDTH - 6.0, top: top + 30.0, bottom: top + 30.0 + HEIGHT };
    let x = Scale::new((1.0, most), (plot.left + 10.0, plot.right - 12.0));
    let y = Scale::new((speeds[0].0, speeds[speeds.len() - 1].0), (plot.bottom, plot.top));
    let place = |point: &Point| (x.at(point.threads as f64), y.at(point.speedup.value));
    let class = |series: &Series<'_>| series.color.map_or_else(|| "others".to_owned(), series_class);
    let whisker = |point: &Point| {
        let (across, low, high) = (place(point).0, y.at(point.speedup.low), y.at(point.speedup.high));
        let (across, start) = (at(across), at(across - 4.0));
        format!("M{across} {0}V{1}M{start} {0}h8M{start} {1}h8", at(low), at(high))
    };
    let told = |Series { machine, solver, n, .. }: &Series<'_>, point: &Point| {
        let (name, threads) = (&machine.name, point.threads);
        format!("{name}: {solver} n = {n} on {threads} threads: {:.2} times as fast as on one", point.speedup.value)
    };
    let (behind, colored): (Vec<_>, Vec<_>) = all.iter().partition(|series| series.color.is_none());
    let ideal = format!("M{} {}L{} {}", at(x.at(1.0)), at(y.at(1.0)), at(x.at(most)), at(y.at(most)));
    let body = html! {
        @if let Some(head) = head { (head) }
        (text(0.0, top + 14.0, &all[0].solver, Style::STRONG))
        (plot.y_axis(&y, &speeds, "", 0.0))
        (plot.x_axis(&x, &threads, ""))
        path.reference d=(ideal) {}
        @for series in behind.into_iter().chain(colored) {
            g {
                (line(&series.points.iter().map(place).collect::<Vec<_>>(), &class(series)))
                @if let Some(color) = series.color { @for point in &series.points {
                    path class={ "whisker " (class(series)) } d=(whisker(point)) {}
                    (mark(color, place(point).0, place(point).1, &class(series), &told(series, point)))
                } }
            }
        }
    };
    Drawing { width: WIDTH, height: plot.bottom + 26.0, body }
}

fn table(all: &[Series<'_>]) -> PageTable {
    let rows = all.iter().flat_map(|Series { machine, solver, n, points, .. }| {
        points.iter().map(move |Point { threads, seconds, speedup }| {
            vec![
                machine.name.clone(),
                format!("{solver} n = {n}"),
                threads.to_string(),
                units::seconds(*seconds),
                format!("{:.2} ({:.2} to {:.2})", speedup.value, speedup.low, speedup.high),
                units::percent(speedup.value / *threads as f64),
            ]
        })
    });
    let head = ["machine", "count", "threads", "median time", "times as fast", "of the ideal"];
    PageTable {
        caption: "Times as fast as one thread, with 95 % intervals".to_owned(),
        head: head.map(str::to_owned).to_vec(),
        words: 2,
        rows: rows.collect(),
    }
}
