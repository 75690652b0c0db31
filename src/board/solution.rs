//! A complete placement of n non-attacking queens.

use crate::{Error, Result};

/// A solution: the column of each row's queen. Rows and columns count from 0. The order is lexicographic.
///
/// The feature `serde` writes and reads it as the list of columns. [`Solution::new`] checks a list that is read.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "Vec<u8>", into = "Vec<u8>")
)]
pub struct Solution {
    columns: Vec<u8>,
}

impl Solution {
    /// The largest size of a solution of this type.
    pub const MAX_SIZE: usize = u8::MAX as usize;

    /// Makes a solution from the column of each row's queen, counted from 0.
    ///
    /// # Errors
    /// [`Error::NoSolution`] if a queen is outside the board, two queens attack each other, or there are more than 255
    /// rows.
    pub fn new(columns: Vec<u8>) -> Result<Self> {
        let solution = Self { columns };
        if solution.columns.len() <= Self::MAX_SIZE && solution.is_valid() {
            return Ok(solution);
        }
        Err(Error::NoSolution { columns: solution.columns })
    }

    /// Makes a solution without a check. Only solvers use it: [`crate::verify`] checks their boards.
    pub(crate) fn found(columns: Vec<u8>) -> Self {
        Self { columns }
    }

    /// The column of each row's queen, from the first row on.
    #[must_use]
    pub fn columns(&self) -> &[u8] {
        &self.columns
    }

    /// Whether every queen is on the board and no two queens attack each other.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        let n = self.columns.len();
        (0..n).all(|row| {
            let column = usize::from(self.columns[row]);
            column < n
                && (0..row).all(|above| {
                    let other = usize::from(self.columns[above]);
                    other != column && other.abs_diff(column) != row - above
                })
        })
    }
}

impl TryFrom<Vec<u8>> for Solution {
    type Error = Error;

    fn try_from(columns: Vec<u8>) -> Result<Self> {
        Self::new(columns)
    }
}

impl From<Solution> for Vec<u8> {
    fn from(solution: Solution) -> Self {
        solution.columns
    }
}

/// Writes one line for each row: `Q` for a queen, `#` for an empty square.
impl std::fmt::Display for Solution {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (row, &queen) in self.columns.iter().enumerate() {
            let line: String =
                (0..self.columns.len()).map(|column| if column == usize::from(queen) { 'Q' } else { '#' }).collect();
            write!(f, "{}{line}", if row > 0 { "\n" } else { "" })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board(columns: &[u8]) -> Solution {
        Solution::found(columns.to_vec())
    }

    #[test]
    fn a_solution_has_no_two_queens_on_a_line() {
        assert!(
            [&[][..], &[0], &[1, 3, 0, 2], &[2, 0, 3, 1], &[0, 2, 4, 1, 3]].into_iter().all(|it| board(it).is_valid())
        );
        let invalid = [
            // A queen outside the board.
            &[1][..],
            &[1, 3, 0, 4],
            // Two queens in a column, a diagonal or an antidiagonal, near and far apart.
            &[1, 3, 1, 2],
            &[0, 1, 2, 3],
            &[3, 2, 1, 0],
            &[0, 2, 4, 3, 1],
            &[0, 3, 1, 2, 4],
            &[4, 2, 3, 1, 0],
        ];
        assert!(invalid.into_iter().all(|it| !board(it).is_valid()));
    }

    #[test]
    fn a_board_is_drawn_a_line_a_row() {
        assert_eq!(board(&[1, 3, 0, 2]).to_string(), "#Q##\n###Q\nQ###\n##Q#");
        assert_eq!(board(&[]).to_string(), "");
    }

    #[test]
    fn what_is_no_solution_is_refused() {
        for wrong in [
            vec![3, 4, 5],
            vec![255, 1, 2, 3],
            vec![0, 0],
            vec![0, 1],
            vec![1, 3, 0, 3],
            vec![0; 33],
            (0..=255).collect(),
        ] {
            assert_eq!(Solution::new(wrong.clone()), Err(Error::NoSolution { columns: wrong }));
        }
        assert_eq!(Solution::new(vec![1, 3, 0, 2]).unwrap().columns(), [1, 3, 0, 2]);
        assert_eq!(Solution::new(Vec::new()).unwrap().columns(), [0u8; 0]);
    }
}
