//! How the samples of each workload are spread.

use std::fmt::Write;

use maud::{Markup, html};

use super::draw::{Drawing, Plot, Style, Swatch, Width, at, elided, legend, text};
use super::scale::{Scale, Spread, Tick, decimals, rounds};
use super::table::Table;
use super::theme::machine_class;
use super::{Machine, Section, workloads};
use crate::measure::record::Workload;
use crate::measure::statistics::quantile;
use crate::measure::units;
use crate::measure::workload::Threads;

/// The samples of a workload on a machine.
struct Row<'a> {
    machine: usize,
    workload: &'a Workload,
    median: f64,
    /// The first and the third quartile.
    quartiles: (f64, f64),
}

impl Row<'_> {
    /// How far a time is from the median, as a share of it.
    fn distance(&self, seconds: f64) -> f64 {
        seconds / self.median - 1.0
    }
}

pub(super) fn section<'a>(machines: &'a [Machine<'a>]) -> Section<'a> {
    let rows = rows(machines);
    let table = table(machines, &rows);
    Section {
        name: "samples",
        title: "Samples",
        about: "Every sample of every workload, as its distance from the median of its own workload and machine: in a row, \
                the first sample is at the top and the last at the bottom, so that a drift shows as a slope. The shade \
                holds the middle half; samples beyond the scale lie as triangles at its edge. Narrower is steadier."
            .to_owned(),
        missing: None,
        draw: Box::new(move |width| draw(machines, &rows, width)),
        table,
    }
}

fn rows<'a>(machines: &[Machine<'a>]) -> Vec<Row<'a>> {
    let mut rows = Vec::new();
    for id in workloads(machines) {
        for (machine, Machine { record, .. }) in machines.iter().enumerate() {
            let Some(workload) = record.workloads.iter().find(|workload| workload.id == *id) else { continue };
            let quartiles = (quantile(&workload.seconds, 0.25), quantile(&workload.seconds, 0.75));
            rows.push(Row { machine, workload, median: workload.median_seconds(), quartiles });
        }
    }
    rows
}

/// A workload in words; how many all threads are differs from machine to machine.
fn label(workload: &Workload) -> String {
    let threads = match workload.id.threads {
        Threads::All => "all threads".to_owned(),
        Threads::Exactly(1) => "1 thread".to_owned(),
        Threads::Exactly(threads) => format!("{threads} threads"),
    };
    format!("{} n = {}, {threads}", workload.id.solver, workload.id.size)
}

/// The scale's end: most samples are on it, and a few far ones do not squeeze them together.
fn reach(rows: &[Row<'_>]) -> f64 {
    let mut distances: Vec<f64> = rows
        .iter()
        .flat_map(|row| row.workload.seconds.iter().map(|&seconds| row.distance(seconds).abs()))
        .filter(|distance| distance.is_finite())
        .collect();
    distances.sort_unstable_by(f64::total_cmp);
    let most = quantile(&distances, 0.95) * 1.3;
    let all = distances.last().copied().unwrap_or(0.0);
    all.min(most).clamp(0.01, 0.5)
}

fn draw(machines: &[Machine<'_>], rows: &[Row<'_>], width: Width) -> Drawing {
    let (full, is_narrow) = (width.pixels(), width.is_narrow());
    // On a phone the words stand above their rows, beside them elsewhere.
    let (left, right_words, strip) = if is_narrow { (16.0, 16.0, 18.0) } else { (214.0, 86.0, 18.0) };
    let names = machines.iter().enumerate().map(|(index, machine)| (Swatch::Machine(index), machine.name.clone()));
    let (legend, head) = legend(&names.collect::<Vec<_>>(), 0.0, full);
    let top = head + 26.0;

    // Rows of one workload belong together.
    let mut places = Vec::new();
    let mut y = top;
    let mut previous = None;
    for row in rows {
        let is_new = previous != Some(&row.workload.id);
        previous = Some(&row.workload.id);
        y += match (is_new, is_narrow) {
            (true, true) => 26.0,
            (true, false) => 8.0,
            (false, _) => 3.0,
        };
        places.push((row, y, is_new));
        y += strip;
    }
    let plot = Plot { left, right: full - right_words, top, bottom: y + 8.0 };
    let values = rounds((-reach(rows), reach(rows)), if is_narrow { 4 } else { 8 });
    let (first, last) = (values[0], values[values.len() - 1]);
    let x = Scale::new(Spread::Linear, (first, last), (plot.left + 8.0, plot.right - 8.0));
    let step = 100.0 * (values[1] - first);
    let ticks: Vec<Tick> = values.iter().map(|&value| (value, signed(value, step))).collect();
    let body = html! {
        (legend)
        (plot.x_labels(&x, &ticks, top - 6.0))
        (plot.x_axis(&x, &ticks, "distance from the median"))
        @for (row, y, is_new) in &places {
            @if *is_new {
                @if is_narrow {
                    (text(0.0, y - 6.0, &elided(&label(row.workload), 12.5, full - 80.0), Style { class: "halo", ..Style::default() }))
                } @else {
                    (text(0.0, y + 13.5, &elided(&label(row.workload), 12.5, left - 8.0), Style::default()))
                }
            }
            @if is_narrow {
                @if *is_new {
                    (text(full, y - 6.0, &units::seconds(row.median), Style { class: "muted halo", ..Style::default() }.anchored("end")))
                }
            } @else {
                (text(full, y + 13.5, &units::seconds(row.median), Style::MUTED.anchored("end")))
            }
            (strip_of(row, &machines[row.machine].name, *y, strip, &x))
        }
    };
    Drawing { width: full, height: plot.bottom + 44.0, body }
}

/// A share as a change in percent; the minus is a real one, as wide as the plus.
fn signed(share: f64, step: f64) -> String {
    let percent = 100.0 * share;
    if percent.abs() < step / 1e4 {
        return "0 %".to_owned();
    }
    format!("{percent:+.*} %", decimals(step)).replace('-', "−")
}

fn strip_of(row: &Row<'_>, machine: &str, top: f64, height: f64, x: &Scale) -> Markup {
    let class = machine_class(row.machine);
    let samples = &row.workload.seconds;
    let mut dots = String::new();
    let mut beyond = String::new();
    for (index, &seconds) in samples.iter().enumerate() {
        let distance = row.distance(seconds);
        let (px, y) = (at(x.at(distance)), at(top + height * (index as f64 + 0.5) / samples.len() as f64));
        let written = if x.holds(distance) {
            write!(dots, "M{px} {y}h0")
        } else {
            // A triangle that points to where the sample is.
            let tip = if distance > 0.0 { 7 } else { -7 };
            write!(beyond, "M{px} {}l{tip} 4l{} 4z", at(y - 4.0), -tip)
        };
        // Writing to a string never fails.
        debug_assert!(written.is_ok());
    }
    let (low, high) = (x.at(row.distance(row.quartiles.0)), x.at(row.distance(row.quartiles.1)));
    let words =
        format!("{machine}: {}, {} samples, median {}", label(row.workload), samples.len(), units::seconds(row.median));
    html! {
        g {
            title { (words) }
            rect class={ "box " (class) } x=(at(low)) y=(at(top)) width=(at((high - low).max(1.0))) height=(height) {}
            path class={ "median " (class) } d=(format!("M{} {}v{height}", at(x.at(0.0)), at(top))) {}
            path class={ "dots " (class) } d=(dots) {}
            @if !beyond.is_empty() { path class={ "bar " (class) } d=(beyond) {} }
        }
    }
}

fn table(machines: &[Machine<'_>], rows: &[Row<'_>]) -> Table {
    let rows = rows.iter().map(|row| {
        let Workload { seconds, runs_per_sample, .. } = row.workload;
        let estimate = row.workload.estimate();
        let least = seconds.iter().copied().fold(f64::INFINITY, f64::min);
        let most = seconds.iter().copied().fold(0.0, f64::max);
        vec![
            row.workload.id.to_string(),
            machines[row.machine].name.clone(),
            seconds.len().to_string(),
            runs_per_sample.to_string(),
            units::seconds(least),
            units::seconds(row.median),
            format!("{} to {}", units::seconds(estimate.low), units::seconds(estimate.high)),
            units::seconds(most),
            units::percent((row.quartiles.1 - row.quartiles.0) / row.median),
        ]
    });
    Table {
        caption: "Samples: the middle half is the distance of the quartiles over the median".to_owned(),
        head: [
            "workload",
            "machine",
            "samples",
            "runs a sample",
            "least",
            "median",
            "95 % interval",
            "most",
            "middle half",
        ]
        .map(str::to_owned)
        .to_vec(),
        words: 2,
        rows: rows.collect(),
    }
}
