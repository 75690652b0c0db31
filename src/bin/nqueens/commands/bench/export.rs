//! `nqueens bench export`: a record in the formats that other tools read.

use std::path::PathBuf;

use crate::bench::{export, read};
use clap::ValueEnum;

use crate::exit::Exit;
use crate::terminal::Streams;

/// Prints a record in a format that other tools read
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nqueens bench export here.json --format csv       prints one line for each sample
  nqueens bench export here.json --format github    prints input for github-action-benchmark")]
pub(crate) struct Args {
    /// File of 'nqueens bench machine --out FILE'
    #[arg(value_name = "RECORD")]
    record: PathBuf,
    /// Format to print
    #[arg(long, value_enum)]
    format: ExportFormat,
}

/// How to print a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ExportFormat {
    /// One line for each sample, for spreadsheets
    Csv,
    /// For github-action-benchmark (customSmallerIsBetter)
    Github,
    /// For Bencher (BMF)
    Bencher,
}

pub(crate) fn run(args: &Args, streams: &mut Streams<'_>) -> anyhow::Result<Exit> {
    let record = read::read(&args.record)?;
    let text = match args.format {
        ExportFormat::Csv => export::csv(&record),
        ExportFormat::Github => export::github(&record),
        ExportFormat::Bencher => export::bencher(&record),
    };
    streams.out.write_all(text.as_bytes())?;
    Ok(Exit::Fine)
}
