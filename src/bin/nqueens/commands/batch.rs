//! `nqueens batch`: reads sizes and prints counts, as online judges ask.

use std::io::{BufRead, Read};

use anyhow::Context;
use nqueens::Counter;
use nqueens::board::Size;

use super::options::ThreadsOption;
use crate::exit::Exit;
use crate::machine::pace;
use crate::terminal::Streams;
use crate::terminal::duration::in_words;
use crate::terminal::plural::plural;

/// Reads sizes from standard input and prints the count of each, for online judges
///
/// The input has one or more sizes in each line. It ends with 0 or at its end. The program computes a table once, at
/// the start, and answers from it.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  echo 8 | nqueens batch                 92
  printf '4\\n6\\n8\\n0\\n' | nqueens batch   2, 4 and 92, one in each line
  nqueens batch --max 16 < sizes.txt     with a larger table")]
pub(crate) struct Args {
    /// Largest size in the table
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
    let table = CountTable::compute(args.max, args.threads, streams)?;
    let mut input = std::io::stdin().lock();
    let mut line = Vec::new();
    loop {
        // A user who waits for the answer before the next question must see it now.
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
            match table.answer(word)? {
                Some(answer) => streams.out.write_all(answer.as_bytes())?,
                None => return Ok(Exit::Fine),
            }
        }
    }
}

/// A table that takes less time is made without a note, in seconds.
const WORTH_SAYING_SECONDS: f64 = 1.0;

fn predicted_seconds(counter: &Counter) -> nqueens::Result<f64> {
    let (choice, threads) = (counter.choice()?, counter.threads_used()?);
    Ok(pace::thread_seconds(choice.solver, counter.size(), choice.isa, threads) / threads as f64)
}

/// The answers, each with the end of its line.
struct CountTable {
    answers: Vec<String>,
}

impl CountTable {
    /// The counts up to `max`. Fails before the first count if a size does not fit the memory.
    fn compute(max: Size, threads: ThreadsOption, streams: &Streams<'_>) -> anyhow::Result<Self> {
        let sizes = (0..=max.get()).map(|n| Ok(threads.fit(Counter::new(n)?)?.0));
        let counters = sizes.collect::<anyhow::Result<Vec<_>>>()?;
        let seconds = counters.iter().map(predicted_seconds).sum::<Result<_, _>>()?;
        if seconds >= WORTH_SAYING_SECONDS {
            let threads = threads.number()?;
            streams.note(format_args!(
                "the table up to n = {max} takes about {} on {}, most of it for the largest sizes; Ctrl-C ends it",
                in_words(seconds),
                plural(threads, "thread"),
            ));
        }
        let answer = |counter: Counter| Ok(format!("{}\n", counter.run()?.solutions));
        Ok(Self { answers: counters.into_iter().map(answer).collect::<nqueens::Result<_>>()? })
    }

    /// The answer to a typed size; `None` for 0, which ends the input.
    fn answer(&self, word: &[u8]) -> anyhow::Result<Option<&str>> {
        let max = self.answers.len() - 1;
        let typed = || {
            let shown = String::from_utf8_lossy(&word[..word.len().min(SHOWN)]);
            let more = if word.len() > SHOWN { "..." } else { "" };
            format!("{}{more}", shown.escape_default())
        };
        match std::str::from_utf8(word).ok().and_then(|word| word.parse().ok()) {
            Some(0) => Ok(None),
            Some(n) if n <= max => Ok(Some(&self.answers[n])),
            Some(n) if n <= Size::MAX => Err(Exit::Failure.error(format!(
                "the size {n} on standard input is beyond the table, which ends at {max}: start with '--max {n}'"
            ))),
            _ => Err(Exit::Failure.error(format!(
                "'{}' on standard input is not a board size: give whole numbers from 1 to {max} (--max raises it, up to {}), and 0 to end",
                typed(),
                Size::MAX
            ))),
        }
    }
}
