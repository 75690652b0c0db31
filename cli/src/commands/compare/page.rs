//! The page of a comparison: one HTML file, which needs no network and contains no script.

use super::chart::chart;
use super::facts::{Fact, facts_of};
use crate::bench::comparison::Comparison;
use crate::bench::machines::Machine;
use crate::bench::rows::{Cell, Row, Subject};
use crate::bench::score::Score;
use crate::commands::tables::about_names;
use crate::terminal::escape;
use crate::terminal::units::{self, plural};
use crate::version;

const STYLE: &str = include_str!("page.css");

/// The meaning of the marks.
const MARKS: &str = "A thin line covers the middle 80 % of the samples of all runs. The number before a machine is its \
                     rank: one plus the number of machines that are clearly faster, which means that their ranges do \
                     not overlap with its own. Do not trust a figure with a ~. The table of machines says why, and \
                     why a machine has no points.";

/// What the scores do not measure.
const LIMITS: &str = "No score says anything about disks, or about how much a machine slows down when it gets hot. Hosts of \
                      one cloud instance type can differ by a quarter.";

/// Returns the page. Its default title counts the machines.
pub(super) fn html(comparison: &Comparison, title: Option<&str>) -> String {
    let title = escape::html(&match (title, &comparison.machines[..]) {
        (Some(title), _) => title.to_owned(),
        (None, [machine]) => format!("nqueens on {}", machine.name),
        (None, machines) => format!("nqueens on {} machines", machines.len()),
    });
    let workloads: Vec<&Row> = comparison.rows.iter().filter(|row| !row.subject.is_score()).collect();
    let scores: String = Score::ALL.iter().map(|score| ranking(comparison, *score)).collect();
    let refusal = escape::html(comparison.refusal.as_deref().unwrap_or_default());
    let colors = match comparison.against {
        Some(_) => {
            let reference = escape::html(&comparison.reference());
            format!("Blue is more than 10 % faster than {reference}, orange more than 10 % slower.")
        }
        None => "Bars of rank 1 are blue.".to_owned(),
    };
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <link rel=\"icon\" href=\"data:,\"><title>{title}</title><style>{STYLE}</style></head>\n\
         <body><h1>{title}</h1>\n<h2>Points</h2><p>{MARKS} {colors}</p>\n{scores}<p>{refusal} {LIMITS}</p>\n\
         <h2>Workloads</h2><p>Each column is a solver, its n and the threads. Each cell shows the time of one \
         count, and the speed relative to {reference}. {names}</p>\n{speeds}\
         <details><summary>A chart of each workload</summary>{workloads}</details>\n\
         <h2>Machines</h2>\n{facts}\
         <footer>Made by nqueens {version}, which checked every count. For all numbers, type nqueens compare --format \
         csv.</footer>\
         </body></html>\n",
        reference = escape::html(&comparison.reference()),
        names = escape::html(&about_names(comparison).join(" ")),
        speeds = speeds(comparison, &workloads),
        workloads = charts(comparison, &workloads),
        facts = facts(comparison),
        version = version::VERSION,
    )
}

/// Returns a score with its charts, or nothing if these machines have none.
fn ranking(comparison: &Comparison, score: Score) -> String {
    let rows: Vec<&Row> = comparison.rows.iter().filter(|row| row.subject == Subject::Score(score)).collect();
    if rows.is_empty() { String::new() } else { format!("<p>{}</p>\n{}", score.about(), charts(comparison, &rows)) }
}

fn charts(comparison: &Comparison, rows: &[&Row]) -> String {
    let charts: String = rows.iter().map(|row| chart(comparison, row)).collect();
    format!("<div class=\"charts\">{charts}</div>\n")
}

/// Returns a cell of the table of workloads: the time and the speed.
fn speed(cell: Option<&Cell>) -> String {
    let Some(cell) = cell else { return "<td>–</td>".to_owned() };
    let mark = cell.mark();
    let time = units::seconds(cell.figure.value);
    let times = cell.speed.map_or_else(String::new, |speed| format!("{} times", units::three_digits(speed, 1e5)));
    format!("<td>{mark}{time}<small>{times}</small></td>")
}

/// Returns the table of workloads: a line for each machine and a column for each workload.
fn speeds(comparison: &Comparison, rows: &[&Row]) -> String {
    let mut heads = vec!["machine".to_owned()];
    heads.extend(rows.iter().map(|row| format!("{}, {}", row.subject, row.head())));
    let mut lines = String::new();
    for (at, machine) in comparison.machines.iter().enumerate() {
        let cells: String = rows.iter().map(|row| speed(row.cells[at].as_ref())).collect();
        lines += &format!("<tr>{}{cells}</tr>\n", name(machine));
    }
    framed("Speeds", &heads, &lines)
}

/// Returns a table that scrolls if the window is narrow.
fn framed(caption: &str, heads: &[String], lines: &str) -> String {
    let heads: String = heads.iter().map(|head| format!("<th scope=\"col\">{}</th>", escape::html(head))).collect();
    let caption = escape::html(caption);
    format!(
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{caption}\"><table><caption>{caption}</caption>\
         <thead><tr>{heads}</tr></thead>\n<tbody>{lines}</tbody></table></div>\n"
    )
}

/// Returns the head of a machine's line: its name, cores and threads.
fn name(machine: &Machine) -> String {
    let facts = machine.facts();
    let cores = facts.cores.map_or_else(|| "? cores".to_owned(), |cores| plural(cores, "core"));
    let threads = plural(facts.usable_cpus, "thread");
    format!("<th scope=\"row\">{}<small>{cores}, {threads}</small></th>", escape::html(&machine.name.to_string()))
}

/// Returns the table of facts and warnings of each machine. Facts that all machines share are above the table.
fn facts(comparison: &Comparison) -> String {
    let all_facts = |machine: &Machine| {
        let clock = machine.gigahertz().map_or_else(String::new, |[start, end]| format!("{start}, {end}"));
        let [_, facts @ ..] = facts_of(machine);
        let last = [("GHz at the start, at the end", clock), ("records", machine.files())];
        [&[("warnings", machine.warnings_in_words())], &facts[..], &last].concat()
    };
    let rows: Vec<Vec<Fact>> = comparison.machines.iter().map(all_facts).collect();
    let columns = (0..rows[0].len()).map(|at| rows.iter().map(|row| &row[at]).collect::<Vec<&Fact>>());
    let columns = columns.filter(|column| column.iter().any(|(_, text)| !text.is_empty()));
    let is_shared = |column: &Vec<&Fact>| column.len() > 1 && column.iter().all(|fact| *fact == column[0]);
    let (shared, own): (Vec<_>, Vec<_>) = columns.partition(is_shared);
    let shared: Vec<String> = shared.iter().map(|column| format!("{} {}", column[0].0, column[0].1)).collect();
    let above = match &shared[..] {
        [] => String::new(),
        shared => format!("<p>Shared by all machines: {}.</p>", escape::html(&shared.join("; "))),
    };
    let mut heads = vec!["machine".to_owned()];
    heads.extend(own.iter().map(|column| column[0].0.to_owned()));
    let mut lines = String::new();
    for (at, machine) in comparison.machines.iter().enumerate() {
        let cells: String = own.iter().map(|column| format!("<td>{}</td>", escape::html(&column[at].1))).collect();
        lines += &format!("<tr>{}{cells}</tr>\n", name(machine));
    }
    above + &framed("Facts and warnings", &heads, &lines)
}
