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

/// Picks bytes from two cells. Each byte of the result picks another of its `SHARING` neighbors.
struct Pick<'a> {
    pair: &'a [Cell; 2],
}

impl Kernel for Pick<'_> {
    /// The numbers given to `pick`, and its result.
    type Output = [Cell; 2];

    #[inline(always)]
    fn run<T: Words>(self, simd: T) -> [Cell; 2] {
        let mut numbers = Cell::ZERO;
        for (byte, number) in numbers.0.iter_mut().enumerate() {
            *number = (byte / T::SHARING * T::SHARING + byte * 37 % T::SHARING) as u8;
        }
        let mut picked = Cell::ZERO;
        let pair = [simd.load(&self.pair[0]), simd.load(&self.pair[1])];
        simd.store(simd.pick(pair, simd.load(&numbers)), &mut picked);
        [numbers, picked]
    }
}

/// The numbers choose among 16 bytes, or among those of two cells.
#[test]
fn bytes_are_picked_by_number() {
    let pair = [Cell(std::array::from_fn(|byte| byte as u8 + 1)), Cell(std::array::from_fn(|byte| byte as u8 + 101))];
    for isa in available() {
        let [numbers, picked] = dispatch(isa, Pick { pair: &pair });
        let expected = numbers.0.map(|number| number % 64 + if number < 64 { 1 } else { 101 });
        assert_eq!(picked.0, expected, "{isa:?}");
    }
}

struct Parts {
    word: Cell,
}

impl Kernel for Parts {
    type Output = u8;

    #[inline(always)]
    fn run<T: Words>(self, simd: T) -> Self::Output {
        let word = simd.load(&self.word);
        simd.parts(word)
    }
}

/// Every set of parts, with one random bit in each.
#[test]
fn parts_that_are_not_zero_are_told() {
    let mut random = SplitMix64::new(17);
    for set in 0..=u8::MAX {
        let mut word = Cell::ZERO;
        for part in (0..8).filter(|part| set >> part & 1 == 1) {
            let bit = random.below(64);
            word.0[8 * part + bit / 8] = 1 << (bit % 8);
        }
        for isa in available() {
            assert_eq!(dispatch(isa, Parts { word }), set, "{isa:?}, {set:b}");
        }
    }
}

/// Calls the operations that packing and turning use.
struct Handles<'a> {
    keys: &'a [u64],
    numbers: &'a [u32],
    ends: &'a [[u32; 2]; WORD_BYTES],
    lines: u64,
}

impl Kernel for Handles<'_> {
    type Output = ([[Cell; 64]; 2], Vec<(u64, u32)>);

    #[inline(always)]
    fn run<T: Words>(self, simd: T) -> Self::Output {
        let mut planes = [Cell([0xff; WORD_BYTES]); 64];
        simd.line_planes(self.keys, self.ends, &mut planes);
        let mut turned = planes;
        simd.transpose(&mut turned);
        let (mut keys, mut numbers) = (vec![0; self.keys.len()], vec![0; self.keys.len()]);
        let kept = simd.filter(self.keys, self.numbers, self.lines, &mut keys, &mut numbers);
        ([planes, turned], keys.into_iter().zip(numbers).take(kept).collect())
    }
}

/// Filters keys and makes planes with each instruction set, and compares them with the definition.
#[test]
fn keys_are_filtered_and_dealt_bit_by_bit() {
    let mut random = SplitMix64::new(11);
    for length in [0, 8, 64, 512] {
        let keys: Vec<u64> = (0..length).map(|_| random.next_u64() & random.next_u64() & random.next_u64()).collect();
        let numbers: Vec<u32> = (0..length).map(|_| random.next_u64() as u32).collect();
        let lines = random.next_u64() & random.next_u64() & random.next_u64() & random.next_u64();
        // Bytes with 0 to 8 keys.
        let ends: [[u32; 2]; WORD_BYTES] = std::array::from_fn(|byte| {
            let from = random.below(length + 1);
            [from, length.min(from + byte % 9)].map(|end| end as u32)
        });
        let kept: Vec<(u64, u32)> =
            keys.iter().copied().zip(numbers.iter().copied()).filter(|(key, _)| key & lines == 0).collect();
        for isa in available() {
            let (squares, filtered) = dispatch(isa, Handles { keys: &keys, numbers: &numbers, ends: &ends, lines });
            assert_eq!(filtered, kept, "{isa:?}");
            let [planes, turned] = squares;
            for (byte, [from, to]) in ends.iter().map(|ends| ends.map(|end| end as usize)).enumerate() {
                for (line, plane) in planes.iter().enumerate() {
                    let expected =
                        (0..).zip(&keys[from..to]).fold(0, |byte, (k, key)| byte | ((key >> line & 1) as u8) << k);
                    assert_eq!(plane.0[byte], expected, "{isa:?}, byte {byte}, line {line}");
                    assert_eq!(turned[byte].0[line], expected, "{isa:?}, byte {byte}, line {line}");
                }
            }
        }
    }
}
