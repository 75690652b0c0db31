//! `nqueens batch`: reads sizes and prints counts, as online judges ask.

use std::io::{BufReader, Read};
use std::iter;

use anyhow::Context;
use nqueens::Counter;
use nqueens::board::Size;

use super::options::CountOptions;
use crate::exit::{Exit, Fault};
use crate::forecast::CountForecast;
use crate::terminal::Streams;
use crate::terminal::escape::shortened;
use crate::terminal::output::StandardInput;
use crate::terminal::units::in_words;

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
    how: CountOptions,
}

/// The longest word that is read to its end.
const LONGEST_WORD: usize = 24;

pub(crate) fn run(args: &Args, streams: &mut Streams<'_>) -> anyhow::Result<Exit> {
    let (max, resources) = (args.max.get(), args.how.resources.open()?);
    let counter = |n| Ok(resources.fit(resources.counter(Size::new(n)?, &args.how.solver)?)?.0);
    let counters = (0..=max).map(counter);
    let counters = counters.collect::<anyhow::Result<Vec<_>>>()?;
    let seconds =
        counters.iter().map(|counter| Ok(CountForecast::of(counter)?.seconds())).sum::<nqueens::Result<f64>>()?;
    if seconds >= 1.0 && !resources.has_cards() {
        let time = in_words(seconds);
        streams.note(format_args!("the table up to n = {max} takes about {time}; Ctrl-C ends it"));
    }
    let counts = counters.iter().map(Counter::run).collect::<Result<Vec<_>, _>>()?;
    let mut word = Vec::new();
    for byte in BufReader::new(StandardInput).bytes().chain(iter::once(Ok(b'\n'))) {
        let byte = byte.context("cannot read standard input")?;
        if !byte.is_ascii_whitespace() && word.len() <= LONGEST_WORD {
            word.push(byte);
            continue;
        }
        let typed = String::from_utf8_lossy(&word);
        match typed.parse() {
            _ if word.is_empty() => {}
            Ok(0) => return Ok(Exit::Fine),
            Ok(n) if n <= max => writeln!(streams.out, "{}", counts[n].solutions)?,
            _ => {
                return Err(Fault::Failure.error(format!(
                    "'{}' on standard input is no size of the table: give whole numbers from 1 to {max} (--max raises it, \
                     up to {}), and 0 to end",
                    shortened(&typed, LONGEST_WORD),
                    Size::MAX
                )));
            }
        }
        word.clear();
        if byte == b'\n' {
            // A user who waits for the answer before the next question must see it now.
            streams.out.flush()?;
        }
    }
    Ok(Exit::Fine)
}
