//! Operations on vectors of integers of both widths, integer by integer.

use super::available;
use crate::solver::simd::portable::Portable;
use crate::solver::simd::{Integer, Isa, Kernel, Simd, Vectors, dispatch};
use crate::splitmix::SplitMix64;

/// Number of integers of the widest vector.
const WIDEST: usize = 16;

type Integers = [u64; WIDEST];

/// The code of each instruction set, and the plain Rust code (`None`), which no x86-64 uses for vectors.
fn codes() -> impl Iterator<Item = Option<Isa>> {
    available().map(Some).chain([None])
}

fn run<K: Kernel>(code: Option<Isa>, kernel: K) -> K::Output {
    match code {
        Some(isa) => dispatch(isa, kernel),
        None => kernel.run(Portable),
    }
}

/// All operations, a vector at a time.
#[derive(Clone, Copy)]
struct Operations<I> {
    a: [I; WIDEST],
    b: [I; WIDEST],
    c: [I; WIDEST],
    /// Bits to shift.
    by: u32,
}

/// A row of results for each operation.
type Results = [Integers; 8];

/// The results by definition, cut to the width of `I`.
fn expected<I: Integer>(Operations { a, b, c, by }: Operations<I>) -> Results {
    let [a, b, c] = [a, b, c].map(|integers| integers.map(Into::into));
    let each = |operation: &dyn Fn(usize) -> u64| std::array::from_fn(|i| I::of(operation(i)).into());
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

impl<I: Integer> Kernel for Operations<I> {
    type Output = (Results, [u32; WIDEST], Integers);

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Self::Output {
        self.with(I::token(simd))
    }
}

impl<I: Integer> Operations<I> {
    #[inline(always)]
    fn with<V: Vectors<I>>(self, vectors: V) -> (Results, [u32; WIDEST], Integers) {
        let zeros = [I::default(); WIDEST];
        let (mut results, mut nonzero, mut splat) = ([zeros; 8], [0; WIDEST], zeros);
        let all = (1 << V::WIDTH) - 1;
        for at in (0..WIDEST).step_by(V::WIDTH) {
            let [a, b, c] = [&self.a, &self.b, &self.c].map(|integers| vectors.load(&integers[at..]));
            let of_vector = [
                a,
                vectors.and(a, b),
                vectors.or(a, b),
                vectors.xor(a, b),
                vectors.and_neither(a, b, c),
                vectors.decrement(a),
                vectors.shift_left(a, self.by),
                vectors.shift_right(a, self.by),
            ];
            for (result, vector) in results.iter_mut().zip(of_vector) {
                vectors.keep(&mut result[at..], all, vector);
            }
            vectors.keep(&mut splat[at..], all, vectors.splat(self.a[0]));
            let set = vectors.nonzero(a);
            assert_eq!(set & !all, 0, "no bit beyond the vector");
            (0..V::WIDTH).for_each(|i| nonzero[at + i] = set >> i & 1);
        }
        (results.map(|integers| integers.map(Into::into)), nonzero, splat.map(Into::into))
    }
}

fn every_operation_is_what_it_says<I: Integer>() {
    let mut random = SplitMix64::new(1);
    let special = [0, 1, 2, u64::MAX, 1 << 31, 1 << 32, 1 << 63, u64::from(u32::MAX)];
    for code in codes() {
        for round in 0..64 {
            let mut integers = |round: usize| -> [I; WIDEST] {
                std::array::from_fn(|i| {
                    I::of(if (round + i).is_multiple_of(3) { special[(round + i) % 8] } else { random.next_u64() })
                })
            };
            let by = round as u32 % I::BITS;
            let operations = Operations { a: integers(round), b: integers(round + 1), c: integers(round + 5), by };
            let (results, nonzero, splat) = run(code, operations);
            let name = format!("{code:?}, {} bits", I::BITS);
            assert_eq!(results, expected(operations), "{name}");
            assert_eq!(nonzero, operations.a.map(|integer| u32::from(integer.into() != 0)), "{name}");
            assert_eq!(splat, [operations.a[0].into(); WIDEST], "{name}");
        }
    }
}

#[test]
fn every_operation_is_what_it_says_in_every_place() {
    every_operation_is_what_it_says::<u32>();
    every_operation_is_what_it_says::<u64>();
}

/// Calls `keep` with a set of integers.
struct Keep<I> {
    integers: [I; WIDEST],
    set: u32,
}

impl<I: Integer> Kernel for Keep<I> {
    /// The vector's width, and the slice that `keep` wrote to.
    type Output = (usize, [u64; WIDEST + 1]);

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Self::Output {
        self.with(I::token(simd))
    }
}

impl<I: Integer> Keep<I> {
    #[inline(always)]
    fn with<V: Vectors<I>>(self, vectors: V) -> (usize, [u64; WIDEST + 1]) {
        let mut to = [I::of(u64::MAX); WIDEST + 1];
        vectors.keep(&mut to, self.set & ((1 << V::WIDTH) - 1), vectors.load(&self.integers));
        (V::WIDTH, to.map(Into::into))
    }
}

fn the_integers_of_every_set_are_kept<I: Integer>() {
    let untouched: u64 = I::of(u64::MAX).into();
    for code in codes() {
        for set in 0..1 << WIDEST {
            let integers: Integers = std::array::from_fn(|i| 10 + i as u64);
            let (width, to) = run(code, Keep { integers: integers.map(I::of), set });
            let kept: Vec<u64> = (0..width).filter(|i| set >> i & 1 == 1).map(|i| integers[i]).collect();
            let name = || format!("{code:?}, {} bits, {set:b}", I::BITS);
            assert_eq!(to[..kept.len()], kept, "{}", name());
            assert!(to[width..].iter().all(|&integer| integer == untouched), "{}", name());
        }
    }
}

#[test]
fn the_integers_of_every_set_are_kept_in_their_order_and_nothing_is_written_beyond_the_vector() {
    the_integers_of_every_set_are_kept::<u32>();
    the_integers_of_every_set_are_kept::<u64>();
}

/// A wrong dispatch would still count right, but with vectors of another width.
#[test]
fn every_instruction_set_runs_its_own_code() {
    struct Widths;
    impl Kernel for Widths {
        type Output = [usize; 2];

        #[inline(always)]
        fn run<S: Simd>(self, _simd: S) -> [usize; 2] {
            [<S as Vectors<u32>>::WIDTH, <S as Vectors<u64>>::WIDTH]
        }
    }
    for isa in available() {
        let widths = match isa {
            Isa::Avx512 | Isa::Avx512Bitalg => [16, 8],
            Isa::Avx2 => [8, 4],
            Isa::Neon => [4, 4],
            Isa::Portable if cfg!(target_arch = "x86_64") => [4, 2],
            Isa::Portable => [1, 1],
        };
        assert_eq!(dispatch(isa, Widths), widths, "{isa}");
    }
}
