//! AVX2: four words at a time. It has no instruction that packs lanes: a table of permutations stands in.
#![expect(unsafe_code, reason = "vector instructions")]

use std::arch::x86_64::*;

use super::{Kernel, Lanes};
use crate::solver::Isa;

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

/// For each set of lanes, the 32-bit halves that bring them to the front.
const PACK: [[u32; 8]; 16] = {
    let mut table = [[0; 8]; 16];
    let mut set = 0;
    while set < 16 {
        let (mut lane, mut to) = (0, 0);
        while lane < 4 {
            if set >> lane & 1 == 1 {
                table[set][to] = 2 * lane;
                table[set][to + 1] = 2 * lane + 1;
                to += 2;
            }
            lane += 1;
        }
        set += 1;
    }
    table
};

impl Lanes for Avx2 {
    const WIDTH: usize = 4;
    type Words = __m256i;

    #[inline(always)]
    fn splat(self, word: u64) -> __m256i {
        // SAFETY: the token proves AVX2.
        unsafe { _mm256_set1_epi64x(word.cast_signed()) }
    }

    #[inline(always)]
    fn load(self, from: &[u64]) -> __m256i {
        let from = &from[..4];
        // SAFETY: the token proves AVX2; `from` has four words.
        unsafe { _mm256_loadu_si256(from.as_ptr().cast()) }
    }

    #[inline(always)]
    fn and(self, a: __m256i, b: __m256i) -> __m256i {
        // SAFETY: the token proves AVX2.
        unsafe { _mm256_and_si256(a, b) }
    }

    #[inline(always)]
    fn or(self, a: __m256i, b: __m256i) -> __m256i {
        // SAFETY: the token proves AVX2.
        unsafe { _mm256_or_si256(a, b) }
    }

    #[inline(always)]
    fn xor(self, a: __m256i, b: __m256i) -> __m256i {
        // SAFETY: the token proves AVX2.
        unsafe { _mm256_xor_si256(a, b) }
    }

    #[inline(always)]
    fn and_neither(self, a: __m256i, b: __m256i, c: __m256i) -> __m256i {
        // SAFETY: the token proves AVX2.
        unsafe { _mm256_andnot_si256(_mm256_or_si256(b, c), a) }
    }

    #[inline(always)]
    fn decrement(self, a: __m256i) -> __m256i {
        // SAFETY: the token proves AVX2.
        unsafe { _mm256_add_epi64(a, _mm256_set1_epi64x(-1)) }
    }

    #[inline(always)]
    fn shift_left(self, a: __m256i, by: u32) -> __m256i {
        // SAFETY: the token proves AVX2.
        unsafe { _mm256_sll_epi64(a, _mm_cvtsi32_si128(by.cast_signed())) }
    }

    #[inline(always)]
    fn shift_right(self, a: __m256i, by: u32) -> __m256i {
        // SAFETY: the token proves AVX2.
        unsafe { _mm256_srl_epi64(a, _mm_cvtsi32_si128(by.cast_signed())) }
    }

    #[inline(always)]
    fn nonzero(self, a: __m256i) -> u32 {
        // SAFETY: the token proves AVX2.
        let zero = unsafe { _mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpeq_epi64(a, _mm256_setzero_si256()))) };
        !zero.cast_unsigned() & 15
    }

    #[inline(always)]
    fn keep(self, to: &mut [u64], set: u32, a: __m256i) {
        let to = &mut to[..4];
        let order = &PACK[(set & 15) as usize];
        // SAFETY: the token proves AVX2; `order` has eight numbers and `to` four words.
        unsafe {
            let order = _mm256_loadu_si256(order.as_ptr().cast());
            _mm256_storeu_si256(to.as_mut_ptr().cast(), _mm256_permutevar8x32_epi32(a, order));
        }
    }
}
