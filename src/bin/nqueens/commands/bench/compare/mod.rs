//! `nqueens bench compare`: the same workloads on several machines, ranked and side by side.

mod tables;

use std::path::PathBuf;

use clap::ValueEnum;

use super::records::records;
use crate::bench::compare::{Cell, Comparison};
use crate::bench::score::{POINTS, THREADS};
use crate::exit::Exit;
use crate::terminal::Streams;
use crate::terminal::escape::{csv as quoted, json, terminal_lines};

/// Compares the records of several machines or builds
///
/// It ranks the machines by their scores. Then it shows the speeds side by side, workload by workload. Records of one
/// machine are merged: measure it several times for a more trustworthy result.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nqueens bench compare here.json there.json                      ranks two machines
  nqueens bench compare here.json there.json --against here.json  shows relative speeds
  nqueens bench compare *.json --format csv                       prints every number")]
pub(crate) struct Args {
    /// Files of 'nqueens bench machine'
    #[arg(value_name = "RECORD", required = true)]
    records: Vec<PathBuf>,
    /// Makes the speeds of workloads relative to this one of the records. Default: the fastest machine of each is 1
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
    /// The same tables for a page or a comment in Markdown
    Markdown,
    /// One line for each score, and for each workload and machine
    Csv,
    /// Everything
    Json,
}

pub(crate) fn run(args: &Args, streams: &mut Streams<'_>) -> anyhow::Result<Exit> {
    let (records, against) = records(&args.records, args.against.as_deref(), streams)?;
    let comparison = Comparison::of(records, against);
    let text = match args.format {
        _ if args.json => as_json(&comparison)?,
        CompareFormat::Json => as_json(&comparison)?,
        CompareFormat::Table => terminal_lines(&tables::text(&comparison)),
        CompareFormat::Markdown => tables::markdown(&comparison),
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

/// The scores of each machine have a line too: `score/t=1` and `score/t=all`. Only they have points.
fn csv(comparison: &Comparison) -> String {
    let mut text = "workload,solver,n,threads,machine,isa,seconds,seconds_low,seconds_high,samples,speed,speed_low,\
                    speed_high,best,doubtful,points,points_low,points_high,rank,remarks\n"
        .to_owned();
    let remarks = |at: usize| quoted(&comparison.machines[at].remarks().unwrap_or_default());
    for (which, threads) in THREADS.into_iter().enumerate() {
        for (at, machine) in comparison.machines.iter().enumerate() {
            let figures = machine.places.map_or_else(String::new, |places| {
                let score = places[which].score;
                format!("{},{},{}", POINTS * score.value, POINTS * score.low, POINTS * score.high)
            });
            let figures = if figures.is_empty() { ",,".to_owned() } else { figures };
            let rank = machine.places.map_or_else(String::new, |places| places[which].rank.to_string());
            let (name, doubtful) = (quoted(&machine.name), machine.is_doubtful());
            text +=
                &format!("score/t={threads},,,{threads},{name},,,,,,,,,,{doubtful},{figures},{rank},{}\n", remarks(at));
        }
    }
    for row in &comparison.rows {
        for (at, cell) in row.cells.iter().enumerate() {
            let Some(cell) = cell else { continue };
            let Cell { time, samples, threads, isa, speed, is_best, is_doubtful } = cell;
            let (id, name, isa) = (&row.workload, quoted(&comparison.machines[at].name), quoted(isa));
            text += &format!(
                "{id},{},{},{threads},{name},{isa},{},{},{},{samples},{},{},{},{is_best},{is_doubtful},,,,,{}\n",
                id.solver,
                id.size,
                time.value,
                time.low,
                time.high,
                speed.value,
                speed.low,
                speed.high,
                remarks(at)
            );
        }
    }
    text
}
