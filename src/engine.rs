//! Counts units of a plan on threads. No other part of the library starts threads that work.
//!
//! Use it for single units of a [`Plan`]. [`Counter`](crate::Counter) counts a whole board.

mod hand_out;

use std::any::Any;
use std::error::Error as _;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread;

use crate::count::Tally;
use crate::solver::{Plan, Worker};
use crate::{CancelToken, Error, Monitor, Result};
pub use hand_out::{HandOut, Handed};

/// The largest number of threads you can ask for.
pub const MAX_THREADS: usize = 4096;

/// The default number of threads: the cores that this process may use, by affinity and quota. A quota is rounded down.
#[must_use]
pub fn default_threads() -> usize {
    thread::available_parallelism().map_or(1, usize::from).min(MAX_THREADS)
}

/// The threads that count. A number `t` converts into `Pool::Own(t)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Pool {
    /// The number of threads. The calling thread is one of them; the others live as long as the count.
    Own(usize),
    /// Like [`Pool::Own`], but the calling thread is enough: where the system refuses threads, the count goes on with
    /// those it starts. [`Progress`](crate::Progress) says how many it refused.
    UpTo(usize),
    /// The threads of the caller's [rayon] pool, or of rayon's global pool if the caller is in no pool. The count
    /// starts no thread. A busy thread joins when its other work is done. A thread that counts a unit does no other
    /// work meanwhile.
    Current,
}

impl From<usize> for Pool {
    fn from(threads: usize) -> Self {
        Self::Own(threads)
    }
}

impl Pool {
    /// Returns the number of threads, from 1 to [`MAX_THREADS`], for a count that begins on this thread.
    ///
    /// # Errors
    /// [`Error::Threads`] for a number outside `1..=MAX_THREADS`; [`Error::ThreadPool`] if rayon's global pool is
    /// needed and cannot be started.
    pub fn threads(self) -> Result<usize> {
        match self {
            Self::Own(threads @ 1..=MAX_THREADS) | Self::UpTo(threads @ 1..=MAX_THREADS) => Ok(threads),
            Self::Own(given) | Self::UpTo(given) => Err(Error::Threads { given, max: MAX_THREADS }),
            Self::Current => {
                start_global_pool()?;
                Ok(rayon::current_num_threads().min(MAX_THREADS))
            }
        }
    }
}

/// Starts rayon's global pool if the caller is in no pool. Without this call rayon would start the pool later, and
/// would panic if the system refuses threads.
fn start_global_pool() -> Result<()> {
    static REFUSED: OnceLock<Option<String>> = OnceLock::new();
    // On WebAssembly rayon uses the calling thread as its pool. It does so only if no pool was started before.
    if rayon::current_thread_index().is_some() || cfg!(target_family = "wasm") {
        return Ok(());
    }
    // `build_global` also fails if the pool exists already. Only that error has no source.
    let start = || rayon::ThreadPoolBuilder::new().build_global().err().and_then(|e| e.source().map(|e| e.to_string()));
    match REFUSED.get_or_init(start) {
        None => Ok(()),
        Some(reason) => Err(Error::ThreadPool { threads: default_threads(), reason: reason.clone() }),
    }
}

/// Counts `units` of `plan` and returns the sum of their tallies. The sum does not depend on the number of threads.
///
/// # Errors
/// The errors of [`for_each`], and [`Error::Overflow`] if the sum does not fit 128 bits.
pub fn run(
    plan: &dyn Plan,
    units: &[usize],
    pool: impl Into<Pool>,
    cancel: &CancelToken,
    monitor: &Monitor,
) -> Result<Tally> {
    let mut total = Tally::default();
    for_each(plan, units, pool, cancel, monitor, |_, tally| total.add(tally))?;
    Ok(total)
}

/// Counts `units` of `plan` and calls `hand_over` with each unit's number and tally as soon as it is complete.
///
/// Threads take the units in order. Put the cheapest units last, so that all threads are busy to the end. `hand_over`
/// is called for one unit at a time, in no particular order. The count ends if
/// - `hand_over` returns an error, which this function returns;
/// - `hand_over` panics. Then it is not called again, and this function panics too, after the threads have stopped;
/// - a worker panics. Then this function returns [`Error::Panic`], unless the program is built with `panic = "abort"`.
///
/// With [`Pool::Current`], `hand_over` must not wait for work of that pool. The waiting thread could join this count
/// again and wait for itself.
///
/// # Errors
/// [`Error::Cancelled`] if `cancel` stopped the count before every unit was counted; [`Error::Overflow`],
/// [`Error::Memory`], [`Error::Panic`], [`Error::Workers`], [`Error::Unit`], [`Error::Threads`], [`Error::ThreadPool`].
pub fn for_each(
    plan: &dyn Plan,
    units: &[usize],
    pool: impl Into<Pool>,
    cancel: &CancelToken,
    monitor: &Monitor,
    hand_over: impl FnMut(usize, Tally) -> Result<()> + Send,
) -> Result<()> {
    if let Some(&unit) = units.iter().find(|&&unit| unit >= plan.units()) {
        return Err(Error::Unit { unit, units: plan.units() });
    }
    let cost = units.iter().map(|&unit| plan.cost(unit)).sum();
    monitor.begin(units.len(), cost);
    let done = drain(plan, HandOut::new(plan, units)?, pool.into(), units.len(), cancel, monitor, hand_over)?;
    if done.units < units.len() {
        return Err(Error::Cancelled {
            units_done: done.units,
            units: units.len(),
            per_mille: (1000.0 * done.cost / cost) as u32,
        });
    }
    Ok(())
}

/// The units that were counted and handed over.
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub struct Done {
    /// Number of units.
    pub units: usize,
    /// Predicted cost of these units.
    pub cost: f64,
}

/// Like [`for_each`], but units come from `next`, at most `at_most` of them. The caller begins the monitor and decides
/// whether the count is complete.
///
/// # Errors
/// The errors of [`for_each`] without [`Error::Cancelled`].
#[doc(hidden)]
pub fn drain(
    plan: &dyn Plan,
    next: impl Source,
    pool: Pool,
    at_most: usize,
    cancel: &CancelToken,
    monitor: &Monitor,
    hand_over: impl FnMut(usize, Tally) -> Result<()> + Send,
) -> Result<Done> {
    let threads = pool.threads()?;
    let finished = Finished { hand_over, done: Done { units: 0, cost: 0.0 }, result: Ok(()) };
    let job = Job { plan, next, stop: cancel.child(), monitor, finished: Mutex::new(finished) };
    let asked = threads.min(at_most.max(1));
    let workers = plan.workers(asked);
    if workers.len() != asked {
        return Err(Error::Workers { asked, made: workers.len() });
    }
    match pool {
        Pool::Current => rayon::scope(|scope| job.share(workers, scope)),
        Pool::Own(_) => job.share_with_new_threads(workers, false)?,
        Pool::UpTo(_) => job.share_with_new_threads(workers, true)?,
    }
    let finished = job.finished.into_inner().unwrap_or_else(PoisonError::into_inner);
    finished.result?;
    Ok(finished.done)
}

/// Data that the threads of a count share.
struct Job<'a, N, F> {
    plan: &'a dyn Plan,
    /// Chooses the next unit.
    next: N,
    /// A child of the caller's token. A thread that meets an error cancels it, so that the others stop too.
    stop: CancelToken,
    monitor: &'a Monitor,
    finished: Mutex<Finished<F>>,
}

/// The results so far.
struct Finished<F> {
    /// Receives the tallies.
    hand_over: F,
    /// Units that were handed over. The count is complete if these are all. The monitor does not decide it.
    done: Done,
    /// The first error.
    result: Result<()>,
}

/// Chooses the unit that a thread counts next.
#[doc(hidden)]
pub trait Source: Sync {
    /// A unit that a thread received, as this type remembers it.
    type Handed: Copy;

    /// Returns the next unit and its number, for a thread whose unit before was `last`.
    fn next(&self, last: Option<Self::Handed>) -> Option<(Self::Handed, usize)>;
}

impl Source for HandOut<'_> {
    type Handed = Handed;

    fn next(&self, last: Option<Handed>) -> Option<(Handed, usize)> {
        HandOut::next(self, last).map(|handed| (handed, handed.unit))
    }
}

impl<F: Fn() -> Option<usize> + Sync> Source for F {
    type Handed = ();

    fn next(&self, _last: Option<()>) -> Option<((), usize)> {
        self().map(|unit| ((), unit))
    }
}

impl<N: Source, F: FnMut(usize, Tally) -> Result<()> + Send> Job<'_, N, F> {
    /// Counts with all these workers, the first of them on this thread.
    fn share<'scope>(&'scope self, workers: Vec<Box<dyn Worker + 'scope>>, scope: &rayon::Scope<'scope>) {
        let mut workers = workers.into_iter();
        let own = workers.next();
        for worker in workers {
            scope.spawn(move |_| self.work(worker));
        }
        own.into_iter().for_each(|worker| self.work(worker));
    }

    /// Counts with the first of these workers on this thread, and with the others on threads that are started for it.
    /// `fewer_are_enough` says what becomes of the count if the system refuses threads.
    ///
    /// This thread counts too. If it only waited, Linux would often put two counting threads on one core at first.
    fn share_with_new_threads(&self, workers: Vec<Box<dyn Worker + '_>>, fewer_are_enough: bool) -> Result<()> {
        let threads = workers.len();
        thread::scope(|scope| {
            let mut workers = workers.into_iter();
            let own = workers.next();
            let mut started = Vec::new();
            for worker in workers {
                match thread::Builder::new().spawn_scoped(scope, move || self.work(worker)) {
                    Ok(thread) => started.push(thread),
                    Err(_) if fewer_are_enough => {
                        self.monitor.refuse_threads(threads - 1 - started.len());
                        break;
                    }
                    Err(reason) => {
                        self.stop.cancel();
                        return Err(Error::ThreadPool { threads, reason: reason.to_string() });
                    }
                }
            }
            own.into_iter().for_each(|worker| self.work(worker));
            for thread in started {
                thread.join().unwrap_or_else(|panic| resume_unwind(panic));
            }
            Ok(())
        })
    }

    /// Counts on one thread until no unit is left. If `hand_over` panics, the other threads stop too.
    fn work(&self, worker: Box<dyn Worker + '_>) {
        let stop = StopOnDrop(&self.stop);
        self.count(worker);
        std::mem::forget(stop);
    }

    fn count(&self, mut worker: Box<dyn Worker + '_>) {
        let mut last = None;
        while !self.stop.is_cancelled()
            && let Some((handed, unit)) = self.next.next(last)
        {
            last = Some(handed);
            // After a panic the worker is not used again, because the count ends.
            let tally = catch_unwind(AssertUnwindSafe(|| worker.count(unit, &self.stop)))
                .unwrap_or_else(|panic| Err(Error::Panic { unit, message: message(&*panic) }));
            // A panic of `hand_over` poisons the lock before it stops the other threads.
            let Ok(mut finished) = self.finished.lock() else { return };
            // A unit that was stopped has an incomplete tally.
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

/// Returns the message of a panic.
fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("it said nothing").to_owned()
}

/// Stops a count when it goes out of scope.
struct StopOnDrop<'a>(&'a CancelToken);

impl Drop for StopOnDrop<'_> {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

#[cfg(test)]
mod tests;
