//! Multiplies the counts of the summing side with the turned table, and adds the products.

use prefetch_index::prefetch_index;

use super::halves::{HIGH, Halves, REST};
use super::sink::{LEAVES_PER_FLUSH, Packed, Sink};
use super::table::Table;
use super::walk::{Batch, load};
use crate::Result;
use crate::count::Work;
use crate::solver::color::side::NUMBERS;
use crate::solver::color::tuning::SUMS;
use crate::solver::simd::{BLOCK_LANES, Cell, KEYS_PER_BYTE, Kernel, Words};

/// Walks a program, and sums the products of its counts with a table.
pub(crate) struct Dot<'a, E> {
    pub(crate) batch: Batch<'a>,
    pub(crate) table: E,
}

impl<E: Factor> Kernel for Dot<'_, E> {
    type Output = Result<(u128, Work)>;

    #[inline(always)]
    fn run<T: Words>(self, token: T) -> Result<(u128, Work)> {
        let mut sink = self.table.sink(token);
        let work = self.batch.walk(token, &mut sink)?;
        Ok((E::sum(&sink), work))
    }
}

/// A table that counts are multiplied with.
pub(crate) trait Factor: Copy {
    type Sink<T: Words>: Sink<T>;
    /// Makes a sink whose sum is 0.
    fn sink<T: Words>(self, token: T) -> Self::Sink<T>;
    /// Returns the sum of a sink's products.
    fn sum<T: Words>(sink: &Self::Sink<T>) -> u128;
}

impl<'a> Factor for Table<&'a [Cell]> {
    type Sink<T: Words> = DotBytes<'a, T>;

    #[inline(always)]
    fn sink<T: Words>(self, token: T) -> DotBytes<'a, T> {
        DotBytes { table: self, sums: [token.zero_sums(); SUMS], total: 0 }
    }

    #[inline(always)]
    fn sum<T: Words>(sink: &DotBytes<'a, T>) -> u128 {
        sink.total
    }
}

impl<'a> Factor for Halves<'a> {
    type Sink<T: Words> = DotHalves<'a, T>;

    #[inline(always)]
    fn sink<T: Words>(self, token: T) -> DotHalves<'a, T> {
        DotHalves { low: self.low.sink(token), high: self.high.sink(token), rest: 0, table: self }
    }

    #[inline(always)]
    fn sum<T: Words>(sink: &DotHalves<'a, T>) -> u128 {
        2 * (sink.low.total + 256 * sink.high.total) + sink.rest
    }
}

/// Multiplies counts with a table of bytes.
pub(crate) struct DotBytes<'a, T: Words> {
    table: Table<&'a [Cell]>,
    /// Partial sums. Neighboring words of a tile use different ones.
    sums: [T::Sums; SUMS],
    /// The sum of all flushed partial sums.
    total: u128,
}

/// The tile at hand.
pub(crate) struct DotTile<T: Words, const N: usize> {
    /// The first block.
    block: usize,
    /// For each word, the numbers of its bytes' lanes.
    numbers: [T::Word; N],
}

/// An upper bound of a partial sum before a flush. A leaf's product is at most 8 keys times 255.
const fn largest_sum<T: Words>() -> u64 {
    (LEAVES_PER_FLUSH * T::TILE_WORDS * T::PRODUCTS_PER_SUM * KEYS_PER_BYTE * u8::MAX as usize) as u64
}

impl<'a, T: Words> DotBytes<'a, T> {
    /// Number of cells of a row that belong to a block of a tile. Two if two blocks share words.
    const CELLS: usize = T::SHARING.div_ceil(BLOCK_LANES);

    /// The index of the first cell of a row that belongs to `block`.
    #[inline(always)]
    fn first_cell(&self, row: u16, block: usize) -> usize {
        usize::from(row) * self.table.stride + Self::CELLS * block
    }
}

impl<T: Words> Sink<T> for DotBytes<'_, T> {
    type Tile<'a, const W: usize, const N: usize> = DotTile<T, N>;

    fn block_bytes(&self) -> usize {
        self.table.block_bytes() * Self::CELLS
    }

    #[inline(always)]
    fn begin_tile<const W: usize, const N: usize>(&self, token: T, packed: &Packed<'_>) -> DotTile<T, N> {
        let numbers = &packed.planes.as_chunks().0[usize::from(NUMBERS)];
        DotTile { block: packed.block, numbers: load::<T, N>(token, numbers) }
    }

    #[inline(always)]
    fn end_group<const W: usize, const N: usize>(
        &mut self,
        token: T,
        tile: &DotTile<T, N>,
        row: u16,
        counts: [T::Word; N],
    ) {
        let cells = &self.table.cells[self.first_cell(row, tile.block)..][..Self::CELLS * W];
        for w in 0..W {
            let pair = &cells[Self::CELLS * w..][..Self::CELLS];
            let pair = [token.load(&pair[0]), token.load(&pair[Self::CELLS - 1])];
            for word in (w..N).step_by(W) {
                let sums = &mut self.sums[word % SUMS];
                *sums = token.dot(*sums, counts[word], token.pick(pair, tile.numbers[word]));
            }
        }
    }

    #[inline(always)]
    fn flush(&mut self, token: T) {
        const { assert!(largest_sum::<T>() <= i32::MAX as u64, "partial sums are flushed too late") };
        for sums in &mut self.sums {
            self.total += u128::from(token.total(*sums));
            *sums = token.zero_sums();
        }
    }

    #[inline(always)]
    fn announce<const W: usize, const N: usize>(&self, tile: &DotTile<T, N>, row: u16) {
        let first = self.first_cell(row, tile.block);
        for cell in 0..Self::CELLS * W {
            prefetch_index(self.table.cells, first + cell);
        }
    }
}

/// Multiplies counts with a table of halves.
pub(crate) struct DotHalves<'a, T: Words> {
    low: DotBytes<'a, T>,
    high: DotBytes<'a, T>,
    /// The sum of the products with rests.
    rest: u128,
    table: Halves<'a>,
}

impl<T: Words> Sink<T> for DotHalves<'_, T> {
    type Tile<'a, const W: usize, const N: usize> = DotTile<T, N>;

    fn block_bytes(&self) -> usize {
        self.low.block_bytes() + self.high.block_bytes()
    }

    #[inline(always)]
    fn begin_tile<const W: usize, const N: usize>(&self, token: T, packed: &Packed<'_>) -> DotTile<T, N> {
        self.low.begin_tile::<W, N>(token, packed)
    }

    #[inline(always)]
    fn end_group<const W: usize, const N: usize>(
        &mut self,
        token: T,
        tile: &DotTile<T, N>,
        row: u16,
        counts: [T::Word; N],
    ) {
        self.low.end_group::<W, N>(token, tile, row, counts);
        let (block, cells) = (tile.block, DotBytes::<T>::CELLS);
        let beyond = self.table.beyond(row, cells * block..cells * (block + W));
        if beyond & HIGH != 0 {
            self.high.end_group::<W, N>(token, tile, row, counts);
        }
        if beyond & REST != 0 {
            let mut words = [[Cell::ZERO; 2]; N];
            for w in 0..N {
                token.store(counts[w], &mut words[w][0]);
                token.store(tile.numbers[w], &mut words[w][1]);
            }
            for (w, word) in words.iter().enumerate() {
                self.rest += u128::from(self.table.rest(row, cells * (block + w % W), word));
            }
        }
    }

    #[inline(always)]
    fn flush(&mut self, token: T) {
        self.low.flush(token);
        self.high.flush(token);
    }

    #[inline(always)]
    fn announce<const W: usize, const N: usize>(&self, tile: &DotTile<T, N>, row: u16) {
        self.low.announce::<W, N>(tile, row);
    }
}
