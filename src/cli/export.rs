//! `nqueens export`: a record as a table or in the formats that other tools read.

use std::path::PathBuf;

use clap::ValueEnum;
use comfy_table::{CellAlignment, Table, presets};
use nqueens::measure::record::Sustained;
use nqueens::measure::statistics::{RANGE_SAMPLES, median};
use nqueens::measure::workload::Threads;
use nqueens::measure::{Record, doubt, export, read, score, units};

use super::Streams;
use super::exit::Exit;
use super::fit::wrapped;

/// Prints a record in a format that other tools read
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The record, a file that 'nqueens bench --out FILE' wrote
    #[arg(value_name = "RECORD")]
    record: PathBuf,
    /// The format
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
}

/// How to print a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// For people: a table and the scores
    Table,
    /// The record itself
    Json,
    /// A line a sample, for spreadsheets
    Csv,
    /// A line a workload with its median and interval, for spreadsheets
    Summary,
    /// For github-action-benchmark (customSmallerIsBetter)
    Github,
    /// For Bencher (BMF)
    Bencher,
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
            Self::Summary => export::summary(record),
            Self::Github => export::github(record),
            Self::Bencher => export::bencher(record),
        }
    }
}

/// What the table's marks mean: shorter than elsewhere, for 80 columns.
const SPREAD_DEFINED: &str = "± %: half the 95 % interval of the median in percent of it; r: of five \
     samples or fewer, half the distance from the least to the greatest; ~: too wide to say much";

/// A record for people.
fn table(record: &Record) -> String {
    let anchor = score::anchor();
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(["workload", "solutions", "time", "± %", "samples", "speed"]);
    for workload in &record.workloads {
        let estimate = workload.estimate();
        let base = anchor.iter().flat_map(|anchor| &anchor.workloads).find(|base| base.id == workload.id);
        let mark = if doubt::is_wide(workload) { "~" } else { "" };
        let range = if workload.seconds.len() <= RANGE_SAMPLES { "r" } else { "" };
        table.add_row([
            workload.id.to_string(),
            workload.count.to_string(),
            units::seconds(estimate.value),
            format!("{mark}{:.1}{range}", 50.0 * estimate.relative_width()),
            workload.seconds.len().to_string(),
            base.map_or_else(|| "-".to_owned(), |base| format!("{:.2}", base.median_seconds() / estimate.value)),
        ]);
    }
    align(&mut table);
    let mut text = format!("{}\n\n{}\n", trimmed(&table), wrapped(SPREAD_DEFINED, 0, 0));
    if let (Some(_), Some(anchor)) = (&record.scores, anchor) {
        text.push('\n');
        for ((code, threads), found) in score::KINDS.into_iter().zip(score::estimates(record, anchor)) {
            let threads = if threads == Threads::All { "all threads" } else { "one thread" };
            let found = found.map_or_else(
                || "none".to_owned(),
                |found| {
                    let [value, low, high] = [found.value, found.low, found.high].map(score::points);
                    format!("{value} points (95 % interval {low} to {high})")
                },
            );
            text += &format!("score, {}, {threads:<11}  {found}\n", code.name());
        }
        let (suite, anchor) = (&record.suite, &anchor.name);
        let against = format!("suite {suite}; the anchor {anchor} has speed 1 and {} points", score::POINTS);
        text += &format!("{}\n", wrapped(&against, 0, 0));
    }
    if let Some(sustained) = &record.sustained {
        text += &format!("\n{}\n", wrapped(&lasting(sustained), 0, 0));
    }
    if let Some(line) = doubt::line(&doubt::of_record(record)) {
        text += &format!("\n{}\n", wrapped(&format!("What spoils a comparison: {line}"), 0, 0));
    }
    text
}

/// What became of the speed under load that lasts.
fn lasting(sustained: &Sustained) -> String {
    let seconds: Vec<f64> = sustained.points.iter().map(|point| point.seconds).collect();
    // A tenth of the time at both ends, which is longer than what disturbs a run.
    let share = seconds.len().div_ceil(10);
    let (first, last) = (median(&seconds[..share]), median(&seconds[seconds.len() - share..]));
    let after = sustained.points.last().map_or(0.0, |point| point.at_seconds);
    let kept = units::percent(first / last);
    format!("{} again and again: after {after:.0} s it has {kept} of its speed at the beginning", sustained.workload)
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
