//! The inner loop, which walks a program on the tiles of packs and passes the counts of its groups to a [`Sink`].
//!
//! ```text
//! for each pack of the batch, for each tile of the pack:       a tile has N words, and each plane has N words
//!     states[0] = plane of all keys
//!     for (above, plane) in the trunk:                          a queen above the last two rows
//!         next state = states[above] and-not planes[plane]
//!     for (one, other) in the endings:                          two queens, on the last two rows
//!         next state = planes[one] or planes[other]
//!     for (row, leaves) in the groups:                          leaves with one table row
//!         counts = 0
//!         for (state, ending) in leaves:
//!             counts += bits of each byte of (states[state] and-not states[ending])
//!         sink: table[row] += counts                            the filling side
//!               sum += counts * table[row]                      the summing side
//! ```
//!
//! [`Replay::walk`] is the outer loop, and [`LaneWalk`] does the rest. On sparse packs, `SparseWalk` (`sparse.rs`)
//! looks up the entry of each key that is alive instead of counting bits.

mod dot;
mod fill;
mod sink;
mod sparse;

use crate::color::pack::{ALL_KEYS, Pack, Store};
use crate::color::program::{Program, Subtree, group_length};
use crate::color::table::{Entries, TurnedPiece};
use crate::memory::grow;
use crate::simd::{Cell, Words, dispatch};
use crate::solver::Isa;
use crate::tally::Work;
use crate::{CancelToken, Result};
use dot::Dot;
use fill::Fill;
use sink::{LEAVES_PER_FLUSH, Sink, TileData};
use sparse::LookUp;
pub(crate) use sparse::Noted;

/// Adds the counts of a walk to a table.
///
/// # Errors
/// [`Error::Memory`](crate::Error::Memory), [`Error::Cancelled`](crate::Error::Cancelled).
pub(crate) fn fill(isa: Isa, replay: Replay<'_>, table: Entries<'_>) -> Result<()> {
    dispatch(isa, Fill { replay, table })
}

/// Returns the sum of a walk's counts times the entries of a turned table. `sparse` is the memory for noted leaves, or
/// `None` if the packs are not sparse.
///
/// # Errors
/// [`Error::Memory`](crate::Error::Memory), [`Error::Cancelled`](crate::Error::Cancelled).
pub(crate) fn sum(isa: Isa, replay: Replay<'_>, table: TurnedPiece<'_>, sparse: Option<&mut Noted>) -> Result<u128> {
    match sparse {
        None => dispatch(isa, Dot { replay, table }),
        Some(noted) => dispatch(isa, LookUp { replay, table, noted }),
    }
}

/// A replay of a program on a batch of packs.
pub(crate) struct Replay<'a> {
    /// The store with the batch.
    pub(crate) batch: &'a Store,
    pub(crate) program: Program<'a>,
    /// Memory for the states and endings of a subtree.
    pub(crate) states: &'a mut Vec<Cell>,
    /// The work so far, to which a walk adds its own.
    pub(crate) work: &'a mut Work,
    pub(crate) cancel: &'a CancelToken,
}

/// What a replay does on one tile. This is not a closure, because closures are compiled without the instruction set and
/// then not inlined.
trait TileWalk<T: Words> {
    /// The largest number of words of a tile.
    const TILE_WORDS: usize;

    /// Walks a subtree on a tile of `N` words. `states` has room for N cells of each state and ending.
    fn walk_tile<const N: usize>(&mut self, simd: T, subtree: Subtree<'_>, data: &TileData<'_>, states: &mut [Cell]);
}

impl Replay<'_> {
    /// Walks the program on all tiles of the batch.
    #[inline(always)]
    fn walk<T: Words, W: TileWalk<T>>(self, simd: T, walk: &mut W) -> Result<()> {
        let Self { batch, program, states, work, cancel } = self;
        for pack in &batch.packs {
            let subtree = program.subtree(pack.prefix_number as usize);
            if subtree.is_empty() {
                continue;
            }
            work.add(work_of(&subtree, pack));
            grow(states, subtree.states_and_endings() * W::TILE_WORDS, Cell::ZERO)?;
            for tile in batch.tiles(pack) {
                // A pack takes seconds on the largest boards, so the token is checked before each tile.
                cancel.check()?;
                let data = TileData { tile, planes: batch.planes(pack, tile), lane_of: batch.lane_of(pack, tile) };
                walk_by_words(simd, walk, subtree, &data, states);
            }
        }
        Ok(())
    }
}

/// Returns the work of walking a subtree on a pack.
fn work_of(subtree: &Subtree<'_>, pack: &Pack) -> Work {
    let nodes = subtree.states_and_endings() as u64 + subtree.leaves();
    // The pack's own state is not a node, but its words are visited.
    Work { nodes: nodes - 1, words: nodes * u64::from(pack.words) }
}

/// Defines `walk_by_words`, which calls [`TileWalk::walk_tile`] with the number of words of a tile as a constant.
macro_rules! walk_by_words {
    ($($words:literal)*) => {
        #[inline(always)]
        fn walk_by_words<T: Words, W: TileWalk<T>>(
            simd: T,
            walk: &mut W,
            subtree: Subtree<'_>,
            data: &TileData<'_>,
            states: &mut [Cell],
        ) {
            match data.tile.words {
                // Without the constant condition, the compiler would generate code for tiles that no pack has.
                $($words if const { $words <= W::TILE_WORDS } => {
                    walk.walk_tile::<$words>(simd, subtree, data, states);
                })*
                _ => unreachable!("a tile has at most as many words as the code takes"),
            }
        }
    };
}
walk_by_words!(1 2 3 4 5 6 7 8);

/// The walk on packs in lanes, which adds up the counts of each group and passes them to a sink.
struct LaneWalk<'a, S>(&'a mut S);

impl<T: Words, S: Sink<T>> TileWalk<T> for LaneWalk<'_, S> {
    const TILE_WORDS: usize = T::TILE_WORDS;

    #[inline(always)]
    fn walk_tile<const N: usize>(&mut self, simd: T, subtree: Subtree<'_>, data: &TileData<'_>, states: &mut [Cell]) {
        let states = find_states::<T, N>(simd, subtree, data.planes, states);
        let tile = self.0.start_tile::<N>(simd, data);
        for (groups, leaves) in subtree.groups.iter().zip(1..) {
            let length = group_length(leaves);
            for some in groups.chunks(LEAVES_PER_FLUSH / leaves * length) {
                for group in some.chunks_exact(length) {
                    let mut counts = [simd.zero(); N];
                    for &[state, ending] in group[1..].as_chunks().0 {
                        let alive = and_not::<T, N>(simd, &states[usize::from(ending)], &states[usize::from(state)]);
                        for w in 0..N {
                            counts[w] = simd.add_small(counts[w], simd.counts(alive[w]));
                        }
                    }
                    self.0.end_group(simd, &tile, group[0], counts);
                }
                // A single flush after the groups of all lengths would save no instructions (n = 16, Zen 3).
                self.0.flush(simd);
            }
        }
    }
}

/// Finds the keys of a tile that are alive in each state of a subtree, followed by the planes of its endings. The tile
/// has `N` words.
///
/// Planes and states are arrays of `N` cells, so that an index needs one bounds check instead of two.
#[inline(always)]
fn find_states<'a, T: Words, const N: usize>(
    simd: T,
    subtree: Subtree<'_>,
    planes: &[Cell],
    states: &'a mut [Cell],
) -> &'a [[Cell; N]] {
    let planes: &[[Cell; N]] = planes.as_chunks().0;
    let states: &mut [[Cell; N]] = states.as_chunks_mut().0;
    let plane = |number: u16| &planes[usize::from(number)];
    states[0] = *plane(ALL_KEYS);
    for (at, &[above, number]) in subtree.trunk.iter().enumerate() {
        let state = and_not::<T, N>(simd, plane(number), &states[usize::from(above)]);
        let to = &mut states[at + 1];
        for w in 0..N {
            simd.store(state[w], &mut to[w]);
        }
    }
    for (to, &[one, other]) in states[1 + subtree.trunk.len()..].iter_mut().zip(subtree.endings) {
        let (one, other) = (plane(one), plane(other));
        for w in 0..N {
            simd.store(simd.or(simd.load(&one[w]), simd.load(&other[w])), &mut to[w]);
        }
    }
    states
}

// Plain loops, because closures in `array::from_fn` would be compiled without the instruction set and not inlined.

#[inline(always)]
pub(super) fn load<T: Words, const N: usize>(simd: T, cells: &[Cell; N]) -> [T::Word; N] {
    let mut words = [simd.load(&cells[0]); N];
    for w in 1..N {
        words[w] = simd.load(&cells[w]);
    }
    words
}

/// Returns the keys of a state that a plane does not attack.
#[inline(always)]
fn and_not<T: Words, const N: usize>(simd: T, plane: &[Cell; N], state: &[Cell; N]) -> [T::Word; N] {
    let mut words = load::<T, N>(simd, state);
    for w in 0..N {
        words[w] = simd.and_not(simd.load(&plane[w]), words[w]);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::color::pack::divide;
    use crate::color::program::MAX_GROUP;
    use crate::simd::{KEYS_PER_BYTE, Kernel, WORD_BYTES};

    /// A sink that counts the leaves before each flush. It divides the alive keys of a byte by 8, so every leaf must
    /// leave all keys alive.
    #[derive(Default)]
    struct Leaves {
        since_flush: usize,
        flushed: Vec<usize>,
    }

    impl<T: Words> Sink<T> for &mut Leaves {
        type Tile<const N: usize> = ();

        #[inline(always)]
        fn start_tile<const N: usize>(&self, _simd: T, _data: &TileData<'_>) {}

        #[inline(always)]
        fn end_group<const N: usize>(&mut self, simd: T, _tile: &(), _row: u16, counts: [T::Word; N]) {
            let mut cell = Cell::ZERO;
            simd.store(counts[0], &mut cell);
            self.since_flush += usize::from(cell.0[0]) / KEYS_PER_BYTE;
        }

        #[inline(always)]
        fn flush(&mut self, _simd: T) {
            let leaves = std::mem::take(&mut self.since_flush);
            self.flushed.push(leaves);
        }
    }

    struct Walk<'a>(Subtree<'a>, TileData<'a>, &'a mut Leaves);

    impl Kernel for Walk<'_> {
        type Output = ();

        #[inline(always)]
        fn run<T: Words>(self, simd: T) {
            let Self(subtree, data, mut leaves) = self;
            LaneWalk(&mut leaves).walk_tile::<1>(simd, subtree, &data, &mut [Cell::ZERO; 2]);
        }
    }

    /// Partial sums must not overflow in a subtree that is larger than those of the boards that tests count.
    #[test]
    fn a_sink_is_flushed_in_time_however_large_a_subtree_is() {
        // No trunk, and one ending that attacks no key.
        let groups = [1, 2, 3, 4, 5, 6, 7].map(|leaves| [&[0][..], &[0, 1].repeat(leaves)].concat().repeat(5000));
        let subtree = Subtree { trunk: &[], endings: &[[0, 0]], groups: groups.each_ref().map(|groups| &groups[..]) };
        let planes = [Cell::ZERO, Cell([0xff; WORD_BYTES]), Cell::ZERO];
        let mut tiles = Vec::new();
        divide(&[1], 1, &mut tiles).unwrap();
        for isa in Isa::available() {
            let mut leaves = Leaves::default();
            dispatch(isa, Walk(subtree, TileData { tile: &tiles[0], planes: &planes, lane_of: &[] }, &mut leaves));
            assert_eq!(leaves.flushed.iter().sum::<usize>(), 5000 * (1..=MAX_GROUP).sum::<usize>(), "{isa}");
            assert!(leaves.flushed.iter().all(|&leaves| leaves <= LEAVES_PER_FLUSH), "{isa}");
        }
    }
}
