//! Replays a walk of a program by groups on one tile.
//!
//! A leaf loads two words from a near cache, a state and an ending. By parents it loads one, because the parent is in a
//! register. In return there are no parents, and up to seven leaves share one use of a table row. That pays for tables
//! with two bytes, where the use of a row is most of a leaf's cost (`../diary.md`).

use super::replay::{Replayed, by_shape, load, save, walk_trunk};
use super::sink::{Counting, LEAVES_PER_FLUSH, Packed};
use crate::solver::color::side::{Groups, GroupsWalk, MAX_GROUP};
use crate::solver::color::tuning::GROUPS_AHEAD;
use crate::solver::simd::{Cell, KEYS_PER_BYTE, MAX_COUNT, Words};

/// The counts of a group are small enough to be multiplied.
const _: () = assert!(MAX_GROUP * KEYS_PER_BYTE <= MAX_COUNT);

impl<T: Words, S: Counting<T>> Replayed<T, S> for Groups {
    #[inline(always)]
    fn replay(walk: GroupsWalk<'_>, token: T, packed: &Packed<'_>, states: &mut [Cell], sink: &mut S) {
        by_shape!(packed, walk_tile::<T, S>(walk, token, packed, states, sink));
    }
}

/// Replays a walk on a tile of `N` words: `W` blocks with `N / W` levels.
#[inline(always)]
fn walk_tile<T: Words, S: Counting<T>, const W: usize, const N: usize>(
    walk: GroupsWalk<'_>,
    token: T,
    packed: &Packed<'_>,
    states: &mut [Cell],
    sink: &mut S,
) {
    let (planes, states) = (packed.planes.as_chunks().0, states.as_chunks_mut().0);
    let plane = |number: u16| &planes[usize::from(number)];
    walk_trunk::<T, N>(token, planes, walk.trunk, states);
    for (to, &[one, other]) in states[1 + walk.trunk.len()..].iter_mut().zip(walk.endings) {
        let mut ending = load::<T, N>(token, plane(one));
        for (word, other) in ending.iter_mut().zip(plane(other)) {
            *word = token.or(*word, token.load(other));
        }
        save::<T, N>(token, ending, to);
    }
    let tile = sink.begin_tile::<W, N>(token, packed);
    for (groups, leaves) in walk.entries.iter().zip(1..) {
        let length = 1 + 2 * leaves;
        for some in groups.chunks(LEAVES_PER_FLUSH / leaves * length) {
            let mut later = some.chunks_exact(length).skip(GROUPS_AHEAD);
            for group in some.chunks_exact(length) {
                if let Some(later) = later.next() {
                    sink.announce::<W, N>(&tile, later[0]);
                }
                let mut counts = [token.zero(); N];
                for &[state, ending] in group[1..].as_chunks().0 {
                    let (state, ending) = (&states[usize::from(state)], &states[usize::from(ending)]);
                    for w in 0..N {
                        let left = token.and_not(token.load(&ending[w]), token.load(&state[w]));
                        counts[w] = token.add_small(counts[w], token.counts(left));
                    }
                }
                sink.counts::<W, N>(token, &tile, group[0], counts);
            }
            sink.flush(token);
        }
    }
    sink.end_tile::<W, N>(token, tile);
}
