//! What programs of every form have in common: how they lie in memory, and what writes and reads them.
//!
//! A program says what all walks of one E do below their prefixes, in numbers of 16 bits:
//!
//! ```text
//!  memory   | walk of prefix 0 | walk of prefix 1 | ... | header 0 | header 1 | ...
//!
//!  header   | start, low | start, high | trunk | endings | one | two | ...
//!             where in memory its      states   endings   entries with one leaf, with two, ...
//!             walk begins
//!
//!  walk     | trunk             | endings           | entries with one leaf | with two | ...
//!           | above plane | ... | plane plane | ... | what an entry is: `parents.rs`, `groups.rs`
//!
//!  above    the state that this one is made from: 0 is the pack's own, ALL_KEYS; then those of the trunk, in order
//!  plane    and-not with it makes a state of the one above
//!  ending   the planes of the squares of the last two rows; programs by parents have none
//! ```

use std::fmt;
use std::marker::PhantomData;
use std::ops::Range;

use crate::Result;
use crate::solver::color::room::reserve;

/// Stands for the table row of a column set that is not counted.
pub(crate) const NOT_COUNTED: u16 = u16::MAX;

/// A form of programs. A value is the memory of its writer: what is below the trunk of the walk at hand.
pub(crate) trait Form: Default + fmt::Debug {
    /// The walk for one prefix, as it is read.
    type Walk<'a>: Walk;
    /// Numbers of a header.
    const HEADER: usize;

    /// Reads the walk with this header.
    fn read<'a>(memory: &'a [u16], header: &[u16]) -> Self::Walk<'a>;

    /// Begins the walk for another prefix.
    fn clear(&mut self);

    /// Takes the leaves below a parent; returns whether one of them is counted.
    fn take(&mut self, parent: Parent, leaves: impl Iterator<Item = Leaf>) -> bool;

    /// Adds the walk with this trunk to a program; returns whether it fits: no part may be longer than `longest`.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    fn encode(&mut self, trunk: &[[u16; 2]], longest: u16, to: &mut Encoded) -> Result<bool>;
}

/// The walk for one prefix, as it is read.
pub(crate) trait Walk: Copy {
    /// Whether there is no leaf.
    fn is_empty(&self) -> bool;
    /// The number of states (the trunk's and the pack's own), of parents or endings, and of leaves.
    fn nodes(&self) -> [u64; 3];
    /// The number of words that a replay keeps in memory for each word of a tile.
    fn states(&self) -> usize;
}

/// A queen of the last row but one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Parent {
    /// The number of the state above.
    pub(super) state: u16,
    pub(super) column: usize,
    pub(super) plane: u16,
}

/// A queen of the last row.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Leaf {
    pub(super) column: usize,
    pub(super) plane: u16,
    /// The row of the table, or [`NOT_COUNTED`].
    pub(super) row: u16,
}

/// The program of one side for one E.
#[derive(Debug)]
pub(crate) struct Program<'a, F> {
    memory: &'a [u16],
    headers: &'a [u16],
    form: PhantomData<F>,
}

impl<F> Clone for Program<'_, F> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<F> Copy for Program<'_, F> {}

impl<'a, F: Form> Program<'a, F> {
    /// The program with these headers in this memory.
    #[inline(always)]
    pub(crate) fn new(memory: &'a [u16], headers: Range<usize>) -> Self {
        Self { memory, headers: &memory[headers], form: PhantomData }
    }

    /// The walk for prefix number `prefix`, in the order of [`extend`](crate::solver::color::split::extend).
    #[inline(always)]
    pub(crate) fn walk(&self, prefix: usize) -> F::Walk<'a> {
        F::read(self.memory, &self.headers[prefix * F::HEADER..][..F::HEADER])
    }

    /// Prefixes in all.
    #[cfg(test)]
    pub(crate) fn prefixes(&self) -> usize {
        self.headers.len() / F::HEADER
    }
}

/// The lengths of a walk.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lengths<const PARTS: usize> {
    /// Pairs of numbers.
    pub(super) trunk: usize,
    /// Pairs of numbers.
    pub(super) endings: usize,
    /// Entries with one leaf, with two, ...
    pub(super) entries: [usize; PARTS],
}

/// Numbers of a header, for walks of `parts` parts.
pub(super) const fn header_length(parts: usize) -> usize {
    4 + parts
}

/// The walk of a header from its first number on, and its lengths.
#[inline(always)]
pub(super) fn read_header<'a, const PARTS: usize>(memory: &'a [u16], header: &[u16]) -> (&'a [u16], Lengths<PARTS>) {
    let [low, high, trunk, endings] = *header.first_chunk().expect("a header has its four numbers");
    let entries: &[u16; PARTS] = header[4..].first_chunk().expect("and one for each part");
    let lengths =
        Lengths { trunk: usize::from(trunk), endings: usize::from(endings), entries: entries.map(usize::from) };
    (&memory[(usize::from(high) << 16 | usize::from(low))..], lengths)
}

/// Programs as they lie in memory, and the headers of the last one.
#[derive(Debug, Default)]
pub(crate) struct Encoded {
    pub(super) memory: Vec<u16>,
    pub(super) headers: Vec<u16>,
}

impl Encoded {
    /// Adds the header of a walk that has `length` numbers, and makes room for these; returns whether the walk fits.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub(super) fn begin<const PARTS: usize>(
        &mut self,
        lengths: Lengths<PARTS>,
        longest: u16,
        length: usize,
    ) -> Result<bool> {
        let Lengths { trunk, endings, entries } = lengths;
        let largest = entries.into_iter().fold(trunk + endings, usize::max);
        let (Ok(start), true) = (u32::try_from(self.memory.len()), largest <= usize::from(longest)) else {
            return Ok(false);
        };
        self.headers.extend([start as u16, (start >> 16) as u16, trunk as u16, endings as u16]);
        self.headers.extend(entries.map(|entries| entries as u16));
        if self.memory.capacity() - self.memory.len() < length {
            // By a quarter at a time: little memory stays unused, and the program is seldom moved.
            let more = length.max(self.memory.len() / 4);
            reserve(&mut self.memory, more)?;
        }
        Ok(true)
    }
}
