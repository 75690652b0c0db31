//! `bitmask`: occupancy in machine words, the board's whole symmetry, fewest choices first, batches without branches.

mod isa;
mod middle;
mod occupancy;
mod unit;
mod walk;

use super::{Isa, Plan, Solver, Worker, forecast};
use crate::board::{Size, Solution};
use crate::count::{Tally, Work};
use crate::{Error, Monitor, Result};
use middle::Start;

/// Base-10 logarithms of the seconds one core takes with AVX-512, at the sizes 0, 2, 4, ..., 18; the slope of the last
/// two goes on beyond.
const LOG_SECONDS: [f64; 10] = [-6.0, -6.0, -6.0, -5.5, -5.0, -4.6, -3.6, -2.43, -0.93, 0.75];

/// The solver.
pub(super) struct Bitmask;

impl Solver for Bitmask {
    fn name(&self) -> &'static str {
        "bitmask"
    }

    fn about(&self) -> &'static str {
        "occupancy in machine words, all eight symmetries, fewest choices first, in batches without branches"
    }

    fn instruction_sets(&self) -> &'static [Isa] {
        isa::SETS
    }

    fn plan(&self, size: Size, isa: Isa) -> Box<dyn Plan> {
        let n = size.get() as u32;
        let mut starts = middle::starts(n);
        for start in &mut starts {
            start.cost = unit::predicted_cost(start.occupancy(n));
        }
        // The mean is 1 on every board.
        let mean = starts.iter().map(|start| f64::from(start.cost)).sum::<f64>() / starts.len() as f64;
        starts.iter_mut().for_each(|start| start.cost = (f64::from(start.cost) / mean) as f32);
        starts.sort_by(|a, b| b.cost.total_cmp(&a.cost));
        Box::new(Starts { n, starts, count: isa::select(isa) })
    }

    fn predicted_seconds(&self, size: Size, isa: Isa) -> f64 {
        let portable = if isa < Isa::Avx2 { 3.0 } else { 1.0 };
        portable * forecast::interpolate(&LOG_SECONDS, size)
    }
}

struct Starts {
    n: u32,
    starts: Vec<Start>,
    count: isa::Count,
}

impl Plan for Starts {
    fn units(&self) -> usize {
        self.starts.len()
    }

    fn cost(&self, unit: usize) -> f64 {
        f64::from(self.starts[unit].cost)
    }

    fn divisor(&self) -> u64 {
        middle::DIVISOR
    }

    fn locate(&self, solution: &Solution) -> Option<(usize, u64)> {
        let (queens, weight) = middle::locate(solution.columns())?;
        Some((self.starts.iter().position(|start| start.queens() == queens)?, weight))
    }

    fn worker(&self) -> Box<dyn Worker + '_> {
        Box::new(Searcher { plan: self, scratch: unit::Scratch::default() })
    }
}

struct Searcher<'a> {
    plan: &'a Starts,
    scratch: unit::Scratch,
}

impl Worker for Searcher<'_> {
    fn count(&mut self, unit: usize, monitor: &Monitor) -> Result<Tally> {
        let start = &self.plan.starts[unit];
        let levels = unit::opened_levels(self.plan.n);
        let board = start.occupancy(self.plan.n);
        let (solutions, nodes) = (self.plan.count)(&mut self.scratch, board, levels, monitor);
        let solutions = solutions.checked_mul(u64::from(start.weight)).ok_or(Error::Overflow { bits: 64 })?;
        Ok(Tally { solutions, work: Work { nodes: nodes + start.queens().len() as u64, ..Work::default() } })
    }
}
