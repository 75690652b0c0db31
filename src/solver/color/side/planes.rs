//! The planes of a pack: which there are, and their numbers.

use crate::solver::color::split::{BoardRow, Geometry, Queens, SubBoard, elements};

/// The plane without a bit: and-not with it changes nothing. Stands in for rows that are not there.
pub(crate) const NO_PLANE: u16 = 0;
/// The plane of all keys of the pack.
pub(crate) const ALL_KEYS: u16 = 1;
/// Not a plane, but kept as one. Each lane of a word has here the number of the lane whose keys it has, counted from the
/// first lane of the block, or of the two blocks that share words.
pub(crate) const NUMBERS: u16 = 2;
/// Planes of squares come after those.
pub(crate) const FIRST_SQUARE: u16 = 3;

/// Numbers of the planes of a pack: one for every square of the remaining rows that the prefix leaves free.
#[derive(Debug, Clone)]
pub(super) struct Planes {
    number: [u16; 16 * 16],
    squares: Vec<Square>,
}

/// A square that has a plane.
#[derive(Debug, Clone, Copy)]
struct Square {
    /// Its place in `number`.
    place: u8,
    /// The numbers of its diagonal and its antidiagonal.
    lines: [u8; 2],
}

impl Default for Planes {
    fn default() -> Self {
        Self { number: [NO_PLANE; 16 * 16], squares: Vec::new() }
    }
}

impl Planes {
    /// Numbers the planes for this prefix and these remaining rows.
    pub(super) fn renumber(&mut self, geometry: Geometry, board: SubBoard, prefix: Queens, rows: &[usize]) {
        for square in self.squares.drain(..) {
            self.number[usize::from(square.place)] = NO_PLANE;
        }
        for &row in rows {
            for column in elements(BoardRow::new(geometry, board, row).free(prefix)) {
                let lines = geometry.lines(board, row, column);
                let lines = [lines.trailing_zeros(), 63 - lines.leading_zeros()].map(|line| line as u8);
                self.number[16 * row + column] = FIRST_SQUARE + self.squares.len() as u16;
                self.squares.push(Square { place: (16 * row + column) as u8, lines });
            }
        }
    }

    /// The plane of a square that the prefix leaves free.
    pub(super) fn of(&self, row: usize, column: usize) -> u16 {
        self.number[16 * row + column]
    }

    /// The lines of the squares that have a plane, in the order of their planes, from [`FIRST_SQUARE`] on.
    #[inline(always)]
    pub(super) fn lines(&self) -> impl Iterator<Item = [u8; 2]> + '_ {
        self.squares.iter().map(|square| square.lines)
    }

    /// Planes in all.
    pub(super) fn count(&self) -> usize {
        usize::from(FIRST_SQUARE) + self.squares.len()
    }
}
