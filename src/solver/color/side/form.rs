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
    type Walk<'a>: Read<'a>;

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

/// The walk for one prefix. `LEAD` numbers lead each entry, and `MOST` is the most leaves of an entry.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Walk<'a, const LEAD: usize, const MOST: usize> {
    /// Pairs of (number of the state above, plane).
    pub(crate) trunk: &'a [[u16; 2]],
    /// The two planes of each ending.
    pub(crate) endings: &'a [[u16; 2]],
    /// With one leaf, with two, ...
    pub(crate) entries: [&'a [u16]; MOST],
}

/// Numbers of an entry with so many leaves.
pub(super) const fn entry_length(lead: usize, leaves: usize) -> usize {
    lead + 2 * leaves
}

/// What is read of a walk without a look at its entries.
pub(crate) trait Read<'a>: Copy {
    /// Numbers of a header.
    const HEADER: usize;
    /// The walk with this header.
    fn read(memory: &'a [u16], header: &[u16]) -> Self;
    /// Whether there is no leaf.
    fn is_empty(&self) -> bool;
    fn leaves(&self) -> u64;
    /// The states (the trunk's and the pack's own), parents or endings, and leaves.
    fn nodes(&self) -> u64;
    /// The number of words that a replay keeps in memory for each word of a tile.
    fn states(&self) -> usize;
}

impl<'a, const LEAD: usize, const MOST: usize> Read<'a> for Walk<'a, LEAD, MOST> {
    const HEADER: usize = 4 + MOST;

    #[inline(always)]
    fn read(memory: &'a [u16], header: &[u16]) -> Self {
        let [low, high, trunk, endings] = *header.first_chunk().expect("a header has its four numbers");
        let (trunk, rest) = memory[(usize::from(high) << 16 | usize::from(low))..].split_at(2 * usize::from(trunk));
        let (endings, mut rest) = rest.split_at(2 * usize::from(endings));
        let mut entries = [&rest[..0]; MOST];
        for (i, part) in entries.iter_mut().enumerate() {
            (*part, rest) = rest.split_at(usize::from(header[4 + i]) * entry_length(LEAD, i + 1));
        }
        Self { trunk: trunk.as_chunks().0, endings: endings.as_chunks().0, entries }
    }

    #[inline(always)]
    fn is_empty(&self) -> bool {
        self.entries.iter().all(|entries| entries.is_empty())
    }

    #[inline(always)]
    fn leaves(&self) -> u64 {
        let leaves = |(entries, leaves): (&&[u16], _)| entries.len() / entry_length(LEAD, leaves) * leaves;
        self.entries.iter().zip(1..).map(leaves).sum::<usize>() as u64
    }

    #[inline(always)]
    fn nodes(&self) -> u64 {
        // An entry that has a number before its row begins with a parent.
        let parents = |(entries, leaves): (&&[u16], _)| entries.len() / entry_length(LEAD, leaves) * (LEAD - 1);
        let parents: usize = self.entries.iter().zip(1..).map(parents).sum();
        (self.states() + parents) as u64 + self.leaves()
    }

    #[inline(always)]
    fn states(&self) -> usize {
        1 + self.trunk.len() + self.endings.len()
    }
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
        let length = F::Walk::HEADER;
        F::Walk::read(self.memory, &self.headers[prefix * length..][..length])
    }

    /// Prefixes in all.
    #[cfg(test)]
    pub(crate) fn prefixes(&self) -> usize {
        self.headers.len() / F::Walk::HEADER
    }
}

/// Programs as they lie in memory, and the headers of the last one.
#[derive(Debug, Default)]
pub(crate) struct Encoded {
    pub(super) memory: Vec<u16>,
    pub(super) headers: Vec<u16>,
}

impl Encoded {
    /// Begins a walk: adds its header, its trunk and its endings. `entries` are the numbers of its entries with one leaf,
    /// with two, ...; makes room for these. Returns whether the walk fits.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub(super) fn begin<const LEAD: usize, const MOST: usize>(
        &mut self,
        trunk: &[[u16; 2]],
        endings: &[[u16; 2]],
        entries: [usize; MOST],
        longest: u16,
    ) -> Result<bool> {
        let states = trunk.len() + endings.len();
        let largest = entries.into_iter().fold(states, usize::max);
        let (Ok(start), true) = (u32::try_from(self.memory.len()), largest <= usize::from(longest)) else {
            return Ok(false);
        };
        self.headers.extend([start as u16, (start >> 16) as u16, trunk.len() as u16, endings.len() as u16]);
        self.headers.extend(entries.map(|entries| entries as u16));
        let of_entries = entries.into_iter().zip(1..).map(|(entries, leaves)| entries * entry_length(LEAD, leaves));
        let length = 2 * states + of_entries.sum::<usize>();
        if self.memory.capacity() - self.memory.len() < length {
            // By a quarter at a time: little memory stays unused, and the program is seldom moved.
            let more = length.max(self.memory.len() / 4);
            reserve(&mut self.memory, more)?;
        }
        self.memory.extend_from_slice(trunk.as_flattened());
        self.memory.extend_from_slice(endings.as_flattened());
        Ok(true)
    }
}
