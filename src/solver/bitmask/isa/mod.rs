//! The walk's vector operations, one file an instruction set, and the only `unsafe` of this solver.
//!
//! A type that implements [`Lanes`] is a token: it can only be had where the machine has the instructions.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod portable;

use super::occupancy::Occupancy;
use super::unit::Scratch;
use crate::CancelToken;
use crate::solver::Isa;

/// Operations on a vector of [`WIDTH`](Lanes::WIDTH) 64-bit words. Sets of lanes are given as a bit each.
pub(super) trait Lanes: Copy {
    const WIDTH: usize;
    type Words: Copy;

    fn splat(self, word: u64) -> Self::Words;
    /// Reads a vector from a slice of at least its width.
    fn load(self, from: &[u64]) -> Self::Words;
    fn and(self, a: Self::Words, b: Self::Words) -> Self::Words;
    fn or(self, a: Self::Words, b: Self::Words) -> Self::Words;
    fn xor(self, a: Self::Words, b: Self::Words) -> Self::Words;
    /// `a & !b & !c`.
    fn and_neither(self, a: Self::Words, b: Self::Words, c: Self::Words) -> Self::Words;
    /// Every word less one.
    fn decrement(self, a: Self::Words) -> Self::Words;
    fn shift_left(self, a: Self::Words, by: u32) -> Self::Words;
    fn shift_right(self, a: Self::Words, by: u32) -> Self::Words;
    /// The lanes that are not zero.
    fn nonzero(self, a: Self::Words) -> u32;
    /// Writes the lanes of `set` in a row to the front of a slice of at least the vector's width; what comes after them in
    /// that width is arbitrary.
    fn keep(self, to: &mut [u64], set: u32, a: Self::Words);
}

/// [`super::unit::count`] for one instruction set.
pub(super) type Count = fn(&mut Scratch, Occupancy, usize, &CancelToken) -> (u64, u64);

/// What there is code for.
pub(super) const SETS: &[Isa] =
    if cfg!(target_arch = "x86_64") { &[Isa::Portable, Isa::Avx2, Isa::Avx512] } else { &[Isa::Portable] };

/// The fastest code the machine has at or below `isa`.
pub(super) fn select(isa: Isa) -> Count {
    #[cfg(target_arch = "x86_64")]
    {
        if isa >= Isa::Avx512 && Isa::Avx512.is_available() {
            return avx512::count;
        }
        if isa >= Isa::Avx2 && Isa::Avx2.is_available() {
            return avx2::count;
        }
    }
    let _ = isa;
    portable::count
}
