//! Counts units of a plan on the threads of a [`Threads`].
//!
//! Rayon only holds the threads. An atomic counter hands out the units, because their order matters: the cheapest are
//! last. Each thread has one worker, and adds up its own count. `par_iter` would divide the units into ranges instead.
//!
//! Use it for single units of a [`Plan`]. [`Counter`](crate::Counter) counts a whole board.

mod threads;

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

pub use threads::{MAX_THREADS, Threads, default_threads};

use crate::solver::{Plan, Worker};
use crate::tally::Tally;
use crate::{CancelToken, Error, Progress, Result, Snapshot};

/// What a count did.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Counted {
    /// Number of complete units.
    pub units: usize,
    /// Number of threads that counted: at most one for each unit, without threads that the system refused.
    pub threads: usize,
    /// The sum of the tallies. [`drain`] hands tallies over, so its sum is 0.
    pub(crate) sum: Tally,
}

/// Gets the progress of a count after each unit, on the thread that counted it.
pub(crate) type Watch = dyn Fn(Snapshot) + Send + Sync;

/// Counts `units` of `plan` and returns the sum of their tallies. Each thread adds up its own tallies, and the sums are
/// added when the threads end. The result does not depend on the number of threads.
///
/// # Errors
/// The errors of [`for_each`], and [`Error::Bug`] if the sum does not fit 128 bits.
pub fn run(
    plan: &dyn Plan,
    units: &[usize],
    threads: impl Into<Threads>,
    cancel: &CancelToken,
    progress: &Progress,
) -> Result<Tally> {
    run_counted(plan, units, threads.into(), cancel, progress, None).map(|counted| counted.sum)
}

/// Like [`run`]. Calls `watch` after each unit. Returns the number of threads too.
pub(crate) fn run_counted(
    plan: &dyn Plan,
    units: &[usize],
    threads: Threads,
    cancel: &CancelToken,
    progress: &Progress,
    watch: Option<&Watch>,
) -> Result<Counted> {
    begin(plan, units, progress)?;
    let add = |sum: &mut Tally, unit, tally| {
        sum.add(tally)?;
        progress.finish_unit(plan.cost(unit));
        if let Some(watch) = watch {
            watch(progress.snapshot());
        }
        Ok(true)
    };
    let counted = count(plan, in_order(units), threads, units.len(), &cancel.child(), progress, add)?;
    complete(counted, units.len())
}

/// Counts `units` of `plan` and calls `hand_over` with each unit's number and tally as soon as it is complete.
///
/// Threads take the units in order. Put the cheapest units last, so that all threads are busy to the end. `hand_over`
/// is called for one unit at a time, in no particular order. The count ends if
/// - `hand_over` returns an error, which this function returns;
/// - `hand_over` panics. Then it is not called again, and this function panics too, after the threads have stopped;
/// - a worker panics. Then this function returns [`Error::Bug`], unless the program is built with `panic = "abort"`.
///
/// `hand_over` may begin other counts. With [`Threads::Current`], `hand_over` must not wait for other work of that pool. The
/// waiting thread could join this count again and wait for itself.
///
/// # Errors
/// [`Error::Cancelled`] if `cancel` stopped the count before every unit was counted; [`Error::Bug`], [`Error::Memory`],
/// [`Error::Unit`], [`Error::Threads`], and the errors of the plan's workers.
pub fn for_each(
    plan: &dyn Plan,
    units: &[usize],
    threads: impl Into<Threads>,
    cancel: &CancelToken,
    progress: &Progress,
    hand_over: impl FnMut(usize, Tally) -> Result<()> + Send,
) -> Result<()> {
    begin(plan, units, progress)?;
    let counted = drain(plan, in_order(units), threads.into(), units.len(), cancel, progress, hand_over)?;
    complete(counted, units.len()).map(|_| ())
}

/// Hands out units in their order, each to the thread that asks next.
fn in_order(units: &[usize]) -> impl Fn() -> Option<usize> + Sync {
    let next = AtomicUsize::new(0);
    move || units.get(next.fetch_add(1, Relaxed)).copied()
}

/// Checks that the plan has these units, and begins `progress`.
fn begin(plan: &dyn Plan, units: &[usize], progress: &Progress) -> Result<()> {
    if let Some(&unit) = units.iter().find(|&&unit| unit >= plan.units()) {
        return Err(Error::Unit { unit, units: plan.units() });
    }
    progress.begin(units.len(), units.iter().map(|&unit| plan.cost(unit)).sum());
    Ok(())
}

/// Fails if fewer than `units` units were counted.
fn complete(counted: Counted, units: usize) -> Result<Counted> {
    let units_done = counted.units;
    if units_done < units { Err(Error::Cancelled { units_done, units }) } else { Ok(counted) }
}

#[doc(hidden)]
/// Like [`for_each`], but units come from `next`, at most `at_most` of them. The caller begins `progress` and decides
/// whether the count is complete.
///
/// # Errors
/// The errors of [`for_each`] without [`Error::Cancelled`].
pub fn drain(
    plan: &dyn Plan,
    next: impl Fn() -> Option<usize> + Sync,
    threads: Threads,
    at_most: usize,
    cancel: &CancelToken,
    progress: &Progress,
    hand_over: impl FnMut(usize, Tally) -> Result<()> + Send,
) -> Result<Counted> {
    let (stop, hand_over) = (cancel.child(), Mutex::new(hand_over));
    let take = |_: &mut Tally, unit, tally| {
        // A panic of `hand_over` poisons the lock before it stops the other threads.
        let Ok(mut hand_over) = hand_over.lock() else { return Ok(false) };
        // Another thread may have stopped the count while this one waited for the lock.
        if stop.is_cancelled() {
            return Ok(false);
        }
        // After an error it is not called again.
        hand_over(unit, tally).inspect_err(|_| stop.cancel())?;
        progress.finish_unit(plan.cost(unit));
        Ok(true)
    };
    count(plan, next, threads, at_most, &stop, progress, take)
}

/// Counts the units of `next`. The sum is what `take` made of them.
///
/// `take` takes each tally from the thread that counted it. It gets the thread's own sum too, and returns `false` if the
/// tally must not count. An error, or a panic of `take`, cancels `stop`.
fn count(
    plan: &dyn Plan,
    next: impl Fn() -> Option<usize> + Sync,
    threads: Threads,
    at_most: usize,
    stop: &CancelToken,
    progress: &Progress,
    take: impl Fn(&mut Tally, usize, Tally) -> Result<bool> + Sync,
) -> Result<Counted> {
    let asked = threads.number()?.min(at_most.max(1));
    let workers = plan.workers(asked);
    if workers.len() != asked {
        let problem = format!("the plan made {} workers for {asked} threads", workers.len());
        return Err(Error::Bug { unit: None, problem });
    }
    // Each thread takes one.
    let workers = Mutex::new(workers.into_iter());
    // What the threads that have ended did, or the first error. The count is complete if these are all units. The
    // progress does not decide it.
    let done = Mutex::new(Ok((0, Tally::default())));
    // Counts with the next worker.
    let work = || {
        let Some(worker) = lock(&workers).next() else { return };
        let counted = catch_unwind(AssertUnwindSafe(|| count_on_thread(plan, worker, &next, stop, &take)));
        let counted = counted.unwrap_or_else(|panic| {
            stop.cancel();
            resume_unwind(panic)
        });
        let mut done = lock(&done);
        if let Ok((units, sum)) = &mut *done {
            let added = counted.and_then(|(counted, own)| {
                *units += counted;
                sum.add(own)
            });
            if let Err(error) = added {
                *done = Err(error);
            }
        }
    };
    threads.call(asked, progress, &work);
    let left = lock(&workers).len();
    let (units, sum) = done.into_inner().unwrap_or_else(PoisonError::into_inner)?;
    Ok(Counted { units, threads: asked - left, sum })
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Counts on one thread until no unit is left.
fn count_on_thread(
    plan: &dyn Plan,
    mut worker: Box<dyn Worker + '_>,
    next: &impl Fn() -> Option<usize>,
    stop: &CancelToken,
    take: &impl Fn(&mut Tally, usize, Tally) -> Result<bool>,
) -> Result<(usize, Tally)> {
    let (mut units, mut sum) = (0, Tally::default());
    while !stop.is_cancelled()
        && let Some(unit) = next()
    {
        // After a panic the worker is not used again, because the count ends.
        let tally = catch_unwind(AssertUnwindSafe(|| worker.count(unit, stop)))
            .unwrap_or_else(|panic| Err(panicked(unit, &*panic)));
        if stop.is_cancelled() && matches!(tally, Err(Error::Cancelled { .. })) {
            break;
        }
        let taken = tally.and_then(|tally| check(plan, unit, tally)).and_then(|tally| take(&mut sum, unit, tally));
        if !taken.inspect_err(|_| stop.cancel())? {
            break;
        }
        units += 1;
    }
    Ok((units, sum))
}

/// Passes a tally that its unit's divisor divides.
fn check(plan: &dyn Plan, unit: usize, tally: Tally) -> Result<Tally> {
    let (divisor, solutions) = (plan.tally_divisor(unit), tally.solutions);
    if solutions.is_multiple_of(u128::from(divisor)) {
        Ok(tally)
    } else {
        let problem = format!("it counts {solutions}, which is not a multiple of its weight {divisor}");
        Err(Error::Bug { unit: Some(unit), problem })
    }
}

/// The error of a worker that panicked.
fn panicked(unit: usize, panic: &(dyn Any + Send)) -> Error {
    let text = panic.downcast_ref::<&str>().copied();
    let message = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("without a message");
    Error::Bug { unit: Some(unit), problem: format!("the solver panicked ({message})") }
}

#[cfg(test)]
mod tests;
