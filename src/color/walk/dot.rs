//! Multiplies the counts of the summing side with the turned table, and adds the products.

use prefetch_index::prefetch_index;

use super::sink::{LEAVES_PER_FLUSH, Sink, TileData};
use super::{Batch, load};
use crate::Result;
use crate::color::pack::LANE_OF_BYTE;
use crate::color::simd::{BLOCK_LANES, Cell, KEYS_PER_BYTE, Kernel, Words};
use crate::color::table::Table;
use crate::color::table::{HIGH, ODD, TurnedPiece, Wide};

/// Partial sums of a dot, because an addition waits for the addition before. One is 2 % slower, four are equal.
const SUMS: usize = 2;

/// Walks a program, and sums the products of its counts with a table.
pub(super) struct Dot<'a> {
    pub(super) batch: Batch<'a>,
    pub(super) table: TurnedPiece<'a>,
}

impl Kernel for Dot<'_> {
    type Output = Result<u128>;

    #[inline(always)]
    fn run<T: Words>(self, simd: T) -> Result<u128> {
        let Self { batch, table } = self;
        let mut low = DotLayer::new(simd, table.low);
        let Some(wide) = table.wide else {
            batch.walk(simd, &mut low)?;
            return Ok(low.total);
        };
        let [high, odd] = [wide.high, wide.odd].map(|layer| DotLayer::new(simd, layer));
        let mut layers = DotLayers { low, high, odd, wide };
        batch.walk(simd, &mut layers)?;
        Ok(2 * (layers.low.total + 256 * layers.high.total) + layers.odd.total)
    }
}

/// A layer of a table, and the sum of its products.
struct DotLayer<'a, T: Words> {
    table: Table<&'a [Cell]>,
    /// Partial sums. Neighboring words of a tile use different ones.
    sums: [T::Sums; SUMS],
    /// The sum of all flushed partial sums.
    total: u128,
}

/// The tile at hand.
pub(super) struct DotTile<T: Words, const N: usize> {
    /// The first block.
    block: usize,
    /// For each word, the numbers of its bytes' lanes.
    numbers: [T::Word; N],
}

/// An upper bound of a partial sum before a flush. A leaf's product is at most 8 keys times 255.
const fn largest_sum<T: Words>() -> u64 {
    (LEAVES_PER_FLUSH * T::TILE_WORDS * T::PRODUCTS_PER_SUM * KEYS_PER_BYTE * u8::MAX as usize) as u64
}

impl<'a, T: Words> DotLayer<'a, T> {
    /// Number of cells of a row that belong to a block of a tile. Two if two blocks share words.
    const CELLS: usize = T::SHARING.div_ceil(BLOCK_LANES);

    #[inline(always)]
    fn new(simd: T, table: Table<&'a [Cell]>) -> Self {
        Self { table, sums: [simd.zero_sums(); SUMS], total: 0 }
    }

    /// The index of the first cell of a row that belongs to `block`.
    #[inline(always)]
    fn first_cell(&self, row: u16, block: usize) -> usize {
        usize::from(row) * self.table.stride + Self::CELLS * block
    }
}

impl<T: Words> Sink<T> for DotLayer<'_, T> {
    type Tile<const W: usize, const N: usize> = DotTile<T, N>;

    fn block_bytes(&self) -> usize {
        self.table.block_bytes() * Self::CELLS
    }

    #[inline(always)]
    fn begin_tile<const W: usize, const N: usize>(&self, simd: T, data: &TileData<'_>) -> DotTile<T, N> {
        let numbers = &data.planes.as_chunks().0[usize::from(LANE_OF_BYTE)];
        DotTile { block: usize::from(data.tile.block), numbers: load::<T, N>(simd, numbers) }
    }

    #[inline(always)]
    fn announce<const W: usize, const N: usize>(&self, tile: &DotTile<T, N>, row: u16) {
        let first = self.first_cell(row, tile.block);
        for cell in 0..Self::CELLS * W {
            prefetch_index(self.table.cells, first + cell);
        }
    }

    #[inline(always)]
    fn end_group<const W: usize, const N: usize>(
        &mut self,
        simd: T,
        tile: &DotTile<T, N>,
        row: u16,
        counts: [T::Word; N],
    ) {
        let cells = &self.table.cells[self.first_cell(row, tile.block)..][..Self::CELLS * W];
        for w in 0..W {
            let pair = &cells[Self::CELLS * w..][..Self::CELLS];
            let pair = [simd.load(&pair[0]), simd.load(&pair[Self::CELLS - 1])];
            for word in (w..N).step_by(W) {
                let sums = &mut self.sums[word % SUMS];
                *sums = simd.dot(*sums, counts[word], simd.pick(pair, tile.numbers[word]));
            }
        }
    }

    #[inline(always)]
    fn flush(&mut self, simd: T) {
        const { assert!(largest_sum::<T>() <= i32::MAX as u64, "partial sums are flushed too late") };
        for sums in &mut self.sums {
            self.total += u128::from(simd.total(*sums));
            *sums = simd.zero_sums();
        }
    }
}

/// The layers of a table whose entries have two bytes. Few groups need more than the low bytes.
struct DotLayers<'a, T: Words> {
    low: DotLayer<'a, T>,
    high: DotLayer<'a, T>,
    odd: DotLayer<'a, T>,
    wide: Wide<'a>,
}

impl<T: Words> Sink<T> for DotLayers<'_, T> {
    type Tile<const W: usize, const N: usize> = DotTile<T, N>;

    fn block_bytes(&self) -> usize {
        self.low.block_bytes() + self.high.block_bytes()
    }

    #[inline(always)]
    fn begin_tile<const W: usize, const N: usize>(&self, simd: T, data: &TileData<'_>) -> DotTile<T, N> {
        self.low.begin_tile::<W, N>(simd, data)
    }

    #[inline(always)]
    fn announce<const W: usize, const N: usize>(&self, tile: &DotTile<T, N>, row: u16) {
        self.low.announce::<W, N>(tile, row);
    }

    #[inline(always)]
    fn end_group<const W: usize, const N: usize>(
        &mut self,
        simd: T,
        tile: &DotTile<T, N>,
        row: u16,
        counts: [T::Word; N],
    ) {
        self.low.end_group::<W, N>(simd, tile, row, counts);
        let (first, cells) = (tile.block, DotLayer::<T>::CELLS);
        let uses = self.wide.uses(row, [cells * first, cells * (first + W)]);
        if uses & HIGH != 0 {
            self.high.end_group::<W, N>(simd, tile, row, counts);
        }
        if uses & ODD != 0 {
            self.odd.end_group::<W, N>(simd, tile, row, counts);
        }
    }

    #[inline(always)]
    fn flush(&mut self, simd: T) {
        self.low.flush(simd);
        self.high.flush(simd);
        self.odd.flush(simd);
    }
}
