//! Programs by parents: leaves are sorted by the queen above them.
//!
//! A *parent* is a state after the last row but one. Its *children* are its leaves. A parent with more than four
//! children is written as several parents.
//!
//! ```text
//!  entry    | state plane | plane row | plane row | ...
//!             the parent    its children
//!
//!  state    the number of the state above the parent
//!  plane    the state above and-not the parent's plane is the parent. The parent and-not a child's plane is the leaf
//!  row      the table row of the leaf
//! ```

use super::form::{Encoded, Form, Leaf, NOT_COUNTED, Parent, Walk, entry_length};
use crate::Result;
use crate::room::make_room;

/// The most children of a parent. A replay has one loop for each number of children.
pub(crate) const MAX_CHILDREN: usize = 4;

/// An entry begins with a state and a plane.
const LEAD: usize = 2;

/// The walk for one prefix: its entries are parents.
pub(crate) type ParentsWalk<'a> = Walk<'a, LEAD, MAX_CHILDREN>;

/// The form "by parents", with the parents of the walk that is written.
#[derive(Debug, Default)]
pub(crate) struct Parents {
    /// The parents with one child, with two, and so on.
    parents: [Vec<[u16; 2]>; MAX_CHILDREN],
    /// Scratch: the children of one parent, each a plane and a table row. At most one for each column.
    children: [[u16; 2]; 16],
}

impl Parents {
    /// Adds a parent and its children. With a constant `LENGTH` the copy needs no call.
    #[inline(always)]
    fn push<const LENGTH: usize>(&mut self, parent: [[u16; 2]; LENGTH]) {
        self.parents[LENGTH - 2].extend_from_slice(&parent);
    }
}

impl Form for Parents {
    type Walk<'a> = ParentsWalk<'a>;

    fn clear(&mut self) -> Result<()> {
        self.parents.iter_mut().for_each(Vec::clear);
        Ok(())
    }

    fn make_room(&mut self) -> Result<()> {
        // Up to 16 parents have up to 16 children each, in entries of up to five pairs.
        self.parents.iter_mut().try_for_each(|parents| make_room(parents, 16 * 4 * 5))
    }

    #[inline(always)]
    fn take(&mut self, parent: Parent, leaves: impl Iterator<Item = Leaf>) -> bool {
        let mut count = 0;
        for Leaf { plane, row, .. } in leaves {
            self.children[count] = [plane, row];
            count += usize::from(row != NOT_COUNTED);
        }
        let (parent, children) = ([parent.state, parent.plane], self.children);
        let (all, rest) = children[..count].as_chunks::<MAX_CHILDREN>();
        for &[a, b, c, d] in all {
            self.push([parent, a, b, c, d]);
        }
        match *rest {
            [a] => self.push([parent, a]),
            [a, b] => self.push([parent, a, b]),
            [a, b, c] => self.push([parent, a, b, c]),
            _ => {}
        }
        count > 0
    }

    fn encode(&mut self, trunk: &[[u16; 2]], longest: u16, to: &mut Encoded) -> Result<bool> {
        let entries: [usize; MAX_CHILDREN] =
            std::array::from_fn(|i| 2 * self.parents[i].len() / entry_length(LEAD, i + 1));
        let fits = to.begin::<LEAD, MAX_CHILDREN>(trunk, &[], entries, longest)?;
        if fits {
            for parents in &self.parents {
                to.memory.extend_from_slice(parents.as_flattened());
            }
        }
        Ok(fits)
    }
}

#[cfg(test)]
mod tests {
    use super::super::form::{Program, Read};
    use super::*;

    /// Appends the headers to the memory, and returns the program.
    fn program(encoded: &mut Encoded) -> Program<'_, Parents> {
        let at = encoded.memory.len()..encoded.memory.len() + encoded.headers.len();
        encoded.memory.append(&mut encoded.headers);
        Program::new(&encoded.memory, at)
    }

    #[test]
    fn what_is_encoded_is_decoded() {
        let mut encoded = Encoded { memory: vec![7, 7, 7], headers: Vec::new() };
        let trunks: [&[[u16; 2]]; 3] = [&[[0, 3], [1, 4]], &[], &[]];
        let mut first = Parents::default();
        first.push([[2, 5], [6, 0]]);
        first.push([[1, 5], [6, 1]]);
        first.push([[0, 7], [8, 2], [9, 3], [10, 4], [11, 5]]);
        let mut second = Parents::default();
        second.push([[0, 0], [0, 9], [1, 8]]);
        let mut all = [first, Parents::default(), second];
        for (trunk, parents) in trunks.into_iter().zip(&mut all) {
            assert!(parents.encode(trunk, u16::MAX, &mut encoded).unwrap());
        }
        let program = program(&mut encoded);
        assert_eq!(program.prefixes(), 3);
        for (prefix, written) in all.iter().enumerate() {
            let walk = program.walk(prefix);
            assert_eq!(walk.trunk, trunks[prefix]);
            for (parents, expected) in walk.entries.iter().zip(&written.parents) {
                assert_eq!(*parents, expected.as_flattened());
            }
        }
        assert!(program.walk(1).is_empty() && !program.walk(2).is_empty());
        assert_eq!((program.walk(0).nodes(), program.walk(1).nodes()), (3 + 3 + 6, 1));
    }

    /// Trap: a start past 32 bits cannot be tried; a part longer than 16 bits can.
    #[test]
    fn what_does_not_fit_is_not_written() {
        let (mut encoded, trunk) = (Encoded::default(), [[0, 3]; 0x1_0000]);
        assert!(!Parents::default().encode(&trunk, u16::MAX, &mut encoded).unwrap());
        assert!(encoded.memory.is_empty() && encoded.headers.is_empty());
        assert!(Parents::default().encode(&trunk[1..], u16::MAX, &mut encoded).unwrap());
        assert_eq!(program(&mut encoded).walk(0).trunk.len(), 0xffff);
    }
}
