//! Where the two colors meet: the filling side's walks fill a table; it is turned (transposed) and multiplied with the
//! weights of the symmetry; the summing side's walks read it.

mod axis;
mod filled;
mod turned;
mod weights;

pub(crate) use axis::Axis;
pub(crate) use filled::{Entries, FilledTable};
pub(crate) use turned::{HIGH, MAX_ENTRY_BYTES, ODD, TurnedPiece, TurnedTable};
pub(crate) use weights::{ColumnSets, Weights};

use crate::color::simd::{Cell, WORD_BYTES};

/// A table of counts: a row for each column set that walks end on, and in each row a byte for each lane of the list.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Table<'a> {
    pub(crate) cells: &'a [Cell],
    /// Number of cells of a row.
    pub(crate) stride: usize,
}

/// Returns the largest byte in some cells.
fn largest_byte(cells: &[Cell]) -> u8 {
    let mut largest = [0u8; WORD_BYTES];
    for cell in cells {
        for (largest, &byte) in largest.iter_mut().zip(&cell.0) {
            *largest = (*largest).max(byte);
        }
    }
    largest.into_iter().fold(0, u8::max)
}
