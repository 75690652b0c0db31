//! The planes of a pack: which there are, and their numbers.

use crate::solver::color::split::{BoardRow, Geometry, Queens, SubBoard, elements};

/// The plane without a bit: and-not with it changes nothing. Stands in for rows that are not there.
pub(crate) const NO_PLANE: u16 = 0;
/// The plane of all keys of the pack.
pub(crate) const ALL_KEYS: u16 = 1;
/// Not a plane, but kept as one. Where lanes share places, each lane of a word has here the number, 0 to 127, of
/// the lane of the two blocks whose keys it has ([`Lanes::pick`](crate::solver::simd::Lanes::pick)).
pub(crate) const NUMBERS: u16 = 2;
/// Planes of squares come after those.
pub(crate) const FIRST_SQUARE: u16 = 3;

/// Numbers of the planes of a pack: one for every square of the remaining rows that the prefix leaves free.
#[derive(Debug, Clone)]
pub(super) struct Planes {
    number: [u16; 16 * 16],
    squares: Vec<(u8, u8)>,
}

impl Default for Planes {
    fn default() -> Self {
        Self { number: [NO_PLANE; 16 * 16], squares: Vec::new() }
    }
}

impl Planes {
    /// Numbers the planes for this prefix and these remaining rows.
    pub(super) fn renumber(&mut self, geometry: Geometry, board: SubBoard, prefix: Queens, rows: &[usize]) {
        for (row, column) in self.squares.drain(..) {
            self.number[16 * usize::from(row) + usize::from(column)] = NO_PLANE;
        }
        for &row in rows {
            for column in elements(BoardRow::new(geometry, board, row).free(prefix)) {
                self.number[16 * row + column] = FIRST_SQUARE + self.squares.len() as u16;
                self.squares.push((row as u8, column as u8));
            }
        }
    }

    /// The plane of a square that the prefix leaves free.
    pub(super) fn of(&self, row: usize, column: usize) -> u16 {
        self.number[16 * row + column]
    }

    /// The squares with a plane, in the order of their numbers, from [`FIRST_SQUARE`] on.
    pub(super) fn squares(&self) -> &[(u8, u8)] {
        &self.squares
    }

    /// Planes in all.
    pub(super) fn count(&self) -> usize {
        usize::from(FIRST_SQUARE) + self.squares.len()
    }
}
