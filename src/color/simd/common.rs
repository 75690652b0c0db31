//! Operations of the color split in plain Rust, which instruction sets without faster ones use.

use super::Cell;

/// [`Words::line_planes`](super::Words::line_planes), bit by bit. All keys have equally many lines, so the end of the
/// inner loop is predicted.
#[inline(always)]
pub(super) fn line_planes(keys: &[u64], ends: &[[u32; 2]; 64], lines: &mut [Cell; 64]) {
    lines.fill(Cell::ZERO);
    for (byte, &[from, to]) in ends.iter().enumerate() {
        for (k, &key) in keys[from as usize..to as usize].iter().enumerate() {
            let mut left = key;
            while left != 0 {
                lines[left.trailing_zeros() as usize & 63].0[byte] |= 1 << k;
                left &= left - 1;
            }
        }
    }
}

/// Transposes a matrix of 4 x 4 blocks of 16 x 16 bytes. The blocks stay as they are.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[inline(always)]
pub(super) fn swap_blocks(square: &mut [Cell; 64]) {
    for i in 1..4 {
        let (upper, lower) = square.split_at_mut(16 * i);
        for j in 0..i {
            for (upper, lower) in upper[16 * j..][..16].iter_mut().zip(&mut *lower) {
                std::mem::swap(&mut upper.0.as_chunks_mut::<16>().0[i], &mut lower.0.as_chunks_mut::<16>().0[j]);
            }
        }
    }
}

/// Transposes a matrix of 64 x 64 bytes, in blocks of 8 x 8.
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

/// Transposes a matrix of 8 x 8 bytes, by exchanges of 32, 16 and 8 bits between pairs of rows.
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

/// [`Words::parts`](super::Words::parts), without branches.
#[inline(always)]
pub(super) fn parts(word: &Cell) -> u8 {
    // From the last part to the first. Each needs one comparison and one addition with carry.
    let parts = word.0.as_chunks().0.iter().map(|&bytes| u64::from_le_bytes(bytes));
    let zero = parts.rev().fold(0u32, |mask, part| mask + mask + u32::from(part == 0));
    !zero as u8
}

/// [`Words::filter`](super::Words::filter), without vectors and without branches.
#[inline(always)]
pub(super) fn filter(
    keys: &[u64],
    numbers: &[u32],
    lines: u64,
    out_keys: &mut [u64],
    out_numbers: &mut [u32],
) -> usize {
    let mut kept = 0;
    for (&key, &number) in keys.iter().zip(numbers) {
        out_keys[kept] = key;
        out_numbers[kept] = number;
        kept += usize::from(key & lines == 0);
    }
    kept
}
