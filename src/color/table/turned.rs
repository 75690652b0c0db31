//! The turned table, which the summing side reads: a filled table, transposed, its entries multiplied with the weights
//! of the symmetry. It is turned once for each term.
//!
//! If all weighted entries fit a byte, the table is one *layer* of bytes. Otherwise it has a layer for the low bytes
//! and one for the high bytes of the halved entries: so fewer rows need the high bytes. A third layer has the bits that
//! halving loses; most weights are even, so few rows need it.

use super::{FilledTable, Table, Weights};
use crate::color::simd::{BLOCK_LANES, Cell, Kernel, Words, dispatch};
use crate::memory::grow;
use crate::solver::Isa;
use crate::{Error, Result};

/// The most bytes of an entry. Two are enough for every entry that is known up to n = 30, also times its weight
/// (`../proof.md`). An entry that needs more is an error.
pub(crate) const MAX_ENTRY_BYTES: usize = 2;

/// The layers of a table whose entries have two bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wide<'a> {
    pub(crate) high: Table<&'a [Cell]>,
    /// 1 for each odd entry.
    pub(crate) odd: Table<&'a [Cell]>,
    /// For each pair of blocks and each row: [`HIGH`], [`ODD`], both or none.
    uses: &'a [u8],
    rows: usize,
}

/// A row has a high byte above 0 in a pair of blocks.
pub(crate) const HIGH: u8 = 1;
/// A row has an odd entry in a pair of blocks.
pub(crate) const ODD: u8 = 2;

impl Wide<'_> {
    /// Which layers a row has in the pairs of blocks from cell `from` to cell `to` of the row.
    #[inline(always)]
    pub(crate) fn uses(&self, row: u16, [from, to]: [usize; 2]) -> u8 {
        (from / 2..to.div_ceil(2)).fold(0, |uses, pair| uses | self.uses[pair * self.rows + usize::from(row)])
    }
}

/// A turned table. Its memory is used again for the next. If a row has no lane in the filled table, it stays zero.
#[derive(Debug, Default)]
pub(crate) struct TurnedTable {
    rows: usize,
    /// Number of cells of a row.
    stride: usize,
    /// Whether an entry needs two bytes.
    is_wide: bool,
    low: Vec<Cell>,
    high: Vec<Cell>,
    odd: Vec<Cell>,
    uses: Vec<u8>,
}

impl TurnedTable {
    /// Begins tables of `rows` rows with `stride` cells each. All entries are 0.
    ///
    /// # Errors
    /// [`Error::Memory`].
    pub(crate) fn begin(&mut self, rows: usize, stride: usize) -> Result<()> {
        (self.rows, self.stride) = (rows, stride);
        let length = self.length();
        for cells in [&mut self.low, &mut self.high, &mut self.odd] {
            let used = cells.len().min(length);
            cells[..used].fill(Cell::ZERO);
        }
        grow(&mut self.low, length, Cell::ZERO)
    }

    /// Number of cells of a layer, plus one, because cells are read in pairs.
    fn length(&self) -> usize {
        self.rows * self.stride + 1
    }

    /// The entries that fit a byte, or the low bytes.
    pub(crate) fn low(&self) -> Table<&[Cell]> {
        self.table(&self.low)
    }

    /// The other layers, if an entry needs two bytes.
    pub(crate) fn wide(&self) -> Option<Wide<'_>> {
        let Self { rows, high, odd, uses, .. } = self;
        self.is_wide.then(|| Wide { high: self.table(high), odd: self.table(odd), uses, rows: *rows })
    }

    fn table<'a>(&self, cells: &'a [Cell]) -> Table<&'a [Cell]> {
        Table { cells: &cells[..self.length()], stride: self.stride }
    }

    /// Turns a filled table. `filled_row_of_lane` has the row in the filled table for each lane of the turned one, and
    /// `turned_row_of_lane` the row in the turned table for each lane of the filled one.
    ///
    /// # Errors
    /// [`Error::Bug`] if weighted entries may need more than two bytes; [`Error::Memory`].
    pub(crate) fn turn(
        &mut self,
        isa: Isa,
        filled: &FilledTable,
        weights: &Weights,
        [filled_row_of_lane, turned_row_of_lane]: [&[u16]; 2],
    ) -> Result<()> {
        let overflow = || Error::overflow(8 * MAX_ENTRY_BYTES as u32);
        let largest = filled.largest.checked_mul(weights.largest()).ok_or_else(overflow)?;
        if largest > u32::from(u16::MAX) {
            return Err(overflow());
        }
        self.is_wide = largest > u32::from(u8::MAX);
        let (length, uses) = (self.length(), self.rows * self.stride.div_ceil(2));
        self.uses.clear();
        if self.is_wide {
            grow(&mut self.high, length, Cell::ZERO)?;
            grow(&mut self.odd, length, Cell::ZERO)?;
            grow(&mut self.uses, uses, 0)?;
        }
        dispatch(isa, Transpose { filled, weights, filled_row_of_lane, turned_row_of_lane, turned: self });
        Ok(())
    }
}

/// Turns a filled table.
struct Transpose<'a> {
    filled: &'a FilledTable,
    weights: &'a Weights,
    filled_row_of_lane: &'a [u16],
    turned_row_of_lane: &'a [u16],
    turned: &'a mut TurnedTable,
}

impl Kernel for Transpose<'_> {
    type Output = ();

    #[inline(always)]
    fn run<T: Words>(self, simd: T) {
        let Self { filled: FilledTable { cells, entry_bytes, length, stride, .. }, weights, .. } = self;
        // 64 x 64 low bytes, and as many high bytes.
        let mut squares = [[Cell::ZERO; BLOCK_LANES]; MAX_ENTRY_BYTES];
        for (block, rows) in self.filled_row_of_lane.chunks(BLOCK_LANES).enumerate() {
            for (from, to_rows) in self.turned_row_of_lane.chunks(BLOCK_LANES).enumerate() {
                for (bytes, square) in cells.chunks_exact((*length).max(1)).take(*entry_bytes).zip(&mut squares) {
                    for (cell, &row) in square.iter_mut().zip(rows) {
                        *cell = bytes[usize::from(row) * stride + from];
                    }
                    square[rows.len()..].fill(Cell::ZERO);
                    simd.transpose(square);
                }
                for (lane, &row) in to_rows.iter().enumerate() {
                    let bytes = [&squares[0][lane], &squares[1][lane]];
                    let weights = weights.of(from * BLOCK_LANES + lane, block);
                    self.turned.write((usize::from(row), block), bytes, &weights);
                }
            }
        }
    }
}

impl TurnedTable {
    /// Weights 64 entries, and writes them to the cells number `block` of a row.
    #[inline(always)]
    fn write(&mut self, (row, block): (usize, usize), [low, high]: [&Cell; 2], weights: &[u8; BLOCK_LANES]) {
        let at = row * self.stride + block;
        if !self.is_wide {
            for (to, (entry, weight)) in self.low[at].0.iter_mut().zip(low.0.iter().zip(weights)) {
                *to = entry.wrapping_mul(*weight);
            }
            return;
        }
        let [mut to_low, mut to_high, mut to_odd] = [Cell::ZERO; 3];
        let (mut any_high, mut any_odd) = (0, 0);
        for (lane, &weight) in weights.iter().enumerate() {
            let entry = u16::from_le_bytes([low.0[lane], high.0[lane]]);
            let weighted = entry.wrapping_mul(u16::from(weight));
            [to_low.0[lane], to_high.0[lane]] = (weighted / 2).to_le_bytes();
            to_odd.0[lane] = weighted as u8 & 1;
            any_high |= to_high.0[lane];
            any_odd |= to_odd.0[lane];
        }
        (self.low[at], self.high[at], self.odd[at]) = (to_low, to_high, to_odd);
        let uses = &mut self.uses[block / 2 * self.rows + row];
        *uses |= if any_high > 0 { HIGH } else { 0 } | if any_odd > 0 { ODD } else { 0 };
    }
}
