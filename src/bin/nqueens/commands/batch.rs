//! `nqueens batch`: the judges' protocol, sizes in, counts out.

use std::io::BufRead;

use nqueens::Counter;
use nqueens::board::Size;

use super::options::ThreadsOption;
use crate::exit::Exit;
use crate::machine::pace;
use crate::terminal::Streams;
use crate::terminal::duration::in_words;
use crate::terminal::plural::plural;

/// Reads sizes from standard input and prints the count of each, as online judges ask
///
/// The input has one or more sizes in each line. It ends with 0 or at its end. The program computes a table once, at the
/// start, and answers from it.
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

/// The most digits of a size. A longer word is rejected before it ends.
const LONGEST_SIZE: usize = 24;

pub(crate) fn run(args: &Args, streams: &mut Streams<'_>) -> anyhow::Result<Exit> {
    let table = CountTable::compute(args.max, args.threads, streams)?;
    let mut input = std::io::stdin().lock();
    let mut word = Vec::new();
    loop {
        // Whoever asks and waits for the answer gets it before we wait for the next question.
        streams.out.flush()?;
        let chunk = match input.fill_buf() {
            Ok(chunk) => chunk,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(anyhow::Error::from(error).context("cannot read standard input")),
        };
        let is_end = chunk.is_empty();
        // The end of input ends a word too.
        let bytes = if is_end { b"\n" } else { chunk };
        for &byte in bytes {
            let is_over = byte.is_ascii_whitespace();
            if !is_over {
                word.push(byte);
            }
            if word.is_empty() || !is_over && word.len() <= LONGEST_SIZE {
                continue;
            }
            match table.answer(&word)? {
                Some(answer) => streams.out.write_all(answer.as_bytes())?,
                None => return Ok(Exit::Fine),
            }
            word.clear();
        }
        if is_end {
            return Ok(Exit::Fine);
        }
        let read = chunk.len();
        input.consume(read);
    }
}

/// A table that takes less needs no words.
const WORTH_SAYING_SECONDS: f64 = 1.0;

fn predicted_seconds(counter: &Counter) -> nqueens::Result<f64> {
    let (choice, threads) = (counter.choice()?, counter.threads_used()?);
    Ok(pace::core_seconds(choice.solver, counter.size(), choice.isa, threads) / threads as f64)
}

/// The answers, each with the end of its line.
struct CountTable {
    answers: Vec<String>,
}

impl CountTable {
    /// The counts up to `max`. What does not fit the memory is refused before anything is counted.
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

    /// The answer to a size as it was typed; `None` to 0, which ends the input.
    fn answer(&self, word: &[u8]) -> anyhow::Result<Option<&str>> {
        let max = self.answers.len() - 1;
        let typed = || {
            let shown = String::from_utf8_lossy(&word[..word.len().min(LONGEST_SIZE)]);
            let more = if word.len() > LONGEST_SIZE { "..." } else { "" };
            format!("{}{more}", shown.escape_default())
        };
        let size =
            std::str::from_utf8(word).ok().filter(|_| word.len() <= LONGEST_SIZE).and_then(|word| word.parse().ok());
        match size {
            Some(0) => Ok(None),
            Some(n) if n <= max => Ok(Some(&self.answers[n])),
            Some(n) if n <= Size::MAX => Err(Exit::Failure.error(format!(
                "the size {n} on standard input is beyond the table, which ends at {max}: start with '--max {n}'"
            ))),
            _ => Err(Exit::Failure.error(format!(
                "'{}' on standard input is not a board size: give whole numbers from 1 to {max}, and 0 to end",
                typed()
            ))),
        }
    }
}
