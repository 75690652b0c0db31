//! The turned table, which the summing side reads: a filled table, transposed, its entries multiplied with the weights of
//! the symmetry. It is turned once for each term.
//!
//! If all weighted entries fit a byte, the table is one plane of bytes. Otherwise it has a plane for the low bytes and
//! one for the high bytes of the halved entries: so fewer rows need the high bytes. A third plane has the bits that halving loses; most weights are even, so few rows need it.

use super::Table;
use super::weights::Weights;
use crate::color::simd::{BLOCK_LANES, Cell, Kernel, Words, dispatch};
use crate::memory::grow;
use crate::solver::Isa;
use crate::{Error, Result};

/// The most bytes of an entry. Two are enough for every entry that is known up to n = 30, also times its weight
/// (`../proof.md`). An entry that needs more is an error.
pub(crate) const MAX_ENTRY_BYTES: usize = 2;

/// A filled table, and how to turn it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Source<'a> {
    /// The low bytes of all entries, then the high bytes if entries have two.
    pub(crate) filled: &'a [Cell],
    /// Number of cells for one byte of all entries.
    pub(crate) length: usize,
    /// Number of cells of a row.
    pub(crate) stride: usize,
    /// Upper bound of the entries.
    pub(crate) largest: u32,
    /// For each lane of the turned table, its row in the filled table.
    pub(crate) rows_of_lanes: &'a [u16],
    /// For each lane of the filled table, its row in the turned table.
    pub(crate) lanes_to_rows: &'a [u16],
    pub(crate) weights: &'a Weights,
}

/// A turned table.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Turned<'a> {
    /// The entries that fit a byte, or the low bytes.
    pub(crate) low: Table<&'a [Cell]>,
    /// The other planes, if an entry needs two bytes.
    pub(crate) wide: Option<Wide<'a>>,
}

/// The planes of a table whose entries have two bytes.
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
    /// Which planes a row has in the pairs of blocks from cell `from` to cell `to` of the row.
    #[inline(always)]
    pub(crate) fn uses(&self, row: u16, [from, to]: [usize; 2]) -> u8 {
        (from / 2..to.div_ceil(2)).fold(0, |uses, pair| uses | self.uses[pair * self.rows + usize::from(row)])
    }
}

/// Memory for a turned table. If a row has no lane in the filled table, it stays zero.
#[derive(Debug, Default)]
pub(crate) struct TableMemory {
    rows: usize,
    /// Number of cells of a row.
    stride: usize,
    low: Vec<Cell>,
    high: Vec<Cell>,
    odd: Vec<Cell>,
    uses: Vec<u8>,
}

impl TableMemory {
    /// Begins a table of `rows` rows with `stride` cells each. All entries are 0.
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

    /// Number of cells of a plane, plus one, because cells are read in pairs.
    fn length(&self) -> usize {
        self.rows * self.stride + 1
    }
}

impl<'a> Turned<'a> {
    /// Turns a filled table.
    ///
    /// # Errors
    /// [`Error::Overflow`] if weighted entries may need more than two bytes; [`Error::Memory`].
    pub(crate) fn new(isa: Isa, source: &Source<'_>, memory: &'a mut TableMemory) -> Result<Self> {
        let overflow = Error::Overflow { bits: 8 * MAX_ENTRY_BYTES as u32 };
        let largest = source.largest.checked_mul(source.weights.largest()).ok_or(overflow.clone())?;
        if largest > u32::from(u16::MAX) {
            return Err(overflow);
        }
        let is_wide = largest > u32::from(u8::MAX);
        let (length, rows, stride) = (memory.length(), memory.rows, memory.stride);
        let wide_length = if is_wide { length } else { 0 };
        let TableMemory { low, high, odd, uses, .. } = memory;
        grow(high, wide_length, Cell::ZERO)?;
        grow(odd, wide_length, Cell::ZERO)?;
        uses.clear();
        grow(uses, if is_wide { rows * stride.div_ceil(2) } else { 0 }, 0)?;
        let [low, high, odd] = [&mut low[..length], &mut high[..wide_length], &mut odd[..wide_length]];
        dispatch(isa, Transpose { source, low, high, odd, uses, stride, rows });
        let table = |cells: &'a [Cell]| Table { cells, stride };
        let wide = is_wide.then(|| Wide { high: table(high), odd: table(odd), uses, rows });
        Ok(Self { low: table(low), wide })
    }
}

/// Turns a filled table.
struct Transpose<'a> {
    source: &'a Source<'a>,
    low: &'a mut [Cell],
    /// Empty if entries fit a byte.
    high: &'a mut [Cell],
    /// Empty if entries fit a byte. Else it gets the bits that halving loses.
    odd: &'a mut [Cell],
    uses: &'a mut [u8],
    stride: usize,
    rows: usize,
}

impl Kernel for Transpose<'_> {
    type Output = ();

    #[inline(always)]
    fn run<T: Words>(mut self, token: T) {
        let &Source { filled, length, stride, rows_of_lanes, lanes_to_rows, weights, .. } = self.source;
        // 64 x 64 low bytes, and as many high bytes.
        let mut squares = [[Cell::ZERO; BLOCK_LANES]; MAX_ENTRY_BYTES];
        for (block, rows) in rows_of_lanes.chunks(BLOCK_LANES).enumerate() {
            for (from, to_rows) in lanes_to_rows.chunks(BLOCK_LANES).enumerate() {
                for (bytes, square) in filled.chunks_exact(length.max(1)).zip(&mut squares) {
                    for (cell, &row) in square.iter_mut().zip(rows) {
                        *cell = bytes[usize::from(row) * stride + from];
                    }
                    square[rows.len()..].fill(Cell::ZERO);
                    token.transpose(square);
                }
                for (lane, &row) in to_rows.iter().enumerate() {
                    let bytes = [&squares[0][lane], &squares[1][lane]];
                    self.write((usize::from(row), block), bytes, weights.of(from * BLOCK_LANES + lane, block));
                }
            }
        }
    }
}

impl Transpose<'_> {
    /// Weights 64 entries, and writes them to the cells number `block` of a row.
    #[inline(always)]
    fn write(&mut self, (row, block): (usize, usize), [low, high]: [&Cell; 2], weights: &[u8; BLOCK_LANES]) {
        let at = row * self.stride + block;
        if self.high.is_empty() {
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
