//! `nqueens solutions`: the boards themselves, as text or as pictures.

mod formats;

use std::io::Write;
use std::path::PathBuf;

use nqueens::board::{Board, Size, construct, fundamental};
use nqueens::symmetric::{self, Turn};

use super::options::{invalid, size_up_to, turns};
use crate::draw;
use crate::exit::{Exit, Fault};
use crate::terminal::atomic_file::AtomicFile;
use crate::terminal::units::plural;
use crate::terminal::{Streams, signals};
use formats::BoardFormat;

/// Lists the solutions for a size, in lexicographic order
///
/// Each board is written when it is found, in constant memory. Stop with --limit, Ctrl-C or a pipe such as `| head`.
/// An SVG picture has at most one page of boards.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nqueens solutions 8 --limit 1                      draws the first board with Q and #
  nqueens solutions 6 --format columns               prints the column of each row's queen
  nqueens solutions 6 --format json                  prints one line of JSON for each board
  nqueens solutions 8 --fundamental --out page.svg   draws the 12 fundamental solutions
  nqueens solutions 1000000 --any                    makes one solution at once")]
pub(crate) struct Args {
    /// Size, from 0 to 32. Up to 10000000 with --any
    #[arg(value_name = "N", allow_negative_numbers = true)]
    size: String,
    /// Stops after K boards
    #[arg(long, value_name = "K", value_parser = limit, allow_negative_numbers = true)]
    limit: Option<u64>,
    /// Lists one board of each set of rotations and reflections: the first
    #[arg(long, group = "which")]
    fundamental: bool,
    /// Lists only solutions that this turn does not change
    #[arg(long, value_name = "TURN", value_parser = turns(), group = "which")]
    symmetry: Option<Turn>,
    /// Constructs one solution at once, without a search
    #[arg(long, group = "which")]
    any: bool,
    /// Format of a board. Default: svg if --out FILE ends in .svg, else grid, or columns for n over 100
    #[arg(long, value_enum, value_name = "FORMAT")]
    format: Option<BoardFormat>,
    /// Prints JSON: short for --format json
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// Writes to FILE, such as page.svg, instead of standard output. Replaces an old file
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

fn limit(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| {
        format!("'{text}' is not a number of boards: give a whole number, or leave it out to list them all")
    })
}

pub(crate) fn run(args: &Args, streams: &mut Streams<'_>) -> anyhow::Result<Exit> {
    let (n, boards) = args.boards()?;
    let asked = if args.json { Some(BoardFormat::Json) } else { args.format };
    let format = asked.unwrap_or_else(|| BoardFormat::default_for(args.out.as_deref(), n));
    let is_picture = format == BoardFormat::Svg;
    let limit = args.limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
    // If the user stops the list, no part of a file is left.
    if args.out.is_some() {
        signals::catch()?;
    }
    let instead = if is_picture { "" } else { "; without --out, boards are written as they are found" };
    // Checks every printed board, from all sources.
    let boards = boards.take(limit).enumerate().map(|(found, board)| match (signals::caught(), board.attack()) {
        (Some(_), _) => {
            Err(Fault::Failure.error(format!("stopped after {}: no file was written{instead}", plural(found, "board"))))
        }
        (None, None) => Ok(board),
        (None, Some(attack)) => {
            Err(Fault::Wrong.error(format!("a board is no solution: {attack:?}: please report this")))
        }
    });
    let mut file = args.out.as_ref().map(|path| AtomicFile::prepare(path, "the boards")).transpose()?;
    let out: &mut dyn Write = match &mut file {
        Some(file) => file,
        None => &mut *streams.out,
    };
    let mut has_board = is_picture;
    if is_picture {
        write!(out, "{}", args.picture(n, boards)?)?;
    } else {
        for board in boards {
            let board = board?;
            if has_board && matches!(format, BoardFormat::Grid | BoardFormat::Unicode) {
                writeln!(out)?;
            }
            format.write(&board, out)?;
            has_board = true;
        }
    }
    if let Some(file) = file {
        file.finish()?;
    }
    if !has_board && limit > 0 {
        streams.note(args.no_board(n));
    }
    Ok(Exit::Fine)
}

impl Args {
    /// The size of the boards and where they come from.
    fn boards(&self) -> anyhow::Result<(usize, Box<dyn Iterator<Item = Board>>)> {
        /// The largest size that a construction is printed for.
        const LARGEST_ANY: u32 = 10_000_000;
        let refused = |error| invalid(&self.size, "<N>", error);
        if self.any {
            let n = size_up_to(LARGEST_ANY as usize, &self.size).map_err(refused)?;
            // The largest size fits 32 bits.
            return Ok((n, Box::new(construct::solution(n as u32).into_iter())));
        }
        let n = self.size.parse::<Size>().map_err(refused)?.get();
        let solutions: Box<dyn Iterator<Item = Board>> = match self.symmetry {
            Some(turn) => Box::new(symmetric::solutions(turn, n)?),
            None if self.fundamental => Box::new(fundamental(nqueens::solutions(n)?)),
            None => Box::new(nqueens::solutions(n)?),
        };
        Ok((n, solutions))
    }

    fn no_board(&self, n: usize) -> String {
        format!("there are no {}solutions for n = {n}", if self.symmetry.is_some() { "such " } else { "" })
    }

    /// A picture of all boards, if it has room for them.
    fn picture(&self, n: usize, boards: impl Iterator<Item = anyhow::Result<Board>>) -> anyhow::Result<String> {
        /// The most boards on one picture, and the most squares.
        const PAGE: usize = 1000;
        const PAGE_SQUARES: usize = 2_000_000;
        let most = (PAGE_SQUARES / (n * n).max(1)).min(PAGE);
        if most == 0 {
            return Err(Fault::Usage.error(format!(
                "a board of size {n} has too many squares for a picture: give --format columns or json"
            )));
        }
        let boards: Vec<Board> = boards.take(most + 1).collect::<Result<_, _>>()?;
        if boards.len() > most {
            return Err(Fault::Usage.error(format!(
                "there are more boards than one picture holds: give --limit {most} or less, or --format grid, columns or json"
            )));
        }
        if boards.is_empty() {
            let why = if self.limit == Some(0) { "--limit 0 asks for no board".to_owned() } else { self.no_board(n) };
            return Err(Fault::Failure.error(format!("no picture was made: {why}")));
        }
        let kind = match self.symmetry {
            Some(Turn::Half) => "half-turn symmetric solution",
            Some(Turn::Quarter) => "quarter-turn symmetric solution",
            None if self.fundamental => "fundamental solution",
            None => "solution",
        };
        Ok(draw::board::page(&boards, &format!("{} for n = {n}", plural(boards.len(), kind))))
    }
}
