//! `mask` is the ten-line recursion on three integer masks: columns, diagonals and antidiagonals. The masks of
//! diagonals shift by one bit from row to row. Unlike `arrays`, it finds all free squares of a row at once, and the
//! board is three registers. Source: Richards, "Backtracking algorithms in MCPL using bit patterns" (1997).

use super::UNCHECKED_ROWS;
use crate::CancelToken;
use crate::board::Solution;

struct Search<'a> {
    full: u64,
    solutions: u64,
    nodes: u64,
    cancel: &'a CancelToken,
}

pub(super) fn search(n: usize, prefix: &[u8], cancel: &CancelToken) -> (u64, u64) {
    let full = (1u64 << n) - 1;
    let (mut columns, mut diagonals, mut antidiagonals) = (0, 0, 0);
    for &column in prefix {
        let queen = 1u64 << column;
        columns |= queen;
        diagonals = (diagonals | queen) << 1;
        antidiagonals = (antidiagonals | queen) >> 1;
    }
    let checked_rows = n.saturating_sub(prefix.len() + UNCHECKED_ROWS);
    let mut search = Search { full, solutions: 0, nodes: 0, cancel };
    search.place_checked(columns, diagonals, antidiagonals, checked_rows);
    (search.solutions, search.nodes)
}

impl Search<'_> {
    /// The ten lines.
    fn place(&mut self, columns: u64, diagonals: u64, antidiagonals: u64) {
        if columns == self.full {
            self.solutions += 1;
            return;
        }
        let mut free = self.full & !(columns | diagonals | antidiagonals);
        while free != 0 {
            let queen = free & free.wrapping_neg();
            free ^= queen;
            self.nodes += 1;
            self.place(columns | queen, (diagonals | queen) << 1, (antidiagonals | queen) >> 1);
        }
    }

    /// Like `place`, but asks in the first `checked_rows` rows whether the search was cancelled. To ask in `place`
    /// itself costs 5 % of the time.
    fn place_checked(&mut self, columns: u64, diagonals: u64, antidiagonals: u64, checked_rows: usize) {
        if checked_rows == 0 {
            return self.place(columns, diagonals, antidiagonals);
        }
        let mut free = self.full & !(columns | diagonals | antidiagonals);
        while free != 0 && !self.cancel.is_cancelled() {
            let queen = free & free.wrapping_neg();
            free ^= queen;
            self.nodes += 1;
            self.place_checked(
                columns | queen,
                (diagonals | queen) << 1,
                (antidiagonals | queen) >> 1,
                checked_rows - 1,
            );
        }
    }
}

/// The data of one row: the squares that are left to try, and the lines taken above.
#[derive(Clone, Copy)]
struct Row {
    free: u64,
    columns: u64,
    diagonals: u64,
    antidiagonals: u64,
}

/// The search of `place` as an iterator. It has a stack of rows instead of the recursion.
pub(super) struct Solutions {
    n: usize,
    full: u64,
    stack: Vec<Row>,
    queens: Vec<u8>,
}

impl Solutions {
    pub(super) fn new(n: usize) -> Self {
        let full = (1u64 << n) - 1;
        Self {
            n,
            full,
            stack: vec![Row { free: full, columns: 0, diagonals: 0, antidiagonals: 0 }],
            queens: vec![0; n],
        }
    }

    pub(super) fn next(&mut self, cancel: &CancelToken) -> Option<Solution> {
        loop {
            if self.stack.len() + UNCHECKED_ROWS <= self.n && cancel.is_cancelled() {
                return None;
            }
            let row = self.stack.last_mut()?;
            if row.columns == self.full {
                self.stack.pop();
                return Some(Solution::found(self.queens.clone()));
            }
            if row.free == 0 {
                self.stack.pop();
                continue;
            }
            let queen = row.free & row.free.wrapping_neg();
            row.free ^= queen;
            let (columns, diagonals, antidiagonals) =
                (row.columns | queen, (row.diagonals | queen) << 1, (row.antidiagonals | queen) >> 1);
            self.queens[self.stack.len() - 1] = queen.trailing_zeros() as u8;
            let free = self.full & !(columns | diagonals | antidiagonals);
            debug_assert!(self.stack.len() <= self.n);
            self.stack.push(Row { free, columns, diagonals, antidiagonals });
        }
    }
}
