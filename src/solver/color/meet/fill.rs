//! Adds the counts of the filling side to the table.

use super::replay::Replay;
use super::sink::{Counting, Packed, Sink, count};
use super::table::Table;
use crate::Result;
use crate::count::Work;
use crate::solver::color::side::Parents;
use crate::solver::color::tuning::FILL_CELLS_AHEAD;
use crate::solver::simd::{Cell, Kernel, Words};

/// Replays a program, and adds its counts to a table.
pub(crate) struct Fill<'a> {
    pub(crate) replay: Replay<'a, Parents>,
    pub(crate) table: Filling<'a>,
}

/// A table while it is filled.
pub(crate) struct Filling<'a> {
    /// The lowest bytes of the entries.
    pub(crate) low: Table<&'a mut [Cell]>,
    /// The second bytes of all entries, then the third bytes, and so on. Each takes as many cells as `low`. If an entry
    /// is too large, its last byte ends as 255.
    pub(crate) high: &'a mut [Cell],
}

impl Kernel for Fill<'_> {
    type Output = Result<Work>;

    #[inline(always)]
    fn run<T: Words>(self, token: T) -> Result<Work> {
        let Self { replay, table } = self;
        if table.high.is_empty() {
            replay.run(token, &mut FillSink::<false> { table })
        } else {
            replay.run(token, &mut FillSink::<true> { table })
        }
    }
}

/// Fills a table. `CARRIES` says whether entries have more than one byte.
struct FillSink<'a, const CARRIES: bool> {
    table: Filling<'a>,
}

impl<T: Words, const CARRIES: bool> Sink<T> for FillSink<'_, CARRIES> {
    /// The first block.
    type Tile<'a, const W: usize, const N: usize> = usize;
    const CELLS_AHEAD: usize = FILL_CELLS_AHEAD;

    fn block_bytes(&self) -> usize {
        self.table.low.block_bytes() * if CARRIES { 2 } else { 1 }
    }

    #[inline(always)]
    fn begin_tile<const W: usize, const N: usize>(&self, _token: T, packed: &Packed<'_>) -> usize {
        packed.block
    }

    #[inline(always)]
    fn leaf<const W: usize, const N: usize>(&mut self, token: T, block: &usize, row: u16, alive: [T::Word; N]) {
        self.counts::<W, N>(token, block, row, count(token, alive));
    }
}

impl<T: Words, const CARRIES: bool> Counting<T> for FillSink<'_, CARRIES> {
    #[inline(always)]
    fn counts<const W: usize, const N: usize>(&mut self, token: T, &block: &usize, row: u16, counts: [T::Word; N]) {
        let Filling { low, high } = &mut self.table;
        let (at, length) = (usize::from(row) * low.stride + block, low.cells.len());
        let cells = low.at::<W>(row, block);
        for (w, (cell, counts)) in cells.iter_mut().zip(by_block::<T, W, N>(token, &counts)).enumerate() {
            if !CARRIES {
                token.store(token.add_saturating(token.load(cell), counts), cell);
                continue;
            }
            let (sum, carry) = token.add(token.load(cell), counts);
            token.store(sum, cell);
            // One leaf in hundreds carries, so the second bytes are seldom used.
            if let Some(carry) = carry {
                carry_up(token, high, (at + w, length), carry);
            }
        }
    }
}

/// Adds the counts of all levels. Returns the sum for each block.
#[inline(always)]
fn by_block<T: Words, const W: usize, const N: usize>(token: T, counts: &[T::Word; N]) -> [T::Word; W] {
    let mut sums = *counts.first_chunk().expect("a tile has a level");
    for word in W..N {
        sums[word % W] = token.add_saturating(sums[word % W], counts[word]);
    }
    sums
}

/// Adds a carry to cell `at` of the second bytes, and each further carry to the next bytes. The last bytes saturate.
/// One byte of all entries takes `length` cells.
#[inline(always)]
fn carry_up<T: Words>(token: T, high: &mut [Cell], (mut at, length): (usize, usize), mut carry: T::Word) {
    while at + length < high.len() {
        let (sum, further) = token.add(token.load(&high[at]), carry);
        token.store(sum, &mut high[at]);
        let Some(further) = further else { return };
        (at, carry) = (at + length, further);
    }
    token.store(token.add_saturating(token.load(&high[at]), carry), &mut high[at]);
}
