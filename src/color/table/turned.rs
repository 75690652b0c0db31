//! The turned table, which the summing side reads: a filled table, transposed, its entries multiplied by the weights of
//! the symmetry. It is turned once for each term.
//!
//! If all weighted entries fit in a byte, the table is one *layer* of bytes. Otherwise it has a layer for the low bytes
//! and one for the high bytes of the halved entries, because halves seldom need the high bytes. A third layer has the
//! bits that halving loses; most weights are even, so few rows need it.

use super::{FilledTable, Table, Weights};
use crate::color::split::Sides;
use crate::memory::grow;
use crate::simd::{BLOCK_LANES, Cell, Kernel, Words, dispatch};
use crate::solver::Isa;
use crate::{Error, Result};

/// The most bytes of an entry. Two are enough for every entry that is known up to n = 30, also times its weight
/// (`../proof.md`). An entry that needs more is an error.
pub(crate) const MAX_ENTRY_BYTES: usize = 2;

/// A row has a high byte above 0 in a pair of blocks.
pub(crate) const HIGH: u8 = 1;
/// A row has an odd entry in a pair of blocks.
pub(crate) const ODD: u8 = 2;

/// The cells of a turned table for neighboring blocks of lanes, which are packed together.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TurnedPiece<'a> {
    /// Whether an entry needs two bytes. If none does, only `low` has cells.
    pub(crate) is_wide: bool,
    /// The entries, or the low bytes of their halves.
    pub(crate) low: Table<'a>,
    pub(crate) high: Table<'a>,
    /// 1 for each odd entry.
    pub(crate) odd: Table<'a>,
    /// For each pair of blocks and each row: [`HIGH`], [`ODD`], both or none.
    uses: &'a [u8],
    rows: usize,
}

impl TurnedPiece<'_> {
    /// Which layers a row has in the pair of blocks that cell number `cell` of the row belongs to.
    #[inline(always)]
    pub(crate) fn uses(&self, row: u16, cell: usize) -> u8 {
        self.uses[cell / 2 * self.rows + usize::from(row)]
    }
}

/// A turned table: piece by piece, in a piece row by row. Its memory is used again for the next one. Rows without a
/// lane in the filled table stay zero.
///
/// The layers beyond the first may hold cells of an earlier term. They are never read, because a row that has a lane is
/// written in all layers that the term uses, and other rows are zero since [`clear`](Self::clear).
#[derive(Debug, Default)]
pub(crate) struct TurnedTable {
    rows: usize,
    /// Number of blocks, of whole pieces.
    blocks: usize,
    /// Number of cells of a row in a piece.
    stride: usize,
    /// Whether an entry needs two bytes.
    is_wide: bool,
    low: Vec<Cell>,
    high: Vec<Cell>,
    odd: Vec<Cell>,
    uses: Vec<u8>,
}

impl TurnedTable {
    /// Makes it a table of `rows` rows and `blocks` blocks, in pieces of `stride` blocks. All entries are 0.
    ///
    /// # Errors
    /// [`Error::Memory`].
    pub(crate) fn clear(&mut self, rows: usize, blocks: usize, stride: usize) -> Result<()> {
        (self.rows, self.blocks, self.stride) = (rows, blocks.next_multiple_of(stride.max(1)), stride);
        let length = self.length();
        for cells in [&mut self.low, &mut self.high, &mut self.odd] {
            let used = cells.len().min(length);
            cells[..used].fill(Cell::ZERO);
        }
        grow(&mut self.low, length, Cell::ZERO)
    }

    /// Number of cells of a layer, plus one, because cells are read in pairs.
    fn length(&self) -> usize {
        self.rows * self.blocks + 1
    }

    /// The piece that begins with a block.
    pub(crate) fn piece(&self, first_block: usize) -> TurnedPiece<'_> {
        let Self { rows, stride, is_wide, .. } = *self;
        // One cell more, because cells are read in pairs.
        let cells = rows * first_block..rows * (first_block + stride) + 1;
        let [low, high, odd] = [(&self.low, true), (&self.high, is_wide), (&self.odd, is_wide)]
            .map(|(layer, is_used)| Table { cells: if is_used { &layer[cells.clone()] } else { &[] }, stride });
        let uses = if is_wide { &self.uses[first_block / 2 * rows..] } else { &[] };
        TurnedPiece { is_wide, low, high, odd, uses, rows }
    }

    /// Turns a filled table, which has the blocks of the filling side's list from `first_block` on. Call it for a
    /// term's blocks in ascending order. `rows` has, for each list set of a side, its row in the other side's table: a
    /// list set of the summing side has a row of the filled table, and a list set of the filling side has a row of this
    /// table.
    ///
    /// # Errors
    /// [`Error::Bug`] if weighted entries may need more than two bytes; [`Error::Memory`].
    pub(crate) fn turn(
        &mut self,
        isa: Isa,
        filled: &FilledTable,
        weights: &Weights,
        rows: Sides<&[u16]>,
        first_block: usize,
    ) -> Result<()> {
        let largest = filled.largest.checked_mul(weights.largest()).filter(|&largest| largest <= u16::MAX.into());
        let largest = largest.ok_or_else(|| Error::overflow(8 * MAX_ENTRY_BYTES as u32))?;
        if first_block == 0 {
            self.is_wide = false;
        }
        if !self.is_wide && largest > u32::from(u8::MAX) {
            self.is_wide = true;
            self.uses.clear();
            grow(&mut self.uses, self.rows * self.blocks.div_ceil(2), 0)?;
            let length = self.length();
            grow(&mut self.high, length, Cell::ZERO)?;
            grow(&mut self.odd, length, Cell::ZERO)?;
            // The blocks before were turned while one layer was enough.
            if first_block > 0 {
                self.halve();
            }
        }
        let rows = Sides { filling: &rows.filling[first_block * BLOCK_LANES..], ..rows };
        dispatch(isa, Transpose { filled, weights, rows, first_block, turned: self });
        Ok(())
    }

    /// Halves entries of one byte, which were turned before one needed two.
    fn halve(&mut self) {
        for block in 0..self.blocks {
            for row in 0..self.rows {
                let at = self.first_cell(block) + row * self.stride;
                let low = self.low[at];
                self.write(at, (row, block), [&low, &Cell::ZERO], &[1; BLOCK_LANES]);
            }
        }
    }

    /// The index of the cell of row 0 in a block.
    fn first_cell(&self, block: usize) -> usize {
        let in_piece = block % self.stride;
        self.rows * (block - in_piece) + in_piece
    }
}

/// Turns a filled table.
struct Transpose<'a> {
    filled: &'a FilledTable,
    weights: &'a Weights,
    /// As for [`TurnedTable::turn`], but the filling side's begin with the first lane of the filled table.
    rows: Sides<&'a [u16]>,
    first_block: usize,
    turned: &'a mut TurnedTable,
}

impl Kernel for Transpose<'_> {
    type Output = ();

    #[inline(always)]
    fn run<T: Words>(self, simd: T) {
        let Self { filled: FilledTable { cells, is_wide, length, stride, .. }, weights, first_block, .. } = self;
        // 64 x 64 low bytes, and as many high bytes.
        let mut squares = [[Cell::ZERO; BLOCK_LANES]; MAX_ENTRY_BYTES];
        for (block, rows) in self.rows.summing.chunks(BLOCK_LANES).enumerate() {
            let first_cell = self.turned.first_cell(block);
            for (from, to_rows) in self.rows.filling.chunks(BLOCK_LANES).take(*stride).enumerate() {
                for (bytes, square) in
                    cells.chunks_exact((*length).max(1)).take(1 + usize::from(*is_wide)).zip(&mut squares)
                {
                    for (cell, &row) in square.iter_mut().zip(rows) {
                        *cell = bytes[usize::from(row) * stride + from];
                    }
                    square[rows.len()..].fill(Cell::ZERO);
                    simd.transpose(square);
                }
                for (lane, &row) in to_rows.iter().enumerate() {
                    let bytes = [&squares[0][lane], &squares[1][lane]];
                    let weights = weights.of((first_block + from) * BLOCK_LANES + lane, block);
                    let at = first_cell + usize::from(row) * self.turned.stride;
                    self.turned.write(at, (usize::from(row), block), bytes, &weights);
                }
            }
        }
    }
}

impl TurnedTable {
    /// Weights 64 entries, and writes them to the cells number `at`, those of a row and a block.
    #[inline(always)]
    fn write(&mut self, at: usize, (row, block): (usize, usize), [low, high]: [&Cell; 2], weights: &[u8; BLOCK_LANES]) {
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
