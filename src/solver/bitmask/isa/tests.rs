//! Each operation on words against its definition, lane by lane, with every instruction set that the machine has.

use super::{Kernel, Lanes, SETS, dispatch};
use crate::solver::isa::tests::available;
use crate::splitmix::SplitMix64;

/// As many words as the widest vector has.
const WORDS: usize = 8;

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

/// The same from the definitions.
fn expected(Operations { a, b, c, by }: &Operations) -> Results {
    let each = |operation: &dyn Fn(usize) -> u64| std::array::from_fn(operation);
    [
        each(&|i| a[i]),
        each(&|i| a[i] & b[i]),
        each(&|i| a[i] | b[i]),
        each(&|i| a[i] ^ b[i]),
        each(&|i| a[i] & !b[i] & !c[i]),
        each(&|i| a[i].wrapping_sub(1)),
        each(&|i| a[i] << by),
        each(&|i| a[i] >> by),
    ]
}

impl Kernel for &Operations {
    type Output = (Results, [u32; WORDS], Words);

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> Self::Output {
        let (mut results, mut nonzero, mut splat) = ([[0; WORDS]; 8], [0; WORDS], [0; WORDS]);
        let all = (1 << L::WIDTH) - 1;
        for at in (0..WORDS).step_by(L::WIDTH) {
            let [a, b, c] = [&self.a, &self.b, &self.c].map(|words| lanes.load(&words[at..]));
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
            lanes.keep(&mut splat[at..], all, lanes.splat(self.a[0]));
            let set = lanes.nonzero(a);
            assert_eq!(set & !all, 0, "no bit beyond the lanes");
            (0..L::WIDTH).for_each(|lane| nonzero[at + lane] = set >> lane & 1);
        }
        (results, nonzero, splat)
    }
}

#[test]
fn every_operation_is_what_it_says_in_every_lane() {
    let mut random = SplitMix64::new(1);
    let special = [0, 1, 2, u64::MAX, 1 << 31, 1 << 32, 1 << 63, u64::from(u32::MAX)];
    for isa in available(SETS) {
        for round in 0..64 {
            let mut words = |round: usize| -> Words {
                std::array::from_fn(|i| {
                    if (round + i).is_multiple_of(3) { special[(round + i) % 8] } else { random.next_u64() }
                })
            };
            let operations = Operations { a: words(round), b: words(round + 1), c: words(round + 5), by: round as u32 };
            let (results, nonzero, splat) = dispatch(isa, &operations);
            assert_eq!(results, expected(&operations), "{}", isa.name());
            assert_eq!(nonzero, operations.a.map(|word| u32::from(word != 0)), "{}", isa.name());
            assert_eq!(splat, [operations.a[0]; WORDS], "{}", isa.name());
        }
    }
}

/// Writes a set of lanes to the front of a slice, which is given back.
struct Keep {
    words: Words,
    set: u32,
}

impl Kernel for &Keep {
    type Output = (usize, [u64; WORDS + 1]);

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> Self::Output {
        let mut to = [u64::MAX; WORDS + 1];
        lanes.keep(&mut to, self.set & ((1 << L::WIDTH) - 1), lanes.load(&self.words));
        (L::WIDTH, to)
    }
}

#[test]
fn the_lanes_of_every_set_are_kept_in_their_order_and_nothing_is_written_beyond_the_vector() {
    for isa in available(SETS) {
        for set in 0..1 << WORDS {
            let words = std::array::from_fn(|i| 10 + i as u64);
            let (width, to) = dispatch(isa, &Keep { words, set });
            let kept: Vec<u64> = (0..width).filter(|lane| set >> lane & 1 == 1).map(|lane| words[lane]).collect();
            assert_eq!(to[..kept.len()], kept, "{}, {set:b}", isa.name());
            assert!(to[width..].iter().all(|&word| word == u64::MAX), "{}, {set:b}", isa.name());
        }
    }
}

/// Which code a machine has for a name it knows.
#[test]
fn every_instruction_set_runs_its_own_code_or_that_of_a_lesser_one() {
    struct Width;
    impl Kernel for Width {
        type Output = usize;
        #[inline(always)]
        fn run<L: Lanes>(self, _lanes: L) -> usize {
            L::WIDTH
        }
    }
    use crate::solver::Isa;
    for isa in available(&Isa::ALL) {
        let width = match isa {
            Isa::Avx512 | Isa::Avx512Bitalg => 8,
            Isa::Avx2 | Isa::Neon => 4,
            _ => 1,
        };
        assert_eq!(dispatch(isa, Width), width, "{}", isa.name());
    }
}
