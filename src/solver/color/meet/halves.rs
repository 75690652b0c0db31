//! A turned table with weighted entries above 255. The table stores halves of entries, because most weights are even. A
//! half has two bytes.
//!
//! The *rest* of an entry is the entry minus twice the two bytes of its half. It is 1 for the few odd entries. It is
//! larger if an entry needs more than 17 bits, for n = 31 and 32. Rests are stored apart.

use std::ops::Range;

use super::table::Table;
use super::turn::{MAX_ENTRY_BYTES, Write, weighted};
use crate::room::{grow, push};
use crate::solver::simd::{BLOCK_LANES, Cell};
use crate::{Error, Result};

/// A table of halves.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Halves<'a> {
    /// The low bytes of the halves.
    pub(super) low: Table<&'a [Cell]>,
    /// The high bytes of the halves.
    pub(super) high: Table<&'a [Cell]>,
    apart: &'a Apart,
}

/// The rests of a table, and which rows need more than the low bytes.
#[derive(Debug, Default)]
pub(super) struct Apart {
    /// For each pair of blocks and each row: [`HIGH`], [`REST`], both or none.
    flags: Vec<u8>,
    rows: usize,
    rests: Vec<Rest>,
    /// Whether the system refused memory. Then rests are missing.
    refused: Option<Error>,
}

/// Flag: an entry of the row in the pair of blocks has a high byte above 0.
pub(super) const HIGH: u8 = 1;
/// Flag: an entry of the row in the pair of blocks has a rest above 0.
pub(super) const REST: u8 = 2;

/// The rests of a row in a block, one for each lane.
#[derive(Debug)]
struct Rest {
    row: u16,
    block: u16,
    rests: [u32; BLOCK_LANES],
}

impl<'a> Halves<'a> {
    pub(super) fn new([low, high]: [&'a [Cell]; 2], stride: usize, apart: &'a Apart) -> Self {
        let table = |cells| Table { cells, stride };
        Self { low: table(low), high: table(high), apart }
    }

    /// The flags of a row in some blocks.
    #[inline(always)]
    pub(super) fn beyond(&self, row: u16, blocks: Range<usize>) -> u8 {
        let Apart { flags, rows, .. } = self.apart;
        let pairs = blocks.start / 2..blocks.end.div_ceil(2);
        pairs.fold(0, |beyond, pair| beyond | flags[pair * rows + usize::from(row)])
    }

    /// Multiplies the counts of a word with the rests of their lanes, and returns the sum. `numbers` has the lane of
    /// each byte, counted from `first_block`. Few rows have rests.
    #[cold]
    pub(super) fn rest(&self, row: u16, first_block: usize, [counts, numbers]: &[Cell; 2]) -> u64 {
        let mut sum = 0;
        for rest in self.apart.rests.iter().filter(|rest| rest.row == row) {
            for (&count, &number) in counts.0.iter().zip(&numbers.0) {
                if first_block + usize::from(number) / BLOCK_LANES == usize::from(rest.block) {
                    sum += u64::from(count) * u64::from(rest.rests[usize::from(number) % BLOCK_LANES]);
                }
            }
        }
        sum
    }
}

impl Apart {
    /// Begins a table without flags and rests.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub(super) fn begin(&mut self, rows: usize, blocks: usize) -> Result<()> {
        self.rows = rows;
        self.refused = None;
        self.rests.clear();
        self.flags.clear();
        grow(&mut self.flags, rows * blocks.div_ceil(2), 0)
    }

    /// Sets [`HIGH`] for a row in a block if `is_high`.
    #[inline(always)]
    fn note(&mut self, (row, block): (usize, usize), is_high: bool) {
        self.flags[block / 2 * self.rows + row] |= if is_high { HIGH } else { 0 };
    }

    /// Stores the rests of a row in a block.
    #[cold]
    fn keep(&mut self, (row, block): (usize, usize), rests: [u32; BLOCK_LANES]) {
        self.flags[block / 2 * self.rows + row] |= REST;
        if let Err(error) = push(&mut self.rests, Rest { row: row as u16, block: block as u16, rests }) {
            self.refused = Some(error);
        }
    }

    /// Ends writing.
    ///
    /// # Errors
    /// [`Error::Memory`] if the system refused memory meanwhile.
    pub(super) fn end(&mut self) -> Result<()> {
        self.refused.take().map_or(Ok(()), Err)
    }
}

/// Writes halves.
pub(super) struct WriteHalves<'a> {
    pub(super) low: &'a mut [Cell],
    pub(super) high: &'a mut [Cell],
    pub(super) stride: usize,
    pub(super) apart: &'a mut Apart,
}

/// Writes halves of weighted entries that fit 16 bits.
pub(super) struct WriteNarrow<'a>(pub(super) WriteHalves<'a>);

/// Writes halves of weighted entries of up to 32 bits.
pub(super) struct WriteWide<'a>(pub(super) WriteHalves<'a>);

impl Write for WriteNarrow<'_> {
    #[inline(always)]
    fn write(&mut self, place: (usize, usize), [low, high, ..]: [&Cell; MAX_ENTRY_BYTES], weights: &[u8; BLOCK_LANES]) {
        let at = place.0 * self.0.stride + place.1;
        let (to_low, to_high) = (&mut self.0.low[at].0, &mut self.0.high[at].0);
        let (mut any_high, mut any_odd) = (0, 0);
        for i in 0..BLOCK_LANES {
            let entry = u16::from(low.0[i]) | u16::from(high.0[i]) << 8;
            let weighted = entry.wrapping_mul(u16::from(weights[i]));
            to_low[i] = (weighted >> 1) as u8;
            to_high[i] = (weighted >> 9) as u8;
            any_high |= to_high[i];
            any_odd |= weighted as u8 & 1;
        }
        self.0.apart.note(place, any_high != 0);
        if any_odd != 0 {
            self.0.apart.keep(place, std::array::from_fn(|i| u32::from(low.0[i] & weights[i] & 1)));
        }
    }
}

impl Write for WriteWide<'_> {
    #[inline(always)]
    fn write(&mut self, place: (usize, usize), bytes: [&Cell; MAX_ENTRY_BYTES], weights: &[u8; BLOCK_LANES]) {
        let at = place.0 * self.0.stride + place.1;
        let (to_low, to_high) = (&mut self.0.low[at].0, &mut self.0.high[at].0);
        let mut rests = [0; BLOCK_LANES];
        for (i, weighted) in weighted(bytes, weights).into_iter().enumerate() {
            let [low, high, ..] = (weighted >> 1).to_le_bytes();
            (to_low[i], to_high[i]) = (low, high);
            rests[i] = weighted - 2 * u32::from(u16::from_le_bytes([low, high]));
        }
        self.0.apart.note(place, to_high.iter().any(|&byte| byte > 0));
        if rests.iter().any(|&rest| rest > 0) {
            self.0.apart.keep(place, rests);
        }
    }
}
