//! `arrays` is the reference. Three boolean arrays remember which columns, diagonals (row - column + n - 1) and
//! antidiagonals (row + column) are taken. Unlike `permutation`, it tests a square with three look-ups instead of a
//! loop. It shares no code with the fast solvers. It also lists the solutions.

use super::plan::UNCHECKED_ROWS;
use crate::board::Board;
use crate::cancel::{CancelToken, Cancelled};

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

pub(super) fn search(n: usize, prefix: &[u32], cancel: &CancelToken) -> Result<(u64, u64), Cancelled> {
    let mut occupancy = Occupancy::new(n);
    for (row, &column) in prefix.iter().enumerate() {
        occupancy.set(row, column as usize, true);
    }
    let (mut solutions, mut nodes) = (0, 0);
    place(&mut occupancy, prefix.len(), cancel, &mut solutions, &mut nodes)?;
    Ok((solutions, nodes))
}

fn place(
    occupancy: &mut Occupancy,
    row: usize,
    cancel: &CancelToken,
    solutions: &mut u64,
    nodes: &mut u64,
) -> Result<(), Cancelled> {
    let n = occupancy.n;
    if row == n {
        *solutions += 1;
        return Ok(());
    }
    if row + UNCHECKED_ROWS <= n {
        cancel.check()?;
    }
    for column in 0..n {
        if occupancy.is_free(row, column) {
            *nodes += 1;
            occupancy.set(row, column, true);
            place(occupancy, row + 1, cancel, solutions, nodes)?;
            occupancy.set(row, column, false);
        }
    }
    Ok(())
}

/// The search of [`place`] as an iterator: it stops at each solution and continues from there.
pub(super) struct Solutions {
    occupancy: Occupancy,
    queens: Vec<usize>,
    /// The first column of the next row that is left to try. `None` when the search is over.
    next_column: Option<usize>,
}

impl Solutions {
    pub(super) fn new(n: usize) -> Self {
        Self { occupancy: Occupancy::new(n), queens: Vec::with_capacity(n), next_column: Some(0) }
    }

    /// Removes the last queen. The search continues one column to its right.
    fn lift(&mut self) {
        self.next_column = self.queens.pop().map(|column| {
            self.occupancy.set(self.queens.len(), column, false);
            column + 1
        });
    }

    pub(super) fn next(&mut self, cancel: &CancelToken) -> Result<Option<Board>, Cancelled> {
        let n = self.occupancy.n;
        loop {
            let row = self.queens.len();
            let Some(from) = self.next_column else { return Ok(None) };
            if row + UNCHECKED_ROWS <= n {
                cancel.check()?;
            }
            if row == n {
                let solution = Board::found(self.queens.iter().map(|&column| column as u32).collect());
                self.lift();
                return Ok(Some(solution));
            }
            match (from..n).find(|&column| self.occupancy.is_free(row, column)) {
                Some(column) => {
                    self.occupancy.set(row, column, true);
                    self.queens.push(column);
                    self.next_column = Some(0);
                }
                None => self.lift(),
            }
        }
    }
}
