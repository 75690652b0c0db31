//! A solver of your own, which searches only half of the first row and counts each solution twice. It runs on all
//! cores, and `verify` compares it with the reference.

use std::sync::Arc;

use nqueens::board::{Board, Size};
use nqueens::solver::{Isa, Plan, Solver, Worker};
use nqueens::tally::{Tally, Work};
use nqueens::verify::Expected;
use nqueens::{CancelToken, Cancelled, Counter, Result};

struct Reflected;

impl Solver for Reflected {
    fn name(&self) -> &'static str {
        "reflected"
    }

    fn plan(&self, size: Size, _isa: Isa, _cancel: &CancelToken) -> Result<Box<dyn Plan>> {
        Ok(Box::new(FirstRow { size }))
    }
}

/// The plan: a unit of work for each column of the first queen, up to the middle.
struct FirstRow {
    size: Size,
}

impl FirstRow {
    /// Returns 2 for a first queen to the left of the middle, where a solution also stands for its reflection.
    fn weight(&self, column: usize) -> u64 {
        if 2 * column + 1 < self.size.get() { 2 } else { 1 }
    }
}

impl Plan for FirstRow {
    fn size(&self) -> Size {
        self.size
    }

    fn units(&self) -> usize {
        self.size.get().div_ceil(2).max(1)
    }

    fn name(&self, unit: usize) -> String {
        format!("first queen in column {unit}")
    }

    /// Tells `verify` which unit counts a solution, and how often, so that it can compare every unit.
    fn locate(&self, solution: &Board) -> Option<(usize, u64)> {
        let column = solution.columns().first().map_or(0, |&column| column as usize);
        (column < self.units()).then(|| (column, self.weight(column)))
    }

    fn worker(&self) -> Box<dyn Worker + '_> {
        Box::new(self)
    }
}

impl Worker for &FirstRow {
    fn count(&mut self, unit: usize, cancel: &CancelToken) -> Result<Tally> {
        let mut search = Search { full: (1 << self.size.get()) - 1, nodes: 0, cancel };
        let first = (1 << unit) & search.full;
        let found = search.place(first, first << 1, first >> 1)?;
        Ok(Tally::new(u128::from(found * self.weight(unit)), Work::of_nodes(search.nodes + 1)))
    }
}

struct Search<'a> {
    full: u64,
    nodes: u64,
    cancel: &'a CancelToken,
}

impl Search<'_> {
    fn place(&mut self, columns: u64, diagonals: u64, antidiagonals: u64) -> Result<u64, Cancelled> {
        if columns == self.full {
            return Ok(1);
        }
        // Checked every few milliseconds, so that the count can be stopped.
        if self.nodes.is_multiple_of(1 << 20) {
            self.cancel.check()?;
        }
        let (mut found, mut free) = (0, self.full & !(columns | diagonals | antidiagonals));
        while free != 0 {
            let queen = free & free.wrapping_neg();
            free ^= queen;
            self.nodes += 1;
            found += self.place(columns | queen, (diagonals | queen) << 1, (antidiagonals | queen) >> 1)?;
        }
        Ok(found)
    }
}

fn main() -> Result<()> {
    for n in 0..=9 {
        let plan = Counter::new(n)?.with_solver(Arc::new(Reflected)).plan()?;
        let expected = Expected::by_reference(&*plan, &CancelToken::new())?;
        let wrong = expected.check(plan.count())?;
        assert!(wrong.is_empty(), "n = {n}: {wrong:?}");
    }
    let outcome = Counter::new(12)?.with_solver(Arc::new(Reflected)).run()?;
    println!("{} solutions for n = 12 by {} on {} threads", outcome.solutions, outcome.solver, outcome.threads);
    assert_eq!(outcome.solutions, 14_200);
    Ok(())
}
