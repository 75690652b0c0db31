//! `arrays`, the reference, keeps three boolean arrays of the columns, diagonals (row - column + n - 1) and
//! antidiagonals (row + column) that are taken, so that it tests a square with three look-ups, where `permutation`
//! needs a loop. The search is a loop, not a recursion, because it also lists the boards and must pause at each
//! solution.
//!
//! It shares the code of the plan with `bitmask`, but no code that counts.

use super::plan::check_in_upper_rows;
use crate::Solutions;
use crate::board::{Board, Size};
use crate::cancel::{CancelToken, Cancelled};
use crate::tally::{Tally, Work};

/// The lines that are taken.
struct Occupancy {
    n: usize,
    columns: Vec<bool>,
    diagonals: Vec<bool>,
    antidiagonals: Vec<bool>,
}

impl Occupancy {
    fn new(n: usize) -> Self {
        let lines = (2 * n).saturating_sub(1);
        Self { n, columns: vec![false; n], diagonals: vec![false; lines], antidiagonals: vec![false; lines] }
    }

    fn is_free(&self, row: usize, column: usize) -> bool {
        !self.columns[column] && !self.diagonals[row + self.n - 1 - column] && !self.antidiagonals[row + column]
    }

    fn set(&mut self, row: usize, column: usize, taken: bool) {
        self.columns[column] = taken;
        self.diagonals[row + self.n - 1 - column] = taken;
        self.antidiagonals[row + column] = taken;
    }
}

struct ArraySearch {
    occupancy: Occupancy,
    queens: Vec<usize>,
    /// The number of first rows whose queens never move.
    fixed_rows: usize,
    /// The first column to try in the next row; `None` after a solution, when the next step removes a queen.
    next_column: Option<usize>,
    nodes: u64,
}

impl ArraySearch {
    /// Begins the search below these queens in the first rows.
    fn below(n: usize, first_rows: &[u32]) -> Self {
        let queens: Vec<usize> = first_rows.iter().map(|&column| column as usize).collect();
        let mut occupancy = Occupancy::new(n);
        queens.iter().enumerate().for_each(|(row, &column)| occupancy.set(row, column, true));
        Self { occupancy, fixed_rows: queens.len(), queens, next_column: Some(0), nodes: 0 }
    }

    /// Searches for the next solution and leaves its columns in `queens`. Returns `false` after the last one.
    fn find_next(&mut self, cancel: &CancelToken) -> Result<bool, Cancelled> {
        let n = self.occupancy.n;
        loop {
            let row = self.queens.len();
            if row == n && self.next_column.take().is_some() {
                return Ok(true);
            }
            check_in_upper_rows(cancel, n - row)?;
            let from = self.next_column.unwrap_or(n);
            match (from..n).find(|&column| self.occupancy.is_free(row, column)) {
                Some(column) => {
                    self.nodes += 1;
                    self.occupancy.set(row, column, true);
                    self.queens.push(column);
                    self.next_column = Some(0);
                }
                None if row == self.fixed_rows => return Ok(false),
                None => {
                    self.next_column = self.queens.pop().map(|column| {
                        self.occupancy.set(row - 1, column, false);
                        column + 1
                    });
                }
            }
        }
    }
}

pub(super) fn count_below(n: usize, first_rows: &[u32], cancel: &CancelToken) -> Result<Tally, Cancelled> {
    let (mut search, mut solutions) = (ArraySearch::below(n, first_rows), 0);
    while search.find_next(cancel)? {
        solutions += 1;
    }
    Ok(Tally::new(solutions, Work::of_nodes(search.nodes)))
}

/// Returns an iterator over the solutions in lexicographic order.
pub(crate) fn solutions(size: Size) -> Solutions {
    let mut search = ArraySearch::below(size.get(), &[]);
    Solutions::new(move |cancel| {
        let is_found = search.find_next(cancel)?;
        Ok(is_found.then(|| Board::found(search.queens.iter().map(|&column| column as u32).collect())))
    })
}
