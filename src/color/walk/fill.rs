//! Adds the counts of the filling side to its table.

use super::sink::{Sink, TileData};
use super::{LaneWalk, Replay};
use crate::Result;
use crate::color::table::Entries;
use crate::simd::{Kernel, Words};

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

impl<T: Words, const WIDE: bool> Sink<T> for FillSink<'_, WIDE> {
    /// The block of the tile. A stack is a block, because filling packs do not share bytes.
    type Tile<const N: usize> = usize;

    #[inline(always)]
    fn start_tile<const N: usize>(&self, _simd: T, data: &TileData<'_>) -> usize {
        usize::from(data.tile.stack)
    }

    #[inline(always)]
    fn end_group<const N: usize>(&mut self, simd: T, &block: &usize, row: u16, counts: [T::Word; N]) {
        let Entries { low, high, stride } = &mut self.table;
        let at = usize::from(row) * *stride + block;
        let cell = &mut low[at];
        let mut entries = simd.load(cell);
        for count in counts {
            if !WIDE {
                entries = simd.add_saturating(entries, count);
                continue;
            }
            let (sum, carry) = simd.add(entries, count);
            entries = sum;
            // Few groups carry, so the high bytes are seldom touched.
            if let Some(carry) = carry {
                let cell = &mut high[at];
                simd.store(simd.add_saturating(simd.load(cell), carry), cell);
            }
        }
        simd.store(entries, cell);
    }
}
