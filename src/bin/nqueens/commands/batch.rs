//! `nqueens batch`: reads sizes and prints counts, as online judges ask.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::io::{BufReader, Read};
use std::iter;

use anyhow::Context;
use nqueens::Counter;
use nqueens::board::Size;

use super::options::{ThreadsOption, predicted_seconds};
use crate::exit::{Exit, Fault};
use crate::terminal::Streams;
use crate::terminal::escape::shortened;
use crate::terminal::units::in_words;

/// Reads sizes from standard input and prints the count of each, for online judges
///
/// The input has one or more sizes in each line. It ends with 0 or at its end. The program counts each size once.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  echo 8 | nqueens batch                 92
  printf '4\\n6\\n8\\n0\\n' | nqueens batch   2, 4 and 92, one in each line
  nqueens batch --max 18 < sizes.txt     answers larger sizes too")]
pub(crate) struct Args {
    /// Largest size that is counted
    #[arg(long, value_name = "N", default_value = "14", allow_negative_numbers = true)]
    max: Size,
    #[command(flatten)]
    threads: ThreadsOption,
}

pub(crate) fn run(args: &Args, streams: &mut Streams<'_>) -> anyhow::Result<Exit> {
    /// The longest word that is read to its end.
    const LONGEST: usize = 24;
    let (mut word, mut counts) = (Vec::new(), BTreeMap::new());
    for byte in BufReader::new(std::io::stdin()).bytes().chain(iter::once(Ok(b'\n'))) {
        let byte = byte.context("cannot read standard input")?;
        if !byte.is_ascii_whitespace() && word.len() <= LONGEST {
            word.push(byte);
            continue;
        }
        let typed = String::from_utf8_lossy(&word);
        match typed.parse::<Size>() {
            _ if word.is_empty() => {}
            Ok(size) if size.get() == 0 => return Ok(Exit::Fine),
            Ok(size) if size <= args.max => {
                let count = match counts.entry(size) {
                    Entry::Occupied(known) => *known.get(),
                    Entry::Vacant(new) => {
                        let (counter, _) = args.threads.fit(Counter::for_size(size))?;
                        let seconds = predicted_seconds(&counter)?;
                        if seconds >= 1.0 {
                            let time = in_words(seconds);
                            streams.note(format_args!("n = {size} takes about {time}; Ctrl-C ends it"));
                        }
                        // No signal is caught: one ends the program while it waits for a question, too.
                        *new.insert(counter.run()?.solutions)
                    }
                };
                writeln!(streams.out, "{count}")?;
            }
            _ => {
                return Err(Fault::Failure.error(format!(
                    "'{}' on standard input is not a board size: give whole numbers from 1 to {} (--max raises it, up to \
                     {}), and 0 to end",
                    shortened(&typed, LONGEST),
                    args.max,
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
