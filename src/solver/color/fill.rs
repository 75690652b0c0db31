//! The filling side: the counts of a walk added to the table.

use super::cell::Cell;
use super::isa::{Kernel, Lanes};
use super::table::Table;
use super::walk::{Found, Leaf, Replay};
use crate::count::Work;

/// Adds the counts of a walk to a table.
pub(super) struct Fill<'a> {
    pub(super) replay: Replay<'a>,
    /// Without `high`, sums above 254 end as 255.
    pub(super) table: Table<&'a mut [Cell]>,
    /// A table for what is carried past 255, of the same length; sums above 65 279 end with 255 here.
    pub(super) high: Option<&'a mut [Cell]>,
}

impl Kernel for Fill<'_> {
    type Output = Work;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> Work {
        let mut low = FillLeaf { table: self.table };
        match self.high {
            None => self.replay.run(lanes, &mut low),
            Some(high) => self.replay.run(lanes, &mut FillHighLeaf { low, high }),
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
}

impl<L: Lanes> Leaf<L> for FillHighLeaf<'_> {
    #[inline(always)]
    fn leaf<const W: usize, const N: usize>(&mut self, lanes: L, found: Found<L, W, N>) {
        let at = found.row * self.low.table.stride + found.block;
        let cells = self.low.table.at::<W>(found.row, found.block);
        for (w, (cell, counts)) in cells.iter_mut().zip(found.by_block(lanes)).enumerate() {
            let (sum, carry) = lanes.add(lanes.load(cell), counts);
            lanes.store(sum, cell);
            // One leaf in hundreds: the second table is seldom touched.
            if let Some(carry) = carry {
                let high = &mut self.high[at + w];
                lanes.store(lanes.add_saturating(lanes.load(high), carry), high);
            }
        }
    }

    #[inline(always)]
    fn flush(&mut self, _lanes: L) {}

    fn block_bytes(&self) -> usize {
        2 * self.low.table.block_bytes()
    }
}
