//! The exchange of submatrices of bytes, for instruction sets that transpose only within them.

use super::words::ByteMatrix;

/// Transposes a matrix of 4 x 4 submatrices of 16 x 16 bytes, without transposing the submatrices themselves.
#[inline(always)]
pub(super) fn swap_submatrices(matrix: &mut ByteMatrix) {
    for i in 1..4 {
        let (upper, lower) = matrix.split_at_mut(16 * i);
        for j in 0..i {
            for (upper, lower) in upper[16 * j..][..16].iter_mut().zip(&mut *lower) {
                std::mem::swap(&mut upper.0.as_chunks_mut::<16>().0[i], &mut lower.0.as_chunks_mut::<16>().0[j]);
            }
        }
    }
}
