//! A complete placement of n non-attacking queens.

/// A solution: the column of each row's queen, both counted from 0. The order is lexicographic.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Solution {
    columns: Vec<u8>,
}

impl Solution {
    /// A solution from the column of each row's queen. It is not checked: [`Solution::is_valid`] does that.
    #[must_use]
    pub fn new(columns: Vec<u8>) -> Self {
        Self { columns }
    }

    /// The column of each row's queen, from the first row on.
    #[must_use]
    pub fn columns(&self) -> &[u8] {
        &self.columns
    }

    /// Whether no two queens attack each other and every queen is on the board.
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

    /// The board reflected left to right.
    #[must_use]
    pub fn mirrored(&self) -> Self {
        let n = self.columns.len();
        Self { columns: self.columns.iter().map(|&c| (n - 1 - usize::from(c)) as u8).collect() }
    }

    /// The board turned by a quarter, clockwise.
    #[must_use]
    pub fn turned(&self) -> Self {
        let n = self.columns.len();
        let mut columns = vec![0; n];
        for (row, &column) in self.columns.iter().enumerate() {
            columns[usize::from(column)] = (n - 1 - row) as u8;
        }
        Self { columns }
    }

    /// The images under the eight symmetries of the square, itself first; images that coincide are repeated.
    #[must_use]
    pub fn images(&self) -> [Self; 8] {
        let (a, m) = (self.clone(), self.mirrored());
        let (b, n) = (a.turned(), m.turned());
        let (c, o) = (b.turned(), n.turned());
        let (d, p) = (c.turned(), o.turned());
        [a, b, c, d, m, n, o, p]
    }
}

/// Draws the board as the textbooks do: `Q` for a queen, `#` for an empty square, a line a row.
impl std::fmt::Display for Solution {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (row, &queen) in self.columns.iter().enumerate() {
            if row > 0 {
                writeln!(f)?;
            }
            for column in 0..self.columns.len() {
                f.write_str(if column == usize::from(queen) { "Q" } else { "#" })?;
            }
        }
        Ok(())
    }
}
