//! The packed walk of a grouped program: leaves that meet the same row of the table are counted together.
//!
//! A leaf is two words from a near cache and not one and a register, as below a parent. In return there are no parents,
//! and the table is met once for two to four leaves: with tables of two bytes, which are asked for each row whether the
//! high ones matter, that is most of what a leaf costs. `../diary.md` has where it won and where it lost.

use super::walk::{Found, Leaf, PARENTS_PER_SUM, Replayed, Walked, by_shape, load, save, walk_trunk};
use crate::solver::color::half::{GroupedProgram, GroupedWalk, MAX_CHILDREN, MAX_GROUP, NUMBERS, Tile};
use crate::solver::color::tuning::Traits;
use crate::solver::simd::{Cell, LANE_BITS, Lanes, MAX_COUNT};

/// After so many groups partial sums are added to a total: no more leaves than those of [`PARENTS_PER_SUM`] parents.
const GROUPS_PER_SUM: usize = PARENTS_PER_SUM / 2;

const _: () = assert!(GROUPS_PER_SUM * MAX_GROUP <= PARENTS_PER_SUM * MAX_CHILDREN);

/// The counts of a group are multiplied as those of a tile's levels are.
const _: () = assert!(MAX_GROUP * LANE_BITS <= MAX_COUNT);

impl<'a> Replayed for GroupedProgram<'a> {
    type Walk = GroupedWalk<'a>;

    #[inline(always)]
    fn walk(&self, prefix: usize) -> GroupedWalk<'a> {
        GroupedProgram::walk(self, prefix)
    }
}

impl Walked for GroupedWalk<'_> {
    #[inline(always)]
    fn is_empty(&self) -> bool {
        GroupedWalk::is_empty(self)
    }

    #[inline(always)]
    fn nodes(&self) -> u64 {
        GroupedWalk::nodes(self).iter().sum()
    }

    #[inline(always)]
    fn states(&self) -> usize {
        1 + self.trunk.len() + self.endings.len()
    }

    #[inline(always)]
    fn replay<L: Lanes, F: Leaf<L>>(self, lanes: L, planes: &[Cell], tile: &Tile, states: &mut [Cell], leaf: &mut F) {
        // Elsewhere the counts of a tile's levels are added, and with several leaves may pass a byte.
        if !Traits::of_code::<L>().groups {
            unreachable!("programs are grouped where this says so")
        }
        by_shape!(tile, L::HELD_WORDS, walk_tile::<L, F>(lanes, planes, usize::from(tile.block), self, states, leaf));
    }
}

/// Replays a walk on a tile of `N` words: `W` blocks, N / W levels.
#[inline(always)]
fn walk_tile<L: Lanes, F: Leaf<L>, const W: usize, const N: usize>(
    lanes: L,
    planes: &[Cell],
    block: usize,
    walk: GroupedWalk<'_>,
    states: &mut [Cell],
    leaf: &mut F,
) {
    let (planes, states) = (planes.as_chunks().0, states.as_chunks_mut().0);
    let plane = |number: u16| &planes[usize::from(number)];
    walk_trunk::<L, N>(lanes, planes, walk.trunk, states);
    for (to, &[one, other]) in states[1 + walk.trunk.len()..].iter_mut().zip(walk.endings) {
        let mut ending = load::<L, N>(lanes, plane(one));
        for (word, other) in ending.iter_mut().zip(plane(other)) {
            *word = lanes.or(*word, lanes.load(other));
        }
        save::<L, N>(lanes, ending, to);
    }
    let numbers = load::<L, N>(lanes, plane(NUMBERS));
    for (groups, leaves) in walk.groups.iter().zip(1..) {
        let length = 1 + 2 * leaves;
        for some in groups.chunks(GROUPS_PER_SUM * length) {
            for group in some.chunks_exact(length) {
                let mut counts = [lanes.zero(); N];
                for &[state, ending] in group[1..].as_chunks().0 {
                    let (state, ending) = (&states[usize::from(state)], &states[usize::from(ending)]);
                    for w in 0..N {
                        let left = lanes.and_not(lanes.load(&ending[w]), lanes.load(&state[w]));
                        counts[w] = lanes.add_small(counts[w], lanes.counts(left));
                    }
                }
                leaf.leaf::<W, N>(lanes, Found { row: usize::from(group[0]), block, counts, numbers });
            }
            leaf.flush(lanes);
        }
    }
}
