//! Tests of counts on threads. `tests/it/pools.rs` tests counts in rayon pools, errors and panics.

use std::collections::HashSet;
use std::sync::Barrier;

use super::*;
use crate::altered::Altered;
use crate::board::Size;
use crate::registry;
use crate::solver::Isa;

/// Returns the plan of the reference, which has eight units for n = 8.
fn plan(n: usize) -> Box<dyn Plan> {
    registry::ARRAYS.plan(Size::new(n).unwrap(), Isa::Portable, &CancelToken::new()).unwrap()
}

/// Counts units of a plan on some threads, and hands each one over.
fn for_each(
    plan: &dyn Plan,
    units: &[usize],
    threads: usize,
    hand_over: impl FnMut(usize, Tally) -> Result<()> + Send,
) -> Result<()> {
    plan.count().units(units.iter().copied()).threads(threads).for_each(hand_over)
}

fn run(plan: &dyn Plan, units: &[usize], threads: usize) -> Result<Tally> {
    plan.count().units(units.iter().copied()).threads(threads).run()
}

/// Calls `test` with 1, 2 and 7 threads, outside and inside a rayon pool.
fn with_threads(mut test: impl FnMut(usize) + Send) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    for threads in [1, 2, 7] {
        test(threads);
        pool.install(|| test(threads));
    }
}

#[test]
#[cfg_attr(target_family = "wasm", ignore = "it has no threads")]
fn every_unit_is_handed_over_once_until_an_error_or_the_token_ends_the_count() {
    let (plan, units) = (plan(8), [0, 1, 2, 3, 4, 5, 6, 7]);
    with_threads(|threads| {
        let mut handed = Vec::new();
        let counted = for_each(&*plan, &units, threads, |unit, _| {
            handed.push(unit);
            Ok(())
        });
        handed.sort_unstable();
        assert_eq!((counted, &handed[..]), (Ok(()), &units[..]), "{threads} threads");
        let (mut calls, cancel) = (0, CancelToken::new());
        let ended = for_each(&*plan, &units, threads, |_, _| {
            calls += 1;
            Err(Error::overflow(128))
        });
        assert_eq!((ended, calls), (Err(Error::overflow(128)), 1), "{threads} threads");
        // `hand_over` began another count, which was stopped.
        let of_another = Error::Cancelled { units_done: 5, units: 9 };
        let ended = for_each(&*plan, &units, threads, |_, _| Err(of_another.clone()));
        assert_eq!(ended, Err(Error::Cancelled { units_done: 0, units: 8 }), "{threads} threads");
        let count = plan.count().threads(threads).cancelled_by(&cancel);
        let cancelled = count.for_each(|_, _| {
            calls += 1;
            if calls == 5 {
                cancel.cancel();
            }
            Ok(())
        });
        assert_eq!((cancelled, calls), (Err(Error::Cancelled { units_done: 4, units: 8 }), 5), "{threads} threads");
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
fn the_calling_thread_counts_with_the_others_unless_it_belongs_to_a_pool() {
    let caller_counts = |threads: usize| {
        let (seen, barrier) = (Mutex::<HashSet<_>>::default(), Barrier::new(threads));
        let plan = Altered::new(plan(9), |_, _, _| {
            // Waits until every thread counts a unit.
            barrier.wait();
            lock(&seen).insert(std::thread::current().id());
            Ok(Tally { solutions: 1, ..Tally::default() })
        });
        let progress = Progress::new();
        let counted = Count::new(&plan).threads(threads).progress(&progress).run().unwrap();
        assert_eq!((counted.solutions, progress.snapshot().fraction), (9, 1.0));
        let seen = lock(&seen);
        assert_eq!(seen.len(), threads);
        seen.contains(&std::thread::current().id())
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    for (threads, in_pool) in [(1, true), (3, false)] {
        assert!(caller_counts(threads));
        assert_eq!(pool.install(|| caller_counts(threads)), in_pool, "{threads} threads");
    }
}

#[test]
fn a_sum_that_does_not_fit_is_an_error_even_if_each_tally_is_handed_over() {
    let plan = Altered::tallies(plan(8), |_, tally| {
        tally.solutions = u128::MAX / 2;
        Ok(())
    });
    let overflow = Err(Error::overflow(128));
    assert_eq!(run(&plan, &[0, 1], 1).map(|_| ()), Ok(()));
    assert_eq!(run(&plan, &[0, 1, 2], 1).map(|_| ()), overflow);
    assert_eq!(for_each(&plan, &[0, 1, 2], 1, |_, _| Ok(())), overflow);
}

#[test]
fn a_bug_that_a_worker_reports_names_the_unit() {
    let plan = Altered::tallies(plan(8), |unit, _| if unit == 3 { Err(Error::overflow(64)) } else { Ok(()) });
    let problem = "the count does not fit in 64 bits".to_owned();
    assert_eq!(run(&plan, &[0, 1, 2, 3], 1), Err(Error::Bug { unit: Some(3), problem }));
}

#[test]
fn the_error_of_a_panic_contains_its_message() {
    let says = |panic: &(dyn Any + Send)| panicked(panic).to_string();
    let end = ": the solver has a bug, or the machine is faulty";
    assert_eq!(says(&"constant"), format!("the solver panicked (constant){end}"));
    assert_eq!(says(&String::from("formatted")), format!("the solver panicked (formatted){end}"));
    assert_eq!(says(&8), format!("the solver panicked (without a message){end}"));
}
