//! The plan of every solver that searches row by row: each unit of work is a choice of queens in the first rows.
//!
//! Because the mirror image of a solution is a solution, the first queen of a *mirrored* plan stands only in the left
//! half of the first row, and each solution counts twice. If n is odd and the first queen stands in the middle column,
//! a solution counts once, because the search also finds its mirror image.

use crate::board::{Board, Size};
use crate::cancel::Cancelled;
use crate::memory::collect;
use crate::solver::{Audit, Isa, Plan, Solver, Worker};
use crate::tally::{Tally, Work};
use crate::{CancelToken, Result};

/// A solver that searches row by row.
pub(crate) struct RowByRow {
    pub(super) name: &'static str,
    pub(super) about: &'static str,
    /// The time to place a queen on one core of an AMD EPYC 9004 (Zen 4).
    pub(super) nanoseconds_per_node: f64,
    /// Whether the plan contains only half of the first row, and counts it twice.
    pub(super) is_mirrored: bool,
    pub(super) count_below: CountBelow,
}

/// A function that counts the solutions and the nodes below the queens in the first rows. A node is one queen placed.
/// Both numbers fit in 64 bits, because the search visits nodes one by one and would need centuries for 2^64 of them.
type CountBelow = fn(n: usize, first_rows: &[u32], cancel: &CancelToken) -> Result<Tally, Cancelled>;

/// The largest number of rows in which a search takes only milliseconds.
pub(super) const UNCHECKED_ROWS: usize = 11;

/// Fails if `cancel` is cancelled, but does not check it in the last [`UNCHECKED_ROWS`] rows.
#[inline]
pub(super) fn check_in_upper_rows(cancel: &CancelToken, rows_left: usize) -> Result<(), Cancelled> {
    if rows_left > UNCHECKED_ROWS { cancel.check() } else { Ok(()) }
}

impl Solver for RowByRow {
    fn name(&self) -> &'static str {
        self.name
    }

    fn about(&self) -> &'static str {
        self.about
    }

    fn plan(&self, size: Size, _isa: Isa, _cancel: &CancelToken) -> Result<Box<dyn Plan>> {
        Ok(Box::new(FirstRows::new(size, self.is_mirrored, self.count_below)?))
    }

    fn predicted_seconds(&self, size: Size, _isa: Isa) -> Option<f64> {
        let nodes = nodes(size.get() as f64) / if self.is_mirrored { 2.0 } else { 1.0 };
        Some(nodes * self.nanoseconds_per_node * 1e-9)
    }
}

/// Estimates the number of queens that a search without symmetry places. From n = 6 on, the estimate is within a fifth
/// of A319283.
fn nodes(n: f64) -> f64 {
    10f64.powf(-0.831 + 0.4173 * n + 0.012547 * n * n)
}

/// The plan. Each unit is a list of the columns of the queens in the first rows.
struct FirstRows {
    size: Size,
    is_mirrored: bool,
    count_below: CountBelow,
    units: Vec<Vec<u32>>,
}

impl FirstRows {
    /// Makes a unit of each choice of queens in the first two rows, so that there is work for many threads. On small
    /// boards a unit fixes only the first row, because two rows would gain nothing, or because some first queens would
    /// leave no square for a second one. For n = 0, a single unit has no queen.
    fn new(size: Size, is_mirrored: bool, count_below: CountBelow) -> Result<Self> {
        let n = size.get();
        let all = 0..n as u32;
        let (first_row, two_rows_from) = if is_mirrored { (0..all.end.div_ceil(2), 4) } else { (all.clone(), 10) };
        let units = if n == 0 {
            vec![vec![]]
        } else if n < two_rows_from {
            first_row.map(|first| vec![first]).collect()
        } else {
            collect(first_row.flat_map(|first| {
                all.clone().filter(move |&second| first.abs_diff(second) > 1).map(move |second| vec![first, second])
            }))?
        };
        Ok(Self { size, is_mirrored, count_below, units })
    }

    /// Returns how many of the unit's first queens no earlier unit has placed, so that each is counted as a node once.
    fn own_queens(&self, unit: usize) -> u64 {
        let is_shared = unit > 0 && self.units[unit - 1].first() == self.units[unit].first();
        self.units[unit].len() as u64 - u64::from(is_shared)
    }

    /// Returns the number of boards that each solution of a unit stands for: 2 if the plan is mirrored and the first
    /// queen is not in the middle, and 1 otherwise.
    fn weight(&self, unit: usize) -> u64 {
        let is_left = self.units[unit].first().is_some_and(|&first| 2 * first as usize + 1 < self.size.get());
        if self.is_mirrored && is_left { 2 } else { 1 }
    }
}

impl Plan for FirstRows {
    fn size(&self) -> Size {
        self.size
    }

    fn units(&self) -> usize {
        self.units.len()
    }

    fn name(&self, unit: usize) -> String {
        let weight = if self.is_mirrored { format!(", weight {}", self.weight(unit)) } else { String::new() };
        format!("columns {:?}{weight}", self.units[unit])
    }

    fn locate(&self, solution: &Board) -> Option<(usize, u64)> {
        let unit = self.units.iter().position(|first_rows| solution.columns().starts_with(first_rows))?;
        Some((unit, self.weight(unit)))
    }

    fn worker(&self) -> Box<dyn Worker + '_> {
        Box::new(self)
    }

    fn audit(&self) -> &dyn Audit {
        self
    }
}

impl Audit for FirstRows {
    fn tally_divisor(&self, unit: usize) -> u64 {
        self.weight(unit)
    }
}

impl Worker for &FirstRows {
    fn count(&mut self, unit: usize, cancel: &CancelToken) -> Result<Tally> {
        let below = (self.count_below)(self.size.get(), &self.units[unit], cancel)?;
        let solutions = below.solutions * u128::from(self.weight(unit));
        Ok(Tally::new(solutions, Work::of_nodes(below.work.nodes + self.own_queens(unit))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::{ARRAYS, BITMASK, NAIVE, PERMUTATION};

    /// For n = 8, Knuth (TAOCP 7.2.2) gives the profile 1, 8, 42, 140, 344, 568, 550, 312, 92: 2057 nodes with the
    /// root.
    #[test]
    fn nodes_are_those_of_the_published_search_tree_or_of_half_of_it() {
        let whole = [(0, 0), (1, 1), (2, 2), (4, 16), (8, 2056), (10, 35_538)];
        let half = [(0, 0), (1, 1), (2, 1), (4, 8), (8, 1028), (10, 17_769)];
        for (solver, nodes) in [(&NAIVE, whole), (&PERMUTATION, whole), (&ARRAYS, whole), (&BITMASK, half)] {
            for (n, nodes) in nodes {
                let plan = solver.plan(Size::new(n).unwrap(), Isa::Portable, &CancelToken::new()).unwrap();
                let visited = |unit| plan.worker().count(unit, &CancelToken::new()).unwrap().work.nodes;
                assert_eq!((0..plan.units()).map(visited).sum::<u64>(), nodes, "{} at n = {n}", solver.name());
            }
        }
    }
}
