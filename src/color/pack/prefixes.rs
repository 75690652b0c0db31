//! The prefixes of a walk, and the keys that each of them leaves alive.

use crate::color::list::Keys;
use crate::color::split::{BoardRow, Queens, Subset};
use crate::simd::{Kernel, Words, dispatch};
use crate::solver::Isa;
use crate::{CancelToken, Result};

/// Goes through the prefixes on some rows in lexicographic order, as [`extend`](crate::color::split::extend) does, and
/// keeps the keys that are alive after each queen, so that prefixes with equal first queens share filters. This is a
/// loop, not a recursion, because it pauses after each batch.
#[derive(Debug, Default)]
pub(super) struct Prefixes {
    rows: Vec<BoardRow>,
    /// Number of prefixes so far.
    reached: u32,
    /// For each queen of the current prefix, the columns of its row that are still to be tried.
    untried: Vec<Subset>,
    /// The queens above each row. The last element is the current prefix.
    queens: Vec<Queens>,
    /// The keys that are alive after one queen, after two, and so on. May be longer than `rows`, because the buffers of
    /// earlier requests are reused.
    alive: Vec<Keys>,
}

impl Prefixes {
    /// Goes back to before the first prefix on `rows`.
    pub(super) fn restart(&mut self, rows: impl Iterator<Item = BoardRow>) {
        self.reached = 0;
        self.untried.clear();
        self.queens.clear();
        self.queens.push(Queens::NONE);
        self.rows.clear();
        self.rows.extend(rows);
        self.untried.extend(self.rows.first().map(|row| row.free(Queens::NONE)));
        self.alive.resize_with(self.rows.len().max(self.alive.len()), Keys::default);
    }

    /// Returns whether no prefix was reached yet.
    pub(super) fn is_before_first(&self) -> bool {
        self.reached == 0
    }

    /// Returns the number of the current prefix.
    pub(super) fn number(&self) -> u32 {
        self.reached - 1
    }

    /// Returns the current prefix.
    pub(super) fn queens(&self) -> Queens {
        self.queens[self.rows.len()]
    }

    /// Returns the keys of `list` that the current prefix leaves alive.
    pub(super) fn alive<'a>(&'a self, list: &'a Keys) -> &'a Keys {
        self.alive[..self.rows.len()].last().unwrap_or(list)
    }

    /// Goes on to the next prefix. Returns false after the last one.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory), [`Error::Cancelled`](crate::Error::Cancelled).
    pub(super) fn advance(&mut self, isa: Isa, list: &Keys, cancel: &CancelToken) -> Result<bool> {
        let is_reached = self.find_next(isa, list, cancel)?;
        self.reached += u32::from(is_reached);
        Ok(is_reached)
    }

    /// Does what [`advance`](Self::advance) does, except that it counts no prefix.
    fn find_next(&mut self, isa: Isa, list: &Keys, cancel: &CancelToken) -> Result<bool> {
        if self.rows.is_empty() {
            // The empty prefix is the only one.
            return Ok(self.is_before_first());
        }
        while let Some(untried) = self.untried.last_mut() {
            let column = untried.trailing_zeros() as usize;
            if *untried == 0 {
                self.untried.pop();
                continue;
            }
            *untried &= *untried - 1;
            let placed = self.untried.len() - 1;
            let row = self.rows[placed];
            self.filter(placed, row.place(Queens::NONE, column).key, isa, list, cancel)?;
            self.queens.truncate(placed + 1);
            let queens = row.place(self.queens[placed], column);
            self.queens.push(queens);
            match self.rows.get(placed + 1) {
                None => return Ok(true),
                Some(below) => self.untried.push(below.free(queens)),
            }
        }
        Ok(false)
    }

    /// Finds the keys that are alive after queen number `placed`, which occupies `lines`.
    fn filter(&mut self, placed: usize, lines: u64, isa: Isa, list: &Keys, cancel: &CancelToken) -> Result<()> {
        let (above, below) = self.alive.split_at_mut(placed);
        let (keys, kept) = (above.last().unwrap_or(list), &mut below[0]);
        cancel.check()?;
        dispatch(isa, Filter { keys, lines, kept })
    }
}

/// Number of parts in which a filter copies many keys.
const PARTS: usize = 32;

/// The minimum number of keys of a part. Fewer keys are one part.
const SMALLEST_PART: usize = 1 << 14;

/// Copies the keys that share no line with `lines` to `kept`. They are copied in parts, so that `kept` grows to the
/// keys that are alive and one part, and not to all keys: after the first queen, that is about half of the memory.
struct Filter<'a> {
    keys: &'a Keys,
    lines: u64,
    kept: &'a mut Keys,
}

impl Kernel for Filter<'_> {
    type Output = Result<()>;

    #[inline(always)]
    fn run<T: Words>(self, simd: T) -> Result<()> {
        let Self { keys: Keys { values: keys, lane_of: lanes, length, .. }, lines, kept } = self;
        let padded = length.next_multiple_of(8);
        let part = (padded / PARTS).next_multiple_of(8).max(SMALLEST_PART);
        let mut end = 0;
        for (keys, lanes) in keys[..padded].chunks(part).zip(lanes[..padded].chunks(part)) {
            kept.grow(end + keys.len())?;
            end += simd.filter(keys, lanes, lines, &mut kept.values[end..], &mut kept.lane_of[end..]);
        }
        kept.grow(end)?;
        kept.end(end);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::splitmix::SplitMix64;

    #[test]
    fn a_filter_keeps_the_keys_that_fit_and_takes_little_more_memory() {
        let mut random = SplitMix64::new(4);
        for length in [0, 1, 7, 8, SMALLEST_PART, SMALLEST_PART + 1, 2 * PARTS * SMALLEST_PART + 5] {
            let mut keys = Keys::default();
            keys.grow(length).unwrap();
            (0..length).for_each(|at| (keys.values[at], keys.lane_of[at]) = (1 << random.below(4), at as u32 / 3));
            keys.end(length);
            let expected: Vec<(u64, u32)> = (keys.values.iter().copied().zip(keys.lane_of.iter().copied()))
                .filter(|&(key, _)| key & 7 == 0)
                .collect();
            for isa in Isa::available() {
                // The second filter writes over the keys of the first.
                let mut kept = Keys::default();
                for lines in [0b110, 0b111] {
                    dispatch(isa, Filter { keys: &keys, lines, kept: &mut kept }).unwrap();
                }
                let found = kept.values.iter().copied().zip(kept.lane_of.iter().copied());
                assert_eq!(found.take(kept.length).collect::<Vec<_>>(), expected, "{isa}, {length} keys");
                assert!(kept.values[kept.length..][..8].iter().all(|&key| key == u64::MAX), "{isa}, {length} keys");
            }
            let mut kept = Keys::default();
            dispatch(Isa::Portable, Filter { keys: &keys, lines: 0b111, kept: &mut kept }).unwrap();
            let part = SMALLEST_PART.max(length / PARTS + 8);
            assert!(kept.values.capacity() <= kept.length + part + 8, "{length} keys");
        }
    }
}
