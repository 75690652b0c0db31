//! The rows of a walk, in the order in which it takes them. Its first rows are the prefix, whose queens are placed when
//! keys are packed, and programs place the queens of the other rows.

use crate::color::split::{BoardRow, Geometry, SubBoard, Subset};

/// Returns the even rows from the middle outward, because queens in the middle attack the most squares and thus leave
/// the fewest keys alive.
pub(crate) fn row_order(rows: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..rows).collect();
    order.sort_by_key(|&row| (2 * row + 1).abs_diff(rows));
    order
}

/// Sorts sets of even rows by their first rows in `order`. Sets with equal first rows become neighbors, and so do their
/// complements, which are the rows of black walks.
pub(super) fn sort_by_rows(sets: &mut [Subset], order: &[usize]) {
    // No two sets have equal sort keys, and a stable sort would allocate.
    sets.sort_unstable_by_key(|&set| {
        std::cmp::Reverse(order.iter().fold(0u32, |key, &row| key << 1 | (set >> row & 1)))
    });
}

/// The rows of a walk, divided into prefix and rest. They are masks, not vectors, because a unit divides the rows of
/// each of its terms.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WalkRows<'a> {
    geometry: Geometry,
    board: SubBoard,
    /// The order in which walks take rows.
    order: &'a [usize],
    /// The rows of the prefix.
    pub(crate) prefix: Subset,
    /// The other rows of the walk.
    pub(crate) rest: Subset,
    /// The rows that any walk with this prefix may take after it. Packs contain planes for these rows. All walks of a
    /// side have equally many queens, so either all walks with this prefix go on after it or none does. The rows
    /// therefore depend on the prefix alone, so that all these walks can use the same packs.
    pub(crate) after_prefix: Subset,
}

impl<'a> WalkRows<'a> {
    /// Divides `set`, a set of rows of a sub-board. The first `length` of them in `order` are the prefix.
    pub(crate) fn new(geometry: Geometry, board: SubBoard, set: Subset, length: usize, order: &'a [usize]) -> Self {
        let prefix = Self::first_rows(set, length, order);
        let rest = set & !prefix;
        let after = order.iter().rev().take_while(|&row| rest > 0 && prefix >> row & 1 == 0);
        let after_prefix = after.fold(0, |rows, row| rows | 1 << row);
        Self { geometry, board, order, prefix, rest, after_prefix }
    }

    /// Returns the first `length` rows of `set` in `order`.
    pub(super) fn first_rows(set: Subset, length: usize, order: &[usize]) -> Subset {
        let rows = order.iter().filter(|&row| set >> row & 1 == 1);
        rows.take(length).fold(0, |first, row| first | 1 << row)
    }

    /// Iterates over `rows` in the order in which walks take them.
    pub(crate) fn of(&self, rows: Subset) -> impl Iterator<Item = BoardRow> + use<'a> {
        let Self { geometry, board, order, .. } = *self;
        let rows = order.iter().filter(move |&row| rows >> row & 1 == 1);
        rows.map(move |&row| BoardRow::new(geometry, board, row))
    }
}
