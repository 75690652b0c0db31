//! How long counts take on this processor: the tables of the solvers, which were made on another one, scaled by what a
//! tenth of a second of counting shows.

use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use nqueens::board::Size;
use nqueens::solver::{Isa, Solver};
use nqueens::{CancelToken, Monitor, engine};

/// What is predicted to be done before this is not worth a measurement: it would be over before the forecast is read.
pub(super) const WORTH_MEASURING_SECONDS: f64 = 10.0;

/// How long the measurement goes on.
const MEASURED_SECONDS: f64 = 0.1;

/// Counts at the least, on machines where that takes longer: the first is slower than the others.
const FEWEST_COUNTS: usize = 3;

/// The board that is counted is the largest that is predicted to take no longer.
const BOARD_SECONDS: f64 = 0.03;

/// About how many seconds one core of this machine takes, where the work is shared by so many threads.
pub(super) fn core_seconds(solver: &dyn Solver, size: Size, isa: Isa, threads: usize) -> f64 {
    let predicted = solver.predicted_seconds(size, isa);
    scaled(predicted, threads, || measured_once(solver, isa))
}

/// A prediction, scaled by what `pace` measures where it is long enough for that.
fn scaled(predicted: f64, threads: usize, pace: impl FnOnce() -> f64) -> f64 {
    if predicted < WORTH_MEASURING_SECONDS * threads as f64 { predicted } else { predicted * pace() }
}

/// The pace of a solver's code, measured when it is first asked for.
fn measured_once(solver: &dyn Solver, isa: Isa) -> f64 {
    static KNOWN: Mutex<Vec<(&str, Isa, f64)>> = Mutex::new(Vec::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((.., pace)) = known.iter().find(|(name, of, _)| (*name, *of) == (solver.name(), isa)) {
        return *pace;
    }
    let pace = measure(solver, isa).unwrap_or(1.0);
    known.push((solver.name(), isa, pace));
    pace
}

/// How many times as long as predicted one thread of this machine takes for a small board, the same on every machine; the
/// fastest of several counts, because other programs only ever add time.
fn measure(solver: &dyn Solver, isa: Isa) -> Option<f64> {
    // An odd board is harder for the color split than its neighbours, and the tables know that only roughly.
    let even = (0..=Size::MAX).rev().filter(|n| n % 2 == 0).filter_map(|n| Size::new(n).ok());
    let size = even.into_iter().find(|&size| solver.predicted_seconds(size, isa) <= BOARD_SECONDS)?;
    let plan = solver.plan(size, isa);
    let units: Vec<usize> = (0..plan.units()).collect();
    let start = Instant::now();
    let mut fastest = f64::INFINITY;
    let mut counts = 0;
    while counts < FEWEST_COUNTS || start.elapsed().as_secs_f64() < MEASURED_SECONDS {
        let one = Instant::now();
        engine::run(&*plan, &units, 1, &CancelToken::new(), &Monitor::new()).ok()?;
        fastest = fastest.min(one.elapsed().as_secs_f64());
        counts += 1;
    }
    Some(fastest / solver.predicted_seconds(size, isa)).filter(|pace| pace.is_finite() && *pace > 0.0)
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

    /// The tables are right within a small factor on any machine of today, and within a large one in a test's build.
    #[test]
    fn every_solver_is_measured_within_a_second_or_so() {
        for solver in registry::SOLVERS {
            for &isa in solver.instruction_sets().iter().filter(|isa| isa.is_available()) {
                let pace = measure(solver, isa).unwrap();
                assert!((0.05..200.0).contains(&pace), "{} ({}): {pace}", solver.name(), isa.name());
            }
        }
        let (solver, size) = (registry::reference(), Size::new(20).unwrap());
        let seconds = || core_seconds(solver, size, Isa::Portable, 2);
        // Measured once, and then known.
        assert_eq!(seconds(), seconds());
    }
}
