//! The search made visible: the row-by-row backtracking of the solvers `arrays` and `mask`, one step at a time, with what
//! each of them knows at that step; how many nodes each row has; and the color split, coloring by coloring. Made to be
//! looked at, not to count: the solvers count.

mod coloring;
mod profile;

pub use coloring::{Coloring, Product, Side, colorings};
pub use profile::profile;

use crate::board::Size;

/// What a step does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// A queen is placed on (row, column).
    Placed(usize, usize),
    /// The queen on (row, column) is lifted, because nothing is left to be tried below her.
    Lifted(usize, usize),
}

/// A step of the search, and where it leads.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Step {
    /// Its number, counted from 1.
    pub number: usize,
    /// What it does.
    pub event: Event,
    /// The position after it.
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

    /// Whether the search is over with this step: no queen is left, and no column to be tried in the first row.
    #[must_use]
    pub fn is_last(&self) -> bool {
        self.position.queens.is_empty() && self.position.masks().free == 0
    }
}

/// Queens in the first rows, and how far the next row has been tried.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Position {
    size: usize,
    queens: Vec<usize>,
    next_column: usize,
}

/// By which lines a square is attacked from the rows above.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Attackers {
    /// Along its column.
    pub column: bool,
    /// Along its diagonal (row - column is the same).
    pub diagonal: bool,
    /// Along its antidiagonal (row + column is the same).
    pub antidiagonal: bool,
}

impl Attackers {
    /// Whether there is none.
    #[must_use]
    pub fn is_none(self) -> bool {
        self == Self::default()
    }
}

/// What the solver `mask` knows on entering a row: bit c stands for column c.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Masks {
    /// Columns that hold a queen.
    pub columns: u64,
    /// Squares of the row attacked along diagonals: shifted up by one bit from row to row.
    pub diagonals: u64,
    /// Squares of the row attacked along antidiagonals: shifted down by one bit from row to row.
    pub antidiagonals: u64,
    /// What is left, less what has been tried.
    pub free: u64,
}

impl Masks {
    /// Squares of the row that are attacked.
    #[must_use]
    pub fn taken(&self) -> u64 {
        self.columns | self.diagonals | self.antidiagonals
    }

    /// The square of the next queen, the lowest free one; 0 where none is free.
    #[must_use]
    pub fn queen(&self) -> u64 {
        self.free & self.free.wrapping_neg()
    }
}

/// What the solver `arrays` knows: which lines hold a queen.
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

    /// By which lines a square below the queens is attacked.
    #[must_use]
    pub fn attackers(&self, row: usize, column: usize) -> Attackers {
        let mut attackers = Attackers::default();
        for (above, &queen) in self.queens.iter().enumerate().take(row) {
            attackers.column |= queen == column;
            attackers.diagonal |= column as isize - queen as isize == (row - above) as isize;
            attackers.antidiagonal |= queen as isize - column as isize == (row - above) as isize;
        }
        attackers
    }

    /// Whether a square of the row that is next has been tried already.
    #[must_use]
    pub fn is_tried(&self, column: usize) -> bool {
        column < self.next_column
    }

    /// What `mask` knows, by its own rule: from queen to queen, not from the definition of an attack.
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

    /// What `arrays` knows.
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

/// The whole search, a step at a time: each row from its first column on, as `arrays` and `mask` do it.
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
