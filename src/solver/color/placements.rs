//! The placements that stand in lanes: all of a sub-board's on the odd rows of one coloring, as keys grouped by column
//! set.

use super::cell::LANES;
use super::geometry::{Geometry, SubBoard, Subset, elements, full};
use super::program::Prefix;
use crate::CancelToken;

/// Calls `visit` with every placement that has `queens` and one more in each of `rows`, attacking nobody on this
/// sub-board, in lexicographic order; when cancelled, with some.
pub(super) fn extend(
    geometry: Geometry,
    board: SubBoard,
    rows: &[usize],
    queens: Prefix,
    cancel: &CancelToken,
    visit: &mut impl FnMut(Prefix),
) {
    let Some((&row, rest)) = rows.split_first() else {
        return visit(queens);
    };
    if rows.len() > UNCHECKED_ROWS && cancel.is_cancelled() {
        return;
    }
    for column in elements(free_columns(geometry, board, row, queens.columns, queens.key)) {
        extend(geometry, board, rest, queens.with(geometry, board, row, column), cancel, visit);
    }
}

/// Rows below which listing does not ask whether it was cancelled.
const UNCHECKED_ROWS: usize = 4;

/// The columns of a row that are neither taken nor on a line of `key`.
#[inline(always)]
pub(super) fn free_columns(geometry: Geometry, board: SubBoard, row: usize, columns: Subset, key: u64) -> Subset {
    // The lines of the row's first square; the next squares' are the next bits.
    let first = geometry.lines(board, row, 0);
    let diagonals = (key as u32) >> (first as u32).trailing_zeros();
    let antidiagonals = ((key >> 32) as u32) >> ((first >> 32) as u32).trailing_zeros();
    full(geometry.columns(board)) & !(columns | diagonals | antidiagonals)
}

/// A list of placements, ordered by lane. Lanes are ordered by the number of their placements, so that neighbours need
/// equally many words.
#[derive(Debug, Default)]
pub(super) struct Lists {
    /// Keys, each with bit 0 set; padded to a multiple of 8 with keys that every line hits.
    pub(super) keys: Vec<u64>,
    /// The lane of each key.
    pub(super) lanes: Vec<u32>,
    /// The column set of each lane, only those that have placements.
    pub(super) column_sets: Vec<Subset>,
    found: Vec<(Subset, u64)>,
    counts: Vec<u32>,
}

/// What fills the lists up: it is hit by every line, so no filter keeps it.
pub(super) const PADDING: u64 = u64::MAX;

impl Lists {
    /// Lists the placements on `rows` whose column set `keep` translates; the translation names the lane's column set.
    pub(super) fn rebuild(
        &mut self,
        geometry: Geometry,
        board: SubBoard,
        rows: &[usize],
        cancel: &CancelToken,
        mut keep: impl FnMut(Subset) -> Option<Subset>,
    ) {
        self.found.clear();
        self.counts.clear();
        self.counts.resize(1 << geometry.evens, 0);
        let (found, counts) = (&mut self.found, &mut self.counts);
        extend(geometry, board, rows, Prefix::EMPTY, cancel, &mut |queens| {
            if let Some(set) = keep(queens.columns) {
                found.push((set, queens.key | 1));
                counts[set as usize] += 1;
            }
        });
        self.column_sets.clear();
        self.column_sets.extend((0..counts.len() as Subset).filter(|&set| counts[set as usize] > 0));
        self.column_sets.sort_by_key(|&set| (counts[set as usize], set));
        let total = self.found.len();
        assert!(u32::try_from(total).is_ok(), "a list's keys are numbered in 32 bits, and would take 64 GiB");
        let padded = total.next_multiple_of(8);
        // From here on `counts` holds where each set's next key goes.
        let mut start = 0;
        for &set in &self.column_sets {
            start += std::mem::replace(&mut self.counts[set as usize], start);
        }
        self.keys.clear();
        self.lanes.clear();
        self.sort(padded, cancel);
        if cancel.is_cancelled() {
            self.found.clear();
            self.column_sets.clear();
            self.keys.clear();
            self.lanes.clear();
        }
    }

    /// Puts what was found into its lanes; when cancelled, some of it. On the largest boards this takes seconds.
    fn sort(&mut self, padded: usize, cancel: &CancelToken) {
        if cancel.is_cancelled() {
            return;
        }
        self.keys.resize(padded, PADDING);
        for some in self.found.chunks(1 << 16) {
            if cancel.is_cancelled() {
                return;
            }
            for &(set, key) in some {
                let at = &mut self.counts[set as usize];
                self.keys[*at as usize] = key;
                *at += 1;
            }
        }
        self.lanes.resize(padded, 0);
        let mut start = 0;
        for (lane, &set) in self.column_sets.iter().enumerate() {
            let end = self.counts[set as usize] as usize;
            self.lanes[start..end].fill(lane as u32);
            start = end;
        }
    }

    /// Words of 64 lanes.
    pub(super) fn blocks(&self) -> usize {
        self.column_sets.len().div_ceil(LANES)
    }

    /// Keys, padding not counted.
    pub(super) fn len(&self) -> usize {
        self.found.len()
    }
}
