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
    /// Whether the search for prefixes has begun.
    has_begun: bool,
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
        (self.has_begun, self.reached) = (false, 0);
        self.untried.clear();
        self.queens.clear();
        self.queens.push(Queens::NONE);
        self.rows.clear();
        self.rows.extend(rows);
        self.alive.resize_with(self.rows.len().max(self.alive.len()), Keys::default);
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
        if !self.has_begun {
            self.has_begun = true;
            match self.rows.first() {
                None => return Ok(true),
                Some(row) => self.untried.push(row.free(Queens::NONE)),
            }
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
        kept.grow(keys.length)?;
        dispatch(isa, Filter { keys, lines, kept });
        Ok(())
    }
}

/// Copies the keys that share no line with `lines` to `kept`, which has room for all keys.
struct Filter<'a> {
    keys: &'a Keys,
    lines: u64,
    kept: &'a mut Keys,
}

impl Kernel for Filter<'_> {
    type Output = ();

    #[inline(always)]
    fn run<T: Words>(self, simd: T) {
        let Self { keys: Keys { values: keys, lanes, length, .. }, lines, kept } = self;
        let padded = length.next_multiple_of(8);
        let kept_keys = simd.filter(&keys[..padded], &lanes[..padded], lines, &mut kept.values, &mut kept.lanes);
        kept.end(kept_keys);
    }
}
