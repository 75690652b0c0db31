//! Speed over time, under load that lasts.

use maud::html;

use super::draw::{Drawing, Width, line, mark, widest};
use super::multiples::Grid;
use super::scale::{Scale, Spread, Tick, decimals, range, rounds};
use super::table::{Cell, Row, Table};
use super::theme::series_class;
use super::{Machine, Report, Section};
use crate::measure::record::Sustained;
use crate::measure::units;

/// The part of the report; none where no record has what it shows.
pub(super) fn section<'a>(report: &'a Report<'a>) -> Option<Section<'a>> {
    let found: Vec<(&Machine<'_>, &Sustained)> =
        report.machines.iter().filter_map(|machine| Some((machine, machine.record.sustained.as_ref()?))).collect();
    (!found.is_empty()).then(|| Section {
        name: "sustained",
        title: "Sustained load",
        about:
            "The same workload again and again for minutes: the speed of each run, 100 % being the median of the first \
                five. A machine that becomes too hot falls."
                .to_owned(),
        missing: None,
        table: Some(table(&found)),
        draw: Box::new(move |width| draw(&found, width)),
    })
}

/// Time since the beginning, and speed relative to the first runs.
fn points(sustained: &Sustained) -> Vec<(f64, f64)> {
    let first: Vec<f64> = sustained.points.iter().take(5).map(|point| point.seconds).collect();
    let base = crate::measure::statistics::median(&first);
    sustained.points.iter().map(|point| (point.at_seconds, base / point.seconds)).collect()
}

fn draw(found: &[(&Machine<'_>, &Sustained)], width: Width) -> Vec<Drawing> {
    let all: Vec<Vec<(f64, f64)>> = found.iter().map(|(_, sustained)| points(sustained)).collect();
    let last = all.iter().flatten().map(|point| point.0).fold(1.0, f64::max);
    let (low, high) = range(all.iter().flatten().map(|point| point.1)).unwrap_or((0.9, 1.1));
    let values = rounds((low.min(0.9), high.max(1.02)), 4);
    let y_ticks: Vec<Tick> = values.iter().map(|value| (*value, format!("{:.0} %", 100.0 * value))).collect();
    let (unit, name) = if last > 180.0 { (60.0, "min") } else { (1.0, "s") };
    let times = rounds((0.0, last / unit), 4);
    let label = |value: f64| format!("{value:.*} {name}", decimals(times[1]));
    let x_ticks: Vec<Tick> = times.iter().map(|value| (value * unit, label(*value))).collect();
    let grid = Grid::new(found.len(), width, widest(&y_ticks) + 10.0);
    let plot = grid.plot();
    let x = Scale::new(Spread::Linear, (0.0, times[times.len() - 1] * unit), (plot.left, plot.right - 18.0));
    let y = Scale::new(Spread::Linear, (values[0], values[values.len() - 1]), (plot.bottom, plot.top));
    let places = |points: &[(f64, f64)]| points.iter().map(|point| (x.at(point.0), y.at(point.1))).collect::<Vec<_>>();
    let back = html! {
        (plot.frame(&x, &x_ticks, &y, &y_ticks))
        @if found.len() > 1 { @for points in &all { (line(&places(points), "others")) } }
    };
    let machines: Vec<&Machine<'_>> = found.iter().map(|(machine, _)| *machine).collect();
    grid.draw(&machines, ("sustained", width), (html! {}, 4.0), &back, |index| {
        let words = |at: f64, speed: f64| format!("{}: after {at:.0} s: {:.1} %", machines[index].name, 100.0 * speed);
        html! {
            (line(&places(&all[index]), &series_class(0)))
            @for (at, speed) in &all[index] { (mark(0, x.at(*at), y.at(*speed), &series_class(0), &words(*at, *speed))) }
        }
    })
}

fn table(found: &[(&Machine<'_>, &Sustained)]) -> Table {
    let rows = found.iter().flat_map(|(machine, sustained)| {
        sustained.points.iter().zip(points(sustained)).map(|(point, (_, speed))| Row {
            machine: Some(machine.at),
            cells: vec![
                machine.name.clone().into(),
                sustained.workload.to_string().into(),
                Cell(format!("{:.1} s", point.at_seconds), Some(point.at_seconds)),
                Cell(units::seconds(point.seconds), Some(point.seconds)),
                Cell(units::percent(speed), Some(speed)),
                point.mhz.map_or_else(|| "unknown".into(), |mhz| Cell(format!("{mhz:.0} MHz"), Some(mhz))),
                point.celsius.map_or_else(|| "unknown".into(), |heat| Cell(format!("{heat:.0} °C"), Some(heat))),
            ],
        })
    });
    Table {
        caption: "Every run under lasting load".to_owned(),
        head: ["machine", "workload", "after", "a run took", "speed", "clock", "temperature"]
            .map(str::to_owned)
            .to_vec(),
        words: 2,
        rows: rows.collect(),
    }
}
