//! AVX2: a word is two registers.

use std::arch::x86_64::*;

use super::{Kernel, Lanes};
use crate::solver::Isa;
use crate::solver::color::cell::Cell;

/// Proof of AVX2, BMI1, BMI2 and POPCNT.
#[derive(Debug, Clone, Copy)]
pub(super) struct Avx2(());

impl Avx2 {
    pub(super) fn detect() -> Option<Self> {
        Isa::Avx2.is_available().then_some(Self(()))
    }

    pub(super) fn enter<K: Kernel>(self, kernel: K) -> K::Output {
        #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
        fn with_features<K: Kernel>(lanes: Avx2, kernel: K) -> K::Output {
            kernel.run(lanes)
        }
        // SAFETY: an `Avx2` exists only where `detect` found these features.
        unsafe { with_features(self, kernel) }
    }
}

type Pair = [__m256i; 2];

#[inline(always)]
fn both(a: Pair, b: Pair, operation: impl Fn(__m256i, __m256i) -> __m256i) -> Pair {
    [operation(a[0], b[0]), operation(a[1], b[1])]
}

impl Lanes for Avx2 {
    type Word = Pair;
    type Sums = __m256i;
    const HOLDS_TILES: bool = false;

    #[inline(always)]
    fn load(self, cell: &Cell) -> Pair {
        let start = cell.0.as_ptr().cast::<__m256i>();
        // SAFETY: a cell is 64 bytes, aligned to 64; the token proves AVX.
        unsafe { [_mm256_load_si256(start), _mm256_load_si256(start.add(1))] }
    }

    #[inline(always)]
    fn store(self, word: Pair, cell: &mut Cell) {
        let start = cell.0.as_mut_ptr().cast::<__m256i>();
        // SAFETY: a cell is 64 bytes, aligned to 64; the token proves AVX.
        unsafe {
            _mm256_store_si256(start, word[0]);
            _mm256_store_si256(start.add(1), word[1]);
        }
    }

    #[inline(always)]
    fn or(self, a: Pair, b: Pair) -> Pair {
        // SAFETY: the token proves AVX2.
        both(a, b, |x, y| unsafe { _mm256_or_si256(x, y) })
    }

    #[inline(always)]
    fn and_not(self, plane: Pair, word: Pair) -> Pair {
        // SAFETY: the token proves AVX2.
        both(plane, word, |x, y| unsafe { _mm256_andnot_si256(x, y) })
    }

    #[inline(always)]
    fn counts(self, word: Pair) -> Pair {
        // SAFETY: the token proves AVX2. Population counts of nibbles by table (Mula).
        word.map(|half| unsafe {
            let table = _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
            let nibble = _mm256_set1_epi8(0x0f);
            let low = _mm256_shuffle_epi8(table, _mm256_and_si256(half, nibble));
            let high = _mm256_shuffle_epi8(table, _mm256_and_si256(_mm256_srli_epi16::<4>(half), nibble));
            _mm256_add_epi8(low, high)
        })
    }

    #[inline(always)]
    fn add_saturating(self, a: Pair, b: Pair) -> Pair {
        // SAFETY: the token proves AVX2.
        both(a, b, |x, y| unsafe { _mm256_adds_epu8(x, y) })
    }

    #[inline(always)]
    fn add(self, a: Pair, b: Pair) -> (Pair, Option<Pair>) {
        // SAFETY: the token proves AVX2. A sum below one of its terms has been carried: there the larger of both is not
        // it.
        unsafe {
            let sum = both(a, b, |x, y| _mm256_add_epi8(x, y));
            let whole = both(sum, b, |x, y| _mm256_cmpeq_epi8(_mm256_max_epu8(x, y), x));
            let any = _mm256_movemask_epi8(_mm256_and_si256(whole[0], whole[1])) != -1;
            (sum, any.then(|| whole.map(|whole| _mm256_add_epi8(whole, _mm256_set1_epi8(1)))))
        }
    }

    #[inline(always)]
    fn zero_sums(self) -> __m256i {
        // SAFETY: the token proves AVX.
        unsafe { _mm256_setzero_si256() }
    }

    #[inline(always)]
    fn dot(self, sums: __m256i, counts: Pair, table: Pair) -> __m256i {
        // SAFETY: the token proves AVX2. 2 * 255 * 64 fits 16 signed bits, so the first product does not saturate; the
        // two halves' pairs are added in 32 bits.
        unsafe {
            let one = _mm256_set1_epi16(1);
            let low = _mm256_madd_epi16(_mm256_maddubs_epi16(table[0], counts[0]), one);
            let high = _mm256_madd_epi16(_mm256_maddubs_epi16(table[1], counts[1]), one);
            _mm256_add_epi32(sums, _mm256_add_epi32(low, high))
        }
    }

    #[inline(always)]
    fn total(self, sums: __m256i) -> u64 {
        // SAFETY: 32 bytes are 8 sums of 32 bits, all bit patterns valid.
        let sums: [u32; 8] = unsafe { std::mem::transmute(sums) };
        sums.into_iter().map(u64::from).sum()
    }
}
