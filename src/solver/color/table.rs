//! The table between fill and dot: transposed once for each set of even rows, with the weights of the symmetry
//! multiplied in.

use std::ops::Range;

use super::cell::{Cell, LANES, array_mut, grow};
use super::geometry::Subset;
use super::isa::{Kernel, Lanes};
use super::symmetry::Class;

/// A table of counts: a row for each column set of the walked side, a lane for each one of the other side.
#[derive(Debug, Clone, Copy)]
pub(super) struct Table<C> {
    pub(super) cells: C,
    /// Cells of a row.
    pub(super) stride: usize,
}

impl<C: AsRef<[Cell]>> Table<C> {
    /// Bytes of all rows' entries in one block of lanes.
    pub(super) fn block_bytes(&self) -> usize {
        size_of_val(self.cells.as_ref()) / self.stride.max(1)
    }
}

impl Table<&mut [Cell]> {
    /// The cells of a row at `W` blocks.
    #[inline(always)]
    pub(super) fn at<const W: usize>(&mut self, row: usize, block: usize) -> &mut [Cell; W] {
        array_mut(self.cells, row * self.stride + block)
    }
}

/// How the entries of the transposed table are weighted ([`Class::column_weight`], for all of them at once).
#[derive(Debug, Default)]
pub(super) struct Weights {
    o: Subset,
    /// The lanes of the filled table, which become rows, and its rows, which become lanes.
    sides: [Columns; 2],
    /// The weights by lane of the transposed table, padded to whole blocks, for each kind of row: a standing and, times
    /// four, whether it stands for two; those where no row does are not valid.
    by_lane: [Vec<u8>; 8],
    /// No weight is larger.
    largest: u8,
}

/// Some column sets of one parity.
#[derive(Debug, Default)]
pub(super) struct Columns {
    /// The numbers of their orbits.
    ranks: Vec<u32>,
    /// How many sets each stands for by reflection.
    factors: Vec<u8>,
    largest_factor: u8,
    /// Whether O is compared with them: the odd ones and, for even n, the even ones.
    meets_odds: bool,
    /// For the term at hand, how each stands to E: 0 below, 1 equal, 2 above; or 3 where it is equal to O, above which
    /// there is none.
    standings: Vec<u8>,
}

impl Columns {
    /// The odd sets G for rows with this O.
    pub(super) fn odd(class: &Class, sets: &[Subset], o: Subset) -> Self {
        let ranks = sets.iter().map(|&g| class.rank(g)).collect();
        Self::new(ranks, sets.iter().map(|&g| class.odd_columns(g, o)).collect(), true)
    }

    /// The even sets F.
    pub(super) fn even(class: &Class, sets: &[Subset]) -> Self {
        Self::new(sets.iter().map(|&f| class.even_rank(f)).collect(), vec![1; sets.len()], class.is_even())
    }

    fn new(ranks: Vec<u32>, factors: Vec<u8>, meets_odds: bool) -> Self {
        let largest_factor = factors.iter().copied().max().unwrap_or(1);
        Self { ranks, factors, largest_factor, meets_odds, standings: Vec::new() }
    }

    fn compare(&mut self, class: &Class, e: Subset, o: Subset) {
        // For odd n, E's number is one among even sets: odd ones are only asked whether they equal O, the other
        // standings weigh the same.
        let [e, o] = [class.even_rank(e), if self.meets_odds { class.rank(o) } else { u32::MAX }];
        let standing = |&rank: &u32| {
            if rank == o { EQUAL_TO_O } else { u8::from(rank >= e) + u8::from(rank > e) }
        };
        self.standings.clear();
        self.standings.extend(self.ranks.iter().map(standing));
    }
}

/// The standing of column sets whose orbit is that of O.
const EQUAL_TO_O: u8 = 3;

impl Weights {
    /// No weight is larger.
    pub(super) fn largest(&self) -> u32 {
        u32::from(self.largest)
    }

    /// Weights for these columns in the filled table's lanes (the transposed one's rows) and in its rows (the
    /// transposed one's lanes), and for rows with this O.
    pub(super) fn begin(&mut self, o: Subset, rows: Columns, lanes: Columns) {
        self.o = o;
        self.largest = 2 * rows.largest_factor * lanes.largest_factor;
        self.sides = [rows, lanes];
    }

    /// Puts the weights in for rows (E, O).
    pub(super) fn compare(&mut self, class: &Class, e: Subset) {
        let o = self.o;
        let [rows, lanes] = &mut self.sides;
        rows.compare(class, e, o);
        lanes.compare(class, e, o);
        // Both sets in the orbit of O: the smaller one is compared with E.
        let both = u8::from(class.even_rank(e) == class.rank(o));
        for (kind, by_lane) in (0..4 * rows.largest_factor).zip(&mut self.by_lane) {
            let (row, factor) = (kind % 4, 1 + kind / 4);
            let meets = if row == EQUAL_TO_O { both } else { 2 - row };
            let weight = |(&lane, &of_lane): (&u8, &u8)| {
                let transposed = match lane {
                    EQUAL_TO_O => meets,
                    _ if row == EQUAL_TO_O => 2 - lane,
                    _ => 2,
                };
                transposed * factor * of_lane
            };
            by_lane.clear();
            by_lane.extend(lanes.standings.iter().zip(&lanes.factors).map(weight));
            by_lane.resize(lanes.ranks.len().next_multiple_of(LANES), 0);
        }
    }

    /// Those of a row of the transposed table at a block of its lanes.
    #[inline(always)]
    fn of(&self, row: usize, block: usize) -> &[u8; LANES] {
        let rows = &self.sides[0];
        let kind = rows.standings[row] + if rows.factors[row] > 1 { 4 } else { 0 };
        self.by_lane[usize::from(kind)][block * LANES..].first_chunk().expect("weights are padded to whole blocks")
    }
}

/// Finds the largest number in some cells.
pub(super) struct Peak<'a> {
    pub(super) cells: &'a [Cell],
}

impl Kernel for Peak<'_> {
    type Output = u8;

    #[inline(always)]
    fn run<L: Lanes>(self, _lanes: L) -> u8 {
        let mut largest = [0u8; LANES];
        for cell in self.cells {
            for (largest, &entry) in largest.iter_mut().zip(&cell.0) {
                *largest = (*largest).max(entry);
            }
        }
        largest.into_iter().fold(0, u8::max)
    }
}

/// The transposed, weighted table that a dot reads. Where its entries fit a byte, `low` has them. Where they do not,
/// most weights being even, `low` and `high` have the bytes of their halves, and the odd ones' rest is kept apart.
#[derive(Debug, Default)]
pub(super) struct Transposed {
    low: Vec<Cell>,
    high: Vec<Cell>,
    rests: Vec<Rest>,
    /// For each pair of blocks and each row, pair by pair, what there is beyond `low`: [`HIGH`], [`REST`].
    beyond: Vec<u8>,
    /// Whether the entries are halved.
    is_split: bool,
    rows: usize,
    stride: usize,
}

/// Some entry of the pair of blocks has a high byte.
pub(super) const HIGH: u8 = 1;
/// Some entry of the pair of blocks is odd.
pub(super) const REST: u8 = 2;

/// The odd entries of a row in a block: 1 for each.
#[derive(Debug)]
struct Rest {
    row: u16,
    block: u16,
    cell: Cell,
}

/// What there is of a table beyond its low bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Beyond<'a> {
    /// The high bytes of the halved entries.
    pub(super) high: Table<&'a [Cell]>,
    rests: &'a [Rest],
    flags: &'a [u8],
    rows: usize,
}

impl Beyond<'_> {
    /// What there is in a row at some pairs of blocks: [`HIGH`], [`REST`].
    #[inline(always)]
    pub(super) fn at(&self, row: usize, pairs: Range<usize>) -> u8 {
        pairs.fold(0, |beyond, pair| beyond | self.flags[pair * self.rows + row])
    }

    /// The products of the odd entries' rests with the counts of a leaf: those of the words of `width` blocks (or pairs
    /// of them, where words are picked) and the numbers of their lanes, level by level. A table has next to no rests.
    #[cold]
    pub(super) fn rest(&self, row: usize, block: usize, width: usize, words: &[[Cell; 2]], picks: bool) -> u64 {
        let mut sum = 0;
        for rest in self.rests.iter().filter(|rest| usize::from(rest.row) == row) {
            for (at, [counts, numbers]) in words.iter().enumerate() {
                let block = block + at % width;
                for (lane, &count) in counts.0.iter().enumerate() {
                    let lane =
                        if picks { 2 * block * LANES + usize::from(numbers.0[lane]) } else { block * LANES + lane };
                    if lane / LANES == usize::from(rest.block) {
                        sum += u64::from(count) * u64::from(rest.cell.0[lane % LANES]);
                    }
                }
            }
        }
        sum
    }
}

impl Transposed {
    /// Makes room for so many rows of so many cells, all zero: rows without a lane in the filled table stay so.
    pub(super) fn reset(&mut self, rows: usize, stride: usize) {
        self.rows = rows;
        self.stride = stride;
        for cells in [&mut self.low, &mut self.high] {
            let used = cells.len().min(rows * stride);
            cells[..used].fill(Cell::ZERO);
        }
        // One more than it has: pairs of cells are read.
        grow(&mut self.low, rows * stride + 1);
        self.beyond.clear();
        self.beyond.resize(rows * stride.div_ceil(2), 0);
    }

    /// The entries where nothing is beyond, else the low bytes of their halves.
    pub(super) fn low(&self) -> Table<&[Cell]> {
        Table { cells: &self.low, stride: self.stride }
    }

    /// The rest, where entries are halved.
    pub(super) fn beyond(&self) -> Option<Beyond<'_>> {
        let high = Table { cells: &self.high[..], stride: self.stride };
        self.is_split.then_some(Beyond { high, rests: &self.rests, flags: &self.beyond, rows: self.rows })
    }
}

/// Transposes a filled table and multiplies the weights in.
pub(super) struct Transpose<'a> {
    /// The entries modulo 256, and the rest divided by 256 where there is any.
    pub(super) filled: &'a [Cell],
    pub(super) filled_high: Option<&'a [Cell]>,
    /// Cells of a row of the filled table.
    pub(super) stride: usize,
    /// No entry is larger.
    pub(super) largest: u32,
    /// The row of the filled table for each lane of the transposed one.
    pub(super) rows_of_lanes: &'a [u16],
    /// The row of the transposed table for each lane of the filled one.
    pub(super) lanes_to_rows: &'a [u16],
    pub(super) weights: &'a Weights,
    pub(super) transposed: &'a mut Transposed,
}

impl Kernel for Transpose<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let out = self.transposed;
        out.is_split = self.largest * self.weights.largest() > 255;
        if out.is_split {
            grow(&mut out.high, out.low.len());
            out.rests.clear();
            out.beyond.fill(0);
        }
        let mut low = [Cell::ZERO; LANES];
        let mut high = [Cell::ZERO; LANES];
        for (block, rows) in self.rows_of_lanes.chunks(LANES).enumerate() {
            for (from, to_rows) in self.lanes_to_rows.chunks(LANES).enumerate() {
                gather(lanes, self.filled, self.stride, rows, from, &mut low);
                if let Some(cells) = self.filled_high {
                    gather(lanes, cells, self.stride, rows, from, &mut high);
                }
                for (lane, &row) in to_rows.iter().enumerate() {
                    let at = usize::from(row) * out.stride + block;
                    let weights = self.weights.of(from * LANES + lane, block);
                    let (low, high) = (&low[lane].0, &high[lane].0);
                    if out.is_split {
                        let (to_low, to_high) = (&mut out.low[at].0, &mut out.high[at].0);
                        let (mut any_high, mut any_odd) = (0, 0);
                        for i in 0..LANES {
                            let entry = u16::from(low[i]) | u16::from(high[i]) << 8;
                            let weighted = entry.wrapping_mul(u16::from(weights[i]));
                            to_low[i] = (weighted >> 1) as u8;
                            to_high[i] = (weighted >> 9) as u8;
                            any_high |= to_high[i];
                            any_odd |= weighted as u8 & 1;
                        }
                        let beyond = &mut out.beyond[block / 2 * out.rows + usize::from(row)];
                        *beyond |= if any_high == 0 { 0 } else { HIGH };
                        if any_odd != 0 {
                            *beyond |= REST;
                            let cell = Cell(std::array::from_fn(|i| low[i] & weights[i] & 1));
                            out.rests.push(Rest { row, block: block as u16, cell });
                        }
                    } else {
                        for (to, (entry, weight)) in out.low[at].0.iter_mut().zip(low.iter().zip(weights)) {
                            *to = entry.wrapping_mul(*weight);
                        }
                    }
                }
            }
        }
    }
}

/// 64 x 64 entries, transposed: the given rows at one block of lanes.
#[inline(always)]
fn gather<L: Lanes>(lanes: L, cells: &[Cell], stride: usize, rows: &[u16], block: usize, square: &mut [Cell; LANES]) {
    for (cell, &row) in square.iter_mut().zip(rows) {
        *cell = cells[usize::from(row) * stride + block];
    }
    square[rows.len()..].fill(Cell::ZERO);
    lanes.transpose(square);
}
