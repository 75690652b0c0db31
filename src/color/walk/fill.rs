//! Adds the counts of the filling side to its table.

use super::sink::{Sink, TileData};
use super::{LaneWalk, Replay, load};
use crate::Result;
use crate::color::pack::Layout;
use crate::color::program::MAX_GROUP;
use crate::color::table::Entries;
use crate::simd::{KEYS_PER_BYTE, Kernel, Words};

/// Walks a program, and adds its counts to a table.
pub(super) struct Fill<'a> {
    pub(super) replay: Replay<'a>,
    pub(super) table: Entries<'a>,
}

impl Kernel for Fill<'_> {
    type Output = Result<()>;

    #[inline(always)]
    fn run<T: Words>(self, simd: T) -> Result<()> {
        let Self { replay, table } = self;
        if table.high.is_empty() {
            replay.walk(simd, &mut LaneWalk(&mut FillSink::<false> { table }))
        } else {
            replay.walk(simd, &mut LaneWalk(&mut FillSink::<true> { table }))
        }
    }
}

/// Adds counts to a table. `WIDE` says whether entries have two bytes.
struct FillSink<'a, const WIDE: bool> {
    table: Entries<'a>,
}

/// The data of the current tile.
pub(super) struct FillTile<T: Words, const N: usize> {
    /// The number of the stack's first cell in each row of the table.
    cell: usize,
    /// Whether the stack has two blocks, whose cells are neighbors.
    is_pair: bool,
    /// If words are spread: for each block and each word, the place of each lane.
    places: [[T::Word; N]; 2],
}

/// The number of words whose counts of a group fit in a byte when they are added up for each lane, because a word has
/// at most one byte of a lane.
const WORDS_PER_SUM: usize = u8::MAX as usize / (MAX_GROUP * KEYS_PER_BYTE);

impl<const WIDE: bool> FillSink<'_, WIDE> {
    /// Moves the counts of a group to the lanes of a block, and adds them to cell number `at` of the table.
    #[inline(always)]
    fn add<T: Words, const N: usize>(&mut self, simd: T, at: usize, counts: &[T::Word; N], places: &[T::Word; N]) {
        let Entries { low, high, .. } = &mut self.table;
        let cell = &mut low[at];
        let mut entries = simd.load(cell);
        let mut word = 0;
        while word < N {
            let end = N.min(word + WORDS_PER_SUM);
            let mut sum = simd.permute(counts[word], places[word]);
            word += 1;
            while word < end {
                sum = simd.add_small(sum, simd.permute(counts[word], places[word]));
                word += 1;
            }
            if !WIDE {
                entries = simd.add_saturating(entries, sum);
                continue;
            }
            let (new, carry) = simd.add(entries, sum);
            entries = new;
            // Few groups carry, so the high bytes are seldom touched.
            if let Some(carry) = carry {
                let cell = &mut high[at];
                simd.store(simd.add_saturating(simd.load(cell), carry), cell);
            }
        }
        simd.store(entries, cell);
    }
}

impl<T: Words, const WIDE: bool> Sink<T> for FillSink<'_, WIDE> {
    type Tile<const N: usize> = FillTile<T, N>;

    #[inline(always)]
    fn start_tile<const N: usize>(&self, simd: T, data: &TileData<'_>) -> FillTile<T, N> {
        let [first, second] = data.maps::<N, { Layout::SPREAD_MAPS }>();
        let places = [load::<T, N>(simd, first), load::<T, N>(simd, second)];
        let cell = usize::from(data.tile.stack) * if T::SPREADS { 2 } else { 1 };
        // The last stack may have one block.
        FillTile { cell, is_pair: T::SPREADS && cell + 1 < self.table.stride, places }
    }

    #[inline(always)]
    fn end_group<const N: usize>(&mut self, simd: T, tile: &FillTile<T, N>, row: u16, counts: [T::Word; N]) {
        let at = usize::from(row) * self.table.stride + tile.cell;
        self.add(simd, at, &counts, &tile.places[0]);
        if tile.is_pair {
            self.add(simd, at + 1, &counts, &tile.places[1]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::color::pack::divide;
    use crate::simd::{Cell, QUARTER_BYTES, WORD_BYTES, dispatch};
    use crate::solver::Isa;

    /// Adds the largest counts of a group, `times` times, for a tile of `N` words in which each byte belongs to a lane
    /// of either block.
    struct LargestCounts<'a, const N: usize> {
        table: Entries<'a>,
        times: usize,
    }

    impl<const N: usize> Kernel for LargestCounts<'_, N> {
        /// The number of blocks of a stack.
        type Output = usize;

        #[inline(always)]
        fn run<T: Words>(self, simd: T) -> usize {
            let map = Cell(std::array::from_fn(|lane| (lane % QUARTER_BYTES) as u8));
            let mut tiles = Vec::new();
            divide(&[N], N, &mut tiles).unwrap();
            let data = TileData { tile: &tiles[0], planes: &[map; 16][..2 * N], lane_of: &[] };
            let counts = [simd.load(&Cell([(MAX_GROUP * KEYS_PER_BYTE) as u8; WORD_BYTES])); N];
            let Self { table, times } = self;
            if table.high.is_empty() {
                let mut sink = FillSink::<false> { table };
                let tile = sink.start_tile::<N>(simd, &data);
                (0..times).for_each(|_| sink.end_group(simd, &tile, 0, counts));
            } else {
                let mut sink = FillSink::<true> { table };
                let tile = sink.start_tile::<N>(simd, &data);
                (0..times).for_each(|_| sink.end_group(simd, &tile, 0, counts));
            }
            if T::SPREADS { 2 } else { 1 }
        }
    }

    fn check<const N: usize>(isa: Isa, times: usize) {
        let added = times * N * MAX_GROUP * KEYS_PER_BYTE;
        let [mut low, mut high] = [[Cell::ZERO; 2]; 2];
        let blocks =
            dispatch(isa, LargestCounts::<N> { table: Entries { low: &mut low, high: &mut [], stride: 2 }, times });
        let expected = |block: usize, entry: usize| if block < blocks { entry as u8 } else { 0 };
        for (block, cell) in low.iter().enumerate() {
            assert_eq!(cell.0, [expected(block, added.min(255)); WORD_BYTES], "{isa}, {N} words, {times} times");
        }
        low = [Cell::ZERO; 2];
        dispatch(isa, LargestCounts::<N> { table: Entries { low: &mut low, high: &mut high, stride: 2 }, times });
        for (block, (low, high)) in low.iter().zip(&high).enumerate() {
            assert_eq!(low.0, [expected(block, added % 256); WORD_BYTES], "{isa}, {N} words, {times} times");
            assert_eq!(high.0, [expected(block, added / 256); WORD_BYTES], "{isa}, {N} words, {times} times");
        }
    }

    /// A lane may have a byte in each word of a tile, so the counts of a group may exceed 255 there.
    #[test]
    fn the_largest_counts_are_added_exactly_or_saturate() {
        for isa in Isa::available() {
            for times in [1, 2, 100] {
                check::<1>(isa, times);
                check::<4>(isa, times);
                check::<5>(isa, times);
                check::<8>(isa, times);
            }
        }
    }
}
