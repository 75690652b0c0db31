//! Units counted on threads of the engine and of the caller. `tests/it/pools.rs` has counts in pools, errors and panics.

use std::collections::HashSet;
use std::sync::Barrier;
use std::thread::ThreadId;

use super::*;
use crate::altered::Altered;
use crate::board::Size;
use crate::registry;
use crate::solver::Isa;

/// The reference's plan. For n = 8 it has eight units.
fn plan(n: usize) -> Box<dyn Plan> {
    registry::reference().plan(Size::new(n).unwrap(), Isa::Portable, &CancelToken::new()).unwrap()
}

/// Calls `hand_over` for units of a plan on some threads.
fn for_each(
    plan: &dyn Plan,
    units: &[usize],
    threads: Threads,
    hand_over: impl FnMut(usize, Tally) -> Result<()> + Send,
) -> Result<()> {
    plan.count().units(units.iter().copied()).threads(threads).for_each(hand_over)
}

fn run(plan: &dyn Plan, units: &[usize], threads: impl Into<Threads>) -> Result<Tally> {
    plan.count().units(units.iter().copied()).threads(threads).run()
}

fn pool_of(threads: usize) -> rayon::ThreadPool {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap()
}

/// Calls `test` with each kind of pool of 1, 2 and 7 threads, on a thread of a rayon pool.
fn in_each_pool(mut test: impl FnMut(Threads) + Send) {
    for threads in [1, 2, 7] {
        let pool = pool_of(threads);
        for counts in [Threads::Own(threads), Threads::Current] {
            pool.install(|| test(counts));
        }
    }
}

#[test]
#[cfg_attr(target_family = "wasm", ignore = "it has no threads")]
fn every_unit_is_handed_over_once_until_an_error_or_the_token_ends_the_count() {
    let (plan, units) = (plan(8), [0, 1, 2, 3, 4, 5, 6, 7]);
    in_each_pool(|pool| {
        let mut handed = Vec::new();
        let counted = for_each(&*plan, &units, pool, |unit, _| {
            handed.push(unit);
            Ok(())
        });
        handed.sort_unstable();
        assert_eq!((counted, &handed[..]), (Ok(()), &units[..]), "{pool:?}");
        let (mut calls, cancel) = (0, CancelToken::new());
        let ended = for_each(&*plan, &units, pool, |_, _| {
            calls += 1;
            Err(Error::overflow(128))
        });
        assert_eq!((ended, calls), (Err(Error::overflow(128)), 1), "{pool:?}");
        let count = plan.count().threads(pool).cancelled_by(&cancel);
        let cancelled = count.for_each(|_, _| {
            calls += 1;
            if calls == 5 {
                cancel.cancel();
            }
            Ok(())
        });
        assert_eq!((cancelled, calls), (Err(Error::Cancelled { units_done: 4, units: 8 }), 5), "{pool:?}");
    });
}

#[test]
#[cfg_attr(target_family = "wasm", ignore = "it has no threads")]
fn units_and_threads_that_do_not_exist_are_errors() {
    let plan = plan(8);
    let run = |unit, threads: usize| run(&*plan, &[unit], threads);
    assert_eq!(run(0, MAX_THREADS).unwrap().solutions, 4);
    assert_eq!(run(8, 1), Err(Error::Unit { unit: 8, units: 8 }));
    for given in [0, MAX_THREADS + 1] {
        assert_eq!(run(0, given), Err(Error::Threads { given, max: MAX_THREADS }));
    }
    assert_eq!(default_threads(), std::thread::available_parallelism().unwrap().get().min(MAX_THREADS));
}

#[test]
#[cfg_attr(target_family = "wasm", ignore = "it has no threads")]
fn another_number_of_workers_than_threads_is_an_error() {
    let mut plan = Altered::tallies(plan(8), |_, _| Ok(()));
    for made in [0, 1, 3] {
        plan.workers = Some(made);
        let counted = run(&plan, &[0, 1], 2);
        let problem = format!("the plan made {made} workers for 2 threads");
        assert_eq!(counted, Err(Error::Bug { unit: None, problem }));
    }
}

#[test]
#[cfg_attr(target_family = "wasm", ignore = "it has no threads")]
fn in_the_callers_pool_its_threads_count_all_of_them_and_no_others() {
    for threads in [1, 3] {
        let (pool, seen, barrier) = (pool_of(threads), Mutex::<HashSet<ThreadId>>::default(), Barrier::new(threads));
        let plan = Altered::new(plan(9), |_, _, _| {
            // All of them are at a unit at once.
            barrier.wait();
            seen.lock().unwrap().insert(std::thread::current().id());
            Ok(Tally { solutions: 1, ..Tally::default() })
        });
        let progress = Progress::new();
        let count = <dyn Plan>::count(&plan).threads(Threads::Current).progress(&progress);
        let counted = pool.install(|| count.run()).unwrap();
        assert_eq!((counted.solutions, progress.snapshot().fraction), (9, 1.0));
        let of_the_pool: HashSet<ThreadId> = pool.broadcast(|_| std::thread::current().id()).into_iter().collect();
        assert_eq!(*seen.lock().unwrap(), of_the_pool);
    }
}

/// Also after a panic the thread counts with its pool again.
#[test]
#[cfg_attr(target_family = "wasm", ignore = "it has no threads")]
fn a_count_inside_a_count_of_the_pool_has_one_thread() {
    let plan = plan(8);
    let for_each = |pool: Threads, hand_over: &mut (dyn FnMut() + Send)| {
        for_each(&*plan, &[0, 1, 2], pool, |_, _| {
            hand_over();
            Ok(())
        })
    };
    assert_eq!(Threads::Current.number(), Ok(1), "outside of a pool");
    pool_of(3).install(|| {
        for_each(Threads::Current, &mut || assert_eq!(Threads::Current.number(), Ok(1))).unwrap();
        for_each(Threads::Own(1), &mut || assert_eq!(Threads::Current.number(), Ok(3))).unwrap();
        let mut panics = || resume_unwind(Box::new("the caller's"));
        assert!(catch_unwind(AssertUnwindSafe(|| for_each(Threads::Current, &mut panics))).is_err());
        assert_eq!(rayon::broadcast(|_| Threads::Current.number()), [Ok(3), Ok(3), Ok(3)]);
    });
}

#[test]
fn the_message_of_a_panic_is_its_text() {
    let says = |panic: &(dyn Any + Send)| panicked(3, panic).to_string();
    let end = ": the solver has a bug, or the machine is faulty";
    assert_eq!(says(&"constant"), format!("unit of work 3: the solver panicked (constant){end}"));
    assert_eq!(says(&String::from("formatted")), format!("unit of work 3: the solver panicked (formatted){end}"));
    assert_eq!(says(&8), format!("unit of work 3: the solver panicked (without a message){end}"));
}
