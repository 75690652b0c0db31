//! A board of any size with one queen in each row, which may attack each other.

use super::Solution;
use crate::{Error, Result};

/// A board with one queen in each row. Queens may attack each other: [`Board::attack`] returns two that do.
///
/// The feature `serde` writes and reads it as the list of columns. Reading rejects a column outside the board.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "Vec<u32>", into = "Vec<u32>")
)]
pub struct Board {
    columns: Vec<u32>,
}

/// A line that two queens share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Line {
    /// A row.
    Row,
    /// A column.
    Column,
    /// A diagonal: row - column is constant.
    Diagonal,
    /// An antidiagonal: row + column is constant.
    Antidiagonal,
}

impl Line {
    /// The name, such as "column".
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Row => "row",
            Self::Column => "column",
            Self::Diagonal => "diagonal",
            Self::Antidiagonal => "antidiagonal",
        }
    }
}

/// Two queens that attack each other, each as (row, column), counted from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Attack {
    /// The queen in the upper row.
    pub first: (u32, u32),
    /// The queen in the lower row.
    pub second: (u32, u32),
    /// The line that both queens are on.
    pub line: Line,
}

impl Attack {
    /// Makes an attack of two queens on `line`, each as (row, column). The queen in the upper row is first.
    #[must_use]
    pub fn new(first: (u32, u32), second: (u32, u32), line: Line) -> Self {
        Self { first, second, line }
    }
}

impl Board {
    /// Makes a board from the column of each row's queen, counted from 0. `None` if a column is outside the board.
    #[must_use]
    pub fn new(columns: Vec<u32>) -> Option<Self> {
        Self::try_from(columns).ok()
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

    /// Returns two queens that attack each other; `None` for a solution.
    ///
    /// The second queen is the highest one that a queen above it attacks. The first queen is the nearest of its
    /// attackers. Takes time in proportion to n.
    #[must_use]
    pub fn attack(&self) -> Option<Attack> {
        let n = self.size();
        // Whether there is a queen on each column, diagonal and antidiagonal, one after the other.
        let mut taken = vec![false; 5 * n];
        let mut is_taken = |line: usize| std::mem::replace(&mut taken[line], true);
        let second = (0..n).find(|&row| {
            let column = self.columns[row] as usize;
            [column, n + row + n - 1 - column, 3 * n + row + column].map(&mut is_taken).contains(&true)
        })?;
        (0..second).rev().find_map(|above| self.line(above, second))
    }

    /// The attack of the queens of two rows, if there is one.
    fn line(&self, above: usize, row: usize) -> Option<Attack> {
        let (first, second) = (self.columns[above], self.columns[row]);
        let gap = (row - above) as i64;
        let line = match i64::from(second) - i64::from(first) {
            0 => Line::Column,
            step if step == gap => Line::Diagonal,
            step if step == -gap => Line::Antidiagonal,
            _ => return None,
        };
        Some(Attack { first: (above as u32, first), second: (row as u32, second), line })
    }
}

impl TryFrom<Vec<u32>> for Board {
    type Error = Error;

    fn try_from(columns: Vec<u32>) -> Result<Self> {
        let size = columns.len();
        match columns.iter().copied().enumerate().find(|&(_, column)| column as usize >= size) {
            Some((row, column)) => Err(Error::OffBoard { row, column, size }),
            None => Ok(Self { columns }),
        }
    }
}

impl From<Board> for Vec<u32> {
    fn from(board: Board) -> Self {
        board.columns
    }
}

impl From<&Solution> for Board {
    fn from(solution: &Solution) -> Self {
        Self { columns: solution.columns().iter().map(|&column| u32::from(column)).collect() }
    }
}

/// Writes one line for each row: `Q` for a queen, `#` for an empty square.
impl std::fmt::Display for Board {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut line = "#".repeat(self.size());
        for (row, &queen) in self.columns.iter().enumerate() {
            let queen = queen as usize;
            line.replace_range(queen..=queen, "Q");
            f.write_str(if row == 0 { "" } else { "\n" })?;
            f.write_str(&line)?;
            line.replace_range(queen..=queen, "#");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board(columns: &[u32]) -> Board {
        Board::new(columns.to_vec()).unwrap()
    }

    #[test]
    fn the_first_attack_from_above_is_found_whatever_the_size() {
        let attack = |columns: &[u32]| board(columns).attack().map(|attack| (attack.first, attack.second, attack.line));
        assert_eq!(attack(&[1, 3, 0, 2]), None);
        assert_eq!(attack(&[]), None);
        assert_eq!(attack(&[0]), None);
        assert_eq!(attack(&[2, 0, 2]), Some(((0, 2), (2, 2), Line::Column)));
        assert_eq!(attack(&[0, 3, 2, 1]), Some(((1, 3), (2, 2), Line::Antidiagonal)));
        assert_eq!(attack(&[0, 2, 3, 1]), Some(((1, 2), (2, 3), Line::Diagonal)));
        assert_eq!(Board::new(vec![0, 2]), None);
    }
}
