//! `nqueens compare`: scores and workloads of several machines side by side, with ranks.

mod page;
pub(super) mod tables;

use std::path::PathBuf;

use clap::ValueEnum;
use serde_json::json;

use crate::bench::compare::{Cell, Comparison, Row};
use crate::bench::joined::Joined;
use crate::bench::{Record, record};
use crate::commands::options::named_path;
use crate::exit;
use crate::terminal::units::{self, plural};
use crate::terminal::{Streams, complain, escape};

/// The version of the JSON of a comparison, which rises if a field changes its name or its meaning.
const SCHEMA: u64 = 4;

/// Compare the records of several machines or builds
///
/// Rank the machines by their scores, then show their speeds side by side for each workload. Records with the same
/// name, facts and program are runs of one machine and share a row. If a file is not a valid record, name it and leave
/// it out.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nqueens compare here.json there.json                      rank two machines
  nqueens compare here-1.json here-2.json here-3.json       join three runs of one machine
  nqueens compare here.json there.json --against here.json  show relative speeds
  nqueens compare *.json --format csv                       print every number
  nqueens compare *.json --format html >page.html           make a page")]
pub(crate) struct Args {
    /// Records that 'nqueens bench' wrote
    #[arg(value_name = "RECORD", required = true, value_parser = named_path())]
    records: Vec<PathBuf>,
    /// Show speeds relative to the machine of this record. Default: relative to the fastest machine of each workload
    #[arg(long, value_name = "RECORD", value_parser = named_path())]
    against: Option<PathBuf>,
    /// Format of the comparison
    #[arg(long, value_enum, default_value_t = CompareFormat::Table)]
    format: CompareFormat,
    /// Title of the page. Default: the number of machines
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// Date of the page, in any form. Default: none
    #[arg(long, value_name = "TEXT")]
    date: Option<String>,
}

/// The formats of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CompareFormat {
    /// For people, at most 80 columns wide
    Table,
    /// A page that needs no network, with rankings, workloads and the facts of each machine
    Html,
    /// A line for each score and each workload of each machine
    Csv,
    /// Every number, and the records themselves
    Json,
}

pub(crate) fn run(args: &Args, streams: &mut Streams<'_>) -> anyhow::Result<()> {
    let heading = [&args.title, &args.date].map(Option::as_deref);
    if args.format != CompareFormat::Html && heading != [None; 2] {
        return Err(exit::Kind::Usage.error("--title and --date need a page: add --format html"));
    }
    let against = args.against.as_ref().map(|file| file.display().to_string());
    if args.against.as_ref().is_some_and(|file| !args.records.contains(file)) {
        let file = against.unwrap_or_default();
        let problem = format!("--against {file} is not one of the records: give it as a RECORD too");
        return Err(exit::Kind::Usage.error(problem));
    }
    // One bad record must not keep the others from being compared.
    let (mut records, mut bad) = (Vec::new(), Vec::new());
    for file in &args.records {
        match record::read(file) {
            Ok(record) => records.push((file.display().to_string(), record)),
            Err(error) => bad.push(error),
        }
    }
    bad.iter().for_each(|error| complain(format_args!("{error:#}")));
    let is_reference = |(file, _): &(String, Record)| against.as_ref().is_none_or(|against| against == file);
    if records.iter().any(is_reference) {
        if !bad.is_empty() {
            streams.note(format_args!("{} of {} left out", bad.len(), plural(args.records.len(), "record")));
        }
        let comparison = Comparison::of(records, against.as_deref());
        streams.out.write_all(text(&comparison, args.format, heading).as_bytes())?;
    }
    bad.first().map_or(Ok(()), |error| Err(exit::Kind::of(error).told()))
}

/// The comparison in a format. `heading` is the title and the date of a page.
pub(crate) fn text(comparison: &Comparison, format: CompareFormat, heading: [Option<&str>; 2]) -> String {
    match format {
        CompareFormat::Table => tables::text(comparison),
        CompareFormat::Html => page::html(comparison, heading),
        CompareFormat::Csv => csv(comparison),
        CompareFormat::Json => {
            let mut value = json!(comparison);
            value["schema"] = SCHEMA.into();
            value["kind"] = "nqueens-compare".into();
            format!("{}\n", escape::json(&value.to_string()))
        }
    }
}

/// A field of a line (RFC 4180). Because spreadsheets run a field that begins like a formula, an apostrophe turns it
/// into text.
fn quoted(field: &str) -> String {
    let formula = if field.starts_with(['=', '+', '-', '@']) { "'" } else { "" };
    let field = format!("{formula}{}", escape::terminal(field));
    if field.contains([',', '"']) { format!("\"{}\"", field.replace('"', "\"\"")) } else { field }
}

/// A column of a table of facts, by its head, with its text for one machine.
type Fact = (&'static str, String);

/// A value as text, or an empty text for `None`.
fn text_of(value: Option<impl ToString>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

/// The facts that identify a machine, its name first.
fn facts_of(machine: &Joined) -> [Fact; 16] {
    let (record, facts) = (machine.record(), machine.facts());
    [
        ("machine", machine.name.clone()),
        ("processor", facts.cpu_model.clone()),
        ("family", text_of(facts.family)),
        ("model", text_of(facts.model)),
        ("stepping", text_of(facts.stepping)),
        ("microcode", text_of(facts.microcode.as_ref())),
        ("caches", facts.caches.join(", ")),
        ("governor", text_of(facts.governor.as_ref())),
        ("hypervisor", text_of(facts.hypervisor.as_ref())),
        ("cores", text_of(facts.cores)),
        ("threads of all", facts.usable_cpus.to_string()),
        ("memory", text_of(facts.memory_bytes.map(units::bytes))),
        ("system", [&facts.os[..], facts.kernel.as_deref().unwrap_or_default()].join(" ")),
        ("instruction set", record.isa.clone()),
        ("date", record.created.clone()),
        ("program", record.program.clone()),
    ]
}

/// The figures as CSV, one a line, below the heads of the fields.
fn csv(comparison: &Comparison) -> String {
    let line = |fields: &mut dyn Iterator<Item = &str>| fields.map(quoted).collect::<Vec<_>>().join(",") + "\n";
    let mut text = String::new();
    for row in &comparison.rows {
        for (machine, cell) in comparison.machines.iter().zip(&row.cells) {
            let fields = fields_of(row, machine, cell.as_ref());
            if text.is_empty() {
                text += &line(&mut fields.iter().map(|(head, _)| *head));
            }
            text += &line(&mut fields.iter().map(|(_, field)| &field[..]));
        }
    }
    text
}

/// The fields of a line, with their heads.
fn fields_of(row: &Row, machine: &Joined, cell: Option<&Cell>) -> Vec<Fact> {
    let figure = cell.map(|cell| cell.figure);
    let of_row = [
        ("workload", row.name.clone()),
        ("threads", row.threads.map_or_else(|| "all".to_owned(), |threads| threads.to_string())),
        ("figure", text_of(figure.map(|figure| figure.value))),
        ("unit", if row.score.is_some() { "points" } else { "seconds" }.to_owned()),
        ("low", text_of(figure.map(|figure| figure.low))),
        ("high", text_of(figure.map(|figure| figure.high))),
        ("samples", text_of(figure.map(|figure| figure.samples))),
        ("rank", text_of(cell.and_then(|cell| cell.rank))),
    ];
    let of_runs = [
        ("commit", machine.record().commit()),
        ("GHz at the start", text_of(machine.gigahertz().map(|[start, _]| start))),
        ("GHz at the end", text_of(machine.gigahertz().map(|[_, end]| end))),
        ("runs", machine.runs.len().to_string()),
        ("file", machine.files()),
        ("warnings", machine.warnings()),
    ];
    [&of_row[..], &facts_of(machine), &of_runs].concat()
}
