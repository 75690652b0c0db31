//! The two colors: which sub-board of each is walked, and which has its placements in lanes.

use super::{SubBoard, Subset, full};

/// A color, as one of the two sides of a count: the filling one or the summing one ([`Class::filling`]).
///
/// [`Class::filling`]: crate::solver::color::plan::Class::filling
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    White,
    Black,
}

impl Side {
    /// The other color.
    pub(crate) fn other(self) -> Self {
        match self {
            Self::White => Self::Black,
            Self::Black => Self::White,
        }
    }

    /// The sub-board that is walked.
    pub(crate) fn walked(self) -> SubBoard {
        match self {
            Self::White => SubBoard::EvenEven,
            Self::Black => SubBoard::EvenOdd,
        }
    }

    /// The sub-board whose placements stand in lanes.
    pub(crate) fn in_lanes(self) -> SubBoard {
        match self {
            Self::White => SubBoard::OddOdd,
            Self::Black => SubBoard::OddEven,
        }
    }

    /// This color's rows or columns, where `white` are the white ones of `size`.
    pub(crate) fn part(self, white: Subset, size: usize) -> Subset {
        match self {
            Self::White => white,
            Self::Black => white ^ full(size),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The black part is the complement of the white one.
    #[test]
    fn sides_see_their_own_rows() {
        assert_eq!(Side::White.part(0b0011, 4), 0b0011);
        assert_eq!(Side::Black.part(0b0011, 4), 0b1100);
        assert_eq!(full(4), 0b1111);
    }
}
