//! `nqueens count`: the number of solutions.

mod line;

use std::path::{Path, PathBuf};
use std::time::Instant;

use nqueens::Counter;
use nqueens::board::Size;

use super::classes;
use super::layout::Layout;
use super::options::{How, Printed, Sizes};
use super::run::count::CountOptions;
use super::run::count::work::{RunWork, Stops};
use super::run::merge::refuse_faults;
use super::run::plan::solver_for;
use super::turns;
use super::turns::Turns;
use crate::exit::Exit;
use crate::runs;
use crate::runs::plausible::unpublished;
use crate::runs::{RunFolder, RunPlan};
use crate::terminal::Streams;
use crate::terminal::plural::part_of;
use crate::terminal::signals::Interrupts;
use crate::terminal::watch::{Watch, warn_if_endless};
use line::{CountLine, Recorded};

/// Counts the solutions for one or more sizes
///
/// The count goes to standard output. Several sizes make a table. Progress goes to standard error: solver, threads,
/// time left.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nqueens count 8                            counts the solutions for n = 8: 92
  nqueens count 8 10 12..=14 --time          prints a table with times
  nqueens count 16 --json                    prints one line of JSON
  nqueens count 13 --solver arrays           counts with a textbook program
  nqueens count 8 --fundamental              counts rotations and reflections as one: 12
  nqueens count 4..=12 --classes             adds symmetric solutions and orbits
  nqueens count 32 --symmetry quarter-turn   counts boards that a quarter turn does not change
  nqueens count 24 --checkpoint n24          saves finished shards; type it again to continue")]
pub(crate) struct Args {
    /// Sizes and ranges of sizes, from 0 to 32, such as 8 or 8..=14
    #[arg(value_name = "N", required = true, allow_negative_numbers = true)]
    sizes: Vec<Sizes>,
    #[command(flatten)]
    how: How,
    #[command(flatten)]
    printed: Printed,
    /// Adds the time in seconds
    #[arg(long)]
    time: bool,
    /// Adds the number of queens placed during the search
    #[arg(long, conflicts_with_all = ["fundamental", "classes", "symmetry"])]
    nodes: bool,
    /// Counts fundamental solutions: rotations and reflections of each other count as one
    #[arg(long, group = "what")]
    fundamental: bool,
    /// Counts all, symmetric and fundamental solutions, and the orbits of 8, 4 and 2
    #[arg(long, group = "what")]
    classes: bool,
    /// Counts only solutions that this turn does not change
    #[arg(long, value_enum, value_name = "TURN", group = "what", conflicts_with_all = ["solver", "isa"])]
    symmetry: Option<Turns>,
    /// Saves finished shards (parts of the count) in this folder. The same command continues from there
    #[arg(long, value_name = "FOLDER", conflicts_with = "what")]
    checkpoint: Option<PathBuf>,
}

pub(crate) fn run(args: &Args, streams: &mut Streams<'_>) -> anyhow::Result<Exit> {
    let sizes: Vec<Size> = args.sizes.iter().flat_map(|sizes| sizes.0.iter().copied()).collect();
    if let Some(turn) = args.symmetry {
        return turns::count(turn, &sizes, &args.how, args.printed.is_json(), args.time, streams);
    }
    let counters = sizes.iter().map(|&size| args.how.counter(size)).collect::<Result<Vec<_>, _>>()?;
    let interrupts = Interrupts::catch()?;
    let watch = Watch { interrupts: &interrupts, quiet: streams.quiet };
    if args.classes || args.fundamental {
        let layout = classes::layout(args.fundamental, args.printed.is_json(), args.time, &sizes);
        return classes::count(counters, &args.how, &layout, &watch, streams);
    }
    let layout = CountLine::layout(args, &sizes);
    if let Some(dir) = &args.checkpoint {
        let [counter] = &counters[..] else {
            return Err(
                Exit::Usage.error("--checkpoint saves the count of one size: give one size, or a folder for each")
            );
        };
        return with_checkpoint(args, counter, dir, &interrupts, &layout, streams);
    }
    layout.head(streams)?;
    let advice = ". To keep what is finished, add --checkpoint FOLDER";
    args.how.each(counters, advice, streams, |counter, streams| {
        let (outcome, seconds) = watch.count(counter)?;
        show(counter.size(), &CountLine::new(outcome, seconds), &layout, streams)
    })
}

/// Counts as a run in a folder. Continues the folder's run, or begins a new one.
fn with_checkpoint(
    args: &Args,
    counter: &Counter,
    dir: &Path,
    interrupts: &Interrupts,
    layout: &Layout<CountLine>,
    streams: &mut Streams<'_>,
) -> anyhow::Result<Exit> {
    let start = Instant::now();
    let size = counter.size();
    let wanted = RunPlan::new(size, solver_for(size, &args.how.solver)?, None)?;
    let stops = Stops { interrupts, deadline: None };
    // The folder's plan may have other shards. They give the same count.
    let folder = stops.patiently(|| match RunFolder::open(dir) {
        Ok(folder) if folder.plan.cut == wanted.cut => Ok(folder),
        // It may be readable soon.
        Err(error) if error.chain().any(|cause| cause.is::<std::io::Error>()) => Err(error),
        // Makes the folder, or says why not.
        _ => Ok(RunFolder::create(dir, wanted.clone())?.0),
    })?;
    warn_if_endless(counter, streams)?;
    let hands = CountOptions::new(args.how.threads, args.how.isa);
    let work = RunWork { folder: &folder, hands: &hands, stops };
    let report = work.go_on(0..=folder.plan.shards() - 1, streams)?;
    if let Some(exit) = interrupts.caught() {
        return Err(exit.error(format!(
            "n = {size}: stopped: {}: start the same command again to continue",
            part_of(report.known + report.counted, folder.plan.shards(), "shard", ["is saved", "are saved"])
        )));
    }
    let merged = stops.patiently(|| runs::merge(std::slice::from_ref(&folder)))?;
    refuse_faults(&merged, "there is no count", streams)?;
    let outcome = merged.outcome(args.how.threads.number()?)?;
    let line = CountLine::new(outcome, start.elapsed().as_secs_f64()).recorded(Recorded::from(&merged));
    show(size, &line, layout, streams)?;
    Ok(Exit::Fine)
}

/// Prints a count, and what is expected if nobody has published it.
fn show(size: Size, line: &CountLine, layout: &Layout<CountLine>, streams: &mut Streams<'_>) -> anyhow::Result<()> {
    layout.line(size.get(), line, streams)?;
    if let Some(clause) = unpublished(size) {
        streams.note(clause);
    }
    Ok(())
}
