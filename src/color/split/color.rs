//! The two colors, and what each does on the four sub-boards.

use super::{SubBoard, Subset, full};

/// A color. One color is the filling side of a count, the other is the summing side (`Class::sides`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Color {
    /// Its queens stand on squares whose row and column are both even or both odd.
    White,
    /// The others.
    Black,
}

impl Color {
    /// The other color.
    pub fn other(self) -> Self {
        match self {
            Self::White => Self::Black,
            Self::Black => Self::White,
        }
    }

    /// The sub-board of its walks, on the even rows.
    pub fn walked(self) -> SubBoard {
        match self {
            Self::White => SubBoard::EvenEven,
            Self::Black => SubBoard::EvenOdd,
        }
    }

    /// The sub-board of its list, on the odd rows.
    pub fn listed(self) -> SubBoard {
        match self {
            Self::White => SubBoard::OddOdd,
            Self::Black => SubBoard::OddEven,
        }
    }

    /// This color's rows or columns. `white` are the white ones among `size` rows or columns.
    pub fn own(self, white: Subset, size: usize) -> Subset {
        match self {
            Self::White => white,
            Self::Black => white ^ full(size),
        }
    }
}

/// A value for each side. The filling side is the color with fewer queens, which fills a table; the summing side is the
/// other color.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sides<T> {
    /// The filling side's.
    pub filling: T,
    /// The summing side's.
    pub summing: T,
}
