//! `nqueens export`: a record as a table or in the formats that other tools read.

use std::path::PathBuf;

use clap::ValueEnum;
use comfy_table::{CellAlignment, Table, presets};
use nqueens::measure::statistics::Estimate;
use nqueens::measure::{Record, export, read, score, units};

use super::Streams;
use super::exit::Exit;

/// Prints a record in a format that other tools read
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The record, a file that 'nqueens bench --out FILE' wrote
    #[arg(value_name = "RECORD")]
    record: PathBuf,
    /// The format
    #[arg(long, value_enum)]
    format: Format,
}

/// How to print a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// For people: a table and the scores
    Table,
    /// The record itself
    Json,
    /// A line a sample
    Csv,
    /// For github-action-benchmark (customSmallerIsBetter)
    Github,
    /// For Bencher (BMF)
    Bencher,
    /// 'Seconds:' and 'Solutions:' lines, for a Phoronix Test Suite parser
    Plain,
}

pub(super) fn run(args: &Args, streams: &mut Streams<'_>) -> anyhow::Result<Exit> {
    let record = read::read(&args.record)?;
    streams.out.write_all(args.format.render(&record).as_bytes())?;
    Ok(Exit::Fine)
}

impl Format {
    pub(super) fn render(self, record: &Record) -> String {
        match self {
            Self::Table => table(record),
            Self::Json => export::json(record),
            Self::Csv => export::csv(record),
            Self::Github => export::github(record),
            Self::Bencher => export::bencher(record),
            Self::Plain => export::plain(record),
        }
    }
}

/// A record for people.
fn table(record: &Record) -> String {
    let baseline = score::baseline();
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(["workload", "solutions", "time", "±", "samples", "speed"]);
    for workload in &record.workloads {
        let Estimate { value, .. } = workload.estimate();
        let half_width = workload.estimate().relative_width() / 2.0;
        let base = baseline.iter().flat_map(|baseline| &baseline.workloads).find(|base| base.id == workload.id);
        table.add_row([
            workload.id.to_string(),
            workload.count.to_string(),
            units::seconds(value),
            units::percent(half_width),
            workload.seconds.len().to_string(),
            base.map_or_else(|| "-".to_owned(), |base| format!("{:.2}", base.median_seconds() / value)),
        ]);
    }
    align(&mut table);
    let mut text = format!("{}\n\n", trimmed(&table));
    let score = |score: Option<f64>| score.map_or_else(|| "none".to_owned(), |score| format!("{score:.3}"));
    if let Some(scores) = &record.scores {
        text += &format!("score, one thread   {}\n", score(scores.one_thread));
        text += &format!("score, all threads  {}\n", score(scores.all_threads));
        text += &format!("suite {}, speeds and scores against baseline {} = 1\n", record.suite, scores.baseline);
    }
    text
}

/// Names to the left, figures to the right.
pub(super) fn align(table: &mut Table) {
    for (index, column) in table.column_iter_mut().enumerate() {
        column.set_padding((if index == 0 { 0 } else { 1 }, 1));
        column.set_cell_alignment(if index == 0 { CellAlignment::Left } else { CellAlignment::Right });
    }
}

/// A table without spaces at the ends of its lines.
pub(super) fn trimmed(table: &Table) -> String {
    table.lines().map(|line| line.trim_end().to_owned()).collect::<Vec<_>>().join("\n")
}
