//! NEON, of 64-bit Arm: a word is four registers. Newer processors have dot products of bytes too.

use std::arch::aarch64::*;
use std::arch::asm;
use std::arch::is_aarch64_feature_detected;

use super::Cell;
use super::{Kernel, Lanes, MAX_COUNT};
use crate::solver::Isa;
use crate::solver::color::tuning::NEON_TILE_WORDS;

/// Proof of NEON alone: Cortex-A53, A57, A72.
#[derive(Debug, Clone, Copy)]
pub(super) struct Plain(());

/// Proof of NEON and of dot products of bytes (`dotprod`): Cortex-A76, Neoverse, Apple M1 and later.
#[derive(Debug, Clone, Copy)]
pub(super) struct DotProduct(());

impl Plain {
    pub(super) fn detect() -> Option<Self> {
        Isa::Neon.is_available().then_some(Self(()))
    }

    pub(super) fn enter<K: Kernel>(self, kernel: K) -> K::Output {
        #[target_feature(enable = "neon")]
        fn with_features<K: Kernel>(lanes: Neon<Plain>, kernel: K) -> K::Output {
            kernel.run(lanes)
        }
        // SAFETY: a `Plain` exists only where `detect` found these features.
        unsafe { with_features(Neon(self), kernel) }
    }
}

impl DotProduct {
    pub(super) fn detect() -> Option<Self> {
        (Isa::Neon.is_available() && is_aarch64_feature_detected!("dotprod")).then_some(Self(()))
    }

    pub(super) fn enter<K: Kernel>(self, kernel: K) -> K::Output {
        #[target_feature(enable = "neon,dotprod")]
        fn with_features<K: Kernel>(lanes: Neon<DotProduct>, kernel: K) -> K::Output {
            kernel.run(lanes)
        }
        // SAFETY: a `DotProduct` exists only where `detect` found these features.
        unsafe { with_features(Neon(self), kernel) }
    }
}

/// [`Plain`] adds four products in 16 bits.
const _: () = assert!(4 * MAX_COUNT * 255 <= u16::MAX as usize);

/// How 16 counts are multiplied with as many entries each.
pub(super) trait Products: Copy {
    /// The sums of 32 products are added to two sums of four each. Counts are at most
    /// [`MAX_COUNT`].
    fn add(self, sums: [uint32x4_t; 2], counts: Four, table: Four) -> [uint32x4_t; 2];
}

impl Products for Plain {
    #[inline(always)]
    fn add(self, [low, high]: [uint32x4_t; 2], counts: Four, table: Four) -> [uint32x4_t; 2] {
        // SAFETY: the token proves NEON. Four products fit 16 bits (asserted above).
        let products = |a: usize| unsafe {
            let sum = vmull_u8(vget_low_u8(counts[a]), vget_low_u8(table[a]));
            let sum = vmlal_high_u8(sum, counts[a], table[a]);
            let sum = vmlal_u8(sum, vget_low_u8(counts[a + 1]), vget_low_u8(table[a + 1]));
            vmlal_high_u8(sum, counts[a + 1], table[a + 1])
        };
        // SAFETY: the token proves NEON.
        unsafe { [vpadalq_u16(low, products(0)), vpadalq_u16(high, products(2))] }
    }
}

impl Products for DotProduct {
    #[inline(always)]
    fn add(self, [mut low, mut high]: [uint32x4_t; 2], counts: Four, table: Four) -> [uint32x4_t; 2] {
        // SAFETY: the token proves the instruction, which works on registers alone. (Its intrinsic is not stable yet.)
        let dot = |sums: &mut uint32x4_t, a: usize| unsafe {
            asm!(
                "udot {sums:v}.4s, {counts:v}.16b, {table:v}.16b",
                sums = inout(vreg) *sums,
                counts = in(vreg) counts[a],
                table = in(vreg) table[a],
                options(pure, nomem, nostack, preserves_flags)
            );
        };
        dot(&mut low, 0);
        dot(&mut high, 1);
        dot(&mut low, 2);
        dot(&mut high, 3);
        [low, high]
    }
}

type Four = [uint8x16_t; 4];

#[inline(always)]
fn all(mut a: Four, b: Four, operation: impl Fn(uint8x16_t, uint8x16_t) -> uint8x16_t) -> Four {
    for i in 0..4 {
        a[i] = operation(a[i], b[i]);
    }
    a
}

/// 16 x 16 bytes, row by row.
type Block = [uint8x16_t; 16];

/// NEON with one kind of products.
#[derive(Debug, Clone, Copy)]
pub(super) struct Neon<P>(pub(super) P);

impl<P: Products> Neon<P> {
    #[inline(always)]
    fn block(self, square: &[Cell; 64], i: usize, j: usize) -> Block {
        // SAFETY: the token proves NEON; the slice has 16 bytes.
        unsafe {
            let mut rows = [vdupq_n_u8(0); 16];
            for row in 0..16 {
                rows[row] = vld1q_u8(square[16 * i + row].0[16 * j..][..16].as_ptr());
            }
            rows
        }
    }

    #[inline(always)]
    fn set_block(self, square: &mut [Cell; 64], i: usize, j: usize, rows: Block) {
        for row in 0..16 {
            // SAFETY: the token proves NEON; the slice has 16 bytes.
            unsafe { vst1q_u8(square[16 * i + row].0[16 * j..][..16].as_mut_ptr(), rows[row]) };
        }
    }

    /// A block transposed: see the same in `avx2.rs`.
    #[inline(always)]
    fn transpose_block(self, mut rows: Block) -> Block {
        for _ in 0..4 {
            let halves = rows;
            for row in 0..8 {
                // SAFETY: the token proves NEON.
                unsafe {
                    rows[2 * row] = vzip1q_u8(halves[row], halves[row + 8]);
                    rows[2 * row + 1] = vzip2q_u8(halves[row], halves[row + 8]);
                }
            }
        }
        rows
    }
}

impl<P: Products> Lanes for Neon<P> {
    type Word = Four;
    type Sums = [uint32x4_t; 2];
    const PRODUCTS_PER_SUM: usize = 8;
    const TILE_WORDS: usize = NEON_TILE_WORDS;

    #[inline(always)]
    fn load(self, cell: &Cell) -> Four {
        let start = cell.0.as_ptr();
        // SAFETY: the token proves NEON; a cell is 64 bytes.
        unsafe { [vld1q_u8(start), vld1q_u8(start.add(16)), vld1q_u8(start.add(32)), vld1q_u8(start.add(48))] }
    }

    #[inline(always)]
    fn store(self, word: Four, cell: &mut Cell) {
        let start = cell.0.as_mut_ptr();
        // SAFETY: the token proves NEON; a cell is 64 bytes.
        unsafe {
            vst1q_u8(start, word[0]);
            vst1q_u8(start.add(16), word[1]);
            vst1q_u8(start.add(32), word[2]);
            vst1q_u8(start.add(48), word[3]);
        }
    }

    #[inline(always)]
    fn or(self, a: Four, b: Four) -> Four {
        // SAFETY: the token proves NEON.
        all(a, b, |x, y| unsafe { vorrq_u8(x, y) })
    }

    #[inline(always)]
    fn and_not(self, plane: Four, word: Four) -> Four {
        // SAFETY: the token proves NEON.
        all(plane, word, |x, y| unsafe { vbicq_u8(y, x) })
    }

    #[inline(always)]
    fn counts(self, word: Four) -> Four {
        // SAFETY: the token proves NEON.
        all(word, word, |x, _| unsafe { vcntq_u8(x) })
    }

    #[inline(always)]
    fn add_saturating(self, a: Four, b: Four) -> Four {
        // SAFETY: the token proves NEON.
        all(a, b, |x, y| unsafe { vqaddq_u8(x, y) })
    }

    #[inline(always)]
    fn add(self, a: Four, b: Four) -> (Four, Option<Four>) {
        // SAFETY: the token proves NEON. Where the sum is below one of its terms it has passed 255: all bits are set.
        unsafe {
            let sum = all(a, b, |x, y| vaddq_u8(x, y));
            let passed = all(sum, b, |x, y| vcltq_u8(x, y));
            let any = vorrq_u8(vorrq_u8(passed[0], passed[1]), vorrq_u8(passed[2], passed[3]));
            (sum, (vmaxvq_u8(any) != 0).then(|| all(passed, passed, |x, _| vshrq_n_u8::<7>(x))))
        }
    }

    #[inline(always)]
    fn zero_sums(self) -> [uint32x4_t; 2] {
        // SAFETY: the token proves NEON.
        unsafe { [vdupq_n_u32(0); 2] }
    }

    #[inline(always)]
    fn dot(self, sums: [uint32x4_t; 2], counts: Four, table: Four) -> [uint32x4_t; 2] {
        self.0.add(sums, counts, table)
    }

    #[inline(always)]
    fn total(self, [low, high]: [uint32x4_t; 2]) -> u64 {
        // SAFETY: the token proves NEON.
        unsafe { vaddlvq_u32(low) + vaddlvq_u32(high) }
    }

    #[inline(always)]
    fn transpose(self, square: &mut [Cell; 64]) {
        for i in 0..4 {
            for j in 0..=i {
                let (upper, lower) = (self.block(square, i, j), self.block(square, j, i));
                self.set_block(square, j, i, self.transpose_block(upper));
                self.set_block(square, i, j, self.transpose_block(lower));
            }
        }
    }
}
