//! Plain Rust, one word at a time and without branches: for processors that have nothing better in common.

use super::Lanes;

#[derive(Debug, Clone, Copy)]
pub(super) struct Portable;

macro_rules! lanes_of {
    ($word:ty) => {
        impl Lanes<$word> for Portable {
            const WIDTH: usize = 1;
            type Words = $word;

            #[inline(always)]
            fn splat(self, word: $word) -> $word {
                word
            }

            #[inline(always)]
            fn load(self, from: &[$word]) -> $word {
                from[0]
            }

            #[inline(always)]
            fn and(self, a: $word, b: $word) -> $word {
                a & b
            }

            #[inline(always)]
            fn or(self, a: $word, b: $word) -> $word {
                a | b
            }

            #[inline(always)]
            fn xor(self, a: $word, b: $word) -> $word {
                a ^ b
            }

            #[inline(always)]
            fn and_neither(self, a: $word, b: $word, c: $word) -> $word {
                a & !(b | c)
            }

            #[inline(always)]
            fn decrement(self, a: $word) -> $word {
                a.wrapping_sub(1)
            }

            #[inline(always)]
            fn shift_left(self, a: $word, by: u32) -> $word {
                a << by
            }

            #[inline(always)]
            fn shift_right(self, a: $word, by: u32) -> $word {
                a >> by
            }

            #[inline(always)]
            fn nonzero(self, a: $word) -> u32 {
                u32::from(a != 0)
            }

            #[inline(always)]
            fn keep(self, to: &mut [$word], _set: u32, a: $word) {
                to[0] = a;
            }
        }
    };
}
lanes_of!(u32);
lanes_of!(u64);
