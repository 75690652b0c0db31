//! The headline scores as bars.

use maud::{Markup, html};

use super::draw::{Drawing, Plot, Style, Width, at, elided, text};
use super::scale::{Scale, Spread, Tick, decimals, rounds};
use super::table::Table;
use super::theme::machine_class;
use super::{Machine, Section};
use crate::measure::workload::Threads;
use crate::measure::{WorkloadId, score};

/// A record's scores.
struct Score {
    machine: usize,
    baseline: String,
    one_thread: Option<f64>,
    all_threads: Option<f64>,
}

/// Records whose scores are comparable: of one suite, against one baseline.
struct Group<'a> {
    suite: &'a str,
    baseline: String,
    /// What the scores are means over: somebody may have edited a record.
    workloads: Vec<&'a WorkloadId>,
    scores: Vec<Score>,
}

pub(super) fn section<'a>(machines: &'a [Machine<'a>]) -> Section<'a> {
    let groups = groups(machines);
    let table = table(machines, &groups);
    let missing =
        "No record has a score: the suites of 'nqueens bench' are scored, workloads chosen one by one are not.";
    Section {
        name: "scores",
        title: "Scores",
        about:
            "How many times as fast as the baseline: the geometric mean over a suite's workloads of one thread, and of \
                all threads. Longer bars are better. Scores compare only within one suite and one baseline."
                .to_owned(),
        missing: groups.is_empty().then_some(missing),
        draw: Box::new(move |width| draw(machines, &groups, width)),
        table,
    }
}

/// Scores are derived anew, so that records made against other baselines compare; where this program's baseline lacks a
/// workload, those that stand in the record are shown. A record without scores, such as one of workloads that somebody
/// chose, gets none.
fn groups<'a>(machines: &[Machine<'a>]) -> Vec<Group<'a>> {
    let baseline = score::baseline();
    let mut groups: Vec<Group<'_>> = Vec::new();
    for (machine, Machine { record, .. }) in machines.iter().enumerate() {
        let Some(recorded) = record.scores.clone() else { continue };
        let derived = baseline.as_ref().map(|baseline| score::scores(record, baseline));
        let found = derived
            .into_iter()
            .chain([recorded])
            .find(|scores| scores.one_thread.is_some() || scores.all_threads.is_some());
        let Some(scores) = found else { continue };
        let mut workloads: Vec<&WorkloadId> = record.workloads.iter().map(|workload| &workload.id).collect();
        workloads.retain(|id| matches!(id.threads, Threads::Exactly(1) | Threads::All));
        workloads.sort_unstable();
        let score = Score {
            machine,
            baseline: scores.baseline,
            one_thread: scores.one_thread.filter(|score| score.is_finite()),
            all_threads: scores.all_threads.filter(|score| score.is_finite()),
        };
        let is_alike = |group: &&mut Group<'_>| {
            group.suite == record.suite && group.baseline == score.baseline && group.workloads == workloads
        };
        match groups.iter_mut().find(is_alike) {
            Some(group) => group.scores.push(score),
            None => groups.push(Group {
                suite: &record.suite,
                baseline: score.baseline.clone(),
                workloads,
                scores: vec![score],
            }),
        }
    }
    groups
}

fn shown(score: f64) -> String {
    match score {
        _ if score >= 100.0 => format!("{score:.0}"),
        _ if score >= 10.0 => format!("{score:.1}"),
        _ if score >= 0.01 => format!("{score:.2}"),
        _ => format!("{score:.1e}"),
    }
}

fn draw(machines: &[Machine<'_>], groups: &[Group<'_>], width: Width) -> Drawing {
    let mut bottom = 0.0;
    let parts: Vec<Markup> = groups
        .iter()
        .map(|group| {
            let (part, end) = draw_group(machines, group, bottom, width);
            bottom = end + 20.0;
            part
        })
        .collect();
    let body = html! { @for part in &parts { (part) } };
    Drawing { width: width.pixels(), height: bottom - 20.0, body }
}

/// A group below `top`, and where it ends.
fn draw_group(machines: &[Machine<'_>], group: &Group<'_>, top: f64, width: Width) -> (Markup, f64) {
    /// Room for the words at the left.
    const KIND: f64 = 76.0;
    const BAR: f64 = 16.0;
    const NAME: f64 = 26.0;
    let full = width.pixels();
    let plot_top = top + 44.0;
    let mut y = plot_top;
    let mut names = Vec::new();
    let mut bars = Vec::new();
    for score in &group.scores {
        names.push((y, machines[score.machine].name.as_str()));
        y += NAME;
        for (kind, value) in [("1 thread", score.one_thread), ("all threads", score.all_threads)] {
            let Some(value) = value else { continue };
            bars.push((y, score.machine, kind, value));
            y += BAR + 5.0;
        }
    }
    let plot = Plot { left: KIND, right: full - 52.0, top: plot_top, bottom: y + 4.0 };

    let most = bars.iter().map(|bar| bar.3).fold(1.0, f64::max);
    let values = rounds((0.0, most), if width.is_narrow() { 4 } else { 8 });
    let scale = Scale::new(Spread::Linear, (0.0, values[values.len() - 1]), (plot.left, plot.right));
    let ticks: Vec<Tick> = values.iter().map(|value| (*value, format!("{value:.*}", decimals(values[1])))).collect();
    let heading = format!("Suite {}, baseline {} = 1", group.suite, group.baseline);
    let small = Style { size: 12.0, ..Style::MUTED };
    let one = scale.at(1.0);
    let body = html! {
        (text(0.0, top + 14.0, &elided(&heading, 12.5, full), Style::STRONG))
        (plot.x_axis(&scale, &ticks, "times as fast as the baseline"))
        @for (y, machine, kind, value) in &bars {
            (text(0.0, y + 12.5, kind, small))
            rect class={ "bar " (machine_class(*machine)) } x=(KIND) y=(at(*y)) height=(BAR)
                width=(at((scale.at(*value) - KIND).max(1.0))) rx="2" {
                title { (machines[*machine].name) ", " (kind) ": " (shown(*value)) }
            }
        }
        path.reference d=(format!("M{} {}V{}", at(one), at(plot.top), at(plot.bottom))) {}
        (text(one, plot.top - 6.0, "baseline", Style { size: 12.0, ..Style::default() }.anchored("middle")))
        @for (y, name) in &names {
            (text(0.0, y + 18.0, &elided(name, 12.5, full), Style { class: "halo", ..Style::default() }))
        }
        @for (y, _, _, value) in &bars {
            (text(scale.at(*value) + 6.0, y + 12.5, &shown(*value), Style { class: "strong halo", ..Style::default() }))
        }
    };
    (body, plot.bottom + 44.0)
}

fn table(machines: &[Machine<'_>], groups: &[Group<'_>]) -> Table {
    let score = |score: Option<f64>| score.map_or_else(|| "–".to_owned(), |score| format!("{score:.3}"));
    let rows = machines.iter().enumerate().map(|(index, machine)| {
        let found = groups.iter().flat_map(|group| &group.scores).find(|score| score.machine == index);
        vec![
            machine.name.clone(),
            machine.record.suite.clone(),
            found.map_or_else(|| "–".to_owned(), |score| score.baseline.clone()),
            score(found.and_then(|score| score.one_thread)),
            score(found.and_then(|score| score.all_threads)),
        ]
    });
    Table {
        caption: "Scores: times as fast as the baseline".to_owned(),
        head: ["machine", "suite", "baseline", "1 thread", "all threads"].map(str::to_owned).to_vec(),
        words: 3,
        rows: rows.collect(),
    }
}
