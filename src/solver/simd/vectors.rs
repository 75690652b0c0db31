//! The operations of `bitmask`: vectors of integers.

use super::Simd;

/// What a vector of `bitmask` holds: integers of 32 bits, of which a vector has twice as many, or of 64.
pub(crate) trait Integer: Copy + Default + Into<u64> + Send + 'static {
    const BITS: u32;
    /// The token `S`, as one for vectors of these integers.
    type Token<S: Simd>: Vectors<Self>;

    /// The low bits of a number.
    fn of(bits: u64) -> Self;
    /// The token itself, by its other type.
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

/// Operations on a vector of [`WIDTH`](Vectors::WIDTH) integers. A set of them is given as a bit each.
pub(crate) trait Vectors<I: Integer>: Copy {
    const WIDTH: usize;
    type Vector: Copy;

    fn splat(self, integer: I) -> Self::Vector;
    /// Reads a vector from a slice of at least its width.
    fn load(self, from: &[I]) -> Self::Vector;
    fn and(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    fn or(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    fn xor(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// `a & !b & !c`.
    fn and_neither(self, a: Self::Vector, b: Self::Vector, c: Self::Vector) -> Self::Vector;
    /// Every integer less one, modulo 2 to the power of its bits.
    fn decrement(self, a: Self::Vector) -> Self::Vector;
    /// Every integer shifted by the same number of bits, below its own.
    fn shift_left(self, a: Self::Vector, by: u32) -> Self::Vector;
    /// Every integer shifted by the same number of bits, below its own.
    fn shift_right(self, a: Self::Vector, by: u32) -> Self::Vector;
    /// The integers that are not zero.
    fn nonzero(self, a: Self::Vector) -> u32;
    /// Writes the integers of `set` in a row to the front of a slice of at least the vector's width. What comes after them
    /// in that width is arbitrary.
    fn keep(self, to: &mut [I], set: u32, a: Self::Vector);
}
