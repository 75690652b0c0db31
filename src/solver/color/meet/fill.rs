//! The filling side: the counts of a walk added to the table.

use super::replay::Replay;
use super::sink::{Counting, Packed, Sink, count};
use super::table::Table;
use crate::Result;
use crate::count::Work;
use crate::solver::color::side::Parents;
use crate::solver::color::tuning::FILL_CELLS_AHEAD;
use crate::solver::simd::{Cell, Kernel, Lanes};

/// Adds the counts of a walk to a table.
pub(crate) struct Fill<'a> {
    pub(crate) replay: Replay<'a, Parents>,
    pub(crate) table: Filling<'a>,
}

/// A table that is being filled.
pub(crate) struct Filling<'a> {
    /// The lowest bytes of the entries.
    pub(crate) low: Table<&'a mut [Cell]>,
    /// Their second bytes, then their third ones, and so on: a table of the same length for each. An entry too large
    /// for the bytes that there are ends with 255 in the last of them.
    pub(crate) high: &'a mut [Cell],
}

impl Kernel for Fill<'_> {
    type Output = Result<Work>;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> Result<Work> {
        let Self { replay, table } = self;
        if table.high.is_empty() {
            replay.run(lanes, &mut FillSink::<false> { table })
        } else {
            replay.run(lanes, &mut FillSink::<true> { table })
        }
    }
}

/// Fills a table; `CARRIES` where entries have more than one byte.
struct FillSink<'a, const CARRIES: bool> {
    table: Filling<'a>,
}

impl<L: Lanes, const CARRIES: bool> Sink<L> for FillSink<'_, CARRIES> {
    /// The first block.
    type Tile<'a, const W: usize, const N: usize> = usize;
    const CELLS_AHEAD: usize = FILL_CELLS_AHEAD;

    fn block_bytes(&self) -> usize {
        self.table.low.block_bytes() * if CARRIES { 2 } else { 1 }
    }

    #[inline(always)]
    fn begin_tile<const W: usize, const N: usize>(&self, _lanes: L, packed: &Packed<'_>) -> usize {
        packed.block
    }

    #[inline(always)]
    fn leaf<const W: usize, const N: usize>(&mut self, lanes: L, block: &usize, row: u16, alive: [L::Word; N]) {
        self.counts::<W, N>(lanes, block, row, count(lanes, alive));
    }
}

impl<L: Lanes, const CARRIES: bool> Counting<L> for FillSink<'_, CARRIES> {
    #[inline(always)]
    fn counts<const W: usize, const N: usize>(&mut self, lanes: L, &block: &usize, row: u16, counts: [L::Word; N]) {
        let Filling { low, high } = &mut self.table;
        let (at, length) = (usize::from(row) * low.stride + block, low.cells.len());
        let cells = low.at::<W>(row, block);
        for (w, (cell, counts)) in cells.iter_mut().zip(by_block::<L, W, N>(lanes, &counts)).enumerate() {
            if !CARRIES {
                lanes.store(lanes.add_saturating(lanes.load(cell), counts), cell);
                continue;
            }
            let (sum, carry) = lanes.add(lanes.load(cell), counts);
            lanes.store(sum, cell);
            // One leaf in hundreds carries: the second bytes are seldom touched.
            if let Some(carry) = carry {
                carry_up(lanes, high, (at + w, length), carry);
            }
        }
    }
}

/// The counts of each block: those of its levels added.
#[inline(always)]
fn by_block<L: Lanes, const W: usize, const N: usize>(lanes: L, counts: &[L::Word; N]) -> [L::Word; W] {
    let mut sums = *counts.first_chunk().expect("a tile has a level");
    for word in W..N {
        sums[word % W] = lanes.add_saturating(sums[word % W], counts[word]);
    }
    sums
}

/// Adds a carry to the second bytes; what passes 255 there to the third ones, and so on; the last ones saturate.
/// `length` is the number of cells of each.
#[inline(always)]
fn carry_up<L: Lanes>(lanes: L, high: &mut [Cell], (mut at, length): (usize, usize), mut carry: L::Word) {
    while at + length < high.len() {
        let (sum, further) = lanes.add(lanes.load(&high[at]), carry);
        lanes.store(sum, &mut high[at]);
        let Some(further) = further else { return };
        (at, carry) = (at + length, further);
    }
    lanes.store(lanes.add_saturating(lanes.load(&high[at]), carry), &mut high[at]);
}
