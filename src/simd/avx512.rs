//! AVX-512 without BITALG, for Skylake servers. A word is one register.

use std::arch::x86_64::*;

use archmage::{X64V4Token, rite};
use safe_unaligned_simd::x86_64::{
    _mm256_loadu_si256, _mm256_storeu_si256, _mm512_loadu_si512, _mm512_maskz_loadu_epi64, _mm512_storeu_si512,
};

use super::avx2::{Avx2, line_planes_by_transposing};
use super::words::{ByteMatrix, LinePlanes};
use super::{Cell, Ends, Words};

proof! {
    /// The proof of AVX-512 F, BW, CD, DQ and VL, and of the instructions that the code for AVX2 needs. The token of
    /// `archmage` also requires AES and PCLMULQDQ.
    Avx512(X64V4Token)
}

/// Loads the keys `from..to`, of which there are at most 8, followed by zeros.
#[rite]
pub(super) fn eight_keys(_: X64V4Token, keys: &[u64], [from, to]: [usize; 2]) -> __m512i {
    let eight: &[u64; 8] = keys[from..].first_chunk().expect("there are 8 more keys");
    // `& 15` shows the compiler that the shift does not overflow.
    _mm512_maskz_loadu_epi64(((1u32 << ((to - from) & 15)) - 1) as u8, eight)
}

impl Words for Avx512 {
    type Word = __m512i;
    type Sums = __m512i;
    const PRODUCTS_PER_SUM: usize = 4;
    /// Eight words, with their counts and lanes, fit in 32 registers.
    const TILE_WORDS: usize = 8;
    const SHARING: usize = 16;
    const SPREADS: bool = true;

    #[inline(always)]
    fn line_planes(self, keys: &[u64], ends: &Ends, planes: &mut LinePlanes) {
        line_planes_by_transposing::<8, Self>(self, keys, ends, planes);
    }

    #[inline(always)]
    fn transpose(self, matrix: &mut ByteMatrix) {
        Avx2(self.0.v3()).transpose(matrix);
    }

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
            // The table contains the population counts of nibbles (Mula).
            let table = _mm512_broadcast_i32x4(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
            let nibble = _mm512_set1_epi8(0x0f);
            let low = _mm512_shuffle_epi8(table, _mm512_and_si512(word, nibble));
            let high = _mm512_shuffle_epi8(table, _mm512_and_si512(_mm512_srli_epi16::<4>(word), nibble));
            _mm512_add_epi8(low, high)
        }

        fn pick(self, pair: [__m512i; 2], lanes: __m512i) -> __m512i {
            // The lowest 4 bits of a lane select one of 16 bytes.
            _mm512_shuffle_epi8(pair[0], lanes)
        }

        fn permute(self, word: __m512i, places: __m512i) -> __m512i {
            // A place with its highest bit set selects 0.
            _mm512_shuffle_epi8(word, places)
        }

        fn add_small(self, a: __m512i, b: __m512i) -> __m512i {
            _mm512_add_epi8(a, b)
        }

        fn add_saturating(self, a: __m512i, b: __m512i) -> __m512i {
            _mm512_adds_epu8(a, b)
        }

        fn add(self, a: __m512i, b: __m512i) -> (__m512i, Option<__m512i>) {
            // A sum above 255 wraps and is less than both terms.
            let sum = _mm512_add_epi8(a, b);
            let carried = _mm512_cmplt_epu8_mask(sum, b);
            let carry = if carried == 0 { None } else { Some(_mm512_maskz_set1_epi8(carried, 1)) };
            (sum, carry)
        }

        fn zero_sums(self) -> __m512i {
            _mm512_setzero_si512()
        }

        fn dot(self, sums: __m512i, counts: __m512i, table: __m512i) -> __m512i {
            // `maddubs` does not saturate, as `avx2.rs` asserts.
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

        fn filter(
            self,
            keys: &[u64],
            lanes: &[u32],
            lines: u64,
            out_keys: &mut [u64],
            out_lanes: &mut [u32],
        ) -> usize {
            let length = keys.len();
            assert!(length.is_multiple_of(8) && lanes.len() == length);
            let (out_keys, out_lanes) = (&mut out_keys[..length], &mut out_lanes[..length]);
            let lines = _mm512_set1_epi64(lines as i64);
            let mut kept = 0;
            for (eight_keys, eight_lanes) in keys.as_chunks::<8>().0.iter().zip(lanes.as_chunks::<8>().0) {
                let eight_keys = _mm512_loadu_si512(eight_keys);
                let mask = _mm512_testn_epi64_mask(eight_keys, lines);
                let eight_keys = _mm512_maskz_compress_epi64(mask, eight_keys);
                let eight_lanes = _mm256_maskz_compress_epi32(mask, _mm256_loadu_si256(eight_lanes));
                // One bounds check is enough for both outputs, because they are equally long.
                let room = kept..kept + 8;
                _mm512_storeu_si512(out_keys[room.clone()].first_chunk_mut::<8>().expect("8 keys"), eight_keys);
                _mm256_storeu_si256(out_lanes[room].first_chunk_mut::<8>().expect("8 lanes"), eight_lanes);
                kept += mask.count_ones() as usize;
            }
            kept
        }
    }
}
