//! The summing side: the counts of a walk multiplied with the table.

use prefetch_index::prefetch_index;

use super::halves::{HIGH, Halves, REST};
use super::replay::{Replay, Replayed, load};
use super::sink::{Counting, LEAVES_PER_FLUSH, Packed, Sink, count};
use super::table::Table;
use crate::Result;
use crate::count::Work;
use crate::solver::color::side::{Groups, NUMBERS, Parents};
use crate::solver::color::tuning::{PARENTS_AHEAD, SUMS};
use crate::solver::simd::{Cell, Kernel, LANE_BITS, LANES, Lanes};

/// Sums the products of the counts of a walk with a table.
pub(crate) struct Dot<'a, F, T> {
    pub(crate) replay: Replay<'a, F>,
    pub(crate) table: T,
}

impl<T: Factor> Kernel for Dot<'_, Parents, T> {
    type Output = Result<(u128, Work)>;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> Result<(u128, Work)> {
        dot(lanes, self)
    }
}

impl<T: Factor> Kernel for Dot<'_, Groups, T> {
    type Output = Result<(u128, Work)>;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> Result<(u128, Work)> {
        dot(lanes, self)
    }
}

#[inline(always)]
fn dot<L: Lanes, T: Factor, F: Replayed<L, T::Sink<L>>>(lanes: L, dot: Dot<'_, F, T>) -> Result<(u128, Work)> {
    let mut sink = dot.table.sink(lanes);
    let work = dot.replay.run(lanes, &mut sink)?;
    Ok((T::sum(&sink), work))
}

/// A table that counts are multiplied with.
pub(crate) trait Factor: Copy {
    type Sink<L: Lanes>: Counting<L>;
    /// A sink that has no product yet.
    fn sink<L: Lanes>(self, lanes: L) -> Self::Sink<L>;
    /// The sum of a sink's products.
    fn sum<L: Lanes>(sink: &Self::Sink<L>) -> u128;
}

impl<'a> Factor for Table<&'a [Cell]> {
    type Sink<L: Lanes> = DotBytes<'a, L>;

    #[inline(always)]
    fn sink<L: Lanes>(self, lanes: L) -> DotBytes<'a, L> {
        DotBytes { table: self, sums: [lanes.zero_sums(); SUMS], total: 0 }
    }

    #[inline(always)]
    fn sum<L: Lanes>(sink: &DotBytes<'a, L>) -> u128 {
        sink.total
    }
}

impl<'a> Factor for Halves<'a> {
    type Sink<L: Lanes> = DotHalves<'a, L>;

    #[inline(always)]
    fn sink<L: Lanes>(self, lanes: L) -> DotHalves<'a, L> {
        DotHalves { low: self.low.sink(lanes), high: self.high.sink(lanes), rest: 0, table: self }
    }

    #[inline(always)]
    fn sum<L: Lanes>(sink: &DotHalves<'a, L>) -> u128 {
        2 * (sink.low.total + 256 * sink.high.total) + sink.rest
    }
}

/// A dot with a table of bytes.
pub(crate) struct DotBytes<'a, L: Lanes> {
    table: Table<&'a [Cell]>,
    /// Partial sums, used by turns, and the sum of what was flushed.
    sums: [L::Sums; SUMS],
    total: u128,
}

/// What a dot knows of a tile.
pub(crate) struct DotTile<L: Lanes, const N: usize> {
    /// The first block.
    block: usize,
    /// The numbers of the words' lanes.
    numbers: [L::Word; N],
}

/// No partial sum is larger when it is flushed: a product is at most a lane's keys times 255.
const fn largest_sum<L: Lanes>() -> u64 {
    (LEAVES_PER_FLUSH * L::TILE_WORDS * L::PRODUCTS_PER_SUM * LANE_BITS * u8::MAX as usize) as u64
}

impl<'a, L: Lanes> DotBytes<'a, L> {
    /// Cells of a row that a block of a tile meets: two where blocks share words.
    const CELLS: usize = L::SHARING.div_ceil(LANES);

    /// Where in the table the cells of a row begin that a block meets.
    #[inline(always)]
    fn first_cell(&self, row: u16, block: usize) -> usize {
        usize::from(row) * self.table.stride + Self::CELLS * block
    }
}

impl<L: Lanes> Sink<L> for DotBytes<'_, L> {
    type Tile<'a, const W: usize, const N: usize> = DotTile<L, N>;

    fn block_bytes(&self) -> usize {
        self.table.block_bytes() * Self::CELLS
    }

    #[inline(always)]
    fn begin_tile<const W: usize, const N: usize>(&self, lanes: L, packed: &Packed<'_>) -> DotTile<L, N> {
        let numbers = &packed.planes.as_chunks().0[usize::from(NUMBERS)];
        DotTile { block: packed.block, numbers: load::<L, N>(lanes, numbers) }
    }

    #[inline(always)]
    fn leaf<const W: usize, const N: usize>(&mut self, lanes: L, tile: &DotTile<L, N>, row: u16, alive: [L::Word; N]) {
        self.counts::<W, N>(lanes, tile, row, count(lanes, alive));
    }

    #[inline(always)]
    fn flush(&mut self, lanes: L) {
        const { assert!(largest_sum::<L>() <= i32::MAX as u64, "partial sums are flushed too late") };
        for sums in &mut self.sums {
            self.total += u128::from(lanes.total(*sums));
            *sums = lanes.zero_sums();
        }
    }

    #[inline(always)]
    fn announce<const W: usize, const N: usize>(&self, tile: &DotTile<L, N>, row: u16) {
        let first = self.first_cell(row, tile.block);
        for cell in 0..Self::CELLS * W {
            prefetch_index(self.table.cells, first + cell);
        }
    }
}

impl<L: Lanes> Counting<L> for DotBytes<'_, L> {
    #[inline(always)]
    fn counts<const W: usize, const N: usize>(
        &mut self,
        lanes: L,
        tile: &DotTile<L, N>,
        row: u16,
        counts: [L::Word; N],
    ) {
        let cells = &self.table.cells[self.first_cell(row, tile.block)..][..Self::CELLS * W];
        for w in 0..W {
            let pair = &cells[Self::CELLS * w..][..Self::CELLS];
            let pair = [lanes.load(&pair[0]), lanes.load(&pair[Self::CELLS - 1])];
            for word in (w..N).step_by(W) {
                let sums = &mut self.sums[word % SUMS];
                *sums = lanes.dot(*sums, counts[word], lanes.pick(pair, tile.numbers[word]));
            }
        }
    }
}

/// A dot with a table of halves.
pub(crate) struct DotHalves<'a, L: Lanes> {
    low: DotBytes<'a, L>,
    high: DotBytes<'a, L>,
    /// The products with the rests, added up.
    rest: u128,
    table: Halves<'a>,
}

impl<L: Lanes> Sink<L> for DotHalves<'_, L> {
    type Tile<'a, const W: usize, const N: usize> = DotTile<L, N>;
    const PARENTS_AHEAD: usize = PARENTS_AHEAD;

    fn block_bytes(&self) -> usize {
        self.low.block_bytes() + self.high.block_bytes()
    }

    #[inline(always)]
    fn begin_tile<const W: usize, const N: usize>(&self, lanes: L, packed: &Packed<'_>) -> DotTile<L, N> {
        self.low.begin_tile::<W, N>(lanes, packed)
    }

    #[inline(always)]
    fn leaf<const W: usize, const N: usize>(&mut self, lanes: L, tile: &DotTile<L, N>, row: u16, alive: [L::Word; N]) {
        self.counts::<W, N>(lanes, tile, row, count(lanes, alive));
    }

    #[inline(always)]
    fn flush(&mut self, lanes: L) {
        self.low.flush(lanes);
        self.high.flush(lanes);
    }

    #[inline(always)]
    fn announce<const W: usize, const N: usize>(&self, tile: &DotTile<L, N>, row: u16) {
        self.low.announce::<W, N>(tile, row);
    }
}

impl<L: Lanes> Counting<L> for DotHalves<'_, L> {
    #[inline(always)]
    fn counts<const W: usize, const N: usize>(
        &mut self,
        lanes: L,
        tile: &DotTile<L, N>,
        row: u16,
        counts: [L::Word; N],
    ) {
        self.low.counts::<W, N>(lanes, tile, row, counts);
        let (block, cells) = (tile.block, DotBytes::<L>::CELLS);
        let beyond = self.table.beyond(row, cells * block..cells * (block + W));
        if beyond & HIGH != 0 {
            self.high.counts::<W, N>(lanes, tile, row, counts);
        }
        if beyond & REST != 0 {
            let mut words = [[Cell::ZERO; 2]; N];
            for w in 0..N {
                lanes.store(counts[w], &mut words[w][0]);
                lanes.store(tile.numbers[w], &mut words[w][1]);
            }
            for (w, word) in words.iter().enumerate() {
                self.rest += u128::from(self.table.rest(row, cells * (block + w % W), word));
            }
        }
    }
}
