//! Where packs are kept.

use super::rows::Rows;
use super::tiles::Tile;
use crate::Result;
use crate::solver::color::room::{grow, reserve};
use crate::solver::color::tuning::CHUNKS;
use crate::solver::simd::{Cell, LANE_BITS, LANES};

/// The survivors of one prefix, packed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pack {
    /// The prefix's number.
    pub(crate) prefix: u32,
    /// Words of a plane.
    pub(crate) words: u32,
    /// Planes of each tile.
    pub(super) planes: u32,
    /// Where the planes of its first tile begin in the store's memory.
    pub(super) position: Position,
    pub(super) first_tile: u32,
    pub(super) tiles: u32,
    /// Where the lanes of its keys begin, and how many keys it has, where words have no lanes.
    pub(super) lanes: usize,
    pub(super) keys: u32,
}

/// Some cell of a store.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Position {
    pub(super) chunk: u32,
    pub(super) at: u32,
}

/// The packs for prefixes on the same rows. Memory is kept from one use to the next: fresh pages cost as much as the
/// packing.
#[derive(Debug, Default)]
pub(crate) struct Store {
    /// What the packs are for, where all of them are there.
    rows: Option<Rows>,
    pub(crate) packs: Vec<Pack>,
    /// Memory in chunks, none of which moves while it holds packs: one vector that doubles held 2 to 3 times what it
    /// used at n = 22, and moving it took 2 to 4 % of all time.
    pub(super) chunks: Vec<Vec<Cell>>,
    pub(super) tiles: Vec<Tile>,
    /// The lanes of keys, where words have none.
    lanes: Vec<u16>,
    /// Where the packs end in memory.
    used: Position,
}

impl Store {
    /// The tiles of one of its packs.
    #[inline(always)]
    pub(crate) fn tiles(&self, pack: &Pack) -> &[Tile] {
        &self.tiles[pack.first_tile as usize..][..pack.tiles as usize]
    }

    /// The planes of a tile, one after the other: each is the tile's words, level by level and in a level block by
    /// block.
    #[inline(always)]
    pub(crate) fn planes(&self, pack: &Pack, tile: &Tile) -> &[Cell] {
        let (before, words) = (tile.offset as usize, usize::from(tile.width) * usize::from(tile.depth));
        let planes = pack.planes as usize;
        let chunk = &self.chunks[pack.position.chunk as usize];
        &chunk[pack.position.at as usize + planes * before..][..planes * words]
    }

    /// The lanes of the keys of one of its tiles, where words have none; else nothing.
    #[inline(always)]
    pub(crate) fn lanes_of(&self, pack: &Pack, tile: &Tile) -> &[u16] {
        let of_pack = &self.lanes[pack.lanes..][..pack.keys as usize];
        of_pack.get(usize::from(tile.level) * LANES * LANE_BITS..).unwrap_or_default()
    }

    /// Keeps the lanes of some keys; returns where they begin.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub(super) fn keep_lanes(&mut self, lanes: &[u32]) -> Result<usize> {
        let start = self.lanes.len();
        if self.lanes.capacity() - start < lanes.len() {
            reserve(&mut self.lanes, lanes.len().max(start))?;
        }
        // A list has at most as many lanes as there are column sets: 2^16 for n = 32.
        self.lanes.extend(lanes.iter().map(|&lane| lane as u16));
        Ok(start)
    }

    /// Drops the packs.
    pub(crate) fn clear(&mut self) {
        self.rows = None;
        self.packs.clear();
        self.tiles.clear();
        self.lanes.clear();
        self.used = Position::default();
    }

    /// Makes room for `cells` more cells; returns where they begin.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub(super) fn reserve(&mut self, cells: usize) -> Result<Position> {
        let used = &mut self.used;
        let has_room = |chunk: &Vec<Cell>| chunk.len() - used.at as usize >= cells;
        if !self.chunks.get(used.chunk as usize).is_some_and(has_room) {
            if used.at > 0 {
                *used = Position { chunk: used.chunk + 1, at: 0 };
            }
            match self.chunks.get_mut(used.chunk as usize) {
                Some(chunk) => grow(chunk, cells, Cell::ZERO)?,
                None => {
                    // A large pack has a chunk of its own: one of 0.7 MiB, as at n = 26, would leave the rest of a MiB
                    // empty.
                    let usual = CHUNKS[1].min(CHUNKS[0] << self.chunks.len().min(4));
                    let mut chunk = Vec::new();
                    grow(&mut chunk, if 2 * cells > CHUNKS[1] { cells } else { cells.max(usual) }, Cell::ZERO)?;
                    self.chunks.push(chunk);
                }
            }
        }
        let position = *used;
        used.at += cells as u32;
        Ok(position)
    }

    /// Whether it has all packs of walks over these rows.
    pub(super) fn is_for(&self, rows: &Rows) -> bool {
        self.rows.as_ref().is_some_and(|has| has.shares_packs(rows))
    }

    /// Notes that it has all packs of walks over these rows.
    pub(super) fn keep_for(&mut self, rows: Rows) {
        self.rows = Some(rows);
    }
}

/// What the tests look at.
#[cfg(test)]
impl Store {
    /// The most levels of any block. A tile of the portable code has one of them.
    pub(crate) fn deepest(&self) -> usize {
        self.tiles.iter().map(|tile| usize::from(tile.level) + usize::from(tile.depth)).max().unwrap_or(0)
    }

    /// Has every pack so many times: the terms that use this store from now on count as many times as much.
    pub(crate) fn repeat(&mut self, times: usize) {
        self.packs = self.packs.repeat(times);
    }
}
