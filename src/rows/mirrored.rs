//! `bitmask`: the counter that this project is named for. Three masks of 64 bits hold the columns and both kinds of
//! diagonals that are taken.
//!
//! - `bitmask.rs` has the recursion, in ten lines.
//! - This file cuts the search into units by the queens of the first rows. The [`engine`](crate::engine) spreads the
//!   units over the threads of a rayon pool. Each thread adds up its own count; the sums are added at the end.
//! - `list.rs` is the same search as an iterator over the boards.
//!
//! Symmetry: the mirror image of a solution is a solution. So the first queen stands only in the left half of the first
//! row, and each solution there counts twice. If n is odd, a first queen in the middle column is its own mirror image.
//! Its solutions count once, because the search finds their mirror images too.

use super::{bitmask, forecast, list};
use crate::Solutions;
use crate::board::{Board, Size};
use crate::memory::collect;
use crate::solver::{Isa, Plan, Solver, Worker};
use crate::tally::{Tally, Work};
use crate::{CancelToken, Result};

/// The solver `bitmask`.
pub(crate) struct Bitmask;

/// One core of an AMD EPYC 9004 (Zen 4).
const SECONDS_PER_NODE: f64 = 6e-9;

impl Solver for Bitmask {
    fn name(&self) -> &'static str {
        "bitmask"
    }

    fn about(&self) -> &'static str {
        "three masks of 64 bits for columns and diagonals, half of the first row"
    }

    fn plan(&self, size: Size, _isa: Isa, _cancel: &CancelToken) -> Result<Box<dyn Plan>> {
        Ok(Box::new(FirstRows::new(size.get())?))
    }

    fn predicted_seconds(&self, size: Size, _isa: Isa) -> f64 {
        forecast::backtracking_nodes(size) / 2.0 * SECONDS_PER_NODE
    }

    fn solutions(&self, size: Size) -> Option<Solutions> {
        let mut boards = list::Boards::new(size.get());
        Some(Solutions::new(move |cancel| boards.next(cancel)))
    }
}

/// The units: the columns of the queens of the first rows.
struct FirstRows {
    n: usize,
    units: Vec<Vec<u32>>,
}

impl FirstRows {
    /// Takes the queens of the first two rows, so that many threads have work. Boards below n = 4 have one row in a
    /// unit, because some first queens have no second queen there. For n = 0 there is one unit without a queen.
    fn new(n: usize) -> Result<Self> {
        let all = 0..n as u32;
        let left_half = 0..(n as u32).div_ceil(2);
        let units = match n {
            0 => vec![vec![]],
            1..4 => left_half.map(|first| vec![first]).collect(),
            _ => collect(left_half.flat_map(|first| {
                all.clone().filter(move |&second| first.abs_diff(second) > 1).map(move |second| vec![first, second])
            }))?,
        };
        Ok(Self { n, units })
    }

    /// The number of the unit's first queens that no earlier unit has. The count of nodes has each of them once.
    fn own_queens(&self, unit: usize) -> u64 {
        let is_shared = unit > 0 && self.units[unit - 1].first() == self.units[unit].first();
        self.units[unit].len() as u64 - u64::from(is_shared)
    }

    /// The number of boards that each solution of a unit stands for: 2, or 1 if its first queen is in the middle.
    fn weight(&self, unit: usize) -> u64 {
        let is_left = self.units[unit].first().is_some_and(|&first| 2 * first as usize + 1 < self.n);
        if is_left { 2 } else { 1 }
    }
}

impl Plan for FirstRows {
    fn units(&self) -> usize {
        self.units.len()
    }

    fn name(&self, unit: usize) -> String {
        format!("columns {:?}, weight {}", self.units[unit], self.weight(unit))
    }

    fn cost(&self, _unit: usize) -> f64 {
        1.0
    }

    fn tally_divisor(&self, unit: usize) -> u64 {
        self.weight(unit)
    }

    fn locate(&self, solution: &Board) -> Option<(usize, u64)> {
        let unit = self.units.iter().position(|first_rows| solution.columns().starts_with(first_rows))?;
        Some((unit, self.weight(unit)))
    }

    fn worker(&self) -> Box<dyn Worker + '_> {
        Box::new(self)
    }
}

impl Worker for &FirstRows {
    fn count(&mut self, unit: usize, cancel: &CancelToken) -> Result<Tally> {
        let first_rows = &self.units[unit];
        let (solutions, nodes) = bitmask::search(self.n, first_rows, cancel)?;
        let solutions = u128::from(solutions) * u128::from(self.weight(unit));
        Ok(Tally::new(solutions, Work::of_nodes(nodes + self.own_queens(unit))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Knuth gives 2057 nodes for n = 8 with the root (TAOCP 7.2.2).
    #[test]
    fn half_of_the_published_search_tree_is_visited() {
        for (n, nodes) in [(0, 0), (1, 1), (2, 1), (4, 8), (8, 1028), (10, 17_769)] {
            let plan = FirstRows::new(n).unwrap();
            let visited = |unit| plan.worker().count(unit, &CancelToken::new()).unwrap().work.nodes;
            assert_eq!((0..plan.units()).map(visited).sum::<u64>(), nodes, "n = {n}");
        }
    }

    #[test]
    fn units_and_their_mirror_images_are_all_choices_of_the_first_rows() {
        for n in 0..=32 {
            let plan = FirstRows::new(n).unwrap();
            let weights: u64 = (0..plan.units()).map(|unit| plan.weight(unit)).sum();
            let all: usize = match n {
                0 => 1,
                1..4 => n,
                // Each first queen attacks three squares of the second row, two at the edges.
                _ => n * n - (3 * n - 2),
            };
            assert_eq!(weights, all as u64, "n = {n}");
        }
    }
}
