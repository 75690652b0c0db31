//! `nqueens estimate`: how long a count would take here.

use std::time::Duration;

use nqueens::CancelToken;
use nqueens::board::Size;
use nqueens::registry::Choice;
use nqueens::solver::Isa;
use serde_json::json;

use super::counting::{Counting, on_threads};
use super::measured::{Kind, interval, measure};
use super::options::{isas, length_of_time, sizes, solver_names, threads};
use crate::forecast::CountForecast;
use crate::machine;
use crate::run::RunPlan;
use crate::terminal::Streams;
use crate::terminal::table::{Column, Table};
use crate::terminal::task::Task;
use crate::terminal::units::bytes;

/// Predicts time, memory and shards of a count
///
/// The time is from a table of measured counts. For a count over ten seconds it is scaled by the speed of this machine,
/// which takes 0.1 s to measure. For a run in progress, 'nqueens status RUN' is the better forecast.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nqueens estimate 24               predicts for this machine
  nqueens estimate 24..=28          predicts for several sizes
  nqueens estimate 22 --threads 64  predicts for 64 threads
  nqueens estimate 26 --measure 5m  times a sample of the units for five minutes")]
pub(crate) struct Args {
    /// Sizes and ranges of sizes, from 0 to 32, such as 24 or 24..=28
    #[arg(value_name = "N", required = true, allow_negative_numbers = true, value_parser = sizes)]
    sizes: Vec<Vec<Size>>,
    /// Solver to predict for
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = solver_names())]
    solver: String,
    /// Number of threads to predict for, each on a core of its own, here or elsewhere. Default: those of 'nqueens count' here
    #[arg(long, short, value_name = "T", value_parser = threads(), allow_negative_numbers = true)]
    threads: Option<usize>,
    /// Highest instruction set to predict for. Default: the best of this machine
    #[arg(long, value_name = "SET", value_parser = isas())]
    isa: Option<Isa>,
    /// Times units of this count here for about this long, on one thread, and forecasts the others from them
    #[arg(long, value_name = "TIME", value_parser = length_of_time)]
    measure: Option<Duration>,
    /// Prints JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, streams: &mut Streams<'_>) -> anyhow::Result<()> {
    args.sizes.iter().flatten().try_for_each(|&size| estimate(args, size, streams))
}

fn estimate(args: &Args, size: Size, streams: &mut Streams<'_>) -> anyhow::Result<()> {
    // The solver of `nqueens count --dir`, which is the same on every machine.
    let solver = if args.solver == "auto" { RunPlan::default_solver(size).name() } else { &args.solver };
    let (typed, most) = (args.threads, args.threads.unwrap_or_else(machine::usable_threads));
    let counting = Counting::on_processor(None, args.isa);
    let counter = counting.counter(size, solver)?.threads(most);
    let Choice { solver, isa, .. } = counter.choice()?;
    let fitting = counting.fit(counter.clone());
    // A typed number of threads may be that of another machine, with a core for each. Otherwise no more threads are started
    // than fit, and hardware threads share cores.
    let (threads, on) = match &fitting {
        Ok((counter, on)) if typed.is_none() => (counter.threads_used()?, on.clone()),
        _ => (most, on_threads(most, typed.is_some())),
    };
    let here = CountForecast::new(solver, size, isa, threads);
    let mut forecast = typed.map_or(here, |typed| here.elsewhere(typed));
    let units = solver.plan(size, isa, &CancelToken::new())?;
    let mut kinds = Vec::new();
    if let Some(time) = args.measure {
        let task = Task::new(&format!("n = {size}"), streams)?;
        kinds = task.measure(|task| measure(&*units, here.core_seconds, time, task))?;
        forecast = forecast.measured(interval(&kinds));
    }
    let predicted_bytes = solver.predicted_bytes(size, isa, threads);
    let shards = RunPlan::of(size, solver, &*units, None)?.shards();
    let (solver, isa) = (solver.name(), isa.name());
    if args.json {
        streams.json(&json!({
            "schema": crate::version::JSON_SCHEMA,
            "size": size,
            "solver": solver,
            "isa": isa,
            "threads": threads,
            "predicted_core_seconds": forecast.core_seconds,
            "core_seconds_between": forecast.core_seconds_between(),
            "measured": kinds.iter().map(Kind::json).collect::<Vec<_>>(),
            "predicted_seconds": forecast.seconds(),
            "predicted_bytes": predicted_bytes,
            "shards": shards,
        }))?;
    } else {
        let table = Table::new([Column::Text(9), Column::Text(0)]);
        let mut line = |name: &str, text: String| write!(streams.out, "{}", table.line(&[name, &text]));
        line(&format!("n = {size}"), format!("{solver} ({isa}) {on}"))?;
        let on =
            forecast.quota.map_or_else(|| "free cores".to_owned(), |quota| format!("{quota:.2} of a core, by a quota"));
        let [elapsed, core_time] = forecast.ranges();
        line("time", format!("{elapsed} on {on}{}", forecast.trust()))?;
        line("core time", core_time)?;
        for kind in &kinds {
            line("", kind.in_words())?;
        }
        let limit = machine::address_space().map(|room| format!(", of the {} {}", bytes(room.bytes), room.words));
        line("memory", format!("about {}{}", bytes(predicted_bytes), limit.unwrap_or_default()))?;
        line("shards", format!("{shards}, with 'nqueens count {size} --dir RUN'"))?;
    }
    if let Err(refusal) = fitting {
        streams.note(format_args!("{refusal:#}"));
    }
    Ok(())
}
