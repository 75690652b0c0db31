//! The format of a program: what the walk for every prefix does, in numbers of 16 bits.
//!
//! ```text
//!  memory   | walk of prefix 0 | walk of prefix 1 | ... | header 0 | header 1 | ...
//!
//!  header   | start, low | start, high | trunk | one | two | three | four | 0 |
//!             where in memory its      states   parents with so many
//!             walk begins                       children
//!
//!  walk     | trunk             | parents with one child          | with two ...
//!           | above plane | ... | state plane, plane row | ...    | state plane, plane row, plane row | ...
//!
//!  above    the state that this one is made from: 0 is the pack's own, ALL_KEYS; then those of the trunk, in order
//!  plane    and-not with it is what makes a state, a parent or a leaf of the one above
//!  row      the leaf's row of the table
//! ```

use std::ops::Range;

use crate::Result;
use crate::solver::color::room::reserve;

/// Stands for the table row of a column set that is not counted.
pub(crate) const NOT_COUNTED: u16 = u16::MAX;

/// Children that are handled together: their format is fixed, one loop for each number of them.
pub(crate) const MAX_CHILDREN: usize = 4;

/// The header of the walk for one prefix: see the picture above. 16 bytes in all (with 14, n = 17 took 2 % longer).
pub(super) type Header = [u16; 4 + MAX_CHILDREN];

/// The walks of one set of rows, prefix by prefix.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Program<'a> {
    memory: &'a [u16],
    headers: &'a [Header],
}

/// The walk for one prefix.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Walk<'a> {
    /// Pairs of (index of the state above, plane); state 0 is the pack's [`ALL_KEYS`], the next ones those of the
    /// trunk.
    pub(crate) trunk: &'a [[u16; 2]],
    /// With 1, 2, 3, 4 children: index of a state, plane, then for each child its plane and its row of the table.
    pub(crate) parents: [&'a [u16]; MAX_CHILDREN],
}

impl Walk<'_> {
    /// Whether there is no leaf.
    pub(crate) fn is_empty(&self) -> bool {
        self.parents.iter().all(|parents| parents.is_empty())
    }

    /// How many states (the trunk's and the pack's own), parents and leaves it has.
    pub(crate) fn nodes(&self) -> [u64; 3] {
        let parents = (0..MAX_CHILDREN).map(|i| self.parents[i].len() / (2 * (i + 2)));
        let leaves = parents.clone().enumerate().map(|(i, parents)| (i + 1) * parents).sum::<usize>();
        [1 + self.trunk.len() as u64, parents.sum::<usize>() as u64, leaves as u64]
    }
}

impl<'a> Program<'a> {
    /// The program whose headers are there in this memory.
    #[inline(always)]
    pub(crate) fn new(memory: &'a [u16], headers: Range<usize>) -> Self {
        Self { memory, headers: memory[headers].as_chunks().0 }
    }

    /// The walk for the prefix of this number, in the order of [`extend`](crate::solver::color::split::extend).
    #[inline(always)]
    pub(crate) fn walk(&self, prefix: usize) -> Walk<'a> {
        let [low, high, trunk, of_parents @ .., _] = self.headers[prefix];
        let rest = &self.memory[(usize::from(high) << 16 | usize::from(low))..];
        let (trunk, mut rest) = rest.split_at(2 * usize::from(trunk));
        let mut parents = [&rest[..0]; MAX_CHILDREN];
        for (i, part) in parents.iter_mut().enumerate() {
            (*part, rest) = rest.split_at(usize::from(of_parents[i]) * 2 * (i + 2));
        }
        Walk { trunk: trunk.as_chunks().0, parents }
    }

    /// Prefixes in all.
    #[cfg(test)]
    pub(crate) fn prefixes(&self) -> usize {
        self.headers.len()
    }
}

/// What is below the trunk of the walk for one prefix, as it is written.
#[derive(Debug, Default)]
pub(super) struct Written {
    /// With 1, 2, 3, 4 children, in the parts of a [`Walk`].
    pub(super) parents: [Vec<[u16; 2]>; MAX_CHILDREN],
}

impl Written {
    pub(super) fn clear(&mut self) {
        self.parents.iter_mut().for_each(Vec::clear);
    }

    /// Adds a parent and its children. A length that is known needs no call to copy.
    #[inline(always)]
    pub(super) fn push<const LENGTH: usize>(&mut self, parent: [[u16; 2]; LENGTH]) {
        self.parents[LENGTH - 2].extend_from_slice(&parent);
    }

    /// Adds the walk with this trunk to the memory of a program, and its header; says whether it fits the format, in
    /// which no part is longer than `longest`.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub(super) fn encode(
        &self,
        trunk: &[[u16; 2]],
        longest: u16,
        memory: &mut Vec<u16>,
        headers: &mut Vec<u16>,
    ) -> Result<bool> {
        let lengths: [usize; MAX_CHILDREN] = std::array::from_fn(|i| self.parents[i].len() / (i + 2));
        let largest = lengths.into_iter().fold(trunk.len(), usize::max);
        let (Ok(start), true) = (u32::try_from(memory.len()), largest <= usize::from(longest)) else {
            return Ok(false);
        };
        let [one, two, three, four] = lengths.map(|length| length as u16);
        let header: Header = [start as u16, (start >> 16) as u16, trunk.len() as u16, one, two, three, four, 0];
        headers.extend(header);
        let length = 2 * (trunk.len() + self.parents.iter().map(Vec::len).sum::<usize>());
        make_room(memory, length)?;
        memory.extend_from_slice(trunk.as_flattened());
        for parents in &self.parents {
            memory.extend_from_slice(parents.as_flattened());
        }
        Ok(true)
    }
}

/// Makes room for so many more numbers in a draft: by a quarter at a time, so that what it holds beyond its program is
/// small, and it is seldom moved.
///
/// # Errors
/// [`Error::Memory`](crate::Error::Memory).
pub(super) fn make_room(memory: &mut Vec<u16>, more: usize) -> Result<()> {
    if memory.capacity() - memory.len() < more {
        reserve(memory, more.max(memory.len() / 4))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_encoded_is_decoded() {
        let (mut memory, mut headers) = (vec![7, 7, 7], Vec::new());
        let trunks: [&[[u16; 2]]; 3] = [&[[0, 3], [1, 4]], &[], &[]];
        let mut first = Written::default();
        first.push([[2, 5], [6, 0]]);
        first.push([[1, 5], [6, 1]]);
        first.push([[0, 7], [8, 2], [9, 3], [10, 4], [11, 5]]);
        let mut second = Written::default();
        second.push([[0, 0], [0, 9], [1, 8]]);
        for (trunk, written) in trunks.into_iter().zip([&first, &Written::default(), &second]) {
            assert!(written.encode(trunk, u16::MAX, &mut memory, &mut headers).unwrap());
        }
        let at = memory.len()..memory.len() + headers.len();
        memory.extend(headers);
        let program = Program::new(&memory, at);
        assert_eq!(program.prefixes(), 3);
        for (prefix, written) in [&first, &Written::default(), &second].into_iter().enumerate() {
            let walk = program.walk(prefix);
            assert_eq!(walk.trunk, trunks[prefix]);
            for (parents, expected) in walk.parents.iter().zip(&written.parents) {
                assert_eq!(*parents, expected.as_flattened());
            }
        }
        assert!(program.walk(1).is_empty() && !program.walk(2).is_empty());
        assert_eq!((program.walk(0).nodes(), program.walk(1).nodes()), ([3, 3, 6], [1, 0, 0]));
    }

    /// Trap: a start past 32 bits cannot be tried; a part longer than 16 bits can.
    #[test]
    fn what_does_not_fit_is_not_written() {
        let (mut memory, mut headers) = (Vec::new(), Vec::new());
        let trunk = [[0, 3]; 0x1_0000];
        let written = Written::default();
        assert!(!written.encode(&trunk, u16::MAX, &mut memory, &mut headers).unwrap());
        assert!(memory.is_empty() && headers.is_empty());
        assert!(written.encode(&trunk[1..], u16::MAX, &mut memory, &mut headers).unwrap());
        let at = memory.len()..memory.len() + headers.len();
        memory.extend(headers);
        assert_eq!(Program::new(&memory, at).walk(0).trunk.len(), 0xffff);
    }
}
