//! `nqueens check`: reads boards as text and says whether each is a solution.
//!
//! [`reader`] reads a text line by line: it skips prose and cuts the rest into groups of words, by the rules in
//! [`tokens`], and [`lists`], [`grids`] or [`fen`] parses each group. [`judge`] finds queens that attack each other,
//! and [`seen`] keeps the earlier solutions for `--all`.

mod fen;
mod grids;
mod judge;
mod lists;
mod reader;
mod seen;
#[cfg(test)]
mod tests;
mod tokens;

use std::fs::File;
use std::io::{self, BufRead, BufReader, IsTerminal, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};

use super::options::path_or_input_parser;
use crate::exit;
use crate::terminal::Streams;
use crate::terminal::files::refuse_folder;
use crate::terminal::units::plural;
use judge::Verdict;
use reader::Reader;
use seen::Seen;
use tokens::MAX_LINE_BYTES;

/// Check whether each board is a solution
///
/// All boards of a text must have at least four rows and one form: lists of columns such as "2 4 1 3" or "[1, 3, 0,
/// 2]", grids such as ".Q.." or "0 1 0 0", or FEN. Lines of text such as "Solution 1:" are skipped. At any other line,
/// 'check' stops with status 1 and calls no board of that text wrong. For a wrong board, it names two queens that
/// attack each other. The exit status is 3 if a board is wrong.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  echo 2 4 1 3 | nqueens check   check a board typed by hand
  nqueens check eight.txt --all  require all 92 boards for n = 8, once each")]
pub(crate) struct Args {
    /// Files with boards, or - for standard input
    #[arg(value_name = "FILE", default_value = "-", value_parser = path_or_input_parser())]
    files: Vec<PathBuf>,
    /// Also require every solution of the first board's size, once each. Each board takes about 100 bytes of memory
    #[arg(long)]
    all: bool,
}

/// The state of a check of one or more files.
struct Check<'a, 'out> {
    args: &'a Args,
    streams: &'a mut Streams<'out>,
    /// Whether somebody at a terminal waits for each verdict.
    is_watched: bool,
    boards: u64,
    wrong: u64,
    skipped: u64,
    seen: Seen,
    /// The first error in writing a verdict. Reading continues after it, because a wrong board decides the exit status.
    written: io::Result<()>,
}

pub(crate) fn run(args: &Args, streams: &mut Streams<'_>) -> anyhow::Result<()> {
    let is_watched = io::stdout().is_terminal();
    let mut check =
        Check { args, streams, is_watched, boards: 0, wrong: 0, skipped: 0, seen: Seen::default(), written: Ok(()) };
    let read = args.files.iter().try_for_each(|file| check.read(file));
    // The verdicts are printed before the number of boards.
    let flushed = check.streams.out.flush();
    let done = check.finish(read);
    exit::settle(done, check.written.and(flushed))
}

/// Returns whether a file is standard input.
fn is_input(file: &Path) -> bool {
    file.to_str() == Some("-")
}

impl Check<'_, '_> {
    /// Opens a file, or standard input for `-`.
    fn open(&self, file: &Path) -> anyhow::Result<Box<dyn Read>> {
        if is_input(file) {
            return Ok(Box::new(self.streams.input("boards, such as 2 4 1 3")));
        }
        refuse_folder(file, "txt")?;
        let hint = "(boards are typed as in 'echo 2 4 1 3 | nqueens check')";
        Ok(Box::new(File::open(file).with_context(|| format!("cannot read {} {hint}", file.display()))?))
    }

    /// Reads a file and prints the verdicts on its boards.
    fn read(&mut self, file: &Path) -> anyhow::Result<()> {
        let name = if is_input(file) { "standard input".to_owned() } else { file.display().to_string() };
        let place = if self.args.files.len() > 1 { format!("{name}, line") } else { "line".to_owned() };
        let mut input = BufReader::new(self.open(file)?);
        let mut reader = Reader::default();
        let mut bytes = Vec::new();
        loop {
            bytes.clear();
            let length = input.by_ref().take(MAX_LINE_BYTES as u64).read_until(b'\n', &mut bytes);
            let is_end = length.with_context(|| format!("cannot read {name}"))? == 0;
            let text = String::from_utf8_lossy(&bytes);
            let verdicts = if is_end { reader.finish() } else { reader.read_line(&text) };
            let place_of_error = || format!("{place} {} is not understood", reader.line);
            for (line, verdict) in verdicts.with_context(place_of_error)? {
                self.report(verdict, &format!("({place} {line})"));
            }
            if self.is_watched && self.written.is_ok() {
                self.written = self.streams.out.flush();
            }
            if is_end {
                self.skipped += reader.skipped;
                return Ok(());
            }
        }
    }

    /// Counts a board and prints the verdict on it.
    fn report(&mut self, verdict: Verdict, place: &str) {
        self.boards += 1;
        let verdict = verdict.and_then(|columns| {
            let n = columns.len();
            if self.args.all {
                self.seen.add(columns, self.boards)?;
            }
            Ok(format!("a solution for n = {n}"))
        });
        self.wrong += u64::from(verdict.is_err());
        if self.written.is_ok() && (verdict.is_err() || !self.streams.quiet) {
            let (Ok(said) | Err(said)) = verdict;
            self.written = writeln!(self.streams.out, "board {} {place}: {said}", self.boards);
        }
    }

    /// Prints the number of boards. If reading failed, a wrong board still decides the exit status.
    fn finish(&self, read: anyhow::Result<()>) -> anyhow::Result<()> {
        let Self { boards, wrong, skipped, .. } = *self;
        let more = if skipped == 0 { String::new() } else { format!("; {} of text skipped", plural(skipped, "line")) };
        let verdict = if wrong > 0 { Err(exit::Kind::Wrong.already_reported()) } else { Ok(()) };
        if read.is_err() {
            return exit::settle(verdict, read);
        }
        ensure!(boards > 0, "there is no board to check{more}: give one, as in 'echo 2 4 1 3 | nqueens check'");
        let all = self.seen.ensure_all();
        let size = self.seen.size().filter(|_| wrong == 0 && all.is_ok());
        let complete = size.map_or_else(String::new, |n| format!(": all solutions for n = {n}"));
        self.streams.note(format_args!("{}, {wrong} wrong{complete}{more}", plural(boards, "board")));
        // A wrong board decides the exit status, whatever `--all` finds.
        exit::settle(verdict, all)
    }
}
