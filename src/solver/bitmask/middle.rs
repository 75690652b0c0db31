//! Counts one board of eight symmetric ones, by an exact rule on the lines through the middle.
//!
//! **Four lines.** A quarter turn moves four lines onto each other: for even n the two middle rows and the two middle
//! columns, for odd n the lines next to the middle. A board has one queen on each. The *distance* of a queen is its
//! distance from the middle of its line. Let t be the number of the four queens that have the largest distance.
//!
//! The rule: count only boards where the upper row's queen has the largest distance, with weight 4 / t. It is exact:
//!
//! - The four turns of a board have equal t.
//! - Exactly t of the four turns move a queen with the largest distance to the upper row. (A turn that does not change
//!   the board counts too.) So the four turns of a board together weigh t * 4 / t = 4.
//! - A reflection keeps distances. It moves the upper row's queen, because this queen is not on the middle column. So
//!   boards with this queen in the right half get weight 2 and stand for both.
//!
//! **Odd n.** A half turn moves the middle row onto itself, and the middle column too, so the rule is shorter. Let the
//! queen of the middle row be x columns right of the middle, and the queen of the middle column y rows above the
//! middle. There are two cases:
//!
//! - Both are the one queen in the center. All symmetries keep it there, and the four lines next to it decide.
//! - Neither is in the center. Then |x| is not |y|, or the two would attack each other. The eight images have all signs
//!   and both orders of x and y, so exactly one of them has x > y > 0. It stands for all, with weight 8.
//!
//! Queens on middle lines attack most of the board, so the tree below is small. The rule is also exact on the border,
//! but there the search places 2.5 times as many queens at n = 14 and 15.

use super::occupancy::Occupancy;
use crate::Result;
use crate::room::push;

/// The plan's divisor. Weights are multiplied by it, because 3 * 4 / t is whole for t = 1, 2, 3 and 4.
pub(super) const DIVISOR: u64 = 3;

/// The first queens of a search, on the middle lines, and the weight of each solution below them.
#[derive(Clone, Copy, Default)]
pub(super) struct Start {
    queens: [(u8, u8); 5],
    placed: u8,
    /// Number of boards that a solution stands for, times [`DIVISOR`].
    pub(super) weight: u8,
}

impl Start {
    fn with(mut self, row: u32, column: u32) -> Self {
        self.queens[usize::from(self.placed)] = (row as u8, column as u8);
        self.placed += 1;
        self
    }

    fn weighing(self, weight: u64) -> Self {
        Self { weight: weight as u8, ..self }
    }

    /// Row and column of each queen.
    pub(super) fn queens(&self) -> &[(u8, u8)] {
        &self.queens[..usize::from(self.placed)]
    }

    pub(super) fn occupancy(&self, n: u32) -> Occupancy {
        self.queens()
            .iter()
            .fold(Occupancy::empty(n), |board, &(row, column)| board.with(u32::from(row), u32::from(column)))
    }

    /// For each free square of a row, its column and the start with a queen there.
    fn in_row(self, n: u32, row: u32) -> impl Iterator<Item = (u32, Self)> {
        bits(self.occupancy(n).free(row)).map(move |column| (column, self.with(row, column)))
    }

    /// For each free square of a column, its row and the start with a queen there. If the column has a queen, the
    /// result is the queen's row and the start itself.
    fn in_column(self, n: u32, column: u32) -> Vec<(u32, Self)> {
        match self.queens().iter().find(|queen| u32::from(queen.1) == column) {
            Some(&(row, _)) => vec![(u32::from(row), self)],
            None => {
                bits(self.occupancy(n).transposed().free(column)).map(|row| (row, self.with(row, column))).collect()
            }
        }
    }
}

/// Returns all starts for a size. With their weights they stand for every board.
///
/// # Errors
/// [`Error::Memory`](crate::Error::Memory).
pub(super) fn starts(n: u32) -> Result<Vec<Start>> {
    let mut starts = Vec::new();
    let (empty, middle) = (Start::default(), n / 2);
    if n < 4 {
        push(&mut starts, empty.weighing(DIVISOR))?;
    } else if n.is_multiple_of(2) {
        four_lines(n, empty, (middle - 1, middle), &mut starts)?;
    } else {
        four_lines(n, empty.with(middle, middle), (middle - 1, middle + 1), &mut starts)?;
        for right in middle + 1..n {
            for above in 2 * middle + 1 - right..middle {
                off_center(n, empty.with(middle, right).with(above, middle), above, &mut starts)?;
            }
        }
    }
    Ok(starts)
}

/// Adds the starts for odd n with a queen on the middle row and one on the middle column, in row `above`. Queens on the
/// two open rows nearest to the middle divide each pair into more starts.
fn off_center(n: u32, pair: Start, above: u32, starts: &mut Vec<Start>) -> Result<()> {
    let middle = n / 2;
    let mut rows = [middle - 1, middle + 1, middle - 2].into_iter().filter(|&row| row != above);
    let (Some(first), Some(second)) = (rows.next(), rows.next()) else { return Ok(()) };
    for (_, three) in pair.in_row(n, first) {
        for (_, four) in three.in_row(n, second) {
            push(starts, four.weighing(8 * DIVISOR))?;
        }
    }
    Ok(())
}

/// Adds the starts by the rule of four lines: rows and columns `upper` and `lower`. `board` may have a queen in the
/// center.
fn four_lines(n: u32, board: Start, (upper, lower): (u32, u32), starts: &mut Vec<Start>) -> Result<()> {
    let from_middle = |line: u32| (2 * line).abs_diff(n - 1);
    for (top, board) in board.in_row(n, upper).filter(|(top, _)| 2 * top >= n) {
        for (bottom, board) in board.in_row(n, lower) {
            for (left, board) in board.in_column(n, upper) {
                for (right, board) in board.in_column(n, lower) {
                    let distances = [top, bottom, left, right].map(from_middle);
                    if distances.iter().all(|&distance| distance <= distances[0]) {
                        let ties = distances.iter().filter(|&&distance| distance == distances[0]).count() as u64;
                        push(starts, board.weighing(2 * 4 * DIVISOR / ties))?;
                    }
                }
            }
        }
    }
    Ok(())
}

fn bits(mut set: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let bit = (set != 0).then(|| set.trailing_zeros())?;
        set &= set - 1;
        Some(bit)
    })
}

/// Returns the queens of the start that counts a solution, and its weight. `None` if an image is counted instead.
///
/// It follows the definition above and uses only the solution's columns, so it can check [`starts`].
pub(super) fn locate(columns: &[u8]) -> Option<(Vec<(u8, u8)>, u64)> {
    let n = columns.len();
    if n < 4 {
        return Some((vec![], 3));
    }
    let row_of = |column: usize| (0..n).find(|&row| usize::from(columns[row]) == column);
    let middle = n / 2;
    let (mut queens, upper) = (vec![], middle - 1);
    let mut lower = middle;
    if n % 2 == 1 {
        let (x, y) = (usize::from(columns[middle]), row_of(middle)?);
        if x != middle {
            if x < middle || y > middle || middle - y > x - middle {
                return None;
            }
            let mut rows = vec![middle, y];
            rows.extend([middle - 1, middle + 1, middle - 2].into_iter().filter(|&row| row != y).take(2));
            return Some((rows.into_iter().map(|row| (row as u8, columns[row])).collect(), 24));
        }
        queens.push((middle as u8, middle as u8));
        lower = middle + 1;
    }
    let (left, right) = (row_of(upper)?, row_of(lower)?);
    let four = [usize::from(columns[upper]), usize::from(columns[lower]), left, right];
    // Twice the distance from the middle, which is whole for even n too.
    let distances = four.map(|line| (2 * line).abs_diff(n - 1));
    let farthest = distances.into_iter().max()?;
    if distances[0] < farthest || 2 * four[0] < n {
        return None;
    }
    for row in [upper, lower, left, right] {
        if !queens.contains(&(row as u8, columns[row])) {
            queens.push((row as u8, columns[row]));
        }
    }
    let ties = distances.into_iter().filter(|&distance| distance == farthest).count() as u64;
    Some((queens, 2 * 12 / ties))
}
