//! The entries of a table that do not fit its bytes, where entries are looked up one by one.

use crate::Result;
use crate::solver::color::room::grow;
use crate::solver::simd::LANES;

/// What stands in a table's byte for an entry that has so much or more.
pub(super) const CAP: u8 = u8::MAX;

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
    /// Begins with a table of so many cells, none with a large entry.
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
    pub(super) fn keep(&mut self, cell: usize, entries: &[u32; LANES]) {
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
            let cells: [[u32; LANES]; 4] = [[0; LANES], cell(1), [255; LANES], cell(2)];
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
