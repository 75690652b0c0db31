//! Programs: all walks of one color for one set E of even rows, as 16-bit numbers.
//!
//! A walk does not depend on the odd rows O, so it is searched once (`write.rs`) and replayed on the packs of many O. A
//! replay never searches for free squares.
//!
//! The *prefix* of a walk is not part of the program, because its queens are placed when keys are packed. All walks
//! with one prefix form a *subtree*. The states of a subtree above the last two rows are its *trunk*. An *ending*
//! combines the planes of two squares, one on each of the last two rows, and a *leaf* is a state and-not an ending.
//!
//! Many leaves have the same columns in different orders, and therefore the same table row. Up to seven of them form a
//! *group*: a replay first adds the counts of its leaves, and then reads or changes the table row once. Groups are
//! sorted by length, so that loops have fixed lengths and their branches are predicted.
//!
//! ```text
//!  memory   | subtree of prefix 0 | of prefix 1 | ... | start of subtree 0, low | high | of subtree 1, ... | ...
//!
//!  subtree  | header | trunk             | endings           | groups with one leaf | with two | ... | with seven |
//!                    | above plane | ... | plane plane | ... | row | state ending | state ending | ...
//!
//!  header   | states of the trunk | endings | groups with one leaf | with two | ... | with seven |
//!
//!  above    the number of the state above: 0 is the pack's own state (ALL_KEYS), and the trunk's states count from 1
//!  plane    the number of a plane: the new state is the state above and-not this plane
//!  row      the table row of all leaves of the group
//!  ending   the number of an ending; endings are numbered after the trunk's states
//! ```

mod groups;
mod write;

use std::ops::Range;
use std::sync::Arc;

use crate::color::split::Sides;
pub(crate) use write::Draft;

/// Stands for the table row of a column set that is not counted.
pub(crate) const NOT_COUNTED: u16 = u16::MAX;

/// The maximum number of leaves in a group: with 4, n = 24 takes 3 % longer on Zen 3, and 8 saves nothing. A leaf
/// counts at most 8 keys in a byte, so a group counts at most 56.
pub(crate) const MAX_GROUP: usize = 7;

/// Length of a header, in numbers.
const HEADER: usize = 2 + MAX_GROUP;

/// Returns the length of a group with `leaves` leaves, in numbers.
pub(crate) const fn group_length(leaves: usize) -> usize {
    1 + 2 * leaves
}

/// The program of one color for one E.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Program<'a> {
    memory: &'a [u16],
    /// Where the subtree of each prefix begins: the low and the high 16 bits.
    starts: &'a [[u16; 2]],
}

/// The walks with one prefix.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Subtree<'a> {
    /// For each state, the number of the state above and the plane.
    pub(crate) trunk: &'a [[u16; 2]],
    /// The two planes of each ending.
    pub(crate) endings: &'a [[u16; 2]],
    /// The groups with one leaf, with two, and so on.
    pub(crate) groups: [&'a [u16]; MAX_GROUP],
}

impl<'a> Program<'a> {
    /// Returns the program whose starts are at `starts` in `memory`.
    pub(crate) fn new(memory: &'a [u16], starts: Range<usize>) -> Self {
        Self { memory, starts: memory[starts].as_chunks().0 }
    }

    /// Returns the subtree of prefix number `prefix_number`. Prefixes are numbered in the order of
    /// [`extend`](crate::color::split::extend).
    #[inline(always)]
    pub(crate) fn subtree(&self, prefix_number: usize) -> Subtree<'a> {
        let [low, high] = self.starts[prefix_number].map(usize::from);
        let ([trunk, endings, lengths @ ..], rest): (&[u16; HEADER], _) =
            self.memory[high << 16 | low..].split_first_chunk().expect("a subtree has a header");
        let (trunk, rest) = rest.split_at(2 * usize::from(*trunk));
        let (endings, mut rest) = rest.split_at(2 * usize::from(*endings));
        let mut groups = [&rest[..0]; MAX_GROUP];
        for ((part, length), leaves) in groups.iter_mut().zip(lengths).zip(1..) {
            (*part, rest) = rest.split_at(usize::from(*length) * group_length(leaves));
        }
        Subtree { trunk: trunk.as_chunks().0, endings: endings.as_chunks().0, groups }
    }
}

impl Subtree<'_> {
    /// Returns whether the subtree has no leaf.
    #[inline(always)]
    pub(crate) fn is_empty(&self) -> bool {
        self.groups.iter().all(|groups| groups.is_empty())
    }

    /// Returns the number of leaves.
    pub(crate) fn leaves(&self) -> u64 {
        let leaves = |(groups, leaves): (&&[u16], _)| groups.len() / group_length(leaves) * leaves;
        self.groups.iter().zip(1..).map(leaves).sum::<usize>() as u64
    }

    /// Returns the number of states, including the pack's own, and endings. For each word of a tile, a replay stores
    /// one word for each of them.
    #[inline(always)]
    pub(crate) fn states_and_endings(&self) -> usize {
        1 + self.trunk.len() + self.endings.len()
    }
}

/// The programs of both sides for one set E, in one allocation.
///
/// One thread often allocates them and another frees them, so with many small allocations, threads would wait for each
/// other in the allocator.
#[derive(Debug, Clone)]
pub(crate) struct Programs {
    memory: Arc<Vec<u16>>,
    /// Where the starts of each side's program are.
    starts: Sides<Range<usize>>,
}

impl Programs {
    /// Joins the programs of both sides, whose starts are at `starts` in `memory`.
    pub(crate) fn new(memory: Vec<u16>, starts: Sides<Range<usize>>) -> Self {
        Self { memory: Arc::new(memory), starts }
    }

    /// Returns the program of the filling side.
    pub(crate) fn filling(&self) -> Program<'_> {
        Program::new(&self.memory, self.starts.filling.clone())
    }

    /// Returns the program of the summing side.
    pub(crate) fn summing(&self) -> Program<'_> {
        Program::new(&self.memory, self.starts.summing.clone())
    }
}
