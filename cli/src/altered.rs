//! A plan for tests: it wraps another plan, and replaces how its workers count a unit.

use nqueens::board::{Board, Size};
use nqueens::solver::{Plan, Worker};
use nqueens::tally::Tally;
use nqueens::{CancelToken, Result};

/// Counts a unit with a worker of the wrapped plan.
type CountUnit<'a> = dyn Fn(&mut dyn Worker, usize, &CancelToken) -> Result<Tally> + Send + Sync + 'a;

pub(crate) struct Altered<'a> {
    plan: Box<dyn Plan + 'a>,
    count: Box<CountUnit<'a>>,
}

impl<'a> Altered<'a> {
    /// Wraps a plan so that `count` counts its units.
    pub(crate) fn new(
        plan: Box<dyn Plan + 'a>,
        count: impl Fn(&mut dyn Worker, usize, &CancelToken) -> Result<Tally> + Send + Sync + 'a,
    ) -> Self {
        Self { plan, count: Box::new(count) }
    }
}

impl Plan for Altered<'_> {
    fn size(&self) -> Size {
        self.plan.size()
    }

    fn units(&self) -> usize {
        self.plan.units()
    }

    fn name(&self, unit: usize) -> String {
        self.plan.name(unit)
    }

    fn cost(&self, unit: usize) -> f64 {
        self.plan.cost(unit)
    }

    fn locate(&self, solution: &Board) -> Option<(usize, u64)> {
        self.plan.locate(solution)
    }

    fn worker(&self) -> Box<dyn Worker + '_> {
        Box::new(AlteredWorker { worker: self.plan.worker(), count: &*self.count })
    }
}

struct AlteredWorker<'a> {
    worker: Box<dyn Worker + 'a>,
    count: &'a CountUnit<'a>,
}

impl Worker for AlteredWorker<'_> {
    fn count(&mut self, unit: usize, cancel: &CancelToken) -> Result<Tally> {
        (self.count)(&mut *self.worker, unit, cancel)
    }
}
