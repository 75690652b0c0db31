//! Rows to boards, and the verdict on each.

use std::cmp::Ordering;

use nqueens::board::Board;

use super::rows::{MOST_ROWS, NO_COLUMN, Rows};

/// What is said of a board.
pub(crate) enum Verdict {
    /// A solution: the column of each row, from 0.
    Solution(Vec<u32>),
    /// No solution, with the reason.
    Wrong(String),
    /// Not understood, with the reason.
    Unclear(String),
}

/// A verdict, nothing if it is no board, or the reason why it is not understood.
type Judged = Result<Option<Verdict>, String>;

/// Puts rows together to boards.
#[derive(Default)]
pub(crate) struct Boards {
    /// Verdicts, each with the first line of the board.
    pub(crate) found: Vec<(u64, Verdict)>,
    /// The number of lines that are no boards, and the first of them.
    pub(crate) skipped: u64,
    pub(crate) first_skipped: Option<u64>,
    pub(crate) line: u64,
    /// What the next line may continue, its first and last line, and whether it stands in no bracket.
    pending: Option<Rows>,
    first: u64,
    last: u64,
    is_bare: bool,
    /// Whether rulers are between the rows.
    is_ruled: bool,
    /// The width of the grid just above.
    above: usize,
    /// What the first row and column are called, once a solution in numbers has shown it.
    base: Option<u32>,
    /// Whether there is a lone 0, 1 or queen, which is a board of one row if there is nothing else.
    one: bool,
    has_found: bool,
}

impl Boards {
    /// Adds what a line outside of all brackets has.
    pub(super) fn add_line(&mut self, rows: Option<Rows>, is_ruler: bool) {
        let pending = self.pending.as_ref();
        match rows {
            // The cells of a grid may be - or _.
            Some(rows) if !is_ruler || pending.is_some_and(|grid| grid.is_cells && grid.goes_on(&rows, None, true)) => {
                self.add(rows, self.line, true);
            }
            _ => {
                // Between all rows, and under a heading, a ruler does not end a board.
                self.is_ruled |=
                    is_ruler && pending.is_some_and(|part| part.count() == 1 || part.is_heading(part.width));
                if !(is_ruler && self.is_ruled) {
                    self.end();
                }
                if std::mem::replace(&mut self.last, self.line) < self.line {
                    self.skip(self.line, 1);
                }
            }
        }
    }

    /// Adds rows that begin on a line.
    pub(super) fn add(&mut self, rows: Rows, line: u64, is_bare: bool) {
        let above = std::mem::take(&mut self.above);
        if is_bare && above > 0 && rows.is_heading(above) {
            return self.skip(line, 1);
        }
        let are_bare = is_bare && self.is_bare;
        let are_pairs = rows.count() > 1;
        match &mut self.pending {
            Some(part) if part.goes_on(&rows, self.base, are_bare) => part.add(&rows),
            pending => {
                let is_heading = |list: &mut Rows| self.is_bare && rows.is_cells && list.is_heading(rows.width);
                if pending.take_if(is_heading).is_some() {
                    self.skip(self.first, 1);
                }
                self.end();
                (self.pending, self.first, self.is_bare, self.is_ruled) = (Some(rows), line, is_bare, false);
            }
        }
        self.last = self.line;
        let is_whole = |part: &Rows| match part.width {
            // Rows of one cell may go on: of a drawing whose empty squares are blank, the queens are left.
            width if part.is_cells => width > 1 && part.count() == width,
            2 => are_pairs,
            width => width > 2 && !is_bare,
        };
        if self.pending.as_ref().is_some_and(is_whole) {
            self.end();
        }
    }

    /// Ends a board whose pairs stand in one line, which ends.
    pub(super) fn end_line_of_pairs(&mut self) {
        let is_line = |list: &Rows| !list.is_cells && list.width == 2 && list.count() > 1;
        if self.first == self.line && self.pending.as_ref().is_some_and(is_line) {
            self.end();
        }
    }

    /// Ends the text. `open` is the line of a bracket that is not closed.
    pub(super) fn finish(&mut self, open: Option<u64>) {
        self.end();
        if let Some(line) = open {
            self.first = line;
            self.say(Verdict::Unclear("a bracket is not closed".to_owned()));
        }
        if self.one && self.skipped == 1 && !self.has_found {
            (self.skipped, self.first_skipped) = (0, None);
            self.say(Verdict::Solution(vec![0]));
        }
    }

    /// Ends the board at hand.
    pub(super) fn end(&mut self) {
        self.above = 0;
        let Some(rows) = self.pending.take() else { return };
        let verdict = match (rows.is_cells, rows.width) {
            (true, _) => self.grid(&rows),
            (false, 1) => self.lone_numbers(&rows),
            (false, 2) => self.pairs(&rows),
            (false, _) => self.columns(&rows),
        };
        match verdict.unwrap_or_else(|reason| Some(Verdict::Unclear(reason))) {
            Some(verdict) => self.say(verdict),
            None => self.skip(self.first, self.last - self.first + 1),
        }
    }

    /// Counts lines that are no boards.
    fn skip(&mut self, first: u64, lines: u64) {
        self.skipped += lines;
        self.first_skipped.get_or_insert(first);
    }

    fn say(&mut self, verdict: Verdict) {
        self.has_found = true;
        self.found.push((self.first, verdict));
    }

    fn grid(&mut self, grid: &Rows) -> Judged {
        let (rows, width) = (grid.count(), grid.width);
        if rows == 1 && !self.is_bare && grid.is_binary() {
            if grid.least != grid.most {
                return Err("it is columns, or one row of a matrix".to_owned());
            }
            return self.columns(&Rows::numbers(vec![grid.least - u32::from('0'); width], 1));
        }
        if width == 1 && rows > 1 {
            return Err("its empty squares are blank: mark them, such as with a point".to_owned());
        }
        if width == 1 && self.is_bare && !self.is_ruled {
            self.one = true;
            return Ok(None);
        }
        if rows == 1 && width > 1 && (width < 4 || !grid.has_queen()) {
            return Ok(None);
        }
        if rows < width {
            return Err(format!("it ends on line {}, after {rows} of {width} rows", self.last));
        }
        let queen = grid.queen().ok_or("no kind of cell is once in each row: mark queens with Q")?;
        let queens = (0..).zip(&grid.items).filter(|cell| *cell.1 == queen);
        let verdict = judge(width, 1, queens.map(|(at, _)| (at / width as u32 + 1, at % width as u32 + 1)))?;
        self.above = width;
        Ok(Some(verdict))
    }

    /// Rows and columns. Without brackets they may be other numbers.
    fn pairs(&mut self, list: &Rows) -> Judged {
        let n = list.count();
        let mut rows: Vec<u32> = list.items.iter().copied().step_by(2).collect();
        rows.sort_unstable();
        let are_rows = n > 3 && Rows::numbers(rows, n).is_heading(n);
        let base = self.base(n, list);
        if n == 1 || self.is_bare && !(are_rows && base.is_ok()) {
            return Ok(None);
        }
        if list.most < 2 {
            return Err("pairs and rows of a matrix look the same here".to_owned());
        }
        self.numbers(n, base?, list.items.chunks_exact(2).map(|pair| (pair[0], pair[1])))
    }

    /// Numbers that stand alone: a board, or no boards.
    fn lone_numbers(&mut self, list: &Rows) -> Judged {
        let (n, needed) = (list.count(), list.needed(self.base));
        if n < 4 {
            self.one = n == 1 && list.most < 2;
            return Ok(None);
        }
        if list.least > 999 && needed > n {
            return Err("its numbers have four digits or more: put spaces between columns".to_owned());
        }
        // A size, or a second board without an empty line before it.
        let is_sized = n > 4 && list.items[0] as usize == n - 1;
        if needed + 1 < n || is_sized && Rows::numbers(list.items[1..].to_vec(), 1).needed(self.base) < n {
            let reason =
                "it is longer than a board with these columns: leave out sizes, put an empty line between boards";
            return Err(reason.to_owned());
        }
        self.columns(list)
    }

    fn columns(&mut self, list: &Rows) -> Judged {
        let n = list.count();
        let base = self.base(n, list)?;
        let count = |is_one: fn(&&u32) -> bool| list.items.iter().filter(is_one).count();
        let is_row = n > 4 || n > 2 && count(|column| **column == 0) > n - 2;
        if is_row && list.least < list.most && count(|column| **column > 1) < 2 {
            return Err("it is columns, or a row of cells with a number".to_owned());
        }
        self.numbers(n, base, (base..).zip(list.items.iter().copied()))
    }

    /// Judges queens in numbers. A solution shows what the first row and column are called in the whole text.
    fn numbers(&mut self, n: usize, base: u32, queens: impl Iterator<Item = (u32, u32)>) -> Judged {
        let verdict = judge(n, base, queens)?;
        if matches!(verdict, Verdict::Solution(_)) {
            self.base = Some(base);
        }
        Ok(Some(verdict))
    }

    /// What the first row and column are called on a board of n rows with these numbers.
    fn base(&self, n: usize, list: &Rows) -> Result<u32, String> {
        let (least, most) = (list.least, list.most);
        let base = match least {
            0 => 0,
            _ if most as usize >= n => 1,
            _ => self.base.unwrap_or(1),
        };
        if n > MOST_ROWS || most == NO_COLUMN {
            return Err(format!("it has more than {MOST_ROWS} columns, or numbers that are no columns"));
        }
        if most as usize >= n + base as usize {
            let both = match n - 1 {
                last if least == 0 => format!(": it has a 0, so columns are from 0 to {last}"),
                _ => String::new(),
            };
            return Err(format!("there is no column {most} on a board of {n} rows{both}"));
        }
        match self.base {
            Some(known) if known != base => Err(format!("it counts from {base}, the boards before it from {known}")),
            _ => Ok(base),
        }
    }
}

/// Judges queens, each with its row and column from `base`, on a board of n rows.
fn judge(n: usize, base: u32, queens: impl Iterator<Item = (u32, u32)>) -> Result<Verdict, String> {
    let mut columns = vec![NO_COLUMN; n];
    for (row, column) in queens {
        let (row, column) = (row - base, column - base);
        let there = std::mem::replace(&mut columns[row as usize], column);
        if there == column {
            return Err("it has the same square twice".to_owned());
        } else if there != NO_COLUMN {
            return Ok(wrong([(row, there), (row, column)], base));
        }
    }
    if let Some(row) = columns.iter().position(|column| *column == NO_COLUMN) {
        return Ok(Verdict::Wrong(format!("no solution: there is no queen on row {}", row + base as usize)));
    }
    let board = Board::new(columns).map_err(|_| "it has a queen outside the board")?;
    Ok(match board.attack() {
        Some(attack) => wrong(attack, base),
        None => Verdict::Solution(board.into()),
    })
}

/// Two queens, each with its row and column, attack each other.
fn wrong([first, second]: [(u32, u32); 2], base: u32) -> Verdict {
    let line = match (second.0.cmp(&first.0), second.1.cmp(&first.1)) {
        (Ordering::Equal, _) => "the row",
        (_, Ordering::Equal) => "the column",
        (below, right) if below == right => "a diagonal",
        _ => "an antidiagonal",
    };
    let square = |(row, column): (u32, u32)| format!("row {}, column {}", row + base, column + base);
    let (first, second) = (square(first), square(second));
    let base = if base == 0 { ", counted from 0" } else { "" };
    Verdict::Wrong(format!("no solution: the queens on {first} and {second} attack each other along {line}{base}"))
}
