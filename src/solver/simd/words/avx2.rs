//! AVX2: eight or four words at a time. It has no instruction that packs lanes: a table of permutations stands in.
#![expect(unsafe_code, reason = "vector instructions")]

use std::arch::x86_64::*;

use super::{Kernel, Lanes, Word};
use crate::solver::Isa;

/// Proof of AVX2, BMI1, BMI2 and POPCNT.
#[derive(Debug, Clone, Copy)]
pub(super) struct Avx2(());

impl Avx2 {
    pub(super) fn detect() -> Option<Self> {
        Isa::Avx2.is_available().then_some(Self(()))
    }

    pub(super) fn enter<W: Word, K: Kernel<W>>(self, kernel: K) -> K::Output
    where
        Self: Lanes<W>,
    {
        #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
        fn with_features<W: Word, L: Lanes<W>, K: Kernel<W>>(lanes: L, kernel: K) -> K::Output {
            kernel.run(lanes)
        }
        // SAFETY: an `Avx2` exists only where `detect` found these features.
        unsafe { with_features(self, kernel) }
    }
}

/// For each set of lanes, which have 32 bits `of` times, the pieces of 32 bits that bring them to the front. As bytes,
/// to be widened, the tables took 10 to 20 % more time at n = 17.
const fn pack<const SETS: usize>(of: u32) -> [[u32; 8]; SETS] {
    let mut table = [[0; 8]; SETS];
    let mut set = 0;
    while set < SETS {
        let (mut piece, mut to) = (0, 0);
        while piece < 8 {
            if set >> (piece / of) & 1 == 1 {
                table[set][to] = piece;
                to += 1;
            }
            piece += 1;
        }
        set += 1;
    }
    table
}

/// The operations on words of one width: those on the other differ in the names of the intrinsics.
macro_rules! lanes_of {
    (
        $word:ty, $lanes:literal, $splat:ident, $equal:ident, $add:ident, $left:ident, $right:ident,
        $signs:ident, $as_floats:ident
    ) => {
        impl Lanes<$word> for Avx2 {
            const WIDTH: usize = $lanes;
            type Words = __m256i;

            #[inline(always)]
            fn splat(self, word: $word) -> __m256i {
                // SAFETY: the token proves AVX2.
                unsafe { $splat(word.cast_signed()) }
            }

            #[inline(always)]
            fn load(self, from: &[$word]) -> __m256i {
                let from = &from[..$lanes];
                // SAFETY: the token proves AVX2; `from` has a vector's words.
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
                unsafe { $add(a, $splat(-1)) }
            }

            // By a vector of equal numbers: by one number it is two instructions on Intel, one of them on the port
            // that packs.
            #[inline(always)]
            fn shift_left(self, a: __m256i, by: u32) -> __m256i {
                // SAFETY: the token proves AVX2.
                unsafe { $left(a, $splat(by as _)) }
            }

            #[inline(always)]
            fn shift_right(self, a: __m256i, by: u32) -> __m256i {
                // SAFETY: the token proves AVX2.
                unsafe { $right(a, $splat(by as _)) }
            }

            #[inline(always)]
            fn nonzero(self, a: __m256i) -> u32 {
                // SAFETY: the token proves AVX2.
                let zero = unsafe { $signs($as_floats($equal(a, _mm256_setzero_si256()))) };
                !zero.cast_unsigned() & ((1 << $lanes) - 1)
            }

            #[inline(always)]
            fn keep(self, to: &mut [$word], set: u32, a: __m256i) {
                static PACK: [[u32; 8]; 1 << $lanes] = pack(8 / $lanes);
                let to = &mut to[..$lanes];
                let order = &PACK[set as usize & ((1 << $lanes) - 1)];
                // SAFETY: the token proves AVX2; `order` has eight numbers and `to` a vector's words.
                unsafe {
                    let order = _mm256_loadu_si256(order.as_ptr().cast());
                    _mm256_storeu_si256(to.as_mut_ptr().cast(), _mm256_permutevar8x32_epi32(a, order));
                }
            }
        }
    };
}
lanes_of!(
    u32,
    8,
    _mm256_set1_epi32,
    _mm256_cmpeq_epi32,
    _mm256_add_epi32,
    _mm256_sllv_epi32,
    _mm256_srlv_epi32,
    _mm256_movemask_ps,
    _mm256_castsi256_ps
);
lanes_of!(
    u64,
    4,
    _mm256_set1_epi64x,
    _mm256_cmpeq_epi64,
    _mm256_add_epi64,
    _mm256_sllv_epi64,
    _mm256_srlv_epi64,
    _mm256_movemask_pd,
    _mm256_castsi256_pd
);
