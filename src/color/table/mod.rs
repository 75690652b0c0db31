//! The tables, where the two colors meet: the walks of the filling side fill a table, which is turned (transposed) and
//! multiplied by the weights of the symmetries, and the walks of the summing side read it.

mod filled;
mod turned;
mod weights;

pub(crate) use filled::{Entries, FilledTable};
pub(crate) use turned::{HIGH, ODD, TurnedPiece, TurnedTable, joined};
pub(crate) use weights::{LaneWeights, Weights};

use crate::Result;
use crate::color::program::NOT_COUNTED;
use crate::color::split::{Color, Subset};
use crate::memory::grow;

/// The *walk sets* of a side: the counted column sets that its walks end on. Each of them has a row in the table that
/// the walks fill or read.
#[derive(Debug)]
pub(crate) struct WalkSets {
    color: Color,
    columns: usize,
    /// For each column set of a leaf, in the side's own color: its row, or [`NOT_COUNTED`]. Rows are in ascending order
    /// of these sets, because neighboring leaves of a walk then have neighboring rows.
    pub(crate) table_row_of: Vec<u16>,
    /// Number of walk sets, and thus of rows of the table.
    pub(crate) table_rows: usize,
}

impl WalkSets {
    /// Numbers the walk sets of `color`, which `sets` yields as sets of white columns. There are `columns` columns of
    /// their parity.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub(crate) fn new(color: Color, columns: usize, sets: impl Iterator<Item = Subset>) -> Result<Self> {
        let mut table_row_of = Vec::new();
        grow(&mut table_row_of, 1 << columns, NOT_COUNTED)?;
        sets.for_each(|set| table_row_of[color.own(set, columns) as usize] = 0);
        let mut rows = 0;
        for row in table_row_of.iter_mut().filter(|row| **row != NOT_COUNTED) {
            *row = rows;
            rows += 1;
        }
        Ok(Self { color, columns, table_row_of, table_rows: rows.into() })
    }

    /// Returns the row of a set of white columns.
    pub(crate) fn row(&self, set: Subset) -> u16 {
        let row = self.table_row_of[self.color.own(set, self.columns) as usize];
        assert_ne!(row, NOT_COUNTED, "a family keeps the column sets that its sets of odd rows keep");
        row
    }
}
