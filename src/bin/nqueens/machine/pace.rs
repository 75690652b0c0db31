//! How long counts take on this processor: the tables of the solvers, which were made on another one, scaled by what a
//! tenth of a second of counting shows.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::machine::stopwatch::Stopwatch;
use nqueens::board::Size;
use nqueens::solver::{Isa, Solver};
use nqueens::{CancelToken, Monitor, engine};

/// What is predicted to be done before this is not worth a measurement: it would be over before the forecast is read.
pub(crate) const WORTH_MEASURING_SECONDS: f64 = 10.0;

/// How long the measurement goes on.
const MEASURED_SECONDS: f64 = 0.1;

/// Counts at the least, on machines where that takes longer: the first is slower than the others.
const FEWEST_COUNTS: usize = 3;

/// The board that is counted is the largest that is predicted to take no longer.
const BOARD_SECONDS: f64 = 0.03;

/// What a measurement shows.
#[derive(Debug, Clone, Copy)]
struct Pace {
    /// Times as long as predicted that a core of this machine takes.
    factor: f64,
    /// The share of a core that the measurement got, beside other programs.
    core_share: f64,
}

/// About how many seconds one core of this machine takes if nothing else runs on it, where the work is shared by so many threads.
pub(crate) fn core_seconds(solver: &dyn Solver, size: Size, isa: Isa, threads: usize) -> f64 {
    let predicted = solver.predicted_seconds(size, isa);
    scaled(predicted, threads, || measured_once(solver, isa).factor)
}

/// A prediction, scaled by what `pace` measures where it is long enough for that.
fn scaled(predicted: f64, threads: usize, pace: impl FnOnce() -> f64) -> f64 {
    if predicted < WORTH_MEASURING_SECONDS * threads as f64 { predicted } else { predicted * pace() }
}

/// The share of a core that the measurement got which [`core_seconds`] made; 1 where it made none.
pub(crate) fn core_share(solver: &dyn Solver, isa: Isa) -> f64 {
    known().iter().find(|known| known.is_of(solver, isa)).map_or(1.0, |known| known.pace.core_share)
}

/// What a forecast of such a count rests on, to be said behind the time: nothing where nothing was measured.
pub(crate) fn condition(solver: &dyn Solver, isa: Isa) -> String {
    let known = known();
    let Some(Known { pace, .. }) = known.iter().find(|known| known.is_of(solver, isa)) else { return String::new() };
    format!(" (if the cores are free; {:.0} % of one is now)", 100.0 * pace.core_share)
}

/// What was measured so far.
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

/// The pace of a solver's code, measured when it is first asked for.
fn measured_once(solver: &dyn Solver, isa: Isa) -> Pace {
    let mut known = known();
    if let Some(known) = known.iter().find(|known| known.is_of(solver, isa)) {
        return known.pace;
    }
    let pace = measure(solver, isa).unwrap_or(Pace { factor: 1.0, core_share: 1.0 });
    known.push(Known { solver: solver.name(), isa, pace });
    pace
}

/// Counts a small board, the same on every machine, on this thread. The fastest of several counts tells: those that share
/// a processor's caches with other programs take longer.
fn measure(solver: &dyn Solver, isa: Isa) -> Option<Pace> {
    // An odd board is harder for the color split than its neighbours, and the tables know that only roughly.
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

    /// The tables are right within a small factor on any machine of today, and within a large one in a test's build.
    #[test]
    fn every_solver_is_measured_within_a_second_or_so() {
        for &solver in registry::SOLVERS {
            for &isa in solver.instruction_sets().iter().filter(|isa| isa.is_available()) {
                let Pace { factor, core_share } = measure(solver, isa).unwrap();
                assert!((0.05..200.0).contains(&factor), "{} ({}): {factor}", solver.name(), isa.name());
                assert!(core_share > 0.0 && core_share <= 1.0, "{} ({}): {core_share}", solver.name(), isa.name());
            }
        }
        let (solver, size) = (registry::reference(), Size::new(20).unwrap());
        let seconds = || core_seconds(solver, size, Isa::Portable, 2);
        // Measured once, and then known, and what it rests on with it.
        assert_eq!(seconds(), seconds());
        let said = condition(solver, Isa::Portable);
        assert!(said.starts_with(" (if the cores are free; ") && said.ends_with(" % of one is now)"), "{said}");
    }
}
