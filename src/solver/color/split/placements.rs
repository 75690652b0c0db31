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
}

/// A row of a sub-board, with what is the same for all queens that are placed in it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BoardRow {
    pub(crate) number: usize,
    /// The lines of its first square; the next squares' are the next bits.
    lines: u64,
    /// Which bits those two are.
    diagonal: u32,
    antidiagonal: u32,
    /// All its columns.
    columns: Subset,
}

impl BoardRow {
    /// Row number `number` of this sub-board.
    #[inline(always)]
    pub(crate) fn new(geometry: Geometry, board: SubBoard, number: usize) -> Self {
        let lines = geometry.lines(board, number, 0);
        let [diagonal, antidiagonal] = [lines.trailing_zeros(), 63 - lines.leading_zeros()];
        Self { number, lines, diagonal, antidiagonal, columns: full(geometry.columns(board)) }
    }

    /// The rows of these numbers.
    pub(crate) fn all(geometry: Geometry, board: SubBoard, numbers: &[usize]) -> Vec<Self> {
        numbers.iter().map(|&number| Self::new(geometry, board, number)).collect()
    }

    /// Its columns that no queen has taken and no line of one meets.
    #[inline(always)]
    pub(crate) fn free(&self, queens: Queens) -> Subset {
        // A row has at most 16 squares and their lines are 32 bits apart, so that the ones do not reach the others.
        let taken = queens.key >> self.diagonal | queens.key >> self.antidiagonal;
        self.columns & !(queens.columns | taken as Subset)
    }

    /// The queens and one more, in this column.
    #[inline(always)]
    pub(crate) fn place(&self, queens: Queens, column: usize) -> Queens {
        Queens { columns: queens.columns | 1 << column, key: queens.key | self.lines << column }
    }
}

/// Calls `visit`, in lexicographic order, with every placement that has `queens` and one more queen in each of `rows`,
/// none attacking another; when cancelled, with some of them.
pub(crate) fn extend(rows: &[BoardRow], queens: Queens, cancel: &CancelToken, visit: &mut impl FnMut(Queens)) {
    let Some((row, rest)) = rows.split_first() else {
        return visit(queens);
    };
    if rows.len() > UNCHECKED_ROWS && cancel.is_cancelled() {
        return;
    }
    for column in elements(row.free(queens)) {
        extend(rest, row.place(queens, column), cancel, visit);
    }
}

/// Rows below which listing does not ask whether it was cancelled.
const UNCHECKED_ROWS: usize = 4;
