//! The report: one HTML file with tables made from records. It needs no network and has no script.
//!
//! The parts are the ranking, the heat map of workloads, the thread scaling and the facts of each machine. `maud`
//! escapes every text of a record for HTML.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::bench::compare::{Cell, Comparison, Row, speed};
use crate::bench::ranking::Compared;
use crate::bench::score;
use crate::bench::workload::Threads;
use crate::terminal::escape::terminal_lines;
use crate::terminal::units::{self, plural};
use crate::version;

/// The page may not load or run anything. Its style is inside.
const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

const STYLE: &str = include_str!("page.css");

/// The speeds at which shades begin, slowest first. Slower speeds have shade 0.
type Steps = [f64; 6];
const AGAINST_FASTEST: Steps = [0.15, 0.25, 0.4, 0.6, 0.8, 0.95];
const AGAINST_ONE: Steps = [0.5, 0.8, 0.97, 1.03, 1.25, 2.0];

/// The page.
pub(crate) fn html(comparison: &Comparison) -> String {
    let title = match &comparison.machines[..] {
        [machine] => format!("nqueens on {}", machine.name),
        machines => format!("nqueens on {} machines", machines.len()),
    };
    let sections = [
        ("ranking", "Ranking", ranking(comparison)),
        ("workloads", "Workload by workload", heat(comparison)),
        ("scaling", "Thread scaling", scaling(comparison)),
        ("machines", "Machines", facts(comparison)),
    ];
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="generator" content={ "nqueens " (version::VERSION) };
                link rel="icon" href="data:,";
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                h1 { (title) }
                main {
                    @for (name, title, body) in &sections {
                        section id=(name) { h2 { (title) } (body) }
                    }
                }
                footer { "Made by nqueens " (version::VERSION) ". Every count is the published one. For every number: \
                          nqueens bench compare --format csv." }
            }
        }
    };
    terminal_lines(&page.into_string())
}

/// A table that scrolls in a narrow window, with a row for each of some machines. `heads` are its columns after the
/// name.
fn table<'a>(
    caption: &str,
    heads: &[String],
    rows: impl Iterator<Item = (&'a Compared, String, Vec<Markup>)>,
) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label=(caption) {
            table {
                caption { (caption) }
                thead { tr { th scope="col" { "machine" } @for head in heads { th.number scope="col" { (head) } } } }
                tbody { @for (machine, about, cells) in rows {
                    tr { th scope="row" { (machine.name) small { (about) } } @for cell in &cells { (cell) } }
                } }
            }
        }
    }
}

/// A cell with a number.
fn number(text: &str) -> Markup {
    html! { td.number { (text) } }
}

/// The machines in order of their points on one thread, with bars.
fn ranking(comparison: &Comparison) -> Markup {
    let best = |which: usize| {
        let places = comparison.machines.iter().filter_map(|machine| machine.places);
        places.map(|places| places[which].score.value).fold(0.0, f64::max)
    };
    let bests = [best(0), best(1)];
    let cells = |machine: &Compared| {
        match &machine.places {
        Some(places) => places.iter().zip(bests).flat_map(|(place, best)| {
            let [value, low, high] = [place.score.value, place.score.low, place.score.high].map(score::points);
            let score = html! { td.score {
                @if machine.is_doubtful() { "~ " } (value) " (" (low) " to " (high) ")"
                div.bar.pale[machine.is_doubtful()] style=(format!("width:{:.1}%", 100.0 * place.score.value / best)) {}
            } };
            [number(&place.rank.to_string()), score]
        }).collect(),
        None => vec![html! { td.none colspan="4" { "no score: " (machine.no_score.as_deref().unwrap_or_default()) } }],
    }
    };
    let heads: Vec<String> =
        score::THREADS.iter().flat_map(|&t| ["#".to_owned(), score::title(t).to_owned()]).collect();
    html! {
        p.about {
            (score::ABOUT) ". In brackets is the 95 % interval. Machines whose intervals overlap share a rank. ~ and a pale \
             bar mark a machine whose times you should doubt."
        }
        (table("Points", &heads, comparison.machines.iter().map(|machine| (machine, in_short(machine), cells(machine)))))
    }
}

/// Cores and hardware threads of a machine.
fn in_short(machine: &Compared) -> String {
    let facts = &machine.record().machine;
    let cores = facts.cores.map_or_else(|| "? cores".to_owned(), |cores| plural(cores, "core"));
    format!("{cores}, {}", plural(facts.usable_cpus, "CPU"))
}

/// How fast each machine is on each workload, as colored cells with numbers. The scaling has the other threads.
fn heat(comparison: &Comparison) -> Markup {
    let steps = if comparison.against.is_none() { AGAINST_FASTEST } else { AGAINST_ONE };
    let is_shown = |row: &&Row| !matches!(row.workload.threads, Threads::Exactly(2..));
    let rows: Vec<&Row> = comparison.rows.iter().filter(is_shown).collect();
    let heads: Vec<String> = rows
        .iter()
        .map(|row| {
            let id = &row.workload;
            format!("{} {}, {}", id.solver_label(), id.size, threads(id.threads))
        })
        .collect();
    let lines = comparison
        .machines
        .iter()
        .enumerate()
        .map(|(at, machine)| (machine, String::new(), rows.iter().map(|row| shaded(row, at, &steps)).collect()));
    html! {
        p.about {
            "Speed of each machine divided by the speed of " (comparison.reference()) ", and the time of a board. Blue is \
             faster, orange is slower. A column is a solver, its n and the threads. ~ marks times to doubt. – has its \
             reason below, under Machines."
        }
        p { @for shade in 0..=steps.len() { span class={ "shade h" (shade) } { (range(&steps, shade)) } " " } }
        (table("Speeds", &heads, lines))
    }
}

fn threads(threads: Threads) -> String {
    if threads == Threads::All { "all".to_owned() } else { format!("t={threads}") }
}

/// The speeds of a shade, in words.
fn range(steps: &Steps, shade: usize) -> String {
    match steps.get(shade) {
        Some(end) if shade == 0 => format!("below {end}"),
        Some(end) => format!("to {end}"),
        None => format!("from {}", steps[shade - 1]),
    }
}

fn shaded(row: &Row, machine: usize, steps: &Steps) -> Markup {
    let Some(Cell { time, speed, is_doubtful, .. }) = &row.cells[machine] else { return number("–") };
    let shade = steps.iter().filter(|step| speed.value >= **step).count();
    let [value, low, high] = [speed.value, speed.low, speed.high].map(|speed| units::speed(speed, 1e5));
    let told = format!("{}: {value} times as fast ({low} to {high})", row.workload);
    html! {
        td class={ "number h" (shade) } title=(told) {
            @if *is_doubtful { "~" } (value) small { (units::seconds(time.value)) }
        }
    }
}

/// The gain of more threads: a table for each solver, with a row for each machine that has more than one.
fn scaling(comparison: &Comparison) -> Markup {
    html! {
        p.about {
            "The speedup is the speed of several threads divided by the speed of one. The efficiency is the speedup divided \
             by the number of threads. 'nqueens bench machine --scaling' measures also 2, 4, 8 threads and so on."
        }
        @for rows in comparison.by_solver() { (scaling_of(comparison, rows)) }
    }
}

fn scaling_of(comparison: &Comparison, rows: &[Row]) -> Markup {
    let id = &rows[0].workload;
    let caption = format!("{}, n = {}, by the number of threads", id.solver_label(), id.size);
    let of_machine = |at: usize| {
        let mut cells: Vec<&Cell> = rows.iter().filter_map(|row| row.cells[at].as_ref()).collect();
        // On one CPU, t=1 and t=all have the same number of threads.
        cells.sort_by_key(|cell| cell.threads);
        cells.dedup_by_key(|cell| cell.threads);
        cells
    };
    let all: Vec<Vec<&Cell>> = (0..comparison.machines.len()).map(of_machine).collect();
    let mut columns: Vec<usize> = all.iter().flatten().map(|cell| cell.threads).collect();
    columns.sort_unstable();
    columns.dedup();
    let heads: Vec<String> = columns.iter().map(usize::to_string).collect();
    let lines = comparison.machines.iter().zip(&all).filter(|(_, cells)| cells.len() > 1 && cells[0].threads == 1);
    let lines = lines.map(|(machine, cells)| {
        let cell = |threads: &usize| {
            cells.iter().find(|cell| cell.threads == *threads).map_or_else(
                || number("–"),
                |cell| {
                    let speedup = speed(cell.time, cells[0].time);
                    let told = format!("{:.2} to {:.2} times as fast", speedup.low, speedup.high);
                    html! { td.number title=(told) {
                        (format!("{:.2}", speedup.value)) small { (units::percent(speedup.value / *threads as f64)) }
                    } }
                },
            )
        };
        (machine, String::new(), columns.iter().map(cell).collect())
    });
    table(&caption, &heads, lines)
}

/// A card for each machine with remarks and facts.
fn facts(comparison: &Comparison) -> Markup {
    html! {
        div.cards { @for machine in &comparison.machines {
            article.card {
                h3 { (machine.name) }
                @if let Some(line) = machine.remarks() { p.doubts { (line) } }
                @for warning in machine.records.iter().flat_map(|record| &record.warnings) { p { small { (warning.message) } } }
                table { tbody { @for (name, value) in facts_of(machine) { @if !value.is_empty() {
                    tr { th scope="row" { (name) } td { (value) } }
                } } } }
            }
        } }
    }
}

/// The facts with their names. An unknown fact is empty.
fn facts_of(machine: &Compared) -> Vec<(&'static str, String)> {
    let (m, program) = (&machine.record().machine, &machine.record().program);
    let number = |value: Option<usize>| value.map(|value| value.to_string()).unwrap_or_default();
    let changed = if program.dirty { ", with changes" } else { "" };
    let began: Vec<&str> = machine.records.iter().map(|record| &record.created[..]).collect();
    vec![
        ("processor", m.cpu_model.clone()),
        ("cores", number(m.cores)),
        ("usable CPUs", m.usable_cpus.to_string()),
        ("memory", m.memory_bytes.map(units::bytes).unwrap_or_default()),
        ("governor", m.governor.clone().unwrap_or_default()),
        ("virtual machine", m.virtualised.map(|is| if is { "yes" } else { "no" }.to_owned()).unwrap_or_default()),
        ("instruction sets", m.instruction_sets.join(", ")),
        ("asked for", program.isa.clone()),
        ("operating system", [&m.os[..], m.kernel.as_deref().unwrap_or_default()].join(" ")),
        ("nqueens", format!("{}, commit {}{changed}", program.version, program.commit)),
        ("compiler", program.rustc.clone()),
        ("began", began.join(", ")),
        ("records", machine.files.join(", ")),
    ]
}
