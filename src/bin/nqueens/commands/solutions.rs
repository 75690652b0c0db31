//! `nqueens solutions`: the boards themselves, as text or as pictures.

use std::io::{self, Write};
use std::path::PathBuf;

use crate::draw::picture;
use crate::draw::picture::Page;
use nqueens::board::{Board, Size, Solution, construct, fundamental};
use nqueens::solver::registry;
use nqueens::symmetric;
use nqueens::symmetric::Turn;
use serde::Serialize;

use super::classes::Turns;
use super::options::{invalid, lister_names, seed_of_chance, size_up_to};
use crate::exit::Exit;
use crate::terminal::Streams;
use crate::terminal::kept::Kept;
use crate::terminal::signals::Interrupts;
use crate::terminal::unicode;

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
  nqueens solutions 1000000 --first                  makes one solution at once")]
pub(crate) struct Args {
    /// Size, from 0 to 32. Up to 64 with --symmetry, 1000 with --random, 10000000 with --first
    #[arg(value_name = "N", allow_negative_numbers = true)]
    size: String,
    /// Stops after K boards
    #[arg(long, value_name = "K", value_parser = limit, allow_negative_numbers = true)]
    limit: Option<u64>,
    /// Lists only fundamental solutions: one of each set of rotations and reflections, the first
    #[arg(long, group = "which")]
    fundamental: bool,
    /// Lists only solutions that this turn does not change
    #[arg(long, value_enum, value_name = "TURN", group = "which", conflicts_with = "solver")]
    symmetry: Option<Turns>,
    /// Constructs one solution at once, without a search
    #[arg(long, group = "which", conflicts_with = "solver")]
    first: bool,
    /// Finds one random solution, or K with --limit K. Solutions are not equally probable
    #[arg(long, group = "which", conflicts_with = "solver")]
    random: bool,
    /// Seed of --random: the same number gives the same board
    #[arg(long, value_name = "NUMBER", requires = "random", allow_negative_numbers = true)]
    seed: Option<u64>,
    /// Format of a board. Default: the ending of --out FILE, else grid, or columns for n over 100
    #[arg(long, value_enum, value_name = "FORMAT")]
    format: Option<BoardFormat>,
    /// Prints JSON: short for --format json
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// Puts K boards side by side, in the formats unicode and svg
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u16).range(1..=1000), allow_negative_numbers = true)]
    columns: Option<u16>,
    /// Draws the lines along which queens attack, in the format svg
    #[arg(long)]
    show_lines: bool,
    /// Writes to FILE, such as page.svg, instead of standard output. Replaces an old file
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Solver that finds the boards
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = lister_names())]
    solver: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum BoardFormat {
    /// Q for a queen, # for an empty square, an empty line between boards
    Grid,
    /// One line for each board: the column of each row's queen, from 1
    Columns,
    /// One line of JSON for each board
    Json,
    /// For terminals, in colour if the terminal has colours
    Unicode,
    /// A page of boards as an SVG picture
    Svg,
}

fn limit(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| {
        format!("'{text}' is not a number of boards: give a whole number, or leave it out to list them all")
    })
}

/// The largest size that a construction is printed for.
const LARGEST_FIRST: usize = 10_000_000;
/// The largest size that a random solution is looked for.
const LARGEST_RANDOM: usize = 1000;
/// The most boards on one picture, and the most squares.
const PAGE: usize = 1000;
const PAGE_SQUARES: usize = 2_000_000;

type Boards = Box<dyn Iterator<Item = Board>>;

impl Args {
    /// The size of the boards and where they come from.
    fn boards(&self, streams: &Streams<'_>) -> anyhow::Result<(usize, Boards)> {
        let up_to = |max| size_up_to(max, &self.size).map_err(|error| invalid(&self.size, "<N>", error));
        let of = |solutions: nqueens::solver::Solutions| Box::new(solutions.map(|solution| Board::from(&solution)));
        if self.first {
            let n = up_to(LARGEST_FIRST)?;
            return Ok((n, Box::new(construct::first(n).into_iter())));
        }
        if self.random {
            let n = up_to(LARGEST_RANDOM)?;
            // JSON and other programs hold 53 bits exactly.
            let seed = self.seed.unwrap_or_else(|| seed_of_chance() >> 11);
            streams.note(format_args!("random solution with --seed {seed}"));
            let count = usize::try_from(self.limit.unwrap_or(1)).unwrap_or(usize::MAX);
            return Ok((n, Box::new(construct::random(n, seed).take(count))));
        }
        if let Some(turn) = self.symmetry {
            let n = up_to(Turn::MAX_SIZE)?;
            return Ok((n, of(symmetric::solutions(turn.into(), n)?)));
        }
        let size: Size = self.size.parse().map_err(|error| invalid(&self.size, "<N>", error))?;
        let solutions = match self.solver.as_str() {
            "auto" => nqueens::solutions(size.get())?,
            name => nqueens::solutions_by(registry::find(name)?, size)?,
        };
        let solutions: Box<dyn Iterator<Item = Solution>> =
            if self.fundamental { Box::new(fundamental(solutions)) } else { Box::new(solutions) };
        Ok((size.get(), Box::new(solutions.map(|solution| Board::from(&solution)))))
    }

    /// The format that an option names.
    fn asked_format(&self) -> Option<BoardFormat> {
        if self.json { Some(BoardFormat::Json) } else { self.format }
    }

    /// The format asked for, which has to fit the name of the file; else the one that the name says.
    fn format(&self, n: usize) -> anyhow::Result<BoardFormat> {
        let usual = if n > 100 { BoardFormat::Columns } else { BoardFormat::Grid };
        let Some(path) = &self.out else { return Ok(self.asked_format().unwrap_or(usual)) };
        let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
        let named = match ending.as_deref() {
            None => None,
            Some("txt") => Some(usual),
            Some("json" | "jsonl" | "ndjson") => Some(BoardFormat::Json),
            Some("svg") => Some(BoardFormat::Svg),
            Some("png") => {
                return Err(Exit::Usage.error(format!(
                    "{}: pictures are SVG: give a name that ends in .svg, or --format svg to write SVG all the same",
                    path.display()
                )));
            }
            // Whoever says the format may call the file anything else.
            Some(_) if self.asked_format().is_some() => None,
            Some(ending) => {
                return Err(Exit::Usage.error(format!(
                    "{}: no format ends in .{ending}: end it in .txt, .json or .svg, or give --format",
                    path.display()
                )));
            }
        };
        match (self.asked_format(), named) {
            (Some(format), Some(named)) if !format.fits(named) => Err(Exit::Usage.error(format!(
                "{} is no name for --format {}: end it in .{}, or leave out --format",
                path.display(),
                format.name(),
                format.ending()
            ))),
            (format, named) => Ok(format.or(named).unwrap_or(usual)),
        }
    }

    /// Refuses options that have no effect in this format.
    fn refuse_misfit(&self, format: BoardFormat) -> anyhow::Result<()> {
        let is_picture = format == BoardFormat::Svg;
        if self.columns.is_some() && !(is_picture || format == BoardFormat::Unicode) {
            return Err(Exit::Usage.error("--columns sets boards side by side, which needs --format unicode or svg"));
        }
        if self.show_lines && !is_picture {
            return Err(Exit::Usage.error("--show-lines draws on a picture, which needs --format svg"));
        }
        Ok(())
    }

    fn no_board(&self, n: usize) -> String {
        format!("there are no {}solutions for n = {n}", if self.symmetry.is_some() { "such " } else { "" })
    }

    /// What a picture of so many boards is called.
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
    fn picture(&self, n: usize, boards: &[Board]) -> anyhow::Result<String> {
        if boards.is_empty() {
            let why = if self.limit == Some(0) { "--limit 0 asks for no board".to_owned() } else { self.no_board(n) };
            return Err(Exit::Failure.error(format!("no picture was made: {why}")));
        }
        let page = Page {
            title: self.title(n, boards.len()),
            columns: self.columns.map_or(4, usize::from),
            has_lines: self.show_lines,
        };
        Ok(picture::boards(boards, &page))
    }
}

pub(crate) fn run(args: &Args, streams: &mut Streams<'_>) -> anyhow::Result<Exit> {
    let (n, boards) = args.boards(streams)?;
    let format = args.format(n)?;
    let is_picture = format == BoardFormat::Svg;
    args.refuse_misfit(format)?;
    let limit = args.limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
    // Who stops a list that goes to a file is left no half of it.
    let interrupts = args.out.as_ref().map(|_| Interrupts::catch()).transpose()?;
    let caught = || interrupts.as_ref().and_then(Interrupts::caught);
    let instead = if is_picture { "" } else { "; without --out, boards are kept as they come" };
    // Whatever it came from, what is printed is a solution.
    let mut boards = boards.take(limit).enumerate().map(|(found, board)| match (caught(), board.attack()) {
        (Some(exit), _) => Err(exit.error(format!("stopped after {found} boards: no file was written{instead}"))),
        (None, None) => Ok(board),
        (None, Some(attack)) => {
            Err(Exit::Wrong.error(format!("a board is no solution: {attack:?}: please report this")))
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
        let is_colored = args.out.is_none() && unicode::is_colored();
        let out: &mut dyn Write = match &mut kept {
            Some(kept) => kept,
            None => &mut *streams.out,
        };
        let side_by_side = if format == BoardFormat::Unicode { args.columns.map_or(1, usize::from) } else { 1 };
        loop {
            let row: Vec<Board> = boards.by_ref().take(side_by_side).collect::<Result<_, _>>()?;
            let Some(board) = row.first() else { break };
            if written > 0 && matches!(format, BoardFormat::Grid | BoardFormat::Unicode) {
                writeln!(out)?;
            }
            match format {
                BoardFormat::Unicode => unicode::write(&row, is_colored, out)?,
                _ => format.write(n, board, out)?,
            }
            written += row.len() as u64;
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

/// As many boards as there are, where a picture has room for them.
fn page_of(n: usize, boards: &mut dyn Iterator<Item = anyhow::Result<Board>>) -> anyhow::Result<Vec<Board>> {
    let most = (PAGE_SQUARES / (n * n).max(1)).min(PAGE);
    if most == 0 {
        return Err(Exit::Usage
            .error(format!("a board of size {n} has too many squares for a picture: give --format columns or json")));
    }
    let page: Vec<Board> = boards.take(most + 1).collect::<Result<_, _>>()?;
    if page.len() > most {
        return Err(Exit::Usage.error(format!(
            "there are more boards than one picture holds: give --limit {most} or less, or --format grid, columns or json"
        )));
    }
    Ok(page)
}

/// A board as JSON.
#[derive(Serialize)]
struct BoardLine {
    schema: u32,
    size: usize,
    /// Counted from 1.
    columns: Vec<u32>,
}

impl BoardFormat {
    /// As it is typed.
    fn name(self) -> String {
        clap::ValueEnum::to_possible_value(&self).map_or_else(String::new, |value| value.get_name().to_owned())
    }

    /// What the name of such a file ends in.
    fn ending(self) -> &'static str {
        match self {
            Self::Grid | Self::Columns | Self::Unicode => "txt",
            Self::Json => "json",
            Self::Svg => "svg",
        }
    }

    /// Whether a file whose name stands for another format may hold this one: all that is text may be called so.
    fn fits(self, named: Self) -> bool {
        let is_text = |format| format != Self::Svg;
        self == named || is_text(self) && matches!(named, Self::Grid | Self::Columns)
    }

    fn write(self, n: usize, board: &Board, out: &mut dyn Write) -> io::Result<()> {
        let columns = board.columns().iter().map(|column| column + 1);
        match self {
            Self::Columns => {
                for (row, column) in columns.enumerate() {
                    write!(out, "{}{column}", if row == 0 { "" } else { " " })?;
                }
                writeln!(out)
            }
            Self::Json => {
                serde_json::to_writer(&mut *out, &BoardLine { schema: 1, size: n, columns: columns.collect() })?;
                writeln!(out)
            }
            Self::Grid | Self::Unicode | Self::Svg => writeln!(out, "{board}"),
        }
    }
}
