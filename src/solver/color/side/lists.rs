//! The placements that stand in lanes: all of a sub-board's on the odd rows of one coloring, as keys grouped by column
//! set.

use std::ops::Range;

use crate::solver::color::room::{grow, reserve};
use crate::solver::color::split::{BoardRow, Geometry, Queens, SubBoard, Subset, extend};
use crate::solver::simd::BLOCK_LANES;
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
    /// Makes room for `length` keys in all. New ones are padding.
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
            // The largest lists are most of what a thread holds: little of that is to spare.
            let more = 1024.max(self.keys.len() / 8);
            reserve(&mut self.keys, more)?;
            reserve(&mut self.lanes, more)?;
        }
        self.keys.push(key);
        self.lanes.push(number);
        Ok(())
    }
}

/// What is to be listed.
#[derive(Debug)]
pub(crate) struct Listing {
    pub(crate) geometry: Geometry,
    /// The sub-board whose placements stand in lanes.
    pub(crate) board: SubBoard,
    pub(crate) rows: Vec<usize>,
    /// About how many keys a segment has.
    pub(crate) segment: usize,
}

/// A list of placements, ordered by lane. Lanes are ordered by the number of their placements, so that neighbours need
/// equally many words.
#[derive(Debug, Default)]
pub(crate) struct Lists {
    /// Keys, each with bit 0 set, and their lanes. Padded.
    pub(super) keys: Keys,
    /// Where the keys of each segment end: neighbouring lanes, that are walked before the next ones.
    segment_ends: Vec<usize>,
    /// The column set of each lane, only those that have placements.
    pub(crate) column_sets: Vec<Subset>,
    /// By column set: how many keys it has; while they are sorted, where its next key goes.
    counts: Vec<u32>,
    /// By column set, while keys are sorted: where its keys end.
    ends: Vec<u32>,
}

impl Lists {
    /// Lists the placements on some rows. `keep` is given a placement's column set and returns the set that its lane is
    /// for, or `None` to leave the placement out. When cancelled, the list is empty.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub(crate) fn rebuild(
        &mut self,
        listing: &Listing,
        cancel: &CancelToken,
        mut keep: impl FnMut(Subset) -> Option<Subset>,
    ) -> Result<()> {
        let &Listing { geometry, board, ref rows, segment } = listing;
        self.clear();
        self.counts.clear();
        self.counts.resize(1 << geometry.evens, 0);
        let (keys, counts, mut has_room) = (&mut self.keys, &mut self.counts, Ok(()));
        let rows = BoardRow::all(geometry, board, rows);
        extend(&rows, Queens::NONE, cancel, &mut |queens| {
            if has_room.is_ok()
                && let Some(set) = keep(queens.columns)
            {
                has_room = keys.push(queens.key | 1, set);
                counts[set as usize] += 1;
            }
        });
        has_room?;
        let length = self.keys.keys.len();
        assert!(u32::try_from(length).is_ok(), "a list's keys are numbered in 32 bits, and would take 48 GiB");
        self.column_sets.extend((0..counts.len() as Subset).filter(|&set| counts[set as usize] > 0));
        self.column_sets.sort_by_key(|&set| (counts[set as usize], set));
        self.divide(segment);
        self.sort(cancel);
        if cancel.is_cancelled() {
            self.clear();
        }
        // A vector of 8 keys may begin at any key.
        self.keys.grow(length + 8)
    }

    fn clear(&mut self) {
        self.keys.clear();
        self.segment_ends.clear();
        self.column_sets.clear();
    }

    /// Divides the lanes into segments of about `segment` keys. Each has whole pairs of blocks, because these may share
    /// words.
    fn divide(&mut self, segment: usize) {
        let (mut start, mut end) = (0, 0);
        for pair in self.column_sets.chunks(2 * BLOCK_LANES) {
            let keys: usize = pair.iter().map(|&set| self.counts[set as usize] as usize).sum();
            if end > start && end - start + keys > segment {
                self.segment_ends.push(end);
                start = end;
            }
            end += keys;
        }
        if end > start {
            self.segment_ends.push(end);
        }
    }

    /// Puts the keys, whose numbers are their column sets, into their lanes, in the memory where they are; when
    /// cancelled, some of them. On the largest boards this takes seconds, and the list is most of what a thread holds.
    fn sort(&mut self, cancel: &CancelToken) {
        let Keys { keys, lanes: sets } = &mut self.keys;
        let mut start = 0;
        self.ends.clear();
        self.ends.resize(self.counts.len(), 0);
        // From here on `counts` holds where each set's next key goes.
        for &set in &self.column_sets {
            start += std::mem::replace(&mut self.counts[set as usize], start);
            self.ends[set as usize] = start;
        }
        for &set in &self.column_sets {
            if cancel.is_cancelled() {
                return;
            }
            // Each exchange brings one key to where it stays.
            let mut at = self.counts[set as usize] as usize;
            let end = self.ends[set as usize] as usize;
            while at < end {
                let other = sets[at];
                if other == set {
                    at += 1;
                } else {
                    let to = &mut self.counts[other as usize];
                    keys.swap(at, *to as usize);
                    sets.swap(at, *to as usize);
                    *to += 1;
                }
            }
        }
        let mut start = 0;
        for (lane, &set) in self.column_sets.iter().enumerate() {
            let end = self.ends[set as usize] as usize;
            sets[start..end].fill(lane as u32);
            start = end;
        }
    }

    /// Number of blocks.
    pub(crate) fn blocks(&self) -> usize {
        self.column_sets.len().div_ceil(BLOCK_LANES)
    }

    /// Segments; none of an empty list.
    pub(super) fn segments(&self) -> usize {
        self.segment_ends.len()
    }

    /// The keys of a segment.
    pub(super) fn segment(&self, number: usize) -> Range<usize> {
        let start = if number == 0 { 0 } else { self.segment_ends[number - 1] };
        start..self.segment_ends[number]
    }

    /// Keys, padding not counted.
    pub(crate) fn len(&self) -> usize {
        self.segment_ends.last().copied().unwrap_or(0)
    }
}
