//! AVX-512: 16 or eight words at a time, packed by the instruction made for it.
#![expect(unsafe_code, reason = "vector instructions")]

use std::arch::x86_64::*;

use super::{Kernel, Lanes, Word};
use crate::solver::Isa;

/// Proof of AVX-512 F, BW, DQ and VL, and of what AVX2's code needs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Avx512(());

impl Avx512 {
    pub(super) fn detect() -> Option<Self> {
        Isa::Avx512.is_available().then_some(Self(()))
    }

    pub(super) fn enter<W: Word, K: Kernel<W>>(self, kernel: K) -> K::Output
    where
        Self: Lanes<W>,
    {
        #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,avx512f,avx512bw,avx512dq,avx512vl")]
        fn with_features<W: Word, L: Lanes<W>, K: Kernel<W>>(lanes: L, kernel: K) -> K::Output {
            kernel.run(lanes)
        }
        // SAFETY: an `Avx512` exists only where `detect` found these features.
        unsafe { with_features(self, kernel) }
    }
}

/// Bit `4 * a + 2 * b + c` is what `and_neither` yields: 1 for a alone.
const A_ALONE: i32 = 1 << 4;

/// The operations on words of one width: those on the other differ in the names of the intrinsics.
macro_rules! lanes_of {
    (
        $word:ty, $lanes:literal, $set:ty,
        $splat:ident, $and_neither:ident, $add:ident, $left:ident, $right:ident, $test:ident, $pack:ident
    ) => {
        impl Lanes<$word> for Avx512 {
            const WIDTH: usize = $lanes;
            type Words = __m512i;

            #[inline(always)]
            fn splat(self, word: $word) -> __m512i {
                // SAFETY: the token proves AVX-512 F.
                unsafe { $splat(word.cast_signed()) }
            }

            #[inline(always)]
            fn load(self, from: &[$word]) -> __m512i {
                let from = &from[..$lanes];
                // SAFETY: the token proves AVX-512 F; `from` has a vector's words.
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
                // SAFETY: the token proves AVX-512 F.
                unsafe { $and_neither::<A_ALONE>(a, b, c) }
            }

            #[inline(always)]
            fn decrement(self, a: __m512i) -> __m512i {
                // SAFETY: the token proves AVX-512 F.
                unsafe { $add(a, $splat(-1)) }
            }

            // By a vector of equal numbers: by one number it is two instructions on Intel, one of them on the port
            // that packs.
            #[inline(always)]
            fn shift_left(self, a: __m512i, by: u32) -> __m512i {
                // SAFETY: the token proves AVX-512 F.
                unsafe { $left(a, $splat(by as _)) }
            }

            #[inline(always)]
            fn shift_right(self, a: __m512i, by: u32) -> __m512i {
                // SAFETY: the token proves AVX-512 F.
                unsafe { $right(a, $splat(by as _)) }
            }

            #[inline(always)]
            fn nonzero(self, a: __m512i) -> u32 {
                // SAFETY: the token proves AVX-512 F.
                u32::from(unsafe { $test(a, a) })
            }

            #[inline(always)]
            fn keep(self, to: &mut [$word], set: u32, a: __m512i) {
                let to = &mut to[..$lanes];
                // Packed in a register and then written whole: the form that writes to memory is many times slower on
                // Zen 4.
                // SAFETY: the token proves AVX-512 F; `to` has a vector's words.
                unsafe { _mm512_storeu_si512(to.as_mut_ptr().cast(), $pack(set as $set, a)) }
            }
        }
    };
}
lanes_of!(
    u32,
    16,
    u16,
    _mm512_set1_epi32,
    _mm512_ternarylogic_epi32,
    _mm512_add_epi32,
    _mm512_sllv_epi32,
    _mm512_srlv_epi32,
    _mm512_test_epi32_mask,
    _mm512_maskz_compress_epi32
);
lanes_of!(
    u64,
    8,
    u8,
    _mm512_set1_epi64,
    _mm512_ternarylogic_epi64,
    _mm512_add_epi64,
    _mm512_sllv_epi64,
    _mm512_srlv_epi64,
    _mm512_test_epi64_mask,
    _mm512_maskz_compress_epi64
);
