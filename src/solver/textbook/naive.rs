//! `naive` goes row by row and tests each new queen against all earlier queens. It remembers only the column of each
//! queen. Courses begin with this program.

use super::UNCHECKED_ROWS;
use crate::CancelToken;

struct Search<'a> {
    x: Vec<usize>,
    solutions: u64,
    nodes: u64,
    cancel: &'a CancelToken,
}

pub(super) fn search(n: usize, prefix: &[u32], cancel: &CancelToken) -> (u64, u64) {
    let mut search = Search { x: vec![0; n], solutions: 0, nodes: 0, cancel };
    for (row, &column) in prefix.iter().enumerate() {
        search.x[row] = column as usize;
    }
    search.place(prefix.len());
    (search.solutions, search.nodes)
}

impl Search<'_> {
    fn place(&mut self, row: usize) {
        let n = self.x.len();
        if row == n {
            self.solutions += 1;
            return;
        }
        if row + UNCHECKED_ROWS <= n && self.cancel.is_cancelled() {
            return;
        }
        for column in 0..n {
            if self.is_safe(row, column) {
                self.x[row] = column;
                self.nodes += 1;
                self.place(row + 1);
            }
        }
    }

    fn is_safe(&self, row: usize, column: usize) -> bool {
        (0..row).all(|above| self.x[above] != column && self.x[above].abs_diff(column) != row - above)
    }
}
