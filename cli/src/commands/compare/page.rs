//! The page: one HTML file made from records. It needs no network and has no script.

use std::fmt::Display;

use crate::bench::compare::{ABOUT, Cell, Compared, Comparison, Row};
use crate::terminal::units::{self, plural};
use crate::version;

const STYLE: &str = include_str!("page.css");

/// What the marks mean.
const MARKS: &str = "In brackets is the range of eight of ten samples. #: one more than the number of machines that are \
                     faster beyond doubt, with ranges that do not overlap. ~ marks what you should not trust. The reason is \
                     under Machines, as for machines without points.";

/// A text in HTML.
fn escaped(text: impl Display) -> String {
    text.to_string().replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// The comparison as a page.
pub(super) fn html(comparison: &Comparison) -> String {
    let title = match &comparison.machines[..] {
        [machine] => format!("nqueens on {}", escaped(&machine.name)),
        machines => format!("nqueens on {} machines", machines.len()),
    };
    let (scores, workloads): (Vec<&Row>, Vec<&Row>) = comparison.rows.iter().partition(|row| row.is_score());
    let rankings: String = scores.into_iter().map(|row| ranking(comparison, row)).collect();
    let colors = match comparison.against {
        Some(_) => format!("Blue is faster than {}, orange is slower.", escaped(comparison.reference())),
        None => {
            "A blue bar is the fastest of its column, as is every bar that cannot be told apart from it.".to_owned()
        }
    };
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <link rel=\"icon\" href=\"data:,\"><title>{title}</title><style>{STYLE}</style></head>\n\
         <body><h1>{title}</h1>\n<h2>Points</h2><p>{ABOUT}. {MARKS}</p>\n{rankings}\
         <h2>Workloads</h2><p>A column is a solver, its n and the threads. A cell has the time of a board, and how many \
         times as fast the machine is as {reference}. A longer bar is faster. {colors}</p>\n{speeds}\
         <h2>Machines</h2>\n{facts}\
         <footer>Made by nqueens {version}, which checked every count. All numbers: nqueens compare --format csv.</footer>\
         </body></html>\n",
        reference = escaped(comparison.reference()),
        speeds = speeds(comparison, &workloads),
        facts = facts(comparison),
        version = version::VERSION,
    )
}

/// A cell of a table with a bar, which has a width from 0 to 1.
fn barred(class: &str, width: f64, large: &str, small: &str) -> String {
    let percent = 100.0 * width.clamp(0.0, 1.0);
    format!("<td class=\"{class}\" style=\"--bar:{percent:.1}%\">{large}<small>{small}</small></td>")
}

/// How a figure compares: the class of its cell.
fn class(comparison: &Comparison, cell: &Cell) -> &'static str {
    match (comparison.against.and(cell.speed), cell.rank) {
        (Some(speed), _) if speed > 1.1 => "faster",
        (Some(speed), _) if speed < 0.9 => "slower",
        (None, Some(1)) => "faster",
        _ => "alike",
    }
}

/// The machines in order of their points with one thread, or with all.
fn ranking(comparison: &Comparison, row: &Row) -> String {
    let mut places: Vec<(&Compared, &Cell)> = comparison
        .machines
        .iter()
        .zip(&row.cells)
        .filter_map(|(machine, cell)| Some((machine, cell.as_ref()?)))
        .collect();
    places.sort_by(|(_, a), (_, b)| b.figure.value.total_cmp(&a.figure.value));
    let most = places.first().map_or(1.0, |(_, cell)| cell.figure.value);
    let points = |points: f64| units::speed(points, 1e9);
    let line = |(machine, cell): (&Compared, &Cell)| {
        let figure = &cell.figure;
        let (large, range) = (points(figure.value), format!("({} to {})", points(figure.low), points(figure.high)));
        let bar =
            barred(class(comparison, cell), figure.value / most, &(machine.mark(cell).to_owned() + &large), &range);
        format!("<tr><td>{}</td>{}{bar}</tr>\n", cell.rank.unwrap_or_default(), name(machine))
    };
    let lines: String = places.into_iter().map(line).collect();
    let head = if row.threads.is_some() { "one thread" } else { "all threads" };
    framed(&format!("Points with {head}"), &["#".to_owned(), "machine".to_owned(), "points".to_owned()], &lines)
}

/// The time of a workload on a machine, and its speed.
fn speed(comparison: &Comparison, row: &Row, at: usize) -> Option<String> {
    let (machine, cell) = (&comparison.machines[at], row.cells[at].as_ref()?);
    let fastest = row.cells.iter().flatten().map(|cell| cell.figure.value).fold(f64::INFINITY, f64::min);
    let times = cell.speed.map_or_else(String::new, |speed| format!("{} times", units::speed(speed, 1e5)));
    let large = machine.mark(cell).to_owned() + &units::seconds(cell.figure.value);
    Some(barred(class(comparison, cell), fastest / cell.figure.value, &large, &times))
}

/// A line for each machine and a column for each workload.
fn speeds(comparison: &Comparison, rows: &[&Row]) -> String {
    let heads: Vec<String> = rows.iter().map(|row| format!("{}, {}", row.name, row.head())).collect();
    let line = |(at, machine): (usize, &Compared)| {
        let cells = rows.iter().map(|row| speed(comparison, row, at).unwrap_or_else(|| "<td>–</td>".to_owned()));
        format!("<tr>{}{}</tr>\n", name(machine), cells.collect::<String>())
    };
    let lines: String = comparison.machines.iter().enumerate().map(line).collect();
    framed("Speeds", &[&["machine".to_owned()], &heads[..]].concat(), &lines)
}

/// A table that scrolls in a narrow window.
fn framed(caption: &str, heads: &[String], lines: &str) -> String {
    let heads: String = heads.iter().map(|head| format!("<th scope=\"col\">{}</th>", escaped(head))).collect();
    let caption = escaped(caption);
    format!(
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{caption}\"><table><caption>{caption}</caption>\
         <thead><tr>{heads}</tr></thead>\n<tbody>{lines}</tbody></table></div>\n"
    )
}

/// The name of a machine, with its cores and hardware threads.
fn name(machine: &Compared) -> String {
    let facts = &machine.record.machine;
    let cores = facts.cores.map_or_else(|| "? cores".to_owned(), |cores| plural(cores, "core"));
    let cpus = plural(facts.usable_cpus, "CPU");
    format!("<th scope=\"row\">{}<small>{cores}, {cpus}</small></th>", escaped(&machine.name))
}

/// The facts of each machine, and its warnings.
fn facts(comparison: &Comparison) -> String {
    let heads =
        ["machine", "warnings", "processor", "memory", "instruction sets", "system", "nqueens", "began", "record"];
    let line = |machine: &Compared| {
        let (record, facts) = (&machine.record, &machine.record.machine);
        let cells = [
            machine.warnings(),
            facts.cpu_model.clone(),
            facts.memory_bytes.map_or_else(String::new, units::bytes),
            format!("{}; used up to {}", facts.instruction_sets.join(", "), record.isa),
            [&facts.os[..], facts.kernel.as_deref().unwrap_or_default()].join(" "),
            record.program.clone(),
            record.created.clone(),
            machine.file.clone(),
        ];
        format!("<tr>{}{}</tr>\n", name(machine), cells.map(|cell| format!("<td>{}</td>", escaped(cell))).concat())
    };
    let lines: String = comparison.machines.iter().map(line).collect();
    framed("Facts and warnings", &heads.map(str::to_owned), &lines)
}
