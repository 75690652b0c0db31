//! The turned table, which the summing side reads. For each term, a filled table is transposed, and its entries are
//! multiplied by the weights of the symmetries:
//!
//! | table | each row belongs to | each byte of a row belongs to |
//! | --- | --- | --- |
//! | filled | a walk set of the filling side | a list set of the filling side |
//! | turned | a walk set of the summing side | a list set of the summing side |
//!
//! The list sets of one side are also walk sets of the other side, so each has a row in the other side's table. Walk
//! sets that the current O drops are no list sets; their entries are 0.
//!
//! If the largest entry times the largest weight fits in a byte, the table is one *layer* of bytes. Otherwise, it has a
//! layer for the low bytes and one for the high bytes of the halved entries, because halves seldom need the high bytes.
//! A third layer holds the bits that halving loses. Most weights are even, so few rows need it. [`joined`] undoes the
//! split.

use std::ops::{Add, Mul};

use super::{FilledTable, Weights};
use crate::color::split::Sides;
use crate::memory::grow;
use crate::simd::{BLOCK_LANES, Cell, Kernel, Words, dispatch};
use crate::solver::Isa;
use crate::{Error, Result};

/// The maximum size of an entry, in bytes. Up to n = 30, two bytes hold all known entries, even times their weights
/// (`../proof.md`). An entry that needs more is an error.
const MAX_ENTRY_BYTES: usize = 2;

/// Marks a row with a nonzero high byte in a pair of blocks.
pub(crate) const HIGH: u8 = 1;
/// Marks a row with an odd entry in a pair of blocks.
pub(crate) const ODD: u8 = 2;

/// A piece of a turned table: the cells of neighboring blocks, which are packed together. Each layer has a row for each
/// walk set of the summing side, and in each row a byte for each list set of the piece.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TurnedPiece<'a> {
    /// Whether an entry may need two bytes. Otherwise, only `low` has cells.
    pub(crate) is_wide: bool,
    /// Number of cells of a row in a layer.
    pub(crate) stride: usize,
    /// The entries, or the low bytes of their halves.
    pub(crate) low: &'a [Cell],
    pub(crate) high: &'a [Cell],
    /// For each entry, 1 if it is odd.
    pub(crate) odd: &'a [Cell],
    /// For each row of each pair of blocks: [`HIGH`], [`ODD`], both or neither.
    uses: &'a [u8],
    rows: usize,
}

impl TurnedPiece<'_> {
    /// Returns which layers a row uses in a pair of blocks: that of cell number `cell` of the row.
    #[inline(always)]
    pub(crate) fn uses(&self, row: u16, cell: usize) -> u8 {
        self.uses[cell / 2 * self.rows + usize::from(row)]
    }
}

/// A turned table, stored piece by piece and, within a piece, row by row.
///
/// [`clear`](Self::clear) runs once for each O, not for each term. A term still reads no entry of an earlier term,
/// because the rows of the table are of two kinds:
///
/// - The row of a list set of the filling side is overwritten by each term, in all layers that the term reads. Layers
///   that it does not read may keep the entries of an earlier term.
/// - `clear` sets all other rows to zero in all layers, and no term writes anything but zeros to them.
#[derive(Debug, Default)]
pub(crate) struct TurnedTable {
    /// Number of walk sets of the summing side.
    rows: usize,
    /// Number of blocks of the summing side's list, rounded up to whole pieces.
    blocks: usize,
    /// Number of cells of a row within a piece.
    stride: usize,
    /// Whether an entry may need two bytes.
    is_wide: bool,
    low: Vec<Cell>,
    high: Vec<Cell>,
    odd: Vec<Cell>,
    uses: Vec<u8>,
}

impl TurnedTable {
    /// Prepares the table for a new O: gives it `rows` rows and `blocks` blocks, in pieces of `stride` blocks, and sets
    /// all entries to 0.
    ///
    /// # Errors
    /// [`Error::Memory`].
    pub(crate) fn clear(&mut self, rows: usize, blocks: usize, stride: usize) -> Result<()> {
        (self.rows, self.blocks, self.stride) = (rows, blocks.next_multiple_of(stride.max(1)), stride);
        let layer_cells = self.layer_cells();
        for cells in [&mut self.low, &mut self.high, &mut self.odd] {
            let used = cells.len().min(layer_cells);
            cells[..used].fill(Cell::ZERO);
        }
        grow(&mut self.low, layer_cells, Cell::ZERO)
    }

    /// Returns the number of cells of a layer, including an extra cell, because cells are read in pairs.
    fn layer_cells(&self) -> usize {
        self.rows * self.blocks + 1
    }

    /// Returns the piece that begins with block number `first_block`.
    pub(crate) fn piece(&self, first_block: usize) -> TurnedPiece<'_> {
        let Self { rows, stride, is_wide, .. } = *self;
        // A piece includes an extra cell, because cells are read in pairs.
        let cells = rows * first_block..rows * (first_block + stride) + 1;
        let [low, high, odd] = [(&self.low, true), (&self.high, is_wide), (&self.odd, is_wide)]
            .map(|(layer, is_used)| if is_used { &layer[cells.clone()] } else { &[] });
        let uses = if is_wide { &self.uses[first_block / 2 * rows..] } else { &[] };
        TurnedPiece { is_wide, stride, low, high, odd, uses, rows }
    }

    /// Turns a filled table, which covers the blocks of the filling side's list from `first_block` on. Call this for
    /// the blocks of a term in ascending order. `table_rows` holds, for each list set of a side, its row in the other
    /// side's table: the summing side's list sets have rows of the filled table, and the filling side's list sets have
    /// rows of this table.
    ///
    /// # Errors
    /// [`Error::Entry`] if weighted entries may need more than two bytes; [`Error::Memory`].
    pub(crate) fn turn(
        &mut self,
        isa: Isa,
        filled: &FilledTable,
        weights: &Weights,
        table_rows: Sides<&[u16]>,
        first_block: usize,
    ) -> Result<()> {
        let bound = filled.bound.checked_mul(weights.bound()).filter(|&bound| bound <= u16::MAX.into());
        let bound = bound.ok_or(Error::Entry)?;
        if first_block == 0 {
            self.is_wide = false;
        }
        if !self.is_wide && bound > u32::from(u8::MAX) {
            self.is_wide = true;
            self.uses.clear();
            grow(&mut self.uses, self.rows * self.blocks.div_ceil(2), 0)?;
            let layer_cells = self.layer_cells();
            grow(&mut self.high, layer_cells, Cell::ZERO)?;
            grow(&mut self.odd, layer_cells, Cell::ZERO)?;
            // Earlier blocks were turned while one layer was enough.
            if first_block > 0 {
                self.halve();
            }
        }
        dispatch(isa, TurnTable { filled, weights, table_rows, first_block, turned: self });
        Ok(())
    }

    /// Splits all entries of one byte, which were turned before an entry might need two, into halves and odd bits. Rows
    /// that are not turned yet are split too, and overwritten when they are; `uses` may then name a layer in which they
    /// have only zeros.
    fn halve(&mut self) {
        for block in 0..self.blocks {
            let first_cell = self.first_cell(block);
            for row in 0..self.rows {
                let low = self.low[first_cell + row * self.stride];
                self.write(first_cell, block, row, [&low, &Cell::ZERO], &[1; BLOCK_LANES]);
            }
        }
    }

    /// Returns the number of the first cell of a block, which belongs to row 0.
    fn first_cell(&self, block: usize) -> usize {
        let in_piece = block % self.stride;
        self.rows * (block - in_piece) + in_piece
    }

    /// Multiplies 64 entries by their weights, and writes them to a row in a block. `first_cell` is the first cell of
    /// the block, which the caller finds once for all rows.
    #[inline(always)]
    fn write(
        &mut self,
        first_cell: usize,
        block: usize,
        row: usize,
        [low, high]: [&Cell; 2],
        weights: &[u8; BLOCK_LANES],
    ) {
        let at = first_cell + row * self.stride;
        if !self.is_wide {
            for (to, (entry, weight)) in self.low[at].0.iter_mut().zip(low.0.iter().zip(weights)) {
                *to = entry.wrapping_mul(*weight);
            }
            return;
        }
        let [mut to_low, mut to_high, mut to_odd] = [Cell::ZERO; 3];
        let (mut any_high, mut any_odd) = (0, 0);
        for (set, &weight) in weights.iter().enumerate() {
            let entry = u16::from_le_bytes([low.0[set], high.0[set]]);
            let weighted = entry.wrapping_mul(u16::from(weight));
            [to_low.0[set], to_high.0[set]] = (weighted / 2).to_le_bytes();
            to_odd.0[set] = weighted as u8 & 1;
            any_high |= to_high.0[set];
            any_odd |= to_odd.0[set];
        }
        (self.low[at], self.high[at], self.odd[at]) = (to_low, to_high, to_odd);
        let uses = &mut self.uses[block / 2 * self.rows + row];
        *uses |= if any_high > 0 { HIGH } else { 0 } | if any_odd > 0 { ODD } else { 0 };
    }
}

/// Joins what [`TurnedTable`] splits when an entry may need two bytes: returns the entry, or a sum of entries, from the
/// low bytes and the high bytes of the halves, and the odd bits.
#[inline(always)]
pub(crate) fn joined<N>([low, high, odd]: [N; 3]) -> N
where
    N: From<u16> + Add<Output = N> + Mul<Output = N>,
{
    N::from(2) * (low + N::from(256) * high) + odd
}

/// Turns a filled table: transposes it, and multiplies its entries by their weights.
struct TurnTable<'a> {
    filled: &'a FilledTable,
    weights: &'a Weights,
    /// As in [`TurnedTable::turn`].
    table_rows: Sides<&'a [u16]>,
    /// As in [`TurnedTable::turn`].
    first_block: usize,
    turned: &'a mut TurnedTable,
}

impl Kernel for TurnTable<'_> {
    type Output = ();

    #[inline(always)]
    fn run<T: Words>(self, simd: T) {
        let Self { filled, weights, table_rows, first_block, turned } = self;
        // The low bytes of 64 x 64 entries, and their high bytes. A cell belongs to a list set of the summing side
        // before the transposition, and to a list set of the filling side after it.
        let mut squares = [[Cell::ZERO; BLOCK_LANES]; MAX_ENTRY_BYTES];
        for (block, from_rows) in table_rows.summing.chunks(BLOCK_LANES).enumerate() {
            let first_cell = turned.first_cell(block);
            let of_filled = table_rows.filling.chunks(BLOCK_LANES).enumerate().skip(first_block).take(filled.stride);
            for (filling_block, to_rows) in of_filled {
                for (bytes, square) in filled.bytes().zip(&mut squares) {
                    for (cell, &row) in square.iter_mut().zip(from_rows) {
                        *cell = bytes[usize::from(row) * filled.stride + filling_block - first_block];
                    }
                    square[from_rows.len()..].fill(Cell::ZERO);
                    simd.transpose(square);
                }
                for (set, &row) in to_rows.iter().enumerate() {
                    let bytes = [&squares[0][set], &squares[1][set]];
                    let weights = weights.of(filling_block * BLOCK_LANES + set, block);
                    turned.write(first_cell, block, row.into(), bytes, &weights);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::color::plan::Class;
    use crate::color::split::Color;
    use crate::color::tuning::UnitTuning;
    use crate::splitmix::SplitMix64;

    /// Rows that a term does not write must be zero in every layer, because sparse packs read all layers of a row.
    #[test]
    fn a_new_o_clears_all_layers() {
        let used = || vec![Cell([1; BLOCK_LANES]); 3];
        let mut turned = TurnedTable { low: used(), high: used(), odd: used(), ..TurnedTable::default() };
        turned.clear(2, 1, 1).unwrap();
        for layer in [turned.low, turned.high, turned.odd] {
            assert_eq!(layer, [Cell::ZERO; 3]);
        }
    }

    /// A piece that needs two bytes comes after one that does not, so the entries of the first are split late. An
    /// earlier term was wide, so every layer has entries of it.
    #[test]
    fn a_table_that_becomes_wide_late_has_the_entries_of_both_pieces() {
        let (n, blocks) = (16, 3);
        let class = Class::all(n, UnitTuning::new(n)).nth(4).unwrap();
        let o = *class.odd_sets.last().unwrap();
        let lanes = blocks * BLOCK_LANES;
        let mut weights = Weights::default();
        for (side, color) in [(&mut weights.filling, Color::White), (&mut weights.summing, Color::Black)] {
            let sets = if color == Color::White { &class.odd_sets } else { &class.even_sets };
            let sets: Vec<_> = sets.iter().copied().cycle().take(lanes).collect();
            side.replace(&class, color, &sets, o).unwrap();
        }
        let rows: Vec<u16> = (0..lanes as u16).collect();
        let mut random = SplitMix64::new(5);
        for isa in Isa::available() {
            let mut turned = TurnedTable::default();
            turned.clear(lanes, blocks, 2).unwrap();
            // In each term, the largest entries of blocks 0 and 1, and of block 2.
            for (term, largest) in [[300, 300], [100, 300], [100, 100], [300, 100], [100, 300]].into_iter().enumerate()
            {
                weights.compare(&class, class.even_sets[term * 7]).unwrap();
                let entries: Vec<Vec<u16>> = (0..lanes)
                    .map(|_| (0..lanes).map(|set| random.below(largest[set / BLOCK_LANES / 2] + 1) as u16).collect())
                    .collect();
                for first_block in [0, 2] {
                    let stride = (blocks - first_block).min(2);
                    let mut filled = FilledTable::default();
                    filled.is_wide = largest[first_block / 2] > 255;
                    filled.clear(lanes, stride).unwrap();
                    let to = filled.entries();
                    for (row, entries) in entries.iter().enumerate() {
                        for (set, entry) in
                            entries.iter().enumerate().skip(first_block * BLOCK_LANES).take(stride * BLOCK_LANES)
                        {
                            let at = row * stride + set / BLOCK_LANES - first_block;
                            let [low, high] = entry.to_le_bytes();
                            to.low[at].0[set % BLOCK_LANES] = low;
                            if let Some(cell) = to.high.get_mut(at) {
                                cell.0[set % BLOCK_LANES] = high;
                            }
                        }
                    }
                    assert!(filled.finish().unwrap());
                    let table_rows = Sides { filling: &*rows, summing: &*rows };
                    turned.turn(isa, &filled, &weights, table_rows, first_block).unwrap();
                }
                assert_eq!(turned.is_wide, largest.contains(&300));
                assert!(
                    !turned.is_wide || [HIGH, ODD].iter().all(|mark| turned.uses.iter().any(|uses| uses & mark > 0))
                );
                for (row, &table_row) in rows.iter().enumerate() {
                    for block in 0..blocks {
                        let (first_block, cell) = (block / 2 * 2, block % 2);
                        let piece = turned.piece(first_block);
                        let uses = if piece.is_wide { piece.uses(table_row, cell) } else { 0 };
                        let expected = weights.of(row, block);
                        for lane in 0..BLOCK_LANES {
                            let read = |layer: &[Cell]| u32::from(layer[row * piece.stride + cell].0[lane]);
                            let read_if = |layer, mark| if uses & mark > 0 { read(layer) } else { 0 };
                            let found = if piece.is_wide {
                                joined([read(piece.low), read_if(piece.high, HIGH), read_if(piece.odd, ODD)])
                            } else {
                                read(piece.low)
                            };
                            let entry = entries[block * BLOCK_LANES + lane][row];
                            let weighted = u32::from(entry) * u32::from(expected[lane]);
                            assert_eq!(found, weighted, "{isa}, term {term}, row {row}, lane {lane} of block {block}");
                        }
                    }
                }
            }
        }
    }
}
