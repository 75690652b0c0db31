//! The operations of `bitmask`: vectors of integers.

use super::Simd;

/// An integer in a vector of `bitmask`, of 32 or 64 bits. With x86-64, a vector has twice as many of 32 bits.
pub(crate) trait Integer: Copy + Default + Into<u64> + Send + 'static {
    const BITS: u32;
    /// The token `S`, which is also a token for vectors of these integers.
    type Token<S: Simd>: Vectors<Self>;

    /// Keeps the low bits of a number.
    fn of(bits: u64) -> Self;
    /// Returns `simd`.
    fn token<S: Simd>(simd: S) -> Self::Token<S>;
}

macro_rules! integers {
    ($($integer:ty),*) => {$(
        impl Integer for $integer {
            const BITS: u32 = <$integer>::BITS;
            type Token<S: Simd> = S;

            #[inline(always)]
            fn of(bits: u64) -> Self {
                bits as Self
            }

            #[inline(always)]
            fn token<S: Simd>(simd: S) -> S {
                simd
            }
        }
    )*};
}
integers!(u32, u64);

/// Operations on a vector of [`WIDTH`](Vectors::WIDTH) integers. A set of integers has a bit for each integer of a
/// vector.
pub(crate) trait Vectors<I: Integer>: Copy {
    const WIDTH: usize;
    type Vector: Copy;

    /// Makes a vector of equal integers.
    fn splat(self, integer: I) -> Self::Vector;
    /// Reads a vector from a slice of at least its width.
    fn load(self, from: &[I]) -> Self::Vector;
    fn and(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    fn or(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    fn xor(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// `a & !b & !c`.
    fn and_neither(self, a: Self::Vector, b: Self::Vector, c: Self::Vector) -> Self::Vector;
    /// Subtracts 1 from every integer. 0 wraps.
    fn decrement(self, a: Self::Vector) -> Self::Vector;
    /// Shifts every integer by `by` bits. `by` must be less than [`BITS`](Integer::BITS).
    fn shift_left(self, a: Self::Vector, by: u32) -> Self::Vector;
    /// Shifts every integer by `by` bits. `by` must be less than [`BITS`](Integer::BITS).
    fn shift_right(self, a: Self::Vector, by: u32) -> Self::Vector;
    /// The set of integers that are not zero.
    fn nonzero(self, a: Self::Vector) -> u32;
    /// Writes the integers of `set`, in order, to the front of `to`. `to` must have room for a vector. The rest of that
    /// room gets arbitrary values.
    fn keep(self, to: &mut [I], set: u32, a: Self::Vector);
}
