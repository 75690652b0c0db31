//! The list of one side: the keys of its placements on the odd rows of a row coloring, grouped by column set. The keys
//! with one column set form a *lane*, and the column sets of the lanes are the *list sets* of the side.

use std::ops::Range;

use super::plan::{Class, Side};
use super::split::{BoardRow, MARK, Queens, Subset, elements, extend};
use crate::cancel::Cancelled;
use crate::memory::{grow, push, refill};
use crate::simd::BLOCK_LANES;
use crate::{CancelToken, Error, Result};

/// Keys and their lanes, followed by padding.
#[derive(Debug, Default)]
pub(crate) struct Keys {
    pub(crate) values: Vec<u64>,
    /// The number of each key's lane.
    pub(crate) lane_of: Vec<u32>,
    /// Number of keys, without padding.
    pub(crate) length: usize,
    /// The generation of the list that has these keys: each [`List::rebuild`] begins the next. Filtered keys have none.
    pub(crate) generation: u64,
}

/// The key that follows the last one. It contains all lines, so every filter drops it.
const PADDING: u64 = u64::MAX;

/// Number of keys of padding, because vectors of 8 keys are read from any key on, including the last.
const PADDED: usize = 8;

impl Keys {
    /// Makes room for `length` keys and for padding.
    ///
    /// # Errors
    /// [`Error::Memory`].
    pub(crate) fn grow(&mut self, length: usize) -> Result<()> {
        grow(&mut self.values, length + PADDED, PADDING)?;
        grow(&mut self.lane_of, length + PADDED, 0)
    }

    /// Ends the keys after the first `length`, for which there must be room.
    #[inline(always)]
    pub(crate) fn end(&mut self, length: usize) {
        self.length = length;
        self.values[length..][..PADDED].fill(PADDING);
    }
}

/// The list of one side. Lanes are sorted by their number of keys, so that neighbors need about equally many words.
/// [`rebuild`](Self::rebuild) reuses all memory.
#[derive(Debug, Default)]
pub(crate) struct List {
    /// The keys, sorted by lane. Each key has the line [`MARK`].
    pub(crate) keys: Keys,
    /// The list sets: the set of white columns of each lane.
    pub(crate) sets: Vec<Subset>,
    /// The rows of the list.
    rows: Vec<BoardRow>,
    /// The number of keys of each set of columns of the sub-board.
    counts: Vec<u32>,
    lanes: Vec<Lane>,
    /// For each set of columns of the sub-board, the index of the next key with these columns, or [`NO_LANE`].
    next: Vec<u32>,
}

/// A lane of a list. The fields are in the order by which lanes are sorted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Lane {
    /// Number of keys.
    keys: u32,
    /// The list set: a set of white columns.
    set: Subset,
    /// The same columns as columns of the sub-board.
    columns: Subset,
}

/// Marks columns without a lane.
const NO_LANE: u32 = u32::MAX;

impl List {
    /// Lists the placements of a side on its rows of O, except those whose column set is not counted with O.
    ///
    /// # Errors
    /// [`Error::Memory`], [`Error::Cancelled`]; [`Error::Bug`] if 32 bits cannot number the keys.
    pub(crate) fn rebuild(&mut self, class: &Class, side: &Side, o: Subset, cancel: &CancelToken) -> Result<()> {
        let (geometry, color, board) = (class.geometry, side.color, side.color.listed());
        let Self { keys, rows, counts, lanes, .. } = self;
        keys.generation += 1;
        rows.clear();
        rows.extend(elements(color.own(o, geometry.odd_rows)).map(|row| BoardRow::new(geometry, board, row)));
        // The search runs twice: first to count the keys of each lane, then to write each key to its place. Sorting
        // would take twice the memory, and large lists are most of a thread's memory.
        counts.clear();
        grow(counts, 1 << geometry.columns(board), 0)?;
        extend(rows, Queens::NONE, cancel, &mut |queens| {
            counts[queens.columns as usize] += 1;
            Ok::<_, Cancelled>(())
        })?;
        lanes.clear();
        for (columns, &keys) in (0..).zip(&*counts).filter(|&(_, &keys)| keys > 0) {
            let set = color.own(columns, geometry.columns(board));
            if class.keeps_lane(color, set, o) {
                push(lanes, Lane { keys, set, columns })?;
            }
        }
        lanes.sort_unstable();
        refill(&mut self.sets, lanes.iter().map(|lane| lane.set))?;
        self.write_keys(cancel)
    }

    /// Writes the keys of all lanes.
    fn write_keys(&mut self, cancel: &CancelToken) -> Result<()> {
        let Self { keys, rows, counts, lanes, next, .. } = self;
        next.clear();
        grow(next, counts.len(), NO_LANE)?;
        let mut length = 0;
        for lane in &*lanes {
            next[lane.columns as usize] = length as u32;
            length += lane.keys as usize;
        }
        if length >= NO_LANE as usize {
            return Err(Error::Bug { unit: None, problem: "a list has more keys than 32 bits can number".to_owned() });
        }
        keys.grow(length)?;
        extend(rows, Queens::NONE, cancel, &mut |queens| {
            let next = &mut next[queens.columns as usize];
            if *next != NO_LANE {
                keys.values[*next as usize] = queens.key | MARK;
                *next += 1;
            }
            Ok::<_, Cancelled>(())
        })?;
        let mut start = 0;
        for (number, lane) in (0..).zip(&*lanes) {
            let end = start + lane.keys as usize;
            keys.lane_of[start..end].fill(number);
            start = end;
        }
        keys.end(length);
        Ok(())
    }

    /// Returns the number of queens of each placement.
    pub(crate) fn queens(&self) -> usize {
        self.rows.len()
    }

    /// Returns the number of blocks.
    pub(crate) fn blocks(&self) -> usize {
        self.sets.len().div_ceil(BLOCK_LANES)
    }

    /// Returns the keys of a piece, with lanes numbered from its first block on. They are copied to `memory`, unless
    /// they are all keys of the list.
    ///
    /// # Errors
    /// [`Error::Memory`].
    pub(crate) fn keys_of<'a>(&'a self, piece: &Range<usize>, memory: &'a mut Keys) -> Result<&'a Keys> {
        let Keys { values, lane_of, length, generation } = &self.keys;
        if *piece == (0..self.blocks()) {
            return Ok(&self.keys);
        }
        let first_lane = |block: usize| (block * BLOCK_LANES) as u32;
        let first_key = |block: usize| lane_of[..*length].partition_point(|&lane| lane < first_lane(block));
        let keys = first_key(piece.start)..first_key(piece.end);
        memory.generation = *generation;
        memory.grow(keys.len())?;
        memory.end(keys.len());
        memory.values[..keys.len()].copy_from_slice(&values[keys.clone()]);
        for (to, lane) in memory.lane_of.iter_mut().zip(&lane_of[keys]) {
            *to = lane - first_lane(piece.start);
        }
        Ok(memory)
    }
}
