//! Runs the units of a plan on threads. The only place of the library that starts any.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use crate::count::{Tally, Total};
use crate::solver::Plan;
use crate::{Error, Monitor, Result};

/// The most threads that can be asked for: more than any machine has, few enough to start.
pub const MAX_THREADS: usize = 4096;

/// Threads used where none are asked for: what this process may use, by affinity and quota.
#[must_use]
pub fn default_threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from).min(MAX_THREADS)
}

/// Counts these units of a plan and adds them up. The sum is the same for any number of threads.
///
/// # Errors
/// Those of [`for_each`], and [`Error::Overflow`] where the sum passes 128 bits.
pub fn run(plan: &dyn Plan, units: &[usize], threads: usize, monitor: &Monitor) -> Result<Total> {
    let mut total = Total::default();
    for_each(plan, units, threads, monitor, |_, tally| total.add(tally))?;
    Ok(total)
}

/// Counts these units of a plan on so many threads, the calling one among them. They are taken in order, each by the
/// next thread that is free: the cheapest ones come last, so that all threads are busy to the end. Each tally is handed
/// over as soon as it is complete, one at a time and in no particular order; an error that this returns ends the count.
///
/// # Errors
/// [`Error::Cancelled`], [`Error::Overflow`], [`Error::Unit`], [`Error::Threads`], [`Error::ThreadPool`].
pub fn for_each(
    plan: &dyn Plan,
    units: &[usize],
    threads: usize,
    monitor: &Monitor,
    hand_over: impl FnMut(usize, Tally) -> Result<()> + Send,
) -> Result<()> {
    if threads == 0 || threads > MAX_THREADS {
        return Err(Error::Threads { given: threads, max: MAX_THREADS });
    }
    if let Some(&unit) = units.iter().find(|&&unit| unit >= plan.units()) {
        return Err(Error::Unit { unit, units: plan.units() });
    }
    monitor.begin(units.len(), units.iter().map(|&unit| plan.cost(unit)).sum());
    let job = Job { plan, units, monitor, next: AtomicUsize::new(0), result: Mutex::new((hand_over, Ok(()))) };
    // The calling thread need not wait for another to start. Where it only waited, Linux often put two of the others on
    // one core for the first milliseconds (n = 18, 2 threads: 2 % of the time).
    let others = threads.min(units.len().max(1)) - 1;
    if others == 0 {
        job.work();
    } else {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(others)
            .build()
            .map_err(|error| Error::ThreadPool { threads, reason: error.to_string() })?;
        pool.in_place_scope(|scope| {
            for _ in 0..others {
                scope.spawn(|_| job.work());
            }
            job.work();
        });
    }
    job.result.into_inner().unwrap_or_else(PoisonError::into_inner).1?;
    let progress = monitor.progress();
    if progress.units_done < units.len() {
        return Err(Error::Cancelled {
            units_done: progress.units_done,
            units: units.len(),
            per_mille: (progress.fraction * 1000.0) as u32,
        });
    }
    Ok(())
}

/// What the threads share.
struct Job<'a, F> {
    plan: &'a dyn Plan,
    units: &'a [usize],
    monitor: &'a Monitor,
    /// The place in `units` of the next one to be counted.
    next: AtomicUsize,
    /// Who gets the tallies, and the first thing that went wrong.
    result: Mutex<(F, Result<()>)>,
}

impl<F: FnMut(usize, Tally) -> Result<()>> Job<'_, F> {
    /// One thread's share: units from the common counter until none is left.
    fn work(&self) {
        let mut worker = self.plan.worker();
        while let Some(&unit) = self.units.get(self.next.fetch_add(1, Relaxed)) {
            let tally = worker.count(unit, self.monitor);
            if self.monitor.is_cancelled() {
                return;
            }
            let (hand_over, result) = &mut *self.result.lock().unwrap_or_else(PoisonError::into_inner);
            if let Err(error) = tally.and_then(|tally| hand_over(unit, tally)) {
                // The others find no unit left.
                self.next.store(self.units.len(), Relaxed);
                if result.is_ok() {
                    *result = Err(error);
                }
                return;
            }
            self.monitor.finish_unit(self.plan.cost(unit));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Size;
    use crate::solver::{Isa, registry};

    #[test]
    fn every_unit_is_handed_over_once_and_an_error_ends_it() {
        let plan = registry::reference().plan(Size::new(8).unwrap(), Isa::Portable);
        let units: Vec<usize> = (0..plan.units()).collect();
        for threads in [1, 2, 7] {
            let mut handed = Vec::new();
            for_each(&*plan, &units, threads, &Monitor::new(), |unit, _| {
                handed.push(unit);
                Ok(())
            })
            .unwrap();
            handed.sort_unstable();
            assert_eq!(handed, units);
            let mut calls = 0;
            let ended = for_each(&*plan, &units, threads, &Monitor::new(), |_, _| {
                calls += 1;
                Err(Error::Overflow { bits: 128 })
            });
            assert_eq!(ended, Err(Error::Overflow { bits: 128 }));
            assert!(calls <= threads);
        }
        assert_eq!(run(&*plan, &[8], 1, &Monitor::new()), Err(Error::Unit { unit: 8, units: 8 }));
        assert_eq!(run(&*plan, &[], 0, &Monitor::new()), Err(Error::Threads { given: 0, max: MAX_THREADS }));
    }

    /// The calling thread counts too, whoever it belongs to.
    #[test]
    fn counts_can_be_asked_for_from_threads_of_a_pool() {
        let plan = registry::reference().plan(Size::new(8).unwrap(), Isa::Portable);
        let units: Vec<usize> = (0..plan.units()).collect();
        let count = || run(&*plan, &units, 3, &Monitor::new()).unwrap().solutions;
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
        assert_eq!(pool.install(|| rayon::join(count, count)), (92, 92));
    }

    #[test]
    fn a_cancelled_count_says_how_far_it_was() {
        let plan = registry::reference().plan(Size::new(8).unwrap(), Isa::Portable);
        let units: Vec<usize> = (0..plan.units()).collect();
        let monitor = Monitor::new();
        let mut handed = 0;
        let cancelled = for_each(&*plan, &units, 1, &monitor, |_, _| {
            handed += 1;
            if handed == 4 {
                monitor.cancel();
            }
            Ok(())
        });
        assert_eq!(cancelled, Err(Error::Cancelled { units_done: 4, units: 8, per_mille: 500 }));
    }
}
