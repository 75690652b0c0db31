//! `nqueens estimate`: how long a count would take, from a sample of it.

mod report;
mod sampler;

use std::time::Duration;

use nqueens::board::Size;
use nqueens::solver::registry;
use nqueens::{CancelToken, Counter};

use super::options::{InstructionSet, Printed, Sizes, ThreadsOption, length_of_time, memory, solver_names};
use super::run::plan::solver_for;
use crate::exit::Exit;
use crate::machine::pace;
use crate::runs::RunPlan;
use crate::terminal::Streams;
use crate::terminal::signals::Interrupts;
use crate::terminal::watch::Watch;
use report::EstimateReport;
use sampler::sampled;

/// Estimates time, memory and shards of a count
///
/// It counts a random sample of the work. It prints the time, its standard error, the memory, the number of shards, and
/// an estimate of the count.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nqueens estimate 24                        counts a sample for about ten seconds
  nqueens estimate 26 --budget 5m            counts a larger sample
  nqueens estimate 24..=28 --predict         predicts at once, counts nothing
  nqueens estimate 22 --threads 64           estimates for 64 threads
  nqueens estimate 22 --share 0.05 --seed 7  counts the same sample with every build")]
pub(crate) struct Args {
    /// Sizes and ranges of sizes, from 0 to 32, such as 24 or 24..=28
    #[arg(value_name = "N", required = true, allow_negative_numbers = true)]
    sizes: Vec<Sizes>,
    /// Counts no sample: predicts at once
    #[arg(long, conflicts_with_all = ["budget", "share", "seed"])]
    predict: bool,
    /// Approximate time to count the sample
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = length_of_time, conflicts_with = "share")]
    budget: Duration,
    /// Counts this share of the work, such as 0.05, and ignores --budget
    #[arg(long, value_name = "SHARE", value_parser = share, allow_negative_numbers = true)]
    share: Option<f64>,
    /// Seed of the random sample: the same number gives the same sample
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,
    /// Solver to count with
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = solver_names())]
    solver: String,
    #[command(flatten)]
    threads: ThreadsOption,
    #[command(flatten)]
    isa: InstructionSet,
    #[command(flatten)]
    printed: Printed,
}

pub(crate) fn share(text: &str) -> Result<f64, String> {
    text.parse()
        .ok()
        .filter(|share: &f64| *share > 0.0 && *share <= 1.0)
        .ok_or_else(|| format!("'{text}' is not a share: give a number above 0 and up to 1, such as 0.05"))
}

pub(crate) fn run(args: &Args, streams: &mut Streams<'_>) -> anyhow::Result<Exit> {
    let interrupts = Interrupts::catch()?;
    for &size in args.sizes.iter().flat_map(|sizes| &sizes.0) {
        let watch = Watch { interrupts: &interrupts, quiet: streams.quiet };
        estimate(args, size, &watch, streams)?;
    }
    Ok(Exit::Fine)
}

fn estimate(args: &Args, size: Size, watch: &Watch<'_>, streams: &mut Streams<'_>) -> anyhow::Result<()> {
    let solver = solver_for(size, &args.solver)?;
    let asked = args.isa.checked()?.unwrap_or_else(registry::machine_isa);
    let isa = registry::best_isa(solver, asked);
    // The sample takes no more threads than cores, and than fit the memory.
    let counter = Counter::for_size(size).solver(solver.name()).isa(isa).threads(args.threads.number()?);
    let fitting = memory::fit(counter.clone(), None);
    let sampling = fitting.as_ref().map_or(&counter, |(counter, _)| counter).threads_used()?;
    let typed = args.threads.asked()?.filter(|asked| !asked.is_by_variable);
    let threads = typed.map_or(sampling, |asked| asked.threads);
    let mut report = EstimateReport {
        schema: 1,
        size: size.get(),
        solver: solver.name(),
        isa: isa.name(),
        threads,
        predicted_core_seconds: pace::measured_core_seconds(solver, size, isa),
        predicted_bytes: solver.predicted_bytes(size, isa, threads),
        shards: RunPlan::new(size, solver, None)?.shards(),
        sample: None,
    };
    let pool = args.threads.pool(sampling)?;
    let sample = || {
        let plan = solver.plan(size, isa, &CancelToken::new())?;
        sampled(args, size, &*plan, pool, report.predicted_core_seconds, watch)
    };
    let (mut refusal, mut ended) = (fitting.err(), Ok(()));
    if refusal.is_none() && !args.predict {
        match sample() {
            Ok((sample, end)) => (report.sample, ended) = (Some(sample), end),
            Err(error) if Exit::of(&error) == Exit::Failure => refusal = Some(error),
            // A signal stopped it: the prediction is what there is.
            Err(error) => ended = Err(error),
        }
    }
    if args.printed.is_json() {
        streams.json(&report)?;
    } else {
        report.show(streams)?;
    }
    if let Some(refusal) = refusal {
        let what = if args.predict { "" } else { "nothing was sampled: " };
        streams.note(format_args!("{what}{refusal:#}"));
    }
    ended
}
