//! SSE2, which every x86-64 has: four or two words at a time. Nothing in it packs lanes: they are written one by one.
#![expect(unsafe_code, reason = "vector instructions")]

use std::arch::x86_64::*;

use super::Lanes;

#[derive(Debug, Clone, Copy)]
pub(super) struct Sse2;

/// The operations on words of one width: those on the other differ in the names of the intrinsics.
macro_rules! lanes_of {
    (
        $word:ty, $lanes:literal, $splat:ident, $add:ident, $left:ident, $right:ident, $signs:ident, $as_floats:ident
    ) => {
        impl Lanes<$word> for Sse2 {
            const WIDTH: usize = $lanes;
            type Words = __m128i;

            #[inline(always)]
            fn splat(self, word: $word) -> __m128i {
                // SAFETY: every x86-64 has SSE2.
                unsafe { $splat(word.cast_signed()) }
            }

            #[inline(always)]
            fn load(self, from: &[$word]) -> __m128i {
                let from = &from[..$lanes];
                // SAFETY: every x86-64 has SSE2; `from` has a vector's words.
                unsafe { _mm_loadu_si128(from.as_ptr().cast()) }
            }

            #[inline(always)]
            fn and(self, a: __m128i, b: __m128i) -> __m128i {
                // SAFETY: every x86-64 has SSE2.
                unsafe { _mm_and_si128(a, b) }
            }

            #[inline(always)]
            fn or(self, a: __m128i, b: __m128i) -> __m128i {
                // SAFETY: every x86-64 has SSE2.
                unsafe { _mm_or_si128(a, b) }
            }

            #[inline(always)]
            fn xor(self, a: __m128i, b: __m128i) -> __m128i {
                // SAFETY: every x86-64 has SSE2.
                unsafe { _mm_xor_si128(a, b) }
            }

            #[inline(always)]
            fn and_neither(self, a: __m128i, b: __m128i, c: __m128i) -> __m128i {
                // SAFETY: every x86-64 has SSE2.
                unsafe { _mm_andnot_si128(_mm_or_si128(b, c), a) }
            }

            #[inline(always)]
            fn decrement(self, a: __m128i) -> __m128i {
                // SAFETY: every x86-64 has SSE2.
                unsafe { $add(a, $splat(-1)) }
            }

            #[inline(always)]
            fn shift_left(self, a: __m128i, by: u32) -> __m128i {
                // SAFETY: every x86-64 has SSE2.
                unsafe { $left(a, _mm_cvtsi32_si128(by.cast_signed())) }
            }

            #[inline(always)]
            fn shift_right(self, a: __m128i, by: u32) -> __m128i {
                // SAFETY: every x86-64 has SSE2.
                unsafe { $right(a, _mm_cvtsi32_si128(by.cast_signed())) }
            }

            #[inline(always)]
            fn nonzero(self, a: __m128i) -> u32 {
                // SAFETY: every x86-64 has SSE2.
                let zero = unsafe {
                    let halves = _mm_cmpeq_epi32(a, _mm_setzero_si128());
                    // A word of 64 bits is zero where both its halves are.
                    let others = _mm_shuffle_epi32::<0b10_11_00_01>(halves);
                    $signs($as_floats(if $lanes == 2 { _mm_and_si128(halves, others) } else { halves }))
                };
                !zero.cast_unsigned() & ((1 << $lanes) - 1)
            }

            #[inline(always)]
            fn keep(self, to: &mut [$word], set: u32, a: __m128i) {
                let to = &mut to[..$lanes];
                let mut words: [$word; $lanes] = [0; $lanes];
                // SAFETY: every x86-64 has SSE2; `words` has a vector's words.
                unsafe { _mm_storeu_si128(words.as_mut_ptr().cast(), a) };
                let mut at = 0;
                for (lane, word) in words.into_iter().enumerate() {
                    to[at & ($lanes - 1)] = word;
                    at += (set >> lane & 1) as usize;
                }
            }
        }
    };
}
lanes_of!(u32, 4, _mm_set1_epi32, _mm_add_epi32, _mm_sll_epi32, _mm_srl_epi32, _mm_movemask_ps, _mm_castsi128_ps);
lanes_of!(u64, 2, _mm_set1_epi64x, _mm_add_epi64, _mm_sll_epi64, _mm_srl_epi64, _mm_movemask_pd, _mm_castsi128_pd);
