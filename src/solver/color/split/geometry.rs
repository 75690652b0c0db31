//! The four sub-boards and the lines they share.
//!
//! Rows and columns are split by parity: `ee` (even rows, even columns), `oo`, `eo` and `oe`, with half the resolution:
//! a square of a sub-board is (i, j) = (row / 2, column / 2). White queens stand on ee and oo, black ones on eo and oe.
//! Queens of the two sub-boards of one color attack each other along a diagonal or an antidiagonal where
//!
//! - white: i - j is equal, or i + j of ee = i + j + 1 of oo;
//! - black: i - j of eo = i - j + 1 of oe, or i + j is equal.
//!
//! So a queen takes two *lines*. They are bits of a 64-bit *key*: the diagonal in the lower 32 bits, the antidiagonal
//! in the upper 32. Two placements of one color fit together exactly when their keys share no bit.

/// The size of the board, and how many of its rows and columns are even and odd.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Geometry {
    /// The board's size n.
    pub(crate) n: usize,
    /// Even rows, and even columns: n / 2 rounded up.
    pub(crate) evens: usize,
    /// Odd rows, and odd columns: n / 2 rounded down.
    pub(crate) odds: usize,
}

/// A sub-board. On oo and oe one line of each square is shifted by one, because these sub-boards lie half a step beside
/// the walked ones (ee, eo).
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

    /// Columns of a sub-board.
    pub(crate) fn columns(self, board: SubBoard) -> usize {
        match board {
            SubBoard::EvenEven | SubBoard::OddEven => self.evens,
            SubBoard::OddOdd | SubBoard::EvenOdd => self.odds,
        }
    }

    /// The two lines of square (i, j). The diagonal's bit is `j - i + evens`, one lower on oe; the antidiagonal's is
    /// `32 + i + j`, one higher on oo. A walked square never has bit 0.
    #[inline(always)]
    pub(crate) fn lines(self, board: SubBoard, i: usize, j: usize) -> u64 {
        let diagonal = j + self.evens - i - usize::from(board == SubBoard::OddEven);
        let antidiagonal = 32 + i + j + usize::from(board == SubBoard::OddOdd);
        1 << diagonal | 1 << antidiagonal
    }
}

/// A subset of at most 16 rows or columns of one parity, as a mask.
pub(crate) type Subset = u32;

/// The set of all `size` elements.
pub(crate) fn full(size: usize) -> Subset {
    (1 << size) - 1
}

/// The subset with its elements in reverse: i becomes size - 1 - i.
pub(crate) fn reversed(subset: Subset, size: usize) -> Subset {
    if size == 0 { 0 } else { subset.reverse_bits() >> (32 - size) }
}

/// The elements of a subset, ascending.
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

/// All subsets of `size` elements with `count` of them, as ascending numbers.
pub(crate) fn subsets(size: usize, count: usize) -> Vec<Subset> {
    (0..1u32 << size).filter(|subset| subset.count_ones() as usize == count).collect()
}
