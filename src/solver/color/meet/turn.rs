//! Turns a filled table round, once for each term, and multiplies the weights of the symmetry in.

use super::large::CAP;
use super::turned::{Form, HIGH, REST, Rest, Turned};
use super::weights::Weights;
use crate::solver::simd::{Cell, Kernel, LANES, Lanes};
use crate::{Error, Result};

/// Bytes that an entry may have: four hold every entry of every board up to 32, times its weight (`../proof.md`).
pub(crate) const MAX_ENTRY_BYTES: usize = 4;

/// Turns a filled table round and multiplies the weights in.
pub(crate) struct Turn<'a> {
    /// The lowest bytes of all entries, then the second ones, and so on.
    pub(crate) filled: &'a [Cell],
    /// Cells of the filled table, with one byte for each entry.
    pub(crate) length: usize,
    /// Cells of a row.
    pub(crate) stride: usize,
    /// No entry is larger.
    pub(crate) largest: u32,
    /// The row of the filled table for each lane of the turned one.
    pub(crate) rows_of_lanes: &'a [u16],
    /// The row of the turned table for each lane of the filled one.
    pub(crate) lanes_to_rows: &'a [u16],
    pub(crate) weights: &'a Weights,
    pub(crate) turned: &'a mut Turned,
}

/// 64 x 64 bytes.
type Square = [Cell; LANES];

impl Kernel for Turn<'_> {
    type Output = Result<()>;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> Result<()> {
        let Self { filled, length, stride, largest, rows_of_lanes, lanes_to_rows, weights, turned } = self;
        let largest = u64::from(largest) * u64::from(weights.largest());
        // Entries are weighted in 32 bits. By `../proof.md` this cannot be: the largest board's are below 2^28.
        if largest > u64::from(u32::MAX) {
            return Err(Error::Overflow { bits: 32 });
        }
        turned.begin(largest)?;
        let mut squares: [Square; MAX_ENTRY_BYTES] = [[Cell::ZERO; LANES]; MAX_ENTRY_BYTES];
        for (block, rows) in rows_of_lanes.chunks(LANES).enumerate() {
            for (from, to_rows) in lanes_to_rows.chunks(LANES).enumerate() {
                for (bytes, square) in filled.chunks_exact(length.max(1)).zip(&mut squares) {
                    gather(lanes, bytes, stride, rows, from, square);
                }
                for (lane, &row) in to_rows.iter().enumerate() {
                    let place = (usize::from(row), block);
                    let weights = weights.of(from * LANES + lane, block);
                    let [low, high, third, fourth] = &squares;
                    match turned.form {
                        Form::Bytes => {
                            let at = turned.first_cell(place.0) + block;
                            let to = &mut turned.low[at];
                            for (to, (entry, weight)) in to.0.iter_mut().zip(low[lane].0.iter().zip(weights)) {
                                *to = entry.wrapping_mul(*weight);
                            }
                        }
                        Form::Halves if largest <= u64::from(u16::MAX) => {
                            halve(turned, place, [&low[lane], &high[lane]], weights);
                        }
                        Form::Halves => {
                            halve_large(turned, place, [&low[lane], &high[lane], &third[lane], &fourth[lane]], weights)
                        }
                        Form::Capped => {
                            cap(turned, place, [&low[lane], &high[lane], &third[lane], &fourth[lane]], weights)
                        }
                    }
                }
            }
        }
        Ok(())
    }
}

/// Writes the halves of 64 entries that with their weights fit 16 bits, and their rests.
#[inline(always)]
fn halve(turned: &mut Turned, (row, block): (usize, usize), [low, high]: [&Cell; 2], weights: &[u8; LANES]) {
    let at = turned.first_cell(row) + block;
    let (to_low, to_high) = (&mut turned.low[at].0, &mut turned.high[at].0);
    let (mut any_high, mut any_odd) = (0, 0);
    for i in 0..LANES {
        let entry = u16::from(low.0[i]) | u16::from(high.0[i]) << 8;
        let weighted = entry.wrapping_mul(u16::from(weights[i]));
        to_low[i] = (weighted >> 1) as u8;
        to_high[i] = (weighted >> 9) as u8;
        any_high |= to_high[i];
        any_odd |= weighted as u8 & 1;
    }
    let beyond = &mut turned.beyond[block / 2 * turned.rows + row];
    *beyond |= if any_high == 0 { 0 } else { HIGH };
    if any_odd != 0 {
        *beyond |= REST;
        let rests = std::array::from_fn(|i| u32::from(low.0[i] & weights[i] & 1));
        turned.rests.push(Rest { row: row as u16, block: block as u16, rests });
    }
}

/// The same for entries that with their weights may need 32 bits. Apart from [`halve`], because it is seldom called.
#[cold]
fn halve_large(
    turned: &mut Turned,
    (row, block): (usize, usize),
    bytes: [&Cell; MAX_ENTRY_BYTES],
    weights: &[u8; LANES],
) {
    let at = turned.first_cell(row) + block;
    let mut rests = [0; LANES];
    for (i, weighted) in weighted(bytes, weights).into_iter().enumerate() {
        let [low, high, ..] = (weighted >> 1).to_le_bytes();
        (turned.low[at].0[i], turned.high[at].0[i]) = (low, high);
        rests[i] = weighted - 2 * u32::from(u16::from_le_bytes([low, high]));
    }
    let beyond = &mut turned.beyond[block / 2 * turned.rows + row];
    *beyond |= if turned.high[at].is_zero() { 0 } else { HIGH };
    if rests.iter().any(|&rest| rest > 0) {
        *beyond |= REST;
        turned.rests.push(Rest { row: row as u16, block: block as u16, rests });
    }
}

/// Writes 64 entries, capped, and keeps the large ones.
#[inline(always)]
fn cap(turned: &mut Turned, (row, block): (usize, usize), bytes: [&Cell; MAX_ENTRY_BYTES], weights: &[u8; LANES]) {
    let at = turned.first_cell(row) + block;
    let entries = weighted(bytes, weights);
    for (to, &entry) in turned.low[at].0.iter_mut().zip(&entries) {
        *to = entry.min(u32::from(CAP)) as u8;
    }
    if turned.low[at].0.contains(&CAP) {
        turned.large.keep(at, &entries);
    }
}

/// 64 entries, their bytes joined, with their weights: in 32 bits, as was seen of the largest of all.
#[inline(always)]
fn weighted([low, high, third, fourth]: [&Cell; MAX_ENTRY_BYTES], weights: &[u8; LANES]) -> [u32; LANES] {
    let mut entries = [0; LANES];
    for i in 0..LANES {
        let entry = u32::from_le_bytes([low.0[i], high.0[i], third.0[i], fourth.0[i]]);
        entries[i] = entry * u32::from(weights[i]);
    }
    entries
}

/// 64 x 64 bytes, turned: the given rows at one block of lanes.
#[inline(always)]
fn gather<L: Lanes>(lanes: L, cells: &[Cell], stride: usize, rows: &[u16], block: usize, square: &mut Square) {
    for (cell, &row) in square.iter_mut().zip(rows) {
        *cell = cells[usize::from(row) * stride + block];
    }
    square[rows.len()..].fill(Cell::ZERO);
    lanes.transpose(square);
}
