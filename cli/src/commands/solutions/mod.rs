//! `nqueens solutions`: lists solutions as text or draws them.

mod formats;

use std::io::{self, IsTerminal};

use anyhow::bail;
use nqueens::board::{Board, Size, construct, fundamental};
use nqueens::internal::whole_number;
use nqueens::symmetric::{self, Turn};

use super::options::{number_parser, turn_parser};
use crate::draw;
use crate::exit;
use crate::terminal::Streams;
use crate::terminal::units::plural;
use formats::BoardFormat;

/// List the solutions for a size, in lexicographic order
///
/// Boards are written during the search, so a list of any length needs little memory. A terminal shows each board as
/// soon as it is found. A file or a pipe gets blocks of 64 KiB, and Ctrl-C loses the last block. To stop early, use
/// --limit, Ctrl-C or a pipe such as `| head`. An SVG picture contains one page of boards.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nqueens solutions 8 --limit 1                 draw the first board with Q and #
  nqueens solutions 6 --format columns          print the column of each row's queen
  nqueens solutions 6 --format json             print one line of JSON for each board
  nqueens solutions 6 --format svg > all.svg    draw a page of boards
  nqueens solutions 1000000 --any               construct one solution at once")]
pub(crate) struct Args {
    /// Size, from 0 to 32, or up to 10000000 with --any
    #[arg(value_name = "N", allow_negative_numbers = true, value_parser = any_size)]
    size: usize,
    /// Stop after K boards
    #[arg(long, value_name = "K", value_parser = number_parser::<usize>(1..), allow_negative_numbers = true)]
    limit: Option<usize>,
    /// List only the first board of each set of rotations and reflections
    #[arg(long, group = "which")]
    fundamental: bool,
    /// List only the solutions that look the same after this turn
    #[arg(long, value_name = "TURN", value_parser = turn_parser(), group = "which")]
    symmetry: Option<Turn>,
    /// Construct one solution at once, without a search
    #[arg(long, group = "which")]
    any: bool,
    /// Format of the boards. Default: grid, or columns if n is over 100
    #[arg(long, value_enum, value_name = "FORMAT")]
    format: Option<BoardFormat>,
}

/// The largest size for which a constructed solution is printed.
const LARGEST_ANY: usize = 10_000_000;

/// Parses a size of any kind that this command takes.
fn any_size(text: &str) -> Result<usize, String> {
    let size = whole_number(text).filter(|&n| n <= LARGEST_ANY);
    size.ok_or_else(|| format!("give one size, from 0 to {}, or up to {LARGEST_ANY} with --any", Size::MAX))
}

pub(crate) fn run(args: &Args, streams: &mut Streams<'_>) -> anyhow::Result<()> {
    let default = if args.size > 100 { BoardFormat::Columns } else { BoardFormat::Grid };
    let format = args.format.unwrap_or(default);
    // Whatever its source, every board is checked before it is printed.
    let wrong =
        || exit::Kind::Wrong.error(format!("a board for n = {} is not a solution: please report this", args.size));
    let boards = args.boards()?.take(args.limit.unwrap_or(usize::MAX));
    let boards = boards.map(|board| if board.is_solution() { Ok(board) } else { Err(wrong()) });
    let Some(write) = format.writer() else {
        return Ok(write!(streams.out, "{}", args.picture(boards)?)?);
    };
    let is_watched = io::stdout().is_terminal();
    let mut has_board = false;
    for board in boards {
        if has_board && format == BoardFormat::Grid {
            writeln!(streams.out)?;
        }
        write(&board?, streams.out)?;
        has_board = true;
        if is_watched {
            streams.out.flush()?;
        }
    }
    if !has_board {
        streams.note(args.no_board());
    }
    Ok(())
}

impl Args {
    /// Returns the boards to print, before `--limit` applies.
    fn boards(&self) -> anyhow::Result<Box<dyn Iterator<Item = Board>>> {
        let n = self.size;
        if self.any {
            return Ok(Box::new(construct::solution(n as u32).into_iter()));
        }
        let size = Size::new(n).map_err(|_| {
            let is_chosen = self.fundamental || self.symmetry.is_some();
            let what = if is_chosen { "is too large" } else { "needs --any" };
            exit::Kind::Usage.error(format!("n = {n} {what}: boards are listed for n up to {}", Size::MAX))
        })?;
        Ok(match self.symmetry {
            Some(turn) => Box::new(symmetric::solutions(turn, size)),
            None if self.fundamental => Box::new(fundamental(nqueens::solutions(n)?)),
            None => Box::new(nqueens::solutions(n)?),
        })
    }

    /// Returns the message that there is nothing to print.
    fn no_board(&self) -> String {
        let such = if self.symmetry.is_some() { "such " } else { "" };
        format!("there are no {such}solutions for n = {}", self.size)
    }

    /// Draws all boards on one page. If there is no room for them, the error says what to type.
    fn picture(&self, boards: impl Iterator<Item = anyhow::Result<Board>>) -> anyhow::Result<String> {
        /// The maximum number of boards in one picture, and the maximum number of squares.
        const PAGE: usize = 1000;
        const PAGE_SQUARES: usize = 2_000_000;
        let n = self.size;
        let most = (PAGE_SQUARES / n.saturating_mul(n).max(1)).min(PAGE);
        if most == 0 {
            return Err(exit::Kind::Usage.error(format!(
                "a board of size {n} has too many squares for a picture: give --format columns or json"
            )));
        }
        let boards: Vec<Board> = boards.take(most + 1).collect::<Result<_, _>>()?;
        if boards.len() > most {
            return Err(exit::Kind::Usage.error(format!(
                "one picture holds at most {most} boards: give '--limit {most}', or --format grid, columns or json"
            )));
        }
        if boards.is_empty() {
            bail!("no picture was made: {}", self.no_board());
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
