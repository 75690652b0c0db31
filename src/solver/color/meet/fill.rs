//! The filling side: the counts of a walk added to the table.

use super::table::Table;
use super::walk::{Found, Leaf, Replay};
use crate::Result;
use crate::count::Work;
use crate::solver::color::half::Program;
use crate::solver::simd::{Cell, Kernel, Lanes};

/// Adds the counts of a walk to a table.
pub(crate) struct Fill<'a> {
    pub(crate) replay: Replay<'a, Program<'a>>,
    /// The lowest bytes of the entries.
    pub(crate) table: Table<&'a mut [Cell]>,
    /// Their second bytes, then their third ones, and so on: a table of the same length for each. An entry too large
    /// for the bytes that there are ends with 255 in the last of them.
    pub(crate) high: &'a mut [Cell],
}

impl Kernel for Fill<'_> {
    type Output = Result<Work>;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> Result<Work> {
        let mut low = FillLeaf { table: self.table };
        if self.high.is_empty() {
            self.replay.run(lanes, &mut low)
        } else {
            let length = low.table.cells.len();
            self.replay.run(lanes, &mut FillHighLeaf { low, high: self.high, length })
        }
    }
}

struct FillLeaf<'a> {
    table: Table<&'a mut [Cell]>,
}

impl<L: Lanes> Leaf<L> for FillLeaf<'_> {
    #[inline(always)]
    fn leaf<const W: usize, const N: usize>(&mut self, lanes: L, found: Found<L, W, N>) {
        let cells = self.table.at::<W>(found.row, found.block);
        for (cell, counts) in cells.iter_mut().zip(found.by_block(lanes)) {
            lanes.store(lanes.add_saturating(lanes.load(cell), counts), cell);
        }
    }

    #[inline(always)]
    fn flush(&mut self, _lanes: L) {}

    fn block_bytes(&self) -> usize {
        self.table.block_bytes()
    }
}

struct FillHighLeaf<'a> {
    low: FillLeaf<'a>,
    high: &'a mut [Cell],
    /// Cells of a table.
    length: usize,
}

/// Adds a carry to the second bytes; what passes 255 there to the third ones, and so on; the last ones saturate.
#[inline(always)]
fn carry_up<L: Lanes>(lanes: L, high: &mut [Cell], length: usize, mut at: usize, mut carry: L::Word) {
    while at + length < high.len() {
        let (sum, further) = lanes.add(lanes.load(&high[at]), carry);
        lanes.store(sum, &mut high[at]);
        let Some(further) = further else { return };
        (at, carry) = (at + length, further);
    }
    lanes.store(lanes.add_saturating(lanes.load(&high[at]), carry), &mut high[at]);
}

impl<L: Lanes> Leaf<L> for FillHighLeaf<'_> {
    #[inline(always)]
    fn leaf<const W: usize, const N: usize>(&mut self, lanes: L, found: Found<L, W, N>) {
        let at = found.row * self.low.table.stride + found.block;
        let cells = self.low.table.at::<W>(found.row, found.block);
        for (w, (cell, counts)) in cells.iter_mut().zip(found.by_block(lanes)).enumerate() {
            let (sum, carry) = lanes.add(lanes.load(cell), counts);
            lanes.store(sum, cell);
            // One leaf in hundreds carries: the second bytes are seldom touched.
            if let Some(carry) = carry {
                carry_up(lanes, self.high, self.length, at + w, carry);
            }
        }
    }

    #[inline(always)]
    fn flush(&mut self, _lanes: L) {}

    fn block_bytes(&self) -> usize {
        2 * self.low.table.block_bytes()
    }
}
