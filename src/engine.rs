//! Counts units of a plan on threads. [`Plan::count`](Plan#method.count) begins it.
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
use crate::{CancelToken, Error, Progress, Result, memory};

/// A count of units of a plan, on all cores unless you set [`threads`](Self::threads). [`run`](Self::run) or
/// [`for_each`](Self::for_each) counts.
///
/// ```
/// use nqueens::board::Size;
/// use nqueens::solver::Isa;
/// use nqueens::{CancelToken, registry};
///
/// let plan = registry::find("bitmask")?.plan(Size::new(12)?, Isa::Portable, &CancelToken::new())?;
/// let mut total = plan.count().units(0..9).threads(2).run()?;
/// total.add(plan.count().units(9..plan.units()).run()?)?;
/// assert_eq!(total.solutions, 14_200);
/// # Ok::<(), nqueens::Error>(())
/// ```
#[derive(Debug)]
#[must_use]
pub struct Count<'a> {
    plan: &'a dyn Plan,
    /// `None` for all units.
    units: Option<Result<Vec<usize>>>,
    /// `None` for all cores.
    threads: Option<Threads>,
    cancel: CancelToken,
    progress: Option<&'a Progress>,
    /// The progress that nobody sees, in place of `progress`.
    unseen: Progress,
}

impl dyn Plan + '_ {
    /// Begins a count of all units on all cores. The methods of [`Count`] choose other units and threads.
    pub fn count(&self) -> Count<'_> {
        Count {
            plan: self,
            units: None,
            threads: None,
            cancel: CancelToken::new(),
            progress: None,
            unseen: Progress::new(),
        }
    }
}

impl<'a> Count<'a> {
    /// Chooses units: a range, or a list. Threads take them in this order. Put the cheapest last, so that all threads are
    /// busy to the end.
    pub fn units(mut self, units: impl IntoIterator<Item = usize>) -> Self {
        self.units = Some(memory::collect(units));
        self
    }

    /// Sets the number of threads, or the threads of your rayon pool: see [`Threads`].
    pub fn threads(mut self, threads: impl Into<Threads>) -> Self {
        self.threads = Some(threads.into());
        self
    }

    /// Stops the count when `cancel` is cancelled.
    pub fn cancelled_by(mut self, cancel: &CancelToken) -> Self {
        self.cancel = cancel.clone();
        self
    }

    /// Shows the progress of the count in `progress`.
    pub fn progress(mut self, progress: &'a Progress) -> Self {
        self.progress = Some(progress);
        self
    }

    /// Returns the sum of the units' tallies. The result does not depend on the number of threads.
    ///
    /// # Errors
    /// The errors of [`for_each`](Self::for_each), and [`Error::Bug`] if the sum does not fit 128 bits.
    pub fn run(self) -> Result<Tally> {
        self.run_on_threads().map(|counted| counted.sum)
    }

    /// Like [`run`](Self::run), and says how many threads counted.
    pub(crate) fn run_on_threads(mut self) -> Result<Counted> {
        let units = self.begin()?;
        let add = |sum: &mut Tally, unit, (), tally| {
            sum.add(tally)?;
            self.shown().finish_unit(self.plan.cost(unit));
            Ok(true)
        };
        let counted = self.count(in_order(&units), units.len(), &self.cancel.child(), add)?;
        complete(counted.units, units.len())?;
        Ok(counted)
    }

    /// Calls `hand_over` with each unit's number and tally as soon as it is complete.
    ///
    /// `hand_over` is called for one unit at a time, in no particular order. The count ends if
    /// - `hand_over` returns an error, which this method returns;
    /// - `hand_over` panics. Then it is not called again, and this method panics too, after the threads have stopped;
    /// - a worker panics. Then this method returns [`Error::Bug`], unless the program is built with `panic = "abort"`.
    ///
    /// `hand_over` may begin other counts. With [`Threads::Current`], `hand_over` must not wait for other work of that pool.
    /// The waiting thread could join this count again and wait for itself.
    ///
    /// # Errors
    /// [`Error::Cancelled`] if the token stopped the count before every unit was counted; [`Error::Bug`],
    /// [`Error::Memory`], [`Error::Unit`], [`Error::Threads`], and the errors of the plan's workers.
    pub fn for_each(mut self, mut hand_over: impl FnMut(usize, Tally) -> Result<()> + Send) -> Result<()> {
        let units = self.begin()?;
        let mut done = 0;
        self.drain(in_order(&units), units.len(), |unit, (), tally| {
            hand_over(unit, tally)?;
            done += 1;
            Ok(())
        })?;
        complete(done, units.len())
    }

    /// Like [`for_each`](Self::for_each), but units come from `next`, at most `at_most` of them, each with a value that
    /// the same thread passes to `hand_over` when it has counted the unit. The caller begins the progress and decides
    /// whether the count is complete. Returns the number of threads that counted.
    ///
    /// # Errors
    /// The errors of [`for_each`](Self::for_each) without [`Error::Cancelled`].
    #[doc(hidden)]
    pub fn drain<T>(
        &self,
        next: impl Fn() -> Option<(usize, T)> + Sync,
        at_most: usize,
        hand_over: impl FnMut(usize, T, Tally) -> Result<()> + Send,
    ) -> Result<usize> {
        let (stop, hand_over) = (self.cancel.child(), Mutex::new(hand_over));
        let take = |_: &mut Tally, unit, value, tally| {
            // A panic of `hand_over` poisons the lock before it stops the other threads.
            let Ok(mut hand_over) = hand_over.lock() else { return Ok(false) };
            // Another thread may have stopped the count while this one waited for the lock.
            if stop.is_cancelled() {
                return Ok(false);
            }
            // After an error it is not called again.
            hand_over(unit, value, tally).inspect_err(|_| stop.cancel())?;
            self.shown().finish_unit(self.plan.cost(unit));
            Ok(true)
        };
        self.count(next, at_most, &stop, take).map(|counted| counted.threads)
    }

    fn shown(&self) -> &Progress {
        self.progress.unwrap_or(&self.unseen)
    }

    /// Takes the units, checks that the plan has them, and begins the progress.
    fn begin(&mut self) -> Result<Vec<usize>> {
        let units = self.units.take().unwrap_or_else(|| memory::collect(0..self.plan.units()))?;
        if let Some(&unit) = units.iter().find(|&&unit| unit >= self.plan.units()) {
            return Err(Error::Unit { unit, units: self.plan.units() });
        }
        self.shown().begin(units.len(), units.iter().map(|&unit| self.plan.cost(unit)).sum());
        Ok(units)
    }

    /// Counts the units of `next`. The sum is what `take` made of them.
    ///
    /// `take` takes each tally from the thread that counted it, with the unit and the value that came with it. It gets the
    /// thread's own sum too, and returns `false` if the tally must not count. An error, or a panic of `take`, cancels `stop`.
    fn count<T>(
        &self,
        next: impl Fn() -> Option<(usize, T)> + Sync,
        at_most: usize,
        stop: &CancelToken,
        take: impl Fn(&mut Tally, usize, T, Tally) -> Result<bool> + Sync,
    ) -> Result<Counted> {
        let threads = self.threads.unwrap_or_else(|| default_threads().into());
        let asked = threads.number()?.min(at_most.max(1));
        let workers = self.plan.workers(asked);
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
            let counted = catch_unwind(AssertUnwindSafe(|| count_on_thread(worker, &next, stop, &take)));
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
        threads.call(asked, self.shown(), &work);
        let left = lock(&workers).len();
        let (units, sum) = done.into_inner().unwrap_or_else(PoisonError::into_inner)?;
        Ok(Counted { units, threads: asked - left, sum })
    }
}

/// What a count did.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Counted {
    /// Number of complete units.
    pub(crate) units: usize,
    /// Number of threads that counted: at most one for each unit, without threads that the system refused.
    pub(crate) threads: usize,
    /// The sum of the tallies that were not handed over.
    pub(crate) sum: Tally,
}

/// Fails if fewer than `units` units were counted.
fn complete(units_done: usize, units: usize) -> Result<()> {
    if units_done < units { Err(Error::Cancelled { units_done, units }) } else { Ok(()) }
}

/// Hands out units in their order, each to the thread that asks next.
fn in_order(units: &[usize]) -> impl Fn() -> Option<(usize, ())> + Sync {
    let next = AtomicUsize::new(0);
    move || units.get(next.fetch_add(1, Relaxed)).map(|&unit| (unit, ()))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Counts on one thread until no unit is left.
fn count_on_thread<T>(
    mut worker: Box<dyn Worker + '_>,
    next: &impl Fn() -> Option<(usize, T)>,
    stop: &CancelToken,
    take: &impl Fn(&mut Tally, usize, T, Tally) -> Result<bool>,
) -> Result<(usize, Tally)> {
    let (mut units, mut sum) = (0, Tally::default());
    while !stop.is_cancelled()
        && let Some((unit, value)) = next()
    {
        // After a panic the worker is not used again, because the count ends.
        let tally = catch_unwind(AssertUnwindSafe(|| worker.count(unit, stop)))
            .unwrap_or_else(|panic| Err(panicked(unit, &*panic)));
        if stop.is_cancelled() && matches!(tally, Err(Error::Cancelled { .. })) {
            break;
        }
        if !tally.and_then(|tally| take(&mut sum, unit, value, tally)).inspect_err(|_| stop.cancel())? {
            break;
        }
        units += 1;
    }
    Ok((units, sum))
}

/// The error of a worker that panicked.
fn panicked(unit: usize, panic: &(dyn Any + Send)) -> Error {
    let text = panic.downcast_ref::<&str>().copied();
    let message = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("without a message");
    Error::Bug { unit: Some(unit), problem: format!("the solver panicked ({message})") }
}

#[cfg(test)]
mod tests;
