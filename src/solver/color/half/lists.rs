//! The placements that stand in lanes: all of a sub-board's on the odd rows of one coloring, as keys grouped by column
//! set.

use crate::solver::color::isa::LANES;
use crate::solver::color::room::{grow, reserve};
use crate::solver::color::split::{Geometry, Queens, SubBoard, Subset, extend};
use crate::{CancelToken, Result};

/// Keys, each with a number (`lanes`): that of its lane, or its column set as long as it has no lane.
#[derive(Debug, Default)]
pub(crate) struct Keys {
    pub(super) keys: Vec<u64>,
    pub(super) lanes: Vec<u32>,
}

/// What keys are padded with to a multiple of 8: it is hit by every line, so no filter keeps it.
pub(super) const PADDING: u64 = u64::MAX;

impl Keys {
    /// Makes room for so many keys in all; those that were not there are padding.
    pub(super) fn grow(&mut self, length: usize) -> Result<()> {
        grow(&mut self.keys, length, PADDING)?;
        grow(&mut self.lanes, length, 0)
    }

    fn clear(&mut self) {
        self.keys.clear();
        self.lanes.clear();
    }

    fn push(&mut self, key: u64, number: u32) -> Result<()> {
        if self.keys.len() == self.keys.capacity() || self.lanes.len() == self.lanes.capacity() {
            let more = 1024.max(self.keys.len() / 4);
            reserve(&mut self.keys, more)?;
            reserve(&mut self.lanes, more)?;
        }
        self.keys.push(key);
        self.lanes.push(number);
        Ok(())
    }
}

/// A list of placements, ordered by lane. Lanes are ordered by the number of their placements, so that neighbours need
/// equally many words.
#[derive(Debug, Default)]
pub(crate) struct Lists {
    /// Keys, each with bit 0 set, and their lanes; padded.
    pub(super) keys: Keys,
    /// How many keys there are, padding not counted.
    length: usize,
    /// The column set of each lane, only those that have placements.
    pub(crate) column_sets: Vec<Subset>,
    /// By column set: how many keys it has; while they are sorted, where its next key goes.
    counts: Vec<u32>,
}

impl Lists {
    /// Lists the placements on `rows`. `keep` is given a placement's column set and returns the set that its lane is
    /// for, or `None` to leave the placement out. `found` is memory to use. When cancelled, the list is empty.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub(crate) fn rebuild(
        &mut self,
        geometry: Geometry,
        board: SubBoard,
        rows: &[usize],
        found: &mut Keys,
        cancel: &CancelToken,
        mut keep: impl FnMut(Subset) -> Option<Subset>,
    ) -> Result<()> {
        found.clear();
        self.counts.clear();
        self.counts.resize(1 << geometry.evens, 0);
        let (counts, mut has_room) = (&mut self.counts, Ok(()));
        extend(geometry, board, rows, Queens::NONE, cancel, &mut |queens| {
            if has_room.is_ok()
                && let Some(set) = keep(queens.columns)
            {
                has_room = found.push(queens.key | 1, set);
                counts[set as usize] += 1;
            }
        });
        has_room?;
        self.column_sets.clear();
        self.column_sets.extend((0..counts.len() as Subset).filter(|&set| counts[set as usize] > 0));
        self.column_sets.sort_by_key(|&set| (counts[set as usize], set));
        self.length = found.keys.len();
        assert!(u32::try_from(self.length).is_ok(), "a list's keys are numbered in 32 bits, and would take 48 GiB");
        // From here on `counts` holds where each set's next key goes.
        let mut start = 0;
        for &set in &self.column_sets {
            start += std::mem::replace(&mut self.counts[set as usize], start);
        }
        self.keys.clear();
        self.sort(found, cancel)?;
        if cancel.is_cancelled() {
            self.length = 0;
            self.column_sets.clear();
            self.keys.clear();
        }
        Ok(())
    }

    /// Puts what was found into its lanes; when cancelled, some of it. On the largest boards this takes seconds.
    fn sort(&mut self, found: &Keys, cancel: &CancelToken) -> Result<()> {
        if cancel.is_cancelled() {
            return Ok(());
        }
        self.keys.grow(self.length.next_multiple_of(8))?;
        for (keys, sets) in found.keys.chunks(1 << 16).zip(found.lanes.chunks(1 << 16)) {
            if cancel.is_cancelled() {
                return Ok(());
            }
            for (&key, &set) in keys.iter().zip(sets) {
                let at = &mut self.counts[set as usize];
                self.keys.keys[*at as usize] = key;
                *at += 1;
            }
        }
        let mut start = 0;
        for (lane, &set) in self.column_sets.iter().enumerate() {
            let end = self.counts[set as usize] as usize;
            self.keys.lanes[start..end].fill(lane as u32);
            start = end;
        }
        Ok(())
    }

    /// Words of 64 lanes.
    pub(crate) fn blocks(&self) -> usize {
        self.column_sets.len().div_ceil(LANES)
    }

    /// Keys, padding not counted.
    pub(crate) fn len(&self) -> usize {
        self.length
    }
}
