//! Shapes to boards, and the verdict on each.

use std::cmp::Ordering;

use nqueens::board::Board;

use super::shape::{MOST_ROWS, NO_COLUMN, QUEENS, Shape};

/// What is said of a board.
pub(crate) enum Verdict {
    /// A solution: the column of each row, from 0.
    Solution(Vec<u32>),
    /// No solution, with the reason.
    Wrong(String),
    /// Not understood, with the reason.
    Unclear(String),
}

/// Puts shapes together to boards.
#[derive(Default)]
pub(crate) struct Boards {
    /// Verdicts, each with the first line of the board.
    pub(crate) found: Vec<(u64, Verdict)>,
    /// The number of lines that are no boards, and the first of them.
    pub(crate) skipped: u64,
    pub(crate) first_skipped: Option<u64>,
    pub(crate) line: u64,
    /// What the next line may continue, its first and last line, and whether it stands in no bracket.
    pending: Option<Shape>,
    first: u64,
    last: u64,
    is_bare: bool,
    /// Whether rulers are between the rows.
    is_ruled: bool,
    /// The width of the grid just above.
    above: usize,
    /// What the first row and column are called, once a solution in numbers has shown it.
    base: Option<u32>,
    /// A lone number, which is a board of one row if there is nothing else.
    one: Option<u32>,
    has_found: bool,
}

impl Boards {
    /// Adds what a line outside of all brackets has.
    pub(crate) fn add_line(&mut self, shape: Option<Shape>, is_ruler: bool) {
        // A row of a grid, if its cells are - or _.
        let is_row = |grid: &Shape, row: &Shape| grid.is_cells && grid.goes_on(row, None, true);
        match (shape, &self.pending) {
            (Some(shape), pending) if !is_ruler || pending.as_ref().is_some_and(|grid| is_row(grid, &shape)) => {
                self.add(shape, self.line, true);
            }
            (_, pending) => {
                // Between all rows, and under a heading, a ruler does not end a board.
                self.is_ruled |= pending.as_ref().is_some_and(|part| part.rows() == 1 || part.is_heading(part.rows()));
                if !is_ruler || !self.is_ruled {
                    self.end();
                }
                if std::mem::replace(&mut self.last, self.line) < self.line {
                    self.skip_lines(self.line, 1);
                }
            }
        }
    }

    /// Adds a shape that begins on a line.
    pub(crate) fn add(&mut self, shape: Shape, line: u64, is_bare: bool) {
        if is_bare && self.above > 0 && shape.is_heading(self.above) {
            self.above = 0;
            return self.skip_lines(line, 1);
        }
        let are_bare = is_bare && self.is_bare;
        let mut is_new = false;
        match &mut self.pending {
            Some(part) if part.goes_on(&shape, self.base, are_bare) => {
                part.items.extend(&shape.items);
                (part.least, part.most) = (part.least.min(shape.least), part.most.max(shape.most));
            }
            pending => {
                let is_heading = |list: &mut Shape| self.is_bare && shape.is_cells && list.is_heading(shape.step);
                if pending.take_if(is_heading).is_some() {
                    self.skip_lines(self.first, 1);
                }
                self.end();
                is_new = true;
                (self.pending, self.first, self.is_bare, self.is_ruled) = (Some(shape), line, is_bare, false);
            }
        }
        self.last = self.line;
        let is_whole = |part: &Shape| match part.step {
            // Rows of one cell may go on: of a drawing whose empty squares are blank, the queens are left.
            width if part.is_cells => width > 1 && part.rows() == width,
            2 => is_new && part.rows() > 1,
            _ => part.step > 2 && !is_bare,
        };
        if self.pending.as_ref().is_some_and(is_whole) {
            self.end();
        }
    }

    pub(crate) fn is_line_of_pairs(&self) -> bool {
        self.first == self.line
            && self.pending.as_ref().is_some_and(|list| list.step == 2 && !list.is_cells && list.rows() > 1)
    }

    /// Ends the text. `open` is the line of a bracket that is not closed.
    pub(crate) fn finish(&mut self, open: Option<u64>) {
        self.end();
        if let Some(line) = open {
            self.first = line;
            self.refuse("a bracket is not closed".to_owned());
        }
        if let (Some(one), 1, false) = (self.one, self.skipped, self.has_found) {
            (self.skipped, self.first_skipped) = (0, None);
            self.list(Shape::new(vec![one], 1, false));
        }
    }

    /// Ends the board at hand.
    pub(crate) fn end(&mut self) {
        self.above = 0;
        match self.pending.take() {
            Some(shape) if shape.is_cells => self.grid(&shape),
            Some(shape) if shape.step == 1 => self.run(shape),
            Some(shape) if shape.step == 2 => self.pairs(&shape),
            Some(shape) => self.list(shape),
            None => {}
        }
    }

    fn skip(&mut self) {
        self.skip_lines(self.first, self.last - self.first + 1);
    }

    fn skip_lines(&mut self, first: u64, lines: u64) {
        self.skipped += lines;
        self.first_skipped.get_or_insert(first);
    }

    fn say(&mut self, verdict: Verdict) {
        self.has_found = true;
        self.found.push((self.first, verdict));
    }

    fn refuse(&mut self, reason: String) {
        self.say(Verdict::Unclear(reason));
    }

    fn grid(&mut self, grid: &Shape) {
        let (rows, width) = (grid.rows(), grid.step);
        let is_list = rows == 1 && !self.is_bare && grid.is_binary();
        match grid.queen() {
            // A list of columns that are all equal.
            _ if is_list && grid.least == grid.most => {
                let column = grid.least - u32::from('0');
                match self.base(width, column, column) {
                    Ok(base) => _ = self.judge(vec![column - base; width], base),
                    Err(reason) => self.refuse(reason),
                }
            }
            _ if is_list => self.refuse("it is columns, or one row of a matrix".to_owned()),
            _ if width == 1 && rows > 1 => {
                self.refuse("its empty squares are blank: mark them, such as with a point".to_owned());
            }
            _ if width == 1 && self.is_bare && !self.is_ruled => {
                self.one = Some(0);
                self.skip();
            }
            _ if rows == 1 && width > 1 && (width < 4 || !grid.kinds().any(|kind| QUEENS.contains(kind))) => {
                self.skip()
            }
            _ if rows < width => self.refuse(format!("it ends on line {}, after {rows} of {width} rows", self.last)),
            None => self.refuse("no kind of cell is once in each row: mark queens with Q".to_owned()),
            Some(queen) => {
                let queens = (0..).zip(&grid.items).filter(|cell| *cell.1 == queen);
                self.place(width, 1, queens.map(|(at, _)| (at / width as u32 + 1, at % width as u32 + 1)));
                self.above = width;
            }
        }
    }

    /// Numbers that stand alone: a board, or no boards.
    fn run(&mut self, list: Shape) {
        let n = list.items.len();
        let is_sized = n > 4 && list.items[0] as usize == n - 1;
        if n < 4 {
            self.one = list.items.first().copied().filter(|one| n == 1 && *one < 2);
            self.skip();
        } else if list.least > 999 && list.needed(self.base) > n {
            self.refuse("its numbers have four digits or more: put spaces between columns".to_owned());
        } else if is_sized && Shape::new(list.items[1..].to_vec(), 1, false).needed(self.base) < n {
            self.refuse(format!("its first number may be the size {} or a column", n - 1));
        } else if list.needed(self.base) + 1 < n {
            self.refuse("it is longer than a board with these columns: put an empty line between boards".to_owned());
        } else {
            self.list(list);
        }
    }

    fn list(&mut self, mut list: Shape) {
        let n = list.items.len();
        let count = |is_one: fn(&&u32) -> bool| list.items.iter().filter(is_one).count();
        let is_row = count(|column| **column > 1) < 2 && (n > 4 || n > 2 && count(|column| **column == 0) > n - 2);
        match self.base(n, list.least, list.most) {
            Ok(_) if is_row => self.refuse("it is columns, or a row of cells with a number".to_owned()),
            Ok(base) => {
                list.items.iter_mut().for_each(|column| *column -= base);
                if self.judge(list.items, base) {
                    self.base = Some(base);
                }
            }
            Err(reason) => self.refuse(reason),
        }
    }

    /// Rows and columns. Without brackets they may be other numbers.
    fn pairs(&mut self, list: &Shape) {
        let n = list.rows();
        let mut rows: Vec<u32> = list.items.iter().copied().step_by(2).collect();
        rows.sort_unstable();
        let are_rows = n > 3 && Shape::new(rows, 1, false).is_heading(n);
        match self.base(n, list.least, list.most) {
            base if n == 1 || self.is_bare && !(are_rows && base.is_ok()) => self.skip(),
            Err(reason) => self.refuse(reason),
            Ok(_) if list.most < 2 => self.refuse("pairs and rows of a matrix look the same here".to_owned()),
            Ok(base) => {
                if self.place(n, base, list.items.chunks_exact(2).map(|pair| (pair[0], pair[1]))) {
                    self.base = Some(base);
                }
            }
        }
    }

    /// What the first row and column are called on a board of n rows with numbers from `least` to `most`.
    fn base(&self, n: usize, least: u32, most: u32) -> Result<u32, String> {
        let base = match least {
            0 => 0,
            _ if most as usize >= n => 1,
            _ => self.base.unwrap_or(1),
        };
        let both = match n.checked_sub(1) {
            Some(last) if least == 0 => format!(": it has a 0, so columns are from 0 to {last}"),
            _ => String::new(),
        };
        match self.base {
            _ if n > MOST_ROWS || most == NO_COLUMN => {
                Err(format!("it has more than {MOST_ROWS} columns, or numbers that are no columns"))
            }
            _ if most as usize >= n + base as usize => {
                Err(format!("there is no column {most} on a board of {n} rows{both}"))
            }
            Some(known) if known != base => Err(format!("it counts from {base}, the boards before it from {known}")),
            _ => Ok(base),
        }
    }

    /// Judges queens, each with its row and column from `base`, on a board of n rows. Returns whether they solve it.
    fn place(&mut self, n: usize, base: u32, queens: impl Iterator<Item = (u32, u32)>) -> bool {
        let mut columns = vec![NO_COLUMN; n];
        for (row, column) in queens {
            let (row, column) = (row - base, column - base);
            let there = std::mem::replace(&mut columns[row as usize], column);
            if there == column {
                self.refuse("it has the same square twice".to_owned());
                return false;
            } else if there != NO_COLUMN {
                self.wrong([(row, there), (row, column)], base);
                return false;
            }
        }
        let empty = columns.iter().position(|column| *column == NO_COLUMN);
        if let Some(row) = empty {
            self.say(Verdict::Wrong(format!("no solution: there is no queen on row {}", row + base as usize)));
        }
        empty.is_none() && self.judge(columns, base)
    }

    /// Judges columns from 0, which the text counts from `base`. Returns whether they are a solution.
    fn judge(&mut self, columns: Vec<u32>, base: u32) -> bool {
        let Ok(board) = Board::new(columns) else { return false };
        let attack = board.attack();
        match attack {
            Some(attack) => self.wrong(attack, base),
            None => self.say(Verdict::Solution(board.into())),
        }
        attack.is_none()
    }

    /// Says that two queens, each with its row and column, attack each other.
    fn wrong(&mut self, [first, second]: [(u32, u32); 2], base: u32) {
        let line = match (second.0.cmp(&first.0), second.1.cmp(&first.1)) {
            (Ordering::Equal, _) => "the row",
            (_, Ordering::Equal) => "the column",
            (below, right) if below == right => "a diagonal",
            _ => "an antidiagonal",
        };
        let square = |(row, column): (u32, u32)| format!("row {}, column {}", row + base, column + base);
        let (first, second) = (square(first), square(second));
        let base = if base == 0 { ", counted from 0" } else { "" };
        self.say(Verdict::Wrong(format!(
            "no solution: the queens on {first} and {second} attack each other along {line}{base}"
        )));
    }
}
