//! Counts units of a plan on threads: its own or the caller's. No other part of the library starts threads.
//!
//! You need it for single units of a [`Plan`]; [`Counter`](crate::Counter) counts a whole board.

mod hand_out;

use std::any::Any;
use std::error::Error as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Instant;

use crate::count::{Tally, Total};
use crate::solver::{Plan, Worker};
use crate::{CancelToken, Error, Monitor, Result};
pub use hand_out::{HandOut, Handed};

/// The largest number of threads you can ask for.
pub const MAX_THREADS: usize = 4096;

/// The default number of threads: the cores that this process may use, by affinity and quota.
#[must_use]
pub fn default_threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from).min(MAX_THREADS)
}

/// The threads that count. A number `t` converts into `Pool::Own(t)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Pool {
    /// This many threads. The calling thread is one of them; the others live as long as the count.
    Own(usize),
    /// The threads of the [rayon] pool that the caller is in, or of rayon's global pool if it is in none. The count starts
    /// no thread. A thread that is busy with other work joins afterwards. While a thread counts a unit, it does no other
    /// work of the pool.
    Current,
}

impl From<usize> for Pool {
    fn from(threads: usize) -> Self {
        Self::Own(threads)
    }
}

impl Pool {
    /// The number of threads for a caller on this thread, from 1 to [`MAX_THREADS`].
    ///
    /// # Errors
    /// [`Error::Threads`] for a number outside `1..=MAX_THREADS`; [`Error::ThreadPool`] if rayon's global pool is needed and
    /// cannot be started.
    pub fn threads(self) -> Result<usize> {
        match self {
            Self::Own(threads @ 1..=MAX_THREADS) => Ok(threads),
            Self::Own(given) => Err(Error::Threads { given, max: MAX_THREADS }),
            Self::Current => {
                start_global_pool()?;
                Ok(rayon::current_num_threads().min(MAX_THREADS))
            }
        }
    }
}

/// Starts rayon's global pool where the caller is in no pool and needs it: rayon would start it by itself, but panic where
/// the system refuses the threads.
fn start_global_pool() -> Result<()> {
    static REFUSED: OnceLock<Option<String>> = OnceLock::new();
    // WebAssembly has no threads, and there rayon makes a pool of the calling one: only if nobody else starts a pool.
    if rayon::current_thread_index().is_some() || cfg!(target_family = "wasm") {
        return Ok(());
    }
    // An error without a cause says that the pool was there already.
    let start = || rayon::ThreadPoolBuilder::new().build_global().err().and_then(|e| e.source().map(|e| e.to_string()));
    match REFUSED.get_or_init(start) {
        None => Ok(()),
        Some(reason) => Err(Error::ThreadPool { threads: default_threads(), reason: reason.clone() }),
    }
}

/// Counts `units` of `plan` and returns the sum of their tallies, which is the same for any number of threads.
///
/// # Errors
/// Those of [`for_each`], and [`Error::Overflow`] if the sum does not fit 128 bits.
pub fn run(
    plan: &dyn Plan,
    units: &[usize],
    pool: impl Into<Pool>,
    cancel: &CancelToken,
    monitor: &Monitor,
) -> Result<Total> {
    let mut total = Total::default();
    for_each(plan, units, pool, cancel, monitor, |_, tally| total.add(tally))?;
    Ok(total)
}

/// As [`run`], until a deadline, if there is one. A thread that does nothing else waits for it.
///
/// # Errors
/// Those of [`run`]; [`Error::Deadline`] where not every unit was counted until then.
pub(crate) fn run_until(
    deadline: Option<Instant>,
    plan: &dyn Plan,
    units: &[usize],
    pool: Pool,
    cancel: &CancelToken,
    monitor: &Monitor,
) -> Result<Total> {
    let Some(deadline) = deadline else { return run(plan, units, pool, cancel, monitor) };
    let stop = cancel.child();
    let (done, wait) = channel::<()>();
    let result = std::thread::scope(|scope| {
        let stop = &stop;
        let watch = move || {
            let left = deadline.saturating_duration_since(Instant::now());
            if wait.recv_timeout(left) == Err(RecvTimeoutError::Timeout) {
                stop.cancel();
            }
        };
        std::thread::Builder::new()
            .spawn_scoped(scope, watch)
            .map_err(|error| Error::ThreadPool { threads: 1, reason: error.to_string() })?;
        // Dropped when the count ends, however it does: the thread need not wait any longer.
        let _done = done;
        run(plan, units, pool, stop, monitor)
    });
    match result {
        Err(Error::Cancelled { units_done, units, per_mille }) if !cancel.is_cancelled() => {
            Err(Error::Deadline { units_done, units, per_mille })
        }
        result => result,
    }
}

/// Counts `units` of `plan` and calls `hand_over` with each unit's number and tally as soon as it is complete.
///
/// Threads take the units in order, so put the cheapest last: then all threads are busy to the end. `hand_over` is called
/// for one unit at a time, in no particular order. The count ends if
/// - `hand_over` returns an error, which this function returns;
/// - `hand_over` panics, which this function does too once the threads have stopped;
/// - a worker panics, which is [`Error::Panic`] unless the program is built with `panic = "abort"`.
///
/// In [`Pool::Current`] `hand_over` must not wait for work of the same pool. The thread that waits could take up another
/// share of this count and wait for itself.
///
/// # Errors
/// [`Error::Cancelled`] where not every unit was counted, whoever else uses the token or the monitor;
/// [`Error::Overflow`], [`Error::Memory`], [`Error::Panic`], [`Error::Unit`], [`Error::Threads`], [`Error::ThreadPool`].
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
    let done = drain(plan, HandOut::new(plan, units), pool.into(), units.len(), cancel, monitor, hand_over)?;
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
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub struct Done {
    /// How many.
    pub units: usize,
    /// Their predicted cost.
    pub cost: f64,
}

/// Like [`for_each`], but units come from `next`, `at_most` of them: a free thread asks it until there is none, and hands
/// the tally over itself. The caller begins the monitor and decides whether the count is complete.
///
/// # Errors
/// Those of [`for_each`], but never [`Error::Cancelled`].
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
    let workers = plan.workers(threads.min(at_most.max(1)));
    match pool {
        Pool::Current => rayon::scope(|scope| job.share(workers, scope)),
        Pool::Own(_) if workers.len() <= 1 => workers.into_iter().for_each(|worker| job.work(worker)),
        // The calling thread need not wait for another to start. Where it only waited, Linux often put two of the others
        // on one core for the first milliseconds (n = 18, 2 threads: 2 % of the time).
        Pool::Own(_) => rayon::ThreadPoolBuilder::new()
            .num_threads(workers.len() - 1)
            .build()
            .map_err(|error| Error::ThreadPool { threads, reason: error.to_string() })?
            .in_place_scope(|scope| job.share(workers, scope)),
    }
    let finished = job.finished.into_inner().unwrap_or_else(PoisonError::into_inner);
    finished.result?;
    Ok(finished.done)
}

/// What the threads share.
struct Job<'a, N, F> {
    plan: &'a dyn Plan,
    /// Says which unit is next.
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

/// Says which unit a thread counts next.
#[doc(hidden)]
pub trait Source: Sync {
    /// What it remembers of a unit that a thread was given.
    type Handed: Copy;

    /// The next unit and its number, for a thread that was given `last` before.
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
    /// Has all these workers count, one of them on this thread.
    fn share<'scope>(&'scope self, workers: Vec<Box<dyn Worker + 'scope>>, scope: &rayon::Scope<'scope>) {
        let mut workers = workers.into_iter();
        let own = workers.next();
        for worker in workers {
            scope.spawn(move |_| self.work(worker));
        }
        own.into_iter().for_each(|worker| self.work(worker));
    }

    /// One thread's share: the next unit until none is left. Where `hand_over` panics the other threads stop too.
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
            // A worker that panicked counts no more: the count ends.
            let tally = catch_unwind(AssertUnwindSafe(|| worker.count(unit, &self.stop)))
                .unwrap_or_else(|panic| Err(Error::Panic { unit, message: message(&*panic) }));
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

/// What a panic said.
fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("it said nothing").to_owned()
}

/// Asks a count to stop when it goes out of scope.
struct StopOnDrop<'a>(&'a CancelToken);

impl Drop for StopOnDrop<'_> {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

#[cfg(test)]
mod tests;
