//! The four sub-boards and their lines.
//!
//! The sub-boards are `ee` (even rows, even columns), `oo`, `eo` and `oe`. Square (i, j) of a sub-board is in row 2 i
//! or 2 i + 1 of the board, and in column 2 j or 2 j + 1. White queens stand on ee and oo, black queens on eo and oe.
//! Two queens on different sub-boards of a color attack each other if
//!
//! - white: i - j is equal, or i + j of ee = i + j + 1 of oo;
//! - black: i - j of eo = i - j + 1 of oe, or i + j is equal.
//!
//! So a queen has two *lines*. They are bits of a 64-bit *key*: the diagonal in the lower 32 bits, the antidiagonal in
//! the upper 32 bits. Two placements of one color fit together if and only if their keys share no bit.

use crate::Result;
use crate::room::collect;

/// The size of the board, and how many of its rows and columns are even and odd.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Geometry {
    /// The board's size n.
    pub(crate) n: usize,
    /// Number of even rows, and of even columns: n / 2 rounded up.
    pub(crate) evens: usize,
    /// Number of odd rows, and of odd columns: n / 2 rounded down.
    pub(crate) odds: usize,
}

/// A sub-board. On oo and oe one line of each square is shifted by one bit, so that equal bits mean an attack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SubBoard {
    EvenEven,
    OddOdd,
    EvenOdd,
    OddEven,
}

impl Geometry {
    pub(crate) fn new(n: usize) -> Self {
        Self { n, evens: n.div_ceil(2), odds: n / 2 }
    }

    /// Number of columns of a sub-board.
    pub(crate) fn columns(self, board: SubBoard) -> usize {
        match board {
            SubBoard::EvenEven | SubBoard::OddEven => self.evens,
            SubBoard::OddOdd | SubBoard::EvenOdd => self.odds,
        }
    }

    /// The two lines of square (i, j). The bit of the diagonal is `j - i + evens`, and one lower on oe. The bit of the
    /// antidiagonal is `32 + i + j`, and one higher on oo. No square of ee and eo has bit 0.
    #[inline(always)]
    pub(crate) fn lines(self, board: SubBoard, i: usize, j: usize) -> u64 {
        let diagonal = j + self.evens - i - usize::from(board == SubBoard::OddEven);
        let antidiagonal = 32 + i + j + usize::from(board == SubBoard::OddOdd);
        1 << diagonal | 1 << antidiagonal
    }
}

/// A subset of at most 16 rows or columns of one parity, as a mask.
pub(crate) type Subset = u32;

/// The set of all elements below `size`.
pub(crate) fn full(size: usize) -> Subset {
    (1 << size) - 1
}

/// The reversed subset: element i becomes `size - 1 - i`.
pub(crate) fn reversed(subset: Subset, size: usize) -> Subset {
    if size == 0 { 0 } else { subset.reverse_bits() >> (32 - size) }
}

/// Iterates over the elements of a subset, in ascending order.
#[inline(always)]
pub(crate) fn elements(mut subset: Subset) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let element = subset.trailing_zeros() as usize;
        (subset != 0).then(|| {
            subset &= subset - 1;
            element
        })
    })
}

/// All subsets with `count` elements below `size`, as ascending numbers.
///
/// # Errors
/// [`Error::Memory`](crate::Error::Memory).
pub(crate) fn subsets(size: usize, count: usize) -> Result<Vec<Subset>> {
    collect((0..1u32 << size).filter(|subset| subset.count_ones() as usize == count))
}
