//! Turns (transposes) a filled table, once for each term, and multiplies its entries with the weights of the symmetry.

use super::weights::Weights;
use crate::solver::simd::{BLOCK_LANES, Cell, Kernel, Words};
use crate::{Error, Result};

/// The most bytes of an entry. Four are enough for every entry up to n = 32, times its weight (`../proof.md`).
pub(crate) const MAX_ENTRY_BYTES: usize = 4;

/// A filled table.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Filled<'a> {
    /// The lowest bytes of all entries, then the second bytes, and so on.
    pub(crate) bytes: &'a [Cell],
    /// Number of cells for one byte of all entries.
    pub(crate) length: usize,
    /// Number of cells of a row.
    pub(crate) stride: usize,
    /// Upper bound of the entries.
    pub(crate) largest: u32,
}

/// A filled table, and how to turn it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Turning<'a> {
    pub(crate) filled: Filled<'a>,
    /// For each lane of the turned table, its row in the filled table.
    pub(crate) rows_of_lanes: &'a [u16],
    /// For each lane of the filled table, its row in the turned table.
    pub(crate) lanes_to_rows: &'a [u16],
    pub(crate) weights: &'a Weights,
}

impl Turning<'_> {
    /// Returns an upper bound of the weighted entries.
    ///
    /// # Errors
    /// [`Error::Overflow`] if the bound does not fit 32 bits. `../proof.md` shows that this cannot happen.
    pub(super) fn largest(&self) -> Result<u32> {
        self.filled.largest.checked_mul(self.weights.largest()).ok_or(Error::Overflow { bits: 32 })
    }
}

/// Writes weighted entries to one kind of turned table.
pub(super) trait Write {
    /// Writes the 64 entries of one row and one block of the turned table. `place` is (row, block). `bytes` has the
    /// lowest bytes of the entries, then the second bytes, and so on.
    fn write(&mut self, place: (usize, usize), bytes: [&Cell; MAX_ENTRY_BYTES], weights: &[u8; BLOCK_LANES]);
}

/// Turns a filled table.
pub(super) struct Turn<'a, W> {
    pub(super) turning: &'a Turning<'a>,
    pub(super) to: W,
}

/// 64 x 64 bytes.
type Square = [Cell; BLOCK_LANES];

impl<W: Write> Kernel for Turn<'_, W> {
    type Output = ();

    #[inline(always)]
    fn run<T: Words>(self, token: T) {
        let Self { turning: Turning { filled, rows_of_lanes, lanes_to_rows, weights }, mut to } = self;
        let mut squares: [Square; MAX_ENTRY_BYTES] = [[Cell::ZERO; BLOCK_LANES]; MAX_ENTRY_BYTES];
        for (block, rows) in rows_of_lanes.chunks(BLOCK_LANES).enumerate() {
            for (from, to_rows) in lanes_to_rows.chunks(BLOCK_LANES).enumerate() {
                for (bytes, square) in filled.bytes.chunks_exact(filled.length.max(1)).zip(&mut squares) {
                    let at = |&row: &u16| usize::from(row) * filled.stride + from;
                    for (cell, row) in square.iter_mut().zip(rows) {
                        *cell = bytes[at(row)];
                    }
                    square[rows.len()..].fill(Cell::ZERO);
                    token.transpose(square);
                }
                for (lane, &row) in to_rows.iter().enumerate() {
                    let [first, second, third, fourth] = &squares;
                    let bytes = [&first[lane], &second[lane], &third[lane], &fourth[lane]];
                    to.write((usize::from(row), block), bytes, weights.of(from * BLOCK_LANES + lane, block));
                }
            }
        }
    }
}

/// Joins the bytes of 64 entries, and multiplies the entries with their weights. [`Turning::largest`] has checked that
/// the products fit 32 bits.
#[inline(always)]
pub(super) fn weighted(bytes: [&Cell; MAX_ENTRY_BYTES], weights: &[u8; BLOCK_LANES]) -> [u32; BLOCK_LANES] {
    let [first, second, third, fourth] = bytes;
    let mut entries = [0; BLOCK_LANES];
    for i in 0..BLOCK_LANES {
        let entry = u32::from_le_bytes([first.0[i], second.0[i], third.0[i], fourth.0[i]]);
        entries[i] = entry * u32::from(weights[i]);
    }
    entries
}
