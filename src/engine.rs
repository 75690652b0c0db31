//! Counts units of a plan on threads. No other part of the library starts threads that work.
//!
//! Use it for single units of a [`Plan`]. [`Counter`](crate::Counter) counts a whole board.

use std::any::Any;
use std::error::Error as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, OnceLock, PoisonError};

use crate::count::Tally;
use crate::solver::{Plan, Worker};
use crate::{CancelToken, Error, Monitor, Result};

/// The largest number of threads you can ask for.
pub const MAX_THREADS: usize = 4096;

/// The default number of threads: the cores that this process may use, by affinity and quota. A quota is rounded down.
#[must_use]
pub fn default_threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from).min(MAX_THREADS)
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

/// Counts `units` of `plan` and returns the sum of their tallies. Each thread adds up its own tallies, and the sums are
/// added when the threads end. The result does not depend on the number of threads.
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
    let cost = begin(plan, units, monitor)?;
    let add = |sum: &mut Tally, _, tally| sum.add(tally).map(|()| true);
    let done = count(plan, in_order(units), pool.into(), units.len(), &cancel.child(), monitor, add)?;
    done.complete(units.len(), cost)
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
    let cost = begin(plan, units, monitor)?;
    let done = drain(plan, in_order(units), pool.into(), units.len(), cancel, monitor, hand_over)?;
    done.complete(units.len(), cost).map(drop)
}

/// Hands out units in their order, each to the thread that asks next.
fn in_order(units: &[usize]) -> impl Fn() -> Option<usize> + Sync {
    let next = AtomicUsize::new(0);
    move || units.get(next.fetch_add(1, Relaxed)).copied()
}

/// Checks that the plan has these units, and begins the monitor. Returns their predicted cost.
fn begin(plan: &dyn Plan, units: &[usize], monitor: &Monitor) -> Result<f64> {
    if let Some(&unit) = units.iter().find(|&&unit| unit >= plan.units()) {
        return Err(Error::Unit { unit, units: plan.units() });
    }
    let cost = units.iter().map(|&unit| plan.cost(unit)).sum();
    monitor.begin(units.len(), cost);
    Ok(cost)
}

/// The units that were counted.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, Default)]
pub struct Done {
    /// Number of units.
    pub units: usize,
    /// Predicted cost of these units.
    pub cost: f64,
    /// The sum of their tallies, unless they were handed over.
    sum: Tally,
}

impl Done {
    fn add(&mut self, other: Self) -> Result<()> {
        self.units += other.units;
        self.cost += other.cost;
        self.sum.add(other.sum)
    }

    /// Returns the sum, if these are all units of a count.
    fn complete(self, units: usize, cost: f64) -> Result<Tally> {
        if self.units < units {
            let per_mille = (1000.0 * self.cost / cost) as u32;
            return Err(Error::Cancelled { units_done: self.units, units, per_mille });
        }
        Ok(self.sum)
    }
}

/// Like [`for_each`], but units come from `next`, at most `at_most` of them. The caller begins the monitor and decides
/// whether the count is complete.
///
/// # Errors
/// The errors of [`for_each`] without [`Error::Cancelled`].
#[doc(hidden)]
pub fn drain(
    plan: &dyn Plan,
    next: impl Fn() -> Option<usize> + Sync,
    pool: Pool,
    at_most: usize,
    cancel: &CancelToken,
    monitor: &Monitor,
    hand_over: impl FnMut(usize, Tally) -> Result<()> + Send,
) -> Result<Done> {
    let (stop, hand_over) = (cancel.child(), Mutex::new(hand_over));
    let take = |_: &mut Tally, unit, tally| {
        // A panic of `hand_over` poisons the lock before it stops the other threads.
        let Ok(mut hand_over) = hand_over.lock() else { return Ok(false) };
        // Another thread may have stopped the count while this one waited for the lock.
        if stop.is_cancelled() {
            return Ok(false);
        }
        // After an error it is not called again.
        hand_over(unit, tally).inspect_err(|_| stop.cancel()).map(|()| true)
    };
    count(plan, next, pool, at_most, &stop, monitor, take)
}

/// Counts the units of `next`. `take` takes each tally from the thread that counted it. It gets the thread's own sum
/// too, and returns `false` if the tally must not count. An error, or a panic of `take`, cancels `stop`.
fn count(
    plan: &dyn Plan,
    next: impl Fn() -> Option<usize> + Sync,
    pool: Pool,
    at_most: usize,
    stop: &CancelToken,
    monitor: &Monitor,
    take: impl Fn(&mut Tally, usize, Tally) -> Result<bool> + Sync,
) -> Result<Done> {
    let asked = pool.threads()?.min(at_most.max(1));
    let mut workers = plan.workers(asked);
    if workers.len() != asked {
        return Err(Error::Workers { asked, made: workers.len() });
    }
    let job = Job { plan, next, stop, monitor, take, done: Mutex::new(Ok(Done::default())) };
    match pool {
        Pool::Current => rayon::scope(|scope| job.share(workers, scope)),
        Pool::Own(_) | Pool::UpTo(_) => {
            let threads = start_threads(asked - 1, matches!(pool, Pool::UpTo(_)))?;
            workers.truncate(1 + threads.as_ref().map_or(0, rayon::ThreadPool::current_num_threads));
            monitor.refuse_threads(asked - workers.len());
            match threads {
                // The calling thread counts too. If it only waited, Linux would often put two counting threads on one
                // core at first.
                Some(threads) => threads.in_place_scope(|scope| job.share(workers, scope)),
                None => workers.into_iter().for_each(|worker| job.work(worker)),
            }
        }
    }
    job.done.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// Starts a pool of threads; `None` for no thread. If fewer are enough, it has the threads that the system starts.
fn start_threads(wanted: usize, fewer_are_enough: bool) -> Result<Option<rayon::ThreadPool>> {
    let mut threads = wanted;
    while threads > 0 {
        let mut started = 0;
        let start = |thread: rayon::ThreadBuilder| {
            std::thread::Builder::new().spawn(|| thread.run())?;
            started += 1;
            Ok(())
        };
        match rayon::ThreadPoolBuilder::new().num_threads(threads).spawn_handler(start).build() {
            Ok(pool) => return Ok(Some(pool)),
            Err(_) if fewer_are_enough => threads = started.min(threads - 1),
            Err(error) => return Err(Error::ThreadPool { threads: wanted + 1, reason: error.to_string() }),
        }
    }
    Ok(None)
}

/// Data that the threads of a count share.
struct Job<'a, N, T> {
    plan: &'a dyn Plan,
    /// Chooses the next unit.
    next: N,
    /// A thread that meets an error cancels it, so that the others stop too.
    stop: &'a CancelToken,
    monitor: &'a Monitor,
    /// Takes the tallies.
    take: T,
    /// What the threads that have ended did, or the first error. The count is complete if these are all units. The
    /// monitor does not decide it.
    done: Mutex<Result<Done>>,
}

impl<N: Fn() -> Option<usize> + Sync, T: Fn(&mut Tally, usize, Tally) -> Result<bool> + Sync> Job<'_, N, T> {
    /// Counts with all these workers, the first of them on this thread.
    fn share<'scope>(&'scope self, workers: Vec<Box<dyn Worker + 'scope>>, scope: &rayon::Scope<'scope>) {
        let mut workers = workers.into_iter();
        let own = workers.next();
        for worker in workers {
            scope.spawn(move |_| self.work(worker));
        }
        own.into_iter().for_each(|worker| self.work(worker));
    }

    /// Counts on one thread until no unit is left, then adds its sum to those of the other threads. If `take` panics,
    /// the other threads stop too.
    fn work(&self, worker: Box<dyn Worker + '_>) {
        let stop = StopOnDrop(self.stop);
        let counted = self.count(worker);
        let mut done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        if let Ok(sum) = &mut *done
            && let Err(error) = counted.and_then(|counted| sum.add(counted))
        {
            *done = Err(error);
        }
        // This thread did not panic, so the others go on.
        std::mem::forget(stop);
    }

    fn count(&self, mut worker: Box<dyn Worker + '_>) -> Result<Done> {
        let mut done = Done::default();
        while !self.stop.is_cancelled()
            && let Some(unit) = (self.next)()
        {
            // After a panic the worker is not used again, because the count ends.
            let tally = catch_unwind(AssertUnwindSafe(|| worker.count(unit, self.stop)))
                .unwrap_or_else(|panic| Err(Error::Panic { unit, message: message(&*panic) }));
            // A unit that was stopped has an incomplete tally.
            if self.stop.is_cancelled() {
                break;
            }
            let taken = tally.and_then(|tally| (self.take)(&mut done.sum, unit, tally));
            if !taken.inspect_err(|_| self.stop.cancel())? {
                break;
            }
            done.units += 1;
            done.cost += self.plan.cost(unit);
            self.monitor.finish_unit(self.plan.cost(unit));
        }
        Ok(done)
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
