//! Turns a filled table round, once for each term, and multiplies the weights of the symmetry in.

use super::weights::Weights;
use crate::solver::simd::{BLOCK_LANES, Cell, Kernel, Words};
use crate::{Error, Result};

/// Bytes that an entry may have: four hold every entry of every board up to 32, times its weight (`../proof.md`).
pub(crate) const MAX_ENTRY_BYTES: usize = 4;

/// A filled table.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Filled<'a> {
    /// The lowest bytes of all entries, then the second ones, and so on.
    pub(crate) bytes: &'a [Cell],
    /// Cells of each of these.
    pub(crate) length: usize,
    /// Cells of a row.
    pub(crate) stride: usize,
    /// No entry is larger.
    pub(crate) largest: u32,
}

/// How a filled table is turned round.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Turning<'a> {
    pub(crate) filled: Filled<'a>,
    /// The row of the filled table for each lane of the turned one.
    pub(crate) rows_of_lanes: &'a [u16],
    /// The row of the turned table for each lane of the filled one.
    pub(crate) lanes_to_rows: &'a [u16],
    pub(crate) weights: &'a Weights,
}

impl Turning<'_> {
    /// A number that no weighted entry passes.
    ///
    /// # Errors
    /// [`Error::Overflow`]: entries are weighted in 32 bits. By `../proof.md` this cannot be: the largest board's are
    /// below 2^28.
    pub(super) fn largest(&self) -> Result<u32> {
        self.filled.largest.checked_mul(self.weights.largest()).ok_or(Error::Overflow { bits: 32 })
    }
}

/// Writes weighted entries in some form.
pub(super) trait Write {
    /// Writes 64 entries, given by their bytes, to a row and a block of the turned table.
    fn write(&mut self, place: (usize, usize), bytes: [&Cell; MAX_ENTRY_BYTES], weights: &[u8; BLOCK_LANES]);
}

/// Turns a filled table round.
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

/// 64 entries, their bytes joined, with their weights: [`Turning::largest`] has shown that these fit 32 bits.
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
