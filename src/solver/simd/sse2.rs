//! SSE2, which every x86-64 has. A vector of `bitmask` is four or two integers. SSE2 has no instruction that packs
//! integers, so they are written one by one. Words of the color split are plain arrays, which the compiler turns into
//! SSE2 code.

use std::arch::x86_64::*;

use archmage::X64V1Token;
use safe_unaligned_simd::x86_64::{_mm_loadu_si128, _mm_storeu_si128};

use super::Vectors;
use super::arrays::Arrays;

token! {
    /// Proof of SSE2.
    Sse2(X64V1Token)
}

impl Arrays for Sse2 {}

/// The operations on integers of one width. The two widths differ only in the names of intrinsics.
macro_rules! vectors_of {
    (
        $integer:ty, $width:literal, $splat:ident, $add:ident, $left:ident, $right:ident, $signs:ident, $as_floats:ident
    ) => {
        impl Vectors<$integer> for Sse2 {
            const WIDTH: usize = $width;
            type Vector = __m128i;

            operations! { X64V1Token as proof:
                fn splat(self, integer: $integer) -> __m128i {
                    $splat(integer.cast_signed())
                }

                fn load(self, from: &[$integer]) -> __m128i {
                    _mm_loadu_si128::<[$integer; $width]>(from.first_chunk().expect("a vector's integers"))
                }

                fn and(self, a: __m128i, b: __m128i) -> __m128i {
                    _mm_and_si128(a, b)
                }

                fn or(self, a: __m128i, b: __m128i) -> __m128i {
                    _mm_or_si128(a, b)
                }

                fn xor(self, a: __m128i, b: __m128i) -> __m128i {
                    _mm_xor_si128(a, b)
                }

                fn and_neither(self, a: __m128i, b: __m128i, c: __m128i) -> __m128i {
                    _mm_andnot_si128(_mm_or_si128(b, c), a)
                }

                fn decrement(self, a: __m128i) -> __m128i {
                    $add(a, $splat(-1))
                }

                fn shift_left(self, a: __m128i, by: u32) -> __m128i {
                    $left(a, _mm_cvtsi32_si128(by.cast_signed()))
                }

                fn shift_right(self, a: __m128i, by: u32) -> __m128i {
                    $right(a, _mm_cvtsi32_si128(by.cast_signed()))
                }

                fn nonzero(self, a: __m128i) -> u32 {
                    let halves = _mm_cmpeq_epi32(a, _mm_setzero_si128());
                    // An integer of 64 bits is zero if both its halves are zero.
                    let others = _mm_shuffle_epi32::<0b10_11_00_01>(halves);
                    let zero = $signs($as_floats(if $width == 2 { _mm_and_si128(halves, others) } else { halves }));
                    !zero.cast_unsigned() & ((1 << $width) - 1)
                }

                fn keep(self, to: &mut [$integer], set: u32, a: __m128i) {
                    let to = &mut to[..$width];
                    let mut integers: [$integer; $width] = [0; $width];
                    _mm_storeu_si128(&mut integers, a);
                    let mut at = 0;
                    for (place, integer) in integers.into_iter().enumerate() {
                        to[at & ($width - 1)] = integer;
                        at += (set >> place & 1) as usize;
                    }
                }
            }
        }
    };
}
vectors_of!(u32, 4, _mm_set1_epi32, _mm_add_epi32, _mm_sll_epi32, _mm_srl_epi32, _mm_movemask_ps, _mm_castsi128_ps);
vectors_of!(u64, 2, _mm_set1_epi64x, _mm_add_epi64, _mm_sll_epi64, _mm_srl_epi64, _mm_movemask_pd, _mm_castsi128_pd);
