//! `permutation` keeps a permutation x of the columns. For each row it swaps an unused column to the front, and undoes
//! the swap later. Unlike `naive`, it never tries a used column, so it tests only diagonals.

use super::plan::UNCHECKED_ROWS;
use crate::cancel::{CancelToken, Cancelled};

struct Search<'a> {
    x: Vec<usize>,
    solutions: u64,
    nodes: u64,
    cancel: &'a CancelToken,
}

pub(super) fn search(n: usize, prefix: &[u32], cancel: &CancelToken) -> Result<(u64, u64), Cancelled> {
    let mut search = Search { x: (0..n).collect(), solutions: 0, nodes: 0, cancel };
    for (row, &column) in prefix.iter().enumerate() {
        let from = (row..n).find(|&i| search.x[i] == column as usize).unwrap_or(row);
        search.x.swap(row, from);
    }
    search.place(prefix.len())?;
    Ok((search.solutions, search.nodes))
}

impl Search<'_> {
    fn place(&mut self, row: usize) -> Result<(), Cancelled> {
        let n = self.x.len();
        if row == n {
            self.solutions += 1;
            return Ok(());
        }
        if row + UNCHECKED_ROWS <= n {
            self.cancel.check()?;
        }
        for from in row..n {
            self.x.swap(row, from);
            if self.is_free_of_diagonals(row) {
                self.nodes += 1;
                self.place(row + 1)?;
            }
            self.x.swap(row, from);
        }
        Ok(())
    }

    fn is_free_of_diagonals(&self, row: usize) -> bool {
        (0..row).all(|above| self.x[above].abs_diff(self.x[row]) != row - above)
    }
}
