//! How the samples of each workload are spread.

use std::fmt::Write;

use maud::{Markup, html};

use super::draw::{Drawing, Style, Width, at, elided, text};
use super::multiples::Grid;
use super::scale::{Scale, Spread, Tick, decimals, rounds};
use super::{Machine, Report, Section};
use crate::measure::doubt;
use crate::measure::record::Workload;
use crate::measure::statistics::quantile;
use crate::measure::units;
use crate::measure::workload::Threads;

/// The samples of a workload on a machine.
struct Strip<'a> {
    workload: &'a Workload,
    median: f64,
    /// The first and the third quartile.
    quartiles: (f64, f64),
}

impl Strip<'_> {
    /// How far a time is from the median, as a share of it.
    fn distance(&self, seconds: f64) -> f64 {
        seconds / self.median - 1.0
    }
}

pub(super) fn section<'a>(report: &'a Report<'a>) -> Section<'a> {
    Section {
        name: "samples",
        title: "Samples",
        about: "Every sample of every workload, a chart a machine, as its distance from the median of its own workload: in \
                a row, the first sample is at the top and the last at the bottom, so that a drift shows as a slope. The \
                shade holds the middle half; samples beyond the scale lie as triangles at its edge. Narrower is steadier; \
                ~ marks intervals wider than ± 2.5 %."
            .to_owned(),
        missing: None,
        draw: Box::new(move |width| draw(report, width)),
        table: None,
    }
}

fn strips<'a>(report: &Report<'a>, machine: &Machine<'a>) -> Vec<Strip<'a>> {
    let workloads = machine.record.workloads.iter().filter(|workload| report.holds(&workload.id));
    let strip = |workload: &'a Workload| {
        let quartiles = (quantile(&workload.seconds, 0.25), quantile(&workload.seconds, 0.75));
        Strip { workload, median: workload.median_seconds(), quartiles }
    };
    workloads.map(strip).collect()
}

/// A workload in a few words.
fn label(workload: &Workload) -> String {
    let threads = match workload.id.threads {
        Threads::All => ", all".to_owned(),
        Threads::Exactly(1) => String::new(),
        Threads::Exactly(threads) => format!(", {threads} threads"),
    };
    let mark = if doubt::is_wide(workload) { "~ " } else { "" };
    format!("{mark}{} {}{threads}", workload.id.solver, workload.id.size)
}

/// The scale's end: most samples are on it, and a few far ones do not squeeze them together.
fn reach<'a, 'b: 'a>(strips: impl Iterator<Item = &'a Strip<'b>>) -> f64 {
    let distances: Vec<f64> = strips
        .flat_map(|strip| strip.workload.seconds.iter().map(|&seconds| strip.distance(seconds).abs()))
        .filter(|distance| distance.is_finite())
        .collect();
    let most = quantile(&distances, 0.95) * 1.3;
    let all = distances.into_iter().fold(0.0, f64::max);
    all.min(most).clamp(0.01, 0.5)
}

fn draw(report: &Report<'_>, width: Width) -> Vec<Drawing> {
    const STRIP: f64 = 16.0;
    let machines: Vec<&Machine<'_>> = report.machines.iter().collect();
    let all: Vec<Vec<Strip<'_>>> = machines.iter().map(|machine| strips(report, machine)).collect();
    // Words take room beside the strips: two charts side by side, at most.
    let mut grid = Grid::new(machines.len().min(2), width, 118.0);
    let most = all.iter().map(Vec::len).max().unwrap_or(1);
    grid.height = 28.0 + STRIP * most as f64 + 8.0 + 22.0;
    let plot = grid.plot();
    let reach = reach(all.iter().flatten());
    let values = rounds((-reach, reach), 4);
    let (first, last) = (values[0], values[values.len() - 1]);
    let x = Scale::new(Spread::Linear, (first, last), (plot.left + 8.0, plot.right - 16.0));
    let step = 100.0 * (values[1] - first);
    let ticks: Vec<Tick> = values.iter().map(|&value| (value, signed(value, step))).collect();
    let back = html! { (plot.x_frame(&x, &ticks)) };
    grid.draw(&machines, ("samples", width), (html! {}, 4.0), &back, |index| {
        html! {
            @for (place, strip) in all[index].iter().enumerate() {
                @let y = plot.top + 2.0 + STRIP * place as f64;
                (text(0.0, y + 11.5, &elided(&label(strip.workload), 11.5, plot.left - 6.0), Style { size: 11.5, ..Style::default() }))
                (strip_of(strip, &machines[index].name, y, STRIP - 3.0, &x))
            }
        }
    })
}

/// A share as a change in percent; the minus is a real one, as wide as the plus.
fn signed(share: f64, step: f64) -> String {
    let percent = 100.0 * share;
    if percent.abs() < step / 1e4 {
        return "0 %".to_owned();
    }
    format!("{percent:+.*} %", decimals(step)).replace('-', "−")
}

fn strip_of(strip: &Strip<'_>, machine: &str, top: f64, height: f64, x: &Scale) -> Markup {
    let samples = &strip.workload.seconds;
    let mut dots = String::new();
    let mut beyond = String::new();
    for (index, &seconds) in samples.iter().enumerate() {
        let distance = strip.distance(seconds);
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
    let (low, high) = (x.at(strip.distance(strip.quartiles.0)), x.at(strip.distance(strip.quartiles.1)));
    let words = format!(
        "{machine}: {}: {} samples, median {}, {}",
        strip.workload.id,
        samples.len(),
        units::seconds(strip.median),
        units::spread(&strip.workload.estimate(), samples.len())
    );
    html! {
        g data-t=(words) {
            rect.box.accent x=(at(low)) y=(at(top)) width=(at((high - low).max(1.0))) height=(height) {}
            path.median.accent d=(format!("M{} {}v{height}", at(x.at(0.0)), at(top))) {}
            path.dots.accent d=(dots) {}
            @if !beyond.is_empty() { path.bar.accent d=(beyond) {} }
        }
    }
}
