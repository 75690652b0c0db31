//! The threads that count: the calling thread and those of a rayon pool. No other part of the library starts threads.

use std::panic::resume_unwind;
use std::sync::{Mutex, PoisonError};
use std::thread;

use super::lock;
use crate::Progress;

/// The largest number of threads you can ask for.
pub const MAX_THREADS: usize = 4096;

/// Returns the default number of threads: the cores that this process may use, by affinity and quota. A quota is rounded
/// down.
#[must_use]
pub fn default_threads() -> usize {
    thread::available_parallelism().map_or(1, usize::from).min(MAX_THREADS)
}

/// Calls `work` once on each of `threads` threads, which are the calling thread and those of a rayon pool that lives as long
/// as the call. Returns the results in no particular order: fewer than `threads` if the system refuses threads.
pub(super) fn on_each<R: Send>(threads: usize, progress: &Progress, work: impl Fn() -> R + Sync) -> Vec<R> {
    let Some(pool) = pool_of(threads - 1) else {
        progress.refuse_threads(threads - 1);
        return vec![work()];
    };
    progress.refuse_threads(threads - 1 - pool.current_num_threads());
    let results = Mutex::new(Vec::new());
    let add = || {
        let result = work();
        lock(&results).push(result);
    };
    // The calling thread counts, too. If it only waited, Linux would often put two counting threads on one core at first.
    let count = || {
        pool.in_place_scope(|scope| {
            scope.spawn_broadcast(|_, _| add());
            add();
        });
    };
    if rayon::current_thread_index().is_none() {
        count();
    } else if call_elsewhere(&count).is_none() {
        progress.refuse_threads(threads - 1);
        add();
    }
    results.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// Calls `count` on a thread of its own, and waits for it. A thread of a rayon pool would take other jobs of its pool while it
/// waits, and such a job could wait for a lock that this thread holds. `None` if the system refuses the thread.
fn call_elsewhere(count: &(impl Fn() + Sync)) -> Option<()> {
    thread::scope(|scope| {
        let counting = thread::Builder::new().spawn_scoped(scope, count).ok()?;
        counting.join().unwrap_or_else(|panic| resume_unwind(panic));
        Some(())
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
