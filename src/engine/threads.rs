//! The threads that count: the calling thread and those of a rayon pool. No other part of the library starts threads.

use std::panic::resume_unwind;
use std::sync::{Mutex, PoisonError};
use std::thread;

use super::lock;
use crate::Progress;

/// The largest number of threads you can ask for.
pub const MAX_THREADS: usize = 4096;

/// Returns the default number of threads: the cores that this process may use, by affinity and quota. A quota is
/// rounded down.
#[must_use]
pub fn default_threads() -> usize {
    thread::available_parallelism().map_or(1, usize::from).min(MAX_THREADS)
}

/// Calls `work` once on each of `threads` threads. Returns the results in no particular order: fewer than `threads` if
/// the system refuses threads.
///
/// The calling thread is one of them, and the others are a rayon pool that lives as long as the call. A thread of
/// another rayon pool only waits, and all counting threads are in the new pool.
pub(super) fn on_each<R: Send>(threads: usize, progress: &Progress, work: impl Fn() -> R + Sync) -> Vec<R> {
    let is_free = threads == 1 || rayon::current_thread_index().is_none();
    let wanted = if is_free { threads - 1 } else { threads };
    let results = pool_of(wanted).and_then(|pool| {
        progress.refuse_threads(wanted - pool.current_num_threads());
        if is_free { Some(here_and_in(&pool, &work)) } else { wait_elsewhere(|| pool.broadcast(|_| work())) }
    });
    results.unwrap_or_else(|| {
        progress.refuse_threads(threads - 1);
        vec![work()]
    })
}

/// Calls `work` on this thread and on each thread of a pool. If this thread only waited, Linux would often put two
/// counting threads on one core at first.
fn here_and_in<R: Send>(pool: &rayon::ThreadPool, work: &(impl Fn() -> R + Sync)) -> Vec<R> {
    let results = Mutex::new(Vec::new());
    let add = || {
        let result = work();
        lock(&results).push(result);
    };
    pool.in_place_scope(|scope| {
        scope.spawn_broadcast(|_, _| add());
        add();
    });
    results.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// Calls `wait` on a thread of its own, and waits for that thread. A thread of a rayon pool would take other jobs of
/// its pool while it waits, and such a job could wait for a lock that this thread holds. The thread of its own does not
/// count: in `hand_over` it could wait for rayon's global pool, whose threads may all wait here. `None` if the system
/// refuses it.
fn wait_elsewhere<R: Send>(wait: impl FnOnce() -> R + Send) -> Option<R> {
    thread::scope(|scope| {
        let waiting = thread::Builder::new().spawn_scoped(scope, wait).ok()?;
        Some(waiting.join().unwrap_or_else(|panic| resume_unwind(panic)))
    })
}

/// Starts a pool of this number of threads, or of those that the system starts; `None` without a thread.
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
