//! `nqueens batch`: reads sizes and prints counts, as online judges ask.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};

use anyhow::Context;
use nqueens::board::Size;

use super::count;
use super::options::{CountingOptions, solver_names};
use crate::exit;
use crate::terminal::{Streams, signals};

/// Reads sizes from standard input and prints the count of each, for online judges
///
/// The input has one or more sizes in each line. It ends with 0 or at its end. Each size is counted once.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  echo 8 | nqueens batch                 92
  printf '4\\n6\\n8\\n0\\n' | nqueens batch   2, 4 and 92, one in each line
  nqueens batch < sizes.txt              reads a file")]
pub(crate) struct Args {
    /// Solver to count with
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = solver_names())]
    solver: String,
    #[command(flatten)]
    counting: CountingOptions,
}

pub(crate) fn run(args: &Args, streams: &mut Streams<'_>) -> anyhow::Result<()> {
    let counting = args.counting.open()?;
    // Nobody looks for a signal while a line is waited for, and nothing has to be saved.
    signals::obey();
    let mut known = BTreeMap::new();
    for line in BufReader::new(streams.input("sizes, such as 8")).lines() {
        for word in line.context("cannot read standard input")?.split_whitespace() {
            let size: Size = word
                .parse()
                .map_err(|error| exit::Kind::Failure.error(format!("standard input: {error}, and 0 to end")))?;
            if size.get() == 0 {
                return Ok(());
            }
            let solutions: u128 = match known.get(&size) {
                Some(&solutions) => solutions,
                None => {
                    let (counter, _) = counting.fit(counting.counter(size, &args.solver)?)?;
                    count::with_progress(&counter, streams)?.0.solutions
                }
            };
            known.insert(size, solutions);
            writeln!(streams.out, "{solutions}")?;
        }
        // A user who waits for the answer before the next question must see it now.
        streams.out.flush()?;
    }
    Ok(())
}
