//! `nqueens solutions`: the boards themselves, as text or as pictures.

mod choice;
mod formats;

use std::io::Write;
use std::path::PathBuf;

use nqueens::board::Board;
use nqueens::symmetric::Turn;

use super::options::{lister_names, turns};
use crate::exit::{Exit, Fault};
use crate::terminal::kept::Kept;
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
    #[arg(long, value_name = "TURN", value_parser = turns(), group = "which", conflicts_with = "solver")]
    symmetry: Option<Turn>,
    /// Constructs one solution at once, without a search
    #[arg(long, group = "which", conflicts_with = "solver")]
    any: bool,
    /// Format of a board. Default: the ending of --out FILE, else grid, or columns for n over 100
    #[arg(long, value_enum, value_name = "FORMAT")]
    format: Option<BoardFormat>,
    /// Prints JSON: short for --format json
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// Writes to FILE, such as page.svg, instead of standard output. Replaces an old file
    #[arg(long, value_name = "FILE")]
    pub(super) out: Option<PathBuf>,
    /// Solver that finds the boards
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = lister_names())]
    solver: String,
}

fn limit(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| {
        format!("'{text}' is not a number of boards: give a whole number, or leave it out to list them all")
    })
}

/// The most boards on one picture, and the most squares.
const PAGE: usize = 1000;
const PAGE_SQUARES: usize = 2_000_000;

pub(crate) fn run(args: &Args, streams: &mut Streams<'_>) -> anyhow::Result<Exit> {
    let (n, boards) = args.boards()?;
    let format = args.format(n)?;
    let is_picture = format == BoardFormat::Svg;
    let limit = args.limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
    // If the user stops the list, no part of a file is left.
    if args.out.is_some() {
        signals::catch()?;
    }
    let instead = if is_picture { "" } else { "; without --out, boards are written as they are found" };
    // Checks every printed board, from all sources.
    let mut boards = boards.take(limit).enumerate().map(|(found, board)| match (signals::caught(), board.attack()) {
        (Some(_), _) => {
            Err(Fault::Failure.error(format!("stopped after {}: no file was written{instead}", plural(found, "board"))))
        }
        (None, None) => Ok(board),
        (None, Some(attack)) => {
            Err(Fault::Wrong.error(format!("a board is no solution: {attack:?}: please report this")))
        }
    });
    let mut kept = args.out.as_ref().map(|path| Kept::prepare(path, "the boards")).transpose()?;
    let mut written = 0u64;
    if is_picture {
        let boards = page_of(n, &mut boards)?;
        let svg = args.picture(n, &boards)?;
        match kept {
            Some(kept) => kept.write(&svg)?,
            None => streams.out.write_all(svg.as_bytes())?,
        }
        written = boards.len() as u64;
    } else {
        let out: &mut dyn Write = match &mut kept {
            Some(kept) => kept,
            None => &mut *streams.out,
        };
        for board in boards.by_ref() {
            let board = board?;
            if written > 0 && matches!(format, BoardFormat::Grid | BoardFormat::Unicode) {
                writeln!(out)?;
            }
            format.write(n, &board, out)?;
            written += 1;
        }
        if let Some(kept) = kept {
            kept.finish()?;
        }
    }
    if written == 0 && args.limit != Some(0) {
        streams.note(args.no_board(n));
    }
    Ok(Exit::Fine)
}

/// All boards, if a picture has room for them.
fn page_of(n: usize, boards: &mut dyn Iterator<Item = anyhow::Result<Board>>) -> anyhow::Result<Vec<Board>> {
    let most = (PAGE_SQUARES / (n * n).max(1)).min(PAGE);
    if most == 0 {
        return Err(Fault::Usage
            .error(format!("a board of size {n} has too many squares for a picture: give --format columns or json")));
    }
    let page: Vec<Board> = boards.take(most + 1).collect::<Result<_, _>>()?;
    if page.len() > most {
        return Err(Fault::Usage.error(format!(
            "there are more boards than one picture holds: give --limit {most} or less, or --format grid, columns or json"
        )));
    }
    Ok(page)
}
