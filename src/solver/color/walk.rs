//! The packed walk: a program replayed on packs, adding each leaf's counts to the table (fill) or multiplying them with
//! it (dot).

use std::ops::Range;

use super::cell::{Cell, array, array_mut, grow};
use super::isa::{Kernel, Lanes};
use super::pack::{Store, Tile};
use super::program::{ALL_KEYS, NUMBERS, Program, Walk};
use super::table::{Beyond, HIGH, REST, Transposed};
use super::tuning::{MAX_WORDS, PARENTS_AHEAD, SUMS};
use crate::Monitor;
use crate::count::Work;

/// Parents between two sums of [`Lanes::dot`]'s partial ones: with 4 children, 8 words of 8 products a word to one sum,
/// and 8 bits times 255 a product, a partial sum stays below 2^30. (The levels of a tile only move factors: its words
/// are 8.)
const PARENTS_PER_SUM: usize = 1024;

const _: () = assert!(PARENTS_PER_SUM * 4 * 8 * (8 * 8 * 255) < 1 << 30);

/// What is done with the counts of a leaf.
trait Leaf<L: Lanes> {
    /// Takes the counts on the `N` words of `W` blocks (or pairs of them, where words are picked), level by level, and
    /// the numbers of their lanes.
    fn leaf<const W: usize, const N: usize>(
        &mut self,
        lanes: L,
        row: usize,
        block: usize,
        counts: [L::Word; N],
        numbers: &[L::Word; N],
    );
    fn flush(&mut self, lanes: L);
    /// By how many parents the walk is ahead with `announce`; 0 where it is not called.
    const AHEAD: usize = 0;
    /// Is told of a leaf to come, so that its row of the table is near by then.
    #[inline(always)]
    fn announce<const W: usize>(&self, _lanes: L, _row: usize, _block: usize) {}
    /// Bytes of the tables that belong to one of the tiles' blocks.
    fn block_bytes(&self) -> usize;
}

/// The counts of each block: those of its levels added.
#[inline(always)]
fn by_block<L: Lanes, const W: usize, const N: usize>(lanes: L, counts: [L::Word; N]) -> [L::Word; W] {
    let mut sums = [counts[0]; W];
    for w in 0..W {
        sums[w] = counts[w];
        for level in 1..N / W {
            sums[w] = lanes.add_saturating(sums[w], counts[level * W + w]);
        }
    }
    sums
}

/// A table of counts: a row for each column set of the walked side, a lane for each one of the other side.
#[derive(Debug, Clone, Copy)]
pub(super) struct Table<C> {
    pub(super) cells: C,
    /// Cells of a row.
    pub(super) stride: usize,
}

impl<C: AsRef<[Cell]>> Table<C> {
    /// Bytes of all rows' entries in one block of lanes.
    fn block_bytes(&self) -> usize {
        size_of_val(self.cells.as_ref()) / self.stride.max(1)
    }
}

/// Packs, and the program that is replayed on them.
pub(super) struct Replay<'a> {
    pub(super) store: &'a Store,
    pub(super) packs: Range<usize>,
    pub(super) program: Program<'a>,
    /// Bytes of the table that are used at a time.
    pub(super) range_bytes: usize,
    pub(super) states: &'a mut Vec<Cell>,
    pub(super) monitor: &'a Monitor,
}

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
    fn leaf<const W: usize, const N: usize>(
        &mut self,
        lanes: L,
        row: usize,
        block: usize,
        counts: [L::Word; N],
        _numbers: &[L::Word; N],
    ) {
        let counts = by_block::<L, W, N>(lanes, counts);
        let cells = array_mut::<W>(self.table.cells, row * self.table.stride + block);
        for (cell, counts) in cells.iter_mut().zip(counts) {
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
    fn leaf<const W: usize, const N: usize>(
        &mut self,
        lanes: L,
        row: usize,
        block: usize,
        counts: [L::Word; N],
        _numbers: &[L::Word; N],
    ) {
        let counts = by_block::<L, W, N>(lanes, counts);
        let at = row * self.low.table.stride + block;
        let cells = array_mut::<W>(self.low.table.cells, at);
        for (w, (cell, counts)) in cells.iter_mut().zip(counts).enumerate() {
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

/// Sums the products of the counts of a walk with a table.
pub(super) struct Dot<'a> {
    pub(super) replay: Replay<'a>,
    pub(super) table: &'a Transposed,
}

impl Kernel for Dot<'_> {
    type Output = (u128, Work);

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> (u128, Work) {
        let sums = |table| DotLeaf { table, sums: [lanes.zero_sums(); SUMS], total: 0 };
        let mut low = sums(self.table.low());
        match self.table.beyond() {
            None => {
                let work = self.replay.run(lanes, &mut low);
                (low.total, work)
            }
            Some(beyond) => {
                let mut all = DotBeyondLeaf { low, high: sums(beyond.high), rest: 0, beyond };
                let work = self.replay.run(lanes, &mut all);
                (2 * (all.low.total + 256 * all.high.total) + all.rest, work)
            }
        }
    }
}

struct DotLeaf<'a, L: Lanes> {
    table: Table<&'a [Cell]>,
    sums: [L::Sums; SUMS],
    total: u128,
}

impl<'a, L: Lanes> DotLeaf<'a, L> {
    /// Cells of a row that belong to one of the tiles' blocks: two where words are picked.
    const CELLS: usize = if L::PICKS { 2 } else { 1 };

    /// The cells of a row that meet `W` blocks.
    #[inline(always)]
    fn cells<const W: usize>(&self, row: usize, block: usize) -> &'a [Cell] {
        &self.table.cells[row * self.table.stride..][Self::CELLS * block..][..Self::CELLS * W]
    }
}

impl<L: Lanes> Leaf<L> for DotLeaf<'_, L> {
    #[inline(always)]
    fn leaf<const W: usize, const N: usize>(
        &mut self,
        lanes: L,
        row: usize,
        block: usize,
        counts: [L::Word; N],
        numbers: &[L::Word; N],
    ) {
        let cells = self.cells::<W>(row, block);
        if L::PICKS {
            for w in 0..W {
                let pair = [lanes.load(&cells[2 * w]), lanes.load(&cells[2 * w + 1])];
                for word in (w..N).step_by(W) {
                    let sums = &mut self.sums[word % SUMS];
                    *sums = lanes.dot(*sums, counts[word], lanes.pick(pair, numbers[word]));
                }
            }
        } else {
            let counts = by_block::<L, W, N>(lanes, counts);
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
}

struct DotBeyondLeaf<'a, L: Lanes> {
    low: DotLeaf<'a, L>,
    high: DotLeaf<'a, L>,
    rest: u128,
    beyond: Beyond<'a>,
}

impl<L: Lanes> Leaf<L> for DotBeyondLeaf<'_, L> {
    #[inline(always)]
    fn leaf<const W: usize, const N: usize>(
        &mut self,
        lanes: L,
        row: usize,
        block: usize,
        counts: [L::Word; N],
        numbers: &[L::Word; N],
    ) {
        self.low.leaf::<W, N>(lanes, row, block, counts, numbers);
        let pairs = if L::PICKS { block..block + W } else { block / 2..(block + W).div_ceil(2) };
        let beyond = self.beyond.at(row, pairs);
        if beyond & HIGH != 0 {
            self.high.leaf::<W, N>(lanes, row, block, counts, numbers);
        }
        if beyond & REST != 0 {
            let mut cells = [[Cell::ZERO; 2]; N];
            for w in 0..N {
                lanes.store(counts[w], &mut cells[w][0]);
                lanes.store(numbers[w], &mut cells[w][1]);
            }
            self.rest += u128::from(self.beyond.rest(row, block, W, &cells, L::PICKS));
        }
    }

    #[inline(always)]
    fn flush(&mut self, lanes: L) {
        self.low.flush(lanes);
        self.high.flush(lanes);
    }

    const AHEAD: usize = PARENTS_AHEAD;

    #[inline(always)]
    fn announce<const W: usize>(&self, lanes: L, row: usize, block: usize) {
        for cell in self.low.cells::<W>(row, block) {
            lanes.prefetch(cell);
        }
    }

    fn block_bytes(&self) -> usize {
        self.low.block_bytes() + self.high.block_bytes()
    }
}

impl Replay<'_> {
    /// Replays the program, tile by tile: one range of blocks after the other, of so many bytes of the tables.
    #[inline(always)]
    fn run<L: Lanes, F: Leaf<L>>(self, lanes: L, leaf: &mut F) -> Work {
        let Self { store, packs, program, range_bytes, states, monitor } = self;
        let packs = &store.packs[packs];
        let mut work = Work::default();
        let together = (range_bytes / leaf.block_bytes().max(1)).max(1);
        let (mut first, mut end) = (0usize, 1);
        while first < end {
            let blocks = first..first.saturating_add(together);
            for pack in packs {
                let walk = program.walk(pack.prefix as usize);
                if walk.is_empty() {
                    continue;
                }
                if first == 0 {
                    let nodes: u64 = walk.nodes().iter().sum();
                    work.nodes += nodes - 1;
                    work.lane_words += nodes * u64::from(pack.words);
                    grow(states, (walk.trunk.len() + 1) * MAX_WORDS);
                }
                for tile in store.tiles(pack) {
                    end = end.max(usize::from(tile.block) + 1);
                    if !blocks.contains(&usize::from(tile.block)) {
                        continue;
                    }
                    // On the largest boards a pack takes seconds.
                    if monitor.is_cancelled() {
                        return work;
                    }
                    walk_one(lanes, store.planes(pack, tile), tile, walk, states, leaf);
                }
            }
            first = blocks.end;
        }
        work
    }
}

/// Replays a walk on a tile, by the tile's shape.
#[inline(always)]
fn walk_one<L: Lanes, F: Leaf<L>>(
    lanes: L,
    planes: &[Cell],
    tile: &Tile,
    walk: Walk<'_>,
    states: &mut [Cell],
    leaf: &mut F,
) {
    if !L::HOLDS_TILES {
        return walk_tile_in_memory(lanes, planes, tile, walk, states, leaf);
    }
    let block = usize::from(tile.block);
    macro_rules! shapes {
        ($($width:literal x $depth:literal)*) => {
            match (tile.width, tile.depth) {
                $(($width, $depth) => {
                    walk_tile::<L, F, $width, { $width * $depth }>(lanes, planes, block, walk, states, leaf)
                })*
                _ => unreachable!("a tile has at most 8 words"),
            }
        };
    }
    shapes!(1 x 1 2 x 1 3 x 1 4 x 1 5 x 1 6 x 1 7 x 1 8 x 1 1 x 2 2 x 2 3 x 2 4 x 2
        1 x 3 2 x 3 1 x 4 2 x 4 1 x 5 1 x 6 1 x 7 1 x 8);
}

/// Replays a walk on a tile of `N` words: `W` blocks, N / W levels.
#[inline(always)]
fn walk_tile<L: Lanes, F: Leaf<L>, const W: usize, const N: usize>(
    lanes: L,
    planes: &[Cell],
    block: usize,
    walk: Walk<'_>,
    states: &mut [Cell],
    leaf: &mut F,
) {
    let plane = |number: u16| array::<N>(planes, usize::from(number) * N);
    let root = load::<L, N>(lanes, plane(ALL_KEYS));
    save::<L, N>(lanes, root, array_mut::<N>(states, 0));
    for (at, &[above, number]) in walk.trunk.iter().enumerate() {
        let state = load::<L, N>(lanes, array::<N>(states, usize::from(above) * N));
        let state = and_not::<L, N>(lanes, plane(number), state);
        save::<L, N>(lanes, state, array_mut::<N>(states, (at + 1) * N));
    }
    let numbers = load::<L, N>(lanes, plane(NUMBERS));
    for (parents, children) in walk.parents.iter().zip(1..) {
        let length = 2 + 2 * children;
        for some in parents.chunks(PARENTS_PER_SUM * length) {
            let mut later = some.chunks_exact(length).skip(F::AHEAD);
            for parent in some.chunks_exact(length) {
                if F::AHEAD > 0
                    && let Some(later) = later.next()
                {
                    for &[_, row] in later[2..].as_chunks().0 {
                        leaf.announce::<W>(lanes, usize::from(row), block);
                    }
                }
                let (parent, children) = parent.split_at(2);
                let state = load::<L, N>(lanes, array::<N>(states, usize::from(parent[0]) * N));
                let state = and_not::<L, N>(lanes, plane(parent[1]), state);
                for &[number, row] in children.as_chunks().0 {
                    let left = and_not::<L, N>(lanes, plane(number), state);
                    let mut counts = left;
                    for w in 0..N {
                        counts[w] = lanes.counts(left[w]);
                    }
                    leaf.leaf::<W, N>(lanes, usize::from(row), block, counts, &numbers);
                }
            }
            leaf.flush(lanes);
        }
    }
}

/// The same word by word, where registers do not hold a tile: less code, and faster there.
#[inline(always)]
fn walk_tile_in_memory<L: Lanes, F: Leaf<L>>(
    lanes: L,
    planes: &[Cell],
    tile: &Tile,
    walk: Walk<'_>,
    states: &mut [Cell],
    leaf: &mut F,
) {
    let (width, depth) = (usize::from(tile.width), usize::from(tile.depth));
    let all = width * depth;
    let plane = |number: u16| &planes[usize::from(number) * all..][..all];
    states[..all].copy_from_slice(plane(ALL_KEYS));
    for (at, &[above, number]) in walk.trunk.iter().enumerate() {
        let (known, new) = states.split_at_mut((at + 1) * all);
        let state = &known[usize::from(above) * all..][..all];
        for ((to, from), hit) in new.iter_mut().zip(state).zip(plane(number)) {
            lanes.store(lanes.and_not(lanes.load(hit), lanes.load(from)), to);
        }
    }
    let mut state = [Cell::ZERO; MAX_WORDS];
    for (parents, children) in walk.parents.iter().zip(1..) {
        let length = 2 + 2 * children;
        for some in parents.chunks(PARENTS_PER_SUM * length) {
            for parent in some.chunks_exact(length) {
                let (parent, children) = parent.split_at(2);
                let above = &states[usize::from(parent[0]) * all..][..all];
                for ((to, from), hit) in state.iter_mut().zip(above).zip(plane(parent[1])) {
                    lanes.store(lanes.and_not(lanes.load(hit), lanes.load(from)), to);
                }
                for &[number, row] in children.as_chunks().0 {
                    let hit = plane(number);
                    for (w, (first, state_of_first)) in hit[..width].iter().zip(&state).enumerate() {
                        let mut counts = lanes.counts(lanes.and_not(lanes.load(first), lanes.load(state_of_first)));
                        // `step_by` divides for its length: with AVX2 n = 18 took 2 % longer.
                        let mut at = w + width;
                        while at < all {
                            let left = lanes.and_not(lanes.load(&hit[at]), lanes.load(&state[at]));
                            counts = lanes.add_saturating(counts, lanes.counts(left));
                            at += width;
                        }
                        let block = usize::from(tile.block) + w;
                        leaf.leaf::<1, 1>(lanes, usize::from(row), block, [counts], &[counts]);
                    }
                }
            }
            leaf.flush(lanes);
        }
    }
}

// Plain loops: closures under `array::from_fn` are compiled without the instruction set and then not inlined.

#[inline(always)]
fn load<L: Lanes, const W: usize>(lanes: L, cells: &[Cell; W]) -> [L::Word; W] {
    let mut words = [lanes.load(&cells[0]); W];
    for w in 1..W {
        words[w] = lanes.load(&cells[w]);
    }
    words
}

#[inline(always)]
fn save<L: Lanes, const W: usize>(lanes: L, words: [L::Word; W], cells: &mut [Cell; W]) {
    for w in 0..W {
        lanes.store(words[w], &mut cells[w]);
    }
}

/// The bits of `words` that are not in the plane.
#[inline(always)]
fn and_not<L: Lanes, const W: usize>(lanes: L, plane: &[Cell; W], mut words: [L::Word; W]) -> [L::Word; W] {
    for w in 0..W {
        words[w] = lanes.and_not(lanes.load(&plane[w]), words[w]);
    }
    words
}
