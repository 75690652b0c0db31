//! The numbers of a pack's planes.
//!
//! A pack stores planes in the order of these numbers, and a program names planes by them. The packer and the draft of
//! programs number the planes independently, often for different sets E. Both get the same numbers, because
//! [`PlaneNumbers::renumber`] depends only on the prefix and on the rows of the sub-board that may follow it, not on
//! those that E contains. The programs of all E whose prefixes are on the same rows therefore fit the same packs.

use crate::color::plan::WalkRows;
use crate::color::split::{Queens, SIDE, elements, pair, two_lines};

/// The plane without bits. And-not with it changes nothing, so it stands for a row that the walk does not have.
pub(crate) const NO_PLANE: u16 = 0;
/// The plane in which the bits of all keys of the pack are set.
pub(crate) const ALL_KEYS: u16 = 1;
/// The number of the plane of the first square.
pub(super) const FIRST_SQUARE: u16 = 2;

/// The numbers of a pack's planes: one for each square that the prefix does not attack, on the rows that may follow it.
#[derive(Debug, Clone)]
pub(crate) struct PlaneNumbers {
    /// The plane of each square, at the [`pair`] of its row and column, or [`NO_PLANE`] if it has none.
    number: [u16; SIDE * SIDE],
    squares: Vec<Square>,
}

/// A square that has a plane.
#[derive(Debug, Clone, Copy)]
struct Square {
    /// Its index in `number`.
    index: u8,
    /// The numbers of its diagonal and its antidiagonal.
    lines: [u8; 2],
}

impl Default for PlaneNumbers {
    fn default() -> Self {
        Self { number: [NO_PLANE; SIDE * SIDE], squares: Vec::new() }
    }
}

impl PlaneNumbers {
    /// Numbers the planes for a prefix of a walk.
    pub(crate) fn renumber(&mut self, prefix: Queens, rows: WalkRows<'_>) {
        for square in self.squares.drain(..) {
            self.number[usize::from(square.index)] = NO_PLANE;
        }
        for row in rows.of(rows.after_prefix) {
            for column in elements(row.free(prefix)) {
                let lines = two_lines(row.place(Queens::NONE, column).key).map(|line| line as u8);
                self.number[pair(row.number, column)] = FIRST_SQUARE + self.squares.len() as u16;
                self.squares.push(Square { index: pair(row.number, column) as u8, lines });
            }
        }
    }

    /// Returns the number of a square's plane.
    pub(crate) fn of(&self, row: usize, column: usize) -> u16 {
        self.number[pair(row, column)]
    }

    /// Iterates over the lines of the squares that have planes, in the order of the planes from [`FIRST_SQUARE`] on.
    #[inline(always)]
    pub(super) fn lines(&self) -> impl Iterator<Item = [u8; 2]> + '_ {
        self.squares.iter().map(|square| square.lines)
    }

    /// Returns the number of planes, including the two before [`FIRST_SQUARE`].
    pub(super) fn count(&self) -> usize {
        usize::from(FIRST_SQUARE) + self.squares.len()
    }
}
