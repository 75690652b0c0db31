//! `nqueens estimate`: how long a count would take, from a sample of it.

mod predict;
mod sampler;
mod text;

use std::time::Duration;

use nqueens::board::Size;
use nqueens::solver::registry;
use nqueens::{Counter, engine};
use serde::Serialize;

use super::options::{InstructionSet, Printed, Sizes, ThreadsOption, length_of_time, memory, solver_names};
use super::run::plan::solver_for;
use crate::exit::Exit;
use crate::machine::pace;
use crate::runs::RunPlan;
use crate::terminal::duration::in_words;
use crate::terminal::plural::plural;
use crate::terminal::signals::Interrupts;
use crate::terminal::watch::Watch;
use crate::terminal::{Streams, units};
use sampler::{Sampled, Sampler};
use text::show;

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
    /// Counts nothing: prints the predicted solver, time and memory
    #[arg(long, conflicts_with_all = ["budget", "share", "seed", "threads", "oversubscribe", "isa", "solver", "json", "format"])]
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

/// Everything that is printed.
#[derive(Serialize)]
struct EstimateReport<'a> {
    schema: u32,
    size: usize,
    solver: &'a str,
    isa: &'a str,
    threads: usize,
    predicted_core_seconds: f64,
    predicted_bytes: u64,
    shards: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    sample: Option<Sampled>,
}

impl EstimateReport<'_> {
    /// The threads whose time is estimated; each is taken to have a core.
    fn threads_in_words(&self) -> String {
        plural(self.threads, "thread")
    }
}

pub(crate) fn run(args: &Args, streams: &mut Streams<'_>) -> anyhow::Result<Exit> {
    let sizes = args.sizes.iter().flat_map(|sizes| sizes.0.iter().copied());
    if args.predict {
        return predict::run(sizes, streams);
    }
    let interrupts = Interrupts::catch()?;
    for size in sizes {
        let watch = Watch { interrupts: &interrupts, quiet: streams.quiet };
        estimate(args, size, &watch, streams)?;
    }
    Ok(Exit::Fine)
}

fn estimate(args: &Args, size: Size, watch: &Watch<'_>, streams: &mut Streams<'_>) -> anyhow::Result<()> {
    let solver = solver_for(size, &args.solver)?;
    let asked = args.isa.checked()?.unwrap_or_else(registry::machine_isa);
    let isa = registry::best_isa(solver, asked);
    let threads = args.threads.asked()?.map_or_else(engine::default_threads, |asked| asked.threads);
    let mut report = EstimateReport {
        schema: 1,
        size: size.get(),
        solver: solver.name(),
        isa: isa.name(),
        threads,
        predicted_core_seconds: pace::core_seconds(solver, size, isa, threads),
        predicted_bytes: solver.predicted_bytes(size, isa, threads),
        shards: RunPlan::new(size, solver, None)?.shards(),
        sample: None,
    };
    streams.note(format_args!(
        "n = {} with {} ({}): about {} of memory predicted for {}",
        size,
        solver.name(),
        isa.name(),
        units::bytes(report.predicted_bytes),
        report.threads_in_words(),
    ));
    // The sample uses no more threads than cores.
    let cores = args.threads.number()?;
    let counter = Counter::for_size(size).solver(solver.name()).isa(isa).threads(cores);
    let mut refusal = None;
    match memory::fit(counter, None) {
        Ok((counter, _)) => {
            let sampler = Sampler {
                args,
                size,
                plan: &*solver.plan(size, isa),
                threads: counter.threads_used()?,
                predicted_core_seconds: report.predicted_core_seconds,
                core_share: pace::core_share(solver, isa),
                watch,
            };
            match sampler.sampled()? {
                Ok(sampled) => report.sample = Some(sampled),
                Err(seconds) => {
                    refusal = Some(format!(
                        "the smallest sample is predicted to take about {}: give --budget {}m to count it",
                        in_words(seconds),
                        (seconds * 1.2 / 60.0).ceil()
                    ));
                }
            }
        }
        Err(problem) => refusal = Some(format!("{problem:#}")),
    }
    if args.printed.is_json() {
        streams.json(&report)?;
    } else {
        show(&report, streams)?;
    }
    if let Some(refusal) = refusal {
        streams.note(format_args!("nothing was sampled: {refusal}"));
    }
    Ok(())
}
