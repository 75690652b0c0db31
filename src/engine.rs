//! Runs the units of a plan on threads. The only place of the library that starts any.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use crate::count::{Tally, Total};
use crate::solver::{Plan, Worker};
use crate::{CancelToken, Error, Monitor, Result};

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
pub fn run(plan: &dyn Plan, units: &[usize], threads: usize, cancel: &CancelToken, monitor: &Monitor) -> Result<Total> {
    let mut total = Total::default();
    for_each(plan, units, threads, cancel, monitor, |_, tally| total.add(tally))?;
    Ok(total)
}

/// Counts these units of a plan on so many threads, the calling one among them. They are taken in order, each by the
/// next thread that is free: the cheapest ones come last, so that all threads are busy to the end. Each tally is handed
/// over as soon as it is complete, one at a time and in no particular order; an error that this returns ends the count.
///
/// # Errors
/// [`Error::Cancelled`] where not every unit was counted, whoever else uses the token or the monitor;
/// [`Error::Overflow`], [`Error::Memory`], [`Error::Unit`], [`Error::Threads`], [`Error::ThreadPool`].
pub fn for_each(
    plan: &dyn Plan,
    units: &[usize],
    threads: usize,
    cancel: &CancelToken,
    monitor: &Monitor,
    hand_over: impl FnMut(usize, Tally) -> Result<()> + Send,
) -> Result<()> {
    if let Some(&unit) = units.iter().find(|&&unit| unit >= plan.units()) {
        return Err(Error::Unit { unit, units: plan.units() });
    }
    let cost = units.iter().map(|&unit| plan.cost(unit)).sum();
    monitor.begin(units.len(), cost);
    let place = AtomicUsize::new(0);
    let next = || units.get(place.fetch_add(1, Relaxed)).copied();
    let done = drain(plan, next, threads, units.len(), cancel, monitor, hand_over)?;
    if done.units < units.len() {
        return Err(Error::Cancelled {
            units_done: done.units,
            units: units.len(),
            per_mille: (1000.0 * done.cost / cost) as u32,
        });
    }
    Ok(())
}

/// Units of a plan that were counted and handed over.
pub(crate) struct Done {
    /// How many.
    pub(crate) units: usize,
    /// Their predicted cost.
    pub(crate) cost: f64,
}

/// The same for units that nobody knows beforehand: each thread asks `next` when it is free, until there is none, and
/// hands the tally over itself. There will be at most so many of them. It does not begin the monitor, and whether what
/// was counted is all that should have been is for the caller to say.
pub(crate) fn drain(
    plan: &dyn Plan,
    next: impl Fn() -> Option<usize> + Sync,
    threads: usize,
    at_most: usize,
    cancel: &CancelToken,
    monitor: &Monitor,
    hand_over: impl FnMut(usize, Tally) -> Result<()> + Send,
) -> Result<Done> {
    if threads == 0 || threads > MAX_THREADS {
        return Err(Error::Threads { given: threads, max: MAX_THREADS });
    }
    let finished = Finished { hand_over, done: Done { units: 0, cost: 0.0 }, result: Ok(()) };
    let job = Job { plan, next, stop: cancel.child(), monitor, finished: Mutex::new(finished) };
    // The calling thread need not wait for another to start. Where it only waited, Linux often put two of the others on
    // one core for the first milliseconds (n = 18, 2 threads: 2 % of the time).
    let mut workers = plan.workers(threads.min(at_most.max(1))).into_iter();
    let own = workers.next();
    if workers.len() == 0 {
        own.into_iter().for_each(|worker| job.work(worker));
    } else {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(workers.len())
            .build()
            .map_err(|error| Error::ThreadPool { threads, reason: error.to_string() })?;
        pool.in_place_scope(|scope| {
            let job = &job;
            for worker in workers {
                scope.spawn(move |_| job.work(worker));
            }
            own.into_iter().for_each(|worker| job.work(worker));
        });
    }
    let finished = job.finished.into_inner().unwrap_or_else(PoisonError::into_inner);
    finished.result?;
    Ok(finished.done)
}

/// What the threads share.
struct Job<'a, N, F> {
    plan: &'a dyn Plan,
    /// The next unit to be counted.
    next: N,
    /// Cancelled with the caller's token, and by the thread that meets an error: the others then stop too.
    stop: CancelToken,
    monitor: &'a Monitor,
    finished: Mutex<Finished<F>>,
}

/// What became of the units.
struct Finished<F> {
    /// Who gets the tallies.
    hand_over: F,
    /// Those that were handed over: the count is complete when these are all, whatever a monitor shows.
    done: Done,
    /// The first thing that went wrong.
    result: Result<()>,
}

impl<N: Fn() -> Option<usize> + Sync, F: FnMut(usize, Tally) -> Result<()>> Job<'_, N, F> {
    /// One thread's share: the next unit until none is left.
    fn work(&self, mut worker: Box<dyn Worker + '_>) {
        while !self.stop.is_cancelled()
            && let Some(unit) = (self.next)()
        {
            let tally = worker.count(unit, &self.stop);
            let mut finished = self.finished.lock().unwrap_or_else(PoisonError::into_inner);
            // What a unit counted that was asked to stop is incomplete.
            if self.stop.is_cancelled() {
                return;
            }
            if let Err(error) = tally.and_then(|tally| (finished.hand_over)(unit, tally)) {
                finished.result = Err(error);
                self.stop.cancel();
                return;
            }
            finished.done.units += 1;
            finished.done.cost += self.plan.cost(unit);
            drop(finished);
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
            for_each(&*plan, &units, threads, &CancelToken::new(), &Monitor::new(), |unit, _| {
                handed.push(unit);
                Ok(())
            })
            .unwrap();
            handed.sort_unstable();
            assert_eq!(handed, units);
            let mut calls = 0;
            let ended = for_each(&*plan, &units, threads, &CancelToken::new(), &Monitor::new(), |_, _| {
                calls += 1;
                Err(Error::Overflow { bits: 128 })
            });
            assert_eq!(ended, Err(Error::Overflow { bits: 128 }));
            assert!(calls <= threads);
        }
        assert_eq!(run(&*plan, &[8], 1, &CancelToken::new(), &Monitor::new()), Err(Error::Unit { unit: 8, units: 8 }));
        assert_eq!(
            run(&*plan, &[], 0, &CancelToken::new(), &Monitor::new()),
            Err(Error::Threads { given: 0, max: MAX_THREADS })
        );
    }

    #[test]
    fn as_many_threads_as_a_machine_may_have_can_be_asked_for() {
        let plan = registry::reference().plan(Size::new(8).unwrap(), Isa::Portable);
        let run = |threads| run(&*plan, &[0], threads, &CancelToken::new(), &Monitor::new());
        assert_eq!(run(MAX_THREADS).unwrap().solutions, 4);
        assert_eq!(run(MAX_THREADS + 1), Err(Error::Threads { given: MAX_THREADS + 1, max: MAX_THREADS }));
        assert_eq!(default_threads(), std::thread::available_parallelism().unwrap().get().min(MAX_THREADS));
    }

    /// The calling thread counts too, whoever it belongs to.
    #[test]
    fn counts_can_be_asked_for_from_threads_of_a_pool() {
        let plan = registry::reference().plan(Size::new(8).unwrap(), Isa::Portable);
        let units: Vec<usize> = (0..plan.units()).collect();
        let count = || run(&*plan, &units, 3, &CancelToken::new(), &Monitor::new()).unwrap().solutions;
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
        assert_eq!(pool.install(|| rayon::join(count, count)), (92, 92));
    }

    #[test]
    fn a_cancelled_count_says_how_far_it_was() {
        let plan = registry::reference().plan(Size::new(8).unwrap(), Isa::Portable);
        let units: Vec<usize> = (0..plan.units()).collect();
        let cancel = CancelToken::new();
        let mut handed = 0;
        let cancelled = for_each(&*plan, &units, 1, &cancel, &Monitor::new(), |_, _| {
            handed += 1;
            if handed == 4 {
                cancel.cancel();
            }
            Ok(())
        });
        assert_eq!(cancelled, Err(Error::Cancelled { units_done: 4, units: 8, per_mille: 500 }));
    }

    /// Counts that share a monitor used to read from it whether they were complete.
    #[test]
    fn a_count_is_complete_or_an_error_whoever_shares_its_monitor() {
        let plan = registry::reference().plan(Size::new(8).unwrap(), Isa::Portable);
        let units: Vec<usize> = (0..plan.units()).collect();
        let (cancel, monitor) = (CancelToken::new(), Monitor::new());
        // One is cancelled after a unit while the other one, on the same monitor, ends.
        let mut total = 0;
        let cancelled = for_each(&*plan, &units, 1, &cancel, &monitor, |_, _| {
            let other = run(&*plan, &units, 2, &CancelToken::new(), &monitor)?;
            assert_eq!(other.solutions, 92);
            total += 1;
            cancel.cancel();
            Ok(())
        });
        assert_eq!((cancelled, total), (Err(Error::Cancelled { units_done: 1, units: 8, per_mille: 125 }), 1));
        // And one that nobody cancelled is complete though another one on its monitor has just begun.
        let mut counted = 0;
        for_each(&*plan, &units, 1, &CancelToken::new(), &monitor, |_, tally| {
            counted += tally.solutions;
            monitor.begin(1000, 1.0);
            Ok(())
        })
        .unwrap();
        assert_eq!(counted, 92);
    }

    /// A plan of endless units, but for the first, which fails.
    struct Failing(Box<dyn Plan>);

    impl Plan for Failing {
        fn units(&self) -> usize {
            2
        }

        fn name(&self, unit: usize) -> String {
            self.0.name(unit)
        }

        fn cost(&self, _unit: usize) -> f64 {
            1.0
        }

        fn locate(&self, solution: &crate::board::Solution) -> Option<(usize, u64)> {
            self.0.locate(solution)
        }

        fn worker(&self) -> Box<dyn Worker + '_> {
            Box::new(EndlessWorker)
        }
    }

    struct EndlessWorker;

    impl Worker for EndlessWorker {
        fn count(&mut self, unit: usize, cancel: &CancelToken) -> Result<Tally> {
            if unit == 0 {
                return Err(Error::Overflow { bits: 64 });
            }
            while !cancel.is_cancelled() {
                std::thread::yield_now();
            }
            Ok(Tally::default())
        }
    }

    /// This test does not end where the other thread is not told.
    #[test]
    fn after_an_error_the_other_threads_stop() {
        let plan = Failing(registry::reference().plan(Size::new(8).unwrap(), Isa::Portable));
        let result = run(&plan, &[0, 1], 2, &CancelToken::new(), &Monitor::new());
        assert_eq!(result, Err(Error::Overflow { bits: 64 }));
    }
}
