//! Shows the search: the steps of the solvers `arrays` and `bitmask` with their data, and the number of nodes in each
//! row. It is made for looking, not for counting.

mod profile;

pub use profile::profile;

use crate::board::Size;

/// The event of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// A queen is placed on (row, column).
    Placed(usize, usize),
    /// The queen on (row, column) is removed, because nothing is left to try below it.
    Lifted(usize, usize),
}

/// A step of the search, and the position after it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Step {
    /// The step's number, counted from 1.
    pub number: usize,
    /// The queen that is placed or removed.
    pub event: Event,
    /// The position after this step.
    pub position: Position,
    /// Queens placed so far, this step included.
    pub nodes: u64,
    /// Solutions found so far, this step included.
    pub solutions: u64,
}

impl Step {
    /// Whether this step completes a solution.
    #[must_use]
    pub fn is_solution(&self) -> bool {
        matches!(self.event, Event::Placed(..)) && self.position.is_full()
    }

    /// Whether this is the last step: no queen is left, and the first row has no column left to try.
    #[must_use]
    pub fn is_last(&self) -> bool {
        self.position.queens.is_empty() && self.position.masks().free == 0
    }
}

/// The queens of the first rows, and the columns of the next row that were tried.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Position {
    size: usize,
    queens: Vec<usize>,
    next_column: usize,
}

/// The lines along which queens above attack a square.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Attackers {
    /// Attacked along the column.
    pub column: bool,
    /// Attacked along the diagonal (row - column is constant).
    pub diagonal: bool,
    /// Attacked along the antidiagonal (row + column is constant).
    pub antidiagonal: bool,
}

impl Attackers {
    /// Whether no queen attacks the square.
    #[must_use]
    pub fn is_none(self) -> bool {
        self == Self::default()
    }
}

/// The data of the solver `bitmask` when it enters a row. Bit c stands for column c.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Masks {
    /// Columns that hold a queen.
    pub columns: u64,
    /// Squares of the row that are attacked along diagonals. From row to row they shift up by one bit.
    pub diagonals: u64,
    /// Squares of the row that are attacked along antidiagonals. From row to row they shift down by one bit.
    pub antidiagonals: u64,
    /// Squares that are not attacked and were not tried.
    pub free: u64,
}

impl Masks {
    /// Squares of the row that are attacked.
    #[must_use]
    pub fn taken(&self) -> u64 {
        self.columns | self.diagonals | self.antidiagonals
    }

    /// The square of the next queen: the lowest bit of `free`. 0 if no square is free.
    #[must_use]
    pub fn queen(&self) -> u64 {
        self.free & self.free.wrapping_neg()
    }
}

/// The data of the solver `arrays`: whether each line holds a queen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arrays {
    /// Columns, n of them.
    pub columns: Vec<bool>,
    /// Diagonals by row - column + n - 1, 2n - 1 of them.
    pub diagonals: Vec<bool>,
    /// Antidiagonals by row + column, 2n - 1 of them.
    pub antidiagonals: Vec<bool>,
}

impl Position {
    /// The empty board.
    #[must_use]
    pub fn empty(size: Size) -> Self {
        Self { size: size.get(), queens: Vec::new(), next_column: 0 }
    }

    /// The board's size n.
    #[must_use]
    pub fn size(&self) -> usize {
        self.size
    }

    /// The column of each queen, from the first row on.
    #[must_use]
    pub fn queens(&self) -> &[usize] {
        &self.queens
    }

    /// Whether every row has its queen.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.queens.len() == self.size
    }

    /// The lines along which the queens above attack a square. The square may be outside the board.
    #[must_use]
    pub fn attackers(&self, row: usize, column: usize) -> Attackers {
        let mut attackers = Attackers::default();
        for (above, &queen) in self.queens.iter().enumerate().take(row) {
            attackers.column |= queen == column;
            attackers.diagonal |= column.checked_sub(queen) == Some(row - above);
            attackers.antidiagonal |= queen.checked_sub(column) == Some(row - above);
        }
        attackers
    }

    /// Whether this square of the next row was tried.
    #[must_use]
    pub fn is_tried(&self, column: usize) -> bool {
        column < self.next_column
    }

    /// The data of `bitmask`. It is computed as `bitmask` does, queen by queen, not from the definition of an attack.
    #[must_use]
    pub fn masks(&self) -> Masks {
        let full = (1u64 << self.size) - 1;
        let (mut columns, mut diagonals, mut antidiagonals) = (0, 0, 0);
        for &column in &self.queens {
            let queen = 1u64 << column;
            columns |= queen;
            diagonals = (diagonals | queen) << 1;
            antidiagonals = (antidiagonals | queen) >> 1;
        }
        let untried = full & !((1u64 << self.next_column) - 1);
        let free = untried & !(columns | diagonals | antidiagonals);
        Masks { columns, diagonals: diagonals & full, antidiagonals, free }
    }

    /// The data of `arrays`.
    #[must_use]
    pub fn arrays(&self) -> Arrays {
        let n = self.size;
        let lines = (2 * n).saturating_sub(1);
        let mut arrays =
            Arrays { columns: vec![false; n], diagonals: vec![false; lines], antidiagonals: vec![false; lines] };
        for (row, &column) in self.queens.iter().enumerate() {
            arrays.columns[column] = true;
            arrays.diagonals[row + n - 1 - column] = true;
            arrays.antidiagonals[row + column] = true;
        }
        arrays
    }
}

/// Iterates over the steps of the search of `arrays` and `bitmask`, on the whole first row. Each row is tried from its first column on.
///
/// ```
/// use nqueens::board::Size;
/// use nqueens::trace::{Event, Search};
///
/// let first = Search::new(Size::new(6)?).find(|step| step.is_solution()).unwrap();
/// assert_eq!((first.position.queens(), first.nodes), (&[1, 3, 5, 0, 2, 4][..], 31));
/// assert_eq!(first.event, Event::Placed(5, 4));
/// assert_eq!(Search::new(Size::new(8)?).last().unwrap().nodes, 2056);
/// # Ok::<(), nqueens::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Search {
    position: Position,
    steps: usize,
    nodes: u64,
    solutions: u64,
}

impl Search {
    /// The search on an empty board.
    #[must_use]
    pub fn new(size: Size) -> Self {
        Self { position: Position::empty(size), steps: 0, nodes: 0, solutions: 0 }
    }
}

impl Iterator for Search {
    type Item = Step;

    fn next(&mut self) -> Option<Step> {
        let position = &mut self.position;
        let row = position.queens.len();
        let free = if position.is_full() { 0 } else { position.masks().free };
        let event = if free == 0 {
            let column = position.queens.pop()?;
            position.next_column = column + 1;
            Event::Lifted(row - 1, column)
        } else {
            let column = free.trailing_zeros() as usize;
            position.queens.push(column);
            position.next_column = 0;
            self.nodes += 1;
            self.solutions += u64::from(position.is_full());
            Event::Placed(row, column)
        };
        self.steps += 1;
        let (nodes, solutions) = (self.nodes, self.solutions);
        Some(Step { number: self.steps, event, position: position.clone(), nodes, solutions })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_last_step_is_the_last() {
        for n in 1..=6 {
            let steps: Vec<Step> = Search::new(Size::new(n).unwrap()).collect();
            let last: Vec<usize> = steps.iter().filter(|step| step.is_last()).map(|step| step.number).collect();
            assert_eq!(last, [steps.len()], "n = {n}");
        }
    }

    #[test]
    fn squares_outside_the_board_are_on_lines_too() {
        let position = Search::new(Size::new(4).unwrap()).find(Step::is_solution).unwrap().position;
        assert_eq!(position.queens(), [1, 3, 0, 2]);
        let lines = |row, column| {
            let Attackers { column, diagonal, antidiagonal } = position.attackers(row, column);
            [column, diagonal, antidiagonal]
        };
        assert_eq!(lines(9, 1 << 63), [false; 3]);
        assert_eq!(lines(usize::MAX, usize::MAX), [false; 3]);
        assert_eq!(lines(usize::MAX, 0), [true, false, false]);
        assert_eq!(lines(5, 4), [false, true, false]);
        assert_eq!(lines(4, 1), [true, false, true]);
        assert!(!position.is_tried(usize::MAX));
    }

    #[test]
    fn masks_arrays_and_the_definition_of_an_attack_agree_at_every_step() {
        for n in 1..=7 {
            for step in Search::new(Size::new(n).unwrap()) {
                let position = step.position;
                if position.is_full() {
                    continue;
                }
                let (row, masks, arrays) = (position.queens().len(), position.masks(), position.arrays());
                for column in 0..n {
                    let attackers = position.attackers(row, column);
                    let bits =
                        [masks.columns, masks.diagonals, masks.antidiagonals].map(|mask| mask >> column & 1 == 1);
                    assert_eq!(bits, [attackers.column, attackers.diagonal, attackers.antidiagonal]);
                    let entries = [
                        arrays.columns[column],
                        arrays.diagonals[row + n - 1 - column],
                        arrays.antidiagonals[row + column],
                    ];
                    assert_eq!(entries, bits);
                    let is_free = attackers.is_none() && !position.is_tried(column);
                    assert_eq!(masks.free >> column & 1 == 1, is_free);
                }
            }
        }
    }
}
