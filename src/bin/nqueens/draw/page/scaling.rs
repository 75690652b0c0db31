//! How much faster more threads are.

use maud::{Markup, html};

use super::table::PageTable;
use super::{PageMachine, Report, Section};
use crate::bench::record::Workload;
use crate::bench::score::quotient;
use crate::bench::statistics::Estimate;
use crate::draw::scale::{Scale, Spread, Tick, doublings, range};
use crate::draw::svg::{Drawing, Plot, Style, Swatch, WIDTH, at, legend, line, mark, text, widest};
use crate::draw::theme::{COLORS, series_class};
use crate::terminal::units;

/// One solver and size on one machine.
struct Series<'a> {
    machine: &'a PageMachine<'a>,
    solver: usize,
    n: usize,
    /// By the number of threads, one thread first.
    points: Vec<Point<'a>>,
}

struct Point<'a> {
    workload: &'a Workload,
    speedup: Estimate,
}

pub(crate) fn section(report: &Report<'_>) -> Section {
    let all = series(report);
    let table = (!all.is_empty()).then(|| table(report, &all));
    let missing =
        "No record holds a workload on one thread and on more: 'nqueens bench machine --suite standard' measures that.";
    Section {
        name: "scaling",
        title: "Thread scaling",
        about: "How many times as fast as one thread a count is on more threads, with 95 % intervals: a line for each machine, of \
                each solver the size that was measured on the most numbers of threads, and of those the largest. On the \
                dashed line, twice the threads take half the time."
            .to_owned(),
        missing: all.is_empty().then_some(missing),
        drawings: if all.is_empty() { Vec::new() } else { draw(report, &shown(&all)) },
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
                            Estimate::exact(1.0)
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

fn draw(report: &Report<'_>, all: &[&Series<'_>]) -> Vec<Drawing> {
    let points = || all.iter().flat_map(|series| &series.points);
    let most = points().map(|point| point.workload.threads).max().unwrap_or(2) as f64;
    let speedups = points().flat_map(|point| [point.speedup.low, point.speedup.high]);
    let axes = Axes::new(most, range(speedups).unwrap_or((1.0, 1.0)));
    let mut machines: Vec<&PageMachine<'_>> = all.iter().map(|series| series.machine).collect();
    machines.dedup_by_key(|machine| machine.at);
    let mut items = vec![(Swatch::Reference, "ideal".to_owned())];
    items.extend(machines.iter().take(COLORS).enumerate().map(|(at, one)| (Swatch::Series(at), one.name.clone())));
    if machines.len() > COLORS {
        items.push((Swatch::Others, "other machines".to_owned()));
    }
    let (legend, height) = legend(&items, 0.0, WIDTH);
    let mut head = Some((legend, height + 12.0));
    let mut drawings = Vec::new();
    for (solver, name) in report.solvers().into_iter().enumerate() {
        let lines: Vec<ScalingLine<'_>> = all
            .iter()
            .filter(|series| series.solver == solver)
            .map(|series| {
                let color = machines.iter().take(COLORS).position(|machine| machine.at == series.machine.at);
                ScalingLine { series, color }
            })
            .collect();
        if !lines.is_empty() {
            drawings.push(panel(name, &lines, &axes, head.take()));
        }
    }
    drawings
}

/// A series, and which colour it has; `None` behind the others.
struct ScalingLine<'a> {
    series: &'a Series<'a>,
    color: Option<usize>,
}

/// One solver on all machines, below the head of the picture where that is given, with its height.
fn panel(name: &str, lines: &[ScalingLine<'_>], axes: &Axes, head: Option<(Markup, f64)>) -> Drawing {
    let (head, top) = head.map_or((None, 0.0), |(head, top)| (Some(head), top));
    const HEIGHT: f64 = 300.0;
    let plot = Plot { left: widest(&axes.y) + 10.0, right: WIDTH - 6.0, top: top + 30.0, bottom: top + 30.0 + HEIGHT };
    let x = Scale::new(Spread::Log, (1.0, axes.most), (plot.left + 10.0, plot.right - 12.0));
    let y = Scale::new(Spread::Log, (axes.y[0].0, axes.y[axes.y.len() - 1].0), (plot.bottom, plot.top));
    let place = |point: &Point<'_>| (x.at(point.workload.threads as f64), y.at(point.speedup.value));
    let class = |line: &ScalingLine<'_>| line.color.map_or_else(|| "others".to_owned(), series_class);
    let whisker = |point: &Point<'_>| {
        let (across, low, high) = (place(point).0, y.at(point.speedup.low), y.at(point.speedup.high));
        let (across, start) = (at(across), at(across - 4.0));
        format!("M{across} {0}V{1}M{start} {0}h8M{start} {1}h8", at(low), at(high))
    };
    let told = |series: &Series<'_>, point: &Point<'_>| {
        let (machine, n, threads) = (&series.machine.name, series.n, point.workload.threads);
        format!("{machine}: {name} n = {n} on {threads} threads: {:.2} times as fast as on one", point.speedup.value)
    };
    let (behind, coloured): (Vec<_>, Vec<_>) = lines.iter().partition(|line| line.color.is_none());
    let body = html! {
        @if let Some(head) = head { (head) }
        (text(0.0, top + 14.0, name, Style::STRONG))
        (plot.y_axis(&y, &axes.y, "", 0.0))
        (plot.x_axis(&x, &axes.x, ""))
        path.reference d=(format!("M{} {}L{} {}", at(x.at(1.0)), at(y.at(1.0)), at(x.at(axes.most)), at(y.at(axes.most)))) {}
        @for one in behind.into_iter().chain(coloured) {
            g {
                (line(&one.series.points.iter().map(place).collect::<Vec<_>>(), &class(one)))
                @if let Some(color) = one.color { @for point in &one.series.points {
                    path class={ "whisker " (class(one)) } d=(whisker(point)) {}
                    (mark(color, place(point).0, place(point).1, &class(one), &told(one.series, point)))
                } }
            }
        }
    };
    Drawing { width: WIDTH, height: plot.bottom + 26.0, body }
}

/// The axes, in doublings.
struct Axes {
    /// The most threads.
    most: f64,
    x: Vec<Tick>,
    y: Vec<Tick>,
}

impl Axes {
    fn new(most: f64, (low, high): (f64, f64)) -> Self {
        let mut x = doublings((1.0, most));
        x.retain(|(threads, _)| *threads < most / 1.2);
        x.push((most, most.to_string()));
        // A tick below 1 is wanted only where something went clearly below: a whisker may touch the axis.
        let y = doublings((if low < 0.97 { low } else { 1.0 }, high.max(most)));
        Self { most, x, y }
    }
}

fn table(report: &Report<'_>, all: &[Series<'_>]) -> PageTable {
    let names = report.solvers();
    let rows = all.iter().flat_map(|series| {
        let (machine, solver) = (series.machine, names[series.solver]);
        series.points.iter().map(move |Point { workload, speedup }| {
            vec![
                machine.name.clone(),
                format!("{solver} n = {}", series.n),
                workload.threads.to_string(),
                units::seconds(workload.median_seconds()),
                format!("{:.2} ({:.2} to {:.2})", speedup.value, speedup.low, speedup.high),
                units::percent(speedup.value / workload.threads as f64),
            ]
        })
    });
    PageTable {
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
