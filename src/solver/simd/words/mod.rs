//! The vector operations of the walk: one small trait, one thin file per instruction set, one dispatch.
//!
//! An algorithm is written once as a [`Kernel`], generic over [`Lanes`] and over the [`Word`] that a lane holds. A value of
//! a `Lanes` type is a token: it exists only where the processor has its instructions, so its methods are safe to call.
//! They are `#[inline(always)]` and reach the processor's registers because a kernel is entered through one function
//! compiled for that instruction set.
//!
//! This folder knows operations on words and nothing of boards. No other folder of this solver has `unsafe` or
//! `cfg(target_arch)`.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "aarch64")]
mod neon;
#[cfg(any(test, not(target_arch = "x86_64")))]
mod portable;
#[cfg(target_arch = "x86_64")]
mod sse2;
#[cfg(test)]
mod tests;

use crate::solver::Isa;
#[cfg(not(target_arch = "x86_64"))]
use portable::Portable as Least;
/// What every processor of the architecture has.
#[cfg(target_arch = "x86_64")]
use sse2::Sse2 as Least;

/// What a lane holds: 32 bits, of which a vector has twice as many, or 64.
pub(crate) trait Word: Copy + Default + Into<u64> + Send + 'static {
    const BITS: u32;

    /// The word's low bits.
    fn of(word: u64) -> Self;

    /// Runs a kernel with the fastest code at or below `isa`, or what every processor has where the machine lacks it.
    fn dispatch<K: Kernel<Self>>(isa: Isa, kernel: K) -> K::Output;

    /// Runs a kernel in plain Rust, which is not what `dispatch` has for an x86-64.
    #[cfg(test)]
    fn run_plainly<K: Kernel<Self>>(kernel: K) -> K::Output;
}

/// Operations on a vector of [`WIDTH`](Lanes::WIDTH) words. Sets of lanes are given as a bit each.
pub(crate) trait Lanes<W: Word>: Copy {
    const WIDTH: usize;
    type Words: Copy;

    fn splat(self, word: W) -> Self::Words;
    /// Reads a vector from a slice of at least its width.
    fn load(self, from: &[W]) -> Self::Words;
    fn and(self, a: Self::Words, b: Self::Words) -> Self::Words;
    fn or(self, a: Self::Words, b: Self::Words) -> Self::Words;
    fn xor(self, a: Self::Words, b: Self::Words) -> Self::Words;
    /// `a & !b & !c`.
    fn and_neither(self, a: Self::Words, b: Self::Words, c: Self::Words) -> Self::Words;
    /// Every word less one, modulo 2 to the power of its bits.
    fn decrement(self, a: Self::Words) -> Self::Words;
    /// Every word shifted by the same number of bits, below its own.
    fn shift_left(self, a: Self::Words, by: u32) -> Self::Words;
    /// Every word shifted by the same number of bits, below its own.
    fn shift_right(self, a: Self::Words, by: u32) -> Self::Words;
    /// The lanes that are not zero.
    fn nonzero(self, a: Self::Words) -> u32;
    /// Writes the lanes of `set` in a row to the front of a slice of at least the vector's width; what comes after them in
    /// that width is arbitrary.
    fn keep(self, to: &mut [W], set: u32, a: Self::Words);
}

/// Code to be run with some instruction set. Implementations mark `run` `#[inline(always)]`, and all it calls.
pub(crate) trait Kernel<W: Word> {
    type Output;
    fn run<L: Lanes<W>>(self, lanes: L) -> Self::Output;
}

/// What there is code for.
pub(crate) const SETS: &[Isa] = if cfg!(target_arch = "x86_64") {
    &[Isa::Portable, Isa::Avx2, Isa::Avx512]
} else if cfg!(target_arch = "aarch64") {
    &[Isa::Portable, Isa::Neon]
} else {
    &[Isa::Portable]
};

macro_rules! words {
    ($($word:ty),*) => {$(
        impl Word for $word {
            const BITS: u32 = <$word>::BITS;

            #[inline(always)]
            fn of(word: u64) -> Self {
                word as Self
            }

            fn dispatch<K: Kernel<Self>>(isa: Isa, kernel: K) -> K::Output {
                match isa {
                    #[cfg(target_arch = "x86_64")]
                    Isa::Avx512 | Isa::Avx512Bitalg => match avx512::Avx512::detect() {
                        Some(lanes) => lanes.enter(kernel),
                        None => kernel.run(Least),
                    },
                    #[cfg(target_arch = "x86_64")]
                    Isa::Avx2 => match avx2::Avx2::detect() {
                        Some(lanes) => lanes.enter(kernel),
                        None => kernel.run(Least),
                    },
                    #[cfg(target_arch = "aarch64")]
                    Isa::Neon => match neon::Neon::detect() {
                        Some(lanes) => lanes.enter(kernel),
                        None => kernel.run(Least),
                    },
                    _ => kernel.run(Least),
                }
            }

            #[cfg(test)]
            fn run_plainly<K: Kernel<Self>>(kernel: K) -> K::Output {
                kernel.run(portable::Portable)
            }
        }
    )*};
}
words!(u32, u64);
