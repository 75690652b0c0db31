//! The search for both turns: a recursion that places a queen together with its images.
//!
//! The half turn moves a queen from (row, column) to (n - 1 - row, n - 1 - column), and the quarter turn moves it to
//! (column, n - 1 - row). A queen therefore has one or three other images, unless it stands in the middle and is its
//! own image.
//!
//! **The middle.** For odd n, the half turn maps the middle row to itself, so the queen in this row stands in the
//! middle. No other queen stands on a main diagonal, because its image under the half turn would attack it.
//!
//! **Images of a free square do not attack each other.** Suppose that two of them share a line. By the formulas above,
//! one of them is then in the middle row, in the middle column or on a main diagonal, but these lines are taken from
//! the start. Since the turn does not change the set of taken lines, the images of a free square are free too.

use super::Turn;
use crate::board::{Board, Size};
use crate::cancel::Cancelled;
use crate::solver::{Plan, Worker};
use crate::tally::{Tally, Work};
use crate::{CancelToken, Result};

/// With at most this many rows left in the upper half, a search no longer checks whether it was cancelled.
const UNCHECKED_TURN_ROWS: u32 = 8;

/// The lines that are taken. A diagonal has the number column - row + n - 1 and an antidiagonal the number column +
/// row, so that the largest number is 2n - 2, which is at most 62.
#[derive(Debug, Clone, Copy)]
struct Lines {
    rows: u64,
    columns: u64,
    diagonals: u64,
    antidiagonals: u64,
}

/// The search for one turn and one size.
///
/// Its first choice is the column of the queen in the row above the middle, and each column to the left of the main
/// diagonal is a unit. Solutions count twice, because their mirror images have this queen in the right half.
#[derive(Debug, Clone, Copy)]
pub(super) struct TurnSearch {
    turn: Turn,
    size: Size,
}

impl TurnSearch {
    pub(super) fn new(turn: Turn, size: Size) -> Self {
        Self { turn, size }
    }

    fn n(self) -> usize {
        self.size.get()
    }

    /// Returns whether any board of this size can look the same after the turn: outside the middle, queens come in
    /// pairs or in fours.
    fn is_possible(self) -> bool {
        self.turn == Turn::Half || self.n() % 4 < 2
    }

    /// Returns the row of the first choice, or `None` if no queen stands outside the middle.
    fn first_row(self) -> Option<usize> {
        (self.n() / 2).checked_sub(1)
    }

    /// Returns the lines that are taken from the start. For odd n, the queen in the middle takes its row and column.
    fn start(self) -> Lines {
        let middle = if self.n() % 2 == 1 { 1 << (self.n() / 2) } else { 0 };
        let main = 1 << self.n().saturating_sub(1);
        Lines { rows: middle, columns: middle, diagonals: main, antidiagonals: main }
    }

    /// Returns the columns of the free squares in a row.
    fn free(self, row: usize, lines: &Lines) -> u64 {
        let taken = lines.columns | lines.diagonals >> (self.n() - 1 - row) | lines.antidiagonals >> row;
        ((1 << self.n()) - 1) & !taken
    }

    /// Returns the square and its images.
    fn images(self, row: usize, column: usize) -> impl Iterator<Item = (usize, usize)> {
        let last = self.n() - 1;
        let images = [(row, column), (last - row, last - column), (column, last - row), (last - column, row)];
        images.into_iter().take(if self.turn == Turn::Half { 2 } else { 4 })
    }

    /// Returns the lines that are taken after a queen and its images are placed.
    fn with(self, row: usize, column: usize, mut lines: Lines) -> Lines {
        for (row, column) in self.images(row, column) {
            lines.rows |= 1 << row;
            lines.columns |= 1 << column;
            lines.diagonals |= 1 << (column + self.n() - 1 - row);
            lines.antidiagonals |= 1 << (column + row);
        }
        lines
    }

    /// Returns the rows of the upper half without a queen.
    fn open_rows(self, lines: &Lines) -> u64 {
        ((1 << (self.n() / 2)) - 1) & !lines.rows
    }

    /// Counts the ways to fill the open rows, of which there are at most 2^16 x 16!, less than 2^61.
    ///
    /// The row nearest to the middle comes first, because its squares are attacked along the most lines. For n = 24, a
    /// search from the edge would place three times as many queens.
    fn place(self, lines: Lines, nodes: &mut u64, cancel: &CancelToken) -> Result<u64, Cancelled> {
        let rows = self.open_rows(&lines);
        if rows == 0 {
            return Ok(1);
        }
        if rows.count_ones() > UNCHECKED_TURN_ROWS {
            cancel.check()?;
        }
        let row = rows.ilog2() as usize;
        let mut free = self.free(row, &lines);
        let mut found = 0;
        while free != 0 {
            let column = free.trailing_zeros() as usize;
            free &= free - 1;
            *nodes += 1;
            found += self.place(self.with(row, column, lines), nodes, cancel)?;
        }
        Ok(found)
    }
}

impl Plan for TurnSearch {
    fn size(&self) -> Size {
        self.size
    }

    fn units(&self) -> usize {
        // For n = 0 and n = 1, the only board is a unit. Otherwise the first row to choose has as many columns to the
        // left of the main diagonal as there are rows above it.
        if self.is_possible() { self.first_row().unwrap_or(1) } else { 0 }
    }

    fn name(&self, unit: usize) -> String {
        match self.first_row() {
            None => format!("{}: no queen beside the middle", self.turn),
            Some(row) => format!("{}: queen on (row, column) ({row}, {unit})", self.turn),
        }
    }

    fn locate(&self, solution: &Board) -> Option<(usize, u64)> {
        if !self.turn.fixes(solution) {
            return None;
        }
        let Some(row) = self.first_row() else { return Some((0, 1)) };
        Some((solution.columns()[row] as usize, 2)).filter(|&(column, _)| column < row)
    }

    fn worker(&self) -> Box<dyn Worker + '_> {
        Box::new(*self)
    }
}

impl Worker for TurnSearch {
    fn count(&mut self, unit: usize, cancel: &CancelToken) -> Result<Tally> {
        let Some(row) = self.first_row() else { return Ok(Tally::new(1, Work::default())) };
        let mut nodes = 1;
        let found = self.place(self.with(row, unit, self.start()), &mut nodes, cancel)?;
        Ok(Tally::new(2 * u128::from(found), Work::of_nodes(nodes)))
    }
}

/// The search for boards in lexicographic order: it fills the first open row next, and tries the lowest column first.
/// Since all rows above have their queens, two solutions differ first in the column that it chooses there.
pub(super) struct Boards {
    search: TurnSearch,
    /// The columns left to try and the lines taken, for each queen that is placed with its images, and for the next
    /// queen.
    stack: Vec<(u64, Lines)>,
    queens: Vec<u32>,
}

impl Boards {
    pub(super) fn new(search: TurnSearch) -> Self {
        let mut boards = Self { search, stack: Vec::new(), queens: vec![(search.n() / 2) as u32; search.n()] };
        if search.is_possible() {
            boards.enter(search.start());
        }
        boards
    }

    fn enter(&mut self, lines: Lines) {
        let rows = self.search.open_rows(&lines);
        let free = if rows == 0 { 0 } else { self.search.free(rows.trailing_zeros() as usize, &lines) };
        self.stack.push((free, lines));
    }

    pub(super) fn next(&mut self, cancel: &CancelToken) -> Result<Option<Board>, Cancelled> {
        loop {
            let Some(&mut (ref mut free, lines)) = self.stack.last_mut() else { return Ok(None) };
            let rows = self.search.open_rows(&lines);
            if rows.count_ones() > UNCHECKED_TURN_ROWS {
                cancel.check()?;
            }
            if *free == 0 {
                self.stack.pop();
                if rows == 0 {
                    return Ok(Some(Board::found(self.queens.clone())));
                }
                continue;
            }
            let (row, column) = (rows.trailing_zeros() as usize, free.trailing_zeros() as usize);
            *free &= *free - 1;
            for (row, column) in self.search.images(row, column) {
                self.queens[row] = column as u32;
            }
            self.enter(self.search.with(row, column, lines));
        }
    }
}
