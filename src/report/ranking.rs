//! The machines in order of their speed.

use maud::html;

use super::draw::{Drawing, Plot, Style, Width, at, elided, name, text};
use super::scale::{Scale, Spread, Tick, decimals, rounds};
use super::table::{Cell, Row, Table};
use super::{Machine, Report, Section, facts};
use crate::measure::compare::{Place, Ranking};
use crate::measure::score;
use crate::measure::statistics::Estimate;

pub(super) fn section<'a>(report: &'a Report<'a>) -> Section<'a> {
    let rankings = &report.comparison.rankings;
    let is_alone = report.machines.len() == 1;
    let (reference, subject, which) = (
        report.comparison.reference(),
        if is_alone { "this machine is" } else { "each machine is, the fastest first" },
        if is_alone { "its workloads" } else { "the workloads that more than half of the records have" },
    );
    let about = format!(
        "How many times as fast as {reference} {subject}: the geometric mean over {which}, toys (under 1 ms on the anchor) \
         weighing a quarter. Frozen solvers stay as they are, so they compare machines measured by different programs; the \
         newest code compares fairly only where the commits are the same. The thin line is the 95 % interval, from the \
         intervals of the workloads' medians. ~ marks a machine whose times should not be trusted.{}",
        unranked(report)
    );
    let missing = "No workload on one thread or on all threads is in more than half of the records.";
    Section {
        name: "ranking",
        title: if report.machines.len() == 1 { "Scores" } else { "Ranking" },
        about,
        missing: rankings.is_empty().then_some(missing),
        draw: Box::new(move |width| draw(report, width)),
        table: (!rankings.is_empty()).then(|| table(report)),
    }
}

/// How many machines are in no ranking, in words.
fn unranked(report: &Report<'_>) -> String {
    let is_ranked = |machine: &Machine<'_>| {
        let mut places = report.comparison.rankings.iter().flat_map(|ranking| &ranking.places);
        places.any(|place| place.machine == machine.at)
    };
    match report.machines.iter().filter(|machine| !is_ranked(machine)).count() {
        0 => String::new(),
        1 => " One machine lacks some of these workloads and is not ranked.".to_owned(),
        count => format!(" {count} machines lack some of these workloads and are not ranked."),
    }
}

/// A speed with the digits that it deserves.
pub(super) fn shown(speed: f64) -> String {
    match speed {
        _ if speed >= 100.0 => format!("{speed:.0}"),
        _ if speed >= 10.0 => format!("{speed:.1}"),
        _ if speed >= 0.095 => format!("{speed:.2}"),
        _ if speed >= 0.000_95 => format!("{speed:.4}"),
        _ => format!("{speed:.1e}"),
    }
}

fn interval(Estimate { value, low, high }: Estimate) -> String {
    if low == value && high == value {
        return shown(value);
    }
    match value {
        _ if value < 0.000_95 => format!("{value:.2e} ({low:.2e} to {high:.2e})"),
        _ if value >= 10.0 => format!("{value:.1} ({low:.1} to {high:.1})"),
        _ => {
            let digits = if value < 0.0095 { 5 } else { 3 + usize::from(value < 0.095) };
            format!("{value:.digits$} ({low:.digits$} to {high:.digits$})")
        }
    }
}

fn draw(report: &Report<'_>, width: Width) -> Vec<Drawing> {
    report.comparison.rankings.iter().map(|ranking| panel(report, ranking, width)).collect()
}

fn panel(report: &Report<'_>, ranking: &Ranking, width: Width) -> Drawing {
    let (full, is_narrow) = (width.pixels(), width.is_narrow());
    // On a phone the words stand above their bar.
    let (left, right, row) = if is_narrow { (12.0, 58.0, 38.0) } else { (392.0, 182.0, 24.0) };
    let plot_top = 26.0;
    let places = &ranking.places;
    let plot = Plot { left, right: full - right, top: plot_top, bottom: plot_top + row * places.len() as f64 + 4.0 };
    let most = places.iter().map(|place| place.speed.high).fold(0.0, f64::max);
    let values = rounds((0.0, most), if is_narrow { 4 } else { 5 });
    let scale = Scale::new(Spread::Linear, (0.0, values[values.len() - 1]), (plot.left, plot.right));
    let ticks: Vec<Tick> = values.iter().map(|value| (*value, format!("{value:.*}", decimals(values[1])))).collect();
    let title = ranking.title();
    let title = format!("{}{}", title[..1].to_uppercase(), &title[1..]);
    let count = ranking.workloads.len();
    let mean = if count == 1 { String::new() } else { format!(" (mean of {count} workloads)") };
    let is_alone = report.machines.len() == 1;
    // On a phone what the mean is of stands above, where there is room.
    let (title, axis) = if is_narrow { (title + &mean, String::new()) } else { (title, mean) };
    let axis = format!("times as fast as {}{axis}", report.comparison.reference());
    let bar_top = if is_narrow { 20.0 } else { 5.0 };
    let small = Style { size: 12.0, ..Style::MUTED };
    let body = html! {
        (text(0.0, 14.0, &elided(&title, 12.5, if is_narrow { full } else { 246.0 }), Style::STRONG))
        @if !is_narrow { (text(256.0, 14.0, "cores / threads, clock", small)) }
        (plot.x_axis(&scale, &ticks, &elided(&axis, 12.5, plot.right - plot.left + right)))
        g.rows data-row=(row) {
            @for (index, place) in places.iter().enumerate() {
                @let machine = report.machine(place.machine);
                @let Estimate { value, low, high } = place.speed;
                @let words = format!("{}: {}{}", machine.name, interval(place.speed), if place.is_doubtful { ", not to be trusted" } else { "" });
                g.row data-m=(machine.at) data-t=(words) transform=(format!("translate(0 {})", at(plot_top + row * index as f64))) {
                    rect.hit x="0" y="0" width=(full) height=(row) {}
                    @if !is_alone { (text(0.0, 15.0, &format!("{}", index + 1), small)) }
                    @if is_narrow {
                        (name(machine, (24.0, 15.0), full - 130.0, width))
                        (text(full, 15.0, &elided(&brief(machine), 12.0, 100.0), small.anchored("end")))
                    } @else {
                        (name(machine, (28.0, 16.0), 218.0, width))
                        (text(256.0, 16.0, &elided(&facts::in_short(machine.record), 12.0, 130.0), small))
                    }
                    rect class={ "bar accent" @if place.is_doubtful { " doubtful" } } x=(at(plot.left)) y=(bar_top) height="14"
                        width=(at((scale.at(value) - plot.left).max(1.0))) rx="2" {}
                    @if high > low {
                        path.interval d=(format!("M{} {}H{}", at(scale.at(low)), bar_top + 7.0, at(scale.at(high)))) {}
                    }
                    @if is_narrow {
                        (text(full, bar_top + 12.0, &marked(place, shown(value)), Style { class: "strong", ..Style::default() }.anchored("end")))
                    } @else {
                        (text(full, 16.0, &marked(place, interval(place.speed)), Style { class: "", ..Style::default() }.anchored("end")))
                    }
                }
            }
        }
    };
    Drawing { width: full, height: plot.bottom + 44.0, body }
}

fn brief(machine: &Machine<'_>) -> String {
    let cpus = machine.record.machine.usable_cpus;
    format!("{cpus} thread{}", if cpus == 1 { "" } else { "s" })
}

fn marked(place: &Place, words: String) -> String {
    if place.is_doubtful { format!("~ {words}") } else { words }
}

fn table(report: &Report<'_>) -> Table {
    let rankings = &report.comparison.rankings;
    let anchor = score::anchor();
    let mut head: Vec<String> = ["machine", "cores", "usable CPUs"].map(str::to_owned).to_vec();
    head.extend(rankings.iter().map(Ranking::title));
    head.extend(["score, one thread", "score, all threads"].map(str::to_owned));
    let rows = report.machines.iter().map(|machine| {
        let facts = &machine.record.machine;
        let cores = facts.cores.map_or_else(|| Cell::from("unknown"), Cell::from);
        let mut cells = vec![machine.name.clone().into(), cores, facts.usable_cpus.into()];
        cells.extend(rankings.iter().map(|ranking| {
            let place = ranking.places.iter().find(|place| place.machine == machine.at);
            place.map_or_else(
                || Cell::from("not ranked"),
                |place| Cell(marked(place, interval(place.speed)), Some(place.speed.value)),
            )
        }));
        // Only a suite has a score: workloads that somebody chose have none.
        let anchor = anchor.filter(|_| machine.record.scores.is_some());
        let scores = anchor.map_or([None; 4], |anchor| score::estimates(machine.record, anchor));
        cells.extend(scores[..2].iter().map(|score| match score {
            Some(score) => Cell(interval(*score), Some(score.value)),
            None => Cell::from("–"),
        }));
        Row { machine: Some(machine.at), cells }
    });
    let anchor = anchor.map_or("none", |anchor| anchor.name.as_str());
    Table {
        caption: format!(
            "Times as fast as {}, with 95 % intervals; scores are those of the frozen solvers against the anchor {anchor} = 1",
            report.comparison.reference()
        ),
        head,
        words: 1,
        rows: rows.collect(),
    }
}
