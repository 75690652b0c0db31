//! Runs the units of a plan on threads. The only place of the library that starts any.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use crate::count::Total;
use crate::solver::Plan;
use crate::{Error, Monitor, Result};

/// The most threads that can be asked for: more than any machine has, few enough to start.
pub const MAX_THREADS: usize = 4096;

/// Threads used where none are asked for: what this process may use, by affinity and quota.
#[must_use]
pub fn default_threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from).min(MAX_THREADS)
}

/// Counts these units of a plan, taken in order, each by the next thread that is free: the expensive ones come first,
/// so that all threads are busy to the end. The sum is the same for any number of threads.
///
/// # Errors
/// [`Error::Cancelled`], [`Error::Overflow`], [`Error::Unit`], [`Error::Threads`], [`Error::ThreadPool`].
pub fn run(plan: &dyn Plan, units: &[usize], threads: usize, monitor: &Monitor) -> Result<Total> {
    if threads == 0 || threads > MAX_THREADS {
        return Err(Error::Threads { given: threads, max: MAX_THREADS });
    }
    if let Some(&unit) = units.iter().find(|&&unit| unit >= plan.units()) {
        return Err(Error::Unit { unit, units: plan.units() });
    }
    monitor.begin(units.len(), units.iter().map(|&unit| plan.cost(unit)).sum());
    let next = AtomicUsize::new(0);
    let work = || work(plan, units, &next, monitor);
    let threads = threads.min(units.len().max(1));
    let total = if threads == 1 {
        work()?
    } else {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .map_err(|error| Error::ThreadPool { threads, reason: error.to_string() })?;
        let total = Mutex::new(Ok(Total::default()));
        pool.broadcast(|_| {
            let mine = work();
            if let Ok(mut all) = total.lock() {
                *all = std::mem::replace(&mut *all, Ok(Total::default()))
                    .and_then(|mut sum| sum.merge(mine?).map(|()| sum));
            }
        });
        total.into_inner().unwrap_or(Err(Error::ThreadPool { threads, reason: "a thread died".to_owned() }))?
    };
    let progress = monitor.progress();
    if progress.units_done < units.len() {
        return Err(Error::Cancelled {
            units_done: progress.units_done,
            units: units.len(),
            per_mille: (progress.fraction * 1000.0) as u32,
        });
    }
    Ok(total)
}

/// One thread's share: units from the common counter until none is left.
fn work(plan: &dyn Plan, units: &[usize], next: &AtomicUsize, monitor: &Monitor) -> Result<Total> {
    let mut worker = plan.worker();
    let mut total = Total::default();
    while let Some(&unit) = units.get(next.fetch_add(1, Relaxed)) {
        let tally = worker.count(unit, monitor)?;
        if monitor.is_cancelled() {
            break;
        }
        total.add(tally)?;
        monitor.finish_unit(plan.cost(unit));
    }
    Ok(total)
}
