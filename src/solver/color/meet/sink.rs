//! Sinks: they take the keys that are alive at the leaves of a walk.

use crate::solver::color::tuning::TILE_BLOCKS;
use crate::solver::simd::{Cell, Words};

/// The most leaves between two calls of [`Sink::flush`].
pub(super) const LEAVES_PER_FLUSH: usize = 4096;

/// A tile with its planes.
pub(crate) struct Packed<'a> {
    /// The first block.
    pub(super) block: usize,
    /// Number of blocks.
    pub(super) width: u8,
    /// Number of levels.
    pub(super) depth: u8,
    /// The planes, one after the other. A plane has a cell for each word, level by level and in a level block by block.
    pub(super) planes: &'a [Cell],
    /// The planes of the next tile, to prefetch. Empty if the sink does not prefetch them.
    pub(super) next: &'a [Cell],
    /// The lanes of the tile's keys, if the pack is flat.
    pub(super) keys: &'a [u16],
}

/// Takes the leaves of a walk, tile by tile. A tile has `W` blocks and `N` words.
pub(crate) trait Sink<T: Words> {
    /// What the sink remembers of the tile at hand.
    type Tile<'a, const W: usize, const N: usize>;
    /// The most words of a tile.
    const TILE_WORDS: usize = T::TILE_WORDS;
    /// The most blocks of a tile.
    const WIDEST: usize = TILE_BLOCKS;
    /// How many parents ahead a walk by parents calls `announce`. 0 if it does not call it.
    const PARENTS_AHEAD: usize = 0;
    /// How many cells of the next tile's planes a walk prefetches with each parent.
    const CELLS_AHEAD: usize = 0;

    /// Bytes of the tables that belong to one block of a tile, in all rows together.
    fn block_bytes(&self) -> usize;

    fn begin_tile<'a, const W: usize, const N: usize>(&self, token: T, packed: &Packed<'a>) -> Self::Tile<'a, W, N>;

    /// Whether to skip a parent and its leaves. `state` has the keys that are alive at the parent.
    #[inline(always)]
    fn skips<const N: usize>(&self, _token: T, _state: &[T::Word; N]) -> bool {
        false
    }

    /// Takes the keys that are alive at a leaf. `row` is the leaf's table row.
    fn leaf<const W: usize, const N: usize>(
        &mut self,
        token: T,
        tile: &Self::Tile<'_, W, N>,
        row: u16,
        alive: [T::Word; N],
    );

    /// A walk by parents calls this after the leaves of each parent.
    #[inline(always)]
    fn end_parent<const W: usize, const N: usize>(&mut self, _token: T, _tile: &Self::Tile<'_, W, N>) {}

    /// A walk calls this after at most [`LEAVES_PER_FLUSH`] leaves. The sink adds up partial sums before they overflow.
    #[inline(always)]
    fn flush(&mut self, _token: T) {}

    #[inline(always)]
    fn end_tile<const W: usize, const N: usize>(&mut self, _token: T, _tile: Self::Tile<'_, W, N>) {}

    /// Prefetches the cells of a table row that a later leaf needs.
    #[inline(always)]
    fn announce<const W: usize, const N: usize>(&self, _tile: &Self::Tile<'_, W, N>, _row: u16) {}
}

/// A sink that needs only the number of keys in each byte. So several leaves can be counted together.
pub(crate) trait Counting<T: Words>: Sink<T> {
    /// Takes the number of keys that are alive in each byte, at one leaf or at several with one table row.
    fn counts<const W: usize, const N: usize>(
        &mut self,
        token: T,
        tile: &Self::Tile<'_, W, N>,
        row: u16,
        counts: [T::Word; N],
    );
}

/// Counts the keys in each byte.
#[inline(always)]
pub(super) fn count<T: Words, const N: usize>(token: T, mut alive: [T::Word; N]) -> [T::Word; N] {
    for word in &mut alive {
        *word = token.counts(*word);
    }
    alive
}
