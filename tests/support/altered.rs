//! A plan for tests, which wraps another plan and replaces the work of its workers. Both the unit tests and the
//! integration tests of the library include this file as a module, so it calls the library `nqueens`.

#![allow(dead_code, reason = "neither kind of test uses all of it")]

use nqueens::board::{Board, Size};
use nqueens::solver::{Audit, Plan, Worker};
use nqueens::tally::Tally;
use nqueens::{CancelToken, Result};

/// A function that counts a unit. It receives a worker of the wrapped plan, which it may use.
type CountUnit<'a> = dyn Fn(&mut dyn Worker, usize, &CancelToken) -> Result<Tally> + Send + Sync + 'a;

/// A plan that wraps another plan and replaces the work of its workers.
pub(crate) struct Altered<'a> {
    plan: Box<dyn Plan + 'a>,
    count: Box<CountUnit<'a>>,
    /// Whether `locate` asks the wrapped plan. If not, it returns `None`.
    pub(crate) is_located: bool,
    /// The number of units that the plan claims to have, true or not.
    pub(crate) units: usize,
    /// The number of workers that the plan makes; `None` for one for each thread.
    pub(crate) workers: Option<usize>,
}

impl std::fmt::Debug for Altered<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Altered").field("units", &self.units).finish_non_exhaustive()
    }
}

impl<'a> Altered<'a> {
    /// Wraps a plan so that `count` counts its units.
    pub(crate) fn new(
        plan: Box<dyn Plan + 'a>,
        count: impl Fn(&mut dyn Worker, usize, &CancelToken) -> Result<Tally> + Send + Sync + 'a,
    ) -> Self {
        let units = plan.units();
        Self { plan, count: Box::new(count), is_located: true, units, workers: None }
    }

    /// Wraps a plan so that `alter`, which receives the number of the unit, changes each tally.
    pub(crate) fn tallies(
        plan: Box<dyn Plan + 'a>,
        alter: impl Fn(usize, &mut Tally) -> Result<()> + Send + Sync + 'a,
    ) -> Self {
        Self::new(plan, move |worker, unit, cancel| {
            let mut tally = worker.count(unit, cancel)?;
            alter(unit, &mut tally)?;
            Ok(tally)
        })
    }
}

impl Plan for Altered<'_> {
    fn size(&self) -> Size {
        self.plan.size()
    }

    fn units(&self) -> usize {
        self.units
    }

    fn name(&self, unit: usize) -> String {
        self.plan.name(unit)
    }

    fn cost(&self, unit: usize) -> f64 {
        self.plan.cost(unit)
    }

    fn audit(&self) -> &dyn Audit {
        self.plan.audit()
    }

    fn locate(&self, solution: &Board) -> Option<(usize, u64)> {
        if self.is_located { self.plan.locate(solution) } else { None }
    }

    fn worker(&self) -> Box<dyn Worker + '_> {
        Box::new(AlteredWorker { worker: self.plan.worker(), count: &*self.count })
    }

    fn workers(&self, threads: usize) -> Vec<Box<dyn Worker + '_>> {
        std::iter::repeat_with(|| self.worker()).take(self.workers.unwrap_or(threads)).collect()
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
