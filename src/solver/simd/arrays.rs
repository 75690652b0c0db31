//! The operations of the color split on words that are plain arrays: for every processor, and for Miri.

use super::{Cell, Lanes};

/// A token whose words are plain arrays.
pub(super) trait Arrays: Copy {}

/// A word as bytes: plain loops over them become whatever vectors the target has by default.
type Bytes = [u8; 64];

impl<P: Arrays> Lanes for P {
    type Word = Bytes;
    type Sums = u64;
    const PRODUCTS_PER_SUM: usize = 64;
    const LARGEST_SUM: u64 = u64::MAX;
    /// 2 are equal, with 4 and 8 n = 17 and 18 take 1 to 3 % longer; building with 8 takes twice the time.
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
        for i in 0..64 {
            a[i] |= b[i];
        }
        a
    }

    #[inline(always)]
    fn and_not(self, plane: Bytes, mut word: Bytes) -> Bytes {
        for i in 0..64 {
            word[i] &= !plane[i];
        }
        word
    }

    #[inline(always)]
    fn counts(self, mut word: Bytes) -> Bytes {
        // By eights: what a shift brings from the next byte is masked anyway, as shifts of bytes would be.
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
        for i in 0..64 {
            a[i] = a[i].saturating_add(b[i]);
        }
        a
    }

    #[inline(always)]
    fn add(self, mut a: Bytes, b: Bytes) -> (Bytes, Option<Bytes>) {
        let (mut carry, mut any) = ([0; 64], 0);
        for i in 0..64 {
            a[i] = a[i].wrapping_add(b[i]);
            carry[i] = u8::from(a[i] < b[i]);
            any |= carry[i];
        }
        (a, (any != 0).then_some(carry))
    }

    #[inline(always)]
    fn zero_sums(self) -> u64 {
        0
    }

    #[inline(always)]
    fn dot(self, sums: u64, counts: Bytes, table: Bytes) -> u64 {
        // 64 products of 255 * 255 are far below 2^32.
        let products = counts.iter().zip(table).map(|(&count, entry)| u32::from(count) * u32::from(entry));
        sums + u64::from(products.sum::<u32>())
    }

    #[inline(always)]
    fn total(self, sums: u64) -> u64 {
        sums
    }
}
