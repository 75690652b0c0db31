//! The machines in order of their speed.

use maud::{Markup, html};

use super::table::{PageTable, TableCell, TableRow};
use super::{PageMachine, Report, Section, facts};
use crate::bench::rank::{Place, Ranking};
use crate::bench::score;
use crate::bench::score::POINTS;
use crate::bench::statistics::Estimate;
use crate::bench::workload::Threads;
use crate::draw::scale::{Scale, Spread, Tick, decimals, figures, range, rounds};
use crate::draw::svg::{Drawing, Plot, Style, Width, at, elided, name, text};

pub(crate) fn section<'a>(report: &'a Report<'a>) -> Section<'a> {
    let rankings = &report.comparison.rankings;
    let missing = "No workload on one thread or on all threads is in more than half of the records.";
    Section {
        name: "ranking",
        title: if report.machines.len() == 1 { "Scores" } else { "Ranking" },
        about: about(report),
        missing: rankings.is_empty().then_some(missing),
        draw: Box::new(move |width| draw(report, width)),
        table: (!rankings.is_empty()).then(|| table(report)),
    }
}

/// How to read the pictures.
fn about(report: &Report<'_>) -> String {
    let anchor = report.comparison.rankings.iter().find_map(|ranking| ranking.anchor);
    let is_alone = report.machines.len() == 1;
    let what = match (anchor, is_alone) {
        (Some(anchor), _) => {
            let machines = if is_alone { "The machine's" } else { "Each machine's" };
            format!("{machines} score in points. The anchor {anchor} has {POINTS}; twice the points are half the time.")
        }
        (None, _) => format!("How many times as fast as {} each machine is.", report.comparison.reference()),
    };
    let which = if is_alone { "all its workloads" } else { "the workloads that more than half of the records have" };
    let ranks = if is_alone { "" } else { " Machines whose intervals overlap share a rank." };
    format!(
        "{what} It is the geometric mean over {which}; toys (under 1 ms on the anchor) weigh a quarter. The thin line is the \
         95 % interval.{ranks} On all threads the axis is logarithmic. Of the frozen solvers alone: they stay as they \
         are, so they compare machines measured by different programs. ~ marks a machine whose times should not be trusted.{}",
        unranked(report)
    )
}

/// Which machines are in no ranking and why, in words.
fn unranked(report: &Report<'_>) -> String {
    let is_ranked = |machine: &PageMachine<'_>| {
        let mut places = report.comparison.rankings.iter().flat_map(|ranking| &ranking.places);
        places.any(|place| place.machine == machine.at)
    };
    let unranked = report.machines.iter().filter(|machine| !is_ranked(machine));
    let (lacking, busy): (Vec<_>, Vec<_>) = unranked.partition(|machine| score::may_have_one(machine.record));
    let machines = |count: usize| if count == 1 { "1 machine".to_owned() } else { format!("{count} machines") };
    let mut words = String::new();
    if !busy.is_empty() {
        words +=
            &format!(" Without a score because other programs used half a core or more: {}.", machines(busy.len()));
    }
    if !lacking.is_empty() {
        words += &format!(" Without a rank because some of these workloads are missing: {}.", machines(lacking.len()));
    }
    words
}

/// A speed with the digits that it deserves.
pub(crate) fn shown(speed: f64) -> String {
    match speed {
        _ if speed >= 100.0 => format!("{speed:.0}"),
        _ if speed >= 10.0 => format!("{speed:.1}"),
        _ if speed >= 0.095 => format!("{speed:.2}"),
        _ if speed >= 0.000_95 => format!("{speed:.4}"),
        _ => format!("{speed:.1e}"),
    }
}

/// A score or a speed.
fn figure(ranking: &Ranking, speed: f64) -> String {
    if ranking.anchor.is_some() { score::points(speed) } else { shown(speed) }
}

/// The same with its interval.
fn interval(ranking: &Ranking, Estimate { value, low, high }: Estimate) -> String {
    let [value_shown, low_shown, high_shown] = [value, low, high].map(|speed| figure(ranking, speed));
    if low == value && high == value { value_shown } else { format!("{value_shown} ({low_shown} to {high_shown})") }
}

fn draw(report: &Report<'_>, width: Width) -> Vec<Drawing> {
    report.comparison.rankings.iter().map(|ranking| panel(report, ranking, width)).collect()
}

fn panel(report: &Report<'_>, ranking: &Ranking, width: Width) -> Drawing {
    let (full, is_narrow) = (width.pixels(), width.is_narrow());
    // On a phone the words stand above their bar.
    let (left, right, row) = if is_narrow { (12.0, 58.0, 38.0) } else { (392.0, 206.0, 24.0) };
    let plot_top = 26.0;
    let places = &ranking.places;
    let plot = Plot { left, right: full - right, top: plot_top, bottom: plot_top + row * places.len() as f64 + 4.0 };
    let (unit, scale, ticks) = axis(ranking, (plot.left, plot.right), is_narrow);
    let is_log = ranking.threads == Threads::All;
    let title = score::title(ranking.threads);
    let title = format!("{}{}", title[..1].to_uppercase(), &title[1..]);
    let count = ranking.workloads.len();
    let mean = if count == 1 { String::new() } else { format!(" (mean of {count} workloads)") };
    let is_alone = report.machines.len() == 1;
    // On a phone what the mean is of stands above, where there is room.
    let (title, axis) = if is_narrow { (title + &mean, String::new()) } else { (title, mean) };
    let unit_words = match ranking.anchor {
        Some(_) => "points".to_owned(),
        None => format!("times as fast as {}", report.comparison.reference()),
    };
    let axis = format!("{unit_words}{}{axis}", if is_log { ", logarithmic" } else { "" });
    let bar_top = if is_narrow { 20.0 } else { 5.0 };
    let small = Style { size: 12.0, ..Style::MUTED };
    let body = html! {
        (text(0.0, 14.0, &elided(&title, 12.5, if is_narrow { full } else { 246.0 }), Style::STRONG))
        @if !is_narrow { (text(256.0, 14.0, "cores / threads, clock", small)) }
        (plot.x_axis(&scale, &ticks, &elided(&axis, 12.5, plot.right - plot.left + right)))
        g.rows data-row=(row) {
            @for (index, place) in places.iter().enumerate() {
                @let machine = report.machine(place.machine);
                @let words = format!("{}: {}{}{}", machine.name, interval(ranking, place.speed), if ranking.anchor.is_some() { " points" } else { "" }, if place.is_doubtful { ", not to be trusted" } else { "" });
                g.row data-m=(machine.at) data-t=(words) transform=(format!("translate(0 {})", at(plot_top + row * index as f64))) {
                    rect.hit x="0" y="0" width=(full) height=(row) {}
                    @if !is_alone { (text(0.0, 15.0, &place.rank.to_string(), small)) }
                    @if is_narrow {
                        (name(machine.label(), (24.0, 15.0), full - 130.0, width))
                        (text(full, 15.0, &elided(&brief(machine), 12.0, 100.0), small.anchored("end")))
                    } @else {
                        (name(machine.label(), (28.0, 16.0), 218.0, width))
                        (text(256.0, 16.0, &elided(&facts::in_short(machine.record), 12.0, 130.0), small))
                    }
                    (bar(place, is_log, |speed| scale.at(unit * speed), (plot.left, bar_top)))
                    @if is_narrow {
                        (text(full, bar_top + 12.0, &marked(place, figure(ranking, place.speed.value)), Style { class: "strong", ..Style::default() }.anchored("end")))
                    } @else {
                        (text(full, 16.0, &marked(place, interval(ranking, place.speed)), Style { class: "", ..Style::default() }.anchored("end")))
                    }
                }
            }
        }
    };
    Drawing { width: full, height: plot.bottom + 44.0, body }
}

/// A speed and its interval. A bar says that twice its length is twice as much, which a logarithmic axis does not say.
fn bar(place: &Place, is_log: bool, across: impl Fn(f64) -> f64, (left, top): (f64, f64)) -> Markup {
    let Estimate { value, low, high } = place.speed;
    let (end, middle) = (across(value), top + 7.0);
    html! {
        @if is_log {
            path.grid d=(format!("M{} {middle}H{}", at(left), at(end))) {}
            path.mark.accent fill-opacity=[place.is_doubtful.then_some("0.35")]
                d=(format!("M{} {middle}a6 6 0 1 0 12 0a6 6 0 1 0 -12 0z", at(end - 6.0))) {}
        } @else {
            rect class={ "bar accent" @if place.is_doubtful { " doubtful" } } x=(at(left)) y=(top) height="14"
                width=(at((end - left).max(1.0))) rx="2" {}
        }
        @if high > low { path.interval d=(format!("M{} {middle}H{}", at(across(low)), at(across(high)))) {} }
    }
}

/// What 1 is on the axis, where values lie on it, and its labels. On one thread machines differ by a few times, and bars
/// begin at 0; on all threads they differ by a hundred times.
fn axis(ranking: &Ranking, ends: (f64, f64), is_narrow: bool) -> (f64, Scale, Vec<Tick>) {
    let unit = if ranking.anchor.is_some() { POINTS } else { 1.0 };
    let speeds = ranking.places.iter().flat_map(|place| [place.speed.low, place.speed.high]);
    let (low, high) = range(speeds).map_or((1.0, 1.0), |(low, high)| (unit * low, unit * high));
    let steps = if is_narrow { 4 } else { 5 };
    if ranking.threads == Threads::All {
        let ticks = figures((low, high), steps);
        let ends_of = (ticks.first().map_or(1.0, |tick| tick.0), ticks.last().map_or(1.0, |tick| tick.0));
        return (unit, Scale::new(Spread::Log, ends_of, ends), ticks);
    }
    let values = rounds((0.0, high), steps);
    let ticks = values.iter().map(|value| (*value, format!("{value:.*}", decimals(values[1])))).collect();
    (unit, Scale::new(Spread::Linear, (0.0, values[values.len() - 1]), ends), ticks)
}

fn brief(machine: &PageMachine<'_>) -> String {
    let cpus = machine.record.machine.usable_cpus;
    format!("{cpus} thread{}", if cpus == 1 { "" } else { "s" })
}

fn marked(place: &Place, words: String) -> String {
    if place.is_doubtful { format!("~ {words}") } else { words }
}

fn table(report: &Report<'_>) -> PageTable {
    let rankings = &report.comparison.rankings;
    let mut head: Vec<String> = ["machine", "cores", "usable CPUs"].map(str::to_owned).to_vec();
    head.extend(rankings.iter().map(|ranking| score::title(ranking.threads).to_owned()));
    let rows = report.machines.iter().map(|machine| {
        let facts = &machine.record.machine;
        let cores = facts.cores.map_or_else(|| TableCell::from("unknown"), TableCell::from);
        let mut cells = vec![machine.name.clone().into(), cores, facts.usable_cpus.into()];
        cells.extend(rankings.iter().map(|ranking| {
            let place = ranking.places.iter().find(|place| place.machine == machine.at);
            place.map_or_else(
                || TableCell::from("not ranked"),
                |place| TableCell(marked(place, interval(ranking, place.speed)), Some(place.speed.value)),
            )
        }));
        TableRow { machine: Some(machine.at), cells }
    });
    let caption = match rankings.iter().find_map(|ranking| ranking.anchor) {
        Some(anchor) => format!("Scores in points, with 95 % intervals; the anchor {anchor} has {POINTS}"),
        None => format!("Times as fast as {}, with 95 % intervals", report.comparison.reference()),
    };
    PageTable { caption, head, words: 1, rows: rows.collect() }
}
