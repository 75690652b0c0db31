//! Plain Rust for every processor. A word is an array.

use super::{Cell, MAX_COUNT, WORD_BYTES, Words};

/// A proof that needs no check, because every processor runs plain Rust.
#[derive(Debug, Clone, Copy)]
pub(super) struct Portable;

/// A word. The compiler turns plain loops over its bytes into the default vectors of the target.
type Bytes = [u8; WORD_BYTES];

impl Words for Portable {
    type Word = Bytes;
    type Sums = [u32; 8];
    const PRODUCTS_PER_SUM: usize = 8;
    /// With more words, the compiler would move them between registers and memory.
    const TILE_WORDS: usize = 1;

    #[inline(always)]
    fn load(self, cell: &Cell) -> Bytes {
        cell.0
    }

    #[inline(always)]
    fn store(self, word: Bytes, cell: &mut Cell) {
        cell.0 = word;
    }

    #[inline(always)]
    fn or(self, mut a: Bytes, b: Bytes) -> Bytes {
        for i in 0..WORD_BYTES {
            a[i] |= b[i];
        }
        a
    }

    #[inline(always)]
    fn and_not(self, plane: Bytes, mut word: Bytes) -> Bytes {
        for i in 0..WORD_BYTES {
            word[i] &= !plane[i];
        }
        word
    }

    #[inline(always)]
    fn counts(self, mut word: Bytes) -> Bytes {
        // Eight bytes at a time. The masks also clear the bits that a shift moves in from the next byte.
        for bytes in word.as_chunks_mut().0 {
            let eight = u64::from_ne_bytes(*bytes);
            let pairs = eight - (eight >> 1 & 0x5555_5555_5555_5555);
            let nibbles = (pairs & 0x3333_3333_3333_3333) + (pairs >> 2 & 0x3333_3333_3333_3333);
            *bytes = ((nibbles + (nibbles >> 4)) & 0x0f0f_0f0f_0f0f_0f0f).to_ne_bytes();
        }
        word
    }

    #[inline(always)]
    fn add_saturating(self, mut a: Bytes, b: Bytes) -> Bytes {
        for i in 0..WORD_BYTES {
            a[i] = a[i].saturating_add(b[i]);
        }
        a
    }

    #[inline(always)]
    fn add(self, mut a: Bytes, b: Bytes) -> (Bytes, Option<Bytes>) {
        let (mut carry, mut any) = ([0; WORD_BYTES], 0);
        for i in 0..WORD_BYTES {
            a[i] = a[i].wrapping_add(b[i]);
            carry[i] = u8::from(a[i] < b[i]);
            any |= carry[i];
        }
        (a, (any != 0).then_some(carry))
    }

    #[inline(always)]
    fn zero_sums(self) -> [u32; 8] {
        [0; 8]
    }

    #[inline(always)]
    fn dot(self, mut sums: [u32; 8], counts: Bytes, table: Bytes) -> [u32; 8] {
        // Sums of four products in 16 bits. 32-bit products would take twice as many vectors.
        let mut fours = [0; 16];
        for (i, four) in fours.iter_mut().enumerate() {
            let product = |at: usize| u16::from(counts[at]) * u16::from(table[at]);
            *four = product(i) + product(i + 16) + product(i + 32) + product(i + 48);
        }
        for i in 0..8 {
            sums[i] += u32::from(fours[i]) + u32::from(fours[i + 8]);
        }
        sums
    }

    #[inline(always)]
    fn total(self, sums: [u32; 8]) -> u64 {
        sums.into_iter().map(u64::from).sum()
    }
}

/// In `dot`, the sum of four products fits in 16 bits.
const _: () = assert!(4 * MAX_COUNT * 255 <= u16::MAX as usize);
