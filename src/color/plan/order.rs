//! The order in which a walk takes the even rows, and the order of the sets E that follows from it.

use crate::color::split::Subset;

/// The even rows, from the middle outward. Queens in the middle attack most squares, so fewest keys stay alive.
pub(crate) fn row_order(rows: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..rows).collect();
    order.sort_by_key(|&row| (2 * row + 1).abs_diff(rows));
    order
}

/// Sorts sets of even rows by their first rows in `order`. Sets with equal first rows become neighbors, for white
/// walks and for black walks.
pub(super) fn sort_by_rows(sets: &mut [Subset], order: &[usize]) {
    // No two sets have equal keys. A stable sort would allocate.
    sets.sort_unstable_by_key(|&set| {
        std::cmp::Reverse(order.iter().fold(0u32, |key, &row| key << 1 | (set >> row & 1)))
    });
}
