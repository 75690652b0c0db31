//! Sinks: they take the keys that are alive at the leaves of a walk.

use crate::color::program::MAX_GROUP;
use crate::color::simd::{Cell, KEYS_PER_BYTE, MAX_COUNT, Words};
use crate::color::tuning::TILE_BLOCKS;

/// The most leaves between two calls of [`Sink::flush`].
pub(super) const LEAVES_PER_FLUSH: usize = 4096;

/// The counts of a group are small enough to be multiplied.
const _: () = assert!(MAX_GROUP * KEYS_PER_BYTE <= MAX_COUNT);

/// A tile with its planes.
pub(crate) struct TileData<'a> {
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

/// Takes the leaves of a walk, tile by tile and group by group. A tile has `W` blocks and `N` words.
pub(crate) trait Sink<T: Words> {
    /// What the sink remembers of the tile at hand.
    type Tile<'a, const W: usize, const N: usize>;
    /// The most words of a tile.
    const TILE_WORDS: usize = T::TILE_WORDS;
    /// The most blocks of a tile.
    const WIDEST: usize = TILE_BLOCKS;
    /// How many cells of the next tile's planes a walk prefetches with each group.
    const CELLS_AHEAD: usize = 0;

    /// Bytes of the tables that belong to one block of a tile, in all rows together.
    fn block_bytes(&self) -> usize;

    fn begin_tile<'a, const W: usize, const N: usize>(&self, token: T, data: &TileData<'a>) -> Self::Tile<'a, W, N>;

    /// Prefetches the cells of a table row that a later group needs.
    #[inline(always)]
    fn announce<const W: usize, const N: usize>(&self, _tile: &Self::Tile<'_, W, N>, _row: u16) {}

    /// Takes the keys that are alive at a leaf. `counts` has the number of keys in each byte at the leaves of the group
    /// so far.
    #[inline(always)]
    fn leaf<const N: usize>(&mut self, token: T, _row: u16, alive: [T::Word; N], counts: &mut [T::Word; N]) {
        for w in 0..N {
            counts[w] = token.add_small(counts[w], token.counts(alive[w]));
        }
    }

    /// Ends a group, whose leaves have the table row `row`.
    fn end_group<const W: usize, const N: usize>(
        &mut self,
        token: T,
        tile: &Self::Tile<'_, W, N>,
        row: u16,
        counts: [T::Word; N],
    );

    /// A walk calls this after at most [`LEAVES_PER_FLUSH`] leaves. The sink adds up partial sums before they overflow.
    #[inline(always)]
    fn flush(&mut self, _token: T) {}

    #[inline(always)]
    fn end_tile<const W: usize, const N: usize>(&mut self, _token: T, _tile: Self::Tile<'_, W, N>) {}
}
