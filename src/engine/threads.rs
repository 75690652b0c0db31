//! The threads that count: the calling thread and the threads of a rayon pool. No other part of the library starts
//! threads.

use std::panic::resume_unwind;
use std::sync::{Barrier, Mutex, PoisonError};
use std::thread;

use super::lock;
use crate::Progress;

/// The largest number of threads that a count may have.
pub const MAX_THREADS: usize = 4096;

/// Returns the default number of threads: the number of hardware threads that affinity and CPU quota leave to this
/// process. A quota is rounded down, to at least 1.
#[must_use]
pub fn default_threads() -> usize {
    thread::available_parallelism().map_or(1, usize::from).min(MAX_THREADS)
}

/// Calls `work` once on each of `threads` threads, and returns the results in no particular order. There are fewer
/// results if the system refuses threads.
///
/// The calling thread is one of the threads, and the others form a rayon pool that lives as long as the call. If there
/// are several and the calling thread belongs to another rayon pool, it only waits, and the new pool contains all
/// threads that work.
pub(super) fn on_each<R: Send>(threads: usize, progress: &Progress, work: impl Fn() -> R + Sync) -> Vec<R> {
    let caller_works = threads == 1 || rayon::current_thread_index().is_none();
    let wanted = if caller_works { threads - 1 } else { threads };
    let results = pool_of(wanted).and_then(|pool| {
        let started = pool.current_num_threads();
        progress.refuse_threads(wanted - started);
        // Trap: `hand_over` may give jobs to the pool while it holds its lock. If a thread took such a job before its
        // own work, it could begin this work inside the job, and wait for the lock for ever.
        let all_begin = Barrier::new(started);
        let work_in_pool = || {
            all_begin.wait();
            work()
        };
        if caller_works {
            Some(here_and_in(&pool, &work, work_in_pool))
        } else {
            wait_elsewhere(|| pool.broadcast(|_| work_in_pool()))
        }
    });
    // Without a pool, because one thread is enough or the system refuses all others, the caller works alone.
    results.unwrap_or_else(|| {
        progress.refuse_threads(threads - 1);
        vec![work()]
    })
}

/// Calls `work` on this thread, and `work_in_pool` on each thread of a pool. This thread does not just wait, because
/// Linux would then often start two of the working threads on one core.
fn here_and_in<R: Send>(pool: &rayon::ThreadPool, work: impl Fn() -> R, work_in_pool: impl Fn() -> R + Sync) -> Vec<R> {
    let results = Mutex::new(Vec::new());
    let add = |result| lock(&results).push(result);
    pool.in_place_scope(|scope| {
        scope.spawn_broadcast(|_, _| add(work_in_pool()));
        add(work());
    });
    results.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// Calls `wait` on a new thread, and waits for that thread. Returns `None` if the system refuses it.
///
/// If a thread of a rayon pool waited itself, it would take other jobs of its pool in the meantime, and such a job
/// could wait for a lock that this thread holds. The new thread must not count either: in `hand_over` it could wait for
/// rayon's global pool, all of whose threads may be waiting here.
fn wait_elsewhere<R: Send>(wait: impl FnOnce() -> R + Send) -> Option<R> {
    thread::scope(|scope| {
        let waiting = thread::Builder::new().spawn_scoped(scope, wait).ok()?;
        Some(waiting.join().unwrap_or_else(|panic| resume_unwind(panic)))
    })
}

/// Starts a rayon pool with `threads` threads, or with fewer if the system refuses some. Returns `None` if there would
/// be no thread.
fn pool_of(mut threads: usize) -> Option<rayon::ThreadPool> {
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
