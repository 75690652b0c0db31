//! Plain Rust on eight 64-bit integers: runs everywhere, and under Miri.

use super::Cell;
use super::{Lanes, MAX_COUNT};
use crate::solver::color::tuning::PORTABLE_TILE_WORDS;

#[derive(Debug, Clone, Copy)]
pub(super) struct Portable;

/// A word as bytes: plain loops over them become whatever vectors the target has by default.
type Bytes = [u8; 64];

impl Lanes for Portable {
    type Word = Bytes;
    type Sums = [u32; 8];
    const PRODUCTS_PER_SUM: usize = 8;
    const TILE_WORDS: usize = PORTABLE_TILE_WORDS;

    #[inline(always)]
    fn load(self, cell: &Cell) -> Bytes {
        cell.0
    }

    #[inline(always)]
    fn store(self, word: Bytes, cell: &mut Cell) {
        cell.0 = word;
    }

    #[inline(always)]
    fn or(self, mut a: Bytes, b: Bytes) -> Bytes {
        for i in 0..64 {
            a[i] |= b[i];
        }
        a
    }

    #[inline(always)]
    fn and_not(self, plane: Bytes, mut word: Bytes) -> Bytes {
        for i in 0..64 {
            word[i] &= !plane[i];
        }
        word
    }

    #[inline(always)]
    fn counts(self, mut word: Bytes) -> Bytes {
        // By eights: what a shift brings from the next byte is masked anyway, as shifts of bytes would be.
        for bytes in word.as_chunks_mut().0 {
            let eight = u64::from_ne_bytes(*bytes);
            let pairs = eight - (eight >> 1 & 0x5555_5555_5555_5555);
            let nibbles = (pairs & 0x3333_3333_3333_3333) + (pairs >> 2 & 0x3333_3333_3333_3333);
            *bytes = ((nibbles + (nibbles >> 4)) & 0x0f0f_0f0f_0f0f_0f0f).to_ne_bytes();
        }
        word
    }

    #[inline(always)]
    fn add_saturating(self, mut a: Bytes, b: Bytes) -> Bytes {
        for i in 0..64 {
            a[i] = a[i].saturating_add(b[i]);
        }
        a
    }

    #[inline(always)]
    fn add(self, mut a: Bytes, b: Bytes) -> (Bytes, Option<Bytes>) {
        let (mut carry, mut any) = ([0; 64], 0);
        for i in 0..64 {
            a[i] = a[i].wrapping_add(b[i]);
            carry[i] = u8::from(a[i] < b[i]);
            any |= carry[i];
        }
        (a, (any != 0).then_some(carry))
    }

    #[inline(always)]
    fn zero_sums(self) -> [u32; 8] {
        [0; 8]
    }

    #[inline(always)]
    fn dot(self, mut sums: [u32; 8], counts: Bytes, table: Bytes) -> [u32; 8] {
        // Four products at a time, in 16 bits: with products of 32 bits the compiler took twice the time.
        let mut fours = [0; 16];
        for i in 0..16 {
            let product = |at: usize| u16::from(counts[at]) * u16::from(table[at]);
            fours[i] = product(i) + product(i + 16) + product(i + 32) + product(i + 48);
        }
        for i in 0..8 {
            sums[i] += u32::from(fours[i]) + u32::from(fours[i + 8]);
        }
        sums
    }

    #[inline(always)]
    fn total(self, sums: [u32; 8]) -> u64 {
        sums.into_iter().map(u64::from).sum()
    }
}

/// [`Portable::dot`] adds four products in 16 bits.
const _: () = assert!(4 * MAX_COUNT * 255 <= u16::MAX as usize);

/// [`Lanes::line_planes`] bit by bit: a key has few lines, and as many as the next, so that the loop's end is
/// predicted.
#[inline(always)]
pub(super) fn line_planes(keys: &[u64], ends: &[[u32; 2]; 64], lines: &mut [Cell; 64]) {
    lines.fill(Cell::ZERO);
    for (lane, &[from, to]) in ends.iter().enumerate() {
        for (k, &key) in keys[from as usize..to as usize].iter().enumerate() {
            let mut left = key;
            while left != 0 {
                lines[left.trailing_zeros() as usize & 63].0[lane] |= 1 << k;
                left &= left - 1;
            }
        }
    }
}

/// A 64 x 64 byte matrix, block by block of 8 x 8.
#[inline(always)]
pub(super) fn transpose_in_place(square: &mut [Cell; 64]) {
    for i in 0..8 {
        for j in 0..=i {
            let (upper, lower) = (block(square, i, j), block(square, j, i));
            set_block(square, j, i, transpose_bytes(upper));
            set_block(square, i, j, transpose_bytes(lower));
        }
    }
}

#[inline(always)]
fn block(square: &[Cell; 64], i: usize, j: usize) -> [u64; 8] {
    std::array::from_fn(|row| u64::from_le_bytes(std::array::from_fn(|byte| square[8 * i + row].0[8 * j + byte])))
}

#[inline(always)]
fn set_block(square: &mut [Cell; 64], i: usize, j: usize, rows: [u64; 8]) {
    for (row, value) in rows.into_iter().enumerate() {
        square[8 * i + row].0[8 * j..8 * j + 8].copy_from_slice(&value.to_le_bytes());
    }
}

/// An 8 x 8 byte matrix transposed: exchanges of 32, 16 and 8 bits between pairs of rows.
#[inline(always)]
fn transpose_bytes(mut rows: [u64; 8]) -> [u64; 8] {
    for (distance, mask) in [(4, 0x0000_0000_ffff_ffff), (2, 0x0000_ffff_0000_ffff), (1, 0x00ff_00ff_00ff_00ff_u64)] {
        for low in (0..8).filter(|row| row & distance == 0) {
            let high = low + distance;
            let shift = 8 * distance;
            let moved = (rows[low] >> shift ^ rows[high]) & mask;
            rows[high] ^= moved;
            rows[low] ^= moved << shift;
        }
    }
    rows
}

/// [`super::Lanes::parts`] without branches.
#[inline(always)]
pub(super) fn parts(word: &Cell) -> u8 {
    // From the last part on: a comparison and an addition with carry for each.
    let parts = word.0.as_chunks().0.iter().map(|&bytes| u64::from_le_bytes(bytes));
    let zero = parts.rev().fold(0u32, |mask, part| mask + mask + u32::from(part == 0));
    !zero as u8
}

/// [`super::Lanes::filter`] without vectors and without branches.
#[inline(always)]
pub(super) fn filter(keys: &[u64], groups: &[u32], lines: u64, out_keys: &mut [u64], out_groups: &mut [u32]) -> usize {
    let mut kept = 0;
    for (&key, &group) in keys.iter().zip(groups) {
        out_keys[kept] = key;
        out_groups[kept] = group;
        kept += usize::from(key & lines == 0);
    }
    kept
}
