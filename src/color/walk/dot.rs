//! Multiplies the counts of the summing side by the entries of the turned table, and adds up the products.

use super::sink::{LEAVES_PER_FLUSH, Sink, TileData};
use super::{LaneWalk, Replay, load};
use crate::Result;
use crate::color::pack::Layout;
use crate::color::table::{HIGH, ODD, TurnedPiece, joined};
use crate::simd::{BLOCK_LANES, Cell, KEYS_PER_BYTE, Kernel, Words};

/// Walks a program, and returns the sum of its counts times the entries of a table.
pub(super) struct Dot<'a> {
    pub(super) replay: Replay<'a>,
    pub(super) table: TurnedPiece<'a>,
}

impl Kernel for Dot<'_> {
    type Output = Result<u128>;

    #[inline(always)]
    fn run<T: Words>(self, simd: T) -> Result<u128> {
        if self.table.is_wide { self.sum::<T, true>(simd) } else { self.sum::<T, false>(simd) }
    }
}

impl Dot<'_> {
    #[inline(always)]
    fn sum<T: Words, const WIDE: bool>(self, simd: T) -> Result<u128> {
        let Self { replay, table } = self;
        let [low, high, odd] =
            [table.low, table.high, table.odd].map(|cells| DotLayer { cells, sums: simd.zero_sums(), total: 0 });
        let mut sink = DotSink::<T, WIDE> { low, high, odd, table };
        replay.walk(simd, &mut LaneWalk(&mut sink))?;
        Ok(if WIDE { joined([sink.low.total, sink.high.total, sink.odd.total]) } else { sink.low.total })
    }
}

/// Multiplies counts by the layers of a table. If entries have one byte, only the first layer has cells.
struct DotSink<'a, T: Words, const WIDE: bool> {
    low: DotLayer<'a, T>,
    high: DotLayer<'a, T>,
    odd: DotLayer<'a, T>,
    table: TurnedPiece<'a>,
}

/// A layer of the table, and the sum of its products.
struct DotLayer<'a, T: Words> {
    cells: &'a [Cell],
    /// Partial sums.
    sums: T::Sums,
    /// The sum of all flushed partial sums.
    total: u128,
}

/// The data of the current tile.
pub(super) struct DotTile<T: Words, const N: usize> {
    /// The number of the stack's first cell in each row of the table.
    cell: usize,
    /// For each word, the lane of each byte.
    lanes: [T::Word; N],
}

/// Returns how many cells of a row belong to a stack: two if two blocks share words.
const fn cells_of_stack<T: Words>() -> usize {
    T::SHARING.div_ceil(BLOCK_LANES)
}

/// Returns an upper bound of a partial sum before a flush. The product of a leaf is at most 8 keys times 255.
const fn largest_sum<T: Words>() -> u64 {
    (LEAVES_PER_FLUSH * T::TILE_WORDS * T::PRODUCTS_PER_SUM * KEYS_PER_BYTE * u8::MAX as usize) as u64
}

impl<T: Words> DotLayer<'_, T> {
    /// Adds the products of a group's counts and the entries of its row, whose first cell for the tile is number `at`.
    #[inline(always)]
    fn add<const N: usize>(&mut self, simd: T, tile: &DotTile<T, N>, at: usize, counts: [T::Word; N]) {
        let cells = &self.cells[at..][..cells_of_stack::<T>()];
        // If a stack has one cell, this is the same cell twice, and `pick` reads only the first.
        let pair = [simd.load(&cells[0]), simd.load(&cells[cells_of_stack::<T>() - 1])];
        let lanes = &tile.lanes;
        for word in 0..N {
            self.sums = simd.dot(self.sums, counts[word], simd.pick(pair, lanes[word]));
        }
    }

    #[inline(always)]
    fn flush(&mut self, simd: T) {
        const { assert!(largest_sum::<T>() <= i32::MAX as u64, "partial sums are flushed too late") };
        self.total += u128::from(simd.total(self.sums));
        self.sums = simd.zero_sums();
    }
}

impl<T: Words, const WIDE: bool> Sink<T> for DotSink<'_, T, WIDE> {
    type Tile<const N: usize> = DotTile<T, N>;

    #[inline(always)]
    fn start_tile<const N: usize>(&self, simd: T, data: &TileData<'_>) -> DotTile<T, N> {
        let [lanes] = data.maps::<N, { Layout::SHARED_MAPS }>();
        DotTile { cell: cells_of_stack::<T>() * usize::from(data.tile.stack), lanes: load::<T, N>(simd, lanes) }
    }

    #[inline(always)]
    fn end_group<const N: usize>(&mut self, simd: T, tile: &DotTile<T, N>, row: u16, counts: [T::Word; N]) {
        let at = usize::from(row) * self.table.stride + tile.cell;
        self.low.add(simd, tile, at, counts);
        if !WIDE {
            return;
        }
        // Few groups need more than the low bytes.
        let uses = self.table.uses(row, tile.cell);
        if uses & HIGH != 0 {
            self.high.add(simd, tile, at, counts);
        }
        if uses & ODD != 0 {
            self.odd.add(simd, tile, at, counts);
        }
    }

    #[inline(always)]
    fn flush(&mut self, simd: T) {
        self.low.flush(simd);
        if WIDE {
            self.high.flush(simd);
            self.odd.flush(simd);
        }
    }
}
