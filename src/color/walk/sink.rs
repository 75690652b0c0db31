//! Sinks, which take the counts of a walk, group by group.

use crate::color::pack::Tile;
use crate::color::program::MAX_GROUP;
use crate::simd::{Cell, KEYS_PER_BYTE, MAX_COUNT, Words};

/// The maximum number of leaves between two calls of [`Sink::flush`].
pub(super) const LEAVES_PER_FLUSH: usize = 4096;

/// The counts of a group are small enough to be multiplied by table entries.
const _: () = assert!(MAX_GROUP * KEYS_PER_BYTE <= MAX_COUNT);

/// A tile with its planes and, if it is sparse, the lanes of its keys.
pub(super) struct TileData<'a> {
    pub(super) tile: &'a Tile,
    /// The planes, one after the other, and then the maps. Each of them has a cell for each word of the tile, level by
    /// level.
    pub(super) planes: &'a [Cell],
    /// The lane of each key from the tile's first on, if the pack is sparse.
    pub(super) lane_of: &'a [u16],
}

impl TileData<'_> {
    /// Returns the maps of a tile of `N` words. `M` is the number of maps of the layout.
    #[inline(always)]
    pub(super) fn maps<const N: usize, const M: usize>(&self) -> &[[Cell; N]; M] {
        self.planes.as_chunks().0.last_chunk().expect("a pack has the maps of its layout")
    }
}

/// Takes the counts of a walk, tile by tile and, within a tile of `N` words, group by group.
pub(super) trait Sink<T: Words> {
    /// The data that the sink keeps for the current tile.
    type Tile<const N: usize>;

    fn start_tile<const N: usize>(&self, simd: T, data: &TileData<'_>) -> Self::Tile<N>;

    /// Takes a group, whose leaves have the table row `row`. For each byte, `counts` adds up how many of its keys are
    /// alive at each leaf.
    fn end_group<const N: usize>(&mut self, simd: T, tile: &Self::Tile<N>, row: u16, counts: [T::Word; N]);

    /// Adds up partial sums before they overflow. A walk calls this after at most [`LEAVES_PER_FLUSH`] leaves.
    #[inline(always)]
    fn flush(&mut self, _simd: T) {}
}
