//! The table between fill and dot: transposed once for each set of even rows, with the weights of the symmetry multiplied in.

use super::cell::{Cell, LANES, grow};
use super::geometry::Subset;
use super::isa::{Kernel, Lanes};
use super::walk::Table;

/// How the entries of the transposed table are weighted: each of its rows is of a kind, each kind has a weight for every
/// lane.
#[derive(Debug, Default)]
pub(super) struct Weights {
    /// The kind of each lane of the filled table, which becomes a row.
    kinds: Vec<u8>,
    /// The distinct kinds' weights by lane of the transposed table, padded to whole blocks.
    by_lane: Vec<Vec<u8>>,
    /// The largest of all.
    largest: u8,
}

impl Weights {
    /// The largest of all.
    pub(super) fn largest(&self) -> u32 {
        u32::from(self.largest)
    }

    /// Weights for these column sets in the filled table's lanes (the transposed one's rows) and in the transposed table's
    /// lanes; sets of one kind have the same weights.
    pub(super) fn rebuild<K: PartialEq>(
        &mut self,
        rows: &[Subset],
        lanes: &[Subset],
        kind: impl Fn(Subset) -> K,
        weight: impl Fn(Subset, Subset) -> u64,
    ) {
        self.kinds.clear();
        self.by_lane.clear();
        self.largest = 0;
        let mut known = Vec::new();
        for &row in rows {
            let kind = kind(row);
            let at = known.iter().position(|other| *other == kind).unwrap_or_else(|| {
                let mut by_lane = vec![0; lanes.len().next_multiple_of(LANES)];
                for (to, &lane) in by_lane.iter_mut().zip(lanes) {
                    *to = u8::try_from(weight(row, lane)).expect("weights are at most 4");
                    self.largest = self.largest.max(*to);
                }
                self.by_lane.push(by_lane);
                known.push(kind);
                known.len() - 1
            });
            self.kinds.push(at as u8);
        }
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

/// The transposed, weighted table that a dot reads.
#[derive(Debug, Default)]
pub(super) struct Transposed {
    low: Vec<Cell>,
    high: Vec<Cell>,
    is_high: Vec<bool>,
    has_high: bool,
    stride: usize,
}

impl Transposed {
    /// Makes room for so many rows of so many cells, all zero: rows without a lane in the filled table stay so.
    pub(super) fn reset(&mut self, rows: usize, stride: usize) {
        self.stride = stride;
        for cells in [&mut self.low, &mut self.high] {
            let used = cells.len().min(rows * stride);
            cells[..used].fill(Cell::ZERO);
        }
        // One more than it has: pairs of cells are read.
        grow(&mut self.low, rows * stride + 1);
        self.is_high.clear();
        self.is_high.resize(rows, false);
    }

    /// The entries modulo 256.
    pub(super) fn low(&self) -> Table<&[Cell]> {
        Table { cells: &self.low, stride: self.stride }
    }

    /// The rest of the entries divided by 256, and which rows have any.
    pub(super) fn high(&self) -> Option<(&[Cell], &[bool])> {
        self.has_high.then_some((&self.high, &self.is_high))
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
        out.has_high = self.largest * self.weights.largest() > 255;
        if out.has_high {
            grow(&mut out.high, out.low.len());
            out.is_high.fill(false);
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
                    let kind = self.weights.kinds[from * LANES + lane];
                    let weights = &self.weights.by_lane[usize::from(kind)][block * LANES..][..LANES];
                    let (low, high) = (&low[lane].0, &high[lane].0);
                    if out.has_high {
                        let (to_low, to_high) = (&mut out.low[at].0, &mut out.high[at].0);
                        let mut any = 0;
                        for i in 0..LANES {
                            let entry = u16::from(low[i]) | u16::from(high[i]) << 8;
                            let weighted = entry.wrapping_mul(u16::from(weights[i]));
                            to_low[i] = weighted as u8;
                            to_high[i] = (weighted >> 8) as u8;
                            any |= to_high[i];
                        }
                        out.is_high[usize::from(row)] |= any != 0;
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
