//! The turned table, which the summing side reads: a filled table, transposed, its entries multiplied with the weights of
//! the symmetry. It is turned once for each term.
//!
//! If all weighted entries fit a byte, the table is one plane of bytes. Otherwise it has a plane for the low bytes and
//! one for the high bytes. A table that is multiplied has halves of its entries, so fewer rows need the high bytes. A
//! third plane has the bits that halving loses; most weights are even, so few rows need it. A table whose entries are
//! looked up (flat packs) has whole entries.

use super::table::Table;
use super::weights::Weights;
use crate::room::grow;
use crate::solver::Isa;
use crate::solver::simd::{BLOCK_LANES, Cell, Kernel, Words, dispatch};
use crate::{Error, Result};

/// The most bytes of an entry. Two are enough for every entry that is known up to n = 30, also times its weight
/// (`../proof.md`). An entry that needs more is an error.
pub(crate) const MAX_ENTRY_BYTES: usize = 2;

/// A filled table, and how to turn it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Turning<'a> {
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
    pub(super) low: Table<&'a [Cell]>,
    /// The other planes, if an entry needs two bytes.
    pub(super) wide: Option<Wide<'a>>,
    /// Whether entries are looked up and not multiplied. Then they are not halved.
    pub(super) is_flat: bool,
}

/// The planes of a table whose entries have two bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wide<'a> {
    pub(super) high: Table<&'a [Cell]>,
    /// 1 for each odd entry. Empty if entries are not halved.
    pub(super) odd: Table<&'a [Cell]>,
    /// For each pair of blocks and each row: [`HIGH`], [`ODD`], both or none.
    uses: &'a [u8],
    rows: usize,
}

/// A row has a high byte above 0 in a pair of blocks.
pub(super) const HIGH: u8 = 1;
/// A row has an odd entry in a pair of blocks.
pub(super) const ODD: u8 = 2;

impl Wide<'_> {
    /// Which planes a row has in the pairs of blocks from cell `from` to cell `to` of the row.
    #[inline(always)]
    pub(super) fn uses(&self, row: u16, [from, to]: [usize; 2]) -> u8 {
        (from / 2..to.div_ceil(2)).fold(0, |uses, pair| uses | self.uses[pair * self.rows + usize::from(row)])
    }
}

/// Memory for a turned table. If a row has no lane in the filled table, it stays zero.
#[derive(Debug, Default)]
pub(crate) struct TurnedMemory {
    rows: usize,
    /// Number of cells of a row.
    stride: usize,
    low: Vec<Cell>,
    high: Vec<Cell>,
    odd: Vec<Cell>,
    uses: Vec<u8>,
}

impl TurnedMemory {
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
    /// Turns a filled table, for a summing side with flat packs or with packs in lanes.
    ///
    /// # Errors
    /// [`Error::Overflow`] if weighted entries may need more than two bytes; [`Error::Memory`].
    pub(crate) fn new(isa: Isa, turning: &Turning<'_>, is_flat: bool, memory: &'a mut TurnedMemory) -> Result<Self> {
        let overflow = Error::Overflow { bits: 8 * MAX_ENTRY_BYTES as u32 };
        let largest = turning.largest.checked_mul(turning.weights.largest()).ok_or(overflow.clone())?;
        if largest > u32::from(u16::MAX) {
            return Err(overflow);
        }
        let (length, rows, stride) = (memory.length(), memory.rows, memory.stride);
        let table = |cells: &'a [Cell]| Table { cells, stride };
        if largest <= u32::from(u8::MAX) {
            let low = &mut memory.low[..length];
            dispatch(isa, Turn { turning, to: Narrow { low, stride } });
            return Ok(Self { low: table(low), wide: None, is_flat });
        }
        let of_odd = if is_flat { 0 } else { length };
        grow(&mut memory.high, length, Cell::ZERO)?;
        grow(&mut memory.odd, of_odd, Cell::ZERO)?;
        memory.uses.clear();
        grow(&mut memory.uses, rows * stride.div_ceil(2), 0)?;
        let TurnedMemory { low, high, odd, uses, .. } = memory;
        let odd = &mut odd[..of_odd];
        dispatch(isa, Turn { turning, to: TwoBytes { low, high, odd, uses, stride, rows } });
        let wide = Wide { high: table(&high[..length]), odd: table(odd), uses, rows };
        Ok(Self { low: table(&low[..length]), wide: Some(wide), is_flat })
    }
}

/// Writes weighted entries to the planes of a turned table.
trait Write {
    /// Writes 64 entries, in the cell number `block` of a row.
    fn write(&mut self, place: (usize, usize), bytes: [&Cell; MAX_ENTRY_BYTES], weights: &[u8; BLOCK_LANES]);
}

/// Turns a filled table.
struct Turn<'a, W> {
    turning: &'a Turning<'a>,
    to: W,
}

impl<W: Write> Kernel for Turn<'_, W> {
    type Output = ();

    #[inline(always)]
    fn run<T: Words>(self, token: T) {
        let Self { turning, mut to } = self;
        let &Turning { filled, length, stride, rows_of_lanes, lanes_to_rows, weights, .. } = turning;
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
                    to.write((usize::from(row), block), bytes, weights.of(from * BLOCK_LANES + lane, block));
                }
            }
        }
    }
}

/// Entries that fit a byte.
struct Narrow<'a> {
    low: &'a mut [Cell],
    stride: usize,
}

impl Write for Narrow<'_> {
    #[inline(always)]
    fn write(&mut self, (row, block): (usize, usize), [low, _]: [&Cell; 2], weights: &[u8; BLOCK_LANES]) {
        let to = &mut self.low[row * self.stride + block];
        for (to, (entry, weight)) in to.0.iter_mut().zip(low.0.iter().zip(weights)) {
            *to = entry.wrapping_mul(*weight);
        }
    }
}

/// Entries of two bytes.
struct TwoBytes<'a> {
    low: &'a mut [Cell],
    high: &'a mut [Cell],
    /// If it is not empty, entries are halved, and it gets what halving loses.
    odd: &'a mut [Cell],
    uses: &'a mut [u8],
    stride: usize,
    rows: usize,
}

impl Write for TwoBytes<'_> {
    #[inline(always)]
    fn write(&mut self, (row, block): (usize, usize), [low, high]: [&Cell; 2], weights: &[u8; BLOCK_LANES]) {
        let at = row * self.stride + block;
        let (to_low, to_high, mut odd) = (&mut self.low[at].0, &mut self.high[at].0, Cell::ZERO);
        let halved = u32::from(!self.odd.is_empty());
        let (mut any_high, mut any_odd) = (0, 0);
        for lane in 0..BLOCK_LANES {
            let entry = u16::from_le_bytes([low.0[lane], high.0[lane]]);
            let weighted = entry.wrapping_mul(u16::from(weights[lane]));
            [to_low[lane], to_high[lane]] = (weighted >> halved).to_le_bytes();
            odd.0[lane] = weighted as u8 & 1;
            any_high |= to_high[lane];
            any_odd |= odd.0[lane];
        }
        if let Some(to_odd) = self.odd.get_mut(at) {
            *to_odd = odd;
            let uses = &mut self.uses[block / 2 * self.rows + row];
            *uses |= if any_high > 0 { HIGH } else { 0 } | if any_odd > 0 { ODD } else { 0 };
        }
    }
}
