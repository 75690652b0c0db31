//! Each operation on words of both widths against its definition, lane by lane, with every instruction set that the
//! machine has.

use super::{Kernel, Lanes, SETS, Word};
use crate::solver::Isa;
use crate::solver::simd::isa::tests::available;
use crate::splitmix::SplitMix64;

/// As many words as the widest vector has.
const WORDS: usize = 16;

type Words = [u64; WORDS];

/// All operations on words, a vector at a time.
struct Operations {
    a: Words,
    b: Words,
    c: Words,
    /// How far to shift.
    by: u32,
}

/// What they give, a row an operation.
type Results = [Words; 8];

/// The same from the definitions, of which a word has the low bits.
fn expected<W: Word>(Operations { a, b, c, by }: &Operations) -> Results {
    let each = |operation: &dyn Fn(usize) -> u64| std::array::from_fn(|i| W::of(operation(i)).into());
    [
        each(&|i| a[i]),
        each(&|i| a[i] & b[i]),
        each(&|i| a[i] | b[i]),
        each(&|i| a[i] ^ b[i]),
        each(&|i| a[i] & !b[i] & !c[i]),
        each(&|i| a[i].wrapping_sub(1)),
        each(&|i| a[i] << by),
        each(&|i| W::of(a[i]).into() >> by),
    ]
}

impl<W: Word> Kernel<W> for &Operations {
    type Output = (Results, [u32; WORDS], Words);

    #[inline(always)]
    fn run<L: Lanes<W>>(self, lanes: L) -> Self::Output {
        let (mut results, mut nonzero, mut splat) = ([[W::default(); WORDS]; 8], [0; WORDS], [W::default(); WORDS]);
        let all = (1 << L::WIDTH) - 1;
        let [a, b, c] = [self.a, self.b, self.c].map(|words| words.map(W::of));
        for at in (0..WORDS).step_by(L::WIDTH) {
            let [a, b, c] = [&a, &b, &c].map(|words| lanes.load(&words[at..]));
            let of_vector = [
                a,
                lanes.and(a, b),
                lanes.or(a, b),
                lanes.xor(a, b),
                lanes.and_neither(a, b, c),
                lanes.decrement(a),
                lanes.shift_left(a, self.by),
                lanes.shift_right(a, self.by),
            ];
            for (result, words) in results.iter_mut().zip(of_vector) {
                lanes.keep(&mut result[at..], all, words);
            }
            lanes.keep(&mut splat[at..], all, lanes.splat(W::of(self.a[0])));
            let set = lanes.nonzero(a);
            assert_eq!(set & !all, 0, "no bit beyond the lanes");
            (0..L::WIDTH).for_each(|lane| nonzero[at + lane] = set >> lane & 1);
        }
        (results.map(|words| words.map(Into::into)), nonzero, splat.map(Into::into))
    }
}

/// Runs a kernel with an instruction set, or in plain Rust.
fn run<W: Word, K: Kernel<W>>(isa: Option<Isa>, kernel: K) -> K::Output {
    match isa {
        Some(isa) => W::dispatch(isa, kernel),
        None => W::run_plainly(kernel),
    }
}

fn every_operation_is_what_it_says<W: Word>() {
    let mut random = SplitMix64::new(1);
    let special = [0, 1, 2, u64::MAX, 1 << 31, 1 << 32, 1 << 63, u64::from(u32::MAX)];
    for isa in available(SETS).into_iter().map(Some).chain([None]) {
        for round in 0..64 {
            let mut words = |round: usize| -> Words {
                std::array::from_fn(|i| {
                    if (round + i).is_multiple_of(3) { special[(round + i) % 8] } else { random.next_u64() }
                })
            };
            let by = round as u32 % W::BITS;
            let operations = Operations { a: words(round), b: words(round + 1), c: words(round + 5), by };
            let (results, nonzero, splat) = run::<W, _>(isa, &operations);
            let name = format!("{isa:?}, {} bits", W::BITS);
            assert_eq!(results, expected::<W>(&operations), "{name}");
            let [zero, first]: [u64; 2] = [W::of(0), W::of(operations.a[0])].map(Into::into);
            assert_eq!(nonzero, operations.a.map(|word| u32::from(W::of(word).into() != zero)), "{name}");
            assert_eq!(splat, [first; WORDS], "{name}");
        }
    }
}

#[test]
fn every_operation_is_what_it_says_in_every_lane() {
    every_operation_is_what_it_says::<u32>();
    every_operation_is_what_it_says::<u64>();
}

/// Writes a set of lanes to the front of a slice, which is given back.
struct Keep {
    words: Words,
    set: u32,
}

impl<W: Word> Kernel<W> for &Keep {
    type Output = (usize, [u64; WORDS + 1]);

    #[inline(always)]
    fn run<L: Lanes<W>>(self, lanes: L) -> Self::Output {
        let mut to = [W::of(u64::MAX); WORDS + 1];
        lanes.keep(&mut to, self.set & ((1 << L::WIDTH) - 1), lanes.load(&self.words.map(W::of)));
        (L::WIDTH, to.map(Into::into))
    }
}

fn the_lanes_of_every_set_are_kept<W: Word>() {
    let untouched: u64 = W::of(u64::MAX).into();
    for isa in available(SETS).into_iter().map(Some).chain([None]) {
        for set in 0..1 << if cfg!(miri) { 8 } else { WORDS } {
            let words = std::array::from_fn(|i| 10 + i as u64);
            let (width, to) = run::<W, _>(isa, &Keep { words, set });
            let kept: Vec<u64> = (0..width).filter(|lane| set >> lane & 1 == 1).map(|lane| words[lane]).collect();
            let name = || format!("{isa:?}, {} bits, {set:b}", W::BITS);
            assert_eq!(to[..kept.len()], kept, "{}", name());
            assert!(to[width..].iter().all(|&word| word == untouched), "{}", name());
        }
    }
}

#[test]
fn the_lanes_of_every_set_are_kept_in_their_order_and_nothing_is_written_beyond_the_vector() {
    the_lanes_of_every_set_are_kept::<u32>();
    the_lanes_of_every_set_are_kept::<u64>();
}

/// Which code a machine has for a name it knows.
#[test]
fn every_instruction_set_runs_its_own_code_or_that_of_a_lesser_one() {
    struct Width;
    impl<W: Word> Kernel<W> for Width {
        type Output = usize;
        #[inline(always)]
        fn run<L: Lanes<W>>(self, _lanes: L) -> usize {
            L::WIDTH
        }
    }
    for isa in available(&Isa::ALL) {
        let widths = match isa {
            Isa::Avx512 | Isa::Avx512Bitalg => [16, 8],
            Isa::Avx2 => [8, 4],
            Isa::Neon => [4, 4],
            _ if cfg!(target_arch = "x86_64") => [4, 2],
            _ => [1, 1],
        };
        assert_eq!([u32::dispatch(isa, Width), u64::dispatch(isa, Width)], widths, "{}", isa.name());
    }
}
