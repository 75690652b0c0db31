//! The packed walk: a program replayed on packs, the counts of each leaf handed to a [`Leaf`].

use std::ops::Range;

use crate::count::Work;
use crate::solver::color::half::{ALL_KEYS, MAX_CHILDREN, NUMBERS, Program, Store, Tile, Walk};
use crate::solver::color::room::grow;
use crate::solver::color::tuning::MAX_WORDS;
use crate::solver::simd::{Cell, LANE_BITS, Lanes};
use crate::{CancelToken, Result};

/// After so many parents the partial sums of [`Lanes::dot`] are added to a total ([`Leaf::flush`]).
pub(super) const PARENTS_PER_SUM: usize = 1024;

/// What a partial sum may come to until then: a product is at most a lane's keys times 255. (Where levels are added first,
/// there are fewer products of larger counts.)
const fn largest_sum<L: Lanes>() -> u64 {
    let words = (PARENTS_PER_SUM * MAX_CHILDREN * MAX_WORDS) as u64;
    words * (L::PRODUCTS_PER_SUM * LANE_BITS * u8::MAX as usize) as u64
}

/// What is done with the counts of a leaf.
pub(crate) trait Leaf<L: Lanes> {
    /// Takes what was found at one leaf.
    fn leaf<const W: usize, const N: usize>(&mut self, lanes: L, found: Found<L, W, N>);
    /// Is called after at most [`PARENTS_PER_SUM`] parents: adds partial sums up before they overflow.
    fn flush(&mut self, lanes: L);
    /// Whether the words of a block are not added, because their lanes have numbers.
    const IS_PICKED: bool = false;
    /// Bytes of the tables, all rows together, that a block of a tile meets.
    fn block_bytes(&self) -> usize;
}

/// What a walk finds at a leaf: counts on the `N` words of `W` blocks (or pairs, where blocks share words), level by
/// level.
#[derive(Clone, Copy)]
pub(crate) struct Found<L: Lanes, const W: usize, const N: usize> {
    /// The table's row.
    pub(crate) row: usize,
    /// The first block.
    pub(crate) block: usize,
    pub(crate) counts: [L::Word; N],
    /// The numbers of their lanes, where those share places.
    pub(crate) numbers: [L::Word; N],
}

impl<L: Lanes, const W: usize, const N: usize> Found<L, W, N> {
    /// The counts of each block: those of its levels added.
    #[inline(always)]
    pub(crate) fn by_block(&self, lanes: L) -> [L::Word; W] {
        let mut sums = *self.counts.first_chunk().expect("a tile has a level");
        for word in W..N {
            sums[word % W] = lanes.add_saturating(sums[word % W], self.counts[word]);
        }
        sums
    }
}

/// A program of some form.
pub(crate) trait Replayed {
    type Walk: Walked;
    /// The walk for the prefix of this number.
    fn walk(&self, prefix: usize) -> Self::Walk;
}

/// The walk for one prefix in some form.
pub(crate) trait Walked: Copy {
    /// Whether there is no leaf.
    fn is_empty(&self) -> bool;
    /// How many of its nodes are computed on each word, the pack's own state among them.
    fn nodes(&self) -> u64;
    /// How many words are kept in memory for each word of a tile.
    fn states(&self) -> usize;
    /// Replays it on a tile with these planes.
    fn replay<L: Lanes, F: Leaf<L>>(self, lanes: L, planes: &[Cell], tile: &Tile, states: &mut [Cell], leaf: &mut F);
}

/// Packs, and the program that is replayed on them.
pub(crate) struct Replay<'a, P> {
    pub(crate) store: &'a Store,
    pub(crate) packs: Range<usize>,
    pub(crate) program: P,
    /// Bytes of the table that are used at a time.
    pub(crate) range_bytes: usize,
    pub(crate) states: &'a mut Vec<Cell>,
    pub(crate) cancel: &'a CancelToken,
}

impl<P: Replayed> Replay<'_, P> {
    /// Replays the program on the tiles of one range of blocks after the other: a range meets `range_bytes` of the
    /// tables.
    #[inline(always)]
    pub(crate) fn run<L: Lanes, F: Leaf<L>>(self, lanes: L, leaf: &mut F) -> Result<Work> {
        const { assert!(largest_sum::<L>() <= L::LARGEST_SUM, "partial sums are flushed too late") };
        let Self { store, packs, program, range_bytes, states, cancel } = self;
        let packs = &store.packs[packs];
        let mut work = Work::default();
        let together = (range_bytes / leaf.block_bytes().max(1)).max(1);
        let (mut first, mut end) = (0usize, 1);
        while first < end {
            let blocks = first..first.saturating_add(together);
            for pack in packs {
                let walk = program.walk(pack.prefix as usize);
                if walk.is_empty() {
                    continue;
                }
                if first == 0 {
                    let nodes = walk.nodes();
                    work.nodes += nodes - 1;
                    work.words += nodes * u64::from(pack.words);
                    grow(states, walk.states() * MAX_WORDS, Cell::ZERO)?;
                }
                for tile in store.tiles(pack) {
                    end = end.max(usize::from(tile.block) + 1);
                    if !blocks.contains(&usize::from(tile.block)) {
                        continue;
                    }
                    // On the largest boards a pack takes seconds.
                    if cancel.is_cancelled() {
                        return Ok(work);
                    }
                    walk.replay(lanes, store.planes(pack, tile), tile, states, leaf);
                }
            }
            first = blocks.end;
        }
        Ok(work)
    }
}

/// Calls a function for a tile's shape: with its blocks and its words as constants.
macro_rules! by_shape {
    ($tile:expr, $most:expr, $function:ident::<$lanes:ty, $leaf:ty>$arguments:tt) => {
        by_shape!(@ $tile, $most, $function::<$lanes, $leaf>$arguments,
            1 x 1 2 x 1 3 x 1 4 x 1 5 x 1 6 x 1 7 x 1 8 x 1 1 x 2 2 x 2 3 x 2 4 x 2
            1 x 3 2 x 3 1 x 4 2 x 4 1 x 5 1 x 6 1 x 7 1 x 8)
    };
    (@ $tile:expr, $most:expr, $function:ident::<$lanes:ty, $leaf:ty>$arguments:tt, $($width:literal x $depth:literal)*) => {
        match ($tile.width, $tile.depth) {
            $(($width, $depth) if $width * $depth <= $most => {
                $function::<$lanes, $leaf, $width, { $width * $depth }>$arguments
            })*
            _ => unreachable!("a tile has at most 8 words"),
        }
    };
}
pub(super) use by_shape;

impl<'a> Replayed for Program<'a> {
    type Walk = Walk<'a>;

    #[inline(always)]
    fn walk(&self, prefix: usize) -> Walk<'a> {
        Program::walk(self, prefix)
    }
}

impl Walked for Walk<'_> {
    #[inline(always)]
    fn is_empty(&self) -> bool {
        Walk::is_empty(self)
    }

    #[inline(always)]
    fn nodes(&self) -> u64 {
        Walk::nodes(self).iter().sum()
    }

    #[inline(always)]
    fn states(&self) -> usize {
        1 + self.trunk.len()
    }

    #[inline(always)]
    fn replay<L: Lanes, F: Leaf<L>>(self, lanes: L, planes: &[Cell], tile: &Tile, states: &mut [Cell], leaf: &mut F) {
        let words = usize::from(tile.width) * usize::from(tile.depth);
        if L::HELD_WORDS < MAX_WORDS && words > L::HELD_WORDS {
            return walk_tile_in_memory(lanes, planes, tile, self, states, leaf);
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
    walk: Walk<'_>,
    states: &mut [Cell],
    leaf: &mut F,
) {
    let (planes, states) = (planes.as_chunks().0, states.as_chunks_mut().0);
    let plane = |number: u16| &planes[usize::from(number)];
    walk_trunk::<L, N>(lanes, planes, walk.trunk, states);
    let numbers = load::<L, N>(lanes, plane(NUMBERS));
    for (parents, children) in walk.parents.iter().zip(1..) {
        let length = 2 + 2 * children;
        for some in parents.chunks(PARENTS_PER_SUM * length) {
            for parent in some.chunks_exact(length) {
                let (parent, children) = parent.split_at(2);
                let state = load::<L, N>(lanes, &states[usize::from(parent[0])]);
                let state = and_not::<L, N>(lanes, plane(parent[1]), state);
                for &[number, row] in children.as_chunks().0 {
                    let left = and_not::<L, N>(lanes, plane(number), state);
                    let mut counts = left;
                    for w in 0..N {
                        counts[w] = lanes.counts(left[w]);
                    }
                    leaf.leaf::<W, N>(lanes, Found { row: usize::from(row), block, counts, numbers });
                }
            }
            leaf.flush(lanes);
        }
    }
}

/// The trunk's states, after the pack's own, on a tile of `N` words.
///
/// Planes and states are arrays of `N` cells, so that a number needs one comparison to be within bounds, not two: 1 to 4
/// % less time at n = 16 to 20 (Zen 5).
#[inline(always)]
pub(super) fn walk_trunk<L: Lanes, const N: usize>(
    lanes: L,
    planes: &[[Cell; N]],
    trunk: &[[u16; 2]],
    states: &mut [[Cell; N]],
) {
    states[0] = planes[usize::from(ALL_KEYS)];
    for (at, &[above, number]) in trunk.iter().enumerate() {
        let state = load::<L, N>(lanes, &states[usize::from(above)]);
        let state = and_not::<L, N>(lanes, &planes[usize::from(number)], state);
        save::<L, N>(lanes, state, &mut states[at + 1]);
    }
}

/// [`walk_tile`] word by word, where registers do not hold a tile: less code, and faster there.
#[inline(always)]
fn walk_tile_in_memory<L: Lanes, F: Leaf<L>>(
    lanes: L,
    planes: &[Cell],
    tile: &Tile,
    walk: Walk<'_>,
    states: &mut [Cell],
    leaf: &mut F,
) {
    let (width, depth) = (usize::from(tile.width), usize::from(tile.depth));
    let all = width * depth;
    let plane = |number: u16| &planes[usize::from(number) * all..][..all];
    states[..all].copy_from_slice(plane(ALL_KEYS));
    for (at, &[above, number]) in walk.trunk.iter().enumerate() {
        let (known, new) = states.split_at_mut((at + 1) * all);
        let state = &known[usize::from(above) * all..][..all];
        for ((to, from), hit) in new.iter_mut().zip(state).zip(plane(number)) {
            lanes.store(lanes.and_not(lanes.load(hit), lanes.load(from)), to);
        }
    }
    let mut state = [Cell::ZERO; MAX_WORDS];
    let numbers = plane(NUMBERS);
    let blocks: [usize; MAX_WORDS] = std::array::from_fn(|word| usize::from(tile.block) + word % width);
    for (parents, children) in walk.parents.iter().zip(1..) {
        let length = 2 + 2 * children;
        for some in parents.chunks(PARENTS_PER_SUM * length) {
            for parent in some.chunks_exact(length) {
                let (parent, children) = parent.split_at(2);
                let above = &states[usize::from(parent[0]) * all..][..all];
                for ((to, from), hit) in state.iter_mut().zip(above).zip(plane(parent[1])) {
                    lanes.store(lanes.and_not(lanes.load(hit), lanes.load(from)), to);
                }
                for &[number, row] in children.as_chunks().0 {
                    let hit = plane(number);
                    let row = usize::from(row);
                    if F::IS_PICKED {
                        for (w, (hit, state)) in hit.iter().zip(&state).enumerate() {
                            let counts = [lanes.counts(lanes.and_not(lanes.load(hit), lanes.load(state)))];
                            let numbers = [lanes.load(&numbers[w])];
                            leaf.leaf::<1, 1>(lanes, Found { row, block: blocks[w], counts, numbers });
                        }
                        continue;
                    }
                    for (w, (first, state_of_first)) in hit[..width].iter().zip(&state).enumerate() {
                        let mut counts = lanes.counts(lanes.and_not(lanes.load(first), lanes.load(state_of_first)));
                        // `step_by` divides for its length: with AVX2 n = 18 took 2 % longer.
                        let mut at = w + width;
                        while at < all {
                            let left = lanes.and_not(lanes.load(&hit[at]), lanes.load(&state[at]));
                            counts = lanes.add_saturating(counts, lanes.counts(left));
                            at += width;
                        }
                        let block = blocks[w];
                        leaf.leaf::<1, 1>(lanes, Found { row, block, counts: [counts], numbers: [counts] });
                    }
                }
            }
            leaf.flush(lanes);
        }
    }
}

// Plain loops: closures under `array::from_fn` are compiled without the instruction set and then not inlined.

#[inline(always)]
pub(super) fn load<L: Lanes, const W: usize>(lanes: L, cells: &[Cell; W]) -> [L::Word; W] {
    let mut words = [lanes.load(&cells[0]); W];
    for w in 1..W {
        words[w] = lanes.load(&cells[w]);
    }
    words
}

#[inline(always)]
pub(super) fn save<L: Lanes, const W: usize>(lanes: L, words: [L::Word; W], cells: &mut [Cell; W]) {
    for w in 0..W {
        lanes.store(words[w], &mut cells[w]);
    }
}

/// The bits of `words` that are not in the plane.
#[inline(always)]
pub(super) fn and_not<L: Lanes, const W: usize>(lanes: L, plane: &[Cell; W], mut words: [L::Word; W]) -> [L::Word; W] {
    for w in 0..W {
        words[w] = lanes.and_not(lanes.load(&plane[w]), words[w]);
    }
    words
}
