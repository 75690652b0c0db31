//! `nqueens check`: boards as text, each a solution or not.
//!
//! [`read`] reads a text line by line, in one form, from the [`groups`] of a line. [`judge`] says whether queens attack each
//! other. [`seen`] has the boards that were there before, for `--all`.

mod groups;
mod judge;
mod read;
mod seen;
#[cfg(test)]
mod tests;

use std::fs::File;
use std::io::{self, BufRead, BufReader, IsTerminal, Read};
use std::path::{Path, PathBuf};

use serde_json::json;

use super::options::plain_path;
use crate::exit::{Exit, Fault};
use crate::terminal::escape::terminal;
use crate::terminal::output::StandardInput;
use crate::terminal::units::plural;
use crate::terminal::{Streams, settle};
use judge::Finding;
use read::{FORMS, Reader};
use seen::Seen;

/// Says of each board whether it is a solution
///
/// It reads lists of columns such as "2 4 1 3" or "[1, 3, 0, 2]", grids such as ".Q.." or "0 1 0 0", and FEN: one form in a text.
/// It skips lines of words such as "Solution 1:". Any other line ends the reading, because a board that may be read in two
/// ways is not judged. For a wrong board it names two queens that attack each other. The exit status is 3 if any board is
/// wrong, else 1 if something is not understood.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  echo 2 4 1 3 | nqueens check             checks a board typed by hand
  nqueens check eight.txt --all            wants all 92 boards for n = 8, once each
  nqueens solutions 10 | nqueens -q check  checks the boards of another program, here this one")]
pub(crate) struct Args {
    /// Files with boards. Default: standard input, which is also -
    #[arg(value_name = "FILE", value_parser = plain_path())]
    files: Vec<PathBuf>,
    /// Also requires every solution of the first board's size, once each. Needs about 100 bytes of memory for each board
    #[arg(long)]
    all: bool,
    /// Prints JSON: the numbers of boards, and the wrong ones
    #[arg(long)]
    json: bool,
}

/// The longest line that is read, in bytes. All boards may stand on one line.
const LONGEST_LINE: u64 = 64 << 20;

/// What was found so far.
#[derive(Default)]
struct Totals {
    boards: u64,
    wrong: u64,
    skipped: u64,
    seen: Seen,
    /// The wrong boards, for JSON.
    told: Vec<serde_json::Value>,
    /// Why the verdicts could not be written. The reading goes on, because a wrong board decides the exit status.
    unwritten: Option<io::Error>,
}

pub(crate) fn run(args: &Args, streams: &mut Streams<'_>) -> anyhow::Result<Exit> {
    let standard_input = [PathBuf::from("-")];
    let files = if args.files.is_empty() { &standard_input[..] } else { &args.files[..] };
    let mut totals = Totals::default();
    for file in files {
        let (name, input) = open(file, streams)?;
        // The writer of standard output leaves line ends as they are, and a name may have some.
        let place = if files.len() > 1 { format!("{}, ", terminal(&name)) } else { String::new() };
        match totals.read(input, &name, &place, args, streams) {
            Ok(()) => {}
            // A wrong board decides the exit status, whatever comes after it.
            error if totals.wrong > 0 => return settle(Ok(Exit::Wrong), error),
            Err(error) => return Err(error),
        }
    }
    let done = totals.end(args, streams);
    let written = totals.unwritten.map_or_else(|| streams.out.flush(), Err);
    settle(done, written.map_err(anyhow::Error::from))
}

impl Totals {
    /// Reads a text, and prints what is said of its boards.
    fn read(
        &mut self,
        input: Box<dyn Read>,
        name: &str,
        place: &str,
        args: &Args,
        streams: &mut Streams<'_>,
    ) -> anyhow::Result<()> {
        let mut input = BufReader::with_capacity(1 << 16, input);
        let (mut reader, mut bytes) = (Reader::default(), Vec::new());
        loop {
            // Each verdict is there before the program waits for more text.
            if input.buffer().is_empty() && self.unwritten.is_none() {
                self.unwritten = streams.out.flush().err();
            }
            bytes.clear();
            let length = (&mut input).take(LONGEST_LINE).read_until(b'\n', &mut bytes);
            let length =
                length.map_err(|reason| io::Error::new(reason.kind(), format!("cannot read {name}: {reason}")))?;
            let is_end = length == 0;
            let read = if length as u64 == LONGEST_LINE {
                Err("it is longer than 64 MiB")
            } else if is_end {
                reader.end()
            } else {
                reader.line(String::from_utf8_lossy(&bytes).trim_start_matches('\u{feff}'))
            };
            for (line, finding) in reader.found.drain(..) {
                self.say(finding, &format!("({place}line {line})"), args, streams);
            }
            if let Err(reason) = read {
                let line = reader.line;
                return Err(Fault::Failure.error(format!(
                    "{place}line {line} is not understood: {reason}. `check` reads {FORMS}; remove other lines"
                )));
            }
            if is_end {
                self.skipped += reader.skipped;
                return Ok(());
            }
        }
    }

    /// Counts a board, and prints what is said of it.
    fn say(&mut self, finding: Finding, place: &str, args: &Args, streams: &mut Streams<'_>) {
        self.boards += 1;
        let verdict = match finding {
            Finding::Wrong(reason) => Err(reason),
            Finding::Solution(columns) => {
                let n = columns.len();
                let is_new = if args.all { self.seen.add(columns, self.boards) } else { Ok(()) };
                is_new.map(|()| format!("a solution for n = {n}"))
            }
        };
        self.wrong += u64::from(verdict.is_err());
        match (verdict, args.json) {
            (Err(reason), true) => self.told.push(json!({"board": self.boards, "place": place, "reason": reason})),
            (Ok(_), true) => {}
            (Ok(_), false) if streams.quiet => {}
            (Ok(said) | Err(said), false) if self.unwritten.is_none() => {
                self.unwritten = writeln!(streams.out, "board {} {place}: {said}", self.boards).err();
            }
            _ => {}
        }
    }

    /// Says how many boards there were.
    fn end(&mut self, args: &Args, streams: &mut Streams<'_>) -> anyhow::Result<Exit> {
        let lines = match self.skipped {
            0 => String::new(),
            skipped => format!("; {} of words skipped", plural(skipped, "line")),
        };
        let boards = match (self.boards, self.wrong) {
            (0, _) => {
                return Err(Fault::Failure.error(format!(
                    "there is no board to check{lines}: give one, as in 'echo 2 4 1 3 | nqueens check'. `check` reads {FORMS}"
                )));
            }
            (1, 0) => "1 board, a solution".to_owned(),
            (1, _) => "1 board, no solution".to_owned(),
            (boards, 0) => format!("{boards} boards, all of them solutions"),
            (boards, wrong) => format!("{boards} boards, {wrong} of them wrong"),
        };
        if args.json {
            let (boards, wrong, skipped) = (self.boards, std::mem::take(&mut self.told), self.skipped);
            streams.json(&json!({"schema": 1, "boards": boards, "wrong": wrong, "lines_skipped": skipped}))?;
        }
        streams.note(format_args!("{boards}{lines}"));
        if args.all {
            self.seen.refuse_if_missing()?;
        }
        Ok(if self.wrong > 0 { Exit::Wrong } else { Exit::Fine })
    }
}

/// A file or standard input, and its name in errors.
fn open(path: &Path, streams: &Streams<'_>) -> anyhow::Result<(String, Box<dyn Read>)> {
    if path == Path::new("-") {
        if io::stdin().is_terminal() {
            streams.note("type boards, such as 2 4 1 3; Ctrl-D ends them");
        }
        return Ok(("standard input".to_owned(), Box::new(StandardInput)));
    }
    let name = path.display().to_string();
    // Windows does not even open a folder.
    if path.is_dir() {
        return Err(Fault::InputOutput.error(format!("{name} is a folder: give files with boards")));
    }
    match File::open(path) {
        Ok(file) => Ok((name, Box::new(file))),
        Err(reason) => Err(Fault::InputOutput.error(format!("cannot read {name}: {reason}"))),
    }
}
