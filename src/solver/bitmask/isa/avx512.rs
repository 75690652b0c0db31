//! AVX-512: eight words at a time, packed by the instruction made for it.
#![expect(unsafe_code, reason = "vector instructions")]

use std::arch::x86_64::*;

use super::{Kernel, Lanes};
use crate::solver::Isa;

/// Proof of AVX-512 F, BW, DQ and VL, and of what AVX2's code needs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Avx512(());

impl Avx512 {
    pub(super) fn detect() -> Option<Self> {
        Isa::Avx512.is_available().then_some(Self(()))
    }

    pub(super) fn enter<K: Kernel>(self, kernel: K) -> K::Output {
        #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,avx512f,avx512bw,avx512dq,avx512vl")]
        fn with_features<K: Kernel>(lanes: Avx512, kernel: K) -> K::Output {
            kernel.run(lanes)
        }
        // SAFETY: an `Avx512` exists only where `detect` found these features.
        unsafe { with_features(self, kernel) }
    }
}

impl Lanes for Avx512 {
    const WIDTH: usize = 8;
    type Words = __m512i;

    #[inline(always)]
    fn splat(self, word: u64) -> __m512i {
        // SAFETY: the token proves AVX-512 F.
        unsafe { _mm512_set1_epi64(word.cast_signed()) }
    }

    #[inline(always)]
    fn load(self, from: &[u64]) -> __m512i {
        let from = &from[..8];
        // SAFETY: the token proves AVX-512 F; `from` has eight words.
        unsafe { _mm512_loadu_si512(from.as_ptr().cast()) }
    }

    #[inline(always)]
    fn and(self, a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: the token proves AVX-512 F.
        unsafe { _mm512_and_si512(a, b) }
    }

    #[inline(always)]
    fn or(self, a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: the token proves AVX-512 F.
        unsafe { _mm512_or_si512(a, b) }
    }

    #[inline(always)]
    fn xor(self, a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: the token proves AVX-512 F.
        unsafe { _mm512_xor_si512(a, b) }
    }

    #[inline(always)]
    fn and_neither(self, a: __m512i, b: __m512i, c: __m512i) -> __m512i {
        /// Bit `4 * a + 2 * b + c` is what the operation yields: 1 for a alone.
        const A_ALONE: i32 = 1 << 4;
        // SAFETY: the token proves AVX-512 F.
        unsafe { _mm512_ternarylogic_epi64::<A_ALONE>(a, b, c) }
    }

    #[inline(always)]
    fn decrement(self, a: __m512i) -> __m512i {
        // SAFETY: the token proves AVX-512 F.
        unsafe { _mm512_add_epi64(a, _mm512_set1_epi64(-1)) }
    }

    #[inline(always)]
    fn shift_left(self, a: __m512i, by: u32) -> __m512i {
        // SAFETY: the token proves AVX-512 F.
        unsafe { _mm512_sll_epi64(a, _mm_cvtsi32_si128(by.cast_signed())) }
    }

    #[inline(always)]
    fn shift_right(self, a: __m512i, by: u32) -> __m512i {
        // SAFETY: the token proves AVX-512 F.
        unsafe { _mm512_srl_epi64(a, _mm_cvtsi32_si128(by.cast_signed())) }
    }

    #[inline(always)]
    fn nonzero(self, a: __m512i) -> u32 {
        // SAFETY: the token proves AVX-512 F.
        u32::from(unsafe { _mm512_test_epi64_mask(a, a) })
    }

    #[inline(always)]
    fn keep(self, to: &mut [u64], set: u32, a: __m512i) {
        let to = &mut to[..8];
        // Packed in a register and then written whole: the form that writes to memory is many times slower on Zen 4.
        // SAFETY: the token proves AVX-512 F; `to` has eight words.
        unsafe { _mm512_storeu_si512(to.as_mut_ptr().cast(), _mm512_maskz_compress_epi64(set as u8, a)) }
    }
}
