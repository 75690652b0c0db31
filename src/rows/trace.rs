//! Shows the search: the steps of the solver `bitmask` with its masks, and the number of nodes in each row. It is made
//! for looking, not for counting.

pub use super::profile::profile;

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

/// The data of the solver `bitmask` when it enters a row. Bit c stands for column c.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Masks {
    /// Columns that hold a queen.
    pub columns: u64,
    /// Squares of the row that are attacked along diagonals. From row to row they shift up by one bit.
    pub diagonals: u64,
    /// Squares of the row that are attacked along antidiagonals. From row to row they shift down by one bit.
    pub antidiagonals: u64,
    /// Squares that are neither attacked nor tried.
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
}

/// Iterates over the steps of the search of `bitmask`, on the whole first row. Each row is tried from its first column on.
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
    fn masks_and_the_definition_of_an_attack_agree_at_every_step() {
        for n in 1..=7 {
            for Step { position, .. } in Search::new(Size::new(n).unwrap()).filter(|step| !step.position.is_full()) {
                let (row, masks) = (position.queens().len(), position.masks());
                for column in 0..n {
                    let above =
                        |is_attack: fn(isize, isize) -> bool| {
                            position.queens().iter().enumerate().any(|(above, &queen)| {
                                is_attack((row - above) as isize, column as isize - queen as isize)
                            })
                        };
                    let attacks = [
                        above(|_, right| right == 0),
                        above(|down, right| down == right),
                        above(|down, right| down == -right),
                    ];
                    let bits =
                        [masks.columns, masks.diagonals, masks.antidiagonals].map(|mask| mask >> column & 1 == 1);
                    assert_eq!(bits, attacks);
                    let is_free = attacks == [false; 3] && column >= position.next_column;
                    assert_eq!(masks.free >> column & 1 == 1, is_free);
                }
            }
        }
    }
}
