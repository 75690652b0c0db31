//! `nqueens compare`: scores and workloads of several machines side by side, with ranks.

mod chart;
mod csv;
mod facts;
mod page;
#[cfg(test)]
mod tests;

use std::path::PathBuf;

use clap::ValueEnum;

use crate::bench::comparison::Comparison;
use crate::bench::record;
use crate::commands::options::named_path_parser;
use crate::commands::tables;
use crate::exit;
use crate::terminal::Streams;
use crate::terminal::units::plural;

/// Compare the records of several machines or builds
///
/// Rank the machines by their scores, then show their speeds side by side for each workload. Records with the same
/// name, facts, instruction set and program are runs of one machine and share a row. 'compare' names each file that is
/// not a valid record, and leaves it out.
///
/// A workload is the count for one n by one solver or, if its name ends with 'unit', one unit of that count, which is a
/// small piece. A name such as 'color@2 n=16' means version 2 of a workload, which this program does not measure.
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
    #[arg(value_name = "RECORD", required = true, value_parser = named_path_parser())]
    records: Vec<PathBuf>,
    /// Show speeds relative to the machine of this record. Default: relative to the fastest machine of each workload
    #[arg(long, value_name = "RECORD", value_parser = named_path_parser())]
    against: Option<PathBuf>,
    /// Format of the comparison
    #[arg(long, value_enum, default_value_t = CompareFormat::Table)]
    format: CompareFormat,
    /// Title of the page, which may contain a date. Default: the number of machines
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
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
}

pub(crate) fn run(args: &Args, streams: &mut Streams<'_>) -> anyhow::Result<()> {
    let title = args.title.as_deref();
    if args.format != CompareFormat::Html && title.is_some() {
        return Err(exit::Kind::Usage.error("--title needs a page: add --format html"));
    }
    let against = args.file_of_reference()?;
    // One bad record must not keep the others from being compared.
    let mut runs = Vec::new();
    let mut bad = Vec::new();
    for file in &args.records {
        match record::read(file) {
            Ok(run) => runs.push(run),
            Err(error) => {
                exit::report(&error);
                bad.push(error);
            }
        }
    }
    let has_reference = against.as_ref().is_none_or(|against| runs.iter().any(|run| run.file == *against));
    if runs.is_empty() {
        // The errors above say why.
    } else if has_reference {
        if !bad.is_empty() {
            streams.note(format_args!("{} of {} left out", bad.len(), plural(args.records.len(), "record")));
        }
        let comparison = Comparison::of(runs, against.as_deref());
        note_default_names(&comparison, streams);
        // A table and a page have room for it.
        if let (CompareFormat::Csv, Some(refusal)) = (args.format, &comparison.refusal) {
            streams.note(refusal);
        }
        streams.out.write_all(text(&comparison, args.format, title).as_bytes())?;
    } else {
        // Speeds relative to another machine would be misread.
        streams.note("nothing is compared, because the record of --against is left out");
    }
    // A file that cannot be read is worse than one with wrong contents, because nobody knows what it contains.
    let kinds: Vec<exit::Kind> = bad.iter().map(exit::Kind::of).collect();
    let unreadable = kinds.iter().find(|kind| **kind == exit::Kind::InputOutput);
    unreadable.or(kinds.first()).map_or(Ok(()), |kind| Err(kind.already_reported()))
}

impl Args {
    /// Returns the file of `--against` as it is written among the records, because paths of one file may differ, as
    /// `runs/a.json` and `./runs//a.json` do, and a run has the text of its record.
    fn file_of_reference(&self) -> anyhow::Result<Option<String>> {
        let Some(file) = &self.against else { return Ok(None) };
        let real = file.canonicalize().ok();
        let is_it = |record: &&PathBuf| *record == file || real.is_some() && record.canonicalize().ok() == real;
        match self.records.iter().find(is_it) {
            Some(record) => Ok(Some(record.display().to_string())),
            None => Err(exit::Kind::Usage
                .error(format!("--against {} is not one of the records: give it as a RECORD too", file.display()))),
        }
    }
}

/// Notes which machines have several records and no name of their own, because these may be records of equal machines.
fn note_default_names(comparison: &Comparison, streams: &Streams<'_>) {
    for machine in &comparison.machines {
        let name = &machine.record().name;
        if machine.runs.len() > 1 && *name == machine.facts().cpu_model {
            streams.note(format_args!(
                "{} named after the processor '{name}' are taken as runs of one machine: to tell equal machines apart, \
                 measure each with --machine",
                plural(machine.runs.len(), "record")
            ));
        }
    }
}

/// Returns the comparison in a format. Only a page has a title.
fn text(comparison: &Comparison, format: CompareFormat, title: Option<&str>) -> String {
    match format {
        CompareFormat::Table => tables::of_all(comparison),
        CompareFormat::Html => page::html(comparison, title),
        CompareFormat::Csv => csv::csv(comparison),
    }
}
