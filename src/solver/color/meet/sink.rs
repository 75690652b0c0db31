//! Sinks: what is done with the keys that a walk leaves alive at its leaves.

use crate::solver::simd::{Cell, Words};

/// The most leaves between two calls of [`Sink::flush`].
pub(super) const LEAVES_PER_FLUSH: usize = 4096;

/// A tile with its planes.
pub(crate) struct Packed<'a> {
    /// The first block.
    pub(super) block: usize,
    /// Blocks.
    pub(super) width: u8,
    /// Levels.
    pub(super) depth: u8,
    /// One plane after the other: in each, level by level, and in a level block by block.
    pub(super) planes: &'a [Cell],
    /// The planes of the tile that comes next, where the sink has them prefetched.
    pub(super) next: &'a [Cell],
    /// The lanes of the tile's keys, where words have none.
    pub(super) keys: &'a [u16],
}

/// Takes the leaves of a walk, tile by tile. `W` is the number of a tile's blocks, `N` that of its words.
pub(crate) trait Sink<T: Words> {
    /// What the sink keeps of the tile at hand.
    type Tile<'a, const W: usize, const N: usize>;
    /// The most words of a tile.
    const TILE_WORDS: usize = T::TILE_WORDS;
    /// The most blocks of a tile.
    const WIDEST: usize = Self::TILE_WORDS;
    /// By how many parents a walk is ahead with `announce`; 0 where it does not call it.
    const PARENTS_AHEAD: usize = 0;
    /// How many cells of the next tile's planes are prefetched with each parent.
    const CELLS_AHEAD: usize = 0;

    /// Bytes of the tables, all rows together, that a block of a tile meets.
    fn block_bytes(&self) -> usize;

    fn begin_tile<'a, const W: usize, const N: usize>(&self, token: T, packed: &Packed<'a>) -> Self::Tile<'a, W, N>;

    /// Returns whether a parent is passed over, with its leaves. `state` is what is alive at the parent.
    #[inline(always)]
    fn passes_over<const N: usize>(&self, _token: T, _state: &[T::Word; N]) -> bool {
        false
    }

    /// Takes the keys that are alive at a leaf; `row` is the leaf's row of the table.
    fn leaf<const W: usize, const N: usize>(
        &mut self,
        token: T,
        tile: &Self::Tile<'_, W, N>,
        row: u16,
        alive: [T::Word; N],
    );

    /// Is called after the leaves of each parent.
    #[inline(always)]
    fn end_parent<const W: usize, const N: usize>(&mut self, _token: T, _tile: &Self::Tile<'_, W, N>) {}

    /// Is called after at most [`LEAVES_PER_FLUSH`] leaves: adds partial sums up before they overflow.
    #[inline(always)]
    fn flush(&mut self, _token: T) {}

    #[inline(always)]
    fn end_tile<const W: usize, const N: usize>(&mut self, _token: T, _tile: Self::Tile<'_, W, N>) {}

    /// Prefetches what a leaf to come meets in this row of the table.
    #[inline(always)]
    fn announce<const W: usize, const N: usize>(&self, _tile: &Self::Tile<'_, W, N>, _row: u16) {}
}

/// A sink that goes by the number of keys in each lane: several leaves can be counted together.
pub(crate) trait Counting<T: Words>: Sink<T> {
    /// Takes the number of keys that are alive in each lane, at one leaf or more.
    fn counts<const W: usize, const N: usize>(
        &mut self,
        token: T,
        tile: &Self::Tile<'_, W, N>,
        row: u16,
        counts: [T::Word; N],
    );
}

/// The keys in each lane: what a counting sink does first with a leaf.
#[inline(always)]
pub(super) fn count<T: Words, const N: usize>(token: T, mut alive: [T::Word; N]) -> [T::Word; N] {
    for word in &mut alive {
        *word = token.counts(*word);
    }
    alive
}
