//! Predicted times of counts on this processor. Solvers predict for another processor, so their predictions are scaled
//! by a measurement: a tenth of a second of counting.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::stopwatch::Stopwatch;
use nqueens::CancelToken;
use nqueens::board::Size;
use nqueens::solver::{Isa, Solver};

/// Counts that are predicted to take less are not worth a measurement.
const WORTH_MEASURING_SECONDS: f64 = 10.0;

/// The length of a measurement.
const MEASURED: Duration = Duration::from_millis(100);

/// The fewest counts in a measurement, also on slow machines, because the first is slower than the others.
const FEWEST_COUNTS: usize = 3;

/// A measurement counts the largest even board that is predicted to take no longer than this.
const BOARD_SECONDS: f64 = 0.03;

/// Predicted seconds of one free core. Measures this machine only if a count on this number of threads takes long.
pub(crate) fn core_seconds(solver: &dyn Solver, size: Size, isa: Isa, threads: usize) -> f64 {
    let predicted = solver.predicted_seconds(size, isa);
    let is_short = predicted < WORTH_MEASURING_SECONDS * threads as f64;
    if is_short { predicted } else { predicted * measured_once(solver, isa) }
}

/// Seconds of a core per predicted second of a solver's code. The first call measures it.
fn measured_once(solver: &dyn Solver, isa: Isa) -> f64 {
    static KNOWN: Mutex<BTreeMap<[&str; 2], f64>> = Mutex::new(BTreeMap::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    *known.entry([solver.name(), isa.name()]).or_insert_with(|| measure(solver, isa).unwrap_or(1.0))
}

/// Seconds of a core per predicted second, by the fastest of several counts of a small board: other programs only add
/// time.
fn measure(solver: &dyn Solver, isa: Isa) -> Option<f64> {
    // Forecasts are less exact for odd boards.
    let even = (0..=Size::MAX).rev().filter(|n| n % 2 == 0).filter_map(|n| Size::new(n).ok());
    let size = even.into_iter().find(|&size| solver.predicted_seconds(size, isa) <= BOARD_SECONDS)?;
    let plan = solver.plan(size, isa, &CancelToken::new()).ok()?;
    let start = Instant::now();
    let mut fastest = f64::INFINITY;
    let mut counts = 0;
    while counts < FEWEST_COUNTS || start.elapsed() < MEASURED {
        let one = Stopwatch::start();
        plan.count().threads(1).run().ok()?;
        fastest = fastest.min(one.core_seconds());
        counts += 1;
    }
    let factor = fastest / solver.predicted_seconds(size, isa);
    (factor.is_finite() && factor > 0.0).then_some(factor)
}

#[cfg(test)]
mod tests {
    use super::*;
    use nqueens::registry;

    #[test]
    fn only_what_takes_long_is_measured() {
        // What is measured is not equal to the forecast.
        let (solver, is_measured) = (registry::ARRAYS, |n| {
            let (size, solver) = (Size::new(n).unwrap(), registry::ARRAYS);
            core_seconds(solver, size, Isa::Portable, 1) != solver.predicted_seconds(size, Isa::Portable)
        });
        let seconds = |n| solver.predicted_seconds(Size::new(n).unwrap(), Isa::Portable);
        assert!(seconds(12) < WORTH_MEASURING_SECONDS && WORTH_MEASURING_SECONDS < seconds(20));
        assert_eq!([12, 20].map(is_measured), [false, true]);
    }
}
