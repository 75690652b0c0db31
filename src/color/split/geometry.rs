//! The four sub-boards and their lines.
//!
//! Rows and columns are numbered from 0 if n is even and from 1 if n is odd, so that even rows never outnumber odd
//! rows. Walks use the even rows, and most leaves of a walk come from its last queen, so an odd board gains from
//! walking one row fewer.
//!
//! The sub-boards are `ee` (even rows, even columns), `oo`, `eo` and `oe`. White queens stand on ee and oo, black
//! queens on eo and oe. Counted from 0, square (i, j) of a sub-board lies in row 2i or 2i + 1 of the board and in
//! column 2j or 2j + 1. If rows and columns are numbered from 0, ee consists of the rows 2i and the columns 2j, and two
//! queens on different sub-boards of a color attack each other if
//!
//! - white: i - j is equal, or i + j of ee = i + j + 1 of oo;
//! - black: i - j of eo = i - j + 1 of oe, or i + j is equal.
//!
//! If rows and columns are numbered from 1, ee and oo exchange their roles, and so do eo and oe.
//!
//! A queen therefore occupies two *lines*, which are bits of a 64-bit *key*: the diagonal in the lower 32 bits, and the
//! antidiagonal in the upper 32 bits. Placements on the two sub-boards of a color fit together if and only if their
//! keys share no bit.

/// The size of the board, and how many of its rows and columns are even and odd.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Geometry {
    /// The size n of the board.
    pub n: usize,
    /// The row of the board that is the first even row, and the column that is the first even column, counted from 0:
    /// 1 if n is odd, otherwise 0.
    pub first_even: usize,
    /// Number of even rows, and of even columns.
    pub even_rows: usize,
    /// Number of odd rows, and of odd columns.
    pub odd_rows: usize,
}

/// A sub-board. On oo and oe (or on ee and eo if rows are numbered from 1), one line of each square is shifted by one
/// bit, so that equal bits mean an attack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SubBoard {
    /// White: even rows and even columns.
    EvenEven,
    /// White: odd rows and odd columns.
    OddOdd,
    /// Black: even rows and odd columns.
    EvenOdd,
    /// Black: odd rows and even columns.
    OddEven,
}

impl Geometry {
    /// Returns the board of size n.
    pub(crate) fn new(n: usize) -> Self {
        let even_rows = n / 2;
        Self { n, first_even: n % 2, even_rows, odd_rows: n - even_rows }
    }

    /// Splits a set of rows or columns of the board, counted from 0, into the even and the odd ones.
    pub(crate) fn by_parity(self, set: u64) -> [Subset; 2] {
        let half = |first: usize| (0..SIDE).fold(0, |half, i| half | ((set >> (2 * i + first) & 1) as Subset) << i);
        [half(self.first_even), half(1 - self.first_even)]
    }

    /// Merges even and odd rows, or columns, into one set of rows or columns of the board, counted from 0.
    pub(crate) fn join(self, [even, odd]: [Subset; 2]) -> u64 {
        let spread = |set: Subset, first: usize| elements(set).fold(0, |all, i| all | 1 << (2 * i + first));
        spread(even, self.first_even) | spread(odd, 1 - self.first_even)
    }

    /// Returns the number of columns of a sub-board.
    pub fn columns(self, board: SubBoard) -> usize {
        match board {
            SubBoard::EvenEven | SubBoard::OddEven => self.even_rows,
            SubBoard::OddOdd | SubBoard::EvenOdd => self.odd_rows,
        }
    }

    /// Returns the two lines of square (i, j), which is in row 2i or 2i + 1 of the board and in column 2j or 2j + 1,
    /// counted from 0. The bit of the diagonal is `j - i + n / 2` (rounded up), or one lower if the row is 2i + 1 and
    /// the column is 2j. The bit of the antidiagonal is `32 + i + j`, or one higher if the row is 2i + 1 and the column
    /// is 2j + 1.
    #[inline(always)]
    pub fn lines(self, board: SubBoard, i: usize, j: usize) -> u64 {
        let (even, odd) = (self.first_even, 1 - self.first_even);
        let [row, column] = match board {
            SubBoard::EvenEven => [even, even],
            SubBoard::OddOdd => [odd, odd],
            SubBoard::EvenOdd => [even, odd],
            SubBoard::OddEven => [odd, even],
        };
        let diagonal = j + self.n.div_ceil(2) - i - usize::from(row > column);
        let antidiagonal = 32 + i + j + (row & column);
        1 << diagonal | 1 << antidiagonal
    }
}

/// Marks the keys of a list. No square of ee and eo has this line, so no walk attacks it, and the plane of this line is
/// the plane of all keys.
pub(crate) const MARK: u64 = 1;

/// A bound of the rows and columns of a sub-board, of which there are at most 15 (n = 30).
pub(crate) const SIDE: usize = 16;

/// Returns the number of a pair of numbers below [`SIDE`], such as the row and the column of a square.
#[inline(always)]
pub(crate) fn pair(first: usize, second: usize) -> usize {
    SIDE * first + second
}

/// A subset of at most 16 rows or columns of one parity, as a bit mask.
pub type Subset = u32;

/// Returns the set of all elements below `size`.
pub fn full(size: usize) -> Subset {
    (1 << size) - 1
}

/// Returns the reversed subset: element i becomes `size - 1 - i`.
pub(crate) fn reversed(subset: Subset, size: usize) -> Subset {
    if size == 0 { 0 } else { subset.reverse_bits() >> (32 - size) }
}

/// Iterates over the elements of a subset in ascending order.
#[inline(always)]
pub fn elements(mut subset: Subset) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let element = subset.trailing_zeros() as usize;
        (subset != 0).then(|| {
            subset &= subset - 1;
            element
        })
    })
}

/// Returns all subsets with `count` elements below `size`, in ascending order of their masks.
pub fn subsets(size: usize, count: usize) -> Vec<Subset> {
    (0..1u32 << size).filter(|subset| subset.count_ones() as usize == count).collect()
}
