//! Boards from their text.

use nqueens::board::{Attack, Board, Line};
use serde::Deserialize;

/// A board that is a solution, or what is wrong.
pub(crate) type Found = Result<Board, String>;

/// The largest board that is read from a list: the largest that 'nqueens solutions --first' writes.
const MOST_COLUMNS: usize = 10_000_000;

/// The rows of a drawn board, as far as they have been read.
#[derive(Default)]
pub(crate) struct TypedRows {
    columns: Vec<u32>,
    width: usize,
    /// The number of the last line.
    last: u64,
    /// The first thing that is wrong.
    fault: Option<String>,
}

impl TypedRows {
    /// A row with a letter for each square, perhaps with spaces between them.
    pub(crate) fn add(&mut self, line: &[u8], number: u64) {
        let row = self.columns.len();
        if self.fault.is_some() {
            return;
        }
        self.last = number;
        let (mut squares, mut first, mut second, mut foreign) = (0, None, None, false);
        for byte in line {
            match byte {
                b'Q' if first.is_none() => first = Some(squares),
                b'Q' => second = second.or(Some(squares)),
                b'#' | b'.' => {}
                b' ' | b'\t' => continue,
                _ => foreign = true,
            }
            squares += 1;
        }
        if foreign {
            self.fault = Some(foreign_letter(line, number));
        } else if row > 0 && squares != self.width {
            self.fault = Some(format!("line {number} has {squares} squares where the first row has {}", self.width));
        } else if let (Some(first), Some(second)) = (first, second) {
            let attack = Attack::new((row as u32, first as u32), (row as u32, second as u32), Line::Row);
            self.fault = Some(in_words(attack, 1));
        } else if first.is_none() {
            self.fault = Some(format!("line {number}: row {} has no queen", row + 1));
        }
        self.width = if row == 0 { squares } else { self.width };
        self.columns.push(first.unwrap_or(0) as u32);
        if self.columns.len() > self.width && self.fault.is_none() {
            self.fault = Some(format!("line {number} is row {} of a board {} squares wide", row + 1, self.width));
        }
    }

    pub(crate) fn verdict(self) -> Found {
        if let Some(fault) = self.fault {
            return Err(fault);
        }
        if self.columns.len() != self.width {
            return Err(format!("it ends on line {}, after {} of {} rows", self.last, self.columns.len(), self.width));
        }
        judge(self.columns, 1)
    }
}

/// The error for a letter in a grid that is no square.
fn foreign_letter(line: &[u8], number: u64) -> String {
    let text = String::from_utf8_lossy(line);
    let is_known = |c: &char| matches!(c, 'Q' | '#' | '.' | ' ' | '\t');
    // Columns are characters, not bytes.
    let (at, found) = text.chars().enumerate().find(|(_, c)| !is_known(c)).unwrap_or((0, '\u{fffd}'));
    let is_drawn = "┌│└♛♕".contains(found);
    let advice = if is_drawn { "; 'nqueens solutions --format grid' writes boards that can be checked" } else { "" };
    format!("line {number}, column {}: {found:?} is neither a queen (Q) nor an empty square (# or .){advice}", at + 1)
}

/// The board with queens in these columns, all of them on the board, if it is a solution; `first` is what the first row
/// and column are called.
fn judge(columns: Vec<u32>, first: u32) -> Found {
    let board = Board::new(columns).ok_or("a queen is not on the board")?;
    match board.attack() {
        None => Ok(board),
        Some(attack) => Err(in_words(attack, first)),
    }
}

fn in_words(attack: Attack, first: u32) -> String {
    let square = |(row, column): (u32, u32)| format!("row {}, column {}", row + first, column + first);
    let line = match attack.line {
        Line::Row | Line::Column => "the",
        Line::Diagonal => "a",
        Line::Antidiagonal => "an",
    };
    format!(
        "the queens on {} and {} attack each other along {line} {}{}",
        square(attack.first),
        square(attack.second),
        attack.line.name(),
        if first == 0 { ", counted from 0" } else { "" }
    )
}

/// The lists of columns on a line: one list without brackets, or one for each innermost pair of brackets.
pub(crate) fn lists(line: &[u8], number: u64) -> Vec<Found> {
    let mut found = Vec::new();
    let mut list = List::default();
    let is_word = |byte: &u8| !byte.is_ascii_whitespace() && !b",;[]()".contains(byte);
    let mut at = 0;
    while at < line.len() {
        let length = line[at..].iter().position(|byte| !is_word(byte)).unwrap_or(line.len() - at);
        if length == 0 {
            if b"[]()".contains(&line[at]) {
                found.extend(std::mem::take(&mut list).board(number));
            }
            at += 1;
        } else {
            list.add(&line[at..at + length], at + 1, number);
            at += length;
        }
    }
    found.extend(list.board(number));
    found
}

/// The columns of a board as numbers, each with its position on the line.
#[derive(Default)]
struct List {
    columns: Vec<(u32, u32)>,
    fault: Option<String>,
}

impl List {
    fn add(&mut self, word: &[u8], at: usize, number: u64) {
        if self.fault.is_some() {
            return;
        }
        match std::str::from_utf8(word).ok().and_then(|word| word.parse().ok()) {
            Some(_) if self.columns.len() == MOST_COLUMNS => {
                self.fault =
                    Some(format!("line {number} has more than {MOST_COLUMNS} columns: no board is that large"));
            }
            Some(value) => self.columns.push((value, at as u32)),
            None => {
                let word: String = String::from_utf8_lossy(word).chars().take(40).collect();
                self.fault = Some(format!("line {number}, column {at}: {word:?} is not the number of a column"));
            }
        }
    }

    /// The board, if there is anything in the list.
    fn board(self, number: u64) -> Option<Found> {
        if let Some(fault) = self.fault {
            return Some(Err(fault));
        }
        let columns: Vec<u32> = self.columns.iter().map(|(value, _)| *value).collect();
        let place = |index: usize| format!("line {number}, column {}", self.columns[index].1);
        (!columns.is_empty()).then(|| from_numbers(columns, place))
    }
}

/// A board from the numbers of its columns. They count from 0 where one of them is 0, as in every solution that counts
/// so.
fn from_numbers(mut columns: Vec<u32>, place: impl Fn(usize) -> String) -> Found {
    let n = columns.len();
    let has_zero = columns.contains(&0);
    let first = if has_zero { 0 } else { 1 };
    let is_outside = |value: &u32| *value < first || (*value - first) as usize >= n;
    if let Some(index) = columns.iter().position(is_outside) {
        let (place, value) = (place(index), columns[index]);
        return Err(if n == 1 && value > 9 {
            format!("{place}: there is no column {value} on a board of 1 row: put spaces between the columns")
        } else if has_zero && value as usize == n {
            format!("{place}: a board of {n} rows has no columns 0 and {n} both: they count from 0 or from 1")
        } else {
            format!("{place}: there is no column {value} on a board of {n} rows; columns count from {first}")
        });
    }
    columns.iter_mut().for_each(|column| *column -= first);
    judge(columns, first)
}

/// A board as JSON, as 'nqueens solutions' writes it.
pub(crate) fn from_json(line: &[u8], number: u64) -> Found {
    #[derive(Deserialize)]
    struct TypedBoard {
        size: Option<usize>,
        columns: Vec<u32>,
    }
    let record: TypedBoard = serde_json::from_slice(line).map_err(|error| {
        // The error names a position in the text. The text is one line.
        let message = error.to_string();
        let message = message.split(" at line ").next().unwrap_or_default();
        format!("line {number}, column {}: {message}", error.column())
    })?;
    let n = record.columns.len();
    if let Some(size) = record.size.filter(|size| *size != n) {
        return Err(format!("line {number}: the size is {size}, but there are {n} columns"));
    }
    from_numbers(record.columns, |_| format!("line {number}"))
}
