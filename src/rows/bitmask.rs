//! The recursion: row by row, on three masks of 64 bits. Source: Richards, "Backtracking algorithms in MCPL using bit
//! patterns" (1997).
//!
//! Bit c of a mask stands for column c of the next row. `columns` has the columns of all queens. `diagonals` and
//! `antidiagonals` have the squares of the next row that a queen attacks along a diagonal, so these masks shift by one
//! bit from row to row. A diagonal that leaves the board moves above bit n - 1 or below bit 0. Bits above n - 1 do no
//! harm, because `full` removes them. For n up to 32 no bit reaches the end of 64 bits.

use super::plan::UNCHECKED_ROWS;
use crate::cancel::{CancelToken, Cancelled};

pub(super) fn search(n: usize, first_rows: &[u32], cancel: &CancelToken) -> Result<(u64, u64), Cancelled> {
    let (mut columns, mut diagonals, mut antidiagonals) = (0, 0, 0);
    for &column in first_rows {
        let queen = 1u64 << column;
        columns |= queen;
        diagonals = (diagonals | queen) << 1;
        antidiagonals = (antidiagonals | queen) >> 1;
    }
    let checked_rows = n.saturating_sub(first_rows.len() + UNCHECKED_ROWS);
    let mut search = Search { full: (1 << n) - 1, solutions: 0, nodes: 0, cancel };
    search.place_checked(columns, diagonals, antidiagonals, checked_rows)?;
    Ok((search.solutions, search.nodes))
}

struct Search<'a> {
    /// A bit for each column.
    full: u64,
    solutions: u64,
    nodes: u64,
    cancel: &'a CancelToken,
}

impl Search<'_> {
    /// Places a queen on each free square of the next row, one after the other, and goes on with the row below.
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

    /// Like [`place`](Self::place), but asks in the next `rows` rows whether the search was cancelled. To ask in `place`
    /// itself costs 5 % of the time.
    fn place_checked(
        &mut self,
        columns: u64,
        diagonals: u64,
        antidiagonals: u64,
        rows: usize,
    ) -> Result<(), Cancelled> {
        if rows == 0 {
            self.place(columns, diagonals, antidiagonals);
            return Ok(());
        }
        let mut free = self.full & !(columns | diagonals | antidiagonals);
        while free != 0 {
            self.cancel.check()?;
            let queen = free & free.wrapping_neg();
            free ^= queen;
            self.nodes += 1;
            self.place_checked(columns | queen, (diagonals | queen) << 1, (antidiagonals | queen) >> 1, rows - 1)?;
        }
        Ok(())
    }
}
