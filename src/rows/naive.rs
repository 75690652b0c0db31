//! `naive` goes row by row and tests each new queen against all earlier queens. It remembers only the column of each
//! queen. Courses begin with this program.

use super::plan::UNCHECKED_ROWS;
use crate::cancel::{CancelToken, Cancelled};

struct Search<'a> {
    x: Vec<usize>,
    solutions: u64,
    nodes: u64,
    cancel: &'a CancelToken,
}

pub(super) fn search(n: usize, prefix: &[u32], cancel: &CancelToken) -> Result<(u64, u64), Cancelled> {
    let mut search = Search { x: vec![0; n], solutions: 0, nodes: 0, cancel };
    for (row, &column) in prefix.iter().enumerate() {
        search.x[row] = column as usize;
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
        for column in 0..n {
            if self.is_safe(row, column) {
                self.x[row] = column;
                self.nodes += 1;
                self.place(row + 1)?;
            }
        }
        Ok(())
    }

    fn is_safe(&self, row: usize, column: usize) -> bool {
        (0..row).all(|above| self.x[above] != column && self.x[above].abs_diff(column) != row - above)
    }
}
