//! Placements of queens on rows of one sub-board.

use super::{Geometry, SubBoard, Subset, elements, full};
use crate::cancel::{CancelToken, Cancelled};

/// Queens on one sub-board: their columns, and their lines as a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Queens {
    pub(crate) columns: Subset,
    pub(crate) key: u64,
}

impl Queens {
    pub(crate) const NONE: Self = Self { columns: 0, key: 0 };
}

/// Returns the numbers of the diagonal and the antidiagonal that are the key of one queen.
#[inline(always)]
pub(crate) fn two_lines(key: u64) -> [u32; 2] {
    [key.trailing_zeros(), 63 - key.leading_zeros()]
}

/// A row of a sub-board with precomputed lines.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BoardRow {
    pub(crate) number: usize,
    /// The lines of the first square. Shifted left by j, they are the lines of square j.
    lines: u64,
    /// The number of the first square's diagonal bit.
    diagonal: u32,
    /// The number of the first square's antidiagonal bit.
    antidiagonal: u32,
    /// All columns of the row.
    columns: Subset,
}

impl BoardRow {
    /// Returns row number `number` of `board`.
    #[inline(always)]
    pub(crate) fn new(geometry: Geometry, board: SubBoard, number: usize) -> Self {
        let lines = geometry.lines(board, number, 0);
        let [diagonal, antidiagonal] = two_lines(lines);
        Self { number, lines, diagonal, antidiagonal, columns: full(geometry.columns(board)) }
    }

    /// Returns the columns of the squares that no queen attacks.
    #[inline(always)]
    pub(crate) fn free(&self, queens: Queens) -> Subset {
        // A row has at most 16 squares, so its diagonals and its antidiagonals, which are 32 bits apart, do not
        // overlap.
        let taken = queens.key >> self.diagonal | queens.key >> self.antidiagonal;
        self.columns & !(queens.columns | taken as Subset)
    }

    /// Returns `queens` with one more queen, in `column`.
    #[inline(always)]
    pub(crate) fn place(&self, queens: Queens, column: usize) -> Queens {
        Queens { columns: queens.columns | 1 << column, key: queens.key | self.lines << column }
    }
}

/// Calls `visit` with every placement that consists of `queens` and one more queen in each of `rows`, in lexicographic
/// order. No queen attacks another.
///
/// # Errors
/// [`Cancelled`], and the errors of `visit`.
pub(crate) fn extend<E: From<Cancelled>>(
    rows: &[BoardRow],
    queens: Queens,
    cancel: &CancelToken,
    visit: &mut impl FnMut(Queens) -> Result<(), E>,
) -> Result<(), E> {
    let Some((row, rest)) = rows.split_first() else {
        return visit(queens);
    };
    if rows.len() > UNCHECKED_SUB_BOARD_ROWS {
        cancel.check()?;
    }
    for column in elements(row.free(queens)) {
        let queens = row.place(queens, column);
        // The last row is visited without a recursive call, because most of a list's time is spent there.
        if rest.is_empty() {
            visit(queens)?;
        } else {
            extend(rest, queens, cancel, visit)?;
        }
    }
    Ok(())
}

/// The maximum number of remaining rows for which a search for placements does not check for cancellation.
pub(crate) const UNCHECKED_SUB_BOARD_ROWS: usize = 4;
