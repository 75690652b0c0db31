//! The machines in order of their speed.

use maud::html;

use super::table::PageTable;
use super::{Report, Section, facts};
use crate::bench::rank::{Place, Ranking};
use crate::bench::score;
use crate::bench::score::POINTS;
use crate::bench::statistics::Estimate;
use crate::draw::scale::{Scale, figures, range};
use crate::draw::svg::{Drawing, Plot, Style, WIDTH, at, elided, name, text};
use crate::terminal::plural::plural;

pub(crate) fn section(report: &Report<'_>) -> Section {
    let rankings = &report.comparison.rankings;
    let missing = "No workload of a frozen solver is in more than half of the records.";
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
    let what = match anchor {
        Some(anchor) => format!(
            "The score of each machine in points. The anchor {anchor} has {POINTS}; twice the points is half the time."
        ),
        None => format!("How many times as fast as {} each machine is.", report.comparison.reference()),
    };
    format!(
        "{what} It is the geometric mean over the workloads of the frozen solvers that more than half of the records have. \
         Workloads under 1 ms on the anchor weigh a quarter. The thin line is the 95 % interval. Machines whose intervals \
         overlap share a rank. The axis is logarithmic. ~ and a pale dot mark a machine whose times should not be trusted.{}",
        unranked(report)
    )
}

/// How many machines are in no ranking, and why.
fn unranked(report: &Report<'_>) -> String {
    let is_ranked = |machine: usize| report.comparison.rankings.iter().any(|ranking| ranking.place(machine).is_some());
    let unranked = report.machines.iter().filter(|machine| !is_ranked(machine.at));
    let (lacking, busy): (Vec<_>, Vec<_>) = unranked.partition(|machine| score::may_have_one(machine.record));
    let mut words = String::new();
    for (count, why) in [
        (busy.len(), "other programs used half a core or more"),
        (lacking.len(), "some of these workloads are missing"),
    ] {
        if count > 0 {
            words += &format!(" Without a rank because {why}: {}.", plural(count, "machine"));
        }
    }
    words
}

/// A score or a speed with its interval, marked if it is doubtful.
fn interval(ranking: &Ranking, place: &Place) -> String {
    let Estimate { value, low, high } = place.speed;
    let mark = if place.is_doubtful { "~ " } else { "" };
    let [value_shown, low_shown, high_shown] = [value, low, high].map(|speed| ranking.figure(speed));
    if low == high {
        format!("{mark}{value_shown}")
    } else {
        format!("{mark}{value_shown} ({low_shown} to {high_shown})")
    }
}

fn panel(report: &Report<'_>, ranking: &Ranking) -> Drawing {
    const TOP: f64 = 26.0;
    const ROW: f64 = 24.0;
    const MIDDLE: f64 = 12.0;
    let places = &ranking.places;
    let plot = Plot { left: 392.0, right: WIDTH - 206.0, top: TOP, bottom: TOP + ROW * places.len() as f64 + 4.0 };
    let unit = if ranking.anchor.is_some() { POINTS } else { 1.0 };
    let speeds = range(places.iter().flat_map(|place| [unit * place.speed.low, unit * place.speed.high]));
    let ticks = figures(speeds.unwrap_or((1.0, 1.0)), 5);
    let ends = (ticks.first().map_or(1.0, |tick| tick.0), ticks.last().map_or(1.0, |tick| tick.0));
    let scale = Scale::new(ends, (plot.left, plot.right));
    let across = |speed: f64| at(scale.at(unit * speed));
    let axis = match ranking.anchor {
        Some(_) => "points".to_owned(),
        None => format!("times as fast as {}", report.comparison.reference()),
    };
    let axis = format!("{axis}, mean of {} workloads, logarithmic", ranking.workloads.len());
    let small = Style { size: 12.0, ..Style::MUTED };
    let body = html! {
        (text(0.0, 14.0, score::title(ranking.threads), Style::STRONG))
        (text(256.0, 14.0, "cores / threads, clock", small))
        (plot.x_axis(&scale, &ticks, &elided(&axis, 12.5, WIDTH - plot.left)))
        @for (index, place) in places.iter().enumerate() {
            @let machine = report.machine(place.machine);
            @let Estimate { value, low, high } = place.speed;
            g.row transform=(format!("translate(0 {})", at(TOP + ROW * index as f64))) {
                (text(0.0, 15.0, &place.rank.to_string(), small))
                (name(&machine.name, (28.0, 16.0), 218.0))
                (text(256.0, 16.0, &elided(&facts::in_short(machine.record), 12.0, 130.0), small))
                path.grid d=(format!("M{} {MIDDLE}H{}", at(plot.left), across(value))) {}
                path.mark.accent fill-opacity=[place.is_doubtful.then_some("0.35")]
                    d=(format!("M{} {MIDDLE}a6 6 0 1 0 12 0a6 6 0 1 0 -12 0z", at(scale.at(unit * value) - 6.0))) {}
                @if high > low { path.interval d=(format!("M{} {MIDDLE}H{}", across(low), across(high))) {} }
                (text(WIDTH, 16.0, &interval(ranking, place), Style::default().anchored("end")))
            }
        }
    };
    Drawing { width: WIDTH, height: plot.bottom + 44.0, body }
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
            ranking.place(machine.at).map_or_else(|| "not ranked".to_owned(), |place| interval(ranking, place))
        });
        fixed.into_iter().chain(scores).collect()
    });
    let caption = match rankings.iter().find_map(|ranking| ranking.anchor) {
        Some(anchor) => format!("Scores in points, with 95 % intervals; the anchor {anchor} has {POINTS}"),
        None => format!("Times as fast as {}, with 95 % intervals", report.comparison.reference()),
    };
    PageTable { caption, head, words: 1, rows: rows.collect() }
}
