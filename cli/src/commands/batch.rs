//! `nqueens batch`: reads sizes and prints counts in the format of online judges.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::io::{self, BufRead, BufReader, Read};

use anyhow::{anyhow, ensure};
use nqueens::board::Size;

use super::counting::{Counting, CountingOptions};
use super::options::{TypedSolver, solver_parser};
use super::prepared::{Prepared, refuse_years};
use crate::terminal::escape::shortened;
use crate::terminal::files::MAX_BYTES;
use crate::terminal::{Streams, signals};

/// Read sizes from standard input and print the count of each, for online judges
///
/// Each line of the input contains one or more sizes. The input ends with a 0 or with its last line. Each size is
/// counted only once.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  echo 8 | nqueens batch                 92
  printf '4\\n6\\n8\\n0\\n' | nqueens batch   2, 4 and 92, each on a line
  nqueens batch < sizes.txt              read a file")]
pub(crate) struct Args {
    /// Solver to count with
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = solver_parser())]
    solver: TypedSolver,
    #[command(flatten)]
    counting: CountingOptions,
}

pub(crate) fn run(args: &Args, streams: &mut Streams<'_>) -> anyhow::Result<()> {
    let counting = args.counting.open(args.solver)?;
    let done = answer(&counting, streams);
    counting.note_given_back(streams);
    done
}

/// Prints the count of each size of the input.
fn answer(counting: &Counting, streams: &mut Streams<'_>) -> anyhow::Result<()> {
    // Nothing looks for signals while the program waits for a line. There is nothing to save, so they may end it at
    // once.
    signals::obey();
    let mut input = BufReader::new(streams.input("sizes, such as 8"));
    let mut known = BTreeMap::new();
    for number in 1.. {
        let mut line = String::new();
        let length = input.by_ref().take(MAX_BYTES).read_line(&mut line).map_err(cannot_read_input)? as u64;
        ensure!(length < MAX_BYTES, "standard input, line {number} is too long: give sizes, such as 8, and 0 to end");
        if length == 0 {
            break;
        }
        // Some editors begin a file with the mark of UTF-8.
        for word in line.trim_start_matches('\u{feff}').split_whitespace() {
            // Judges may write sizes of one length, such as 08.
            let digits = word.trim_start_matches('0');
            let size: Size = if digits.is_empty() { "0" } else { digits }.parse().map_err(|_| {
                let word = shortened(word, 40);
                anyhow!("standard input, line {number}: '{word}' is not a size: give sizes from 1 to 32, and 0 to end")
            })?;
            if size.get() == 0 {
                return Ok(());
            }
            if let Entry::Vacant(unknown) = known.entry(size) {
                refuse_years(size, counting, false)?;
                let (outcome, _) = Prepared::new(size, counting)?.outcome(streams)?;
                unknown.insert(outcome.solutions);
            }
            writeln!(streams.out, "{}", known[&size])?;
        }
        // A user or a program may wait for this answer before sending the next size.
        streams.out.flush()?;
    }
    Ok(())
}

/// Returns the error for input that cannot be read.
fn cannot_read_input(error: io::Error) -> anyhow::Error {
    match error.kind() {
        io::ErrorKind::InvalidData => anyhow!("standard input is not text: give sizes, such as 8, and 0 to end"),
        _ => anyhow!(error).context("cannot read standard input"),
    }
}
