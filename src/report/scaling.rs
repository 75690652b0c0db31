//! How much faster more threads are.

use maud::html;

use super::draw::{Drawing, Swatch, Width, at, legend, line, mark, widest};
use super::multiples::Grid;
use super::scale::{Scale, Spread, Tick, decimals, doublings, range, rounds};
use super::table::{Cell, Row, Table};
use super::theme::series_class;
use super::{Machine, Report, Section};
use crate::measure::record::Workload;
use crate::measure::score::quotient;
use crate::measure::statistics::Estimate;
use crate::measure::units;

/// One solver and size on one machine.
struct Series<'a> {
    machine: &'a Machine<'a>,
    solver: usize,
    n: usize,
    /// By the number of threads, one thread first.
    points: Vec<Point<'a>>,
}

struct Point<'a> {
    workload: &'a Workload,
    speedup: Estimate,
}

pub(super) fn section<'a>(report: &'a Report<'a>) -> Section<'a> {
    let all = series(report);
    let table = (!all.is_empty()).then(|| table(report, &all));
    let missing =
        "No record holds a workload on one thread and on more: 'nqueens bench --suite standard' measures that.";
    Section {
        name: "scaling",
        title: "Thread scaling",
        about: "How many times as fast as one thread a count is on more threads, with 95 % intervals: for each machine and \
                solver, the size that was measured on the most numbers of threads, and of those the largest. On the \
                dashed line, twice the threads take half the time."
            .to_owned(),
        missing: all.is_empty().then_some(missing),
        draw: Box::new(move |width| draw(report, &shown(&all), width)),
        table,
    }
}

fn series<'a>(report: &'a Report<'a>) -> Vec<Series<'a>> {
    let mut all = Vec::new();
    for machine in &report.machines {
        for (solver, name) in report.solvers().into_iter().enumerate() {
            let of_solver = || {
                let workloads = machine.record.workloads.iter();
                workloads.filter(|workload| workload.id.solver == name && report.holds(&workload.id))
            };
            let mut sizes: Vec<usize> = of_solver().map(|workload| workload.id.size.get()).collect();
            sizes.sort_unstable();
            sizes.dedup();
            for n in sizes {
                let mut found: Vec<&Workload> = of_solver().filter(|workload| workload.id.size.get() == n).collect();
                // Where all threads are as many as some workload asks for, both were measured; one is enough.
                found.sort_by_key(|workload| (workload.threads, workload.id.threads));
                found.dedup_by_key(|workload| workload.threads);
                if let [one, more, ..] = found[..]
                    && one.threads == 1
                    && more.threads > 1
                {
                    let base = one.estimate();
                    let points = found.iter().map(|&workload| Point {
                        workload,
                        speedup: if workload.threads == 1 {
                            Estimate { value: 1.0, low: 1.0, high: 1.0 }
                        } else {
                            quotient(base, workload.estimate())
                        },
                    });
                    let points = points.filter(|point| point.speedup.high.is_finite() && point.speedup.low > 0.0);
                    all.push(Series { machine, solver, n, points: points.collect() });
                }
            }
        }
    }
    all
}

/// The series that are drawn: one for each machine and solver.
fn shown<'s, 'a>(all: &'s [Series<'a>]) -> Vec<&'s Series<'a>> {
    let mut shown: Vec<&Series<'_>> = Vec::new();
    for series in all {
        let is_alike = |kept: &&Series<'_>| (kept.machine.at, kept.solver) == (series.machine.at, series.solver);
        match shown.iter_mut().find(|kept| is_alike(kept)) {
            Some(kept) if (series.points.len(), series.n) > (kept.points.len(), kept.n) => *kept = series,
            Some(_) => {}
            None => shown.push(series),
        }
    }
    shown
}

fn draw(report: &Report<'_>, all: &[&Series<'_>], width: Width) -> Vec<Drawing> {
    let points = || all.iter().flat_map(|series| &series.points);
    let most = points().map(|point| point.workload.threads).max().unwrap_or(2) as f64;
    let speedups = points().flat_map(|point| [point.speedup.low, point.speedup.high]);
    let axes = Axes::new(most, range(speedups).unwrap_or((1.0, 1.0)));
    let names = report.solvers();
    let is_alone = report.machines.len() == 1;
    let mut items = vec![(Swatch::Reference, "ideal".to_owned())];
    for (solver, name) in names.iter().enumerate() {
        if all.iter().any(|series| series.solver == solver) {
            items.push((Swatch::Series(solver), (*name).to_owned()));
        }
    }
    if !is_alone {
        items.push((Swatch::Others, "other machines".to_owned()));
    }
    let (legend, height) = legend(&items, 0.0, width.pixels());
    let mut machines: Vec<&Machine<'_>> = all.iter().map(|series| series.machine).collect();
    machines.dedup_by_key(|machine| machine.at);
    let grid = Grid::new(machines.len(), width, widest(&axes.y) + 10.0);
    let plot = grid.plot();
    let x = Scale::new(axes.spread, (1.0, most), (plot.left + 10.0, plot.right - 12.0));
    let y = Scale::new(axes.spread, (axes.y[0].0, axes.y[axes.y.len() - 1].0), (plot.bottom, plot.top));
    let place = |point: &Point<'_>| x.at(point.workload.threads as f64);
    let path = |series: &Series<'_>, class: &str| {
        line(&series.points.iter().map(|point| (place(point), y.at(point.speedup.value))).collect::<Vec<_>>(), class)
    };
    let back = html! {
        (plot.frame(&x, &axes.x, &y, &axes.y))
        path.reference d=(format!("M{} {}L{} {}", at(x.at(1.0)), at(y.at(1.0)), at(x.at(most)), at(y.at(most)))) {}
        @if !is_alone { @for series in all { (path(series, "others")) } }
    };
    grid.draw(&machines, ("scaling", width), (legend, height + 12.0), &back, |index| {
        let own = all.iter().filter(|series| series.machine.at == machines[index].at);
        html! {
            @for series in own {
                @let class = series_class(series.solver);
                (path(series, &class))
                @for point in &series.points {
                    @let Estimate { value, low, high } = point.speedup;
                    path class={ "whisker " (class) }
                        d=(format!("M{0} {1}V{2}M{3} {1}h8M{3} {2}h8", at(place(point)), at(y.at(low)), at(y.at(high)), at(place(point) - 4.0))) {}
                    (mark(series.solver, place(point), y.at(value), &class, &format!(
                        "{}: {} n = {} on {} threads: {value:.2} times as fast as on one",
                        series.machine.name, names[series.solver], series.n, point.workload.threads)))
                }
            }
        }
    })
}

/// The axes: linear for a few threads, where a speed twice as high lies twice as high, and in doublings for many.
struct Axes {
    spread: Spread,
    x: Vec<Tick>,
    y: Vec<Tick>,
}

impl Axes {
    const FEW_THREADS: f64 = 8.0;

    fn new(most: f64, (low, high): (f64, f64)) -> Self {
        if most <= Self::FEW_THREADS {
            let values = rounds((0.0, high.max(most)), 6);
            let step = values[1];
            return Self {
                spread: Spread::Linear,
                x: (1..=most as usize).map(|threads| (threads as f64, threads.to_string())).collect(),
                y: values.iter().map(|value| (*value, format!("{value:.*}", decimals(step)))).collect(),
            };
        }
        let mut x = doublings((1.0, most));
        x.retain(|(threads, _)| *threads < most / 1.2);
        x.push((most, most.to_string()));
        // A tick below 1 is wanted only where something went clearly below: a whisker may touch the axis.
        let y = doublings((if low < 0.97 { low } else { 1.0 }, high.max(most)));
        Self { spread: Spread::Log, x, y }
    }
}

fn table(report: &Report<'_>, all: &[Series<'_>]) -> Table {
    let names = report.solvers();
    let rows = all.iter().flat_map(|series| {
        let (machine, solver) = (series.machine, names[series.solver]);
        series.points.iter().map(move |Point { workload, speedup }| Row {
            machine: Some(machine.at),
            cells: vec![
                machine.name.clone().into(),
                format!("{solver} n = {}", series.n).into(),
                workload.threads.into(),
                Cell(units::seconds(workload.median_seconds()), Some(workload.median_seconds())),
                Cell(format!("{:.2} ({:.2} to {:.2})", speedup.value, speedup.low, speedup.high), Some(speedup.value)),
                Cell(
                    units::percent(speedup.value / workload.threads as f64),
                    Some(speedup.value / workload.threads as f64),
                ),
            ],
        })
    });
    Table {
        caption:
            "Times as fast as one thread, with 95 % intervals, for every size measured on several numbers of threads"
                .to_owned(),
        head: ["machine", "count", "threads", "median time", "times as fast", "of the ideal"]
            .map(str::to_owned)
            .to_vec(),
        words: 2,
        rows: rows.collect(),
    }
}
