//! The table that the filling side's walks fill.

use crate::memory::grow;
use crate::simd::{Cell, WORD_BYTES};
use crate::{Error, Result};

/// The table of the filling side, or a piece of it: a row for each of its walk sets, and in each row one or two bytes
/// for each of its list sets.
#[derive(Debug, Default)]
pub(crate) struct FilledTable {
    /// The low bytes of all entries, followed by the high bytes if entries have two bytes.
    cells: Vec<Cell>,
    /// Whether entries have two bytes. It stays true until the next O.
    pub(crate) is_wide: bool,
    /// Number of cells for one byte of each entry.
    byte_cells: usize,
    /// Number of cells of a row.
    pub(super) stride: usize,
    /// An upper bound of the entries, once the table is filled.
    pub(crate) bound: u32,
}

/// The entries of a table while it is filled.
pub(crate) struct Entries<'a> {
    /// The low bytes of the entries.
    pub(crate) low: &'a mut [Cell],
    /// The high bytes of the entries, or nothing if entries have one byte. If an entry is too large, its last byte
    /// stays at 255.
    pub(crate) high: &'a mut [Cell],
    /// Number of cells of a row.
    pub(crate) stride: usize,
}

impl FilledTable {
    /// Gives the table `rows` rows of `stride` cells each, and sets all entries to 0.
    ///
    /// # Errors
    /// [`Error::Memory`].
    pub(crate) fn clear(&mut self, rows: usize, stride: usize) -> Result<()> {
        (self.byte_cells, self.stride) = (rows * stride, stride);
        let used = self.used();
        grow(&mut self.cells, used, Cell::ZERO)?;
        self.cells[..used].fill(Cell::ZERO);
        Ok(())
    }

    /// Returns the number of cells of all entries.
    fn used(&self) -> usize {
        if self.is_wide { 2 * self.byte_cells } else { self.byte_cells }
    }

    /// Returns the entries, to be filled.
    pub(crate) fn entries(&mut self) -> Entries<'_> {
        let used = self.used();
        let (low, high) = self.cells[..used].split_at_mut(self.byte_cells);
        Entries { low, high, stride: self.stride }
    }

    /// Returns the low bytes of the entries and, if they have two bytes, the high bytes.
    pub(super) fn bytes(&self) -> impl Iterator<Item = &[Cell]> {
        self.cells[..self.used()].chunks_exact(self.byte_cells.max(1))
    }

    /// Ends a fill. Returns whether all entries fit. If one may be too large for a byte, entries have two bytes from
    /// now on, and the caller must fill the table again.
    ///
    /// # Errors
    /// [`Error::Entry`] if an entry may be too large for two bytes.
    pub(crate) fn finish(&mut self) -> Result<bool> {
        let top = largest_byte(self.bytes().last().unwrap_or_default());
        // This bound takes the low bytes of wide entries as 255.
        self.bound = if self.is_wide { u32::from(top) << 8 | 255 } else { top.into() };
        if top < u8::MAX {
            return Ok(true);
        }
        if self.is_wide {
            return Err(Error::Entry);
        }
        self.is_wide = true;
        Ok(false)
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
