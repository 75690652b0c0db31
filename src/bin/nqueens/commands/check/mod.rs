//! `nqueens check`: boards as text, each a solution or not.

mod parse;
mod reader;
mod seen;

use std::fs::File;
use std::io::{self, BufRead, BufReader, IsTerminal};
use std::path::{Path, PathBuf};

use crate::terminal::escape::terminal;

use crate::exit::Exit;
use crate::terminal::Streams;
use reader::Reader;
use seen::Seen;

/// Says of each board whether it is a solution
///
/// It reads these forms, also mixed: lists of columns such as "2 4 1 3" or "[1, 3, 0, 2]", grids of Q and # or . with
/// an empty line between them, lines of JSON. A list with a 0 counts from 0, other lists count from 1. For a wrong
/// board it names two queens that attack each other, or the error in the text. The exit status is 3 if any board is
/// wrong.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  echo 2 4 1 3 | nqueens check                    checks a board typed by hand
  nqueens check eight.txt --all                   wants all 92 boards for n = 8, once each
  nqueens solutions 10 | nqueens check --wrong    prints only wrong boards")]
pub(crate) struct Args {
    /// Files with boards. Default: standard input, which is also -
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Prints only wrong boards
    #[arg(long)]
    wrong: bool,
    /// Also requires every solution of one size, once each. Needs about 100 bytes of memory for each board
    #[arg(long)]
    all: bool,
}

pub(crate) fn run(args: &Args, streams: &mut Streams<'_>) -> anyhow::Result<Exit> {
    let standard_input = [PathBuf::from("-")];
    let files = if args.files.is_empty() { &standard_input[..] } else { &args.files[..] };
    let (mut boards, mut wrong) = (0u64, 0u64);
    let mut seen = Seen::default();
    for file in files {
        let (name, input) = open(file, streams)?;
        let mut reader = Reader::new(&name, input);
        let place = if files.len() > 1 { format!("{}, ", terminal(&name)) } else { String::new() };
        while let Some(text) = reader.next_boards()? {
            // The first wrong board decides the exit status, even if nobody reads the lines.
            if wrong > 0 && streams.out.is_unheard() {
                return Ok(Exit::Wrong);
            }
            for (line, board) in text {
                boards += 1;
                let verdict = board.and_then(|board| {
                    if args.all {
                        seen.add(&board, boards)?;
                    }
                    Ok(board.size())
                });
                match verdict {
                    Ok(_) if args.wrong => {}
                    Ok(n) => writeln!(streams.out, "board {boards} ({place}line {line}): a solution for n = {n}")?,
                    Err(fault) => {
                        wrong += 1;
                        writeln!(streams.out, "board {boards} ({place}line {line}): {fault}")?;
                    }
                }
            }
        }
    }
    // Before the note, which is not buffered.
    streams.out.flush()?;
    match (boards, wrong) {
        (0, _) => {
            return Err(
                Exit::Failure.error("there is no board to check: give one, as in 'echo 2 4 1 3 | nqueens check'")
            );
        }
        (1, 0) => streams.note("1 board, a solution"),
        (1, _) => streams.note("1 board, no solution"),
        (_, 0) => streams.note(format_args!("{boards} boards, all of them solutions")),
        _ => streams.note(format_args!("{boards} boards, {wrong} of them wrong")),
    }
    if args.all {
        seen.refuse_if_missing()?;
    }
    Ok(if wrong > 0 { Exit::Wrong } else { Exit::Fine })
}

/// A file or standard input, and its name in errors.
fn open(path: &Path, streams: &Streams<'_>) -> anyhow::Result<(String, Box<dyn BufRead>)> {
    if path == Path::new("-") {
        if io::stdin().is_terminal() {
            streams.note("type boards, such as 2 4 1 3; Ctrl-D ends them");
        }
        return Ok(("standard input".to_owned(), Box::new(io::stdin().lock())));
    }
    let name = path.display().to_string();
    // Windows does not even open a folder.
    if path.is_dir() {
        return Err(Exit::InputOutput.error(format!("{name} is a folder: give files with boards")));
    }
    match File::open(path) {
        Ok(file) => Ok((name, Box::new(BufReader::new(file)))),
        Err(reason) => Err(Exit::InputOutput.error(format!("cannot read {name}: {reason}"))),
    }
}
