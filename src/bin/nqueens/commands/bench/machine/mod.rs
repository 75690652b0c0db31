//! `nqueens bench machine`: runs a suite of workloads and saves the record.

mod table;

use std::path::PathBuf;
use std::time::Duration;

use crate::bench::measure::{BenchPlan, run as run_plan};
use crate::bench::record::INTERRUPTED;
use crate::bench::{WorkloadId, export, suite};
use anyhow::Context;
use clap::builder::PossibleValuesParser;
use nqueens::engine;

use super::super::options::{InstructionSet, up_to_a_day};
use crate::exit::Exit;
use crate::terminal::kept::Kept;
use crate::terminal::measured::watched_by;
use crate::terminal::plural::plural;
use crate::terminal::signals::Interrupts;
use crate::terminal::{Streams, settle};

/// Measures this machine with a suite of workloads, and checks each count
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nqueens bench machine --out here.json            measures this machine and saves the record
  nqueens bench machine --suite standard           measures longer, and 1, 2, 4 threads and so on
  nqueens bench machine --workload count/bitmask/n=12/t=1
                                                   measures only this workload")]
pub(crate) struct Args {
    /// Workloads to measure. quick: under 20 seconds on 2 cores. standard: under three minutes, also on 1, 2, 4 and
    /// more threads, up to all
    #[arg(long, default_value = "quick", value_parser = PossibleValuesParser::new(suite::NAMES))]
    suite: String,
    /// Measures this workload instead of a suite, such as count/bitmask/n=12/t=1, without a score. May be repeated
    #[arg(long, value_name = "ID", conflicts_with = "suite")]
    workload: Vec<WorkloadId>,
    /// Time for samples, such as 30s. Each workload gets at least five
    #[arg(long, value_name = "TIME", value_parser = up_to_a_day)]
    budget: Option<Duration>,
    /// Keeps the machine busy afterwards for TIME, such as 90s, 10m or 1h, and reports whether it slows down
    #[arg(long, value_name = "TIME", value_parser = up_to_a_day)]
    sustain: Option<Duration>,
    /// Saves the record in FILE, for 'bench compare', 'bench report' and 'bench export'
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Runs the suite TIMES times, so that intervals include differences between starts
    #[arg(long, value_name = "TIMES", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1000))]
    repeat: u16,
    /// Name of this machine in the record. Default: its processor's model
    #[arg(long)]
    name: Option<String>,
    #[command(flatten)]
    isa: InstructionSet,
}

pub(crate) fn run(args: &Args, streams: &mut Streams<'_>) -> anyhow::Result<Exit> {
    let mut suite = match &args.workload[..] {
        [] => suite::find(&args.suite).context("there is no such suite")?,
        workloads => suite::custom(workloads),
    };
    if let Some(budget) = args.budget {
        suite.budget = budget;
    }
    let isa = args.isa.checked()?;
    let kept = args.out.as_deref().map(|path| Kept::prepare(path, "the record")).transpose()?;
    streams.note(format_args!(
        "suite {suite}: {}{}, about {} s, 'all' threads are {}",
        plural(suite.workloads.len(), "workload"),
        if args.repeat > 1 { format!(", {} times", args.repeat) } else { String::new() },
        u64::from(args.repeat) * suite.budget.as_secs() + args.sustain.map_or(0, |time| time.as_secs()),
        engine::default_threads()
    ));
    let plan = BenchPlan { suite, isa, name: args.name.clone(), sustain: args.sustain, repeat: args.repeat.into() };
    let interrupts = Interrupts::catch()?;
    let record = watched_by(&interrupts, streams, |cancel, display| {
        run_plan(&plan, cancel, &mut |fraction, workload, samples| {
            display.show(fraction, || format!("{:.0} %, {workload}, sample {samples}", 100.0 * fraction));
        })
    })?;
    for warning in &record.warnings {
        streams.note(format_args!("warning: {}", warning.message));
    }
    // The result is printed even if the file cannot be written.
    streams.out.write_all(table::table(&record).as_bytes())?;
    streams.out.flush()?;
    let kept = kept.map(|kept| kept.write(&export::json(&record)));
    match (&kept, &args.out) {
        (Some(Ok(())), Some(out)) => streams.note(format_args!("wrote {}", out.display())),
        (None, _) => streams.note("the record was not saved: give --out FILE to compare it later"),
        _ => {}
    }
    let is_partial = record.warnings.iter().any(|warning| warning.kind == INTERRUPTED);
    let done = match interrupts.caught().filter(|_| is_partial) {
        Some(exit) => Err(exit.error("stopped early: the result has only what was measured")),
        None => Ok(Exit::Fine),
    };
    settle(done, kept.unwrap_or(Ok(())))
}
