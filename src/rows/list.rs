//! The boards themselves: the search of `bitmask.rs` as an iterator. It has a stack of rows instead of the recursion, so
//! that it can stop at a solution and go on from there.

use super::plan::UNCHECKED_ROWS;
use crate::board::Board;
use crate::cancel::{CancelToken, Cancelled};

/// One row of the stack: the squares that are left to try, and the masks of the queens above.
#[derive(Clone, Copy)]
struct Row {
    free: u64,
    columns: u64,
    diagonals: u64,
    antidiagonals: u64,
}

/// The solutions in lexicographic order.
pub(super) struct Boards {
    n: usize,
    full: u64,
    stack: Vec<Row>,
    queens: Vec<u32>,
}

impl Boards {
    pub(super) fn new(n: usize) -> Self {
        let full = (1u64 << n) - 1;
        let first = Row { free: full, columns: 0, diagonals: 0, antidiagonals: 0 };
        Self { n, full, stack: vec![first], queens: vec![0; n] }
    }

    /// The next solution. `None` after the last one.
    pub(super) fn next(&mut self, cancel: &CancelToken) -> Result<Option<Board>, Cancelled> {
        loop {
            if self.stack.len() + UNCHECKED_ROWS <= self.n {
                cancel.check()?;
            }
            let Some(row) = self.stack.last_mut() else { return Ok(None) };
            if row.columns == self.full {
                self.stack.pop();
                return Ok(Some(Board::found(self.queens.clone())));
            }
            if row.free == 0 {
                self.stack.pop();
                continue;
            }
            let queen = row.free & row.free.wrapping_neg();
            row.free ^= queen;
            let (columns, diagonals, antidiagonals) =
                (row.columns | queen, (row.diagonals | queen) << 1, (row.antidiagonals | queen) >> 1);
            self.queens[self.stack.len() - 1] = queen.trailing_zeros();
            let free = self.full & !(columns | diagonals | antidiagonals);
            self.stack.push(Row { free, columns, diagonals, antidiagonals });
        }
    }
}
