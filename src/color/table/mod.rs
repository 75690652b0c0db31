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

/// A table of counts. It has a row for each column set that walks end on, and in each row a byte for each lane of the
/// list. `C` is the type of its memory.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Table<C> {
    pub(crate) cells: C,
    /// Number of cells of a row.
    pub(crate) stride: usize,
}

impl Table<&mut [Cell]> {
    /// The cells of a row for `W` blocks from `block` on.
    #[inline(always)]
    pub(crate) fn at<const W: usize>(&mut self, row: u16, block: usize) -> &mut [Cell; W] {
        // One bounds check here replaces those in the loops over the array.
        self.cells[usize::from(row) * self.stride + block..].first_chunk_mut().expect("a row has the tile's blocks")
    }
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
