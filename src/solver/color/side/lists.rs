//! The list of one color's placements on the odd rows of a row coloring: keys, sorted by column set. The keys with one
//! column set form a lane.

use std::ops::Range;

use crate::room::{collect, grow, reserve};
use crate::solver::color::split::{BoardRow, Geometry, Queens, SubBoard, Subset, extend};
use crate::solver::simd::BLOCK_LANES;
use crate::{CancelToken, Result};

/// Keys and their lanes.
#[derive(Debug, Default)]
pub(crate) struct Keys {
    pub(super) keys: Vec<u64>,
    /// The number of each key's lane. While a list is made, its column set.
    pub(super) lanes: Vec<u32>,
}

/// Fills up keys to a multiple of 8. It has all lines, so every filter drops it.
pub(super) const PADDING: u64 = u64::MAX;

impl Keys {
    /// Grows to `length` keys at least. New keys are padding.
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
            // Large lists are most of a thread's memory, so they grow by an eighth and waste little.
            let more = 1024.max(self.keys.len() / 8);
            reserve(&mut self.keys, more)?;
            reserve(&mut self.lanes, more)?;
        }
        self.keys.push(key);
        self.lanes.push(number);
        Ok(())
    }
}

/// Says which placements to list.
#[derive(Debug)]
pub(crate) struct Listing {
    pub(crate) geometry: Geometry,
    /// The sub-board on the odd rows.
    pub(crate) board: SubBoard,
    pub(crate) rows: Vec<usize>,
    /// Keys of a segment, about.
    pub(crate) segment: usize,
}

/// The keys of one side, sorted by lane. Lanes are sorted by their number of keys, so that neighbors need equally many
/// words.
#[derive(Debug, Default)]
pub(crate) struct Lists {
    /// The keys and their lanes, with padding. Each key has bit 0 set.
    pub(super) keys: Keys,
    /// Where the keys of each segment end. A segment is some neighboring lanes, which are packed together.
    segment_ends: Vec<usize>,
    /// The column set of each lane. Column sets without keys have no lane.
    pub(crate) column_sets: Vec<Subset>,
    /// By column set: its number of keys. While keys are sorted: where its next key goes.
    counts: Vec<u32>,
    /// By column set: where its keys end. Only valid while keys are sorted.
    ends: Vec<u32>,
}

impl Lists {
    /// Lists the placements that `listing` says. `keep` gets a placement's column set and returns the set of white
    /// columns of its lane, or `None` to drop the placement. When cancelled, the list is empty.
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
        grow(&mut self.counts, 1 << geometry.evens.max(geometry.odds), 0)?;
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
        self.column_sets = collect((0..counts.len() as Subset).filter(|&set| counts[set as usize] > 0))?;
        self.column_sets.sort_unstable_by_key(|&set| (counts[set as usize], set));
        self.divide(segment);
        self.sort(cancel)?;
        if cancel.is_cancelled() {
            self.clear();
        }
        // Vectors of 8 keys are read from any key on.
        self.keys.grow(length + 8)
    }

    fn clear(&mut self) {
        self.keys.clear();
        self.segment_ends.clear();
        self.column_sets.clear();
    }

    /// Divides the lanes into segments of about `segment` keys. A segment never divides a pair of blocks, because the
    /// two may share words.
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

    /// Sorts the keys by lane and gives them the numbers of their lanes. It works in place, because large lists are
    /// most of a thread's memory. When cancelled, the order is arbitrary.
    fn sort(&mut self, cancel: &CancelToken) -> Result<()> {
        let Keys { keys, lanes: sets } = &mut self.keys;
        let mut start = 0;
        grow(&mut self.ends, self.counts.len(), 0)?;
        // From here on, `counts` says where the next key of each set goes.
        for &set in &self.column_sets {
            start += std::mem::replace(&mut self.counts[set as usize], start);
            self.ends[set as usize] = start;
        }
        for &set in &self.column_sets {
            if cancel.is_cancelled() {
                return Ok(());
            }
            // Each swap brings one key to its final position.
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
        Ok(())
    }

    /// Number of blocks.
    pub(crate) fn blocks(&self) -> usize {
        self.column_sets.len().div_ceil(BLOCK_LANES)
    }

    /// Number of segments. An empty list has none.
    pub(super) fn segments(&self) -> usize {
        self.segment_ends.len()
    }

    /// The range of a segment's keys.
    pub(super) fn segment(&self, number: usize) -> Range<usize> {
        let start = if number == 0 { 0 } else { self.segment_ends[number - 1] };
        start..self.segment_ends[number]
    }

    /// Number of keys, without padding.
    pub(crate) fn len(&self) -> usize {
        self.segment_ends.last().copied().unwrap_or(0)
    }
}
