//! A turned table whose weighted entries do not all fit a byte. They are halved, because most weights are even. Each
//! half has two bytes; what an entry has beyond twice its half is its *rest*, kept apart. That is 1 for the few odd
//! entries, and more for those that need more than 17 bits, on boards of 31 and 32.

use std::ops::Range;

use super::table::Table;
use super::turn::{MAX_ENTRY_BYTES, Write, weighted};
use crate::Result;
use crate::solver::color::room::grow;
use crate::solver::simd::{BLOCK_LANES, Cell};

/// The halves of a table's entries.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Halves<'a> {
    /// The low bytes of the halves.
    pub(super) low: Table<&'a [Cell]>,
    /// The high bytes of the halves.
    pub(super) high: Table<&'a [Cell]>,
    apart: &'a Apart,
}

/// What a table of halves has beside its bytes.
#[derive(Debug, Default)]
pub(super) struct Apart {
    /// For each pair of blocks, row by row, what there is beyond the low bytes: [`HIGH`], [`REST`].
    flags: Vec<u8>,
    rows: usize,
    rests: Vec<Rest>,
}

/// Some entry of a pair of blocks has a high byte.
pub(super) const HIGH: u8 = 1;
/// Some entry of a pair of blocks has a rest.
pub(super) const REST: u8 = 2;

/// The rests of a row's entries in a block.
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

    /// What a row has in some blocks beyond the low bytes: [`HIGH`], [`REST`].
    #[inline(always)]
    pub(super) fn beyond(&self, row: u16, blocks: Range<usize>) -> u8 {
        let Apart { flags, rows, .. } = self.apart;
        let pairs = blocks.start / 2..blocks.end.div_ceil(2);
        pairs.fold(0, |beyond, pair| beyond | flags[pair * rows + usize::from(row)])
    }

    /// The sum of the products of a word's counts with the rests of its lanes. The word has the counts and the numbers
    /// of its lanes, which are counted from `first_block`. A table has next to no rests.
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
    /// Begins with a table that has nothing beyond its low bytes.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub(super) fn begin(&mut self, rows: usize, blocks: usize) -> Result<()> {
        self.rows = rows;
        self.rests.clear();
        self.flags.clear();
        grow(&mut self.flags, rows * blocks.div_ceil(2), 0)
    }

    /// Notes what a row has in a block beyond its low bytes.
    #[inline(always)]
    fn note(&mut self, (row, block): (usize, usize), is_high: bool) {
        self.flags[block / 2 * self.rows + row] |= if is_high { HIGH } else { 0 };
    }

    /// Keeps the rests of a row in a block.
    #[cold]
    fn keep(&mut self, (row, block): (usize, usize), rests: [u32; BLOCK_LANES]) {
        self.flags[block / 2 * self.rows + row] |= REST;
        self.rests.push(Rest { row: row as u16, block: block as u16, rests });
    }
}

/// Writes halves.
pub(super) struct WriteHalves<'a> {
    pub(super) low: &'a mut [Cell],
    pub(super) high: &'a mut [Cell],
    pub(super) stride: usize,
    pub(super) apart: &'a mut Apart,
}

/// Writes halves of entries that with their weights fit 16 bits.
pub(super) struct WriteNarrow<'a>(pub(super) WriteHalves<'a>);

/// Writes halves of entries that with their weights may need 32 bits.
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
