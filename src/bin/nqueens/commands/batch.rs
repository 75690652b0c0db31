//! `nqueens batch`: the judges' protocol, sizes in, counts out.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::io::{BufRead, Read};

use anyhow::Context;
use nqueens::Counter;
use nqueens::board::Size;

use super::options::ThreadsOption;
use crate::exit::Exit;
use crate::terminal::Streams;

/// Reads sizes from standard input and prints the count of each, for online judges
///
/// The input has one or more sizes in each line. It ends with 0 or at its end. The program counts each size once.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  echo 8 | nqueens batch                 92
  printf '4\\n6\\n8\\n0\\n' | nqueens batch   2, 4 and 92, one in each line
  nqueens batch --max 16 < sizes.txt     with sizes up to 16")]
pub(crate) struct Args {
    /// Largest size that is counted. A larger one is an error
    #[arg(long, value_name = "N", default_value = "14", allow_negative_numbers = true)]
    max: Size,
    #[command(flatten)]
    threads: ThreadsOption,
}

/// The most bytes of a line. A longer one is rejected before it ends.
const LONGEST_LINE: usize = 1 << 20;

/// The most bytes of a wrong size that a message repeats.
const SHOWN: usize = 24;

pub(crate) fn run(args: &Args, streams: &mut Streams<'_>) -> anyhow::Result<Exit> {
    // What is wrong with the threads is told before the first question.
    args.threads.asked()?;
    let mut counts = BTreeMap::new();
    let mut input = std::io::stdin().lock();
    let mut line = Vec::new();
    loop {
        // Whoever asks and waits for the answer gets it before we wait for the next question.
        streams.out.flush()?;
        line.clear();
        let mut limited = input.by_ref().take(LONGEST_LINE as u64);
        if limited.read_until(b'\n', &mut line).context("cannot read standard input")? == 0 {
            return Ok(Exit::Fine);
        }
        if line.len() == LONGEST_LINE && !line.ends_with(b"\n") {
            return Err(Exit::Failure.error("a line on standard input is longer than 1 MiB"));
        }
        for word in line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()) {
            let n = size(word, args.max)?;
            if n == 0 {
                return Ok(Exit::Fine);
            }
            let count = match counts.entry(n) {
                Entry::Occupied(known) => *known.get(),
                Entry::Vacant(new) => *new.insert(args.threads.fit(Counter::new(n)?)?.0.run()?.solutions),
            };
            writeln!(streams.out, "{count}")?;
        }
    }
}

/// The size that a word says.
fn size(word: &[u8], max: Size) -> anyhow::Result<usize> {
    match std::str::from_utf8(word).ok().and_then(|word| word.parse().ok()) {
        Some(n) if n <= max.get() => Ok(n),
        Some(n) if n <= Size::MAX => Err(Exit::Failure.error(format!(
            "the size {n} on standard input is above {max}, the largest allowed: start with '--max {n}'"
        ))),
        _ => {
            let shown = String::from_utf8_lossy(&word[..word.len().min(SHOWN)]);
            let more = if word.len() > SHOWN { "..." } else { "" };
            Err(Exit::Failure.error(format!(
                "'{}{more}' on standard input is not a board size: give whole numbers from 1 to {max}, and 0 to end",
                shown.escape_default()
            )))
        }
    }
}
