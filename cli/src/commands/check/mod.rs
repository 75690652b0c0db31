//! `nqueens check`: boards as text, each a solution or not.
//!
//! 1. A line outside of all brackets, an innermost bracket, and each of several texts in quotes within one are read
//!    alone. A semicolon ends them too. A label such as "Solution 1:" before a line is left out.
//! 2. Each is numbers, a row of at most two kinds of cells, a ruler, or words, which are counted and end a board.
//! 3. Three numbers or more on a line are columns, two are a row and a column, and lone ones make a list together.
//! 4. Three numbers or more that are all 0 or 1, and a word of four zeros and ones or more, are a row of cells instead.
//! 5. n rows of n cells, of the same two kinds, are a board.
//! 6. A list without brackets goes on on the next line while its largest column needs more rows, or if the next line
//!    alone is no board and the two may be one.
//! 7. An empty line, words, the bracket around brackets, and a ruler that is not between all rows end a board; numbers
//!    in order above or under a grid of that width are no board.
//! 8. The queen is Q, else 1, X, * or R if it is at most half of the cells, else the kind that is once in each row.
//! 9. Numbers count from 0 if there is a 0, from 1 if there is an n, else as the solutions before.
//! 10. A part of a board, and what may be read in two ways, are not understood.

mod boards;
mod rows;
mod seen;
mod text;

use std::fs::File;
use std::io::{self, IsTerminal, Read};
use std::path::{Path, PathBuf};

use nqueens::board::Size;

use crate::exit::{Exit, Fault};
use crate::terminal::escape::terminal;
use crate::terminal::units::plural;
use crate::terminal::{Streams, settle};
use boards::Verdict;
use seen::Seen;
use text::Text;

/// Says of each board whether it is a solution
///
/// It reads grids such as ".Q..", columns such as "2 4 1 3" or "[1, 3, 0, 2]", and pairs such as "(0, 1) (1, 3)", as
/// programs in C, Java, Python or Prolog print them, with brackets or without, one after the other. docs/cli.md has a
/// table of forms. Columns and pairs count from 0 or from 1, in the same way in a whole file. Headings, rulers and
/// counts are no boards. For a wrong board it names two queens that attack each other. The exit status is 3 if any
/// board is wrong, else 1 if something is not understood.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  echo 2 4 1 3 | nqueens check                    checks a board typed by hand
  nqueens check eight.txt --all                   wants all 92 boards for n = 8, once each
  nqueens check three.txt --all --size 3          wants no board: n = 3 has none
  nqueens solutions 10 | nqueens check --wrong    prints only wrong boards")]
pub(crate) struct Args {
    /// Files with boards. Default: standard input, which is also -
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Prints only what is wrong or not understood
    #[arg(long)]
    wrong: bool,
    /// Also requires every solution of one size, once each. Needs about 100 bytes of memory for each board
    #[arg(long)]
    all: bool,
    /// The size for --all. Default: the size of the first board
    #[arg(long, value_name = "N", requires = "all", allow_negative_numbers = true)]
    size: Option<Size>,
}

/// What was found so far.
struct Tally {
    boards: u64,
    wrong: u64,
    unclear: u64,
    skipped: u64,
    /// Where the first line is that is no board.
    first_skipped: Option<String>,
    seen: Seen,
}

pub(crate) fn run(args: &Args, streams: &mut Streams<'_>) -> anyhow::Result<Exit> {
    let standard_input = [PathBuf::from("-")];
    let files = if args.files.is_empty() { &standard_input[..] } else { &args.files[..] };
    let seen = Seen::new(args.size.map(Size::get));
    let mut tally = Tally { boards: 0, wrong: 0, unclear: 0, skipped: 0, first_skipped: None, seen };
    let mut bytes = vec![0; 1 << 16];
    let mut told = Ok(());
    for file in files {
        let (name, mut input) = open(file, streams)?;
        let place = if files.len() > 1 { format!("{}, ", terminal(&name)) } else { String::new() };
        let (mut text, mut length) = (Text::default(), 1);
        while length > 0 {
            // Each verdict is there before the program waits for more text.
            told = told.and_then(|()| streams.out.flush());
            length = match input.read(&mut bytes) {
                Err(reason) if reason.kind() == io::ErrorKind::Interrupted => continue,
                Err(reason) => {
                    return Err(io::Error::new(reason.kind(), format!("cannot read {name}: {reason}")).into());
                }
                Ok(length) => length,
            };
            let read = text.feed(&bytes[..length]);
            for (line, verdict) in text.boards.found.drain(..) {
                if let Some(said) = tally.add(verdict, &format!("({place}line {line})"), args) {
                    told = told.and_then(|()| writeln!(streams.out, "{said}"));
                }
            }
            // The first wrong board decides the exit status, if nobody reads the lines.
            if tally.wrong > 0 && told.is_err() {
                return settle(Ok(Exit::Wrong), told.map_err(anyhow::Error::from));
            }
            let at = text.boards.line;
            read.map_err(|reason| Fault::Failure.error(format!("line {at} of {name} is not read: {reason}")))?;
        }
        tally.skipped += text.boards.skipped;
        if let (None, Some(line)) = (&tally.first_skipped, text.boards.first_skipped) {
            tally.first_skipped = Some(format!("{place}line {line}"));
        }
    }
    settle(tally.end(args, streams), told.and_then(|()| streams.out.flush()).map_err(anyhow::Error::from))
}

impl Tally {
    /// Counts a verdict. Returns the line to print.
    fn add(&mut self, verdict: Verdict, place: &str, args: &Args) -> Option<String> {
        let verdict = match verdict {
            Verdict::Unclear(reason) => {
                self.unclear += 1;
                return Some(format!("not understood {place}: {reason}"));
            }
            Verdict::Wrong(reason) => Err(reason),
            Verdict::Solution(columns) => {
                let n = columns.len();
                let is_new = if args.all { self.seen.add(columns, self.boards + 1) } else { Ok(()) };
                is_new.map(|()| format!("a solution for n = {n}"))
            }
        };
        self.boards += 1;
        self.wrong += u64::from(verdict.is_err());
        let is_told = verdict.is_err() || !args.wrong;
        is_told.then(|| format!("board {} {place}: {}", self.boards, verdict.unwrap_or_else(|reason| reason)))
    }

    /// Says how many boards there were.
    fn end(&self, args: &Args, streams: &mut Streams<'_>) -> anyhow::Result<Exit> {
        let lines = match (self.skipped, &self.first_skipped) {
            (2.., Some(first)) => format!("; {} lines are no boards, the first is {first}", self.skipped),
            (1, Some(only)) => format!("; 1 line is no board: {only}"),
            _ => String::new(),
        };
        let boards = match (self.boards, self.wrong) {
            (0, _) if self.unclear > 0 || args.size.is_some() => "no board".to_owned(),
            (0, _) => {
                return Err(Fault::Failure.error(format!(
                    "there is no board to check{lines}: give one, as in 'echo 2 4 1 3 | nqueens check'; \
                     'nqueens check --help' names the forms"
                )));
            }
            (1, 0) => "1 board, a solution".to_owned(),
            (1, _) => "1 board, no solution".to_owned(),
            (boards, 0) => format!("{boards} boards, all of them solutions"),
            (boards, wrong) => format!("{boards} boards, {wrong} of them wrong"),
        };
        streams.note(format_args!("{boards}{lines}"));
        if self.unclear > 0 {
            streams.complain(format_args!(
                "{} not understood: give grids, columns or pairs, as 'nqueens check --help' shows",
                plural(self.unclear, "board")
            ));
        } else if args.all {
            self.seen.refuse_if_missing()?;
        }
        Ok(match (self.wrong, self.unclear) {
            (0, 0) => Exit::Fine,
            (0, _) => Exit::Failed,
            _ => Exit::Wrong,
        })
    }
}

/// A file or standard input, and its name in errors.
fn open(path: &Path, streams: &Streams<'_>) -> anyhow::Result<(String, Box<dyn Read>)> {
    if path == Path::new("-") {
        if io::stdin().is_terminal() {
            streams.note("type boards, such as 2 4 1 3; Ctrl-D ends them");
        }
        return Ok(("standard input".to_owned(), Box::new(io::stdin().lock())));
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
