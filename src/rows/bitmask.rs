//! `bitmask` searches row by row, on three 64-bit masks. Source: Richards, "Backtracking algorithms in MCPL using bit
//! patterns" (1997). Unlike `arrays`, it finds all free squares of a row at once, and its plan contains only half of
//! the first row.
//!
//! Bit c of a mask stands for column c of the next row. `columns` marks the columns of all queens, and `diagonals` and
//! `antidiagonals` mark the squares of the next row that a queen attacks along a line of that kind, so that these two
//! masks shift by one bit from row to row. A line that leaves the board moves below bit 0 or above bit n - 1, where
//! `full` removes it. For n up to 32, no bit reaches the end of the 64 bits.

use super::plan::UNCHECKED_ROWS;
use crate::cancel::{CancelToken, Cancelled};
use crate::tally::{Tally, Work};

pub(super) fn count_below(n: usize, first_rows: &[u32], cancel: &CancelToken) -> Result<Tally, Cancelled> {
    let mut search = Search { full: (1 << n) - 1, solutions: 0, nodes: 0, cancel };
    let [mut columns, mut diagonals, mut antidiagonals] = [0; 3];
    for column in first_rows {
        let queen = 1 << column;
        columns |= queen;
        diagonals = (diagonals | queen) << 1;
        antidiagonals = (antidiagonals | queen) >> 1;
    }
    search.place_asking(n - first_rows.len(), columns, diagonals, antidiagonals)?;
    Ok(Tally::new(search.solutions.into(), Work::of_nodes(search.nodes)))
}

struct Search<'a> {
    /// One bit for each column.
    full: u64,
    solutions: u64,
    nodes: u64,
    cancel: &'a CancelToken,
}

impl Search<'_> {
    /// Like [`place`](Self::place), but checks the token in each of the upper rows. In the lower rows, which have
    /// nearly all of the nodes, the check would slow the search down.
    fn place_asking(
        &mut self,
        rows_left: usize,
        columns: u64,
        diagonals: u64,
        antidiagonals: u64,
    ) -> Result<(), Cancelled> {
        if rows_left <= UNCHECKED_ROWS {
            self.place(columns, diagonals, antidiagonals);
            return Ok(());
        }
        self.cancel.check()?;
        let mut free = self.full & !(columns | diagonals | antidiagonals);
        while free != 0 {
            let queen = free & free.wrapping_neg();
            free ^= queen;
            self.nodes += 1;
            self.place_asking(rows_left - 1, columns | queen, (diagonals | queen) << 1, (antidiagonals | queen) >> 1)?;
        }
        Ok(())
    }

    /// Places a queen on each free square of the next row in turn, and continues with the row below.
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
}
