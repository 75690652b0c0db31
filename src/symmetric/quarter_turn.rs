//! Solutions that a quarter turn does not change. Queens come in fours.
//!
//! The turn moves a queen from (i, j) to (j, n - 1 - i), then to (n - 1 - i, n - 1 - j), then to (n - 1 - j, i). So a
//! four takes the rows and columns i, j, n - 1 - i and n - 1 - j. *Frame* i consists of the rows and columns i and n -
//! 1 - i. A four takes two different frames: in one frame its queens would stand on a middle diagonal. For odd n one
//! queen stands in the middle, and its row and column belong to no frame. The number of frames must be even, so n is 4k
//! or 4k + 1.
//!
//! The diagonals of a four have the distances |j - i| and |i + j - (n - 1)| from the middle. Its antidiagonals have
//! these two distances too. So one set of distances says which diagonals and antidiagonals are taken.

use crate::board::Solution;
use crate::count::{Tally, Work};
use crate::solver::{Plan, Worker};
use crate::{CancelToken, Error, Result};

/// The frames and distances that are taken.
#[derive(Debug, Clone, Copy)]
struct Taken {
    frames: u64,
    /// Distances of diagonals from the middle one.
    distances: u64,
}

impl Taken {
    fn new(n: usize) -> Self {
        // Distance 0 is a middle diagonal. Only the queen in the middle may stand on it.
        Self { frames: 0, distances: u64::from(n > 0) }
    }

    /// Places the four of a queen in the upper half. `None` if queens attack each other.
    #[inline]
    fn with(self, n: usize, row: usize, column: usize) -> Option<Self> {
        let frames = 1u64 << row | 1 << column.min(n - 1 - column);
        let distances = 1u64 << column.abs_diff(row) | 1 << (column + row).abs_diff(n - 1);
        let is_free = self.frames & frames == 0 && self.distances & distances == 0;
        (is_free && frames.count_ones() == 2)
            .then_some(Self { frames: self.frames | frames, distances: self.distances | distances })
    }

    /// The frames that are not taken.
    fn frames_left(self, n: usize) -> u64 {
        ((1 << (n / 2)) - 1) & !self.frames
    }
}

/// Whether the number of frames is even.
fn is_possible(n: usize) -> bool {
    (n / 2).is_multiple_of(2)
}

/// The count. A unit fixes the column of the first row's queen, in the left half. Its solutions have weight 2, because
/// their mirror images have this queen in the right half.
#[derive(Debug)]
pub(super) struct FirstRow {
    n: usize,
}

impl FirstRow {
    pub(super) fn new(n: usize) -> Self {
        Self { n }
    }
}

impl Plan for FirstRow {
    fn units(&self) -> usize {
        (self.n / 2).max(1)
    }

    fn name(&self, unit: usize) -> String {
        format!("quarter turn: queen on (row, column) (0, {unit})")
    }

    fn cost(&self, _unit: usize) -> f64 {
        1.0
    }

    fn locate(&self, solution: &Solution) -> Option<(usize, u64)> {
        if !super::Turn::Quarter.leaves(solution) {
            return None;
        }
        match solution.columns() {
            [] | [_] => Some((0, 1)),
            [first, ..] => Some((usize::from(*first), 2)).filter(|(unit, _)| *unit < self.units()),
        }
    }

    fn worker(&self) -> Box<dyn Worker + '_> {
        Box::new(self)
    }
}

impl Worker for &FirstRow {
    fn count(&mut self, unit: usize, cancel: &CancelToken) -> Result<Tally> {
        let n = self.n;
        if n < 2 {
            return Ok(Tally { solutions: 1, work: Work::default() });
        }
        let Some(taken) = Taken::new(n).with(n, 0, unit).filter(|_| is_possible(n)) else {
            return Ok(Tally::default());
        };
        let mut search = QuarterTurnSearch { n, cancel, nodes: 1 };
        let solutions = search.place(taken).checked_mul(2).ok_or(Error::Overflow { bits: 64 })?;
        Ok(Tally { solutions: u128::from(solutions), work: Work { nodes: search.nodes, ..Work::default() } })
    }
}

struct QuarterTurnSearch<'a> {
    n: usize,
    cancel: &'a CancelToken,
    nodes: u64,
}

/// With at most this number of frames left, a search does not ask whether it was cancelled.
const UNCHECKED_FRAMES: u32 = 8;

impl QuarterTurnSearch<'_> {
    /// Counts the ways to take the remaining frames. The innermost is first: at n = 32 this places half as many queens
    /// as starting at the edge.
    fn place(&mut self, taken: Taken) -> u64 {
        let n = self.n;
        let left = taken.frames_left(n);
        if left == 0 {
            return 1;
        }
        if left.count_ones() > UNCHECKED_FRAMES && self.cancel.is_cancelled() {
            return 0;
        }
        let row = left.ilog2() as usize;
        let mut frames = left & !(1 << row);
        let mut found = 0;
        while frames != 0 {
            let frame = frames.trailing_zeros() as usize;
            frames &= frames - 1;
            for column in [frame, n - 1 - frame] {
                if let Some(taken) = taken.with(n, row, column) {
                    self.nodes += 1;
                    found += self.place(taken);
                }
            }
        }
        found
    }
}

/// Finds the solutions in lexicographic order: the first row without a queen, lowest column first. All rows above that
/// row have their queens, so its column is the first difference of two solutions.
pub(super) struct QuarterTurnSolutions {
    n: usize,
    /// For each four and for the next: its row, the first column that is left to try, and what earlier fours take.
    stack: Vec<(usize, usize, Taken)>,
    queens: Vec<u8>,
}

impl QuarterTurnSolutions {
    pub(super) fn new(n: usize) -> Self {
        let mut solutions = Self { n, stack: Vec::new(), queens: vec![0; n] };
        if is_possible(n) {
            solutions.enter(Taken::new(n));
        }
        solutions
    }

    fn enter(&mut self, taken: Taken) {
        self.stack.push((taken.frames_left(self.n).trailing_zeros() as usize, 0, taken));
    }

    pub(super) fn next(&mut self, cancel: &CancelToken) -> Option<Solution> {
        let n = self.n;
        while let Some((row, next_column, taken)) = self.stack.last_mut() {
            let (row, taken) = (*row, *taken);
            if taken.frames_left(n).count_ones() > UNCHECKED_FRAMES && cancel.is_cancelled() {
                return None;
            }
            if taken.frames_left(n) == 0 {
                self.stack.pop();
                if n % 2 == 1 {
                    self.queens[n / 2] = (n / 2) as u8;
                }
                return Some(Solution::found(self.queens.clone()));
            }
            let choice = (*next_column..n).find_map(|column| Some((column, taken.with(n, row, column)?)));
            let Some((column, taken)) = choice else {
                self.stack.pop();
                continue;
            };
            *next_column = column + 1;
            let mut square = (row, column);
            for _ in 0..4 {
                self.queens[square.0] = square.1 as u8;
                square = (square.1, n - 1 - square.0);
            }
            self.enter(taken);
        }
        None
    }
}
