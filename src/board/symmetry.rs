//! The symmetries of the square, images of solutions, and classes of symmetry.

use super::Solution;

/// A symmetry of the square.
///
/// Each symmetry consists of three steps, and each step is done or not: exchange rows and columns, turn the rows upside
/// down, exchange left and right. For a solution `x` (the column of each row's queen) the steps are:
/// 1. Exchange rows and columns: replace `x` by its inverse, the row of each column's queen.
/// 2. Turn the rows upside down: row i gets x\[n - 1 - i\].
/// 3. Exchange left and right: column c becomes n - 1 - c.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Symmetry {
    /// No square moves.
    Identity,
    /// A turn by 90 degrees, clockwise.
    QuarterTurn,
    /// A turn by 180 degrees.
    HalfTurn,
    /// A turn by 270 degrees, clockwise.
    ThreeQuarterTurn,
    /// Exchanges left and right.
    LeftRight,
    /// Turns the rows upside down.
    UpDown,
    /// Exchanges rows and columns: a reflection at the main diagonal, which begins at the upper left.
    Transposition,
    /// A reflection at the main antidiagonal, which begins at the upper right.
    Antitransposition,
}

impl Symmetry {
    /// All eight, the turns first.
    pub const ALL: [Self; 8] = [
        Self::Identity,
        Self::QuarterTurn,
        Self::HalfTurn,
        Self::ThreeQuarterTurn,
        Self::LeftRight,
        Self::UpDown,
        Self::Transposition,
        Self::Antitransposition,
    ];

    /// Whether it exchanges rows and columns, turns the rows upside down, and exchanges left and right.
    const fn steps(self) -> (bool, bool, bool) {
        match self {
            Self::Identity => (false, false, false),
            Self::LeftRight => (false, false, true),
            Self::UpDown => (false, true, false),
            Self::HalfTurn => (false, true, true),
            Self::Transposition => (true, false, false),
            Self::QuarterTurn => (true, false, true),
            Self::ThreeQuarterTurn => (true, true, false),
            Self::Antitransposition => (true, true, true),
        }
    }

    /// The symmetry that undoes this one.
    #[must_use]
    pub const fn inverse(self) -> Self {
        match self {
            Self::QuarterTurn => Self::ThreeQuarterTurn,
            Self::ThreeQuarterTurn => Self::QuarterTurn,
            other => other,
        }
    }

    /// The column of the queen in row `row` of a solution's image. `inverse` has the row of each column's queen.
    #[inline]
    fn column(self, columns: &[u8], rows: &[u8], row: usize) -> u8 {
        let (is_transposed, turns_rows, turns_columns) = self.steps();
        let n = columns.len();
        let row = if turns_rows { n - 1 - row } else { row };
        let column = if is_transposed { rows[row] } else { columns[row] };
        if turns_columns { (n - 1) as u8 - column } else { column }
    }
}

/// How symmetric a solution is: which turns do not change it. For n >= 2 every reflection changes a solution, by the
/// proof at [`crate::symmetric::Classes`], so there are no other classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// Every turn changes it. Its orbit has 8 solutions.
    Asymmetric,
    /// Only the half turn does not change it. Its orbit has 4 solutions.
    HalfTurn,
    /// No turn changes it. Its orbit has 2 solutions, or 1 for n <= 1.
    QuarterTurn,
}

impl Solution {
    /// Returns the image under `symmetry`. The solution must be valid.
    #[must_use]
    pub fn image(&self, symmetry: Symmetry) -> Self {
        let (columns, rows) = (self.columns(), self.rows());
        Self::found((0..columns.len()).map(|row| symmetry.column(columns, &rows, row)).collect())
    }

    /// The row of each column's queen: the inverse of [`Solution::columns`].
    #[must_use]
    pub fn rows(&self) -> Vec<u8> {
        let mut rows = vec![0; self.columns().len()];
        for (row, &column) in self.columns().iter().enumerate() {
            rows[usize::from(column)] = row as u8;
        }
        rows
    }

    /// Returns its orbit: the solution and its images, each once, in lexicographic order.
    #[must_use]
    pub fn orbit(&self) -> Vec<Self> {
        let mut orbit = Symmetry::ALL.map(|symmetry| self.image(symmetry)).to_vec();
        orbit.sort_unstable();
        orbit.dedup();
        orbit
    }

    /// Returns the canonical form: the lexicographically smallest solution of the orbit. Two solutions are images of
    /// each other exactly if their canonical forms are equal.
    #[must_use]
    pub fn canonical(&self) -> Self {
        let (columns, rows) = (self.columns(), self.rows());
        let image = |symmetry: Symmetry| (0..columns.len()).map(move |row| symmetry.column(columns, &rows, row));
        let least = Symmetry::ALL.into_iter().map(|symmetry| image.clone()(symmetry).collect::<Vec<u8>>()).min();
        Self::found(least.unwrap_or_default())
    }

    /// Whether it is its own canonical form. This takes less time than [`Solution::canonical`], because most solutions
    /// differ from their images in the first rows.
    #[must_use]
    pub fn is_canonical(&self) -> bool {
        let (columns, rows) = (self.columns(), self.rows());
        let is_less = |symmetry: &Symmetry| {
            let image = (0..columns.len()).map(|row| symmetry.column(columns, &rows, row));
            image.lt(columns.iter().copied())
        };
        !Symmetry::ALL[1..].iter().any(is_less)
    }

    /// Returns how symmetric it is.
    #[must_use]
    pub fn class(&self) -> Class {
        if self.image(Symmetry::QuarterTurn) == *self {
            Class::QuarterTurn
        } else if self.image(Symmetry::HalfTurn) == *self {
            Class::HalfTurn
        } else {
            Class::Asymmetric
        }
    }
}

/// Returns the fundamental solutions: the canonical form of each orbit, in lexicographic order. `solutions` must be all
/// solutions for a size, in lexicographic order.
///
/// ```
/// use nqueens::board::fundamental;
///
/// assert_eq!(fundamental(nqueens::solutions(8)?).count(), 12);
/// # Ok::<(), nqueens::Error>(())
/// ```
pub fn fundamental(solutions: impl Iterator<Item = Solution>) -> impl Iterator<Item = Solution> {
    // If the first queen is in the right half, the mirror image is smaller. So the list can end at the middle.
    let is_left = |solution: &Solution| match solution.columns() {
        [] => true,
        columns => usize::from(columns[0]) <= (columns.len() - 1) / 2,
    };
    solutions.take_while(is_left).filter(Solution::is_canonical)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where a symmetry moves a square of an n x n board, as (row, column).
    fn moved(symmetry: Symmetry, n: usize, (row, column): (usize, usize)) -> (usize, usize) {
        let (is_transposed, turns_rows, turns_columns) = symmetry.steps();
        let (row, column) = if is_transposed { (column, row) } else { (row, column) };
        (if turns_rows { n - 1 - row } else { row }, if turns_columns { n - 1 - column } else { column })
    }

    #[test]
    fn the_fundamental_solutions_end_once_and_for_all() {
        let mut twelve = fundamental(crate::solutions(8).unwrap());
        assert_eq!((twelve.size_hint(), twelve.by_ref().count()), ((0, Some(40_320)), 12));
        assert_eq!((twelve.next(), twelve.size_hint()), (None, (0, Some(0))));
    }

    #[test]
    fn images_are_where_their_squares_come_to_lie() {
        for solution in [vec![0, 4, 7, 5, 2, 6, 1, 3], vec![1, 3, 0, 2], vec![0], vec![]].map(Solution::found) {
            let n = solution.columns().len();
            for symmetry in Symmetry::ALL {
                let image = solution.image(symmetry);
                for (row, &column) in solution.columns().iter().enumerate() {
                    let (row, column) = moved(symmetry, n, (row, usize::from(column)));
                    assert_eq!(usize::from(image.columns()[row]), column, "{symmetry:?}");
                }
                assert_eq!(image.image(symmetry.inverse()), solution);
                assert_eq!(image.canonical(), solution.canonical());
            }
            assert_eq!(solution.is_canonical(), solution.canonical() == solution);
        }
    }
}
