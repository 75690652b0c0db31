//! Numbers the rows of a table.

use crate::Result;
use crate::color::program::NOT_COUNTED;
use crate::color::split::{Color, Subset};
use crate::memory::{collect, grow};

/// The rows of a table: one for each column set that a walk can end on and that is counted.
#[derive(Debug)]
pub(crate) struct Axis {
    color: Color,
    columns: usize,
    /// By column set of a leaf, in the walk's own color: its row, or [`NOT_COUNTED`].
    pub(crate) row_of: Vec<u16>,
    /// For each row, the set of white columns.
    pub(crate) sets: Vec<Subset>,
}

impl Axis {
    /// Numbers the sets of white columns `sets`, which the walks of `color` end on. There are `columns` columns of their
    /// parity.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub(crate) fn new(color: Color, columns: usize, sets: impl Iterator<Item = Subset>) -> Result<Self> {
        let sets = collect(sets)?;
        let mut row_of = Vec::new();
        grow(&mut row_of, 1 << columns, NOT_COUNTED)?;
        for (row, &set) in (0..).zip(&sets) {
            row_of[color.own(set, columns) as usize] = row;
        }
        Ok(Self { color, columns, row_of, sets })
    }

    /// The row of a set of white columns.
    pub(crate) fn row(&self, set: Subset) -> u16 {
        let row = self.row_of[self.color.own(set, self.columns) as usize];
        assert_ne!(row, NOT_COUNTED, "a family keeps the column sets that its sets of odd rows keep");
        row
    }
}
