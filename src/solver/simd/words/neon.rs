//! NEON, of 64-bit Arm: four words at a time, in one register or two. It has no instruction that packs lanes: a table of
//! permutations stands in.
#![expect(unsafe_code, reason = "vector instructions")]

use std::arch::aarch64::*;

use super::{Kernel, Lanes, Word};
use crate::solver::Isa;

/// Proof of NEON.
#[derive(Debug, Clone, Copy)]
pub(super) struct Neon(());

impl Neon {
    pub(super) fn detect() -> Option<Self> {
        Isa::Neon.is_available().then_some(Self(()))
    }

    pub(super) fn enter<W: Word, K: Kernel<W>>(self, kernel: K) -> K::Output
    where
        Self: Lanes<W>,
    {
        #[target_feature(enable = "neon")]
        fn with_features<W: Word, L: Lanes<W>, K: Kernel<W>>(lanes: L, kernel: K) -> K::Output {
            kernel.run(lanes)
        }
        // SAFETY: a `Neon` exists only where `detect` found it.
        unsafe { with_features(self, kernel) }
    }

    /// Bytes put in the order of these numbers.
    #[inline(always)]
    fn reorder(self, [a]: [uint8x16_t; 1], order: &[u8; 16]) -> [uint8x16_t; 1] {
        // SAFETY: the token proves NEON; `order` has 16 bytes.
        unsafe { [vqtbl1q_u8(a, vld1q_u8(order.as_ptr()))] }
    }

    /// The same in two registers.
    #[inline(always)]
    fn reorder_pair(self, [a, b]: [uint8x16_t; 2], order: &[u8; 32]) -> [uint8x16_t; 2] {
        let bytes = uint8x16x2_t(a, b);
        let (low, high) = order.split_at(16);
        // SAFETY: the token proves NEON; both halves have 16 bytes.
        unsafe { [vqtbl2q_u8(bytes, vld1q_u8(low.as_ptr())), vqtbl2q_u8(bytes, vld1q_u8(high.as_ptr()))] }
    }

    /// A bit for each of four lanes that is all ones.
    #[inline(always)]
    fn set(self, lanes: uint32x4_t) -> u32 {
        const LANES: [u32; 4] = [1, 2, 4, 8];
        // SAFETY: the token proves NEON; there are four numbers.
        unsafe { vaddvq_u32(vandq_u32(lanes, vld1q_u32(LANES.as_ptr()))) }
    }

    /// The lanes of two registers in one.
    #[inline(always)]
    fn narrow(self, [low, high]: [uint64x2_t; 2]) -> uint32x4_t {
        // SAFETY: the token proves NEON.
        unsafe { vuzp1q_u32(vreinterpretq_u32_u64(low), vreinterpretq_u32_u64(high)) }
    }
}

/// For each set of four lanes of `of` bytes, the bytes that bring them to the front.
const fn pack<const BYTES: usize>(of: u8) -> [[u8; BYTES]; 16] {
    let mut table = [[0; BYTES]; 16];
    let mut set = 0;
    while set < 16 {
        let (mut byte, mut to) = (0, 0);
        while byte < 4 * of {
            if set >> (byte / of) & 1 == 1 {
                table[set][to] = byte;
                to += 1;
            }
            byte += 1;
        }
        set += 1;
    }
    table
}

/// The operations on words of one width: those on the other differ in the names of the intrinsics.
macro_rules! lanes_of {
    (
        $word:ty, $registers:literal, $register:ty, $shift:ty, $bytes:literal,
        $splat:ident, $load:ident, $store:ident, $and:ident, $or:ident, $xor:ident, $and_not:ident, $add:ident,
        $by:ident, $shifted:ident, $test:ident, $to_bytes:ident, $from_bytes:ident, $reorder:ident, $narrow:expr
    ) => {
        impl Lanes<$word> for Neon {
            const WIDTH: usize = 4;
            type Words = [$register; $registers];

            #[inline(always)]
            fn splat(self, word: $word) -> Self::Words {
                // SAFETY: the token proves NEON.
                unsafe { [$splat(word); $registers] }
            }

            #[inline(always)]
            fn load(self, from: &[$word]) -> Self::Words {
                let from = &from[..4];
                // SAFETY: the token proves NEON; each of the registers has a share of the four words of `from`.
                std::array::from_fn(|i| unsafe { $load(from[4 / $registers * i..].as_ptr()) })
            }

            #[inline(always)]
            fn and(self, a: Self::Words, b: Self::Words) -> Self::Words {
                // SAFETY: the token proves NEON.
                std::array::from_fn(|i| unsafe { $and(a[i], b[i]) })
            }

            #[inline(always)]
            fn or(self, a: Self::Words, b: Self::Words) -> Self::Words {
                // SAFETY: the token proves NEON.
                std::array::from_fn(|i| unsafe { $or(a[i], b[i]) })
            }

            #[inline(always)]
            fn xor(self, a: Self::Words, b: Self::Words) -> Self::Words {
                // SAFETY: the token proves NEON.
                std::array::from_fn(|i| unsafe { $xor(a[i], b[i]) })
            }

            #[inline(always)]
            fn and_neither(self, a: Self::Words, b: Self::Words, c: Self::Words) -> Self::Words {
                // SAFETY: the token proves NEON.
                std::array::from_fn(|i| unsafe { $and_not(a[i], $or(b[i], c[i])) })
            }

            #[inline(always)]
            fn decrement(self, a: Self::Words) -> Self::Words {
                // SAFETY: the token proves NEON.
                a.map(|a| unsafe { $add(a, $splat(<$word>::MAX)) })
            }

            #[inline(always)]
            fn shift_left(self, a: Self::Words, by: u32) -> Self::Words {
                // SAFETY: the token proves NEON.
                a.map(|a| unsafe { $shifted(a, $by(by as $shift)) })
            }

            #[inline(always)]
            fn shift_right(self, a: Self::Words, by: u32) -> Self::Words {
                // SAFETY: the token proves NEON. To the left by less than nothing.
                a.map(|a| unsafe { $shifted(a, $by(-(by as $shift))) })
            }

            #[inline(always)]
            fn nonzero(self, a: Self::Words) -> u32 {
                // SAFETY: the token proves NEON.
                self.set($narrow(self, a.map(|a| unsafe { $test(a, a) })))
            }

            #[inline(always)]
            fn keep(self, to: &mut [$word], set: u32, a: Self::Words) {
                const PACK: [[u8; $bytes]; 16] = pack($bytes / 4);
                let to = &mut to[..4];
                // SAFETY: the token proves NEON.
                let packed = self.$reorder(a.map(|a| unsafe { $to_bytes(a) }), &PACK[(set & 15) as usize]);
                for (to, packed) in to.chunks_exact_mut(4 / $registers).zip(packed) {
                    // SAFETY: the token proves NEON; `to` has a register's words.
                    unsafe { $store(to.as_mut_ptr(), $from_bytes(packed)) };
                }
            }
        }
    };
}
lanes_of!(
    u32,
    1,
    uint32x4_t,
    i32,
    16,
    vdupq_n_u32,
    vld1q_u32,
    vst1q_u32,
    vandq_u32,
    vorrq_u32,
    veorq_u32,
    vbicq_u32,
    vaddq_u32,
    vdupq_n_s32,
    vshlq_u32,
    vtstq_u32,
    vreinterpretq_u8_u32,
    vreinterpretq_u32_u8,
    reorder,
    |_, [lanes]: [uint32x4_t; 1]| lanes
);
lanes_of!(
    u64,
    2,
    uint64x2_t,
    i64,
    32,
    vdupq_n_u64,
    vld1q_u64,
    vst1q_u64,
    vandq_u64,
    vorrq_u64,
    veorq_u64,
    vbicq_u64,
    vaddq_u64,
    vdupq_n_s64,
    vshlq_u64,
    vtstq_u64,
    vreinterpretq_u8_u64,
    vreinterpretq_u64_u8,
    reorder_pair,
    Neon::narrow
);
