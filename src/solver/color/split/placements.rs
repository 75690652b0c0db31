//! Placements of queens on some rows of one sub-board.

use super::{Geometry, SubBoard, Subset, elements, full};
use crate::CancelToken;

/// Queens of one sub-board: the columns and the lines that they take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Queens {
    pub(crate) columns: Subset,
    pub(crate) key: u64,
}

impl Queens {
    pub(crate) const NONE: Self = Self { columns: 0, key: 0 };

    /// With one queen more.
    #[inline(always)]
    pub(crate) fn with(self, geometry: Geometry, board: SubBoard, row: usize, column: usize) -> Self {
        Self { columns: self.columns | 1 << column, key: self.key | geometry.lines(board, row, column) }
    }
}

/// Calls `visit`, in lexicographic order, with every placement on this sub-board that has `queens` and one more queen
/// in each of `rows`, none attacking another; when cancelled, with some of them.
pub(crate) fn extend(
    geometry: Geometry,
    board: SubBoard,
    rows: &[usize],
    queens: Queens,
    cancel: &CancelToken,
    visit: &mut impl FnMut(Queens),
) {
    let Some((&row, rest)) = rows.split_first() else {
        return visit(queens);
    };
    if rows.len() > UNCHECKED_ROWS && cancel.is_cancelled() {
        return;
    }
    for column in elements(free_columns(geometry, board, row, queens.columns, queens.key)) {
        extend(geometry, board, rest, queens.with(geometry, board, row, column), cancel, visit);
    }
}

/// Rows below which listing does not ask whether it was cancelled.
const UNCHECKED_ROWS: usize = 4;

/// The columns of a row that are neither taken nor on a line of `key`.
#[inline(always)]
pub(crate) fn free_columns(geometry: Geometry, board: SubBoard, row: usize, columns: Subset, key: u64) -> Subset {
    // The lines of the row's first square; the next squares' are the next bits.
    let first = geometry.lines(board, row, 0);
    let diagonals = (key as u32) >> (first as u32).trailing_zeros();
    let antidiagonals = ((key >> 32) as u32) >> ((first >> 32) as u32).trailing_zeros();
    full(geometry.columns(board)) & !(columns | diagonals | antidiagonals)
}
