//! The layout of programs in memory, and the code that writes and reads it. Both forms of programs use it.
//!
//! A program has, for each prefix of one E, the walk below the prefix. All numbers have 16 bits:
//!
//! ```text
//!  memory   | walk of prefix 0 | walk of prefix 1 | ... | header 0 | header 1 | ...
//!
//!  header   | start, low | start, high | trunk | endings | one | two | ...
//!             where the walk            numbers of states, of endings,
//!             begins in memory          of entries with one leaf, with two leaves, ...
//!
//!  walk     | trunk             | endings           | entries with one leaf | with two | ...
//!           | above plane | ... | plane plane | ... | `parents.rs` and `groups.rs` say what an entry is
//!
//!  above    the number of the state above. 0 is the pack's own state, ALL_KEYS. States of the trunk count from 1
//!  plane    the state above and-not this plane is the state
//!  ending   the planes of two squares, on the last two rows. Programs by parents have no endings
//! ```

use std::fmt;
use std::marker::PhantomData;
use std::ops::Range;

use crate::Result;
use crate::room::{make_room, reserve};

/// In place of a table row: the column set is not counted.
pub(crate) const NOT_COUNTED: u16 = u16::MAX;

/// A form of programs. A value collects the part of one walk below the trunk. `encode` writes it.
pub(crate) trait Form: Default + fmt::Debug {
    /// The walk for one prefix, for reading.
    type Walk<'a>: Read<'a>;

    /// Begins the walk for another prefix.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    fn clear(&mut self) -> Result<()>;

    /// Makes room for the leaves below one state, at most 256. Call it before [`take`](Self::take).
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    fn make_room(&mut self) -> Result<()>;

    /// Adds the leaves below a parent. Returns whether one of them is counted.
    fn take(&mut self, parent: Parent, leaves: impl Iterator<Item = Leaf>) -> bool;

    /// Adds the walk with this trunk to a program. Returns false, and adds nothing, if a part of the walk has more than
    /// `longest` elements or begins beyond 32 bits.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    fn encode(&mut self, trunk: &[[u16; 2]], longest: u16, to: &mut Encoded) -> Result<bool>;
}

/// The walk for one prefix. Each entry begins with `LEAD` numbers and has 1 to `MOST` leaves.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Walk<'a, const LEAD: usize, const MOST: usize> {
    /// For each state, the number of the state above and the plane.
    pub(crate) trunk: &'a [[u16; 2]],
    /// The two planes of each ending.
    pub(crate) endings: &'a [[u16; 2]],
    /// The entries with one leaf, with two, and so on.
    pub(crate) entries: [&'a [u16]; MOST],
}

/// Returns how many numbers an entry with `leaves` leaves has.
pub(super) const fn entry_length(lead: usize, leaves: usize) -> usize {
    lead + 2 * leaves
}

/// Reads a walk, and counts its parts.
pub(crate) trait Read<'a>: Copy {
    /// How many numbers a header has.
    const HEADER: usize;
    /// Reads the walk with this header.
    fn read(memory: &'a [u16], header: &[u16]) -> Self;
    /// Whether the walk has no leaf.
    fn is_empty(&self) -> bool;
    fn leaves(&self) -> u64;
    /// Number of states (the trunk's and the pack's own), of parents or endings, and of leaves.
    fn nodes(&self) -> u64;
    /// Number of words that a replay stores for each word of a tile.
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
        // `LEAD` is 2 if an entry has a parent, else 1.
        let parents = |(entries, leaves): (&&[u16], _)| entries.len() / entry_length(LEAD, leaves) * (LEAD - 1);
        let parents: usize = self.entries.iter().zip(1..).map(parents).sum();
        (self.states() + parents) as u64 + self.leaves()
    }

    #[inline(always)]
    fn states(&self) -> usize {
        1 + self.trunk.len() + self.endings.len()
    }
}

/// A queen of the last row but one, the parent of leaves.
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
    /// The table row, or [`NOT_COUNTED`].
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
    /// Makes a program of the headers at `headers`.
    #[inline(always)]
    pub(crate) fn new(memory: &'a [u16], headers: Range<usize>) -> Self {
        Self { memory, headers: &memory[headers], form: PhantomData }
    }

    /// The walk for prefix number `prefix`. [`extend`](crate::solver::color::split::extend) lists prefixes in the order
    /// of their numbers.
    #[inline(always)]
    pub(crate) fn walk(&self, prefix: usize) -> F::Walk<'a> {
        let length = F::Walk::HEADER;
        F::Walk::read(self.memory, &self.headers[prefix * length..][..length])
    }

    /// Number of prefixes.
    #[cfg(test)]
    pub(crate) fn prefixes(&self) -> usize {
        self.headers.len() / F::Walk::HEADER
    }
}

/// Programs in memory, and the headers of the last program.
#[derive(Debug, Default)]
pub(crate) struct Encoded {
    pub(super) memory: Vec<u16>,
    pub(super) headers: Vec<u16>,
}

impl Encoded {
    /// Adds the header, the trunk and the endings of a walk, and reserves memory for its entries. `entries` has the
    /// number of entries with one leaf, with two, and so on. Returns false, and adds nothing, if the walk does not fit.
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
        make_room(&mut self.headers, 4 + MOST)?;
        self.headers.extend([start as u16, (start >> 16) as u16, trunk.len() as u16, endings.len() as u16]);
        self.headers.extend(entries.map(|entries| entries as u16));
        let of_entries = entries.into_iter().zip(1..).map(|(entries, leaves)| entries * entry_length(LEAD, leaves));
        let length = 2 * states + of_entries.sum::<usize>();
        if self.memory.capacity() - self.memory.len() < length {
            // Memory grows by a quarter. So little of it stays unused, and programs are seldom moved.
            let more = length.max(self.memory.len() / 4);
            reserve(&mut self.memory, more)?;
        }
        self.memory.extend_from_slice(trunk.as_flattened());
        self.memory.extend_from_slice(endings.as_flattened());
        Ok(true)
    }
}
