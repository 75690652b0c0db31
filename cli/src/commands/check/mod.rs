//! `nqueens check`: boards as text, each a solution or not.
//!
//! [`read`] reads a text line by line, in one form. [`judge`] says whether queens attack each other. [`seen`] has the boards that were there before, for `--all`.

mod judge;
mod read;
mod seen;
#[cfg(test)]
mod tests;

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use serde_json::json;

use super::options::plain_path;
use crate::exit;
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
  echo 2 4 1 3 | nqueens check   checks a board typed by hand
  nqueens check eight.txt --all  wants all 92 boards for n = 8, once each")]
pub(crate) struct Args {
    /// Files with boards. -: standard input
    #[arg(value_name = "FILE", default_value = "-", value_parser = plain_path())]
    files: Vec<PathBuf>,
    /// Also requires every solution of the first board's size, once each. Needs about 100 bytes of memory for each board
    #[arg(long)]
    all: bool,
    /// Prints JSON: the numbers of boards, and the wrong ones
    #[arg(long)]
    json: bool,
}

/// The most bytes of a line: one without an end must not take all memory.
const LONGEST: u64 = 1 << 27;

/// The state of a check.
struct Check<'a, 'out> {
    args: &'a Args,
    streams: &'a mut Streams<'out>,
    boards: u64,
    wrong: u64,
    skipped: u64,
    seen: Seen,
    /// The wrong boards, for JSON.
    told: Vec<serde_json::Value>,
    /// Whether the verdicts could be written. The reading goes on, because a wrong board decides the exit status.
    written: io::Result<()>,
}

pub(crate) fn run(args: &Args, streams: &mut Streams<'_>) -> anyhow::Result<()> {
    let (seen, told) = (Seen::default(), Vec::new());
    let mut check = Check { args, streams, boards: 0, wrong: 0, skipped: 0, seen, told, written: Ok(()) };
    let read = args.files.iter().try_for_each(|file| check.read(file));
    let done = check.end(read);
    let flushed = check.streams.out.flush();
    settle(done, check.written.and(flushed).map_err(anyhow::Error::from))
}

impl Check<'_, '_> {
    /// Reads a file, and prints what is said of its boards.
    fn read(&mut self, file: &Path) -> anyhow::Result<()> {
        let name = file.display();
        let place = if self.args.files.len() > 1 { format!("{name}, ") } else { String::new() };
        let (mut reader, mut bytes) = (Reader::default(), Vec::new());
        let mut input = BufReader::new(open(file, self.streams)?);
        loop {
            bytes.clear();
            let length = input.by_ref().take(LONGEST).read_until(b'\n', &mut bytes);
            length.with_context(|| format!("cannot read {name}"))?;
            ensure!((bytes.len() as u64) < LONGEST, "{place}line {} is longer than that of any board", reader.line + 1);
            let text = String::from_utf8_lossy(&bytes);
            let read = if bytes.is_empty() { reader.end() } else { reader.line(text.trim_start_matches('\u{feff}')) };
            for (line, finding) in reader.found.drain(..) {
                self.say(finding, &format!("({place}line {line})"));
            }
            if let Err(reason) = read {
                let line = reader.line;
                return Err(exit::Kind::Failure.error(format!(
                    "{place}line {line} is not understood: {reason}. `check` reads {FORMS}; remove other lines"
                )));
            }
            if bytes.is_empty() {
                self.skipped += reader.skipped;
                return Ok(());
            }
        }
    }

    /// Counts a board, and prints what is said of it.
    fn say(&mut self, finding: Finding, place: &str) {
        self.boards += 1;
        let verdict = match finding {
            Finding::Wrong(reason) => Err(reason),
            Finding::Solution(columns) => {
                let n = columns.len();
                let is_new = if self.args.all { self.seen.add(columns, self.boards) } else { Ok(()) };
                is_new.map(|()| format!("a solution for n = {n}"))
            }
        };
        self.wrong += u64::from(verdict.is_err());
        if self.args.json {
            self.told
                .extend(verdict.err().map(|reason| json!({"board": self.boards, "place": place, "reason": reason})));
        } else if self.written.is_ok() && (verdict.is_err() || !self.streams.quiet) {
            let (Ok(said) | Err(said)) = verdict;
            self.written = writeln!(self.streams.out, "board {} {place}: {said}", self.boards);
        }
    }

    /// Says how many boards there were. What was not `read` fails, unless a board is wrong: that decides the exit status.
    fn end(&mut self, read: anyhow::Result<()>) -> anyhow::Result<()> {
        let (boards, wrong, skipped) = (self.boards, self.wrong, self.skipped);
        let missing = if self.args.all && read.is_ok() { self.seen.missing()? } else { None };
        if self.args.json {
            self.streams.json(&json!({
                "schema": crate::version::JSON_SCHEMA,
                "boards": boards,
                "wrong": self.told,
                "missing": missing.as_ref().map(|(number, _)| number),
                "lines_skipped": skipped,
                "not_read": read.as_ref().err().map(|error| format!("{error:#}")),
            }))?;
        }
        let verdict = if wrong > 0 { Err(exit::Kind::Wrong.told()) } else { Ok(()) };
        if read.is_err() {
            return settle(verdict, read);
        }
        let more = if skipped == 0 { String::new() } else { format!("; {} of words skipped", plural(skipped, "line")) };
        if boards == 0 {
            return Err(exit::Kind::Failure.error(format!(
                "there is no board to check{more}: give one, as in 'echo 2 4 1 3 | nqueens check'. `check` reads {FORMS}"
            )));
        }
        self.streams.note(format_args!("{}, {wrong} wrong{more}", plural(boards, "board")));
        missing.map_or(verdict, |(_, says)| Err(exit::Kind::Wrong.error(says)))
    }
}

/// Opens a file or standard input.
fn open(path: &Path, streams: &Streams<'_>) -> anyhow::Result<Box<dyn Read>> {
    if path != Path::new("-") {
        let hint = || format!("cannot read {} (boards are typed as in 'echo 2 4 1 3 | nqueens check')", path.display());
        return Ok(Box::new(File::open(path).with_context(hint)?));
    }
    Ok(Box::new(streams.input("boards, such as 2 4 1 3")))
}
