//! Numbers for column sets.

use crate::solver::color::side::NOT_COUNTED;
use crate::solver::color::split::{Side, Subset};

/// Numbers for the column sets that a walk can end on: rows of a table.
#[derive(Debug)]
pub(crate) struct Axis {
    side: Side,
    columns: usize,
    /// By the column set of a walk's leaf, in its own color: its row, [`NOT_COUNTED`] where it has none.
    pub(crate) row_of: Vec<u16>,
    /// The sets of white columns, row by row.
    pub(crate) sets: Vec<Subset>,
}

impl Axis {
    /// Numbers the sets, of so many columns, that the walks of a side end on.
    pub(crate) fn new(side: Side, columns: usize, sets: Vec<Subset>) -> Self {
        let mut row_of = vec![NOT_COUNTED; 1 << columns];
        for (row, &set) in (0..).zip(&sets) {
            row_of[side.part(set, columns) as usize] = row;
        }
        Self { side, columns, row_of, sets }
    }

    /// The row of a set of white columns.
    pub(crate) fn row(&self, set: Subset) -> u16 {
        let row = self.row_of[self.side.part(set, self.columns) as usize];
        assert_ne!(row, NOT_COUNTED, "a family keeps the column sets that its sets of odd rows keep");
        row
    }
}
