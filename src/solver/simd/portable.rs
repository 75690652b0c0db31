//! Plain Rust, for processors without a list entry of their own. It runs everywhere.

use super::Vectors;
use super::arrays::Arrays;

#[derive(Debug, Clone, Copy)]
pub(super) struct Portable;

impl Arrays for Portable {}

/// A vector is one integer. No operation has a branch.
macro_rules! vectors_of {
    ($integer:ty) => {
        impl Vectors<$integer> for Portable {
            const WIDTH: usize = 1;
            type Vector = $integer;

            #[inline(always)]
            fn splat(self, integer: $integer) -> $integer {
                integer
            }

            #[inline(always)]
            fn load(self, from: &[$integer]) -> $integer {
                from[0]
            }

            #[inline(always)]
            fn and(self, a: $integer, b: $integer) -> $integer {
                a & b
            }

            #[inline(always)]
            fn or(self, a: $integer, b: $integer) -> $integer {
                a | b
            }

            #[inline(always)]
            fn xor(self, a: $integer, b: $integer) -> $integer {
                a ^ b
            }

            #[inline(always)]
            fn and_neither(self, a: $integer, b: $integer, c: $integer) -> $integer {
                a & !(b | c)
            }

            #[inline(always)]
            fn decrement(self, a: $integer) -> $integer {
                a.wrapping_sub(1)
            }

            #[inline(always)]
            fn shift_left(self, a: $integer, by: u32) -> $integer {
                a << by
            }

            #[inline(always)]
            fn shift_right(self, a: $integer, by: u32) -> $integer {
                a >> by
            }

            #[inline(always)]
            fn nonzero(self, a: $integer) -> u32 {
                u32::from(a != 0)
            }

            #[inline(always)]
            fn keep(self, to: &mut [$integer], _set: u32, a: $integer) {
                to[0] = a;
            }
        }
    };
}
vectors_of!(u32);
vectors_of!(u64);
