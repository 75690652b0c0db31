//! NEON, of 64-bit Arm: four words at a time, in two registers. It has no instruction that packs lanes: a table of
//! permutations stands in.
#![expect(unsafe_code, reason = "vector instructions")]

use std::arch::aarch64::*;

use super::{Kernel, Lanes};
use crate::solver::Isa;

/// Proof of NEON.
#[derive(Debug, Clone, Copy)]
pub(super) struct Neon(());

impl Neon {
    pub(super) fn detect() -> Option<Self> {
        Isa::Neon.is_available().then_some(Self(()))
    }

    pub(super) fn enter<K: Kernel>(self, kernel: K) -> K::Output {
        #[target_feature(enable = "neon")]
        fn with_features<K: Kernel>(lanes: Neon, kernel: K) -> K::Output {
            kernel.run(lanes)
        }
        // SAFETY: a `Neon` exists only where `detect` found it.
        unsafe { with_features(self, kernel) }
    }
}

type Pair = [uint64x2_t; 2];

/// For each set of lanes, the bytes that bring them to the front.
const PACK: [[u8; 32]; 16] = {
    let mut table = [[0; 32]; 16];
    let mut set = 0;
    while set < 16 {
        let (mut lane, mut to) = (0, 0);
        while lane < 4 {
            let mut byte = 0;
            while set >> lane & 1 == 1 && byte < 8 {
                table[set][to] = 8 * lane + byte;
                to += 1;
                byte += 1;
            }
            lane += 1;
        }
        set += 1;
    }
    table
};

#[inline(always)]
fn both(a: Pair, b: Pair, operation: impl Fn(uint64x2_t, uint64x2_t) -> uint64x2_t) -> Pair {
    [operation(a[0], b[0]), operation(a[1], b[1])]
}

impl Lanes for Neon {
    const WIDTH: usize = 4;
    type Words = Pair;

    #[inline(always)]
    fn splat(self, word: u64) -> Pair {
        // SAFETY: the token proves NEON.
        unsafe { [vdupq_n_u64(word); 2] }
    }

    #[inline(always)]
    fn load(self, from: &[u64]) -> Pair {
        let from = &from[..4];
        // SAFETY: the token proves NEON; `from` has four words.
        unsafe { [vld1q_u64(from.as_ptr()), vld1q_u64(from.as_ptr().add(2))] }
    }

    #[inline(always)]
    fn and(self, a: Pair, b: Pair) -> Pair {
        // SAFETY: the token proves NEON.
        both(a, b, |x, y| unsafe { vandq_u64(x, y) })
    }

    #[inline(always)]
    fn or(self, a: Pair, b: Pair) -> Pair {
        // SAFETY: the token proves NEON.
        both(a, b, |x, y| unsafe { vorrq_u64(x, y) })
    }

    #[inline(always)]
    fn xor(self, a: Pair, b: Pair) -> Pair {
        // SAFETY: the token proves NEON.
        both(a, b, |x, y| unsafe { veorq_u64(x, y) })
    }

    #[inline(always)]
    fn and_neither(self, a: Pair, b: Pair, c: Pair) -> Pair {
        // SAFETY: the token proves NEON.
        both(a, self.or(b, c), |x, y| unsafe { vbicq_u64(x, y) })
    }

    #[inline(always)]
    fn decrement(self, a: Pair) -> Pair {
        // SAFETY: the token proves NEON.
        both(a, a, |x, _| unsafe { vaddq_u64(x, vdupq_n_u64(u64::MAX)) })
    }

    #[inline(always)]
    fn shift_left(self, a: Pair, by: u32) -> Pair {
        // SAFETY: the token proves NEON.
        both(a, a, |x, _| unsafe { vshlq_u64(x, vdupq_n_s64(i64::from(by))) })
    }

    #[inline(always)]
    fn shift_right(self, a: Pair, by: u32) -> Pair {
        // SAFETY: the token proves NEON. To the left by less than nothing.
        both(a, a, |x, _| unsafe { vshlq_u64(x, vdupq_n_s64(-i64::from(by))) })
    }

    #[inline(always)]
    fn nonzero(self, a: Pair) -> u32 {
        const LANES: [u32; 4] = [1, 2, 4, 8];
        // SAFETY: the token proves NEON; there are four numbers.
        unsafe {
            let [low, high] = both(a, a, |x, y| vtstq_u64(x, y));
            let lanes = vuzp1q_u32(vreinterpretq_u32_u64(low), vreinterpretq_u32_u64(high));
            vaddvq_u32(vandq_u32(lanes, vld1q_u32(LANES.as_ptr())))
        }
    }

    #[inline(always)]
    fn keep(self, to: &mut [u64], set: u32, a: Pair) {
        let to = &mut to[..4];
        let order = &PACK[(set & 15) as usize];
        // SAFETY: the token proves NEON; `order` has 32 bytes, and `to` four words.
        unsafe {
            let bytes = uint8x16x2_t(vreinterpretq_u8_u64(a[0]), vreinterpretq_u8_u64(a[1]));
            let (low, high) = (vld1q_u8(order.as_ptr()), vld1q_u8(order.as_ptr().add(16)));
            vst1q_u64(to.as_mut_ptr(), vreinterpretq_u64_u8(vqtbl2q_u8(bytes, low)));
            vst1q_u64(to.as_mut_ptr().add(2), vreinterpretq_u64_u8(vqtbl2q_u8(bytes, high)));
        }
    }
}
