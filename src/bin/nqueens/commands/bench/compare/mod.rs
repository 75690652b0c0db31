//! `nqueens bench compare`: the same workloads on several machines, ranked and side by side.

mod tables;

use std::path::PathBuf;

use crate::bench::compare::{Comparison, compare};
use crate::bench::doubt;
use crate::bench::export::quoted;
use crate::bench::rank::RankCell;
use crate::terminal::escape::{json, terminal_lines};
use clap::ValueEnum;

use super::records::records;
use crate::exit::Exit;
use crate::terminal::Streams;
use tables::tables;

/// Compares the records of several machines or builds
///
/// It ranks the machines by the frozen solvers, whose speed does not change between versions of this program. Then it
/// shows the speeds side by side, workload by workload.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nqueens bench compare here.json there.json                      ranks two machines
  nqueens bench compare here.json there.json --against here.json  shows relative speeds
  nqueens bench compare here.json there.json --format csv         prints every number")]
pub(crate) struct Args {
    /// Files of 'nqueens bench machine --out FILE'
    #[arg(value_name = "RECORD", num_args = 2.., required = true)]
    records: Vec<PathBuf>,
    /// Makes speeds relative to this one of the records. Default: the fastest machine of each workload is 1, and
    /// machines are ranked by points
    #[arg(long, value_name = "RECORD")]
    against: Option<PathBuf>,
    /// Format of the comparison
    #[arg(long, value_enum, default_value_t = CompareFormat::Table)]
    format: CompareFormat,
    /// Prints JSON: short for --format json
    #[arg(long, conflicts_with = "format")]
    json: bool,
}

/// How to print a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum CompareFormat {
    /// For people, at most 80 columns wide
    Table,
    /// One line for each workload and machine
    Csv,
    /// Everything
    Json,
}

pub(crate) fn run(args: &Args, streams: &mut Streams<'_>) -> anyhow::Result<Exit> {
    let (records, against) = records(&args.records, args.against.as_deref(), streams)?;
    let comparison = compare(&records, against)?;
    let text = match args.format {
        _ if args.json => as_json(&comparison)?,
        CompareFormat::Json => as_json(&comparison)?,
        CompareFormat::Table => terminal_lines(&tables(&comparison, &records)).into_owned(),
        CompareFormat::Csv => csv(&comparison),
    };
    streams.out.write_all(text.as_bytes())?;
    Ok(Exit::Fine)
}

fn as_json(comparison: &Comparison) -> anyhow::Result<String> {
    let mut value = serde_json::to_value(comparison)?;
    value["schema"] = 1.into();
    value["kind"] = "nqueens-compare".into();
    Ok(format!("{}\n", json(&format!("{value:#}"))))
}

fn csv(comparison: &Comparison) -> String {
    let mut text = "workload,solver,n,threads,machine,isa,seconds,seconds_low,seconds_high,samples,speed,speed_low,\
                    speed_high,best,doubtful,doubts\n"
        .to_owned();
    for row in &comparison.rows {
        for (machine, cell) in row.cells.iter().enumerate() {
            let Some(cell) = cell else { continue };
            let RankCell { time, samples, threads, isa, speed, is_best, is_doubtful } = cell;
            let (id, name, isa) = (&row.workload, quoted(&comparison.machines[machine]), quoted(isa));
            let doubts = quoted(&doubt::line(&comparison.doubts[machine]).unwrap_or_default());
            text += &format!(
                "{id},{},{},{threads},{name},{isa},{},{},{},{samples},{},{},{},{is_best},{is_doubtful},{doubts}\n",
                id.solver, id.size, time.value, time.low, time.high, speed.value, speed.low, speed.high
            );
        }
    }
    text
}
