//! `nqueens compare`: the same workloads on several machines, side by side.

use std::path::PathBuf;

use clap::ValueEnum;
use comfy_table::{Table, TableStyle, presets};
use nqueens::measure::compare::{Cell, Comparison, compare};
use nqueens::measure::{export::quoted, read, units};

use super::Streams;
use super::exit::Exit;
use super::export::{align, trimmed};

/// Compares machines, or builds, by the records of their benchmarks
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Records to compare, files that 'nqueens bench --out FILE' wrote; speeds are relative to the first
    #[arg(value_name = "RECORD", num_args = 2.., required = true)]
    records: Vec<PathBuf>,
    /// The format
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
}

/// How to print a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people
    Table,
    /// The same table for a web page or a pull request
    Markdown,
    /// A line for each workload and machine
    Csv,
    /// Everything
    Json,
}

pub(super) fn run(args: &Args, streams: &mut Streams<'_>) -> anyhow::Result<Exit> {
    let records = read::read_all(&args.records)?;
    let comparison = compare(&records)?;
    let text = match args.format {
        Format::Table => table(&comparison, presets::NOTHING),
        Format::Markdown => table(&comparison, presets::ASCII_MARKDOWN),
        Format::Csv => csv(&comparison),
        Format::Json => {
            let mut value = serde_json::to_value(&comparison)?;
            value["schema"] = 1.into();
            value["kind"] = "nqueens-compare".into();
            format!("{value:#}\n")
        }
    };
    streams.out.write_all(text.as_bytes())?;
    Ok(Exit::Fine)
}

fn table(comparison: &Comparison, style: TableStyle) -> String {
    let mut table = Table::new();
    table.load_style(style);
    table.set_header(std::iter::once("workload").chain(comparison.machines.iter().map(String::as_str)));
    for row in &comparison.rows {
        let mut is_first = true;
        let cells = row.cells.iter().map(|cell| match cell {
            None => "-".to_owned(),
            Some(cell) => shown(cell, std::mem::take(&mut is_first)),
        });
        table.add_row(std::iter::once(row.workload.to_string()).chain(cells));
    }
    if !comparison.overall.is_empty() {
        let overall = comparison.overall.iter().map(|speed| format!("x{speed:.3}"));
        let name = format!("geometric mean of {}", comparison.common);
        table.add_row(std::iter::once(name).chain(overall));
    }
    align(&mut table);
    format!(
        "{}\n\nx: times as fast as the first machine, with its 95 % interval; *: the fastest, or not to be told from it\n",
        trimmed(&table)
    )
}

fn shown(cell: &Cell, is_first: bool) -> String {
    let time = units::seconds(cell.seconds);
    let best = if cell.is_best { " *" } else { "  " };
    if is_first {
        return format!("{time}{best}");
    }
    let speed = cell.speed;
    format!("{time}  x{:.3} ({:.3} to {:.3}){best}", speed.value, speed.low, speed.high)
}

fn csv(comparison: &Comparison) -> String {
    let mut text = "workload,machine,threads,isa,seconds,speed,speed_low,speed_high,best\n".to_owned();
    for row in &comparison.rows {
        for (machine, cell) in comparison.machines.iter().zip(&row.cells) {
            let Some(Cell { seconds, threads, isa, speed, is_best, .. }) = cell else { continue };
            let (id, machine) = (&row.workload, quoted(machine));
            let (value, low, high) = (speed.value, speed.low, speed.high);
            text += &format!("{id},{machine},{threads},{isa},{seconds},{value},{low},{high},{is_best}\n");
        }
    }
    text
}
