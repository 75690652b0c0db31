//! The machines in order of their speed, with bars.

use maud::{Markup, html};

use super::{Report, facts, table};
use crate::bench::rank::{Place, Ranking};
use crate::bench::score;
use crate::bench::score::POINTS;
use crate::bench::statistics::Estimate;
use crate::terminal::plural::plural;

pub(crate) fn section(report: &Report<'_>) -> Markup {
    let rankings = &report.comparison.rankings;
    if rankings.is_empty() {
        return html! { p { "No workload of a frozen solver is in more than half of the records." } };
    }
    html! {
        p.about { (about(report)) }
        @for ranking in rankings { (ranked(report, ranking)) }
    }
}

/// How to read the tables.
fn about(report: &Report<'_>) -> String {
    let anchor = report.comparison.rankings.iter().find_map(|ranking| ranking.anchor);
    let what = match anchor {
        Some(anchor) => format!(
            "The score of each machine in points. The anchor {anchor} has {POINTS}; twice the points means half the time."
        ),
        None => format!("The speed of each machine divided by the speed of {}.", report.comparison.reference()),
    };
    format!(
        "{what} It is the geometric mean over the workloads of the frozen solvers that more than half of the records have. \
         Workloads under 1 ms on the anchor weigh a quarter. In brackets is the 95 % interval. Machines whose intervals \
         overlap share a rank. ~ and a pale bar mark a machine whose times you should doubt.{}",
        unranked(report)
    )
}

/// Says how many machines are in no ranking, and why.
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

fn ranked(report: &Report<'_>, ranking: &Ranking) -> Markup {
    let unit = match ranking.anchor {
        Some(_) => "points".to_owned(),
        None => format!("times as fast as {}", report.comparison.reference()),
    };
    let title = score::title(ranking.threads);
    let caption = format!("{title}: {unit}, mean of {}", plural(ranking.workloads.len(), "workload"));
    let best = ranking.places.iter().map(|place| place.speed.value).fold(0.0, f64::max);
    let machines = ranking
        .places
        .iter()
        .filter_map(|place| Some((place, report.machines.iter().find(|m| m.at == place.machine)?)));
    let rows = html! {
        @for (place, machine) in machines {
            tr {
                td { (place.rank) }
                th scope="row" { (machine.name) small { (facts::in_short(machine.record)) } }
                td.score {
                    (interval(ranking, place))
                    div.bar.pale[place.is_doubtful] style=(format!("width:{:.1}%", 100.0 * place.speed.value / best)) {}
                }
            }
        }
    };
    table(&caption, &html! { th scope="col" { "#" } th scope="col" { "machine" } th scope="col" { (unit) } }, &rows)
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
