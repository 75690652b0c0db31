//! Units counted on threads of the engine and of the caller.

use std::collections::HashSet;
use std::sync::Barrier;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::thread::ThreadId;

use super::*;
use crate::board::Size;
use crate::registry;
use crate::solver::Isa;
use crate::testing::Altered;

#[test]
#[cfg_attr(target_family = "wasm", ignore = "it has no threads")]
fn every_unit_is_handed_over_once_and_an_error_ends_it() {
    let plan = registry::reference().plan(Size::new(8).unwrap(), Isa::Portable, &CancelToken::new()).unwrap();
    let units: Vec<usize> = (0..plan.units()).collect();
    for threads in [1, 2, 7] {
        let mut handed = Vec::new();
        for_each(&*plan, &units, threads, &CancelToken::new(), &Progress::new(), |unit, _| {
            handed.push(unit);
            Ok(())
        })
        .unwrap();
        handed.sort_unstable();
        assert_eq!(handed, units);
        let mut calls = 0;
        let ended = for_each(&*plan, &units, threads, &CancelToken::new(), &Progress::new(), |_, _| {
            calls += 1;
            Err(Error::Overflow { bits: 128 })
        });
        assert_eq!(ended, Err(Error::Overflow { bits: 128 }));
        assert!(calls <= threads);
    }
    assert_eq!(run(&*plan, &[8], 1, &CancelToken::new(), &Progress::new()), Err(Error::Unit { unit: 8, units: 8 }));
    assert_eq!(
        run(&*plan, &[], 0, &CancelToken::new(), &Progress::new()),
        Err(Error::Threads { given: 0, max: MAX_THREADS })
    );
}

#[test]
#[cfg_attr(target_family = "wasm", ignore = "it has no threads")]
fn as_many_threads_as_a_machine_may_have_can_be_asked_for() {
    let plan = registry::reference().plan(Size::new(8).unwrap(), Isa::Portable, &CancelToken::new()).unwrap();
    let run = |threads| run(&*plan, &[0], threads, &CancelToken::new(), &Progress::new());
    assert_eq!(run(MAX_THREADS).unwrap().solutions, 4);
    assert_eq!(run(MAX_THREADS + 1), Err(Error::Threads { given: MAX_THREADS + 1, max: MAX_THREADS }));
    assert_eq!(default_threads(), std::thread::available_parallelism().unwrap().get().min(MAX_THREADS));
}

/// The calling thread counts too, whoever it belongs to.
#[test]
#[cfg_attr(target_family = "wasm", ignore = "it has no threads")]
fn counts_can_be_asked_for_from_threads_of_a_pool() {
    let plan = registry::reference().plan(Size::new(8).unwrap(), Isa::Portable, &CancelToken::new()).unwrap();
    let units: Vec<usize> = (0..plan.units()).collect();
    let count = || run(&*plan, &units, 3, &CancelToken::new(), &Progress::new()).unwrap().solutions;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    assert_eq!(pool.install(|| rayon::join(count, count)), (92, 92));
}

#[test]
fn a_tally_that_its_weight_does_not_divide_ends_the_count() {
    for name in ["bitmask", "color"] {
        let solver = registry::find(name).unwrap();
        let plan = solver.plan(Size::new(10).unwrap(), Isa::Portable, &CancelToken::new()).unwrap();
        let divisor = plan.tally_divisor(5);
        assert!(divisor > 1);
        let wrong = Altered::tallies(plan, |unit, tally| {
            tally.solutions += u128::from(unit == 5);
            Ok(())
        });
        let counted = run(&wrong, &[4, 5, 6], 1, &CancelToken::new(), &Progress::new());
        assert!(
            matches!(counted, Err(Error::Tally { unit: 5, tally, divisor: d }) if d == divisor && tally % u128::from(d) == 1),
            "{name}: {counted:?}"
        );
    }
}

#[test]
fn a_cancelled_count_says_how_far_it_was() {
    let plan = registry::reference().plan(Size::new(8).unwrap(), Isa::Portable, &CancelToken::new()).unwrap();
    let units: Vec<usize> = (0..plan.units()).collect();
    let cancel = CancelToken::new();
    let mut handed = 0;
    let cancelled = for_each(&*plan, &units, 1, &cancel, &Progress::new(), |_, _| {
        handed += 1;
        if handed == 4 {
            cancel.cancel();
        }
        Ok(())
    });
    assert_eq!(cancelled, Err(Error::Cancelled { units_done: 4, units: 8 }));
    let one = Error::Cancelled { units_done: 0, units: 1 };
    assert_eq!(one.to_string(), "stopped after 0 of 1 unit of work: there is no result");
}

/// Counts that share a progress used to read from it whether they were complete.
#[test]
#[cfg_attr(target_family = "wasm", ignore = "it has no threads")]
fn a_count_is_complete_or_an_error_whoever_shares_its_progress() {
    let plan = registry::reference().plan(Size::new(8).unwrap(), Isa::Portable, &CancelToken::new()).unwrap();
    let units: Vec<usize> = (0..plan.units()).collect();
    let (cancel, progress) = (CancelToken::new(), Progress::new());
    // One is cancelled after a unit while the other one, on the same progress, ends.
    let mut total = 0;
    let cancelled = for_each(&*plan, &units, 1, &cancel, &progress, |_, _| {
        let other = run(&*plan, &units, 2, &CancelToken::new(), &progress)?;
        assert_eq!(other.solutions, 92);
        total += 1;
        cancel.cancel();
        Ok(())
    });
    assert_eq!((cancelled, total), (Err(Error::Cancelled { units_done: 1, units: 8 }), 1));
    // And one that nobody cancelled is complete though another one on its progress has just begun.
    let mut counted = 0;
    for_each(&*plan, &units, 1, &CancelToken::new(), &progress, |_, tally| {
        counted += tally.solutions;
        progress.begin(1000, 1.0);
        Ok(())
    })
    .unwrap();
    assert_eq!(counted, 92);
}

/// A plan whose units end with the token alone, but for the first, of which `first` is done.
fn endless(first: fn() -> Result<Tally>) -> Altered<'static> {
    let plan = registry::reference().plan(Size::new(8).unwrap(), Isa::Portable, &CancelToken::new()).unwrap();
    Altered::new(plan, move |_, unit, cancel| {
        if unit == 0 {
            return first();
        }
        while !cancel.is_cancelled() {
            std::thread::yield_now();
        }
        Ok(Tally::default())
    })
}

fn pool_of(threads: usize) -> rayon::ThreadPool {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap()
}

/// This test does not end where the other threads are not told.
#[test]
#[cfg_attr(target_family = "wasm", ignore = "it has no threads")]
fn after_an_error_or_a_panic_the_other_threads_stop() {
    let run = |plan: &dyn Plan, pool: Pool| run(plan, &[0, 1, 2], pool, &CancelToken::new(), &Progress::new());
    let fails = endless(|| Err(Error::Overflow { bits: 64 }));
    // A panic that says nothing on standard error.
    let panics = endless(|| std::panic::resume_unwind(Box::new("on purpose")));
    let pool = pool_of(3);
    for in_pool in [false, true] {
        let run = |plan: &dyn Plan| {
            if in_pool { pool.install(|| run(plan, Pool::Current)) } else { run(plan, Pool::Own(2)) }
        };
        assert_eq!(run(&fails), Err(Error::Overflow { bits: 64 }));
        assert_eq!(run(&panics), Err(Error::Panic { unit: 0, message: "on purpose".to_owned() }));
        // The pool is as good as before.
        let plan = registry::reference().plan(Size::new(8).unwrap(), Isa::Portable, &CancelToken::new()).unwrap();
        assert_eq!(run(&*plan).unwrap().solutions, 4 + 8 + 16);
    }
}

#[test]
#[cfg_attr(target_family = "wasm", ignore = "it has no threads")]
fn another_number_of_workers_than_threads_is_an_error() {
    let mut plan = endless(|| Ok(Tally::default()));
    for made in [0, 1, 3, 5000] {
        plan.workers = Some(made);
        for pool in [Pool::Own(2), Pool::Current] {
            let count = || run(&plan, &[0, 1], pool, &CancelToken::new(), &Progress::new());
            assert_eq!(pool_of(2).install(count), Err(Error::Workers { asked: 2, made }));
        }
    }
    assert_eq!(
        Error::Workers { asked: 2, made: 0 }.to_string(),
        "the plan made 0 workers for 2 threads: this is a bug of the solver"
    );
}

/// Two units are complete when the first is handed over. The thread whose call panicked then drops its worker, before
/// it can stop the other thread. Here the worker waits until the other thread has ended.
#[test]
#[cfg_attr(target_family = "wasm", ignore = "it has no threads")]
fn nothing_is_handed_over_after_a_panic() {
    #[derive(Default)]
    struct Both {
        begun: AtomicUsize,
        ended: AtomicUsize,
    }

    struct Waits<'a>(&'a Both);

    fn wait_for_two(number: &AtomicUsize) {
        number.fetch_add(1, SeqCst);
        while number.load(SeqCst) < 2 {
            std::thread::yield_now();
        }
    }

    impl Plan for Both {
        fn units(&self) -> usize {
            2
        }

        fn name(&self, unit: usize) -> String {
            unit.to_string()
        }

        fn cost(&self, _unit: usize) -> f64 {
            1.0
        }

        fn worker(&self) -> Box<dyn Worker + '_> {
            Box::new(Waits(self))
        }
    }

    impl Worker for Waits<'_> {
        fn count(&mut self, _unit: usize, _cancel: &CancelToken) -> Result<Tally> {
            wait_for_two(&self.0.begun);
            Ok(Tally::default())
        }
    }

    impl Drop for Waits<'_> {
        fn drop(&mut self) {
            wait_for_two(&self.0.ended);
        }
    }

    for pool in [Pool::Own(2), Pool::Current] {
        let (plan, mut calls) = (Both::default(), 0);
        let hand_over = |_, _| {
            calls += 1;
            std::panic::resume_unwind(Box::new("the caller's"))
        };
        let count = || for_each(&plan, &[0, 1], pool, &CancelToken::new(), &Progress::new(), hand_over);
        assert!(catch_unwind(AssertUnwindSafe(|| pool_of(2).install(count))).is_err());
        assert_eq!(calls, 1);
    }
}

/// The caller's own panic is the caller's: it comes out.
#[test]
#[cfg_attr(target_family = "wasm", ignore = "it has no threads")]
fn a_panic_while_a_tally_is_handed_over_comes_out_after_the_others_have_stopped() {
    let plan = endless(|| Ok(Tally::default()));
    let hand_over = |_, _| std::panic::resume_unwind(Box::new("the caller's"));
    let count = || for_each(&plan, &[0, 1, 2], 2, &CancelToken::new(), &Progress::new(), hand_over);
    let panicked = catch_unwind(AssertUnwindSafe(count)).unwrap_err();
    assert_eq!(panicked.downcast_ref(), Some(&"the caller's"));
    assert_eq!(message(&*panicked), "the caller's");
    assert_eq!(message(&String::from("formatted")), "formatted");
    assert_eq!(message(&8), "it said nothing");
}

#[test]
#[cfg_attr(target_family = "wasm", ignore = "it has no threads")]
fn in_the_callers_pool_its_threads_count_all_of_them_and_no_others() {
    for threads in [1, 3] {
        let (pool, seen, barrier) = (pool_of(threads), Mutex::<HashSet<ThreadId>>::default(), Barrier::new(threads));
        let inner = registry::reference().plan(Size::new(9).unwrap(), Isa::Portable, &CancelToken::new()).unwrap();
        let plan = Altered::new(inner, |_, _, _| {
            // All of them are at a unit at once.
            barrier.wait();
            seen.lock().unwrap().insert(std::thread::current().id());
            Ok(Tally { solutions: 1, ..Tally::default() })
        });
        let units: Vec<usize> = (0..9).collect();
        let progress = Progress::new();
        let counted = pool.install(|| run(&plan, &units, Pool::Current, &CancelToken::new(), &progress)).unwrap();
        assert_eq!((counted.solutions, progress.snapshot().fraction), (9, 1.0));
        let of_the_pool: HashSet<ThreadId> = pool.broadcast(|_| std::thread::current().id()).into_iter().collect();
        assert_eq!(*seen.lock().unwrap(), of_the_pool);
    }
}

#[test]
#[cfg_attr(target_family = "wasm", ignore = "it has no threads")]
fn a_count_in_the_callers_pool_is_complete_or_cancelled() {
    let plan = registry::reference().plan(Size::new(8).unwrap(), Isa::Portable, &CancelToken::new()).unwrap();
    let units: Vec<usize> = (0..plan.units()).collect();
    let count = |cancel: &CancelToken| run(&*plan, &units, Pool::Current, cancel, &Progress::new());
    let free = CancelToken::new();
    // In no pool it is this thread alone.
    assert_eq!((count(&free).unwrap().solutions, Pool::Current.threads()), (92, Ok(1)));
    for threads in [1, 3] {
        let pool = pool_of(threads);
        assert_eq!(pool.install(|| Pool::Current.threads()), Ok(threads));
        assert_eq!(pool.install(|| count(&free)).unwrap().solutions, 92);
        // Two at once, of which each may find its threads with the other.
        let both = pool.install(|| rayon::join(|| count(&free).unwrap(), || count(&free).unwrap()));
        assert_eq!((both.0.solutions, both.1.solutions), (92, 92));
        let cancel = CancelToken::new();
        let mut handed = 0;
        let cancelled = pool.install(|| {
            for_each(&*plan, &units, Pool::Current, &cancel, &Progress::new(), |_, _| {
                handed += 1;
                if handed == 4 {
                    cancel.cancel();
                }
                Ok(())
            })
        });
        assert_eq!(cancelled, Err(Error::Cancelled { units_done: 4, units: 8 }));
    }
}

/// Each thread that was asked for counts, but not more threads than units.
#[test]
#[cfg_attr(target_family = "wasm", ignore = "it has no threads")]
fn the_engine_says_how_many_threads_counted() {
    let plan = registry::reference().plan(Size::new(8).unwrap(), Isa::Portable, &CancelToken::new()).unwrap();
    let units: Vec<usize> = (0..plan.units()).collect();
    let threads = |pool, units: &[usize]| {
        let (cancel, progress) = (CancelToken::new(), Progress::new());
        let counted = run_counted(&*plan, units, pool, &cancel, &progress).unwrap();
        let in_order = in_order(units);
        let drained = drain(&*plan, in_order, pool, units.len(), &cancel, &progress, |_, _| Ok(())).unwrap();
        assert_eq!((counted.units, drained.units, drained.threads), (units.len(), units.len(), counted.threads));
        counted.threads
    };
    for (asked, counted) in [(1, 1), (2, 2), (8, 8), (9, 8), (MAX_THREADS, 8)] {
        for pool in [Pool::Own(asked), Pool::UpTo(asked)] {
            assert_eq!(threads(pool, &units), counted, "{pool:?}");
            assert_eq!(pool_of(2).install(|| threads(pool, &units)), counted, "{pool:?}");
            assert_eq!((threads(pool, &units[..1]), threads(pool, &[])), (1, 1), "{pool:?}");
        }
    }
    for asked in [1, 3, 9] {
        assert_eq!(pool_of(asked).install(|| threads(Pool::Current, &units)), asked.min(8));
    }
    assert_eq!(threads(Pool::Current, &units), 1);
}

/// Also after a panic the thread counts with its pool again.
#[test]
#[cfg_attr(target_family = "wasm", ignore = "it has no threads")]
fn a_count_inside_a_count_of_the_pool_has_one_thread() {
    let plan = registry::reference().plan(Size::new(8).unwrap(), Isa::Portable, &CancelToken::new()).unwrap();
    let units: Vec<usize> = (0..plan.units()).collect();
    let for_each = |pool: Pool, hand_over: &mut (dyn FnMut() + Send)| {
        for_each(&*plan, &units, pool, &CancelToken::new(), &Progress::new(), |_, _| {
            hand_over();
            Ok(())
        })
    };
    pool_of(3).install(|| {
        for_each(Pool::Current, &mut || assert_eq!(Pool::Current.threads(), Ok(1))).unwrap();
        for_each(Pool::Own(1), &mut || assert_eq!(Pool::Current.threads(), Ok(3))).unwrap();
        let mut panics = || std::panic::resume_unwind(Box::new("the caller's"));
        assert!(catch_unwind(AssertUnwindSafe(|| for_each(Pool::Current, &mut panics))).is_err());
        assert_eq!(rayon::broadcast(|_| Pool::Current.threads()), [Ok(3), Ok(3), Ok(3)]);
    });
}
