//! The search of the solver `bitmask`, one step at a time. Each step places a queen or removes one.

use crate::board::Size;
use crate::rows::Stepper;

pub use crate::rows::{Event, Masks};

/// A step of the search, and the position after it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Step {
    /// The number of the step, counted from 1.
    pub number: u64,
    /// The queen that this step places or removes.
    pub event: Event,
    /// The position after this step.
    pub position: Position,
    /// The number of queens placed so far, including this step.
    pub nodes: u64,
    /// The number of solutions found so far, including this step.
    pub solutions: u64,
}

impl Step {
    /// Returns whether this step completes a solution.
    #[must_use]
    pub fn is_solution(&self) -> bool {
        matches!(self.event, Event::Placed(..)) && self.position.is_full()
    }

    /// Returns whether this is the last step: the board is empty, and no column of the first row is left to try.
    #[must_use]
    pub fn is_last(&self) -> bool {
        self.position.queens.is_empty() && self.position.masks.free == 0
    }
}

/// The queens in the first rows, and the masks of the row below them.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Position {
    /// The size n of the board.
    pub size: Size,
    /// The column of each queen, from the first row on.
    pub queens: Vec<u32>,
    /// The masks of the row below the queens.
    pub masks: Masks,
}

impl Position {
    /// Returns the position with which the search begins: an empty board.
    #[must_use]
    pub fn empty(size: Size) -> Self {
        Search::new(size).here()
    }

    /// Returns whether there is a queen in every row.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.queens.len() == self.size.get()
    }
}

/// An iterator over the steps of the search of `bitmask`. It tries the columns of each row from left to right, and
/// unlike `bitmask` it searches the whole first row, not only one half.
///
/// ```
/// use nqueens::board::Size;
/// use nqueens::trace::{Event, Search};
///
/// let first = Search::new(Size::new(6)?).find(|step| step.is_solution()).unwrap();
/// assert_eq!((&first.position.queens[..], first.nodes), (&[1, 3, 5, 0, 2, 4][..], 31));
/// assert_eq!(first.event, Event::Placed(5, 4));
/// assert_eq!(Search::new(Size::new(8)?).last().unwrap().nodes, 2056);
/// # Ok::<(), nqueens::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Search {
    stepper: Stepper,
    steps: u64,
    nodes: u64,
    solutions: u64,
}

impl Search {
    /// Begins the search on an empty board.
    #[must_use]
    pub fn new(size: Size) -> Self {
        Self { stepper: Stepper::new(size), steps: 0, nodes: 0, solutions: 0 }
    }

    fn here(&self) -> Position {
        let stepper = &self.stepper;
        Position { size: stepper.size(), queens: stepper.queens().to_vec(), masks: stepper.masks() }
    }
}

impl Iterator for Search {
    type Item = Step;

    fn next(&mut self) -> Option<Step> {
        let event = self.stepper.go_on()?;
        let position = self.here();
        self.steps += 1;
        if let Event::Placed(..) = event {
            self.nodes += 1;
            self.solutions += u64::from(position.is_full());
        }
        Some(Step { number: self.steps, event, position, nodes: self.nodes, solutions: self.solutions })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_last_step_is_the_last() {
        for n in 1..=6 {
            let steps: Vec<Step> = Search::new(Size::new(n).unwrap()).collect();
            let last: Vec<u64> = steps.iter().filter(|step| step.is_last()).map(|step| step.number).collect();
            assert_eq!(last, [steps.len() as u64], "n = {n}");
        }
    }

    #[test]
    fn masks_and_the_definition_of_an_attack_agree_at_every_step() {
        for n in 1..=7 {
            for Step { event, position, .. } in
                Search::new(Size::new(n).unwrap()).filter(|step| !step.position.is_full())
            {
                let (row, masks) = (position.queens.len(), position.masks);
                let untried = match event {
                    Event::Placed(..) => 0,
                    Event::Removed(_, column) => column as usize + 1,
                };
                for column in 0..n {
                    let above =
                        |is_attack: fn(isize, isize) -> bool| {
                            position.queens.iter().enumerate().any(|(above, &queen)| {
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
                    assert_eq!(masks.taken() >> column & 1 == 1, attacks != [false; 3]);
                    let is_free = attacks == [false; 3] && column >= untried;
                    assert_eq!(masks.free >> column & 1 == 1, is_free);
                }
            }
        }
    }
}
