//! Plain Rust, one placement at a time. Still without branches.

use super::super::occupancy::Occupancy;
use super::super::unit::{self, Scratch};
use super::Lanes;
use crate::CancelToken;

#[derive(Clone, Copy)]
struct Portable;

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

pub(super) fn count(scratch: &mut Scratch, start: Occupancy, levels: usize, cancel: &CancelToken) -> (u64, u64) {
    unit::count(Portable, scratch, start, levels, cancel)
}
