//! The ladder of the classic programs. Each has a file, and its header says what it changes in the program before. None
//! uses symmetry.
//!
//! A unit of work is a prefix: the queen of the first row, or the queens of the first two rows on larger boards. So any
//! number of threads can share a count. The files of the programs know nothing of threads.

use super::{arrays, forecast, naive, permutation};
use crate::Solutions;
use crate::board::{Board, Size};
use crate::cancel::Cancelled;
use crate::memory::collect;
use crate::solver::{Isa, Plan, Solver, Worker};
use crate::tally::{Tally, Work};
use crate::{CancelToken, Result};

pub(crate) static NAIVE: Textbook = Textbook {
    name: "naive",
    about: "row by row, each new queen tested against all earlier ones",
    nanoseconds_per_node: 90.0,
    search: naive::search,
    solutions: None,
};
pub(crate) static PERMUTATION: Textbook = Textbook {
    name: "permutation",
    about: "permutations searched by swapping, only diagonals tested",
    nanoseconds_per_node: 46.0,
    search: permutation::search,
    solutions: None,
};
pub(crate) static ARRAYS: Textbook = Textbook {
    name: "arrays",
    about: "the reference: boolean arrays for columns, diagonals and antidiagonals",
    nanoseconds_per_node: 44.0,
    search: arrays::search,
    solutions: Some(|n| {
        let mut boards = arrays::Solutions::new(n);
        Solutions::new(move |cancel| boards.next(cancel))
    }),
};

/// Counts the solutions and the nodes below a prefix. The queens of the prefix are not nodes. 64 bits hold both
/// numbers, because the search visits solutions and nodes one by one.
type Search = fn(n: usize, prefix: &[u32], cancel: &CancelToken) -> Result<(u64, u64), Cancelled>;

/// With fewer rows left, a search does not ask whether it was cancelled. They take only milliseconds.
pub(super) const UNCHECKED_ROWS: usize = 11;

pub(crate) struct Textbook {
    name: &'static str,
    about: &'static str,
    nanoseconds_per_node: f64,
    search: Search,
    solutions: Option<fn(n: usize) -> Solutions>,
}

impl Solver for Textbook {
    fn name(&self) -> &'static str {
        self.name
    }

    fn about(&self) -> &'static str {
        self.about
    }

    fn plan(&self, size: Size, _isa: Isa, _cancel: &CancelToken) -> Result<Box<dyn Plan>> {
        Ok(Box::new(Prefixes { n: size.get(), prefixes: prefixes(size.get())?, search: self.search }))
    }

    fn predicted_seconds(&self, size: Size, _isa: Isa) -> f64 {
        forecast::backtracking_nodes(size) * self.nanoseconds_per_node * 1e-9
    }

    fn solutions(&self, size: Size) -> Option<Solutions> {
        self.solutions.map(|solutions| solutions(size.get()))
    }
}

/// Returns the prefixes of all units: the empty prefix for n = 0, one queen up to n = 9, two queens above. Each first
/// queen has a second queen there, so no node is lost.
fn prefixes(n: usize) -> Result<Vec<Vec<u32>>> {
    match n {
        0 => Ok(vec![vec![]]),
        1..=9 => Ok((0..n as u32).map(|first| vec![first]).collect()),
        _ => collect((0..n as u32).flat_map(|first| {
            (0..n as u32).filter(move |second| first.abs_diff(*second) > 1).map(move |second| vec![first, second])
        })),
    }
}

struct Prefixes {
    n: usize,
    prefixes: Vec<Vec<u32>>,
    search: Search,
}

impl Plan for Prefixes {
    fn units(&self) -> usize {
        self.prefixes.len()
    }

    fn name(&self, unit: usize) -> String {
        format!("columns {:?}", self.prefixes[unit])
    }

    fn cost(&self, _unit: usize) -> f64 {
        1.0
    }

    fn locate(&self, solution: &Board) -> Option<(usize, u64)> {
        self.prefixes.iter().position(|prefix| solution.columns().starts_with(prefix)).map(|unit| (unit, 1))
    }

    fn worker(&self) -> Box<dyn Worker + '_> {
        Box::new(self)
    }
}

impl Worker for &Prefixes {
    fn count(&mut self, unit: usize, cancel: &CancelToken) -> Result<Tally> {
        let prefix = &self.prefixes[unit];
        let (solutions, below) = (self.search)(self.n, prefix, cancel)?;
        // This unit counts the last queen of its prefix. An earlier queen is counted by the first unit that has it.
        let shared = unit.checked_sub(1).map_or(0, |before| {
            prefix.iter().zip(&self.prefixes[before]).take_while(|(mine, theirs)| mine == theirs).count()
        });
        let nodes = below + (prefix.len() - shared) as u64;
        Ok(Tally { solutions: u128::from(solutions), work: Work { nodes, ..Work::default() } })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Knuth (TAOCP 7.2.2) gives the profile 1, 8, 42, 140, 344, 568, 550, 312, 92 for n = 8: 2057 nodes with the root.
    #[test]
    fn nodes_are_those_of_the_published_search_tree() {
        for solver in [&NAIVE, &PERMUTATION, &ARRAYS] {
            for (n, nodes) in [(0, 0), (1, 1), (4, 16), (8, 2056), (10, 35538)] {
                let plan = solver.plan(Size::new(n).unwrap(), Isa::Portable, &CancelToken::new()).unwrap();
                let cancel = CancelToken::new();
                let counted: u64 =
                    (0..plan.units()).map(|unit| plan.worker().count(unit, &cancel).unwrap().work.nodes).sum();
                assert_eq!(counted, nodes, "{} at n = {n}", solver.name());
            }
        }
    }
}
