//! `nqueens count`: the number of solutions.

mod layout;
mod progress;
mod saved;
mod symmetry;

use nqueens::board::Size;
use nqueens::symmetric::Turn;
use serde_json::Value;

use super::counting::Counting;
use super::options::{CountingOptions, sizes, solver_names, turns};
use crate::exit;
use crate::run::sanity::unpublished;
use crate::terminal::Streams;
use layout::{Layout, digits};
pub(super) use progress::count as with_progress;
use saved::Saved;

/// Counts the solutions for one or more sizes
///
/// The count goes to standard output. Several sizes make a table. Progress goes to standard error: solver, threads,
/// time left. 'nqueens 8' is short for 'nqueens count 8'.
///
/// With --dir, finished shards (parts of the count) are saved in a folder. The first process plans the shards. Any
/// number of processes and machines join with the same line. Each counts missing shards and waits for those of others.
/// When all shards are there, each prints the count. 'nqueens status', 'merge' and 'audit' show and check the folder.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nqueens count 8                            counts the solutions for n = 8: 92
  nqueens count 8 10 12..=14 --time          prints a table with times
  nqueens count 16 --json                    prints one line of JSON
  nqueens count 13 --solver arrays           counts with a textbook program
  nqueens count 4..=12 --classes             adds fundamental and symmetric solutions
  nqueens count 32 --symmetry quarter-turn   counts boards that a quarter turn does not change
  nqueens count 24 --dir n24                 saves finished shards; type it again to continue
  nqueens count 26 --dir /shared/n26         the same line on every machine shares the work
  nqueens count 26 --dir n26 --for 1h        stops after an hour
  nqueens count 26 --dir n26 --only 0..=99   counts some shards")]
pub(crate) struct Args {
    /// Sizes and ranges of sizes, from 0 to 32, such as 8 or 8..=14
    #[arg(value_name = "N", required = true, allow_negative_numbers = true, value_parser = sizes)]
    sizes: Vec<Vec<Size>>,
    /// Solver to count with
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = solver_names())]
    solver: String,
    #[command(flatten)]
    counting: CountingOptions,
    /// Prints JSON
    #[arg(long)]
    json: bool,
    /// Adds the time in seconds
    #[arg(long)]
    time: bool,
    /// Adds the number of queens placed during the search
    #[arg(long, conflicts_with_all = ["classes", "symmetry"])]
    nodes: bool,
    /// Counts all, symmetric and fundamental solutions, and the orbits of 8, 4 and 2
    #[arg(long, group = "what")]
    classes: bool,
    /// Counts only solutions that this turn does not change
    #[arg(long, value_name = "TURN", value_parser = turns(), group = "what", conflicts_with_all = ["solver", "isa", "device"])]
    symmetry: Option<Turn>,
    #[command(flatten)]
    saved: Saved,
}

pub(crate) fn run(args: &Args, streams: &mut Streams<'_>) -> anyhow::Result<()> {
    let sizes = args.sizes.concat();
    let counting = args.counting.open()?;
    if let Some(turn) = args.symmetry {
        return symmetry::count_turns(turn, &sizes, args, &counting, streams);
    }
    let counters = sizes.iter().map(|&size| counting.counter(size, &args.solver)).collect::<Result<Vec<_>, _>>()?;
    if counting.cards.is_some() && args.nodes {
        return Err(exit::Kind::Usage.error("graphics cards count no nodes: leave out --device or --nodes"));
    }
    if args.classes {
        return symmetry::count_classes(&sizes, counters, &counting, args, streams);
    }
    if let Some(dir) = &args.saved.dir {
        let [counter] = &counters[..] else {
            return Err(
                exit::Kind::Usage.error("--dir saves the count of one size: give one size, or a folder for each")
            );
        };
        return saved::count(args, counter, dir, &counting, streams);
    }
    let layout = layout(args, &sizes, streams)?;
    let advice = ". To keep what is finished, add --dir FOLDER";
    let done = progress::each(counters, &counting, advice, streams, |counter, streams| {
        let (outcome, seconds) = progress::count(counter, streams)?;
        let mut line = serde_json::to_value(&outcome)?;
        if let Some(cards) = &counting.cards {
            line["cards"] = cards.work().into();
        }
        show(outcome.size, line, seconds, &layout, streams)
    });
    counting.note(streams);
    done
}

fn layout(args: &Args, sizes: &[Size], streams: &mut Streams<'_>) -> std::io::Result<Layout> {
    let columns = [("solutions", digits(sizes), "/solutions"), ("nodes", 18, "/work/nodes")];
    Layout::start(args, sizes, if args.nodes { &columns } else { &columns[..1] }, streams)
}

/// Prints a count, and what is expected if nobody has published it.
fn show(size: Size, line: Value, seconds: f64, layout: &Layout, streams: &mut Streams<'_>) -> anyhow::Result<()> {
    layout.line(line, seconds, streams)?;
    if let Some(clause) = unpublished(size) {
        streams.note(clause);
    }
    Ok(())
}
