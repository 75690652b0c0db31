//! A turned table whose entries are looked up one by one. Its bytes are capped, and the large entries are kept apart: one
//! byte is read for nearly every entry, and one table stays in the near caches.

use super::table::Table;
use super::turn::{MAX_ENTRY_BYTES, Write, weighted};
use crate::Result;
use crate::solver::color::room::grow;
use crate::solver::simd::{BLOCK_LANES, Cell};

/// What stands in a table's byte for an entry that has so much or more.
pub(super) const CAP: u8 = u8::MAX;

/// A table whose entries are looked up.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Capped<'a> {
    table: Table<&'a [Cell]>,
    /// The entries of [`CAP`] and more.
    large: &'a LargeEntries,
}

impl<'a> Capped<'a> {
    pub(super) fn new(table: Table<&'a [Cell]>, large: &'a LargeEntries) -> Self {
        Self { table, large }
    }

    /// Where a row's cells begin.
    #[inline(always)]
    pub(super) fn first_cell(&self, row: u16) -> usize {
        usize::from(row) * self.table.stride
    }

    /// A weighted entry of the row that begins with this cell.
    #[inline(always)]
    pub(super) fn entry(&self, first_cell: usize, lane: usize) -> u64 {
        let (cell, lane) = (first_cell + lane / BLOCK_LANES, lane % BLOCK_LANES);
        match self.table.cells[cell].0[lane] {
            CAP => u64::from(self.large.entry(cell, lane)),
            entry => u64::from(entry),
        }
    }
}

/// Writes capped entries, and keeps the large ones.
pub(super) struct WriteCapped<'a> {
    pub(super) low: &'a mut [Cell],
    pub(super) stride: usize,
    pub(super) large: &'a mut LargeEntries,
}

impl Write for WriteCapped<'_> {
    #[inline(always)]
    fn write(&mut self, (row, block): (usize, usize), bytes: [&Cell; MAX_ENTRY_BYTES], weights: &[u8; BLOCK_LANES]) {
        let at = row * self.stride + block;
        let entries = weighted(bytes, weights);
        for (to, &entry) in self.low[at].0.iter_mut().zip(&entries) {
            *to = entry.min(u32::from(CAP)) as u8;
        }
        if self.low[at].0.contains(&CAP) {
            self.large.keep(at, &entries);
        }
    }
}

/// The entries of [`CAP`] and more of a table whose bytes are capped there. Few cells have any.
#[derive(Debug, Default)]
pub(super) struct LargeEntries {
    /// For each cell of the table one more than its place in `cells`; 0 where it has no large entry.
    places: Vec<u32>,
    cells: Vec<LargeOfCell>,
    entries: Vec<u32>,
}

/// Which entries of a cell are large.
#[derive(Debug, Clone, Copy)]
struct LargeOfCell {
    /// A bit for each of them.
    lanes: u64,
    /// Where the first one is among those of all cells.
    first: u32,
}

impl LargeEntries {
    /// Begins with a table of `cells` cells, none with a large entry.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub(super) fn begin(&mut self, cells: usize) -> Result<()> {
        self.cells.clear();
        self.entries.clear();
        self.places.clear();
        grow(&mut self.places, cells, 0)
    }

    /// Keeps those among the entries of a cell that are large.
    #[cold]
    pub(super) fn keep(&mut self, cell: usize, entries: &[u32; BLOCK_LANES]) {
        let mut of_cell = LargeOfCell { lanes: 0, first: self.entries.len() as u32 };
        for (lane, &entry) in entries.iter().enumerate().filter(|&(_, &entry)| entry >= u32::from(CAP)) {
            of_cell.lanes |= 1 << lane;
            self.entries.push(entry);
        }
        self.cells.push(of_cell);
        self.places[cell] = self.cells.len() as u32;
    }

    /// A large entry, by its cell and its lane in that.
    #[cold]
    pub(super) fn entry(&self, cell: usize, lane: usize) -> u32 {
        let of_cell = self.cells[self.places[cell] as usize - 1];
        let before = (of_cell.lanes & ((1 << lane) - 1)).count_ones();
        self.entries[(of_cell.first + before) as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Large entries stand between small ones, and a table is forgotten with the next.
    #[test]
    fn large_entries_are_found_among_small_ones() {
        let mut large = LargeEntries::default();
        for seed in [3, 5] {
            large.begin(4).unwrap();
            // 254 is not large, 255 is.
            let cell =
                |number: usize| std::array::from_fn(|lane| (254 + (lane * seed + number) % 3 * (1 << 20)) as u32);
            let cells: [[u32; BLOCK_LANES]; 4] = [[0; BLOCK_LANES], cell(1), [255; BLOCK_LANES], cell(2)];
            for at in [3, 1, 2] {
                large.keep(at, &cells[at]);
            }
            for (at, entries) in cells.iter().enumerate() {
                for (lane, &entry) in entries.iter().enumerate().filter(|&(_, &entry)| entry > 254) {
                    assert_eq!(large.entry(at, lane), entry, "cell {at}, lane {lane}");
                }
            }
            assert_eq!(large.places[0], 0);
        }
    }
}
