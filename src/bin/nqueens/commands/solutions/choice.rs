//! The boards to list, and their format.

use nqueens::board::{Board, Size, Solution, construct, fundamental};
use nqueens::solver::registry;
use nqueens::symmetric;

use super::super::options::{invalid, size_up_to};
use super::super::turns::Turns;
use super::{Args, BoardFormat};
use crate::draw;
use crate::exit::Fault;

/// The largest size that a construction is printed for.
const LARGEST_ANY: u32 = 10_000_000;

type Boards = Box<dyn Iterator<Item = Board>>;

impl Args {
    /// The size of the boards and where they come from.
    pub(crate) fn boards(&self) -> anyhow::Result<(usize, Boards)> {
        let refused = |error| invalid(&self.size, "<N>", error);
        let of = |solutions: nqueens::solver::Solutions| Box::new(solutions.map(|solution| Board::from(&solution)));
        if self.any {
            let n = size_up_to(LARGEST_ANY as usize, &self.size).map_err(refused)?;
            // The largest size fits 32 bits.
            return Ok((n, Box::new(construct::first(n as u32).into_iter())));
        }
        let size: Size = self.size.parse().map_err(refused)?;
        if let Some(turn) = self.symmetry {
            return Ok((size.get(), of(symmetric::solutions(turn.into(), size.get())?)));
        }
        let solutions = match self.solver.as_str() {
            "auto" => nqueens::solutions(size.get())?,
            name => nqueens::solutions_by(registry::find(name)?, size)?,
        };
        let solutions: Box<dyn Iterator<Item = Solution>> =
            if self.fundamental { Box::new(fundamental(solutions)) } else { Box::new(solutions) };
        Ok((size.get(), Box::new(solutions.map(|solution| Board::from(&solution)))))
    }

    /// The format that an option names, else the one that the name of the file says.
    pub(crate) fn format(&self, n: usize) -> anyhow::Result<BoardFormat> {
        let usual = if n > 100 { BoardFormat::Columns } else { BoardFormat::Grid };
        let asked = if self.json { Some(BoardFormat::Json) } else { self.format };
        let ending = self.out.as_ref().and_then(|path| path.extension());
        match (asked, ending.map(|ending| ending.to_string_lossy().to_lowercase()).as_deref()) {
            (Some(format), _) => Ok(format),
            (None, None | Some("txt")) => Ok(usual),
            (None, Some("json" | "jsonl" | "ndjson")) => Ok(BoardFormat::Json),
            (None, Some("svg")) => Ok(BoardFormat::Svg),
            (None, Some(ending)) => Err(Fault::Usage
                .error(format!("no format ends in .{ending}: end --out in .txt, .json or .svg, or give --format"))),
        }
    }

    pub(crate) fn no_board(&self, n: usize) -> String {
        format!("there are no {}solutions for n = {n}", if self.symmetry.is_some() { "such " } else { "" })
    }

    /// The title of a picture with this number of boards.
    fn title(&self, n: usize, boards: usize) -> String {
        let (one, many) = if self.fundamental {
            ("fundamental solution", "fundamental solutions")
        } else {
            ("solution", "solutions")
        };
        let kind = match self.symmetry {
            Some(Turns::HalfTurn) => "half-turn symmetric ",
            Some(Turns::QuarterTurn) => "quarter-turn symmetric ",
            None => "",
        };
        match boards {
            1 => format!("A {kind}{one} for n = {n}"),
            _ if self.limit.is_some() => format!("{boards} {kind}{many} for n = {n}"),
            _ => format!("The {boards} {kind}{many} for n = {n}"),
        }
    }

    /// The file that shows these boards.
    pub(crate) fn picture(&self, n: usize, boards: &[Board]) -> anyhow::Result<String> {
        if boards.is_empty() {
            let why = if self.limit == Some(0) { "--limit 0 asks for no board".to_owned() } else { self.no_board(n) };
            return Err(Fault::Failure.error(format!("no picture was made: {why}")));
        }
        Ok(draw::board::page(boards, &self.title(n, boards.len())))
    }
}
