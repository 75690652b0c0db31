//! `nqueens compare`: the same workloads on several machines, ranked and side by side.

mod tables;

use std::path::PathBuf;

use clap::ValueEnum;
use nqueens::measure::compare::{Cell, Comparison, compare, find_machine};
use nqueens::measure::statistics::geometric_mean;
use nqueens::measure::{doubt, export::quoted, read, text::json, units};

use super::Streams;
use super::exit::Exit;
use super::regress::threshold;
use tables::{Look, tables};

/// Compares machines, or builds, by the records of their benchmarks
///
/// The machines are ranked by the frozen solvers, which tell machines apart whatever program measured them, and by the
/// newest code; then their speeds stand side by side, workload by workload.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Records to compare, files that 'nqueens bench --out FILE' wrote
    #[arg(value_name = "RECORD", num_args = 2.., required = true)]
    records: Vec<PathBuf>,
    /// The record that speeds are relative to, by its file or its machine's name; the fastest by default
    #[arg(long, value_name = "RECORD")]
    against: Option<String>,
    /// The format
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
    /// Exits with 4 where the last record is slower than the first by more than so many percent, on average over the
    /// workloads of all records or surely on one of them
    #[arg(long, value_name = "PERCENT", value_parser = threshold, allow_negative_numbers = true)]
    fail_if_slower: Option<f64>,
}

/// How to print a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people, at most 80 columns wide
    Table,
    /// The same tables for a web page or a pull request
    Markdown,
    /// A line for each workload and machine
    Csv,
    /// Everything
    Json,
}

pub(super) fn run(args: &Args, streams: &mut Streams<'_>) -> anyhow::Result<Exit> {
    let records = read::read_all(&args.records)?;
    let against = args.against.as_deref().map(|given| find_machine(&records, given)).transpose();
    let against = against.map_err(|error| Exit::Usage.error(error.to_string()))?;
    let comparison = compare(&records, against)?;
    let text = match args.format {
        Format::Table => tables(&comparison, &records, Look::Terminal),
        Format::Markdown => tables(&comparison, &records, Look::Markdown),
        Format::Csv => csv(&comparison),
        Format::Json => {
            let mut value = serde_json::to_value(&comparison)?;
            value["schema"] = 1.into();
            value["kind"] = "nqueens-compare".into();
            format!("{}\n", json(&format!("{value:#}")))
        }
    };
    streams.out.write_all(text.as_bytes())?;
    if let Some(threshold) = args.fail_if_slower
        && let Some(reason) = slower(&compare(&records, Some(0))?, threshold)
    {
        return Err(Exit::Regression.error(reason));
    }
    Ok(Exit::Fine)
}

/// Why the last machine is slower than the first by more than the threshold, if it is; speeds are relative to the first.
fn slower(comparison: &Comparison, threshold: f64) -> Option<String> {
    let limit = 1.0 / (1.0 + threshold);
    let percent = |speed: f64| units::percent(1.0 / speed - 1.0);
    let both = comparison.rows.iter().filter(|row| row.cells.first().is_some_and(Option::is_some));
    let speeds: Vec<_> = both.filter_map(|row| Some((&row.workload, row.cells.last()?.as_ref()?.speed))).collect();
    let overall = geometric_mean(&speeds.iter().map(|(_, speed)| speed.value).collect::<Vec<_>>());
    if overall < limit {
        return Some(format!("the last record is {} slower than the first on average", percent(overall)));
    }
    let slow = speeds.into_iter().filter(|(_, speed)| speed.high < limit);
    let (workload, speed) = slow.min_by(|a, b| a.1.high.total_cmp(&b.1.high))?;
    Some(format!(
        "{workload}: the last record is {} slower than the first, at least {}",
        percent(speed.value),
        percent(speed.high)
    ))
}

fn csv(comparison: &Comparison) -> String {
    let mut text = "workload,solver,n,threads,machine,isa,seconds,seconds_low,seconds_high,samples,speed,speed_low,\
                    speed_high,best,doubtful,doubts\n"
        .to_owned();
    for row in &comparison.rows {
        for (machine, cell) in row.cells.iter().enumerate() {
            let Some(cell) = cell else { continue };
            let Cell { seconds, interval: [low, high], samples, threads, isa, speed, is_best, is_doubtful, .. } = cell;
            let (id, name) = (&row.workload, quoted(&comparison.machines[machine]));
            let doubts = quoted(&doubt::line(&comparison.doubts[machine]).unwrap_or_default());
            text += &format!(
                "{id},{},{},{threads},{name},{isa},{seconds},{low},{high},{samples},{},{},{},{is_best},{is_doubtful},{doubts}\n",
                id.solver, id.size, speed.value, speed.low, speed.high
            );
        }
    }
    text
}
