//! Operations on words, lane by lane.

use super::available;
use crate::solver::simd::{Cell, Kernel, LANES, Lanes, dispatch};

use crate::splitmix::SplitMix64;

/// Adds the same cell again and again, in bytes and with a carry.
struct Adds {
    cell: Cell,
    times: usize,
}

impl Kernel for Adds {
    type Output = [Cell; 3];

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> [Cell; 3] {
        let [mut saturating, mut low, mut high] = [Cell::ZERO; 3];
        let counts = lanes.load(&self.cell);
        for _ in 0..self.times {
            lanes.store(lanes.add_saturating(lanes.load(&saturating), counts), &mut saturating);
            let (sum, carry) = lanes.add(lanes.load(&low), counts);
            lanes.store(sum, &mut low);
            if let Some(carry) = carry {
                lanes.store(lanes.add_saturating(lanes.load(&high), carry), &mut high);
            }
        }
        [saturating, low, high]
    }
}

/// In entries of one byte and of two.
#[test]
fn bytes_are_added_up_to_255_and_carried_past_it() {
    for isa in available() {
        for times in [0, 1, 4, 5, 100, 1021, 2000] {
            // Lane 0 never carries, the last one first of all.
            let cell = Cell(std::array::from_fn(|lane| lane as u8));
            let [saturating, low, high] = dispatch(isa, Adds { cell, times });
            for lane in 0..LANES {
                let sum = lane * times;
                assert_eq!(usize::from(saturating.0[lane]), sum.min(255), "{isa:?}, {times} times {lane}");
                assert_eq!(usize::from(low.0[lane]), sum % 256, "{isa:?}, {times} times {lane}");
                assert_eq!(usize::from(high.0[lane]), (sum / 256).min(255), "{isa:?}, {times} times {lane}");
            }
        }
    }
}

/// Multiplies the same counts with the same entries again and again.
struct Products<'a> {
    counts: &'a Cell,
    table: &'a Cell,
    times: usize,
}

impl Kernel for Products<'_> {
    type Output = u64;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> u64 {
        let (counts, table) = (lanes.load(self.counts), lanes.load(self.table));
        let mut sums = lanes.zero_sums();
        for _ in 0..self.times {
            sums = lanes.dot(sums, counts, table);
        }
        lanes.total(sums)
    }
}

/// Sums of products are exact up to the largest counts and entries.
#[test]
fn counts_are_multiplied_with_entries_lane_by_lane() {
    let mut random = SplitMix64::new(5);
    let times = 1000;
    for isa in available() {
        for most in [8, 64] {
            for entries in [[0; LANES], [255; LANES], std::array::from_fn(|_| random.below(256) as u8)] {
                for counts in [[most; LANES], std::array::from_fn(|_| random.below(usize::from(most) + 1) as u8)] {
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

/// Picks from two cells, for each lane the byte of another lane of those it shares places with.
struct Pick<'a> {
    pair: &'a [Cell; 2],
}

impl Kernel for Pick<'_> {
    /// The numbers of the lanes that were picked, and what was.
    type Output = [Cell; 2];

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> [Cell; 2] {
        let mut numbers = Cell::ZERO;
        for (lane, number) in numbers.0.iter_mut().enumerate() {
            *number = (lane / L::SHARING * L::SHARING + lane * 37 % L::SHARING) as u8;
        }
        let mut picked = Cell::ZERO;
        let pair = [lanes.load(&self.pair[0]), lanes.load(&self.pair[1])];
        lanes.store(lanes.pick(pair, lanes.load(&numbers)), &mut picked);
        [numbers, picked]
    }
}

/// Lanes of shared words find their entries: among 16 lanes, or in either of two cells.
#[test]
fn bytes_are_picked_by_number() {
    let pair = [Cell(std::array::from_fn(|lane| lane as u8 + 1)), Cell(std::array::from_fn(|lane| lane as u8 + 101))];
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
    /// Whether the word is zero, and which parts of it are not.
    type Output = (bool, u8);

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> Self::Output {
        let word = lanes.load(&self.word);
        (lanes.is_zero(word), lanes.parts(word))
    }
}

/// Every set of parts that are not zero, by one bit anywhere in each.
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
            assert_eq!(dispatch(isa, Parts { word }), (set == 0, set), "{isa:?}, {set:b}");
        }
    }
}

/// Does once what packing and turning round are made of.
struct Handles<'a> {
    keys: &'a [u64],
    numbers: &'a [u32],
    ends: &'a [[u32; 2]; LANES],
    lines: u64,
}

impl Kernel for Handles<'_> {
    type Output = ([[Cell; 64]; 2], Vec<(u64, u32)>);

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> Self::Output {
        let mut planes = [Cell([0xff; LANES]); 64];
        lanes.line_planes(self.keys, self.ends, &mut planes);
        let mut turned = planes;
        lanes.transpose(&mut turned);
        let (mut keys, mut numbers) = (vec![0; self.keys.len()], vec![0; self.keys.len()]);
        let kept = lanes.filter(self.keys, self.numbers, self.lines, &mut keys, &mut numbers);
        ([planes, turned], keys.into_iter().zip(numbers).take(kept).collect())
    }
}

/// Keys are filtered and dealt to lanes as they are defined to be, whatever the instruction set.
#[test]
fn keys_are_filtered_and_dealt_bit_by_bit() {
    let mut random = SplitMix64::new(11);
    for length in [0, 8, 64, 512] {
        let keys: Vec<u64> = (0..length).map(|_| random.next_u64() & random.next_u64() & random.next_u64()).collect();
        let numbers: Vec<u32> = (0..length).map(|_| random.next_u64() as u32).collect();
        let lines = random.next_u64() & random.next_u64() & random.next_u64() & random.next_u64();
        // Every number of keys from 0 to 8, as far as there are some.
        let ends: [[u32; 2]; LANES] = std::array::from_fn(|lane| {
            let from = random.below(length + 1);
            [from, length.min(from + lane % 9)].map(|end| end as u32)
        });
        let kept: Vec<(u64, u32)> =
            keys.iter().copied().zip(numbers.iter().copied()).filter(|(key, _)| key & lines == 0).collect();
        for isa in available() {
            let (squares, filtered) = dispatch(isa, Handles { keys: &keys, numbers: &numbers, ends: &ends, lines });
            assert_eq!(filtered, kept, "{isa:?}");
            let [planes, turned] = squares;
            for (lane, [from, to]) in ends.iter().map(|ends| ends.map(|end| end as usize)).enumerate() {
                for (line, plane) in planes.iter().enumerate() {
                    let expected =
                        (0..).zip(&keys[from..to]).fold(0, |byte, (k, key)| byte | ((key >> line & 1) as u8) << k);
                    assert_eq!(plane.0[lane], expected, "{isa:?}, lane {lane}, line {line}");
                    assert_eq!(turned[lane].0[line], expected, "{isa:?}, lane {lane}, line {line}");
                }
            }
        }
    }
}
