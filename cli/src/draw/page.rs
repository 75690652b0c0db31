//! The report: one HTML file with tables made from records. It needs no network and has no script.
//!
//! The parts are the ranking, the heat map of workloads, the thread scaling and the facts of each machine. `horrorshow`
//! escapes every text of a record for HTML.

use horrorshow::helper::doctype;
use horrorshow::{Concat, Raw, html};

use super::{Markup, markup};
use crate::bench::compare::{ABOUT, Cell, Compared, Comparison, Row};
use crate::bench::statistics::Estimate;
use crate::terminal::units::{self, plural};
use crate::version;

/// The page may not load or run anything. Its style is inside.
const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

const STYLE: &str = include_str!("page.css");

/// The speeds at which shades begin, slowest first. Slower speeds have shade 0.
const SHADES: [f64; 6] = [0.25, 0.5, 0.9, 1.1, 2.0, 4.0];

/// The page. Without a title it is named by its machines.
pub(crate) fn html(comparison: &Comparison, title: Option<&str>) -> String {
    let title = match (title, &comparison.machines[..]) {
        (Some(title), _) => title.to_owned(),
        (None, [machine]) => format!("nqueens on {}", machine.name),
        (None, machines) => format!("nqueens on {} machines", machines.len()),
    };
    let sections = [
        ("ranking", "Ranking", ranking(comparison)),
        ("workloads", "Workload by workload", heat(comparison)),
        ("scaling", "Thread scaling", scaling(comparison)),
        ("machines", "Machines", facts(comparison)),
    ];
    let page = markup(html! {
        : doctype::HTML;
        html(lang="en") {
            head {
                meta(charset="utf-8");
                meta(http-equiv="Content-Security-Policy", content=POLICY);
                meta(name="viewport", content="width=device-width, initial-scale=1");
                meta(name="color-scheme", content="light dark");
                meta(name="generator", content=format_args!("nqueens {}", version::VERSION));
                link(rel="icon", href="data:,");
                title : &title;
                style : Raw(STYLE);
            }
            body {
                h1 : &title;
                main {
                    @ for (name, title, body) in &sections {
                        section(id=name) { h2 : title; : body; }
                    }
                }
                footer {
                    : format_args!("Made by nqueens {}. Every count is the published one. For every number: \
                                    nqueens bench compare --format csv.", version::VERSION);
                }
            }
        }
    });
    page.0
}

/// A table that scrolls in a narrow window, with a row for each of some machines. `heads` are its columns after the
/// name.
fn table<'a>(caption: &str, heads: &[String], rows: impl Iterator<Item = (&'a Compared, Vec<Markup>)>) -> Markup {
    markup(html! {
        div(class="scroll", tabindex="0", role="region", aria-label=caption) {
            table {
                caption : caption;
                thead { tr {
                    th(scope="col") : "machine";
                    @ for head in heads { th(class="number", scope="col") : head; }
                } }
                tbody { @ for (machine, cells) in rows {
                    tr { th(scope="row") { : &machine.name; small : in_short(machine); } : Concat(cells); }
                } }
            }
        }
    })
}

/// Cores and hardware threads of a machine.
fn in_short(machine: &Compared) -> String {
    let facts = &machine.record().machine;
    let cores = facts.cores.map_or_else(|| "? cores".to_owned(), |cores| plural(cores, "core"));
    format!("{cores}, {}", plural(facts.usable_cpus, "CPU"))
}

/// A cell with a number.
fn number(text: &str) -> Markup {
    markup(html! { td(class="number") : text })
}

/// The machines in order of their points on one thread.
fn ranking(comparison: &Comparison) -> Markup {
    let rows: Vec<&Row> = comparison.rows.iter().filter(|row| row.is_score()).collect();
    markup(html! {
        p(class="about") {
            : ABOUT;
            : ". # is the rank, by the number of machines that are faster beyond doubt. In brackets is the 95 % interval. \
               ~ marks a machine whose times you should doubt.";
        }
        : shaded(comparison, "Points", &rows);
    })
}

/// How fast each machine is on each workload. The scaling has the other threads.
fn heat(comparison: &Comparison) -> Markup {
    let is_shown = |row: &&Row| !row.is_score() && row.threads.is_none_or(|threads| threads == 1);
    let rows: Vec<&Row> = comparison.rows.iter().filter(is_shown).collect();
    markup(html! {
        p(class="about") {
            : "Speed of each machine divided by the speed of ";
            : comparison.reference();
            : ", and the time of a board. Blue is faster, orange is slower. A column is a solver, its n and the threads. \
               ~ marks times to doubt. – has its reason below, under Machines.";
        }
        : shaded(comparison, "Speeds", &rows);
    })
}

/// A table with a column for each of some rows of the comparison. Its cells are colored by the speed.
fn shaded(comparison: &Comparison, caption: &str, rows: &[&Row]) -> Markup {
    let heads: Vec<String> = rows.iter().map(|row| format!("{}, {}", row.name, row.head())).collect();
    let cell = |row: &Row, at: usize| {
        let Some(cell @ Cell { figure, speed, rank, .. }) = &row.cells[at] else { return number("–") };
        let numbers = |of: &Estimate, end| [of.value, of.low, of.high].map(|number| units::speed(number, end));
        // Without a speed it has no shade.
        let shade = speed.map(|speed| SHADES.iter().filter(|step| speed.value >= **step).count());
        let shade = shade.map_or_else(|| "number".to_owned(), |shade| format!("number h{shade}"));
        let [value, low, high] = speed.map_or_else(|| [(); 3].map(|()| "–".to_owned()), |speed| numbers(&speed, 1e5));
        let tooltip = format!("{}, {}: {value} times as fast ({low} to {high})", row.name, row.head());
        let (large, small) = if row.is_score() {
            let [points, low, high] = numbers(figure, 1e9);
            (points, format!("#{rank} ({low} to {high})"))
        } else {
            (value, units::seconds(figure.value))
        };
        let mark = comparison.machines[at].mark(cell);
        markup(html! { td(class=shade, title=tooltip) { : mark; : large; small : small; } })
    };
    let lines = comparison.machines.iter().enumerate();
    table(caption, &heads, lines.map(|(at, machine)| (machine, rows.iter().map(|row| cell(row, at)).collect())))
}

/// The gain of more threads: a table for each solver, with a row for each machine that has more than one.
fn scaling(comparison: &Comparison) -> Markup {
    markup(html! {
        p(class="about") {
            : "The speedup is the speed of several threads divided by the speed of one. The efficiency is the speedup \
               divided by the number of threads. 'nqueens bench machine --scaling' measures also 2, 4, 8 threads and so on.";
        }
        @ for rows in comparison.blocks().filter(|rows| !rows[0].is_score()) { : scaling_of(comparison, rows); }
    })
}

fn scaling_of(comparison: &Comparison, rows: &[Row]) -> Markup {
    let heads: Vec<String> = rows.iter().map(Row::head).collect();
    let lines = comparison.machines.iter().enumerate().filter_map(|(at, machine)| {
        let one = rows.iter().find(|row| row.threads == Some(1))?.cells[at].as_ref()?;
        let cell = |row: &Row| {
            let Some(cell) = &row.cells[at] else { return number("–") };
            let speedup = Estimate::product(&[(one.figure, 1.0), (cell.figure, -1.0)]);
            let threads = machine.threads(row.threads);
            let tooltip =
                format!("{}: {:.2} to {:.2} times as fast", plural(threads, "thread"), speedup.low, speedup.high);
            let efficiency = units::percent(speedup.value / threads as f64);
            markup(html! {
                td(class="number", title=tooltip) { : format_args!("{:.2}", speedup.value); small : efficiency; }
            })
        };
        (machine.threads(None) > 1).then(|| (machine, rows.iter().map(cell).collect()))
    });
    table(&format!("{}, by the number of threads", rows[0].name), &heads, lines)
}

/// A card for each machine with warnings and facts.
fn facts(comparison: &Comparison) -> Markup {
    markup(html! {
        div(class="cards") { @ for machine in &comparison.machines {
            article(class="card") {
                h3 : &machine.name;
                @ for warning in &machine.warnings { p(class="doubts") : format_args!("{warning}"); }
                table { tbody { @ for (name, value) in facts_of(machine) { @ if !value.is_empty() {
                    tr { th(scope="row") : name; td : value; }
                } } } }
            }
        } }
    })
}

/// The facts with their names. An unknown fact is empty.
fn facts_of(machine: &Compared) -> Vec<(&'static str, String)> {
    let (record, m) = (machine.record(), &machine.record().machine);
    let number = |value: Option<usize>| value.map(|value| value.to_string()).unwrap_or_default();
    vec![
        ("processor", m.cpu_model.clone()),
        ("cores", number(m.cores)),
        ("usable CPUs", m.usable_cpus.to_string()),
        ("memory", m.memory_bytes.map(units::bytes).unwrap_or_default()),
        ("governor", m.governor.clone().unwrap_or_default()),
        ("virtual machine", m.virtualised.map(|is| if is { "yes" } else { "no" }.to_owned()).unwrap_or_default()),
        ("instruction sets", m.instruction_sets.join(", ")),
        ("used up to", record.isa.clone()),
        ("operating system", [&m.os[..], m.kernel.as_deref().unwrap_or_default()].join(" ")),
        ("nqueens", record.program.clone()),
        ("began", machine.dates()),
        ("records", machine.files.join(", ")),
    ]
}
