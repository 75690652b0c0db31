//! `nqueens check`: boards read from standard input, each a solution or not.

use std::io::{self, BufRead};

use nqueens::board::{Attack, Board, Line};
use serde::Deserialize;

use super::Streams;
use super::exit::Exit;

/// Says of each board on standard input whether it is a solution
///
/// It reads what 'nqueens solutions' writes: grids of Q and # with an empty line between them, lines of columns counted
/// from 1, lines of JSON, or framed boards side by side, all of them mixed. For a board that is no solution it names two
/// queens that attack each other, or what is wrong with its text. The exit status is 3 if any board is wrong.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nqueens solutions 10 | nqueens check --wrong      checks them all, tells only of wrong ones
  echo 2 4 1 3 | nqueens check                      a board typed by hand")]
pub(super) struct Args {
    /// Tells only of boards that are no solutions
    #[arg(long)]
    wrong: bool,
}

/// Longer lines are not read: a board with a row this long would have as many rows.
const LONGEST_LINE: u64 = 1 << 28;

/// What a text in UTF-8 may begin with.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

pub(super) fn run(args: &Args, streams: &mut Streams<'_>) -> anyhow::Result<Exit> {
    let mut reader = Reader { input: io::stdin().lock(), line: Vec::new(), number: 0, is_held: false };
    let (mut boards, mut wrong) = (0u64, 0u64);
    while let Some(text) = reader.next_boards()? {
        // The exit status says whether any board is wrong, whoever reads the lines: it is known as soon as one is.
        if wrong > 0 && streams.out.is_unheard() {
            break;
        }
        for verdict in text {
            boards += 1;
            match verdict.1 {
                Ok(n) if args.wrong => _ = n,
                Ok(n) => writeln!(streams.out, "board {boards} (line {}): a solution for n = {n}", verdict.0)?,
                Err(fault) => {
                    wrong += 1;
                    writeln!(streams.out, "board {boards} (line {}): {fault}", verdict.0)?;
                }
            }
        }
    }
    match (boards, wrong) {
        (0, _) => streams.note("there were no boards to check"),
        (1, 0) => streams.note("1 board, a solution"),
        (_, 0) => streams.note(format_args!("{boards} boards, all of them solutions")),
        _ => streams.note(format_args!("{boards} boards, {wrong} of them wrong")),
    }
    Ok(if wrong > 0 { Exit::Wrong } else { Exit::Fine })
}

/// A board's first line, and its size or what is wrong with it.
type Verdict = (u64, Result<usize, String>);

/// Reads lines, and boards made of them.
struct Reader<R> {
    input: R,
    line: Vec<u8>,
    /// Of the line at hand, counted from 1.
    number: u64,
    /// Whether the line at hand is still to be used.
    is_held: bool,
}

/// What a line looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Empty,
    Json,
    Columns,
    Grid,
    Framed,
}

impl<R: BufRead> Reader<R> {
    /// Reads the next line, without its end; whether there was one.
    fn read_line(&mut self) -> anyhow::Result<bool> {
        if std::mem::take(&mut self.is_held) {
            return Ok(true);
        }
        self.line.clear();
        let reader = &mut self.input;
        let length = io::Read::take(reader, LONGEST_LINE)
            .read_until(b'\n', &mut self.line)
            .map_err(|reason| io::Error::new(reason.kind(), format!("cannot read standard input: {reason}")))?;
        if length as u64 == LONGEST_LINE && self.line.last() != Some(&b'\n') {
            return Err(Exit::Wrong.error(format!(
                "line {} is longer than {LONGEST_LINE} bytes: no board is that large",
                self.number + 1
            )));
        }
        while self.line.last().is_some_and(|byte| matches!(byte, b'\n' | b'\r')) {
            self.line.pop();
        }
        self.number += u64::from(length > 0);
        // Some editors begin a file with a mark of its encoding.
        if self.number == 1 && self.line.starts_with(BYTE_ORDER_MARK) {
            self.line.drain(..BYTE_ORDER_MARK.len());
        }
        Ok(length > 0)
    }

    fn kind(&self) -> Kind {
        match self.line.iter().find(|byte| !byte.is_ascii_whitespace()) {
            None => Kind::Empty,
            Some(b'{') => Kind::Json,
            Some(b'0'..=b'9' | b'-' | b'+') => Kind::Columns,
            Some(_) if is_frame(&self.line) => Kind::Framed,
            Some(_) => Kind::Grid,
        }
    }

    /// The boards of the next lines that belong together; `None` at the end.
    fn next_boards(&mut self) -> anyhow::Result<Option<Vec<Verdict>>> {
        loop {
            if !self.read_line()? {
                return Ok(None);
            }
            let first = self.number;
            return Ok(Some(match self.kind() {
                Kind::Empty => continue,
                Kind::Json => vec![(first, from_json(&self.line, first))],
                Kind::Columns => vec![(first, from_columns(&self.line, first))],
                Kind::Grid => vec![(first, self.grid()?)],
                Kind::Framed => self.framed()?.into_iter().map(|verdict| (first, verdict)).collect(),
            }));
        }
    }

    /// A board drawn over several lines, the first one at hand. It ends at an empty line or a line of another kind.
    fn grid(&mut self) -> anyhow::Result<Result<usize, String>> {
        let mut rows = Rows::default();
        loop {
            rows.add(&self.line, self.number);
            if !self.read_line()? {
                break;
            }
            if self.kind() != Kind::Grid {
                self.is_held = true;
                break;
            }
        }
        Ok(rows.verdict())
    }

    /// Boards with frames, side by side, whose first line is at hand: the upper edge, or a row where that is missing.
    fn framed(&mut self) -> anyhow::Result<Vec<Result<usize, String>>> {
        let mut boards: Vec<Rows> = Vec::new();
        loop {
            let text = String::from_utf8_lossy(&self.line);
            match text.trim_start().chars().next() {
                Some('└') => break,
                // The next boards begin, though these did not end.
                Some('┌') if !boards.is_empty() => {
                    self.is_held = true;
                    break;
                }
                Some('┌') => {}
                _ => {
                    // Between the bars is every second part: a board, a gap, a board.
                    let mut column = 1;
                    for (index, part) in text.split('│').enumerate() {
                        if index % 2 == 1 {
                            if boards.len() == index / 2 {
                                boards.push(Rows::default());
                            }
                            boards[index / 2].add_framed(part, self.number, column);
                        }
                        column += part.chars().count() + 1;
                    }
                }
            }
            if !self.read_line()? {
                break;
            }
            if self.kind() != Kind::Framed {
                self.is_held = true;
                break;
            }
        }
        if boards.is_empty() {
            return Ok(vec![Err("a frame with no row in it".to_owned())]);
        }
        Ok(boards.into_iter().map(Rows::verdict).collect())
    }
}

/// Whether a line is part of a board with a frame.
fn is_frame(line: &[u8]) -> bool {
    let start = line.iter().position(|byte| !byte.is_ascii_whitespace()).unwrap_or(0);
    ["┌", "│", "└"].iter().any(|edge| line[start..].starts_with(edge.as_bytes()))
}

/// The rows of a drawn board, as far as they have been read.
#[derive(Default)]
struct Rows {
    columns: Vec<u32>,
    width: usize,
    /// The number of the last line.
    last: u64,
    /// The first thing that is wrong.
    fault: Option<String>,
}

impl Rows {
    /// A row inside of a frame, two characters a square; `column` is where it begins on its line.
    fn add_framed(&mut self, row: &str, number: u64, column: usize) {
        let mut squares = String::with_capacity(row.len() / 2);
        let mut letters = row.chars();
        for at in 0.. {
            let pair = (letters.next(), letters.next());
            squares.push(match pair {
                (Some('♛'), Some(' ')) => 'Q',
                (Some(' '), Some(' ')) | (Some('░'), Some('░')) => '#',
                (None, _) => break,
                (first, second) => {
                    let found: String = first.into_iter().chain(second).collect();
                    let column = column + 2 * at;
                    self.fault.get_or_insert_with(|| {
                        format!(
                            "line {number}, column {column}: {found:?} is no square, which is \"♛ \", \"  \" or \"░░\""
                        )
                    });
                    return;
                }
            });
        }
        self.add(squares.as_bytes(), number);
    }

    fn add(&mut self, line: &[u8], number: u64) {
        let row = self.columns.len();
        if self.fault.is_some() {
            return;
        }
        self.last = number;
        let mut line = line;
        while line.last().is_some_and(u8::is_ascii_whitespace) {
            line = &line[..line.len() - 1];
        }
        let mut queens = line.iter().enumerate().filter(|(_, byte)| **byte == b'Q').map(|(column, _)| column);
        let (first, second) = (queens.next(), queens.next());
        if let Some(at) = line.iter().position(|byte| !matches!(byte, b'Q' | b'#')) {
            let text = String::from_utf8_lossy(line);
            // Columns are characters, not bytes.
            let column = text.chars().position(|c| !matches!(c, 'Q' | '#')).unwrap_or(at);
            let found = text.chars().nth(column).unwrap_or('\u{fffd}');
            self.fault = Some(format!(
                "line {number}, column {}: {found:?} is neither a queen (Q) nor an empty square (#)",
                column + 1
            ));
        } else if row > 0 && line.len() != self.width {
            self.fault =
                Some(format!("line {number} has {} squares where the first row has {}", line.len(), self.width));
        } else if let (Some(first), Some(second)) = (first, second) {
            self.fault =
                Some(in_words(Attack::new((row as u32, first as u32), (row as u32, second as u32), Line::Row)));
        } else if first.is_none() {
            self.fault = Some(format!("line {number}: row {} has no queen", row + 1));
        }
        self.width = if row == 0 { line.len() } else { self.width };
        self.columns.push(first.unwrap_or(0) as u32);
        if self.columns.len() > self.width && self.fault.is_none() {
            self.fault = Some(format!("line {number} is row {} of a board {} squares wide", row + 1, self.width));
        }
    }

    fn verdict(self) -> Result<usize, String> {
        if let Some(fault) = self.fault {
            return Err(fault);
        }
        if self.columns.len() != self.width {
            return Err(format!("it ends on line {}, after {} of {} rows", self.last, self.columns.len(), self.width));
        }
        judge(self.columns)
    }
}

/// Whether queens in these columns, all of them on the board, are a solution.
fn judge(columns: Vec<u32>) -> Result<usize, String> {
    let n = columns.len();
    match Board::new(columns).map(|board| board.attack()) {
        Some(None) => Ok(n),
        Some(Some(attack)) => Err(in_words(attack)),
        None => Err("a queen is not on the board".to_owned()),
    }
}

fn in_words(attack: Attack) -> String {
    let square = |(row, column): (u32, u32)| format!("row {}, column {}", row + 1, column + 1);
    let line = match attack.line {
        Line::Row | Line::Column => "the",
        Line::Diagonal => "a",
        Line::Antidiagonal => "an",
    };
    format!(
        "the queens on {} and {} attack each other along {line} {}",
        square(attack.first),
        square(attack.second),
        attack.line.name()
    )
}

fn from_columns(line: &[u8], number: u64) -> Result<usize, String> {
    let mut columns = Vec::new();
    let mut rest = line;
    let position = |rest: &[u8]| line.len() - rest.len() + 1;
    loop {
        while rest.first().is_some_and(u8::is_ascii_whitespace) {
            rest = &rest[1..];
        }
        if rest.is_empty() {
            break;
        }
        let at = position(rest);
        let length = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
        let (word, after) = rest.split_at(length);
        rest = after;
        let value = std::str::from_utf8(word).ok().and_then(|word| word.parse::<u32>().ok());
        match value {
            Some(value) => columns.push((value, at)),
            None => {
                let word: String = String::from_utf8_lossy(word).chars().take(40).collect();
                return Err(format!("line {number}, column {at}: {word:?} is not the number of a column"));
            }
        }
    }
    let n = columns.len();
    if let Some((value, at)) = columns.iter().find(|(value, _)| *value == 0 || *value as usize > n) {
        return Err(format!(
            "line {number}, column {at}: there is no column {value} on a board of {n} rows; columns count from 1"
        ));
    }
    judge(columns.into_iter().map(|(value, _)| value - 1).collect())
}

fn from_json(line: &[u8], number: u64) -> Result<usize, String> {
    #[derive(Deserialize)]
    struct Record {
        size: Option<usize>,
        columns: Vec<u32>,
    }
    let record: Record = serde_json::from_slice(line).map_err(|error| {
        // It says where in the text it was, and the text is one line.
        let message = error.to_string();
        let message = message.split(" at line ").next().unwrap_or_default();
        format!("line {number}, column {}: {message}", error.column())
    })?;
    let n = record.columns.len();
    if let Some(size) = record.size.filter(|size| *size != n) {
        return Err(format!("line {number}: the size is {size}, but there are {n} columns"));
    }
    if let Some(value) = record.columns.iter().find(|value| **value == 0 || **value as usize > n) {
        return Err(format!("line {number}: there is no column {value} on a board of {n} rows; columns count from 1"));
    }
    judge(record.columns.into_iter().map(|value| value - 1).collect())
}
