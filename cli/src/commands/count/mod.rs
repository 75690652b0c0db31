//! `nqueens count`: the number of solutions.

mod folder_options;
mod layout;
mod plain;
mod result_options;
mod saved;
mod symmetry;

use nqueens::board::Size;

use super::counting::CountingOptions;
use super::options::{TypedSolver, parse_sizes, solver_parser};
use crate::exit;
use crate::terminal::Streams;
use folder_options::FolderOptions;
use layout::Layout;
use result_options::ResultOptions;
use saved::SavedCount;

/// Count the solutions for one or more sizes
///
/// Counts are printed on standard output, for several sizes as a table. The solver, the number of threads and the time
/// left go to standard error. 'nqueens 8' is short for 'nqueens count 8'.
///
/// With --dir, finished shards (parts of the count) are saved in a folder. The first process plans the shards, and any
/// number of processes and machines join it with the same command. Each process counts missing shards, waits for those
/// that others are counting, and prints the count when all shards are saved. 'nqueens status', 'merge' and 'audit' show
/// and check the folder.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nqueens count 8                            count the solutions for n = 8: 92
  nqueens count 8 10 12..=14 --time          print a table with times
  nqueens count 16 --json                    print one line of JSON
  nqueens count 13 --solver arrays           count with a textbook program
  nqueens count 4..=12 --classes             add fundamental and symmetric solutions
  nqueens count 32 --symmetry quarter-turn   count boards that look the same after a quarter turn
  nqueens count 24 --dir n24                 save finished shards; repeat it to continue
  nqueens count 26 --dir /shared/n26         share the work: type it on every machine
  nqueens count 26 --dir n26 --for 1h        stop after an hour
  nqueens count 26 --dir n26 --only 0..=99   count some shards")]
pub(crate) struct Args {
    /// Sizes and ranges of sizes, from 0 to 32, such as 8 or 8..=14
    #[arg(value_name = "N", required = true, allow_negative_numbers = true, value_parser = parse_sizes)]
    sizes: Vec<Vec<Size>>,
    /// Solver to count with
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = solver_parser())]
    solver: TypedSolver,
    #[command(flatten)]
    counting: CountingOptions,
    #[command(flatten)]
    results: ResultOptions,
    #[command(flatten)]
    folder: FolderOptions,
}

pub(crate) fn run(args: &Args, streams: &mut Streams<'_>) -> anyhow::Result<()> {
    let sizes = args.sizes.concat();
    let counting = args.counting.open(args.solver)?;
    let layout = &mut Layout::new(&args.results, &sizes);
    if let Some(turn) = args.results.symmetry {
        return symmetry::print_turns(turn, &sizes, counting.processor_threads(), layout, streams);
    }
    if counting.cards.is_some() && args.results.nodes {
        return Err(exit::Kind::Usage.error("graphics cards count no nodes: leave out --device or --nodes"));
    }
    if let Some(dir) = &args.folder.dir {
        let &[size] = &sizes[..] else {
            return Err(exit::Kind::Usage
                .error("--dir saves the count of one size: give one size, and count others in other folders"));
        };
        return SavedCount { dir, size, options: &args.folder, counting: &counting }.count_and_print(layout, streams);
    }
    let done = plain::print_each(&sizes, &counting, layout, streams);
    counting.note_given_back(streams);
    done
}
