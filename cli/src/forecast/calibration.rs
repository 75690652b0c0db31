//! Predicted times of counts on this processor. Because solvers predict for another processor, their predictions are
//! scaled by the time of a short count.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use nqueens::CancelToken;
use nqueens::board::Size;
use nqueens::solver::{Isa, Solver};

use crate::machine::stopwatch::Stopwatch;

/// Only counts that are predicted to take at least this long are worth a measurement.
const WORTH_MEASURING_SECONDS: f64 = 10.0;

/// The minimum length of a measurement, which ends with the first count that reaches it.
const MEASURED: Duration = Duration::from_millis(100);

/// The minimum number of counts in a measurement, however slow the machine is: the first count is slower than the
/// others.
const FEWEST_COUNTS: usize = 3;

/// The longest predicted time of the board that a measurement counts.
const BOARD_SECONDS: f64 = 0.03;

/// Returns the seconds that a solver of this program predicts, for a core of another processor.
pub(crate) fn predicted_seconds(solver: &dyn Solver, size: Size, isa: Isa) -> f64 {
    solver.predicted_seconds(size, isa).expect("all solvers of this program predict their time")
}

/// Returns the predicted seconds of one free core. Measures this machine only if it has the instruction set and if a
/// count on this number of threads takes long.
pub(super) fn core_seconds(solver: &dyn Solver, size: Size, isa: Isa, threads: usize) -> f64 {
    let predicted = predicted_seconds(solver, size, isa);
    let is_short = predicted < WORTH_MEASURING_SECONDS * threads as f64;
    if is_short || !isa.is_available() { predicted } else { predicted * measured_once(solver, isa) }
}

/// Returns the seconds of a core per predicted second of a solver's code. The first call measures them.
fn measured_once(solver: &dyn Solver, isa: Isa) -> f64 {
    static KNOWN: Mutex<BTreeMap<[&str; 2], f64>> = Mutex::new(BTreeMap::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    *known.entry([solver.name(), isa.name()]).or_insert_with(|| measure(solver, isa).unwrap_or(1.0))
}

/// Measures the seconds of a core per predicted second, by the fastest of several counts of a small board, because
/// other programs can only add time.
fn measure(solver: &dyn Solver, isa: Isa) -> Option<f64> {
    // Forecasts are less exact for odd boards.
    let mut even = (0..=Size::MAX).rev().filter(|n| n % 2 == 0).filter_map(|n| Size::new(n).ok());
    let size = even.find(|&size| predicted_seconds(solver, size, isa) <= BOARD_SECONDS)?;
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
    let factor = fastest / predicted_seconds(solver, size, isa);
    (factor.is_finite() && factor > 0.0).then_some(factor)
}

#[cfg(test)]
mod tests {
    use super::*;
    use nqueens::registry;

    #[test]
    fn only_what_takes_long_is_measured() {
        let solver = registry::ARRAYS;
        let predicted = |n| predicted_seconds(solver, Size::new(n).unwrap(), Isa::Portable);
        assert!(predicted(12) < WORTH_MEASURING_SECONDS && WORTH_MEASURING_SECONDS < predicted(20));
        // A measured time differs from the forecast.
        let is_measured = |n| core_seconds(solver, Size::new(n).unwrap(), Isa::Portable, 1) != predicted(n);
        assert_eq!([12, 20].map(is_measured), [false, true]);
    }
}
