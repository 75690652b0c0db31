//! The machines in order of their speed.

use maud::{Markup, html};

use super::table::PageTable;
use super::{PageMachine, Report, Section, facts};
use crate::bench::rank::{Place, Ranking};
use crate::bench::score;
use crate::bench::score::POINTS;
use crate::bench::statistics::Estimate;
use crate::bench::workload::Threads;
use crate::draw::scale::{Scale, Spread, Tick, decimals, figures, range, rounds};
use crate::draw::svg::{Drawing, Plot, Style, WIDTH, at, elided, name, text};

pub(crate) fn section(report: &Report<'_>) -> Section {
    let rankings = &report.comparison.rankings;
    let missing = "No workload on one thread or on all threads is in more than half of the records.";
    Section {
        name: "ranking",
        title: if report.machines.len() == 1 { "Scores" } else { "Ranking" },
        about: about(report),
        missing: rankings.is_empty().then_some(missing),
        drawings: rankings.iter().map(|ranking| panel(report, ranking)).collect(),
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

/// The same with its interval, marked where it is doubtful.
fn interval(ranking: &Ranking, place: &Place) -> String {
    let Estimate { value, low, high } = place.speed;
    let mark = if place.is_doubtful { "~ " } else { "" };
    let [value_shown, low_shown, high_shown] = [value, low, high].map(|speed| figure(ranking, speed));
    if low == value && high == value {
        format!("{mark}{value_shown}")
    } else {
        format!("{mark}{value_shown} ({low_shown} to {high_shown})")
    }
}

fn panel(report: &Report<'_>, ranking: &Ranking) -> Drawing {
    const TOP: f64 = 26.0;
    const ROW: f64 = 24.0;
    let places = &ranking.places;
    let plot = Plot { left: 392.0, right: WIDTH - 206.0, top: TOP, bottom: TOP + ROW * places.len() as f64 + 4.0 };
    let (unit, scale, ticks) = axis(ranking, (plot.left, plot.right));
    let is_log = ranking.threads == Threads::All;
    let title = score::title(ranking.threads);
    let title = format!("{}{}", title[..1].to_uppercase(), &title[1..]);
    let count = ranking.workloads.len();
    let mean = if count == 1 { String::new() } else { format!(" (mean of {count} workloads)") };
    let unit_words = match ranking.anchor {
        Some(_) => "points".to_owned(),
        None => format!("times as fast as {}", report.comparison.reference()),
    };
    let axis = format!("{unit_words}{}{mean}", if is_log { ", logarithmic" } else { "" });
    let small = Style { size: 12.0, ..Style::MUTED };
    let body = html! {
        (text(0.0, 14.0, &title, Style::STRONG))
        (text(256.0, 14.0, "cores / threads, clock", small))
        (plot.x_axis(&scale, &ticks, &elided(&axis, 12.5, WIDTH - plot.left)))
        @for (index, place) in places.iter().enumerate() {
            @let machine = report.machine(place.machine);
            g.row transform=(format!("translate(0 {})", at(TOP + ROW * index as f64))) {
                @if report.machines.len() > 1 { (text(0.0, 15.0, &place.rank.to_string(), small)) }
                (name(&machine.name, (28.0, 16.0), 218.0))
                (text(256.0, 16.0, &elided(&facts::in_short(machine.record), 12.0, 130.0), small))
                (bar(place, is_log, |speed| scale.at(unit * speed), plot.left))
                (text(WIDTH, 16.0, &interval(ranking, place), Style::default().anchored("end")))
            }
        }
    };
    Drawing { width: WIDTH, height: plot.bottom + 44.0, body }
}

/// A speed and its interval. A bar says that twice its length is twice as much, which a logarithmic axis does not say.
fn bar(place: &Place, is_log: bool, across: impl Fn(f64) -> f64, left: f64) -> Markup {
    let Estimate { value, low, high } = place.speed;
    let (end, middle) = (across(value), 12.0);
    html! {
        @if is_log {
            path.grid d=(format!("M{} {middle}H{}", at(left), at(end))) {}
            path.mark.accent fill-opacity=[place.is_doubtful.then_some("0.35")]
                d=(format!("M{} {middle}a6 6 0 1 0 12 0a6 6 0 1 0 -12 0z", at(end - 6.0))) {}
        } @else {
            rect class={ "bar accent" @if place.is_doubtful { " doubtful" } } x=(at(left)) y="5" height="14"
                width=(at((end - left).max(1.0))) rx="2" {}
        }
        @if high > low { path.interval d=(format!("M{} {middle}H{}", at(across(low)), at(across(high)))) {} }
    }
}

/// What 1 is on the axis, where values lie on it, and its labels. On one thread machines differ by a few times, and bars
/// begin at 0; on all threads they differ by a hundred times.
fn axis(ranking: &Ranking, ends: (f64, f64)) -> (f64, Scale, Vec<Tick>) {
    let unit = if ranking.anchor.is_some() { POINTS } else { 1.0 };
    let speeds = ranking.places.iter().flat_map(|place| [place.speed.low, place.speed.high]);
    let (low, high) = range(speeds).map_or((1.0, 1.0), |(low, high)| (unit * low, unit * high));
    const STEPS: usize = 5;
    if ranking.threads == Threads::All {
        let ticks = figures((low, high), STEPS);
        let ends_of = (ticks.first().map_or(1.0, |tick| tick.0), ticks.last().map_or(1.0, |tick| tick.0));
        return (unit, Scale::new(Spread::Log, ends_of, ends), ticks);
    }
    let values = rounds((0.0, high), STEPS);
    let ticks = values.iter().map(|value| (*value, format!("{value:.*}", decimals(values[1])))).collect();
    (unit, Scale::new(Spread::Linear, (0.0, values[values.len() - 1]), ends), ticks)
}

fn table(report: &Report<'_>) -> PageTable {
    let rankings = &report.comparison.rankings;
    let mut head: Vec<String> = ["machine", "cores", "usable CPUs"].map(str::to_owned).to_vec();
    head.extend(rankings.iter().map(|ranking| score::title(ranking.threads).to_owned()));
    let rows = report.machines.iter().map(|machine| {
        let facts = &machine.record.machine;
        let cores = facts.cores.map_or_else(|| "unknown".to_owned(), |cores| cores.to_string());
        let fixed = [machine.name.clone(), cores, facts.usable_cpus.to_string()];
        let scores = rankings.iter().map(|ranking| {
            let place = ranking.places.iter().find(|place| place.machine == machine.at);
            place.map_or_else(|| "not ranked".to_owned(), |place| interval(ranking, place))
        });
        fixed.into_iter().chain(scores).collect()
    });
    let caption = match rankings.iter().find_map(|ranking| ranking.anchor) {
        Some(anchor) => format!("Scores in points, with 95 % intervals; the anchor {anchor} has {POINTS}"),
        None => format!("Times as fast as {}, with 95 % intervals", report.comparison.reference()),
    };
    PageTable { caption, head, words: 1, rows: rows.collect() }
}
