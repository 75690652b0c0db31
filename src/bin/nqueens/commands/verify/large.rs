//! `nqueens verify --large`: boards that are too large for the reference, where every instruction set must count what
//! the portable code counts.

use std::time::Instant;

use nqueens::CancelToken;
use nqueens::board::Size;
use nqueens::engine::Pool;
use nqueens::solver::{Isa, Plan, Solver};
use nqueens::verify::{Expected, representative_units};

use super::table::VerifyRow;
use crate::machine::pace;
use crate::terminal::Streams;
use crate::terminal::task::Task;
use crate::terminal::time_left::Forecast;

/// Some units of large boards, to be counted by every code of the solvers that have more than portable code.
pub(crate) struct Large<'a> {
    sizes: Vec<Size>,
    /// Each solver with the instruction sets that are held against its portable code.
    solvers: Vec<(&'a dyn Solver, Vec<Isa>)>,
    pool: Pool,
}

impl<'a> Large<'a> {
    pub(crate) fn new(sizes: &[usize], subjects: &[(&'a dyn Solver, Isa)], pool: Pool) -> Self {
        let mut solvers: Vec<(&dyn Solver, Vec<Isa>)> = Vec::new();
        for &(solver, isa) in subjects.iter().filter(|(_, isa)| *isa != Isa::Portable) {
            match solvers.last_mut().filter(|(last, _)| last.name() == solver.name()) {
                Some((_, sets)) => sets.push(isa),
                None => solvers.push((solver, vec![isa])),
            }
        }
        let sizes = sizes.iter().filter_map(|&n| Size::new(n).ok()).collect();
        Self { sizes, solvers, pool }
    }

    /// About how long the units of a board take, times the threads: they may be fewer than the threads.
    fn core_seconds(
        &self,
        solver: &dyn Solver,
        size: Size,
        isa: Isa,
        plan: &dyn Plan,
        units: &[usize],
    ) -> nqueens::Result<f64> {
        let threads = self.pool.threads()?;
        let costs = units.iter().map(|&unit| plan.cost(unit));
        let (sum, most) = costs.fold((0.0, 0.0f64), |(sum, most), cost| (sum + cost, most.max(cost)));
        let whole: f64 = (0..plan.units()).map(|unit| plan.cost(unit)).sum();
        let share = sum.max(most * threads as f64) / whole.max(f64::MIN_POSITIVE);
        Ok(share * pace::thread_seconds(solver, size, isa, threads))
    }

    /// Checks board by board, so that an interruption keeps the smaller ones; adds a row for each instruction set.
    pub(crate) fn check(&self, rows: &mut Vec<VerifyRow>, streams: &Streams<'_>) -> anyhow::Result<()> {
        if self.solvers.is_empty() && !self.sizes.is_empty() {
            streams.note("this machine runs portable code only: --large has nothing to compare it with");
        }
        let (first_row, threads) = (rows.len(), self.pool.threads()?);
        for (solver, sets) in &self.solvers {
            rows.extend(sets.iter().map(|&isa| VerifyRow::new(solver.name(), Some(isa.name()))));
        }
        for &size in &self.sizes {
            let mut new_rows = rows[first_row..].iter_mut();
            for (solver, sets) in &self.solvers {
                let plan = solver.plan(size, Isa::Portable, &CancelToken::new())?;
                let units = representative_units(&*plan)?;
                let forecast = Forecast::new(self.core_seconds(*solver, size, Isa::Portable, &*plan, &units)?, threads);
                let label = format!("n = {size}, {} ({})", solver.name(), Isa::Portable.name());
                let expected = Task::new(&label, streams)?.run(forecast, |cancel, monitor| {
                    Expected::by_portable(&*plan, &units, self.pool, cancel, monitor)
                })?;
                for (&isa, row) in sets.iter().zip(&mut new_rows) {
                    let plan = solver.plan(size, isa, &CancelToken::new())?;
                    let forecast = Forecast::new(self.core_seconds(*solver, size, isa, &*plan, &units)?, threads);
                    let start = Instant::now();
                    let found = Task::new(&format!("n = {size}, {}", row.label()), streams)?
                        .run(forecast, |cancel, monitor| expected.check(&*plan, self.pool, cancel, monitor))?;
                    row.first = self.sizes[0].get();
                    row.note(size, units.len() as u64, &found, start.elapsed().as_secs_f64(), streams);
                }
            }
        }
        Ok(())
    }
}
