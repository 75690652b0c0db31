//! Operations on words, byte by byte.

use super::available;
use crate::color::simd::{Cell, Kernel, WORD_BYTES, Words, dispatch};

use crate::splitmix::SplitMix64;

/// Adds a cell `times` times: with saturation, and with a carry.
struct Adds {
    cell: Cell,
    times: usize,
}

impl Kernel for Adds {
    type Output = [Cell; 3];

    #[inline(always)]
    fn run<T: Words>(self, simd: T) -> [Cell; 3] {
        let [mut saturating, mut low, mut high] = [Cell::ZERO; 3];
        let counts = simd.load(&self.cell);
        for _ in 0..self.times {
            simd.store(simd.add_saturating(simd.load(&saturating), counts), &mut saturating);
            let (sum, carry) = simd.add(simd.load(&low), counts);
            simd.store(sum, &mut low);
            if let Some(carry) = carry {
                simd.store(simd.add_saturating(simd.load(&high), carry), &mut high);
            }
        }
        [saturating, low, high]
    }
}

#[test]
fn bytes_are_added_up_to_255_and_carried_past_it() {
    for isa in available() {
        for times in [0, 1, 4, 5, 100, 1021, 2000] {
            // Byte 0 never carries, the last byte carries first.
            let cell = Cell(std::array::from_fn(|byte| byte as u8));
            let [saturating, low, high] = dispatch(isa, Adds { cell, times });
            for byte in 0..WORD_BYTES {
                let sum = byte * times;
                assert_eq!(usize::from(saturating.0[byte]), sum.min(255), "{isa:?}, {times} times {byte}");
                assert_eq!(usize::from(low.0[byte]), sum % 256, "{isa:?}, {times} times {byte}");
                assert_eq!(usize::from(high.0[byte]), (sum / 256).min(255), "{isa:?}, {times} times {byte}");
            }
        }
    }
}

/// Multiplies counts with entries, `times` times.
struct Products<'a> {
    counts: &'a Cell,
    table: &'a Cell,
    times: usize,
}

impl Kernel for Products<'_> {
    type Output = u64;

    #[inline(always)]
    fn run<T: Words>(self, simd: T) -> u64 {
        let (counts, table) = (simd.load(self.counts), simd.load(self.table));
        let mut sums = simd.zero_sums();
        for _ in 0..self.times {
            sums = simd.dot(sums, counts, table);
        }
        simd.total(sums)
    }
}

/// Sums of products are exact up to the largest counts and entries.
#[test]
fn counts_are_multiplied_with_entries_byte_by_byte() {
    let mut random = SplitMix64::new(5);
    let times = 1000;
    for isa in available() {
        for most in [8, 64] {
            for entries in [[0; WORD_BYTES], [255; WORD_BYTES], std::array::from_fn(|_| random.below(256) as u8)] {
                for counts in [[most; WORD_BYTES], std::array::from_fn(|_| random.below(usize::from(most) + 1) as u8)] {
                    let products =
                        counts.iter().zip(&entries).map(|(&count, &entry)| u64::from(count) * u64::from(entry));
                    let expected = products.sum::<u64>() * times as u64;
                    let (counts, table) = (Cell(counts), Cell(entries));
                    let total = dispatch(isa, Products { counts: &counts, table: &table, times });
                    assert_eq!(total, expected, "{isa:?}, counts up to {most}");
                }
            }
        }
    }
}
