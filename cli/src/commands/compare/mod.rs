//! `nqueens compare`: the same workloads on several machines, ranked and side by side.

mod page;
pub(super) mod tables;

use std::path::PathBuf;

use clap::ValueEnum;
use serde_json::json;

use crate::bench::compare::Comparison;
use crate::bench::record;
use crate::commands::options::plain_path;
use crate::exit;
use crate::terminal::{Streams, escape};

/// Compares the records of several machines or builds
///
/// It ranks the machines by their scores. Then it shows the speeds side by side, workload by workload.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nqueens compare here.json there.json                      ranks two machines
  nqueens compare here.json there.json --against here.json  shows relative speeds
  nqueens compare *.json --format csv                       prints every number
  nqueens compare *.json --format html >page.html           makes a page")]
pub(crate) struct Args {
    /// Files of 'nqueens bench'
    #[arg(value_name = "RECORD", required = true, value_parser = plain_path())]
    records: Vec<PathBuf>,
    /// Makes the speeds of workloads relative to this one of the records. Default: the fastest machine of each is 1
    #[arg(long, value_name = "RECORD", value_parser = plain_path())]
    against: Option<PathBuf>,
    /// Format of the comparison
    #[arg(long, value_enum, default_value_t = CompareFormat::Table)]
    format: CompareFormat,
}

/// The formats of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CompareFormat {
    /// For people, at most 80 columns wide
    Table,
    /// A page that needs no network: rankings, workloads, and the facts of each machine
    Html,
    /// A line for each score and for each workload of each machine
    Csv,
    /// Every number, and the records
    Json,
}

pub(crate) fn run(args: &Args, streams: &mut Streams<'_>) -> anyhow::Result<()> {
    let read = |file: &PathBuf| Ok((file.display().to_string(), record::read(file)?));
    let records = args.records.iter().map(read).collect::<anyhow::Result<Vec<_>>>()?;
    let against = args.against.as_ref().map(|file| file.display().to_string());
    let comparison = Comparison::of(records, against.as_deref());
    if let Some(file) = against.filter(|_| comparison.against.is_none()) {
        let problem = format!("--against {file} is not among the records: give the name of one of these files");
        return Err(exit::Kind::Usage.error(problem));
    }
    streams.out.write_all(text(&comparison, args.format).as_bytes())?;
    Ok(())
}

/// The comparison in a format.
pub(crate) fn text(comparison: &Comparison, format: CompareFormat) -> String {
    match format {
        CompareFormat::Table => tables::text(comparison),
        CompareFormat::Html => page::html(comparison),
        CompareFormat::Csv => csv(comparison),
        CompareFormat::Json => {
            let mut value = json!(comparison);
            value["schema"] = record::SCHEMA.into();
            value["kind"] = "nqueens-compare".into();
            format!("{}\n", escape::json(&value.to_string()))
        }
    }
}

/// A field of a line (RFC 4180). Spreadsheets run what begins like a formula, so an apostrophe makes it text.
fn quoted(field: &str) -> String {
    let formula = if field.starts_with(['=', '+', '-', '@']) { "'" } else { "" };
    let field = format!("{formula}{}", escape::terminal(field));
    if field.contains([',', '"']) { format!("\"{}\"", field.replace('"', "\"\"")) } else { field }
}

/// A line for each figure.
fn csv(comparison: &Comparison) -> String {
    let mut text = "workload,threads,machine,processor,cores,figure,unit,low,high,rank,warnings\n".to_owned();
    for row in &comparison.rows {
        let threads = row.threads.map_or_else(|| "all".to_owned(), |threads| threads.to_string());
        let unit = if row.is_score() { "points" } else { "seconds" }.to_owned();
        for (machine, cell) in comparison.machines.iter().zip(&row.cells) {
            let facts = &machine.record.machine;
            let or_empty = |number: Option<usize>| number.map_or_else(String::new, |number| number.to_string());
            let figure = cell.as_ref().map(|cell| cell.figure);
            let [value, low, high] = figure.map_or_else(Default::default, |figure| {
                [figure.value, figure.low, figure.high].map(|number| number.to_string())
            });
            let (cores, rank) = (or_empty(facts.cores), or_empty(cell.as_ref().and_then(|cell| cell.rank)));
            let (name, processor, warnings) = (&machine.name, &facts.cpu_model, &machine.warnings());
            let fields = [&row.name, &threads, name, processor, &cores, &value, &unit, &low, &high, &rank, warnings];
            text += &(fields.map(|field| quoted(field)).join(",") + "\n");
        }
    }
    text
}
