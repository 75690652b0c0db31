//! The squares of the next row, as text and pictures show them.

use nqueens::trace::Masks;

/// The state of a square in the next row: the lines along which it is attacked, and whether it is free. A square that
/// is neither was tried.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Square {
    pub(super) on_column: bool,
    pub(super) on_diagonal: bool,
    pub(super) on_antidiagonal: bool,
    pub(super) is_free: bool,
}

impl Square {
    pub(super) fn of(masks: &Masks, column: usize) -> Self {
        let is_in = |mask: u64| mask >> column & 1 == 1;
        Self {
            on_column: is_in(masks.columns),
            on_diagonal: is_in(masks.diagonals),
            on_antidiagonal: is_in(masks.antidiagonals),
            is_free: is_in(masks.free),
        }
    }
}
