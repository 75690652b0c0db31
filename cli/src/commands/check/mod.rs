//! `nqueens check`: boards as text, each a solution or not.
//!
//! 1. [`cut`] makes blocks of lines: empty lines end them, [`brackets`] join lines.
//! 2. [`read`] tries each of the [`forms`] on the lines of a block: [`rows`] has the forms of a line, and [`collect`] makes a
//!    [`table`] of them. A form explains a text, or it is not the form.
//! 3. Each of the [`meanings`] that a table may have gives boards ([`readings`]), and [`judge`] says whether queens attack.
//! 4. If all readings agree, they are the [`verdict`].
//! 5. Lines without a reading are [`words`] if they hold no queen and less than three numbers. Others are not understood.

mod brackets;
mod cell;
mod collect;
mod cut;
mod forms;
mod judge;
mod meanings;
mod read;
mod readings;
mod rows;
mod seen;
mod table;
mod verdict;
mod words;

use std::fs::File;
use std::io::{self, IsTerminal, Read};
use std::path::{Path, PathBuf};

use nqueens::board::Size;

use crate::exit::{Exit, Fault};
use crate::terminal::escape::terminal;
use crate::terminal::output::StandardInput;
use crate::terminal::units::plural;
use crate::terminal::{Streams, settle};
use cut::{Said, Text};
use judge::Finding;
use read::Reader;
use seen::Seen;

/// Says of each board whether it is a solution
///
/// It reads grids such as ".Q..", columns such as "2 4 1 3" or "[1, 3, 0, 2]", and pairs such as "(0, 1) (1, 3)", as
/// programs print them. `--form list` prints all forms. A form explains a whole block of text, or it does not read it. If
/// two forms disagree, the board is not understood, and `--form` decides. Headings, rulers and counts are no boards. For a
/// wrong board it names two queens that attack each other. The exit status is 3 if any board is wrong, else 1 if something
/// is not understood.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  echo 2 4 1 3 | nqueens check                    checks a board typed by hand
  nqueens check eight.txt --all                   wants all 92 boards for n = 8, once each
  nqueens check three.txt --all --size 3          wants no board: n = 3 has none
  nqueens solutions 10 | nqueens check --wrong    prints only wrong boards
  nqueens check --form list                       prints the forms that are read")]
pub(crate) struct Args {
    /// Files with boards. Default: standard input, which is also -
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Prints only what is wrong or not understood
    #[arg(long)]
    wrong: bool,
    /// Reads only this form. `list` prints all forms
    #[arg(long, value_name = "NAME", value_parser = parse_form)]
    form: Option<&'static str>,
    /// Also requires every solution of one size, once each. Needs about 100 bytes of memory for each board
    #[arg(long)]
    all: bool,
    /// The size for --all. Default: the size of the first board
    #[arg(long, value_name = "N", requires = "all", allow_negative_numbers = true)]
    size: Option<Size>,
}

/// What was found so far.
struct Totals {
    boards: u64,
    wrong: u64,
    unclear: u64,
    skipped: u64,
    /// Where the first line is that is no board.
    first_skipped: Option<String>,
    is_colored: bool,
    seen: Seen,
}

pub(crate) fn run(args: &Args, streams: &mut Streams<'_>) -> anyhow::Result<Exit> {
    if args.form == Some(LIST) {
        return list_forms(streams);
    }
    let standard_input = [PathBuf::from("-")];
    let files = if args.files.is_empty() { &standard_input[..] } else { &args.files[..] };
    let seen = Seen::new(args.size.map(Size::get));
    let mut totals =
        Totals { boards: 0, wrong: 0, unclear: 0, skipped: 0, first_skipped: None, is_colored: false, seen };
    let mut bytes = vec![0; 1 << 16];
    let mut written = Ok(());
    for file in files {
        let (name, mut input) = open(file, streams)?;
        // The writer of standard output leaves line ends as they are, and a name may have some.
        let place = if files.len() > 1 { format!("{}, ", terminal(&name)) } else { String::new() };
        let (mut text, mut length) = (Text::new(Reader::new(args.form)), 1);
        while length > 0 {
            // Each verdict is there before the program waits for more text.
            written = written.and_then(|()| streams.out.flush());
            length = match input.read(&mut bytes) {
                Err(reason) if reason.kind() == io::ErrorKind::Interrupted => continue,
                Err(reason) => {
                    return Err(io::Error::new(reason.kind(), format!("cannot read {name}: {reason}")).into());
                }
                Ok(length) => length,
            };
            let read = text.feed(&bytes[..length]);
            for (line, said) in text.said.drain(..) {
                if let Some(said) = totals.add(said, &format!("({place}line {line})"), args) {
                    written = written.and_then(|()| writeln!(streams.out, "{said}"));
                }
            }
            // The first wrong board decides the exit status, if nobody reads the lines.
            if totals.wrong > 0 && written.is_err() {
                return settle(Ok(Exit::Wrong), written.map_err(anyhow::Error::from));
            }
            let at = text.line;
            read.map_err(|reason| Fault::Failure.error(format!("line {at} of {name} is not read: {reason}")))?;
        }
        totals.skipped += text.skipped;
        totals.is_colored |= text.is_colored;
        if let (None, Some(line)) = (&totals.first_skipped, text.first_skipped) {
            totals.first_skipped = Some(format!("{place}line {line}"));
        }
    }
    settle(totals.end(args, streams), written.and_then(|()| streams.out.flush()).map_err(anyhow::Error::from))
}

impl Totals {
    /// Counts a verdict. Returns the line to print.
    fn add(&mut self, said: Said, place: &str, args: &Args) -> Option<String> {
        let verdict = match said {
            Err(reason) => {
                self.unclear += 1;
                return Some(format!("not understood {place}: {reason}"));
            }
            Ok(Finding::Wrong(reason) | Finding::InOrder(_, reason)) => Err(reason),
            Ok(Finding::Solution(columns)) => {
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
                     'nqueens check --form list' prints the forms"
                )));
            }
            (1, 0) => "1 board, a solution".to_owned(),
            (1, _) => "1 board, no solution".to_owned(),
            (boards, 0) => format!("{boards} boards, all of them solutions"),
            (boards, wrong) => format!("{boards} boards, {wrong} of them wrong"),
        };
        let colors = if self.is_colored { "; colors are left out" } else { "" };
        streams.note(format_args!("{boards}{lines}{colors}"));
        if self.unclear > 0 {
            streams.complain(format_args!(
                "{} not understood: 'nqueens check --form list' prints the forms",
                plural(self.unclear, "text")
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

/// Instead of a form: print them all.
const LIST: &str = "list";

fn parse_form(name: &str) -> Result<&'static str, String> {
    let forms = read::table_of_forms().map(|(form, _)| form);
    forms
        .chain([LIST])
        .find(|form| *form == name)
        .ok_or_else(|| format!("no form is called that: '--form {LIST}' prints all"))
}

/// Prints the table of forms, as in docs/cli.md.
fn list_forms(streams: &mut Streams<'_>) -> anyhow::Result<Exit> {
    for (form, example) in read::table_of_forms() {
        let mut name = form;
        for line in example.lines() {
            writeln!(streams.out, "{name:<16} {line}")?;
            name = "";
        }
    }
    settle(Ok(Exit::Fine), streams.out.flush().map_err(anyhow::Error::from))
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
