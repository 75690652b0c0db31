//! The threads that count. No other part of the library starts threads that work.

use std::cell::Cell;
use std::panic::resume_unwind;
use std::sync::Barrier;
use std::thread;

use crate::{Error, Progress, Result};

/// The largest number of threads you can ask for.
pub const MAX_THREADS: usize = 4096;

/// The default number of threads: the cores that this process may use, by affinity and quota. A quota is rounded down.
#[must_use]
pub fn default_threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from).min(MAX_THREADS)
}

/// The threads that count. A number `t` converts into `Threads::Own(t)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Threads {
    /// The number of threads. The calling thread is one of them, unless it belongs to a rayon pool. Then it waits, and takes
    /// no other job of that pool until the count ends. The others live as long as the count. Where the system refuses
    /// threads, the count goes on with fewer: [`Snapshot`](crate::Snapshot) says how many it refused.
    Own(usize),
    /// The threads of the [rayon] pool in which the count begins, or the calling thread alone if it is in no pool. The
    /// count starts no thread. A busy thread joins when its other work is done. A thread that counts a unit does no
    /// other work meanwhile.
    ///
    /// While the calling thread waits for the others, it may take other jobs of the pool. So do not hold a lock that
    /// such a job needs. If such a job or `hand_over` counts with [`Threads::Current`], it counts on its thread alone.
    ///
    /// ```
    /// use nqueens::{Counter, Threads};
    ///
    /// let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
    /// let counter = Counter::new(12)?.threads(Threads::Current);
    /// let outcome = pool.install(|| counter.run())?;
    /// assert_eq!((outcome.solutions, outcome.threads), (14_200, 3));
    /// # Ok::<(), nqueens::Error>(())
    /// ```
    Current,
}

impl From<usize> for Threads {
    fn from(threads: usize) -> Self {
        Self::Own(threads)
    }
}

impl Threads {
    /// Returns the most threads, from 1 to [`MAX_THREADS`], of a count that begins on this thread.
    ///
    /// # Errors
    /// [`Error::Threads`] for a number outside `1..=MAX_THREADS`.
    pub fn number(self) -> Result<usize> {
        match self {
            Self::Own(threads @ 1..=MAX_THREADS) => Ok(threads),
            Self::Own(given) => Err(Error::Threads { given, max: MAX_THREADS }),
            // Outside a pool rayon would start its global pool, and would panic if the system refuses threads. Inside a
            // count of the pool, `hand_over` must not wait for the pool, and a long chain of counts inside counts would
            // overflow the stack.
            Self::Current if rayon::current_thread_index().is_none() || IS_IN_COUNT.get() => Ok(1),
            Self::Current => Ok(rayon::current_num_threads().min(MAX_THREADS)),
        }
    }

    /// Calls `work` on this number of threads, once on each, or on fewer if the system refuses threads.
    pub(super) fn call(self, times: usize, progress: &Progress, work: &(impl Fn() + Sync)) {
        if times == 1 {
            return work();
        }
        if self == Self::Current {
            return share(None, times - 1, work, work);
        }
        // A thread without a pool counts, too. If it only waited, Linux would often put two counting threads on one core at
        // first: n = 16 would take a quarter longer.
        let is_free = rayon::current_thread_index().is_none();
        let wanted = times - usize::from(is_free);
        let Some(pool) = start_threads(wanted) else {
            progress.refuse_threads(times - 1);
            return work();
        };
        let started = pool.current_num_threads();
        progress.refuse_threads(wanted - started);
        // No thread counts before all have begun, so each begins once: a thread that waits for rayon in `hand_over` runs
        // what others have not begun, and a thread that helps it could count a unit and wait for it.
        let barrier = Barrier::new(started);
        let together = || {
            barrier.wait();
            work();
        };
        if is_free {
            return share(Some(&pool), started, work, &together);
        }
        // This thread belongs to another pool, and would take jobs of that pool while it waits. Such a job could wait for a
        // lock that this thread holds, or begin another count, until the stack overflows. So another thread waits in its
        // place. That thread does not count: in `hand_over` it would wait for rayon's global pool, whose threads may all wait
        // here.
        thread::scope(|scope| {
            let wait = || share(Some(&pool), started, &|| (), &together);
            if let Ok(waiting) = thread::Builder::new().spawn_scoped(scope, wait) {
                waiting.join().unwrap_or_else(|panic| resume_unwind(panic));
            } else {
                progress.refuse_threads(times - 1);
                work();
            }
        });
    }
}

/// Calls `here` on this thread, and `there` a number of times on threads of `pool` or, without one, of this thread's pool.
fn share(pool: Option<&rayon::ThreadPool>, times: usize, here: &impl Fn(), there: &(impl Fn() + Sync)) {
    fn begin<'scope>(scope: &rayon::Scope<'scope>, times: usize, there: &'scope (impl Fn() + Sync)) {
        for _ in 0..times {
            scope.spawn(move |_| {
                let _count = InCount::begin();
                there();
            });
        }
    }
    let _count = InCount::begin();
    match pool {
        Some(pool) => pool.in_place_scope(|scope| {
            begin(scope, times, there);
            here();
        }),
        None => rayon::in_place_scope(|scope| {
            begin(scope, times, there);
            here();
        }),
    }
}

thread_local! {
    /// Whether this thread counts with other threads of a pool, or waits for them.
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

/// Starts a pool with this number of threads, or those that the system starts; `None` for no thread.
fn start_threads(mut threads: usize) -> Option<rayon::ThreadPool> {
    while threads > 0 {
        let mut started = 0;
        let start = |thread: rayon::ThreadBuilder| {
            thread::Builder::new().spawn(|| thread.run())?;
            started += 1;
            Ok(())
        };
        match rayon::ThreadPoolBuilder::new().num_threads(threads).spawn_handler(start).build() {
            Ok(pool) => return Some(pool),
            Err(_) => threads = started.min(threads - 1),
        }
    }
    None
}
