//! Counts units of a plan on threads. [`Plan::count`](Plan#method.count) begins such a count.
//!
//! The units of a plan, such as the choices of queens in the first rows, are split among the threads of a rayon pool,
//! and the counts of these threads are summed: see `Count::split`. Each thread takes the next unit from a shared
//! counter. Because the last units of a plan are not costlier than most, all threads end at about the same time.
//! `par_iter` would give each thread a range of units instead.
//!
//! [`Counter`](crate::Counter) counts a whole board; use this module to count single units of a [`Plan`].

mod threads;

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

pub use threads::{MAX_THREADS, default_threads};

use crate::cancel::Cancelled;
use crate::solver::{Plan, Worker};
use crate::tally::Tally;
use crate::{CancelToken, Error, Progress, Result, memory};

/// A count of units of a plan, on all cores unless you set [`threads`](Self::threads). Start it with [`run`](Self::run)
/// or [`for_each`](Self::for_each).
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
    /// `None` for all units. If the list did not fit in memory, the count reports the error when it begins.
    units: Option<Result<Vec<usize>>>,
    /// `None` for the default.
    threads: Option<usize>,
    cancel: CancelToken,
    progress: Progress,
}

impl dyn Plan + '_ {
    /// Returns a count of all units on all cores. The methods of [`Count`] choose other units and threads.
    pub fn count(&self) -> Count<'_> {
        Count::new(self)
    }
}

impl<'a> Count<'a> {
    /// Creates a count of all units of a plan, on all cores. For a plan of your own type, call this: only a `dyn Plan`
    /// has the method `count`.
    pub fn new(plan: &'a dyn Plan) -> Self {
        Self { plan, units: None, threads: None, cancel: CancelToken::new(), progress: Progress::new() }
    }

    /// Chooses the units: a range or a list. Threads take them in this order, so put the cheapest last: all threads are
    /// then busy to the end. A unit that is listed twice is counted twice.
    pub fn units(mut self, units: impl IntoIterator<Item = usize>) -> Self {
        self.units = Some(memory::collect(units));
        self
    }

    /// Sets the number of threads, from 1 to [`MAX_THREADS`]. The default is [`default_threads`].
    ///
    /// The calling thread is one of them, unless the count has several and that thread belongs to a rayon pool. The
    /// others live as long as the count.
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = Some(threads);
        self
    }

    /// Stops the count when `cancel` is cancelled.
    pub fn cancelled_by(mut self, cancel: &CancelToken) -> Self {
        self.cancel = cancel.clone();
        self
    }

    /// Shows the progress of the count in `progress`, which the count first sets back to zero.
    pub fn progress(mut self, progress: &Progress) -> Self {
        self.progress = progress.clone();
        self
    }

    /// Counts the units, and returns the sum of their tallies, which does not depend on the number of threads.
    ///
    /// # Errors
    /// The errors of [`for_each`](Self::for_each).
    pub fn run(self) -> Result<Tally> {
        self.run_on_threads().map(|counted| counted.sum)
    }

    /// Like [`run`](Self::run), but also returns the numbers of units and threads.
    pub(crate) fn run_on_threads(mut self) -> Result<Counted> {
        let units = self.take_units()?;
        let counted = self.split(in_order(&units), units.len(), &self.cancel.child(), |_, (), _| Ok(()))?;
        complete(counted.units, units.len())?;
        Ok(counted)
    }

    /// Counts the units, and calls `hand_over` with the number and the tally of each one as soon as it is complete.
    ///
    /// Calls of `hand_over` never overlap, and come in no particular order. [`Progress`] counts a unit after its call.
    /// `hand_over` may begin other counts and use rayon. The count ends early if
    /// - `hand_over` returns an error, which this method returns. If the error is [`Error::Cancelled`], its numbers
    ///   become those of this count;
    /// - `hand_over` panics. It is not called again, and this method panics too once the threads have stopped;
    /// - a worker panics. This method then returns [`Error::Bug`], unless the program is built with `panic = "abort"`.
    ///
    /// # Errors
    /// - [`Error::Cancelled`]: the token stopped the count before every unit was counted.
    /// - [`Error::Threads`], [`Error::Unit`]: a setting is wrong.
    /// - [`Error::Memory`]: the system refused memory.
    /// - [`Error::Bug`]: the plan has a bug, or the sum of the tallies does not fit in 128 bits.
    /// - All other errors of the plan's workers.
    pub fn for_each(mut self, mut hand_over: impl FnMut(usize, Tally) -> Result<()> + Send) -> Result<()> {
        let units = self.take_units()?;
        let mut done = 0;
        self.drain(in_order(&units), units.len(), |unit, (), tally| {
            hand_over(unit, tally)?;
            done += 1;
            Ok(())
        })?;
        complete(done, units.len())
    }

    /// Like [`for_each`](Self::for_each), but counts the units that `next` returns, at most `at_most` of them. Each
    /// comes with a value, such as the time at which the unit was taken, which the same thread passes to `hand_over`
    /// when it has counted the unit. Returns the number of threads that took part.
    ///
    /// The caller begins the progress, and decides whether the count is complete.
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
        let receive = |unit, value, tally| {
            // `hand_over` is not called again if it panicked, or if the count was stopped while this thread waited.
            let mut hand_over = hand_over.lock().map_err(|_| Cancelled)?;
            stop.check()?;
            hand_over(unit, value, tally).inspect_err(|_| stop.cancel())
        };
        self.split(next, at_most, &stop, receive).map(|counted| counted.threads)
    }

    /// Takes the chosen units, checks that the plan has them, and begins the progress.
    fn take_units(&mut self) -> Result<Vec<usize>> {
        let units = self.units.take().unwrap_or_else(|| memory::collect(0..self.plan.units()))?;
        if let Some(&unit) = units.iter().find(|&&unit| unit >= self.plan.units()) {
            return Err(Error::Unit { unit, units: self.plan.units() });
        }
        self.progress.begin(units.len(), units.iter().map(|&unit| self.plan.cost(unit)).sum());
        Ok(units)
    }
}

/// The numbers of units and threads and the sum of the tallies, of one thread or of all threads together. Completeness
/// is judged by this number of units, never by the progress.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Counted {
    /// Number of complete units.
    pub(crate) units: usize,
    /// Number of threads that took part: at most one for each unit, without those that the system refused. A thread
    /// counts even if the others left no unit to it.
    pub(crate) threads: usize,
    /// Sum of the tallies.
    pub(crate) sum: Tally,
}

impl Counted {
    fn add(&mut self, other: Self) -> Result<()> {
        self.units += other.units;
        self.threads += other.threads;
        self.sum.add(other.sum)
    }
}

impl Count<'_> {
    /// Splits the units that `next` returns among the threads of a rayon pool, and sums the counts of these threads.
    ///
    /// Each thread passes the tallies of its units to `receive`, with the values that `next` returned with the units. A
    /// thread that fails or panics cancels `stop`, so that the other threads end too.
    fn split<T>(
        &self,
        next: impl Fn() -> Option<(usize, T)> + Sync,
        at_most: usize,
        stop: &CancelToken,
        receive: impl Fn(usize, T, Tally) -> Result<()> + Sync,
    ) -> Result<Counted> {
        let threads = check_threads(self.threads.unwrap_or_else(default_threads))?.min(at_most.max(1));
        // Threads take the workers in order: if the system refuses threads, the last workers count nothing. A plan for
        // graphics cards therefore makes the workers of cards first.
        let workers = Mutex::new(self.workers(threads)?.into_iter());
        let counts = threads::on_each(threads, &self.progress, || {
            let worker = lock(&workers).next().expect("each thread has a worker");
            cancel_on_panic(stop, || self.count_on_thread(worker, &next, stop, &receive))
        });
        let mut total = Counted::default();
        for count in counts {
            total.add(count?)?;
        }
        Ok(total)
    }

    /// Counts on this thread until no unit is left or `stop` is cancelled. An error cancels `stop`.
    fn count_on_thread<T>(
        &self,
        mut worker: Box<dyn Worker + '_>,
        next: &impl Fn() -> Option<(usize, T)>,
        stop: &CancelToken,
        receive: &impl Fn(usize, T, Tally) -> Result<()>,
    ) -> Result<Counted> {
        let mut counted = Counted { threads: 1, ..Counted::default() };
        while !stop.is_cancelled()
            && let Some((unit, value)) = next()
        {
            // A worker that panicked is never used again, because the count ends.
            let tally = catch_unwind(AssertUnwindSafe(|| worker.count(unit, stop)))
                .unwrap_or_else(|panic| Err(panicked(&*panic)))
                .map_err(|error| in_unit(unit, error));
            let received = tally.and_then(|tally| {
                receive(unit, value, tally)?;
                counted.sum.add(tally)
            });
            match received {
                Ok(()) => counted.units += 1,
                // The caller or another thread stopped the count.
                Err(Error::Cancelled { .. }) if stop.is_cancelled() => break,
                Err(error) => {
                    stop.cancel();
                    return Err(error);
                }
            }
            self.progress.finish_unit(self.plan.cost(unit));
        }
        Ok(counted)
    }

    /// Makes one worker for each thread.
    fn workers(&self, threads: usize) -> Result<Vec<Box<dyn Worker + '_>>> {
        let workers = self.plan.workers(threads);
        if workers.len() == threads {
            return Ok(workers);
        }
        let problem = format!("the plan made {} workers for {threads} threads", workers.len());
        Err(Error::Bug { unit: None, problem })
    }
}

/// Calls `work`. If it panics, cancels `stop` before the panic continues.
fn cancel_on_panic<R>(stop: &CancelToken, work: impl FnOnce() -> R) -> R {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        stop.cancel();
        resume_unwind(panic)
    })
}

/// Returns the error of a worker that panicked.
fn panicked(panic: &(dyn Any + Send)) -> Error {
    let text = panic.downcast_ref::<&str>().copied();
    let message = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("without a message");
    Error::Bug { unit: None, problem: format!("the solver panicked ({message})") }
}

/// Adds the number of the unit to a bug that its worker reported without one.
fn in_unit(unit: usize, error: Error) -> Error {
    match error {
        Error::Bug { unit: None, problem } => Error::Bug { unit: Some(unit), problem },
        error => error,
    }
}

/// Returns `threads`, or an error if it is outside `1..=MAX_THREADS`.
pub(crate) fn check_threads(threads: usize) -> Result<usize> {
    let is_possible = (1..=MAX_THREADS).contains(&threads);
    if is_possible { Ok(threads) } else { Err(Error::Threads { given: threads, max: MAX_THREADS }) }
}

/// Fails if fewer than `units` units were counted.
fn complete(units_done: usize, units: usize) -> Result<()> {
    if units_done < units { Err(Error::Cancelled { units_done, units }) } else { Ok(()) }
}

/// Returns a function that hands out units in their order, each to the thread that asks next.
fn in_order(units: &[usize]) -> impl Fn() -> Option<(usize, ())> + Sync {
    let next = AtomicUsize::new(0);
    move || units.get(next.fetch_add(1, Relaxed)).map(|&unit| (unit, ()))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
