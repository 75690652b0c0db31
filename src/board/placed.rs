//! A board of any size with one queen in each row, which may attack each other.

use crate::{Error, Result};

/// A board with one queen in each row. The order of boards is lexicographic.
///
/// Queens may attack each other: [`Board::attack`] returns two that do. The library's functions that list solutions
/// return only boards whose queens do not.
///
/// The feature `serde` writes and reads it as the list of columns. Reading rejects a column outside the board, and does
/// not check whether the board is a solution.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "Vec<u32>", into = "Vec<u32>")
)]
pub struct Board {
    columns: Vec<u32>,
}

impl Board {
    /// Makes a board from the column of each row's queen, counted from 0.
    ///
    /// ```
    /// use nqueens::board::Board;
    ///
    /// let board = Board::new([1, 3, 0, 2])?;
    /// assert!(board.is_solution());
    /// assert!(board.into_iter().eq([1, 3, 0, 2]));
    /// # Ok::<(), nqueens::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::OffBoard`] if a column is outside the board.
    pub fn new(columns: impl IntoIterator<Item = u32>) -> Result<Self> {
        let columns = Vec::from_iter(columns);
        let size = columns.len();
        match columns.iter().copied().enumerate().find(|&(_, column)| column as usize >= size) {
            Some((row, column)) => Err(Error::OffBoard { row: row as u32, column, size }),
            None => Ok(Self { columns }),
        }
    }

    /// Makes a board without a check. Its columns must be below their number.
    pub(crate) fn found(columns: Vec<u32>) -> Self {
        Self { columns }
    }

    /// The column of each row's queen, from the first row on.
    #[must_use]
    pub fn columns(&self) -> &[u32] {
        &self.columns
    }

    /// The size n of the board.
    #[must_use]
    pub fn size(&self) -> usize {
        self.columns.len()
    }

    /// Whether no two queens attack each other.
    #[must_use]
    pub fn is_solution(&self) -> bool {
        self.attack().is_none()
    }

    /// Returns the squares of two queens that attack each other, each as (row, column); `None` for a solution.
    ///
    /// The second queen is the highest one that a queen above it attacks. The first queen is the nearest of its
    /// attackers. Takes time in proportion to n.
    #[must_use]
    pub fn attack(&self) -> Option<[(u32, u32); 2]> {
        let n = self.size();
        // Whether there is a queen on each column, diagonal and antidiagonal, one after the other.
        let mut taken = vec![false; 5 * n];
        let mut is_taken = |line: usize| std::mem::replace(&mut taken[line], true);
        let second = (0..n).find(|&row| {
            let column = self.columns[row] as usize;
            [column, n + row + n - 1 - column, 3 * n + row + column].map(&mut is_taken).contains(&true)
        })?;
        let below = self.columns[second];
        let attacks = |above: usize| {
            let step = self.columns[above].abs_diff(below) as usize;
            step == 0 || step == second - above
        };
        let first = (0..second).rev().find(|&above| attacks(above))?;
        Some([(first as u32, self.columns[first]), (second as u32, below)])
    }

    /// Returns the board after a turn by 90 degrees, clockwise. The result is meaningless for a board that is no
    /// solution.
    #[must_use]
    pub fn turned(&self) -> Self {
        let mut columns = vec![0; self.size()];
        for (row, &column) in self.columns.iter().enumerate() {
            columns[column as usize] = (self.size() - 1 - row) as u32;
        }
        Self { columns }
    }

    /// Returns the board with left and right exchanged.
    #[must_use]
    pub fn mirrored(&self) -> Self {
        Self { columns: self.columns.iter().map(|&column| self.size() as u32 - 1 - column).collect() }
    }

    /// Iterates over the images under the eight symmetries of the square: the board and its mirror image, then the same
    /// two after a turn by 90, 180 and 270 degrees. The result is meaningless for a board that is not a solution. Some
    /// images of a symmetric board are equal.
    pub fn images(&self) -> impl Iterator<Item = Self> + use<> {
        let turns = std::iter::successors(Some(self.clone()), |board| Some(board.turned())).take(4);
        turns.flat_map(|board| [board.clone(), board.mirrored()])
    }

    /// Returns the canonical form: the lexicographically smallest image. Two solutions are images of each other exactly
    /// if their canonical forms are equal. The result is meaningless for a board that is not a solution.
    #[must_use]
    pub fn canonical(&self) -> Self {
        self.images().fold(self.clone(), Self::min)
    }

    /// Whether this board is its own canonical form. The result is meaningless for a board that is not a solution.
    #[must_use]
    pub fn is_canonical(&self) -> bool {
        self.images().all(|image| *self <= image)
    }
}

impl TryFrom<Vec<u32>> for Board {
    type Error = Error;

    fn try_from(columns: Vec<u32>) -> Result<Self> {
        Self::new(columns)
    }
}

/// Iterates over the column of each row's queen.
impl IntoIterator for Board {
    type Item = u32;
    type IntoIter = std::vec::IntoIter<u32>;

    fn into_iter(self) -> Self::IntoIter {
        self.columns.into_iter()
    }
}

/// Iterates over the column of each row's queen.
impl<'a> IntoIterator for &'a Board {
    type Item = &'a u32;
    type IntoIter = std::slice::Iter<'a, u32>;

    fn into_iter(self) -> Self::IntoIter {
        self.columns.iter()
    }
}

impl From<Board> for Vec<u32> {
    fn from(board: Board) -> Self {
        board.columns
    }
}

/// Writes one line for each row: `Q` for a queen, `#` for an empty square.
impl std::fmt::Display for Board {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let n = self.size();
        // A row is the part of this line that has its queen in the right place.
        let line = ["#".repeat(n), "#".repeat(n)].join("Q");
        let mut text = String::with_capacity(n * (n + 1));
        for (row, &queen) in self.columns.iter().enumerate() {
            text.push_str(if row == 0 { "" } else { "\n" });
            text.push_str(&line[n - queen as usize..][..n]);
        }
        f.write_str(&text)
    }
}

/// Returns the fundamental solutions: the canonical form of each orbit, in lexicographic order. `solutions` must be all
/// solutions of a size in lexicographic order, or the result is meaningless. An orbit is a solution with all its
/// images.
///
/// ```
/// use nqueens::board::fundamental;
///
/// assert_eq!(fundamental(nqueens::solutions(8)?).count(), 12);
/// # Ok::<(), nqueens::Error>(())
/// ```
pub fn fundamental(solutions: impl Iterator<Item = Board>) -> impl Iterator<Item = Board> {
    // If the first queen is in the right half, the mirror image is smaller, so the list can end at the middle.
    let is_left = |board: &Board| match board.columns() {
        [] => true,
        columns => columns[0] as usize <= (columns.len() - 1) / 2,
    };
    solutions.take_while(is_left).filter(Board::is_canonical)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_attack_from_above_is_found_whatever_the_size() {
        for (columns, attack) in [
            (&[][..], None),
            (&[0], None),
            (&[1, 3, 0, 2], None),
            (&[2, 0, 2], Some([(0, 2), (2, 2)])),
            (&[0, 3, 2, 1], Some([(1, 3), (2, 2)])),
            (&[0, 2, 3, 1], Some([(1, 2), (2, 3)])),
            (&[0, 2, 4, 3, 1], Some([(2, 4), (3, 3)])),
            (&[4, 2, 0, 3, 1, 5], Some([(3, 3), (5, 5)])),
        ] {
            let board = Board::new(columns.to_vec()).unwrap();
            assert_eq!((board.attack(), board.is_solution()), (attack, attack.is_none()), "{columns:?}");
        }
        assert_eq!(Board::new(vec![0, 2]), Err(Error::OffBoard { row: 1, column: 2, size: 2 }));
    }

    /// The drawing of each image is the turned or mirrored drawing of the board.
    #[test]
    fn images_are_where_their_squares_come_to_lie() {
        let lines = |board: &Board| -> Vec<Vec<char>> {
            board.to_string().lines().map(|line| line.chars().collect()).collect()
        };
        for columns in [vec![0, 4, 7, 5, 2, 6, 1, 3], vec![1, 3, 0, 2], vec![0], vec![]] {
            let board = Board::found(columns);
            let (n, drawn) = (board.size(), lines(&board));
            for (row, column) in (0..n).flat_map(|row| (0..n).map(move |column| (row, column))) {
                assert_eq!(lines(&board.turned())[row][column], drawn[n - 1 - column][row], "{board}");
                assert_eq!(lines(&board.mirrored())[row][column], drawn[row][n - 1 - column], "{board}");
            }
            let images: Vec<Board> = board.images().collect();
            assert_eq!((images.len(), &images[0], &images[6].turned()), (8, &board, &board));
            assert!(images.iter().all(|image| image.canonical() == board.canonical()));
            assert_eq!(board.is_canonical(), board.canonical() == board);
        }
    }
}
