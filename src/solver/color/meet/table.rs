//! Tables of counts, as they are filled.

use crate::solver::simd::{Cell, Kernel, WORD_BYTES, Words, array_mut};

/// A table of counts: a row for each column set of the walked side, a lane for each one of the other side.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Table<C> {
    pub(crate) cells: C,
    /// Cells of a row.
    pub(crate) stride: usize,
}

impl<C: AsRef<[Cell]>> Table<C> {
    /// Bytes of all rows' entries in one block of lanes.
    pub(crate) fn block_bytes(&self) -> usize {
        size_of_val(self.cells.as_ref()) / self.stride.max(1)
    }
}

impl Table<&mut [Cell]> {
    /// The cells of a row at `W` blocks.
    #[inline(always)]
    pub(crate) fn at<const W: usize>(&mut self, row: u16, block: usize) -> &mut [Cell; W] {
        array_mut(self.cells, usize::from(row) * self.stride + block)
    }
}

/// Finds the largest byte in some cells.
pub(crate) struct Peak<'a> {
    pub(crate) cells: &'a [Cell],
}

impl Kernel for Peak<'_> {
    type Output = u8;

    #[inline(always)]
    fn run<T: Words>(self, _token: T) -> u8 {
        let mut largest = [0u8; WORD_BYTES];
        for cell in self.cells {
            for (largest, &entry) in largest.iter_mut().zip(&cell.0) {
                *largest = (*largest).max(entry);
            }
        }
        largest.into_iter().fold(0, u8::max)
    }
}
