//! Plain Rust, one word at a time and without branches: runs everywhere, and under Miri.

use super::Lanes;

#[derive(Debug, Clone, Copy)]
pub(super) struct Portable;

impl Lanes for Portable {
    const WIDTH: usize = 1;
    type Words = u64;

    #[inline(always)]
    fn splat(self, word: u64) -> u64 {
        word
    }

    #[inline(always)]
    fn load(self, from: &[u64]) -> u64 {
        from[0]
    }

    #[inline(always)]
    fn and(self, a: u64, b: u64) -> u64 {
        a & b
    }

    #[inline(always)]
    fn or(self, a: u64, b: u64) -> u64 {
        a | b
    }

    #[inline(always)]
    fn xor(self, a: u64, b: u64) -> u64 {
        a ^ b
    }

    #[inline(always)]
    fn and_neither(self, a: u64, b: u64, c: u64) -> u64 {
        a & !(b | c)
    }

    #[inline(always)]
    fn decrement(self, a: u64) -> u64 {
        a.wrapping_sub(1)
    }

    #[inline(always)]
    fn shift_left(self, a: u64, by: u32) -> u64 {
        a << by
    }

    #[inline(always)]
    fn shift_right(self, a: u64, by: u32) -> u64 {
        a >> by
    }

    #[inline(always)]
    fn nonzero(self, a: u64) -> u32 {
        u32::from(a != 0)
    }

    #[inline(always)]
    fn keep(self, to: &mut [u64], _set: u32, a: u64) {
        to[0] = a;
    }
}
