//! Boards of any size with one queen in each row, where queens may attack each other.

use crate::{Error, Result};

/// A board with one queen in each row. Boards are ordered lexicographically.
///
/// Queens may attack each other: [`Board::attack`] finds two that do. The functions of this library that list solutions
/// return only boards on which no queen attacks another.
///
/// With the feature `serde`, a board is serialized as the list of its columns. Deserializing rejects a column outside
/// the board, but does not check whether the board is a solution.
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
    /// Creates a board from the column of the queen in each row. Columns are counted from 0.
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
    /// [`Error::OffBoard`] if a column is not below the size of the board, which is the number of columns.
    pub fn new(columns: impl IntoIterator<Item = u32>) -> Result<Self> {
        let columns = Vec::from_iter(columns);
        let size = columns.len();
        match columns.iter().copied().enumerate().find(|&(_, column)| column as usize >= size) {
            Some((row, column)) => Err(Error::OffBoard { row: row as u32, column, size }),
            None => Ok(Self { columns }),
        }
    }

    /// Creates a board without a check. Every column must be below the number of columns.
    pub(crate) fn found(columns: Vec<u32>) -> Self {
        Self { columns }
    }

    /// Returns the column of the queen in each row, from the first row on.
    #[must_use]
    pub fn columns(&self) -> &[u32] {
        &self.columns
    }

    /// Returns the size n of the board.
    #[must_use]
    pub fn size(&self) -> usize {
        self.columns.len()
    }

    /// Returns whether no two queens attack each other.
    #[must_use]
    pub fn is_solution(&self) -> bool {
        self.attack().is_none()
    }

    /// Returns the squares (row, column) of two queens that attack each other, or `None` for a solution.
    ///
    /// The second queen is the highest one that a queen above it attacks, and the first queen is the nearest of its
    /// attackers. The search takes time in proportion to n.
    #[must_use]
    pub fn attack(&self) -> Option<[(u32, u32); 2]> {
        let n = self.size();
        // Whether a queen stands on each column, then on each diagonal, then on each antidiagonal.
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

    /// Returns the board turned clockwise by 90 degrees. The result is meaningless for a board that is not a solution.
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

    /// Returns an iterator over the eight images under the symmetries of the square: the board and its mirror image,
    /// and both again after turning the board by 90, 180 and 270 degrees. Some images of a symmetric board are equal.
    /// The result is meaningless for a board that is not a solution.
    pub fn images(&self) -> impl Iterator<Item = Self> + use<> {
        let turns = std::iter::successors(Some(self.clone()), |board| Some(board.turned())).take(4);
        turns.flat_map(|board| [board.clone(), board.mirrored()])
    }

    /// Returns the canonical form, which is the lexicographically smallest image. Two solutions are images of each
    /// other if and only if their canonical forms are equal. The result is meaningless for a board that is not a
    /// solution.
    #[must_use]
    pub fn canonical(&self) -> Self {
        self.images().fold(self.clone(), Self::min)
    }

    /// Returns whether this board is its own canonical form. The result is meaningless for a board that is not a
    /// solution.
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

/// Iterates over the column of the queen in each row.
impl IntoIterator for Board {
    type Item = u32;
    type IntoIter = std::vec::IntoIter<u32>;

    fn into_iter(self) -> Self::IntoIter {
        self.columns.into_iter()
    }
}

/// Iterates over the column of the queen in each row.
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

/// Draws one line for each row, with `Q` for a queen and `#` for an empty square. Large boards are drawn part by part,
/// so that they need little memory.
impl std::fmt::Display for Board {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let n = self.size();
        // Each row is the part of this line whose queen is in the right column.
        let line = ["#".repeat(n), "#".repeat(n)].join("Q");
        // The text is written whenever it has 64 KiB, because a small board takes less time as a whole than row by row.
        const PART: usize = 1 << 16;
        let mut text = String::with_capacity(n.saturating_mul(n + 1).min(PART + n + 1));
        for (row, &queen) in self.columns.iter().enumerate() {
            if text.len() > PART {
                f.write_str(&text)?;
                text.clear();
            }
            text.push_str(if row == 0 { "" } else { "\n" });
            text.push_str(&line[n - queen as usize..][..n]);
        }
        f.write_str(&text)
    }
}

/// Returns an iterator over the fundamental solutions: the canonical form of each orbit, in lexicographic order. An
/// orbit is a solution together with all its images. The result is meaningless unless `solutions` yields all solutions
/// of a size in lexicographic order.
///
/// ```
/// use nqueens::board::fundamental;
///
/// assert_eq!(fundamental(nqueens::solutions(8)?).count(), 12);
/// # Ok::<(), nqueens::Error>(())
/// ```
pub fn fundamental(solutions: impl Iterator<Item = Board>) -> impl Iterator<Item = Board> {
    // A board whose first queen is in the right half has a smaller mirror image, so the search can end at the middle.
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

    /// Turning or mirroring the drawing of a board must yield the drawing of its image.
    #[test]
    fn the_drawing_of_an_image_is_the_turned_or_mirrored_drawing() {
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
