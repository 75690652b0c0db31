//! Predicted times of counts on this processor. The solvers' tables were made on another one; a tenth of a second of
//! counting scales them.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::machine::stopwatch::Stopwatch;
use nqueens::board::Size;
use nqueens::solver::{Isa, Solver};
use nqueens::{CancelToken, Monitor, engine};

/// Counts that are predicted to take less are not worth a measurement.
const WORTH_MEASURING_SECONDS: f64 = 10.0;

/// How long a measurement takes.
const MEASURED_SECONDS: f64 = 0.1;

/// The fewest counts in a measurement, on slow machines too: the first is slower than the others.
const FEWEST_COUNTS: usize = 3;

/// A measurement counts the largest even board that is predicted to take no longer than this.
const BOARD_SECONDS: f64 = 0.03;

/// The result of a measurement.
#[derive(Debug, Clone, Copy)]
struct Pace {
    /// Seconds of a core per predicted second.
    factor: f64,
    /// The share of a core that the measurement got, from 0 to 1.
    core_share: f64,
}

/// Predicted seconds of one free core. It measures only if a count on this number of threads takes long.
pub(crate) fn core_seconds(solver: &dyn Solver, size: Size, isa: Isa, threads: usize) -> f64 {
    let predicted = solver.predicted_seconds(size, isa);
    scaled(predicted, threads, || measured_once(solver, isa).factor)
}

/// The prediction times what `pace` measures, if the count takes long enough.
fn scaled(predicted: f64, threads: usize, pace: impl FnOnce() -> f64) -> f64 {
    if predicted < WORTH_MEASURING_SECONDS * threads as f64 { predicted } else { predicted * pace() }
}

/// The share of a core that the measurement of [`core_seconds`] got; 1 if it made none.
pub(crate) fn core_share(solver: &dyn Solver, isa: Isa) -> f64 {
    known().iter().find(|known| known.is_of(solver, isa)).map_or(1.0, |known| known.pace.core_share)
}

/// The condition of a predicted time, to follow it in a sentence; empty if nothing was measured.
pub(crate) fn condition(solver: &dyn Solver, isa: Isa) -> String {
    let known = known();
    let Some(Known { pace, .. }) = known.iter().find(|known| known.is_of(solver, isa)) else { return String::new() };
    format!(" (on free cores; now {:.0} % of each is free)", 100.0 * pace.core_share)
}

/// A measurement that was made.
struct Known {
    solver: &'static str,
    isa: Isa,
    pace: Pace,
}

impl Known {
    fn is_of(&self, solver: &dyn Solver, isa: Isa) -> bool {
        (self.solver, self.isa) == (solver.name(), isa)
    }
}

fn known() -> MutexGuard<'static, Vec<Known>> {
    static KNOWN: Mutex<Vec<Known>> = Mutex::new(Vec::new());
    KNOWN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The pace of a solver's code. The first call measures it.
fn measured_once(solver: &dyn Solver, isa: Isa) -> Pace {
    let mut known = known();
    if let Some(known) = known.iter().find(|known| known.is_of(solver, isa)) {
        return known.pace;
    }
    let pace = measure(solver, isa).unwrap_or(Pace { factor: 1.0, core_share: 1.0 });
    known.push(Known { solver: solver.name(), isa, pace });
    pace
}

/// Counts a small board on this thread, several times. The fastest is the result: other programs only add time.
fn measure(solver: &dyn Solver, isa: Isa) -> Option<Pace> {
    // The tables are less exact for odd boards.
    let even = (0..=Size::MAX).rev().filter(|n| n % 2 == 0).filter_map(|n| Size::new(n).ok());
    let size = even.into_iter().find(|&size| solver.predicted_seconds(size, isa) <= BOARD_SECONDS)?;
    let plan = solver.plan(size, isa);
    let units: Vec<usize> = (0..plan.units()).collect();
    let all = Stopwatch::start();
    let mut fastest = f64::INFINITY;
    let mut counts = 0;
    while counts < FEWEST_COUNTS || all.elapsed_seconds() < MEASURED_SECONDS {
        let one = Stopwatch::start();
        engine::run(&*plan, &units, 1, &CancelToken::new(), &Monitor::new()).ok()?;
        fastest = fastest.min(one.core_seconds());
        counts += 1;
    }
    let core_share = (all.core_seconds() / all.elapsed_seconds()).min(1.0);
    let factor = fastest / solver.predicted_seconds(size, isa);
    (factor.is_finite() && factor > 0.0).then_some(Pace { factor, core_share })
}

#[cfg(test)]
mod tests {
    use super::*;
    use nqueens::solver::registry;

    #[test]
    fn only_what_takes_long_is_measured() {
        assert_eq!(scaled(9.9, 1, || unreachable!("short")), 9.9);
        assert_eq!(scaled(19.0, 2, || unreachable!("short on two threads")), 19.0);
        assert_eq!(scaled(20.0, 2, || 0.5), 10.0);
    }

    #[test]
    fn every_solver_is_measured_once() {
        for &solver in registry::SOLVERS {
            for &isa in solver.instruction_sets().iter().filter(|isa| isa.is_available()) {
                let Pace { factor, core_share } = measure(solver, isa).unwrap();
                assert!(factor > 0.0 && (0.0..=1.0).contains(&core_share), "{} ({})", solver.name(), isa.name());
            }
        }
        let (solver, size) = (registry::reference(), Size::new(20).unwrap());
        let seconds = || core_seconds(solver, size, Isa::Portable, 2);
        // The second call returns what the first one measured.
        assert_eq!(seconds(), seconds());
        let said = condition(solver, Isa::Portable);
        assert!(said.starts_with(" (on free cores; now ") && said.ends_with(" % of each is free)"), "{said}");
    }
}
