//! `nqueens bench compare`: the same workloads on several machines, ranked and side by side.

mod tables;

use std::path::PathBuf;

use crate::bench::compare::{Comparison, compare};
use crate::bench::export::quoted;
use crate::bench::rank::RankCell;
use crate::bench::statistics::geometric_mean;
use crate::bench::{Record, doubt};
use crate::terminal::escape::json;
use crate::terminal::units;
use clap::ValueEnum;

use super::gate::threshold;
use super::records::Records;
use crate::exit::Exit;
use crate::terminal::Streams;
use tables::{Look, tables};

/// Compares the records of several machines or builds
///
/// It ranks the machines by the frozen solvers, whose speed does not change between versions of this program. Then it
/// shows the speeds side by side, workload by workload.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nqueens bench compare here.json there.json                      ranks two machines
  nqueens bench compare here.json there.json --against here.json  shows relative speeds
  nqueens bench compare old.json new.json --fail-if-slower 5      exits with 4 if new is slower")]
pub(crate) struct Args {
    /// Files of 'nqueens bench machine --out FILE', at most 50
    #[arg(value_name = "RECORD", num_args = 2.., required = true)]
    records: Vec<PathBuf>,
    /// Makes speeds relative to this record: its file or its machine's name. Default: the fastest machine of each workload
    /// is 1, and machines are ranked by points
    #[arg(long, value_name = "RECORD")]
    against: Option<String>,
    /// Format of the comparison
    #[arg(long, value_enum, default_value_t = CompareFormat::Table)]
    format: CompareFormat,
    /// Prints JSON: short for --format json
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// Exits with 4 if the last record is over PERCENT slower than the first: on average, or surely on one workload.
    /// Exits with 5 if a record was disturbed, or if they share no workload
    #[arg(long, value_name = "PERCENT", value_parser = threshold, allow_negative_numbers = true)]
    fail_if_slower: Option<f64>,
}

/// How to print a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum CompareFormat {
    /// For people, at most 80 columns wide
    Table,
    /// The same tables for a web page or a pull request
    Markdown,
    /// One line for each workload and machine
    Csv,
    /// Everything
    Json,
}

pub(crate) fn run(args: &Args, streams: &mut Streams<'_>) -> anyhow::Result<Exit> {
    let records = Records::read(&args.records, args.against.as_deref(), streams)?;
    let verdict = args.fail_if_slower.map(|threshold| judge(&records.given, threshold));
    let told = tell(&records, if args.json { CompareFormat::Json } else { args.format }, streams);
    let exit = match verdict {
        Some(ComparedVerdict { exit: Exit::Regression, reason }) => return Err(Exit::Regression.error(reason)),
        // Of what cannot be read there is no verdict.
        _ if records.exit != Exit::Fine => records.exit,
        Some(ComparedVerdict { exit: Exit::Inconclusive, reason }) => return Err(Exit::Inconclusive.error(reason)),
        _ => Exit::Fine,
    };
    told.map(|()| exit)
}

/// Prints the comparison.
fn tell(records: &Records, format: CompareFormat, streams: &mut Streams<'_>) -> anyhow::Result<()> {
    let machines = &records.machines;
    if machines.len() < 2 {
        return Err(records.exit.error("only one of these files holds a record: there is nothing to compare it with"));
    }
    let comparison = compare(machines, records.against)?;
    let text = match format {
        CompareFormat::Table => tables(&comparison, machines, Look::Terminal),
        CompareFormat::Markdown => tables(&comparison, machines, Look::Markdown),
        CompareFormat::Csv => csv(&comparison),
        CompareFormat::Json => {
            let mut value = serde_json::to_value(&comparison)?;
            value["schema"] = 1.into();
            value["kind"] = "nqueens-compare".into();
            format!("{}\n", json(&format!("{value:#}")))
        }
    };
    streams.out.write_all(text.as_bytes())?;
    Ok(())
}

/// Whether the last record is slower than the first, and why.
struct ComparedVerdict {
    exit: Exit,
    reason: String,
}

/// Holds the last record against the first.
fn judge(given: &[Option<(String, Record)>], threshold: f64) -> ComparedVerdict {
    let cannot_tell = |reason: String| ComparedVerdict { exit: Exit::Inconclusive, reason };
    let (Some(Some(first)), Some(Some(last))) = (given.first(), given.last()) else {
        return cannot_tell("the first or the last record cannot be used".to_owned());
    };
    let pair = [first, last].map(Clone::clone);
    let grave = doubt::of_records(&pair).into_iter().zip(["first", "last"]).find_map(|(doubts, which)| {
        let grave: Vec<_> = doubts.into_iter().filter(|doubt| doubt.is_grave).collect();
        Some(format!("the {which} record is not to be trusted ({})", doubt::line(&grave)?))
    });
    if let Some(grave) = grave {
        return cannot_tell(format!("{grave}: measure it again"));
    }
    match compare(&pair, Some(0)) {
        Err(_) => cannot_tell("the first and the last record share no workload: measure the same suite".to_owned()),
        Ok(comparison) => slower(&comparison, threshold),
    }
}

/// Whether the last machine is slower than the first by more than the threshold; speeds are relative to the first.
fn slower(comparison: &Comparison, threshold: f64) -> ComparedVerdict {
    let limit = 1.0 / (1.0 + threshold);
    let percent = |speed: f64| units::percent(1.0 / speed - 1.0);
    let both = comparison.rows.iter().filter_map(|row| match &row.cells[..] {
        [Some(base), Some(head)] => Some((&row.workload, head.speed, base.is_doubtful || head.is_doubtful)),
        _ => None,
    });
    let speeds: Vec<_> = both.collect();
    let doubtful = speeds.iter().filter(|(.., is_doubtful)| *is_doubtful).count();
    if 2 * doubtful > speeds.len() {
        let reason = format!("the times of {doubtful} of {} workloads scatter: measure again", speeds.len());
        return ComparedVerdict { exit: Exit::Inconclusive, reason };
    }
    let overall = geometric_mean(&speeds.iter().map(|(_, speed, _)| speed.value).collect::<Vec<_>>());
    if overall < limit {
        let reason = format!("the last record is {} slower than the first on average", percent(overall));
        return ComparedVerdict { exit: Exit::Regression, reason };
    }
    let slow = speeds.into_iter().filter(|(_, speed, _)| speed.high < limit);
    match slow.min_by(|a, b| a.1.high.total_cmp(&b.1.high)) {
        None => ComparedVerdict { exit: Exit::Fine, reason: String::new() },
        Some((workload, speed, _)) => ComparedVerdict {
            exit: Exit::Regression,
            reason: format!(
                "{workload}: the last record is {} slower than the first, at least {}",
                percent(speed.value),
                percent(speed.high)
            ),
        },
    }
}

fn csv(comparison: &Comparison) -> String {
    let mut text = "workload,solver,n,threads,machine,isa,seconds,seconds_low,seconds_high,samples,speed,speed_low,\
                    speed_high,best,doubtful,doubts\n"
        .to_owned();
    for row in &comparison.rows {
        for (machine, cell) in row.cells.iter().enumerate() {
            let Some(cell) = cell else { continue };
            let RankCell { seconds, interval: [low, high], samples, threads, isa, speed, is_best, is_doubtful, .. } =
                cell;
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
