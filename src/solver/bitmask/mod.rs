//! `bitmask`: bit masks, all eight symmetries, fewest choices first, batches without branches.
//!
//! Rows, columns, diagonals and antidiagonals are one `u64` each ([`occupancy`]). `bitmask` has four improvements
//! against `mask`, the largest first. At n = 16, on one core with AVX-512, `mask` takes 6.9 s and `bitmask` 0.06 s.
//!
//! 1. *Symmetry* ([`middle`]): the queens on the middle lines are placed first. An exact rule counts one board of
//!    eight. Each choice of these queens is a unit of work.
//! 2. *Batches* ([`walk`]): many placements at a time, level by level without branches ([`mod@step`]). A recursion
//!    spends most of its time on mispredicted branches. Vectors hold integers of 32 bits up to n = 16, and of 64 bits
//!    on larger boards.
//! 3. *Order* ([`mod@unit`], [`mod@order`]): at each node of the first levels, the open row or column with the fewest
//!    free squares is next. Below, a walk has a fixed order by expected free squares.
//! 4. *Look-ahead*: a placement is dropped if one of the next two lines has no free square. On the last two lines the
//!    look-ahead counts the solutions.
//!
//! A *line* is a row or a column that needs a queen. A *level* is a depth of the search tree, with a stack of
//! placements.
//!
//! Sources: bit patterns as in Richards, "Backtracking algorithms in MCPL using bit patterns" (1997), and `mask`;
//! queens fixed on the lines that the symmetries exchange, as Kise's qn24b, q27 (Preusser et al.) and NQueensFAF do on
//! the border; fewest choices first, Golomb and Baumert, "Backtrack programming" (1965).
//!
//! Figures, at n = 14 to 17:
//! - nanoseconds for each queen: a recursion 6 to 8, batches with SSE2 2.6, AVX2 1.0, AVX-512 0.7;
//! - integers of 64 bits instead of 32: 1.2 to 1.9 times the time;
//! - order from the middle row outward: 1.4 times the queens;
//! - no look-ahead: 1.3 times the queens.
//!
//! Tried and dropped. Factors compare with the present code, at n = 14 to 17:
//! - the rule of symmetry on the border: 2.5 times the queens (see [`middle`]);
//! - a third and a fourth line of look-ahead: 10 and 15 % fewer queens, the same time and 3 % more;
//! - for odd n the rule of four lines alone, without the middle row and column: 1.24 times the time;
//! - a recursion on the same order and look-ahead: 2.2 times the time of plain batches;
//! - a choice of the line at every node: 2.4 times fewer queens, but no batches and 6 times the time;
//! - batches of 32: 1.07 times the time; batches of 128 with 64-bit integers: equal time;
//! - no vectors, but a table of attacked squares, 16 bits a row: 1.33 times the time of SSE2;
//! - short arrays in plain Rust instead of SSE2: 2.4 times the time;
//! - for n up to 13, ties between lines decided by their distance from the middle: 3 % fewer queens, equal time;
//! - free squares of small batches tried in registers: 0.96 times the time on tiny trees, 1.03 to 1.10 on others.

mod cost;
mod middle;
mod occupancy;
mod order;
mod step;
#[cfg(test)]
mod tests;
mod unit;
mod walk;

use super::simd::{Integer, dispatch};
use super::{Isa, Plan, Solver, Worker, forecast};
use crate::board::{Size, Solution};
use crate::count::{Tally, Work};
use crate::room::collect;
use crate::{CancelToken, Result};

use middle::Start;

/// Base-10 logarithms of the seconds that one core takes with AVX-512, for n = 0, 2, 4, ..., 28. Measured up to 18,
/// sampled at 20 and 22, extrapolated above.
const LOG_SECONDS: [f64; 15] =
    [-6.0, -6.0, -6.0, -5.5, -5.0, -4.3, -3.55, -2.65, -1.22, 0.72, 2.46, 4.32, 6.22, 8.2, 10.25];

/// The solver `bitmask`.
pub(super) struct Bitmask;

impl Solver for Bitmask {
    fn name(&self) -> &'static str {
        "bitmask"
    }

    fn about(&self) -> &'static str {
        "bit masks, all eight symmetries, many boards at a time"
    }

    fn instruction_sets(&self) -> &'static [Isa] {
        Isa::ALL
    }

    fn plan(&self, size: Size, isa: Isa, _cancel: &CancelToken) -> Result<Box<dyn Plan>> {
        Ok(Box::new(Starts::new(size.get() as u32, isa)?))
    }

    fn predicted_seconds(&self, size: Size, isa: Isa) -> f64 {
        let slower = if matches!(isa, Isa::Portable | Isa::Neon) { 3.0 } else { 1.0 };
        slower * forecast::interpolate(&LOG_SECONDS, size)
    }
}

struct Starts {
    n: u32,
    isa: Isa,
    /// The units, the costliest first. Units of equal cost are in order of their queens.
    units: Vec<Unit>,
}

struct Unit {
    start: Start,
    cost: u128,
}

impl Starts {
    fn new(n: u32, isa: Isa) -> Result<Self> {
        let unit = |start: Start| Unit { start, cost: cost::predicted_cost(start.occupancy(n)) };
        let mut units = collect(middle::starts(n)?.into_iter().map(unit))?;
        units.sort_unstable_by(|a, b| b.cost.cmp(&a.cost).then_with(|| a.start.queens().cmp(b.start.queens())));
        Ok(Self { n, isa, units })
    }

    fn searcher<I: Integer>(&self) -> Box<dyn Worker + '_> {
        Box::new(Searcher { plan: self, scratch: unit::Scratch::<I>::default() })
    }
}

impl Plan for Starts {
    fn units(&self) -> usize {
        self.units.len()
    }

    fn name(&self, unit: usize) -> String {
        let start = &self.units[unit].start;
        format!("queens {:?}, weight {}", start.queens(), start.weight)
    }

    fn cost(&self, unit: usize) -> f64 {
        self.units[unit].cost as f64
    }

    fn divisor(&self) -> u64 {
        middle::DIVISOR
    }

    fn locate(&self, solution: &Solution) -> Option<(usize, u64)> {
        let (queens, weight) = middle::locate(solution.columns())?;
        Some((self.units.iter().position(|unit| unit.start.queens() == queens)?, weight))
    }

    fn worker(&self) -> Box<dyn Worker + '_> {
        if self.n <= step::NARROW_UP_TO { self.searcher::<u32>() } else { self.searcher::<u64>() }
    }
}

/// Counts units with integers of this width.
struct Searcher<'a, I> {
    plan: &'a Starts,
    scratch: unit::Scratch<I>,
}

impl<I: Integer> Worker for Searcher<'_, I> {
    fn count(&mut self, unit: usize, cancel: &CancelToken) -> Result<Tally> {
        let Starts { n, isa, ref units } = *self.plan;
        self.scratch.make_room(n)?;
        let start = &units[unit].start;
        let levels = unit::opened_levels(n);
        let count = unit::Count { scratch: &mut self.scratch, start: start.occupancy(n), levels, cancel };
        let below = dispatch(isa, count);
        let solutions = u128::from(below.solutions) * u128::from(start.weight);
        Ok(Tally { solutions, work: Work { nodes: below.nodes + start.queens().len() as u64, ..Work::default() } })
    }
}
