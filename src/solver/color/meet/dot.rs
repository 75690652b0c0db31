//! The summing side: the counts of a walk multiplied with the table.

use super::table::Table;
use super::turned::{Beyond, HIGH, REST, Turned};
use super::walk::{Found, Leaf, Replay, Replayed};
use crate::Result;
use crate::count::Work;
use crate::solver::color::room::grow;
use crate::solver::color::tuning::{MAX_WORDS, SUMS};
use crate::solver::simd::{Cell, Kernel, LANE_BITS, LANES, Lanes};

/// Sums the products of the counts of a walk with a table.
pub(crate) struct Dot<'a, P> {
    pub(crate) replay: Replay<'a, P>,
    pub(crate) table: &'a Turned,
    /// Memory for a [`TallyLeaf`]: zero before and after, also after an error.
    pub(crate) tallies: &'a mut Vec<Cell>,
}

impl<P: Replayed> Kernel for Dot<'_, P> {
    type Output = Result<(u128, Work)>;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> Result<(u128, Work)> {
        let sums = |table| DotLeaf { table, sums: [lanes.zero_sums(); SUMS], total: 0 };
        let mut low = sums(self.table.low());
        match self.table.beyond() {
            None => {
                let work = replay(lanes, self.replay, low.table, self.tallies, &mut low)?;
                Ok((low.total, work))
            }
            Some(beyond) => {
                let mut all = DotBeyondLeaf { low, high: sums(beyond.high), rest: 0, beyond };
                let work = replay(lanes, self.replay, all.low.table, self.tallies, &mut all)?;
                Ok((2 * (all.low.total + 256 * all.high.total) + all.rest, work))
            }
        }
    }
}

/// Replays with `leaf`, or with tallies of its counts where that is faster.
#[inline(always)]
fn replay<L: Lanes, F: Leaf<L>, P: Replayed>(
    lanes: L,
    replay: Replay<'_, P>,
    table: Table<&[Cell]>,
    tallies: &mut Vec<Cell>,
    leaf: &mut F,
) -> Result<Work> {
    const { assert!(!L::TALLIES || L::SHARING == 1, "tallies have their lanes where the table has them") };
    if !L::TALLIES {
        return replay.run(lanes, leaf);
    }
    let Table { cells, stride } = table;
    grow(tallies, cells.len(), Cell::ZERO)?;
    let mut tally = TallyLeaf { tallies: Table { cells: &mut tallies[..cells.len()], stride }, leaf };
    let work = match replay.run(lanes, &mut tally) {
        Ok(work) => work,
        Err(error) => {
            // The next unit finds them as this one did.
            tally.tallies.cells.fill(Cell::ZERO);
            return Err(error);
        }
    };
    for (at, cell) in tally.tallies.cells.iter_mut().enumerate() {
        if !cell.is_zero() {
            pass_on(lanes, tally.leaf, at / stride, at % stride, cell);
        }
    }
    Ok(work)
}

struct DotLeaf<'a, L: Lanes> {
    table: Table<&'a [Cell]>,
    sums: [L::Sums; SUMS],
    total: u128,
}

impl<'a, L: Lanes> DotLeaf<'a, L> {
    /// Cells of a row that a block of a tile meets: two where blocks share words.
    const CELLS: usize = L::SHARING.div_ceil(LANES);

    /// The cells of a row that meet `W` blocks.
    #[inline(always)]
    fn cells<const W: usize>(&self, row: usize, block: usize) -> &'a [Cell] {
        &self.table.cells[row * self.table.stride..][Self::CELLS * block..][..Self::CELLS * W]
    }
}

impl<L: Lanes> Leaf<L> for DotLeaf<'_, L> {
    #[inline(always)]
    fn leaf<const W: usize, const N: usize>(&mut self, lanes: L, found: Found<L, W, N>) {
        let cells = self.cells::<W>(found.row, found.block);
        if L::SHARING > 1 {
            for w in 0..W {
                let pair = &cells[Self::CELLS * w..][..Self::CELLS];
                let pair = [lanes.load(&pair[0]), lanes.load(&pair[Self::CELLS - 1])];
                for word in (w..N).step_by(W) {
                    let sums = &mut self.sums[word % SUMS];
                    *sums = lanes.dot(*sums, found.counts[word], lanes.pick(pair, found.numbers[word]));
                }
            }
        } else {
            let counts = found.by_block(lanes);
            for w in 0..W {
                let sums = &mut self.sums[w % SUMS];
                *sums = lanes.dot(*sums, counts[w], lanes.load(&cells[w]));
            }
        }
    }

    #[inline(always)]
    fn flush(&mut self, lanes: L) {
        for sums in &mut self.sums {
            self.total += u128::from(lanes.total(*sums));
            *sums = lanes.zero_sums();
        }
    }

    fn block_bytes(&self) -> usize {
        self.table.block_bytes() * Self::CELLS
    }

    const IS_PICKED: bool = L::SHARING > 1;
}

struct DotBeyondLeaf<'a, L: Lanes> {
    low: DotLeaf<'a, L>,
    high: DotLeaf<'a, L>,
    rest: u128,
    beyond: Beyond<'a>,
}

impl<L: Lanes> Leaf<L> for DotBeyondLeaf<'_, L> {
    #[inline(always)]
    fn leaf<const W: usize, const N: usize>(&mut self, lanes: L, found: Found<L, W, N>) {
        self.low.leaf(lanes, found);
        let Found { row, block, counts, numbers } = found;
        let pairs = if DotLeaf::<L>::CELLS == 2 { block..block + W } else { block / 2..(block + W).div_ceil(2) };
        let beyond = self.beyond.at(row, pairs);
        if beyond & HIGH != 0 {
            self.high.leaf(lanes, found);
        }
        if beyond & REST != 0 {
            let mut cells = [[Cell::ZERO; 2]; N];
            for w in 0..N {
                lanes.store(counts[w], &mut cells[w][0]);
                lanes.store(numbers[w], &mut cells[w][1]);
            }
            self.rest += u128::from(self.beyond.rest(row, block, W, &cells, L::SHARING));
        }
    }

    #[inline(always)]
    fn flush(&mut self, lanes: L) {
        self.low.flush(lanes);
        self.high.flush(lanes);
    }

    fn block_bytes(&self) -> usize {
        self.low.block_bytes() + self.high.block_bytes()
    }

    const IS_PICKED: bool = L::SHARING > 1;
}

/// To a tally of at most 127 the counts of all levels of a tile can be added.
const _: () = assert!(127 + MAX_WORDS * LANE_BITS <= 255);

/// Adds up the counts that meet the same entries, and passes each sum on to `leaf` before it overflows.
struct TallyLeaf<'a, F> {
    tallies: Table<&'a mut [Cell]>,
    leaf: &'a mut F,
}

impl<L: Lanes, F: Leaf<L>> Leaf<L> for TallyLeaf<'_, F> {
    #[inline(always)]
    fn leaf<const W: usize, const N: usize>(&mut self, lanes: L, found: Found<L, W, N>) {
        let cells = self.tallies.at::<W>(found.row, found.block);
        for (w, (cell, counts)) in cells.iter_mut().zip(found.by_block(lanes)).enumerate() {
            let tally = lanes.add_saturating(lanes.load(cell), counts);
            lanes.store(tally, cell);
            // Before more can pass 255.
            if lanes.reaches_128(tally) {
                pass_on(lanes, self.leaf, found.row, found.block + w, cell);
            }
        }
    }

    #[inline(always)]
    fn flush(&mut self, _lanes: L) {}

    fn block_bytes(&self) -> usize {
        self.tallies.block_bytes() + self.leaf.block_bytes()
    }
}

/// Passes a tally on and begins it anew. Not inlined: it is rare, and would take registers from the walk. (Nor is it
/// compiled for an instruction set: the portable code alone has tallies.)
#[inline(never)]
fn pass_on<L: Lanes, F: Leaf<L>>(lanes: L, leaf: &mut F, row: usize, block: usize, cell: &mut Cell) {
    let tally = lanes.load(cell);
    leaf.leaf::<1, 1>(lanes, Found { row, block, counts: [tally], numbers: [tally] });
    leaf.flush(lanes);
    *cell = Cell::ZERO;
}
