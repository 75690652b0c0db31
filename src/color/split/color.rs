//! The two colors, and the sub-boards that each of them uses.

use super::{SubBoard, Subset, full};

/// A color. In a count, one color is the filling side and the other is the summing side (`Class::sides`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Color {
    /// Its queens stand on squares whose row and column are both even or both odd.
    White,
    /// Its queens stand on the other squares.
    Black,
}

impl Color {
    /// Returns the other color.
    pub fn other(self) -> Self {
        match self {
            Self::White => Self::Black,
            Self::Black => Self::White,
        }
    }

    /// Returns the sub-board of its walks, on the even rows.
    pub fn walked(self) -> SubBoard {
        match self {
            Self::White => SubBoard::EvenEven,
            Self::Black => SubBoard::EvenOdd,
        }
    }

    /// Returns the sub-board of its list, on the odd rows.
    pub fn listed(self) -> SubBoard {
        match self {
            Self::White => SubBoard::OddOdd,
            Self::Black => SubBoard::OddEven,
        }
    }

    /// Returns the rows or columns of this color, if `white` are the white ones among `size` rows or columns. The
    /// method is its own inverse: from the rows or columns of this color, it returns the white ones.
    pub fn own(self, white: Subset, size: usize) -> Subset {
        match self {
            Self::White => white,
            Self::Black => white ^ full(size),
        }
    }
}

/// A value for each side. The filling side is the color with fewer queens, or white if both have equally many, and it
/// fills a table. The summing side is the other color, which sums products with the entries.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sides<T> {
    /// The value for the filling side.
    pub filling: T,
    /// The value for the summing side.
    pub summing: T,
}
