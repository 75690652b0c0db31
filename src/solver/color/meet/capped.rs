//! A turned table whose entries are looked up one by one. Each entry has a byte, capped at 255. Large entries are
//! stored apart. So nearly every look-up reads one byte, and the table stays in a near cache.

use super::table::Table;
use super::turn::{MAX_ENTRY_BYTES, Write, weighted};
use crate::room::{grow, make_room};
use crate::solver::simd::{BLOCK_LANES, Cell};
use crate::{Error, Result};

/// The byte of a large entry. An entry is large from this number on.
pub(super) const CAP: u8 = u8::MAX;

/// A table whose entries are looked up.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Capped<'a> {
    table: Table<&'a [Cell]>,
    large: &'a LargeEntries,
}

impl<'a> Capped<'a> {
    pub(super) fn new(table: Table<&'a [Cell]>, large: &'a LargeEntries) -> Self {
        Self { table, large }
    }

    /// The index of a row's first cell.
    #[inline(always)]
    pub(super) fn first_cell(&self, row: u16) -> usize {
        usize::from(row) * self.table.stride
    }

    /// The weighted entry of lane `lane`, in the row that begins with cell `first_cell`.
    #[inline(always)]
    pub(super) fn entry(&self, first_cell: usize, lane: usize) -> u64 {
        let (cell, lane) = (first_cell + lane / BLOCK_LANES, lane % BLOCK_LANES);
        match self.table.cells[cell].0[lane] {
            CAP => u64::from(self.large.entry(cell, lane)),
            entry => u64::from(entry),
        }
    }
}

/// Writes capped bytes, and stores large entries apart.
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

/// The large entries of a capped table. Few cells have any.
#[derive(Debug, Default)]
pub(super) struct LargeEntries {
    /// For each cell of the table, its index in `cells` plus 1, or 0 if it has no large entry.
    index_of: Vec<u32>,
    cells: Vec<LargeOfCell>,
    entries: Vec<u32>,
    /// Whether the system refused memory. Then entries are missing.
    refused: Option<Error>,
}

/// The large entries of a cell.
#[derive(Debug, Clone, Copy)]
struct LargeOfCell {
    /// A bit for each lane with a large entry.
    lanes: u64,
    /// The index of its first large entry in `LargeEntries::entries`.
    first: u32,
}

impl LargeEntries {
    /// Begins a table of `cells` cells without large entries.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub(super) fn begin(&mut self, cells: usize) -> Result<()> {
        self.refused = None;
        self.cells.clear();
        self.entries.clear();
        self.index_of.clear();
        grow(&mut self.index_of, cells, 0)
    }

    /// Stores the large ones of the entries of a cell.
    #[cold]
    pub(super) fn keep(&mut self, cell: usize, entries: &[u32; BLOCK_LANES]) {
        let room = make_room(&mut self.entries, BLOCK_LANES).and_then(|()| make_room(&mut self.cells, 1));
        if let Err(error) = room {
            self.refused = Some(error);
            return;
        }
        let mut of_cell = LargeOfCell { lanes: 0, first: self.entries.len() as u32 };
        for (lane, &entry) in entries.iter().enumerate().filter(|&(_, &entry)| entry >= u32::from(CAP)) {
            of_cell.lanes |= 1 << lane;
            self.entries.push(entry);
        }
        self.cells.push(of_cell);
        self.index_of[cell] = self.cells.len() as u32;
    }

    /// Ends writing.
    ///
    /// # Errors
    /// [`Error::Memory`] if the system refused memory meanwhile.
    pub(super) fn end(&mut self) -> Result<()> {
        self.refused.take().map_or(Ok(()), Err)
    }

    /// The large entry of a lane of a cell.
    #[cold]
    pub(super) fn entry(&self, cell: usize, lane: usize) -> u32 {
        let of_cell = self.cells[self.index_of[cell] as usize - 1];
        let before = (of_cell.lanes & ((1 << lane) - 1)).count_ones();
        self.entries[(of_cell.first + before) as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Large entries among small ones. A second table must not find entries of the first.
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
            assert_eq!(large.index_of[0], 0);
        }
    }
}
