//! NEON on 64-bit Arm. A word is four registers.

use std::arch::aarch64::*;

use archmage::{NeonToken, rite};
use safe_unaligned_simd::aarch64::{vld1q_u8, vst1q_u8};

use super::swap::swap_submatrices;
use super::words::ByteMatrix;
use super::{Cell, MAX_COUNT, Words};

proof! {
    /// The proof of NEON.
    Neon(NeonToken)
}

/// A word.
type Four = [uint8x16_t; 4];

/// The sum of four products must fit in 16 bits.
const _: () = assert!(4 * MAX_COUNT * 255 <= u16::MAX as usize);

/// Applies an operation to each register of a word.
macro_rules! each {
    ($operation:ident($a:ident, $b:ident)) => {
        [$operation($a[0], $b[0]), $operation($a[1], $b[1]), $operation($a[2], $b[2]), $operation($a[3], $b[3])]
    };
    ($operation:ident($a:ident)) => {
        [$operation($a[0]), $operation($a[1]), $operation($a[2]), $operation($a[3])]
    };
}

/// Multiplies 32 counts by 32 entries. Each of the eight 16-bit sums adds up four products.
#[rite]
fn products(_: NeonToken, counts: [uint8x16_t; 2], table: [uint8x16_t; 2]) -> uint16x8_t {
    let sum = vmull_u8(vget_low_u8(counts[0]), vget_low_u8(table[0]));
    let sum = vmlal_high_u8(sum, counts[0], table[0]);
    let sum = vmlal_u8(sum, vget_low_u8(counts[1]), vget_low_u8(table[1]));
    vmlal_high_u8(sum, counts[1], table[1])
}

impl Words for Neon {
    type Word = Four;
    type Sums = [uint32x4_t; 2];
    const PRODUCTS_PER_SUM: usize = 8;
    /// A word takes four of the 32 registers.
    const TILE_WORDS: usize = 4;
    const SHARING: usize = 16;
    const SPREADS: bool = true;

    operations! { NeonToken as proof:
        fn load(self, cell: &Cell) -> Four {
            let quarters = cell.0.as_chunks::<16>().0;
            [vld1q_u8(&quarters[0]), vld1q_u8(&quarters[1]), vld1q_u8(&quarters[2]), vld1q_u8(&quarters[3])]
        }

        fn store(self, word: Four, cell: &mut Cell) {
            for (quarter, register) in cell.0.as_chunks_mut::<16>().0.iter_mut().zip(word) {
                vst1q_u8(quarter, register);
            }
        }

        fn or(self, a: Four, b: Four) -> Four {
            each!(vorrq_u8(a, b))
        }

        fn and_not(self, plane: Four, word: Four) -> Four {
            each!(vbicq_u8(word, plane))
        }

        fn counts(self, word: Four) -> Four {
            each!(vcntq_u8(word))
        }

        fn pick(self, pair: [Four; 2], lanes: Four) -> Four {
            // The lowest 4 bits of a lane select one of 16 bytes. A number above 15 would select 0.
            let (table, mask) = (pair[0], [vdupq_n_u8(15); 4]);
            let places: Four = each!(vandq_u8(lanes, mask));
            each!(vqtbl1q_u8(table, places))
        }

        fn permute(self, word: Four, places: Four) -> Four {
            // A place above 15 selects 0.
            each!(vqtbl1q_u8(word, places))
        }

        fn add_saturating(self, a: Four, b: Four) -> Four {
            each!(vqaddq_u8(a, b))
        }

        fn add(self, a: Four, b: Four) -> (Four, Option<Four>) {
            // A sum above 255 wraps and is less than `b`, which sets all bits of its byte in `passed`.
            let sum: Four = each!(vaddq_u8(a, b));
            let passed: Four = each!(vcltq_u8(sum, b));
            let any = vorrq_u8(vorrq_u8(passed[0], passed[1]), vorrq_u8(passed[2], passed[3]));
            if vmaxvq_u8(any) == 0 {
                return (sum, None);
            }
            let mut carry = passed;
            for register in &mut carry {
                *register = vshrq_n_u8::<7>(*register);
            }
            (sum, Some(carry))
        }

        fn zero_sums(self) -> [uint32x4_t; 2] {
            [vdupq_n_u32(0); 2]
        }

        fn dot(self, sums: [uint32x4_t; 2], counts: Four, table: Four) -> [uint32x4_t; 2] {
            let low = products(proof, [counts[0], counts[1]], [table[0], table[1]]);
            let high = products(proof, [counts[2], counts[3]], [table[2], table[3]]);
            [vpadalq_u16(sums[0], low), vpadalq_u16(sums[1], high)]
        }

        fn total(self, sums: [uint32x4_t; 2]) -> u64 {
            vaddlvq_u32(sums[0]) + vaddlvq_u32(sums[1])
        }

        // `avx2.rs` explains the rounds. A register contains a row of one submatrix.
        fn transpose(self, matrix: &mut ByteMatrix) {
            for cells in matrix.as_chunks_mut::<16>().0 {
                for quarter in 0..4 {
                    let mut rows = [vdupq_n_u8(0); 16];
                    for row in 0..16 {
                        rows[row] = vld1q_u8(&cells[row].0.as_chunks::<16>().0[quarter]);
                    }
                    for _ in 0..4 {
                        let before = rows;
                        for row in 0..8 {
                            rows[2 * row] = vzip1q_u8(before[row], before[row + 8]);
                            rows[2 * row + 1] = vzip2q_u8(before[row], before[row + 8]);
                        }
                    }
                    for row in 0..16 {
                        vst1q_u8(&mut cells[row].0.as_chunks_mut::<16>().0[quarter], rows[row]);
                    }
                }
            }
            swap_submatrices(matrix);
        }
    }
}
