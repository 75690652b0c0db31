//! NEON, of 64-bit Arm. A word of the color split is four registers, a vector of `bitmask` is one or two. NEON has no
//! instruction that moves chosen parts of a register to its front, so tables of permutations replace it.

use std::arch::aarch64::*;

use archmage::{NeonToken, rite};
use safe_unaligned_simd::aarch64::{vld1q_u8, vld1q_u32, vld1q_u64, vst1q_u8, vst1q_u32, vst1q_u64};

use super::{Cell, MAX_COUNT, Vectors, Words};

token! {
    /// Proof of NEON.
    Neon(NeonToken)
}

/// A word.
type Four = [uint8x16_t; 4];

/// The sum of four products must fit 16 bits.
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

/// Multiplies 32 counts with 32 entries. Each of the eight sums of 16 bits has four products.
#[rite]
fn products(_: NeonToken, counts: [uint8x16_t; 2], table: [uint8x16_t; 2]) -> uint16x8_t {
    let sum = vmull_u8(vget_low_u8(counts[0]), vget_low_u8(table[0]));
    let sum = vmlal_high_u8(sum, counts[0], table[0]);
    let sum = vmlal_u8(sum, vget_low_u8(counts[1]), vget_low_u8(table[1]));
    vmlal_high_u8(sum, counts[1], table[1])
}

/// 16 x 16 bytes, row by row.
type Block = [uint8x16_t; 16];

#[rite]
fn block(_: NeonToken, square: &[Cell; 64], i: usize, j: usize) -> Block {
    let mut rows = [vdupq_n_u8(0); 16];
    for row in 0..16 {
        rows[row] = vld1q_u8(&square[16 * i + row].0.as_chunks::<16>().0[j]);
    }
    rows
}

#[rite]
fn set_block(_: NeonToken, square: &mut [Cell; 64], i: usize, j: usize, rows: Block) {
    for row in 0..16 {
        vst1q_u8(&mut square[16 * i + row].0.as_chunks_mut::<16>().0[j], rows[row]);
    }
}

/// Transposes a block, as `transpose_block` in `avx2.rs` does.
#[rite]
fn transpose_block(_: NeonToken, mut rows: Block) -> Block {
    for _ in 0..4 {
        let before = rows;
        for row in 0..8 {
            rows[2 * row] = vzip1q_u8(before[row], before[row + 8]);
            rows[2 * row + 1] = vzip2q_u8(before[row], before[row + 8]);
        }
    }
    rows
}

impl Words for Neon {
    type Word = Four;
    type Sums = [uint32x4_t; 2];
    const PRODUCTS_PER_SUM: usize = 8;
    /// A word is four of 32 registers.
    const TILE_WORDS: usize = 4;

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

        fn add_saturating(self, a: Four, b: Four) -> Four {
            each!(vqaddq_u8(a, b))
        }

        fn add(self, a: Four, b: Four) -> (Four, Option<Four>) {
            // A sum above 255 wraps and is below `b`. Then all bits of its byte are set in `passed`.
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

        fn transpose(self, square: &mut [Cell; 64]) {
            for i in 0..4 {
                for j in 0..=i {
                    let (upper, lower) = (block(proof, square, i, j), block(proof, square, j, i));
                    set_block(proof, square, j, i, transpose_block(proof, upper));
                    set_block(proof, square, i, j, transpose_block(proof, lower));
                }
            }
        }
    }
}

/// Returns the bytes of a register in the order of the indices `order`.
#[rite]
fn reorder(_: NeonToken, a: [uint8x16_t; 1], order: &[u8; 16]) -> [uint8x16_t; 1] {
    [vqtbl1q_u8(a[0], vld1q_u8(order))]
}

/// Returns the bytes of two registers in the order of the indices `order`.
#[rite]
fn reorder_pair(_: NeonToken, a: [uint8x16_t; 2], order: &[u8; 32]) -> [uint8x16_t; 2] {
    let bytes = uint8x16x2_t(a[0], a[1]);
    let halves = order.as_chunks::<16>().0;
    [vqtbl2q_u8(bytes, vld1q_u8(&halves[0])), vqtbl2q_u8(bytes, vld1q_u8(&halves[1]))]
}

/// Returns a bit for each of four integers: 1 if all bits of the integer are set. The others must be 0.
#[rite]
fn set(_: NeonToken, integers: uint32x4_t) -> u32 {
    vaddvq_u32(vandq_u32(integers, vld1q_u32(&[1, 2, 4, 8])))
}

/// Returns the only register.
#[rite]
fn one(_: NeonToken, a: [uint32x4_t; 1]) -> uint32x4_t {
    a[0]
}

/// Joins the lower 32 bits of the integers of two registers in one register.
#[rite]
fn narrow(_: NeonToken, a: [uint64x2_t; 2]) -> uint32x4_t {
    vuzp1q_u32(vreinterpretq_u32_u64(a[0]), vreinterpretq_u32_u64(a[1]))
}

/// For each set of four integers of `of` bytes, the indices of their bytes: the integers of the set come first.
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

/// The operations on integers of one width. The two widths differ only in the names of intrinsics.
macro_rules! vectors_of {
    (
        $integer:ty, $registers:literal, $register:ty, $shift:ty, $bytes:literal,
        $splat:ident, $load:ident, $store:ident, $and:ident, $or:ident, $xor:ident, $and_not:ident, $add:ident,
        $by:ident, $shifted:ident, $test:ident, $to_bytes:ident, $from_bytes:ident, $reorder:ident, $narrow:ident
    ) => {
        impl Vectors<$integer> for Neon {
            const WIDTH: usize = 4;
            type Vector = [$register; $registers];

            operations! { NeonToken as proof:
                fn splat(self, integer: $integer) -> [$register; $registers] {
                    [$splat(integer); $registers]
                }

                fn load(self, from: &[$integer]) -> [$register; $registers] {
                    let mut vector = [$splat(0); $registers];
                    for (register, from) in vector.iter_mut().zip(from[..4].as_chunks().0) {
                        *register = $load(from);
                    }
                    vector
                }

                fn and(self, a: [$register; $registers], b: [$register; $registers]) -> [$register; $registers] {
                    let mut vector = a;
                    for (a, b) in vector.iter_mut().zip(b) {
                        *a = $and(*a, b);
                    }
                    vector
                }

                fn or(self, a: [$register; $registers], b: [$register; $registers]) -> [$register; $registers] {
                    let mut vector = a;
                    for (a, b) in vector.iter_mut().zip(b) {
                        *a = $or(*a, b);
                    }
                    vector
                }

                fn xor(self, a: [$register; $registers], b: [$register; $registers]) -> [$register; $registers] {
                    let mut vector = a;
                    for (a, b) in vector.iter_mut().zip(b) {
                        *a = $xor(*a, b);
                    }
                    vector
                }

                fn and_neither(
                    self,
                    a: [$register; $registers],
                    b: [$register; $registers],
                    c: [$register; $registers],
                ) -> [$register; $registers] {
                    let mut vector = a;
                    for (a, (b, c)) in vector.iter_mut().zip(b.into_iter().zip(c)) {
                        *a = $and_not(*a, $or(b, c));
                    }
                    vector
                }

                fn decrement(self, a: [$register; $registers]) -> [$register; $registers] {
                    let mut vector = a;
                    for a in &mut vector {
                        *a = $add(*a, $splat(<$integer>::MAX));
                    }
                    vector
                }

                fn shift_left(self, a: [$register; $registers], by: u32) -> [$register; $registers] {
                    let mut vector = a;
                    for a in &mut vector {
                        *a = $shifted(*a, $by(by as $shift));
                    }
                    vector
                }

                // A shift to the left by a negative number is a shift to the right.
                fn shift_right(self, a: [$register; $registers], by: u32) -> [$register; $registers] {
                    let mut vector = a;
                    for a in &mut vector {
                        *a = $shifted(*a, $by(-(by as $shift)));
                    }
                    vector
                }

                fn nonzero(self, a: [$register; $registers]) -> u32 {
                    let mut vector = a;
                    for a in &mut vector {
                        *a = $test(*a, *a);
                    }
                    set(proof, $narrow(proof, vector))
                }

                fn keep(self, to: &mut [$integer], kept: u32, a: [$register; $registers]) {
                    const PACK: [[u8; $bytes]; 16] = pack($bytes / 4);
                    let mut bytes = [vdupq_n_u8(0); $registers];
                    for (bytes, a) in bytes.iter_mut().zip(a) {
                        *bytes = $to_bytes(a);
                    }
                    let packed = $reorder(proof, bytes, &PACK[(kept & 15) as usize]);
                    for (to, packed) in to[..4].as_chunks_mut().0.iter_mut().zip(packed) {
                        $store(to, $from_bytes(packed));
                    }
                }
            }
        }
    };
}
vectors_of!(
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
    one
);
vectors_of!(
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
    narrow
);
