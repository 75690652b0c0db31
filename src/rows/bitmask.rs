//! `bitmask` goes row by row, on three masks of 64 bits. Source: Richards, "Backtracking algorithms in MCPL using bit
//! patterns" (1997). Unlike `arrays`, it finds all free squares of a row at once. Its plan has half of the first row.
//!
//! Bit c of a mask stands for column c of the next row. `columns` has the columns of all queens. `diagonals` and
//! `antidiagonals` have the squares of the next row that a queen attacks along a diagonal, so these masks shift by one
//! bit from row to row. A diagonal that leaves the board moves above bit n - 1 or below bit 0. Bits above n - 1 do no
//! harm, because `full` removes them. For n up to 32 no bit reaches the end of 64 bits.

use super::plan::UNCHECKED_ROWS;
use super::stepper::Stepper;
use crate::cancel::{CancelToken, Cancelled};
use crate::tally::{Tally, Work};

/// Goes through the upper rows step by step, and asks `cancel` there. To ask in the recursion, which counts the other
/// rows, costs 5 % of the time.
pub(super) fn search(n: usize, first_rows: &[u32], cancel: &CancelToken) -> Result<Tally, Cancelled> {
    let mut upper = Stepper::below(n, first_rows);
    let upper_rows = first_rows.len().max(n.saturating_sub(UNCHECKED_ROWS));
    let mut lower = LowerRows { full: (1 << n) - 1, solutions: 0, nodes: 0 };
    while let Some(queens) = upper.next_node(cancel)? {
        lower.nodes += u64::from(queens > first_rows.len());
        if queens == upper_rows {
            let row = upper.skip_row();
            lower.place(row.columns, row.diagonals, row.antidiagonals);
        }
    }
    Ok(Tally::new(lower.solutions.into(), Work::of_nodes(lower.nodes)))
}

struct LowerRows {
    /// A bit for each column.
    full: u64,
    solutions: u64,
    nodes: u64,
}

impl LowerRows {
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
}
