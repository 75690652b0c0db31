//! `mask`: the ten-line recursion on three integer masks (columns, and both families of diagonals as seen from the
//! current row, shifted by one from row to row). Against `arrays`, all free squares of a row are found at once and the
//! board's state is three registers. Known since Richards, "Backtracking algorithms in MCPL using bit patterns" (1997).

use super::UNCHECKED_ROWS;
use crate::Monitor;
use crate::board::Solution;

struct Search<'a> {
    full: u64,
    solutions: u64,
    nodes: u64,
    /// The search asks for cancellation while no more queens than this stand.
    checked_queens: u32,
    monitor: &'a Monitor,
}

pub(super) fn search(n: usize, prefix: &[u8], monitor: &Monitor) -> (u64, u64) {
    let full = (1u64 << n) - 1;
    let (mut columns, mut diagonals, mut antidiagonals) = (0, 0, 0);
    for &column in prefix {
        let queen = 1u64 << column;
        columns |= queen;
        diagonals = (diagonals | queen) << 1;
        antidiagonals = (antidiagonals | queen) >> 1;
    }
    let checked_queens = n.saturating_sub(UNCHECKED_ROWS) as u32;
    let mut search = Search { full, solutions: 0, nodes: 0, checked_queens, monitor };
    search.place(columns, diagonals, antidiagonals, prefix.len() as u32);
    (search.solutions, search.nodes)
}

impl Search<'_> {
    fn place(&mut self, columns: u64, diagonals: u64, antidiagonals: u64, queens: u32) {
        if columns == self.full {
            self.solutions += 1;
            return;
        }
        if queens < self.checked_queens && self.monitor.is_cancelled() {
            return;
        }
        let mut free = self.full & !(columns | diagonals | antidiagonals);
        while free != 0 {
            let queen = free & free.wrapping_neg();
            free ^= queen;
            self.nodes += 1;
            self.place(columns | queen, (diagonals | queen) << 1, (antidiagonals | queen) >> 1, queens + 1);
        }
    }
}

/// What is known on entering a row: the squares still to be tried and the lines taken above.
#[derive(Clone, Copy)]
struct Row {
    free: u64,
    columns: u64,
    diagonals: u64,
    antidiagonals: u64,
}

/// The same search as an iterator, a stack of rows in place of the recursion; lowest column first.
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
}

impl Iterator for Solutions {
    type Item = Solution;

    fn next(&mut self) -> Option<Solution> {
        while let Some(row) = self.stack.last_mut() {
            if row.columns == self.full {
                self.stack.pop();
                return Some(Solution::new(self.queens.clone()));
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
        None
    }
}
