//! Lists all solvers, finds one by its name, and chooses one for a size. Read `bitmask` first.

use crate::board::Size;
use crate::rows;
use crate::solver::{Isa, Solver};
use crate::{Error, Result};
use crate::{Solutions, color};

/// All solvers of this crate: the classic programs, then the faster solvers.
pub static SOLVERS: &[&dyn Solver] = &[&rows::NAIVE, &rows::PERMUTATION, &rows::ARRAYS, &rows::BITMASK, &color::COLOR];

/// Returns the reference solver, `arrays`. It shares nothing that counts with the fast solvers.
#[must_use]
pub fn reference() -> &'static dyn Solver {
    &rows::ARRAYS
}

/// Returns the solver of this name.
///
/// # Errors
/// [`Error::Unknown`] if no solver has it. The message lists the names.
pub fn find(name: &str) -> Result<&'static dyn Solver> {
    // A hidden name.
    let name = if name == "mask" { "bitmask" } else { name };
    let found = SOLVERS.iter().copied().find(|solver| solver.name() == name);
    let known = || names(SOLVERS.iter().copied());
    found.ok_or_else(|| Error::Unknown { what: "solver", name: name.to_owned(), known: known() })
}

/// Returns the solver of this name as it was in plan version 2 and before, if it has other units since then.
///
/// # Errors
/// [`Error::Unknown`].
pub fn find_former(name: &str) -> Result<&'static dyn Solver> {
    if name == color::COLOR.name() { Ok(&color::COLOR_FROM_0) } else { find(name) }
}

/// Iterates over the solutions that `solver` finds.
///
/// # Errors
/// [`Error::CannotEnumerate`] if `solver` can only count.
pub fn solutions_by(solver: &dyn Solver, size: Size) -> Result<Solutions> {
    solver.solutions(size).ok_or_else(|| Error::CannotEnumerate {
        name: solver.name(),
        known: names(SOLVERS.iter().copied().filter(|solver| solver.solutions(size).is_some())),
    })
}

/// Returns the solvers' names, separated by commas.
fn names(solvers: impl Iterator<Item = &'static dyn Solver>) -> String {
    solvers.map(|solver| solver.name()).collect::<Vec<_>>().join(", ")
}

/// A choice of [`choose`].
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Choice<'a> {
    /// The solver.
    pub solver: &'a dyn Solver,
    /// The best of the solver's instruction sets that may be used.
    pub isa: Isa,
    /// Why this solver was chosen, as a short clause for people.
    pub reason: &'static str,
}

/// Up to this size `bitmask` is faster than `color`: it plans in microseconds. docs/measuring.md has the times of both,
/// and a test compares them with this number.
const BITMASK_UP_TO: usize = 11;

/// Returns the fastest solver for a size, with no instruction set above `isa`.
#[must_use]
pub fn choose(size: Size, isa: Isa) -> Choice<'static> {
    let n = size.get();
    let (solver, reason): (&'static dyn Solver, _) = if n <= BITMASK_UP_TO {
        (&rows::BITMASK, "small boards: the fastest here")
    } else if n <= color::LARGEST {
        (&color::COLOR, "large boards: the fastest here")
    } else {
        (&rows::BITMASK, "the largest boards: only plain search is possible")
    };
    Choice { solver, isa: best_isa(solver, isa), reason }
}

/// Returns the best instruction set of a solver that is not above `isa`.
#[must_use]
pub fn best_isa(solver: &dyn Solver, isa: Isa) -> Isa {
    std::iter::successors(Some(isa), |isa| isa.extended())
        .find(|isa| isa.is_available() && solver.instruction_sets().contains(isa))
        .unwrap_or(Isa::Portable)
}

/// Returns the best instruction set of this machine.
#[must_use]
pub fn machine_isa() -> Isa {
    Isa::available().pop().unwrap_or(Isa::Portable)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CancelToken;
    use crate::color::{ColorPlan, Tuning};
    use crate::solver::Plan;

    /// Plans of every solver with every instruction set, and of `color` with each way of summing.
    fn plans(n: usize) -> Vec<(String, Box<dyn Plan>)> {
        let size = Size::new(n).unwrap();
        let mut plans: Vec<(String, Box<dyn Plan>)> = Vec::new();
        for &solver in SOLVERS {
            for isa in solver.instruction_sets().iter().copied().filter(|isa| isa.is_available()) {
                plans.push((
                    format!("{} ({isa}), n = {n}", solver.name()),
                    solver.plan(size, isa, &CancelToken::new()).unwrap(),
                ));
                if solver.name() == "color" {
                    for sparse_from in [Some(99), Some(0)] {
                        let tuning = Tuning { sparse_from, ..Tuning::new(n, isa) };
                        plans.push((
                            format!("color ({isa}), {tuning:?}"),
                            Box::new(ColorPlan::new(size, isa, tuning, &CancelToken::new()).unwrap()),
                        ));
                    }
                }
            }
        }
        plans
    }

    /// Stops workers at each place where they ask their token. Afterwards a worker must count as a new worker does.
    #[test]
    fn a_worker_that_was_stopped_counts_right_afterwards() {
        let n = 9;
        let boards: Vec<_> = reference().solutions(Size::new(n).unwrap()).unwrap().collect();
        for (name, plan) in plans(n) {
            let mut stopped = 0;
            for unit in [0, plan.units() / 3, plan.units() - 1] {
                let whole = plan.worker().count(unit, &CancelToken::new()).unwrap();
                let weights = boards.iter().filter_map(|board| plan.locate(board)).filter(|(of, _)| *of == unit);
                assert_eq!(whole.solutions, weights.map(|(_, weight)| u128::from(weight)).sum(), "{name}, unit {unit}");
                let mut asks = 0;
                loop {
                    let (mut worker, cancel) = (plan.worker(), CancelToken::after(asks));
                    let first = worker.count(unit, &cancel);
                    assert_eq!(worker.count(unit, &CancelToken::new()), Ok(whole), "{name}, unit {unit}, {asks} asks");
                    if !cancel.is_cancelled() {
                        break;
                    }
                    let cancelled = Err(Error::Cancelled { units_done: 0, units: 0 });
                    assert!(first == Ok(whole) || first == cancelled, "{name}, unit {unit}, {asks} asks: {first:?}");
                    (stopped, asks) = (stopped + usize::from(first != Ok(whole)), asks + 1 + asks / 4);
                }
            }
            // The classic programs ask only on larger boards, and their workers keep nothing.
            assert!(stopped > 0 || !name.starts_with("color"), "{name} is never stopped");
        }
    }
}
