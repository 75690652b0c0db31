//! Replays a walk of a program by parents on one tile.

use prefetch_index::prefetch_index;

use super::replay::{Replayed, and_not, by_shape, load, walk_trunk};
use super::sink::{LEAVES_PER_FLUSH, Packed, Sink};
use crate::solver::color::side::{Parents, ParentsWalk};
use crate::solver::simd::{Cell, Words};

impl<T: Words, S: Sink<T>> Replayed<T, S> for Parents {
    #[inline(always)]
    fn replay(walk: ParentsWalk<'_>, token: T, packed: &Packed<'_>, states: &mut [Cell], sink: &mut S) {
        by_shape!(packed, walk_tile::<T, S>(walk, token, packed, states, sink));
    }
}

/// Replays a walk on a tile of `N` words: `W` blocks with `N / W` levels.
#[inline(always)]
fn walk_tile<T: Words, S: Sink<T>, const W: usize, const N: usize>(
    walk: ParentsWalk<'_>,
    token: T,
    packed: &Packed<'_>,
    states: &mut [Cell],
    sink: &mut S,
) {
    let (planes, states) = (packed.planes.as_chunks().0, states.as_chunks_mut().0);
    let plane = |number: u16| &planes[usize::from(number)];
    walk_trunk::<T, N>(token, planes, walk.trunk, states);
    let tile = sink.begin_tile::<W, N>(token, packed);
    let mut ahead = 0;
    for (parents, children) in walk.entries.iter().zip(1..) {
        let length = 2 + 2 * children;
        for some in parents.chunks(LEAVES_PER_FLUSH / children * length) {
            let mut later = some.chunks_exact(length).skip(S::PARENTS_AHEAD);
            for parent in some.chunks_exact(length) {
                if S::PARENTS_AHEAD > 0
                    && let Some(later) = later.next()
                {
                    for &[_, row] in later[2..].as_chunks().0 {
                        sink.announce::<W, N>(&tile, row);
                    }
                }
                if S::CELLS_AHEAD > 0 && ahead < packed.next.len() {
                    for cell in 0..S::CELLS_AHEAD {
                        prefetch_index(packed.next, ahead + cell);
                    }
                    ahead += S::CELLS_AHEAD;
                }
                let (parent, children) = parent.split_at(2);
                let state = load::<T, N>(token, &states[usize::from(parent[0])]);
                let state = and_not::<T, N>(token, plane(parent[1]), state);
                if sink.skips::<N>(token, &state) {
                    continue;
                }
                for &[number, row] in children.as_chunks().0 {
                    let alive = and_not::<T, N>(token, plane(number), state);
                    sink.leaf::<W, N>(token, &tile, row, alive);
                }
                sink.end_parent::<W, N>(token, &tile);
            }
            sink.flush(token);
        }
    }
    sink.end_tile::<W, N>(token, tile);
}
