//! The store: the memory for the packs of a side.

use std::ops::Range;

use super::deal::Layout;
use super::tiles::Tile;
use crate::Result;
use crate::color::split::Subset;
use crate::memory::{grow, make_room, push, reserve};
use crate::simd::{Cell, KEYS_PER_BYTE, WORD_BYTES};

/// Cells of a chunk of a store (1 MiB). The smaller a chunk, the larger the part that stays empty after its last pack.
const CHUNK: usize = 1 << 14;

/// The keys that a prefix leaves alive, packed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pack {
    /// The number of the prefix.
    pub(crate) prefix_number: u32,
    /// Number of words of a plane.
    pub(crate) words: u32,
    /// Number of planes, including the maps of the layout, which are stored like planes behind them.
    pub(super) planes: u32,
    /// The first cell of the planes.
    pub(super) first_cell: CellIndex,
    /// The index of the first tile.
    pub(super) first_tile: u32,
    /// Number of tiles.
    pub(super) tiles: u32,
    /// For sparse packs, the index of the lane of the first key.
    pub(super) first_lane: usize,
    /// Number of keys of a sparse pack, otherwise 0.
    pub(super) keys: u32,
}

/// The position of a cell: its chunk and its index there.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct CellIndex {
    pub(super) chunk: usize,
    pub(super) at: usize,
}

/// What determines the packs of a side.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Contents {
    /// The generation of the list ([`Keys::generation`](crate::color::list::Keys::generation)).
    pub(super) generation: u64,
    /// The blocks of the list.
    pub(super) piece: Range<usize>,
    /// The rows of the prefixes.
    pub(super) prefix: Subset,
    pub(super) layout: Layout,
}

/// The packs for the prefixes on some rows. The memory is reused, because fresh pages cost as much time as packing.
#[derive(Debug, Default)]
pub(crate) struct Store {
    /// What is in the store, if no packs are missing.
    pub(super) complete_for: Option<Contents>,
    pub(crate) packs: Vec<Pack>,
    /// The planes. Chunks do not move while they hold packs, whereas a single vector that doubles would waste memory,
    /// and time to move it.
    pub(super) chunks: Vec<Vec<Cell>>,
    pub(super) tiles: Vec<Tile>,
    /// For each key of the sparse packs, its lane.
    lane_of: Vec<u16>,
    /// Where the next pack begins.
    used: CellIndex,
}

impl Store {
    /// Returns the tiles of a pack.
    #[inline(always)]
    pub(crate) fn tiles(&self, pack: &Pack) -> &[Tile] {
        &self.tiles[pack.first_tile as usize..][..pack.tiles as usize]
    }

    /// Returns the planes of a tile, one after the other, and then its maps. Each of them has a cell for each word of
    /// the tile, level by level.
    #[inline(always)]
    pub(crate) fn planes(&self, pack: &Pack, tile: &Tile) -> &[Cell] {
        let (before, words) = (tile.offset as usize, usize::from(tile.words));
        let planes = pack.planes as usize;
        let CellIndex { chunk, at } = pack.first_cell;
        &self.chunks[chunk][at + planes * before..][..planes * words]
    }

    /// Returns the lanes of a sparse pack's keys, from the first key of a tile on. Other packs have none.
    #[inline(always)]
    pub(crate) fn lane_of(&self, pack: &Pack, tile: &Tile) -> &[u16] {
        let of_pack = &self.lane_of[pack.first_lane..][..pack.keys as usize];
        of_pack.get(usize::from(tile.level) * WORD_BYTES * KEYS_PER_BYTE..).unwrap_or_default()
    }

    /// Stores the lanes of a sparse pack's keys, and returns where they begin.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub(super) fn add_lanes(&mut self, lane_of: &[u32]) -> Result<usize> {
        let start = self.lane_of.len();
        make_room(&mut self.lane_of, lane_of.len())?;
        // Lanes fit in 16 bits, because there are at most 6435 column sets (n = 30).
        self.lane_of.extend(lane_of.iter().map(|&lane| lane as u16));
        Ok(start)
    }

    /// Drops all packs.
    pub(super) fn clear(&mut self) {
        self.complete_for = None;
        self.packs.clear();
        self.tiles.clear();
        self.lane_of.clear();
        self.used = CellIndex::default();
    }

    /// Reserves `cells` cells, and returns where they begin.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub(super) fn reserve(&mut self, cells: usize) -> Result<CellIndex> {
        let CellIndex { mut chunk, mut at } = self.used;
        if self.chunks.get(chunk).is_some_and(|chunk| at > 0 && at + cells > chunk.capacity()) {
            (chunk, at) = (chunk + 1, 0);
        }
        if chunk == self.chunks.len() {
            let mut new = Vec::new();
            reserve(&mut new, cells.max(CHUNK))?;
            push(&mut self.chunks, new)?;
        }
        // The system grants a page only when it is first used, so a chunk takes no more memory than its packs.
        grow(&mut self.chunks[chunk], at + cells, Cell::ZERO)?;
        self.used = CellIndex { chunk, at: at + cells };
        Ok(CellIndex { chunk, at })
    }
}
