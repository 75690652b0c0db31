//! The table that the filling side's walks fill.

use super::{MAX_ENTRY_BYTES, Table, largest_byte};
use crate::color::simd::Cell;
use crate::memory::grow;
use crate::{Error, Result};

/// A filled table: rows of the filling side's column sets, lanes of its list.
#[derive(Debug)]
pub(crate) struct FilledTable {
    /// The low bytes of all entries, then the high bytes if entries have two.
    pub(crate) cells: Vec<Cell>,
    /// Bytes of an entry. A new O begins with one byte. A table takes one more when an entry does not fit.
    pub(crate) entry_bytes: usize,
    /// Number of cells for one byte of all entries.
    pub(crate) length: usize,
    /// Number of cells of a row.
    pub(crate) stride: usize,
    /// Upper bound of the entries.
    pub(crate) largest: u32,
}

/// A table while it is filled.
pub(crate) struct Entries<'a> {
    /// The low bytes of the entries.
    pub(crate) low: Table<&'a mut [Cell]>,
    /// The high bytes of the entries, or nothing if entries have one byte. If an entry is too large, its last byte ends
    /// as 255.
    pub(crate) high: &'a mut [Cell],
}

impl Default for FilledTable {
    fn default() -> Self {
        Self { cells: Vec::new(), entry_bytes: 1, length: 0, stride: 0, largest: 0 }
    }
}

impl FilledTable {
    /// Begins a table of `rows` rows with `stride` cells each. All entries are 0.
    ///
    /// # Errors
    /// [`Error::Memory`].
    pub(crate) fn begin(&mut self, rows: usize, stride: usize) -> Result<()> {
        (self.length, self.stride) = (rows * stride, stride);
        let needed = self.entry_bytes * self.length;
        grow(&mut self.cells, needed, Cell::ZERO)?;
        self.cells[..needed].fill(Cell::ZERO);
        Ok(())
    }

    /// The entries, to fill.
    pub(crate) fn entries(&mut self) -> Entries<'_> {
        let (low, high) = self.cells[..self.entry_bytes * self.length].split_at_mut(self.length);
        Entries { low: Table { cells: low, stride: self.stride }, high }
    }

    /// Whether all entries fit. If one may have been too large, entries have one byte more from now on: fill again.
    ///
    /// # Errors
    /// [`Error::Bug`] if entries cannot have more bytes.
    pub(crate) fn fits(&mut self) -> Result<bool> {
        let below = 8 * (self.entry_bytes as u32 - 1);
        let top = largest_byte(&self.cells[(self.entry_bytes - 1) * self.length..][..self.length]);
        // The bound takes all lower bytes as 255.
        self.largest = u32::from(top) << below | ((1 << below) - 1);
        if top < u8::MAX {
            return Ok(true);
        }
        if self.entry_bytes == MAX_ENTRY_BYTES {
            return Err(Error::overflow(8 * MAX_ENTRY_BYTES as u32));
        }
        self.entry_bytes += 1;
        Ok(false)
    }
}
