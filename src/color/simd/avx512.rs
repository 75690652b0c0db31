//! AVX-512 without BITALG (Skylake servers). A word is one register.

use std::arch::x86_64::*;

use archmage::{X64V4Token, rite};
use safe_unaligned_simd::x86_64::{
    _mm256_loadu_si256, _mm256_storeu_si256, _mm512_loadu_si512, _mm512_maskz_loadu_epi64, _mm512_storeu_si512,
};

use super::{Cell, MAX_COUNT, Words};

proof! {
    /// Proof of AVX-512 F, BW, CD, DQ and VL, and of what AVX2's code needs.
    Avx512(X64V4Token)
}

/// In `maddubs`, counts are signed bytes, and the sum of two products must fit signed 16 bits.
const _: () = assert!(MAX_COUNT <= i8::MAX as usize && 2 * MAX_COUNT * 255 <= i16::MAX as usize);

/// Loads the keys `from..to`, at most 8, followed by zeros.
#[rite]
pub(super) fn eight_keys(_: X64V4Token, keys: &[u64], [from, to]: [usize; 2]) -> __m512i {
    let count = to - from;
    match keys[from..].first_chunk::<8>() {
        Some(eight) => _mm512_maskz_loadu_epi64(((1u32 << (count & 15)) - 1) as u8, eight),
        None => {
            let mut eight = [0; 8];
            eight[..count].copy_from_slice(&keys[from..to]);
            _mm512_loadu_si512(&eight)
        }
    }
}

/// Transposes the bit matrix of at most 8 keys. Byte l of the result holds bit l of every key, the first key in the
/// lowest bit.
#[rite]
fn key_bytes(proof: X64V4Token, keys: __m512i) -> __m512i {
    let x = swap_bits(proof, transpose_block(proof, keys), 0x00aa_00aa_00aa_00aa, 7);
    let x = swap_bits(proof, x, 0x0000_cccc_0000_cccc, 14);
    swap_bits(proof, x, 0x0000_0000_f0f0_f0f0, 28)
}

/// Exchanges the bits in `mask` with the bits `distance` positions higher.
#[rite]
fn swap_bits(_: X64V4Token, x: __m512i, mask: i64, distance: i32) -> __m512i {
    let distance = _mm_cvtsi32_si128(distance);
    let moved = _mm512_and_si512(_mm512_xor_si512(x, _mm512_srl_epi64(x, distance)), _mm512_set1_epi64(mask));
    _mm512_xor_si512(x, _mm512_xor_si512(moved, _mm512_sll_epi64(moved, distance)))
}

/// Transposes 64 x 64 bytes in three steps. First, pieces of 64 bits move within each eight rows, so that each row is a
/// block of 8 x 8 bytes. Then each block is transposed. Then pieces move between rows that are eight apart.
#[rite]
fn transpose(proof: X64V4Token, square: &mut [Cell; 64]) {
    let mut rows = [_mm512_setzero_si512(); 64];
    for (row, cell) in rows.iter_mut().zip(&*square) {
        *row = _mm512_loadu_si512(&cell.0);
    }
    // Within 8 rows, piece x of row y goes to piece y of row x.
    for eight in rows.as_chunks_mut().0 {
        exchange_pieces(proof, eight);
    }
    // Row 8 r + x now holds piece x of rows 8 r to 8 r + 7: a block of 8 x 8 bytes.
    for row in &mut rows {
        *row = transpose_block(proof, *row);
    }
    for x in 0..8 {
        let mut eight = [rows[x]; 8];
        for r in 1..8 {
            eight[r] = rows[8 * r + x];
        }
        exchange_pieces(proof, &mut eight);
        for (y, row) in eight.into_iter().enumerate() {
            _mm512_storeu_si512(&mut square[8 * x + y].0, row);
        }
    }
}

/// Transposes the 8 x 8 bytes of a register. First bytes move within 128 bits, then pairs of bytes move across.
#[rite]
fn transpose_block(_: X64V4Token, row: __m512i) -> __m512i {
    let pairs = _mm512_shuffle_epi8(
        row,
        _mm512_broadcast_i32x4(_mm_setr_epi8(0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15)),
    );
    let pieces = _mm512_set_epi16(
        31, 23, 15, 7, 30, 22, 14, 6, 29, 21, 13, 5, 28, 20, 12, 4, 27, 19, 11, 3, 26, 18, 10, 2, 25, 17, 9, 1, 24, 16,
        8, 0,
    );
    _mm512_permutexvar_epi16(pieces, pairs)
}

/// Transposes 8 x 8 pieces of 64 bits.
#[rite]
fn exchange_pieces(_: X64V4Token, rows: &mut [__m512i; 8]) {
    let (mut even, mut odd) = ([rows[0]; 4], [rows[0]; 4]);
    for i in 0..4 {
        even[i] = _mm512_unpacklo_epi64(rows[2 * i], rows[2 * i + 1]);
        odd[i] = _mm512_unpackhi_epi64(rows[2 * i], rows[2 * i + 1]);
    }
    for (first, pairs) in [(0, even), (1, odd)] {
        let a = _mm512_shuffle_i64x2::<0x88>(pairs[0], pairs[1]);
        let b = _mm512_shuffle_i64x2::<0x88>(pairs[2], pairs[3]);
        let c = _mm512_shuffle_i64x2::<0xdd>(pairs[0], pairs[1]);
        let d = _mm512_shuffle_i64x2::<0xdd>(pairs[2], pairs[3]);
        rows[first] = _mm512_shuffle_i64x2::<0x88>(a, b);
        rows[first + 4] = _mm512_shuffle_i64x2::<0xdd>(a, b);
        rows[first + 2] = _mm512_shuffle_i64x2::<0x88>(c, d);
        rows[first + 6] = _mm512_shuffle_i64x2::<0xdd>(c, d);
    }
}

impl Words for Avx512 {
    type Word = __m512i;
    type Sums = __m512i;
    const PRODUCTS_PER_SUM: usize = 4;
    /// Eight words, their counts and their numbers fit 32 registers.
    const TILE_WORDS: usize = 8;
    const SHARING: usize = 16;

    operations! { X64V4Token as proof:
        fn load(self, cell: &Cell) -> __m512i {
            _mm512_loadu_si512(&cell.0)
        }

        fn store(self, word: __m512i, cell: &mut Cell) {
            _mm512_storeu_si512(&mut cell.0, word);
        }

        fn or(self, a: __m512i, b: __m512i) -> __m512i {
            _mm512_or_si512(a, b)
        }

        fn and_not(self, plane: __m512i, word: __m512i) -> __m512i {
            _mm512_andnot_si512(plane, word)
        }

        fn counts(self, word: __m512i) -> __m512i {
            // A table has the population counts of nibbles (Mula).
            let table = _mm512_broadcast_i32x4(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
            let nibble = _mm512_set1_epi8(0x0f);
            let low = _mm512_shuffle_epi8(table, _mm512_and_si512(word, nibble));
            let high = _mm512_shuffle_epi8(table, _mm512_and_si512(_mm512_srli_epi16::<4>(word), nibble));
            _mm512_add_epi8(low, high)
        }

        fn pick(self, pair: [__m512i; 2], numbers: __m512i) -> __m512i {
            // The lowest 4 bits of a number choose among 16 bytes.
            _mm512_shuffle_epi8(pair[0], numbers)
        }

        fn add_small(self, a: __m512i, b: __m512i) -> __m512i {
            _mm512_add_epi8(a, b)
        }

        fn add_saturating(self, a: __m512i, b: __m512i) -> __m512i {
            _mm512_adds_epu8(a, b)
        }

        fn add(self, a: __m512i, b: __m512i) -> (__m512i, Option<__m512i>) {
            // A sum above 255 wraps and is below its terms.
            let sum = _mm512_add_epi8(a, b);
            let carried = _mm512_cmplt_epu8_mask(sum, b);
            let carry = if carried == 0 { None } else { Some(_mm512_maskz_set1_epi8(carried, 1)) };
            (sum, carry)
        }

        fn zero_sums(self) -> __m512i {
            _mm512_setzero_si512()
        }

        fn dot(self, sums: __m512i, counts: __m512i, table: __m512i) -> __m512i {
            // `maddubs` does not saturate (asserted above).
            let pairs = _mm512_maddubs_epi16(table, counts);
            _mm512_add_epi32(sums, _mm512_madd_epi16(pairs, _mm512_set1_epi16(1)))
        }

        fn total(self, sums: __m512i) -> u64 {
            let low = _mm512_and_si512(sums, _mm512_set1_epi64(0xffff_ffff));
            _mm512_reduce_add_epi64(_mm512_add_epi64(low, _mm512_srli_epi64::<32>(sums))) as u64
        }

        fn parts(self, word: __m512i) -> u8 {
            _mm512_test_epi64_mask(word, word)
        }

        fn line_planes(self, keys: &[u64], ends: &[[u32; 2]; 64], lines: &mut [Cell; 64]) {
            for (&[from, to], cell) in ends.iter().zip(&mut *lines) {
                let eight = eight_keys(proof, keys, [from as usize, to as usize]);
                _mm512_storeu_si512(&mut cell.0, key_bytes(proof, eight));
            }
            transpose(proof, lines);
        }

        fn transpose(self, square: &mut [Cell; 64]) {
            transpose(proof, square);
        }

        fn filter(
            self,
            keys: &[u64],
            numbers: &[u32],
            lines: u64,
            out_keys: &mut [u64],
            out_numbers: &mut [u32],
        ) -> usize {
            let length = keys.len();
            assert!(length.is_multiple_of(8) && numbers.len() == length);
            let (out_keys, out_numbers) = (&mut out_keys[..length], &mut out_numbers[..length]);
            let lines = _mm512_set1_epi64(lines as i64);
            let mut kept = 0;
            for (eight, numbers) in keys.as_chunks::<8>().0.iter().zip(numbers.as_chunks::<8>().0) {
                let eight = _mm512_loadu_si512(eight);
                let mask = _mm512_testn_epi64_mask(eight, lines);
                let eight = _mm512_maskz_compress_epi64(mask, eight);
                let numbers = _mm256_maskz_compress_epi32(mask, _mm256_loadu_si256(numbers));
                // The compiler needs one bounds check for both, because they are equally long.
                let room = kept..kept + 8;
                _mm512_storeu_si512(out_keys[room.clone()].first_chunk_mut::<8>().expect("8 keys"), eight);
                _mm256_storeu_si256(out_numbers[room].first_chunk_mut::<8>().expect("8 numbers"), numbers);
                kept += mask.count_ones() as usize;
            }
            kept
        }
    }
}
