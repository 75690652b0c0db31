//! Tests of counts that begin on threads of a rayon pool. Each test runs in a process of its own, so that a hang or a
//! stack overflow fails only that test.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use crate::altered::Altered;
use nqueens::board::Size;
use nqueens::engine::Count;
use nqueens::registry;
use nqueens::solver::Isa;
use nqueens::tally::Tally;
use nqueens::{CancelToken, Counter, Error, Progress, Result};
use rayon::prelude::*;

/// The environment variable that names the test to run in a child process.
const CHILD: &str = "NQUEENS_TEST_IN_CHILD";

/// The time limit of a test, which is much more time than a test takes.
const LIMIT: Duration = Duration::from_secs(120);

/// The exit code of a child that has done its work. A child without a test of the given name exits with 0.
const DONE: i32 = 7;

/// Runs `work` in a child process, which must succeed within [`LIMIT`]. `name` is the name of the calling test. The
/// child has `variables` in its environment, and 2 threads in rayon's global pool.
fn in_child(name: &str, variables: &[(&str, &str)], work: fn()) {
    if std::env::var(CHILD).as_deref() == Ok(name) {
        work();
        std::process::exit(DONE);
    }
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", &format!("pools::{name}"), "--nocapture"]).env(CHILD, name).env("RAYON_NUM_THREADS", "2");
    command.envs(variables.iter().copied());
    let (mut child, start) = (command.stdout(Stdio::null()).spawn().unwrap(), Instant::now());
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return assert_eq!(status.code(), Some(DONE), "{name}: {status}");
        }
        if start.elapsed() > LIMIT {
            child.kill().unwrap();
            child.wait().unwrap();
            panic!("{name} hangs: it was killed after {LIMIT:?}");
        }
        thread::sleep(Duration::from_millis(5));
    }
}

fn pool(threads: usize) -> rayon::ThreadPool {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap()
}

fn count(n: usize, threads: usize) -> u128 {
    Counter::new(n).unwrap().threads(threads).run().unwrap().solutions
}

/// Calls `work` outside of pools, in the global pool, and in pools of 1 and 3 threads.
fn on_each_kind_of_thread(work: impl Fn() + Sync) {
    work();
    rayon::scope(|_| work());
    pool(1).install(&work);
    pool(3).install(&work);
}

/// Counts 6 units of n = 9, calls `hand_over` with each of them, and asserts that the sum is right.
fn for_each(threads: usize, mut hand_over: impl FnMut(usize) -> Result<()> + Send) -> Result<()> {
    let size = Size::new(9).unwrap();
    let plan = registry::find("bitmask").unwrap().plan(size, Isa::Portable, &CancelToken::new()).unwrap();
    let mut sum = Tally::default();
    plan.count().units(0..6).threads(threads).for_each(|unit, tally| {
        sum.add(tally)?;
        hand_over(unit)
    })?;
    assert_eq!(sum, plan.count().units(0..6).threads(1).run().unwrap());
    Ok(())
}

#[test]
fn a_parallel_loop_of_counts_ends_in_every_pool() {
    in_child("a_parallel_loop_of_counts_ends_in_every_pool", &[], || {
        on_each_kind_of_thread(|| assert!((0..300).into_par_iter().all(|_| count(10, 3) == 724)));
        assert!((0..1000).into_par_iter().map(|_| nqueens::count(12)).all(|counted| counted == Ok(14_200)));
    });
}

#[test]
fn a_count_under_a_lock_in_a_job_ends() {
    in_child("a_count_under_a_lock_in_a_job_ends", &[], || {
        let sum = Mutex::new(0);
        let add = |n| {
            let mut sum = sum.lock().unwrap();
            *sum += nqueens::count(n).unwrap();
        };
        on_each_kind_of_thread(|| [12; 50].into_par_iter().for_each(add));
        assert_eq!(sum.into_inner().unwrap(), 4 * 50 * 14_200);
    });
}

/// `hand_over` begins a count, whose `hand_over` begins a count too.
#[test]
fn counts_may_begin_while_a_unit_is_handed_over() {
    in_child("counts_may_begin_while_a_unit_is_handed_over", &[], || {
        on_each_kind_of_thread(|| {
            for_each(3, |_| {
                assert_eq!((count(10, 3), nqueens::count(11)), (724, Ok(2680)));
                for_each(2, |_| {
                    assert_eq!((count(8, 1), count(8, 2)), (92, 92));
                    Ok(())
                })
            })
            .unwrap();
        });
    });
}

#[test]
fn a_unit_may_wait_for_rayon_while_it_is_handed_over() {
    in_child("a_unit_may_wait_for_rayon_while_it_is_handed_over", &[], || {
        on_each_kind_of_thread(|| {
            (0..100).into_par_iter().for_each(|_| {
                for_each(4, |_| {
                    let pause = || thread::sleep(Duration::from_micros(20));
                    rayon::join(pause, || rayon::join(pause, pause));
                    Ok(())
                })
                .unwrap();
            });
        });
    });
}

#[test]
fn errors_panics_and_cancellations_come_out_of_a_pool() {
    in_child("errors_panics_and_cancellations_come_out_of_a_pool", &[], || {
        for threads in [1, 3] {
            on_each_kind_of_thread(|| {
                let error = Error::Memory { bytes: 64 };
                assert_eq!(for_each(threads, |_| Err(error.clone())), Err(error));
                let panics = || for_each(threads, |_| resume_unwind(Box::new("the caller's")));
                let panic = catch_unwind(AssertUnwindSafe(panics)).unwrap_err();
                assert_eq!(panic.downcast_ref(), Some(&"the caller's"));
                let cancel = CancelToken::new();
                let counter = Counter::new(27).unwrap().solver("bitmask").threads(threads).cancelled_by(&cancel);
                let cancelled = thread::scope(|scope| {
                    scope.spawn(|| {
                        thread::sleep(Duration::from_millis(20));
                        cancel.cancel();
                    });
                    counter.run()
                });
                assert!(matches!(cancelled, Err(Error::Cancelled { units_done: 0, .. })), "{cancelled:?}");
                // The pool still works.
                assert_eq!(count(10, threads), 724);
            });
        }
    });
}

/// Returns a plan of 8 units. `first` counts unit 1, and all other units end only when their token is cancelled.
fn waiting(first: fn() -> Result<Tally>) -> Altered<'static> {
    let plan = registry::ARRAYS.plan(Size::new(8).unwrap(), Isa::Portable, &CancelToken::new()).unwrap();
    Altered::new(plan, move |_, unit, cancel| {
        if unit == 1 {
            return first();
        }
        while !cancel.is_cancelled() {
            thread::yield_now();
        }
        Ok(Tally::default())
    })
}

#[test]
fn an_error_or_a_panic_of_a_worker_stops_the_other_threads() {
    in_child("an_error_or_a_panic_of_a_worker_stops_the_other_threads", &[], || {
        let fails: fn() -> Result<Tally> = || Err(Error::Memory { bytes: 64 });
        // A panic that prints nothing to standard error.
        let panics: fn() -> Result<Tally> = || resume_unwind(Box::new("on purpose"));
        let panic = Error::Bug { unit: Some(1), problem: "the solver panicked (on purpose)".to_owned() };
        for (first, error) in [(fails, Error::Memory { bytes: 64 }), (panics, panic)] {
            let plan = waiting(first);
            on_each_kind_of_thread(|| {
                let counted = Count::new(&plan).units([1, 0, 2]).threads(3).run();
                assert_eq!(counted, Err(error.clone()));
            });
        }
    });
}

#[test]
fn a_panic_of_a_watcher_stops_the_other_threads_and_comes_out_of_the_count() {
    in_child("a_panic_of_a_watcher_stops_the_other_threads_and_comes_out_of_the_count", &[], || {
        let plan = waiting(|| Ok(Tally::default()));
        let progress = Progress::calling(|_| resume_unwind(Box::new("the watcher's")));
        on_each_kind_of_thread(|| {
            let count = || Count::new(&plan).units([1, 0, 2]).threads(3).progress(&progress).run();
            let panic = catch_unwind(AssertUnwindSafe(count)).unwrap_err();
            assert_eq!(panic.downcast_ref(), Some(&"the watcher's"));
        });
    });
}

/// In the child, the system refuses every thread, because there is no room for its stack.
#[cfg(target_os = "linux")]
#[test]
fn a_count_goes_on_without_the_threads_that_the_system_refuses() {
    let stack = ("RUST_MIN_STACK", "1152921504606846976");
    in_child("a_count_goes_on_without_the_threads_that_the_system_refuses", &[stack], || {
        let count = || {
            let progress = Progress::new();
            let counter = Counter::new(10).unwrap();
            let outcome = counter.threads(3).progress(&progress).run().unwrap();
            assert_eq!((outcome.solutions, outcome.threads, progress.snapshot().threads_refused), (724, 1, 2));
        };
        count();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).stack_size(1 << 20).build().unwrap();
        pool.install(count);
    });
}
