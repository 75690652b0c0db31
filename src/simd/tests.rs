//! Compares every operation of [`Words`] with its definition, byte by byte, for each instruction set of this machine.

use std::marker::PhantomData;

use super::portable::Portable;
use super::words::{ByteMatrix, LinePlanes};
use super::{
    BLOCK_LANES, Cell, Ends, Isa, KEYS_PER_BYTE, Kernel, LINES, NO_PLACE, QUARTER_BYTES, WORD_BYTES, Words, dispatch,
};
use crate::splitmix::SplitMix64;

/// Portable code, except that 128 lanes share the bytes of words and tiles have up to 8 words, as with BITALG, and that
/// words of the filling side are spread. With it, the tests of the color split cover these layouts on every machine.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sharing;

/// Declares operations that call those of [`Portable`].
macro_rules! operations_of_portable {
    ($(fn $name:ident(self $(, $argument:ident: $of:ty)*) $(-> $output:ty)?;)*) => {$(
        #[inline(always)]
        fn $name(self $(, $argument: $of)*) $(-> $output)? {
            Portable.$name($($argument),*)
        }
    )*};
}

impl Words for Sharing {
    type Word = [u8; WORD_BYTES];
    type Sums = [u32; 8];
    const PRODUCTS_PER_SUM: usize = Portable::PRODUCTS_PER_SUM;
    const TILE_WORDS: usize = 8;
    const SHARING: usize = 2 * BLOCK_LANES;
    const SPREADS: bool = true;

    operations_of_portable! {
        fn load(self, cell: &Cell) -> Self::Word;
        fn store(self, word: Self::Word, cell: &mut Cell);
        fn or(self, a: Self::Word, b: Self::Word) -> Self::Word;
        fn and_not(self, plane: Self::Word, word: Self::Word) -> Self::Word;
        fn counts(self, word: Self::Word) -> Self::Word;
        fn add_saturating(self, a: Self::Word, b: Self::Word) -> Self::Word;
        fn add(self, a: Self::Word, b: Self::Word) -> (Self::Word, Option<Self::Word>);
        fn zero_sums(self) -> Self::Sums;
        fn dot(self, sums: Self::Sums, counts: Self::Word, table: Self::Word) -> Self::Sums;
        fn total(self, sums: Self::Sums) -> u64;
    }

    /// In debug builds, a sum above 255 panics.
    #[inline(always)]
    fn add_small(self, mut a: Self::Word, b: Self::Word) -> Self::Word {
        for i in 0..WORD_BYTES {
            a[i] += b[i];
        }
        a
    }

    #[inline(always)]
    fn permute(self, word: Self::Word, places: Self::Word) -> Self::Word {
        std::array::from_fn(|at| match places[at] {
            NO_PLACE => 0,
            place => word[at - at % QUARTER_BYTES + usize::from(place)],
        })
    }

    #[inline(always)]
    fn pick(self, pair: [Self::Word; 2], lanes: Self::Word) -> Self::Word {
        lanes.map(|lane| pair[usize::from(lane) / WORD_BYTES][usize::from(lane) % WORD_BYTES])
    }
}

/// Returns the instruction sets of this machine. Prints the others once to standard error, because they are not tested.
fn available() -> impl Iterator<Item = Isa> {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        let missing: Vec<&str> = Isa::ALL.iter().filter(|isa| !isa.is_available()).map(|isa| isa.name()).collect();
        if !missing.is_empty() {
            let line = format!("skipped, because this machine lacks them: {}\n", missing.join(", "));
            // Tests that run without a standard error must not fail.
            let _ = std::io::Write::write_all(&mut std::io::stderr(), line.as_bytes());
        }
    });
    Isa::available().into_iter()
}

/// Runs an expression as a kernel. The expression may read the variables that are listed with their types.
macro_rules! run {
    ($isa:expr, ($($name:ident: $type:ty),*) -> $output:ty, |$simd:ident| $body:expr) => {{
        struct Run<'a> { $($name: &'a $type,)* life: PhantomData<&'a ()> }
        impl Kernel for Run<'_> {
            type Output = $output;

            #[inline(always)]
            fn run<T: Words>(self, $simd: T) -> $output {
                let Run { $($name,)* .. } = self;
                $body
            }
        }
        dispatch($isa, Run { $($name: &$name,)* life: PhantomData })
    }};
}

/// Like [`run`], for an expression that is a word. The word is returned in memory.
macro_rules! word {
    ($isa:expr, ($($name:ident),*), |$simd:ident| $body:expr) => {
        run!($isa, ($($name: Cell),*) -> Cell, |$simd| {
            let mut to = Cell([7; WORD_BYTES]);
            $simd.store($body, &mut to);
            to
        })
    };
}

/// Returns cells with random bytes and with extreme ones.
fn cells(random: &mut SplitMix64) -> Vec<Cell> {
    let fixed = [0, 1, 0x55, 0x7f, 0x80, 0xfe, 0xff].map(|byte| Cell([byte; WORD_BYTES]));
    let mut cells = fixed.to_vec();
    cells.push(bytes(|at| at as u8));
    cells.extend((0..8).map(|part| bytes(|at| u8::from(at == 9 * part))));
    cells.extend((0..8).map(|_| Cell(std::array::from_fn(|_| random.below(256) as u8))));
    cells
}

fn bytes(f: impl FnMut(usize) -> u8) -> Cell {
    Cell(std::array::from_fn(f))
}

#[test]
fn words_are_stored_combined_and_counted_byte_by_byte() {
    let mut random = SplitMix64::new(1);
    let cells = cells(&mut random);
    for isa in available() {
        assert_eq!(word!(isa, (), |simd| simd.zero()), Cell::ZERO, "{isa}");
        for &a in &cells {
            assert_eq!(word!(isa, (a), |simd| simd.load(a)), a, "{isa}");
            let counts = word!(isa, (a), |simd| simd.counts(simd.load(a)));
            assert_eq!(counts, bytes(|at| a.0[at].count_ones() as u8), "{isa}");
            let parts = run!(isa, (a: Cell) -> u8, |simd| simd.parts(simd.load(a)));
            let is_used = |part: &usize| a.0[8 * part..8 * part + 8].iter().any(|&byte| byte != 0);
            assert_eq!(parts, (0..8).filter(is_used).fold(0, |parts, part| parts | 1 << part), "{isa}");
            for &b in &cells {
                let or = word!(isa, (a, b), |simd| simd.or(simd.load(a), simd.load(b)));
                assert_eq!(or, bytes(|at| a.0[at] | b.0[at]), "{isa}");
                let and_not = word!(isa, (a, b), |simd| simd.and_not(simd.load(a), simd.load(b)));
                assert_eq!(and_not, bytes(|at| b.0[at] & !a.0[at]), "{isa}");
                let saturated = word!(isa, (a, b), |simd| simd.add_saturating(simd.load(a), simd.load(b)));
                assert_eq!(saturated, bytes(|at| a.0[at].saturating_add(b.0[at])), "{isa}");
                let sum = word!(isa, (a, b), |simd| simd.add(simd.load(a), simd.load(b)).0);
                assert_eq!(sum, bytes(|at| a.0[at].wrapping_add(b.0[at])), "{isa}");
                let carry = word!(isa, (a, b), |simd| match simd.add(simd.load(a), simd.load(b)).1 {
                    Some(carry) => carry,
                    None => simd.zero(),
                });
                assert_eq!(carry, bytes(|at| u8::from(a.0[at].checked_add(b.0[at]).is_none())), "{isa}");
                // No sum exceeds 255.
                let halves = [a, b].map(|cell| bytes(|at| cell.0[at] / 2));
                let [half, other] = halves;
                let small = word!(isa, (half, other), |simd| simd.add_small(simd.load(half), simd.load(other)));
                assert_eq!(small, bytes(|at| half.0[at] + other.0[at]), "{isa}");
            }
        }
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
                    let total = run!(isa, (counts: Cell, table: Cell, times: usize) -> u64, |simd| {
                        let mut sums = simd.zero_sums();
                        for _ in 0..*times {
                            sums = simd.dot(sums, simd.load(counts), simd.load(table));
                        }
                        simd.total(sums)
                    });
                    assert_eq!(total, expected, "{isa}, counts up to {most}");
                }
            }
        }
    }
}

#[test]
fn each_byte_picks_among_the_lanes_that_share_bytes_with_it() {
    let mut random = SplitMix64::new(3);
    for isa in available() {
        for _ in 0..20 {
            let table: [Cell; 2] = [(); 2].map(|()| bytes(|_| random.below(256) as u8));
            let sharing = run!(isa, () -> usize, |simd| { let _ = simd; T::SHARING });
            let lanes =
                bytes(|at| (at % BLOCK_LANES / sharing.min(BLOCK_LANES) * sharing % 128 + random.below(sharing)) as u8);
            let [first, second] = table;
            let picked = word!(isa, (first, second, lanes), |simd| {
                let pair = [simd.load(first), simd.load(second)];
                simd.pick(pair, simd.load(lanes))
            });
            let lane = |at: usize| if sharing == 1 { at } else { usize::from(lanes.0[at]) };
            assert_eq!(picked, bytes(|at| table[lane(at) / WORD_BYTES].0[lane(at) % WORD_BYTES]), "{isa}");
        }
    }
}

#[test]
fn bytes_are_permuted_within_quarters() {
    let mut random = SplitMix64::new(8);
    for isa in available() {
        let spreads = run!(isa, () -> bool, |simd| { let _ = simd; T::SPREADS });
        assert_eq!(spreads, isa != Isa::Portable, "{isa}");
        if !spreads {
            continue;
        }
        for _ in 0..20 {
            let word = bytes(|_| random.below(256) as u8);
            let places = bytes(|_| if random.below(4) == 0 { NO_PLACE } else { random.below(QUARTER_BYTES) as u8 });
            let permuted = word!(isa, (word, places), |simd| simd.permute(simd.load(word), simd.load(places)));
            let expected = bytes(|at| match places.0[at] {
                NO_PLACE => 0,
                place => word.0[at - at % QUARTER_BYTES + usize::from(place)],
            });
            assert_eq!(permuted, expected, "{isa}");
        }
    }
}

#[test]
fn matrices_are_transposed() {
    let mut random = SplitMix64::new(4);
    for isa in available() {
        let matrix: ByteMatrix = std::array::from_fn(|_| bytes(|_| random.below(256) as u8));
        let transposed = run!(isa, (matrix: ByteMatrix) -> ByteMatrix, |simd| {
            let mut matrix = *matrix;
            simd.transpose(&mut matrix);
            matrix
        });
        for (row, column) in (0..WORD_BYTES).flat_map(|row| (0..WORD_BYTES).map(move |column| (row, column))) {
            assert_eq!(transposed[row].0[column], matrix[column].0[row], "{isa}, {row}, {column}");
        }
    }
}

/// Keys with random bits, where each byte of the word contains a random number of keys.
#[test]
fn the_plane_of_a_line_contains_its_bit_of_each_key() {
    let mut random = SplitMix64::new(6);
    for isa in available() {
        for length in [8, 65, 400, 512] {
            let keys: Vec<u64> = (0..length + 8).map(|_| random.next_u64() & random.next_u64()).collect();
            let mut at = 0;
            let ends: Ends = std::array::from_fn(|_| {
                let to = (at + random.below(KEYS_PER_BYTE + 1)).min(length);
                let ends = [at as u32, to as u32];
                at = to;
                ends
            });
            let planes = run!(isa, (keys: Vec<u64>, ends: Ends) -> LinePlanes, |simd| {
                let mut planes = [Cell([3; WORD_BYTES]); LINES];
                simd.line_planes(keys, ends, &mut planes);
                planes
            });
            for (line, plane) in planes.iter().enumerate() {
                let of_byte = |[from, to]: [u32; 2]| {
                    let keys = keys[from as usize..to as usize].iter().enumerate();
                    keys.fold(0, |bits, (k, key)| bits | ((key >> line & 1) as u8) << k)
                };
                assert_eq!(*plane, bytes(|byte| of_byte(ends[byte])), "{isa}, line {line}");
            }
        }
    }
}

#[test]
fn keys_without_a_line_are_kept_in_order() {
    let mut random = SplitMix64::new(7);
    let check = |isa: Isa, length: usize, lines: u64, random: &mut SplitMix64| {
        let keys: Vec<u64> = (0..length).map(|_| random.next_u64() & random.next_u64() & random.next_u64()).collect();
        let lanes: Vec<u32> = (0..length as u32).map(|at| at * 3 + 1).collect();
        let kept = run!(isa, (keys: Vec<u64>, lanes: Vec<u32>, lines: u64) -> (Vec<u64>, Vec<u32>), |simd| {
            let (mut out, mut out_lanes) = (vec![0; keys.len()], vec![0; keys.len()]);
            let length = simd.filter(keys, lanes, *lines, &mut out, &mut out_lanes);
            out.truncate(length);
            out_lanes.truncate(length);
            (out, out_lanes)
        });
        let expected = keys.iter().zip(&lanes).filter(|(key, _)| *key & lines == 0);
        assert_eq!(kept, expected.map(|(&key, &lane)| (key, lane)).unzip(), "{isa}, {length} keys");
    };
    for isa in available() {
        for length in [0, 8, 16, 104] {
            for lines in [0, 1, 1 << 63, 0x0000_0100_0010_0000, u64::MAX] {
                check(isa, length, lines, &mut random);
            }
        }
    }
}
