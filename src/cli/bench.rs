//! `nqueens bench`: runs a suite of workloads and keeps the record.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context;
use clap::builder::PossibleValuesParser;
use nqueens::measure::bench::{Plan, run as run_plan};
use nqueens::measure::{WorkloadId, export, suite};
use nqueens::{engine, measure};

use super::Streams;
use super::args::{IsaChoice, isa_choice};
use super::exit::Exit;
use super::export::Format;
use super::kept::Kept;
use super::measured::watched;

/// Measures this machine with a suite of workloads, each count checked
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// How much to measure: quick takes under 20 seconds on 2 cores, standard under 3 minutes, full about 15
    #[arg(long, default_value = "quick", value_parser = PossibleValuesParser::new(suite::NAMES))]
    suite: String,
    /// A workload to measure instead of a suite's, like count/mask/n=12/t=1; may be repeated. There is no score then
    #[arg(long, value_name = "ID", conflicts_with = "suite")]
    workload: Vec<WorkloadId>,
    /// The time to spend on samples; the first five of each workload are taken in any case
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    budget: Option<u64>,
    /// The file to keep the record in, for 'compare', 'report' and 'export'
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
    /// What to call this machine in the record; its processor's model by default
    #[arg(long)]
    name: Option<String>,
    /// The instruction set to use at most; the machine's best by default
    #[arg(long, value_name = "SET", default_value = "auto", value_parser = isa_choice())]
    isa: IsaChoice,
    /// What to print
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
}

pub(super) fn run(args: &Args, streams: &mut Streams<'_>) -> anyhow::Result<Exit> {
    let mut suite = if args.workload.is_empty() {
        suite::find(&args.suite).context("this suite is not there")?
    } else {
        suite::custom(&args.workload)
    };
    if let Some(seconds) = args.budget {
        suite.budget = Duration::from_secs(seconds);
    }
    let isa = args.isa.checked()?;
    if args.name.as_deref().is_some_and(|name| name.trim().is_empty()) {
        return Err(Exit::Usage.error("the name is empty: give the machine a name, or leave --name out"));
    }
    // Before minutes are spent: can the record be kept?
    let kept = args.out.as_deref().map(|path| Kept::prepare(path, "the record")).transpose()?;
    streams.note(format_args!(
        "suite {suite}: {} workloads, about {} s, 'all' threads are {}",
        suite.workloads.len(),
        suite.budget.as_secs(),
        engine::default_threads()
    ));
    let plan = Plan { suite, isa, name: args.name.clone() };
    let record = watched(streams, |cancel, display| {
        run_plan(&plan, cancel, &mut |progress| {
            let measure::bench::Progress { workload, samples, fraction } = progress;
            display.show(fraction, || format!("{:.0} %, {workload}, sample {samples}", 100.0 * fraction));
        })
    })?;
    for warning in &record.warnings {
        streams.note(format_args!("warning: {}", warning.message));
    }
    match kept {
        Some(kept) => kept.write(&export::json(&record))?,
        None => streams.note("the record was not kept: give --out FILE to compare it later"),
    }
    streams.out.write_all(args.format.render(&record).as_bytes())?;
    Ok(Exit::Fine)
}
