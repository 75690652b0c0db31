//! Counts units of a plan on threads. No other part of the library starts threads that work.
//!
//! Rayon only holds the threads. An atomic counter hands out the units, because their order matters: the cheapest are
//! last. Each thread has one worker, and adds up its own count. `par_iter` would divide the units into ranges instead.
//!
//! Use it for single units of a [`Plan`]. [`Counter`](crate::Counter) counts a whole board.

use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError, mpsc};
use std::thread;

use crate::solver::{Plan, Worker};
use crate::tally::Tally;
use crate::{CancelToken, Error, Progress, Result};

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
    /// The number of threads. The calling thread is one of them; the others live as long as the count. If the calling
    /// thread belongs to a rayon pool, it takes no other job of that pool until the count ends.
    Own(usize),
    /// Like [`Pool::Own`], but the calling thread is enough: where the system refuses threads, the count goes on with
    /// those it starts. [`Snapshot`](crate::Snapshot) says how many it refused.
    UpTo(usize),
    /// The threads of the [rayon] pool in which the count begins, or the calling thread alone if it is in no pool. The
    /// count starts no thread. A busy thread joins when its other work is done. A thread that counts a unit does no
    /// other work meanwhile.
    ///
    /// While the calling thread waits for the others, it may take other jobs of the pool. So do not hold a lock that
    /// such a job needs. If such a job or `hand_over` counts with [`Pool::Current`], it counts on its thread alone.
    ///
    /// ```
    /// use nqueens::{Counter, engine::Pool};
    ///
    /// let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
    /// let counter = Counter::new(12)?.threads(Pool::Current);
    /// let outcome = pool.install(|| counter.run())?;
    /// assert_eq!((outcome.solutions, outcome.threads), (14_200, 3));
    /// # Ok::<(), nqueens::Error>(())
    /// ```
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
    /// [`Error::Threads`] for a number outside `1..=MAX_THREADS`.
    pub fn threads(self) -> Result<usize> {
        match self {
            Self::Own(threads @ 1..=MAX_THREADS) | Self::UpTo(threads @ 1..=MAX_THREADS) => Ok(threads),
            Self::Own(given) | Self::UpTo(given) => Err(Error::Threads { given, max: MAX_THREADS }),
            // Outside a pool rayon would start its global pool, and would panic if the system refuses threads. Inside a
            // count of the pool, `hand_over` must not wait for the pool, and a long chain of counts inside counts would
            // overflow the stack.
            Self::Current if rayon::current_thread_index().is_none() || IS_IN_COUNT.get() => Ok(1),
            Self::Current => Ok(rayon::current_num_threads().min(MAX_THREADS)),
        }
    }
}

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
    progress: &Progress,
) -> Result<Tally> {
    run_counted(plan, units, pool.into(), cancel, progress).map(|counted| counted.sum)
}

/// Like [`run`]. Returns the number of threads too.
pub(crate) fn run_counted(
    plan: &dyn Plan,
    units: &[usize],
    pool: Pool,
    cancel: &CancelToken,
    progress: &Progress,
) -> Result<Counted> {
    begin(plan, units, progress)?;
    let add = |sum: &mut Tally, _, tally| sum.add(tally).map(|()| true);
    let counted = count(plan, in_order(units), pool, units.len(), &cancel.child(), progress, add)?;
    complete(counted, units.len())
}

/// Counts `units` of `plan` and calls `hand_over` with each unit's number and tally as soon as it is complete.
///
/// Threads take the units in order. Put the cheapest units last, so that all threads are busy to the end. `hand_over`
/// is called for one unit at a time, in no particular order. The count ends if
/// - `hand_over` returns an error, which this function returns;
/// - `hand_over` panics. Then it is not called again, and this function panics too, after the threads have stopped;
/// - a worker panics. Then this function returns [`Error::Panic`], unless the program is built with `panic = "abort"`.
///
/// `hand_over` may begin other counts. With [`Pool::Current`], `hand_over` must not wait for other work of that pool. The
/// waiting thread could join this count again and wait for itself.
///
/// # Errors
/// [`Error::Cancelled`] if `cancel` stopped the count before every unit was counted; [`Error::Overflow`],
/// [`Error::Tally`], [`Error::Memory`], [`Error::Panic`], [`Error::Workers`], [`Error::Unit`], [`Error::Threads`],
/// [`Error::ThreadPool`].
pub fn for_each(
    plan: &dyn Plan,
    units: &[usize],
    pool: impl Into<Pool>,
    cancel: &CancelToken,
    progress: &Progress,
    hand_over: impl FnMut(usize, Tally) -> Result<()> + Send,
) -> Result<()> {
    begin(plan, units, progress)?;
    let counted = drain(plan, in_order(units), pool.into(), units.len(), cancel, progress, hand_over)?;
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

/// Like [`for_each`], but units come from `next`, at most `at_most` of them. The caller begins `progress` and decides
/// whether the count is complete.
///
/// # Errors
/// The errors of [`for_each`] without [`Error::Cancelled`].
pub fn drain(
    plan: &dyn Plan,
    next: impl Fn() -> Option<usize> + Sync,
    pool: Pool,
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
        hand_over(unit, tally).inspect_err(|_| stop.cancel()).map(|()| true)
    };
    count(plan, next, pool, at_most, &stop, progress, take)
}

/// Counts the units of `next`. The sum is what `take` made of them.
///
/// `take` takes each tally from the thread that counted it. It gets the thread's own sum too, and returns `false` if the
/// tally must not count. An error, or a panic of `take`, cancels `stop`.
fn count(
    plan: &dyn Plan,
    next: impl Fn() -> Option<usize> + Sync,
    pool: Pool,
    at_most: usize,
    stop: &CancelToken,
    progress: &Progress,
    take: impl Fn(&mut Tally, usize, Tally) -> Result<bool> + Sync,
) -> Result<Counted> {
    let asked = pool.threads()?.min(at_most.max(1));
    let workers = plan.workers(asked);
    if workers.len() != asked {
        return Err(Error::Workers { asked, made: workers.len() });
    }
    // Each thread takes one.
    let workers = Mutex::new(workers.into_iter());
    // What the threads that have ended did, or the first error. The count is complete if these are all units. The
    // progress does not decide it.
    let done = Mutex::new(Ok((0, Tally::default())));
    // Counts with the next worker.
    let work = || {
        let Some(worker) = lock(&workers).next() else { return };
        let counted = catch_unwind(AssertUnwindSafe(|| count_on_thread(plan, worker, &next, stop, progress, &take)));
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
    match pool {
        _ if asked == 1 => work(),
        Pool::Current => work_in_current_pool(asked, &work),
        Pool::Own(_) => work_on_own_threads(asked, false, progress, &work)?,
        Pool::UpTo(_) => work_on_own_threads(asked, true, progress, &work)?,
    }
    let left = lock(&workers).len();
    let (units, sum) = done.into_inner().unwrap_or_else(PoisonError::into_inner)?;
    Ok(Counted { units, threads: asked - left, sum })
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Calls `work` on this thread and on threads that it starts: `times` times in all, or fewer times if fewer are enough
/// and the system refuses threads.
///
/// This thread works too. If it only waited, Linux would often put two counting threads on one core at first.
///
/// # Errors
/// [`Error::ThreadPool`]. Then `work` is not called.
fn work_on_own_threads(
    times: usize,
    fewer_are_enough: bool,
    progress: &Progress,
    work: &(impl Fn() + Sync),
) -> Result<()> {
    let start = || {
        let threads = start_threads(times - 1, fewer_are_enough)?;
        let started = threads.as_ref().map_or(0, rayon::ThreadPool::current_num_threads);
        progress.refuse_threads(times - 1 - started);
        Ok::<_, Error>(threads)
    };
    // A broadcast calls `work` once on each thread. A thread that waits for rayon in `hand_over` could take a spawned
    // job of another thread, count a unit and wait for itself.
    if rayon::current_thread_index().is_none() {
        match start()? {
            None => work(),
            Some(threads) => threads.in_place_scope(|scope| {
                scope.spawn_broadcast(|_, _| work());
                work();
            }),
        }
        return Ok(());
    }
    // This thread belongs to another pool. In the scope it would take jobs of its pool while it waits. Such a job could
    // wait for a lock that this thread holds, or begin another count, until the stack overflows. So a thread without a
    // pool waits in the scope, and this thread waits for that thread.
    thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel::<rayon::ThreadPool>();
        let wait = move || {
            for threads in receiver {
                threads.in_place_scope(|scope| scope.spawn_broadcast(|_, _| work()));
            }
        };
        match thread::Builder::new().spawn_scoped(scope, wait) {
            Ok(waiting) => {
                // To send cannot fail: the receiver lives until the sender is gone.
                let _ = start()?.map(|threads| sender.send(threads));
                drop(sender);
                work();
                waiting.join().unwrap_or_else(|panic| resume_unwind(panic));
            }
            Err(_) if fewer_are_enough => {
                progress.refuse_threads(times - 1);
                work();
            }
            Err(error) => return Err(refused(times, &error)),
        }
        Ok(())
    })
}

/// Calls `work` on this thread, and on other threads of its pool when they are free: `times` times in all.
fn work_in_current_pool(times: usize, work: &(impl Fn() + Sync)) {
    let _count = InCount::begin();
    rayon::in_place_scope(|scope| {
        for _ in 1..times {
            scope.spawn(|_| {
                let _count = InCount::begin();
                work();
            });
        }
        work();
    });
}

thread_local! {
    /// Whether this thread counts with [`Pool::Current`], or waits for other threads in such a count.
    static IS_IN_COUNT: Cell<bool> = const { Cell::new(false) };
}

/// While it lives, [`IS_IN_COUNT`] is true. Then it has its former value again.
struct InCount {
    was_in_count: bool,
}

impl InCount {
    fn begin() -> Self {
        Self { was_in_count: IS_IN_COUNT.replace(true) }
    }
}

impl Drop for InCount {
    fn drop(&mut self) {
        IS_IN_COUNT.set(self.was_in_count);
    }
}

/// Counts on one thread until no unit is left.
fn count_on_thread(
    plan: &dyn Plan,
    mut worker: Box<dyn Worker + '_>,
    next: &impl Fn() -> Option<usize>,
    stop: &CancelToken,
    progress: &Progress,
    take: &impl Fn(&mut Tally, usize, Tally) -> Result<bool>,
) -> Result<(usize, Tally)> {
    let (mut units, mut sum) = (0, Tally::default());
    while !stop.is_cancelled()
        && let Some(unit) = next()
    {
        // After a panic the worker is not used again, because the count ends.
        let tally = catch_unwind(AssertUnwindSafe(|| worker.count(unit, stop)))
            .unwrap_or_else(|panic| Err(Error::Panic { unit, message: message(&*panic) }));
        if stop.is_cancelled() && matches!(tally, Err(Error::Cancelled { .. })) {
            break;
        }
        let taken = tally.and_then(|tally| check(plan, unit, tally)).and_then(|tally| take(&mut sum, unit, tally));
        if !taken.inspect_err(|_| stop.cancel())? {
            break;
        }
        units += 1;
        progress.finish_unit(plan.cost(unit));
    }
    Ok((units, sum))
}

/// Passes a tally that its unit's divisor divides.
fn check(plan: &dyn Plan, unit: usize, tally: Tally) -> Result<Tally> {
    let (divisor, solutions) = (plan.tally_divisor(unit), tally.solutions);
    if solutions.is_multiple_of(u128::from(divisor)) {
        Ok(tally)
    } else {
        Err(Error::Tally { unit, tally: solutions, divisor })
    }
}

/// Starts a pool of threads; `None` for no thread. If fewer are enough, it has the threads that the system starts.
fn start_threads(wanted: usize, fewer_are_enough: bool) -> Result<Option<rayon::ThreadPool>> {
    let mut threads = wanted;
    while threads > 0 {
        let mut started = 0;
        let start = |thread: rayon::ThreadBuilder| {
            thread::Builder::new().spawn(|| thread.run())?;
            started += 1;
            Ok(())
        };
        match rayon::ThreadPoolBuilder::new().num_threads(threads).spawn_handler(start).build() {
            Ok(pool) => return Ok(Some(pool)),
            Err(_) if fewer_are_enough => threads = started.min(threads - 1),
            Err(error) => return Err(refused(wanted + 1, &error)),
        }
    }
    Ok(None)
}

fn refused(threads: usize, error: &impl ToString) -> Error {
    Error::ThreadPool { threads, reason: error.to_string() }
}

/// Returns the message of a panic.
fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("it said nothing").to_owned()
}

#[cfg(test)]
mod tests;
