//! `nqueens estimate`: how long a count would take here.

use nqueens::Counter;
use nqueens::board::Size;
use nqueens::solver::registry;
use serde::Serialize;

use super::options::{InstructionSet, Sizes, ThreadsOption, memory, solver_names};
use crate::exit::Exit;
use crate::machine::{self, pace};
use crate::runs::RunPlan;
use crate::terminal::Streams;
use crate::terminal::duration::in_words;
use crate::terminal::plural::plural;
use crate::terminal::units::{self, seconds_in_json};

/// Predicts time, memory and shards of a count
///
/// The time is from a table of measured counts. It is scaled by the speed of this machine, which takes 0.1 s to measure.
/// For a run in progress, 'nqueens run status RUN' is the better forecast.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nqueens estimate 24               predicts for this machine
  nqueens estimate 24..=28          predicts for several sizes
  nqueens estimate 22 --threads 64  predicts for 64 threads")]
pub(crate) struct Args {
    /// Sizes and ranges of sizes, from 0 to 32, such as 24 or 24..=28
    #[arg(value_name = "N", required = true, allow_negative_numbers = true)]
    sizes: Vec<Sizes>,
    /// Solver to count with
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = solver_names())]
    solver: String,
    #[command(flatten)]
    threads: ThreadsOption,
    #[command(flatten)]
    isa: InstructionSet,
    /// Prints JSON
    #[arg(long)]
    json: bool,
}

/// What is predicted.
#[derive(Serialize)]
struct Estimate<'a> {
    schema: u32,
    size: usize,
    solver: &'a str,
    isa: &'a str,
    threads: usize,
    #[serde(serialize_with = "seconds_in_json")]
    predicted_core_seconds: f64,
    predicted_bytes: u64,
    shards: usize,
}

pub(crate) fn run(args: &Args, streams: &mut Streams<'_>) -> anyhow::Result<Exit> {
    for &size in args.sizes.iter().flat_map(|sizes| &sizes.0) {
        estimate(args, size, streams)?;
    }
    Ok(Exit::Fine)
}

fn estimate(args: &Args, size: Size, streams: &mut Streams<'_>) -> anyhow::Result<()> {
    // The solver of `nqueens count --dir`, which is the same on every machine.
    let solver = if args.solver == "auto" { RunPlan::default_solver(size) } else { registry::find(&args.solver)? };
    solver.check_size(size)?;
    let isa = registry::best_isa(solver, args.isa.checked()?.unwrap_or_else(registry::machine_isa));
    let counter = Counter::for_size(size).solver(solver.name()).isa(isa).threads(args.threads.number()?);
    // A typed number of threads may be that of another machine, with a core for each. Otherwise no more threads are started
    // than fit, and hardware threads share cores.
    let fitting = memory::fit(counter.clone(), None);
    let (threads, cores) = match args.threads.asked()?.filter(|asked| !asked.is_by_variable) {
        Some(asked) => (asked.threads, asked.threads),
        None => {
            let threads = fitting.as_ref().map_or(&counter, |(counter, _)| counter).threads_used()?;
            (threads, threads.min(machine::cores()))
        }
    };
    let estimate = Estimate {
        schema: 1,
        size: size.get(),
        solver: solver.name(),
        isa: isa.name(),
        threads,
        predicted_core_seconds: pace::measured_core_seconds(solver, size, isa),
        predicted_bytes: solver.predicted_bytes(size, isa, threads),
        shards: RunPlan::new(size, solver, None)?.shards(),
    };
    if args.json {
        streams.json(&estimate)?;
    } else {
        estimate.show(cores, streams)?;
    }
    if let Err(refusal) = fitting {
        streams.note(format_args!("{refusal:#}"));
    }
    Ok(())
}

impl Estimate<'_> {
    /// Prints the estimate for people, with the time on this number of cores.
    fn show(&self, cores: usize, streams: &mut Streams<'_>) -> std::io::Result<()> {
        let mut line = |name: &str, text: String| writeln!(streams.out, "{name:<10} {text}");
        let seconds = self.predicted_core_seconds;
        line(
            &format!("n = {}", self.size),
            format!("{} ({}) on {}", self.solver, self.isa, plural(self.threads, "thread")),
        )?;
        line("time", format!("about {} on free cores", in_words(seconds / cores as f64)))?;
        line("core time", format!("about {}", in_words(seconds)))?;
        line("memory", format!("about {}", units::bytes(self.predicted_bytes)))?;
        line("shards", format!("{}, with 'nqueens count {} --dir RUN'", self.shards, self.size))?;
        if self.shards > 1 {
            line("later", "'nqueens run status RUN' forecasts a run in progress better".to_owned())?;
        }
        Ok(())
    }
}
