//! `nqueens run plan`: cuts a count into shards for many machines or many days.

use std::path::PathBuf;

use crate::runs::{RunFolder, RunPlan};
use nqueens::board::Size;
use nqueens::solver::{Solver, registry};

use super::super::options::solver_names;
use crate::exit::Exit;
use crate::terminal::Streams;
use crate::terminal::duration::in_words;
use crate::terminal::signals::Interrupts;

/// Cuts a count into shards for any number of processes and machines
///
/// Creates a folder with the plan of a run. 'nqueens run count --dir RUN' counts its shards, and 'nqueens run merge
/// --dir RUN' adds them up. Every machine makes the same plan. The number of shards goes to standard output.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nqueens run plan 24 --dir n24                plans shards of at most ten minutes of one core
  nqueens run plan 24 --dir n24 --shards 5000  plans 5000 shards")]
pub(crate) struct Args {
    /// Size, from 0 to 32
    #[arg(value_name = "N", allow_negative_numbers = true)]
    size: Size,
    /// Folder of the run, created if necessary
    #[arg(long, value_name = "RUN")]
    dir: PathBuf,
    /// Number of shards. Default: enough that each takes at most ten minutes on one core
    #[arg(long, value_name = "K")]
    shards: Option<usize>,
    /// Solver to count with
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = solver_names())]
    solver: String,
}

/// The solver of this name. `auto` is one solver on every machine, so all machines make one plan.
pub(crate) fn solver_for(size: Size, name: &str) -> nqueens::Result<&'static dyn Solver> {
    if name == "auto" { Ok(RunPlan::default_solver(size)) } else { registry::find(name) }
}

pub(crate) fn run(args: &Args, streams: &mut Streams<'_>) -> anyhow::Result<Exit> {
    let _interrupts = Interrupts::catch()?;
    let solver = solver_for(args.size, &args.solver)?;
    let plan = RunPlan::new(args.size, solver, args.shards)?;
    let dir = args.dir.display();
    let (folder, is_new) = RunFolder::create(&args.dir, plan)?;
    let plan = &folder.plan;
    let longest = (0..plan.shards()).map(|shard| plan.predicted_seconds(shard)).fold(0.0, f64::max);
    streams.note(format_args!(
        "{} {}: {}, none longer than about {} on one core with portable code",
        if is_new { "planned in" } else { "already planned in" },
        dir,
        plan.in_words(),
        in_words(longest),
    ));
    streams.note(format_args!("count them with 'nqueens run count --dir {dir}', here and elsewhere"));
    writeln!(streams.out, "{}", plan.shards())?;
    Ok(Exit::Fine)
}
