//! Refuses memory to counts, which must then be right or return [`Error::Memory`], and never abort.
//!
//! The allocator refuses only requests of [`LARGE`] bytes or more, because threads, names and errors need
//! smaller ones, and the standard library aborts the process if one of these is refused. A worker by itself makes no
//! such requests, so its limit is [`LARGE_FOR_WORKER`].

// No allocator can be written without `unsafe`. The library and the program contain none.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::fmt::Write;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};

use nqueens::board::{Board, Size, construct};
use nqueens::engine::{Count, MAX_THREADS};
use nqueens::registry;
use nqueens::solver::{Isa, Plan, Worker, fingerprint};
use nqueens::tally::{Tally, Work};
use nqueens::verify::{self, Expected};
use nqueens::{CancelToken, Error, Result};

/// The smallest request, in bytes, that the allocator refuses.
const LARGE: usize = 1 << 20;

/// The limit while a worker counts a unit, which takes memory for lists, packs, programs and tables only.
const LARGE_FOR_WORKER: usize = 4 << 10;

/// An allocator that grants some large requests, then refuses one or all.
struct Refusing;

/// The current limit.
static LIMIT: AtomicUsize = AtomicUsize::new(LARGE);
/// The number of requests so far, of any size.
static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);
/// The number of large requests so far.
static REQUESTS: AtomicUsize = AtomicUsize::new(0);
/// The number of the large request to refuse.
static REFUSED: AtomicUsize = AtomicUsize::new(usize::MAX);
/// Whether all later large requests are refused too.
static AND_LATER: AtomicBool = AtomicBool::new(false);

impl Refusing {
    fn refuses(size: usize) -> bool {
        ALLOCATIONS.fetch_add(1, SeqCst);
        if size < LIMIT.load(SeqCst) {
            return false;
        }
        let (number, refused) = (REQUESTS.fetch_add(1, SeqCst), REFUSED.load(SeqCst));
        number == refused || number > refused && AND_LATER.load(SeqCst)
    }
}

// SAFETY: each method passes its arguments to the system's allocator, or returns null, which an allocator may do.
unsafe impl GlobalAlloc for Refusing {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if Self::refuses(layout.size()) { std::ptr::null_mut() } else { unsafe { System.alloc(layout) } }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if Self::refuses(layout.size()) { std::ptr::null_mut() } else { unsafe { System.alloc_zeroed(layout) } }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // No system refuses to shrink memory.
        let refuses = size > layout.size() && Self::refuses(size);
        if refuses { std::ptr::null_mut() } else { unsafe { System.realloc(at, layout, size) } }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Refusing = Refusing;

/// Does the work once for each large request that it makes, refuses that request, and passes the result to `check`. If
/// there are many requests, skips some. Returns the number of times that memory was refused.
fn at_each_request<T>(mut work: impl FnMut() -> Result<T>, mut check: impl FnMut(Result<T>)) -> usize {
    let mut times = 0;
    for and_later in [false, true] {
        let mut refused = 0;
        loop {
            AND_LATER.store(and_later, SeqCst);
            REQUESTS.store(0, SeqCst);
            REFUSED.store(refused, SeqCst);
            let result = work();
            REFUSED.store(usize::MAX, SeqCst);
            let was_refused = REQUESTS.load(SeqCst) > refused;
            if was_refused {
                assert!(matches!(result, Ok(_) | Err(Error::Memory { bytes: 1.. })), "{:?}", result.err());
            }
            check(result);
            if !was_refused {
                break;
            }
            times += 1;
            refused += 1 + refused / 64;
        }
    }
    times
}

/// All in one test, because the allocator serves the whole process, where another test could allocate at the same time.
#[test]
fn where_memory_is_refused_a_count_is_right_or_an_error() {
    LIMIT.store(LARGE_FOR_WORKER, SeqCst);
    a_worker_without_memory_counts_correctly_afterwards();
    LIMIT.store(LARGE, SeqCst);
    plans_without_memory_are_errors();
    tallies_and_lists_of_units_without_memory_are_errors();
    a_count_on_threads_without_memory_is_an_error();
    workers_families_and_names_request_little_memory();
    a_worker_uses_its_memory_again();
    a_large_board_is_drawn_part_by_part();
}

/// Takes text, and counts its bytes.
struct Bytes(u64);

impl Write for Bytes {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        self.0 += text.len() as u64;
        Ok(())
    }
}

/// The drawing of this board has 10 GB, more than 32 bits can number.
fn a_large_board_is_drawn_part_by_part() {
    let board = construct::solution(100_000).unwrap();
    REQUESTS.store(0, SeqCst);
    let mut drawn = Bytes(0);
    write!(drawn, "{board}").unwrap();
    assert_eq!((drawn.0, REQUESTS.load(SeqCst)), (100_000 * 100_001 - 1, 0));
}

/// A worker must not allocate for each unit, because threads would wait for each other in an allocator with a lock.
fn a_worker_uses_its_memory_again() {
    let cancel = CancelToken::new();
    for n in [14, 16, 17] {
        let solver = registry::find("color").unwrap();
        let plan = solver.plan(Size::new(n).unwrap(), registry::machine_isa(), &cancel).unwrap();
        let mut worker = plan.worker();
        for unit in (0..plan.units()).step_by(7) {
            let mut count = || {
                let before = ALLOCATIONS.load(SeqCst);
                worker.count(unit, &cancel).unwrap();
                ALLOCATIONS.load(SeqCst) - before
            };
            // At the second count, the programs of the family are already written.
            let counts = [count(), count()];
            assert!(counts[1] == 0, "n = {n}, unit {unit}: {counts:?} allocations");
        }
    }
}

/// A worker that was refused memory must count correctly afterwards.
fn a_worker_without_memory_counts_correctly_afterwards() {
    let cancel = CancelToken::new();
    let solver = registry::find("color").unwrap();
    for n in [13, 14] {
        for isa in [Isa::Portable, registry::machine_isa()] {
            let plan = solver.plan(Size::new(n).unwrap(), isa, &cancel).unwrap();
            for unit in [0, plan.units() / 2, plan.units() - 1] {
                let whole = plan.worker().count(unit, &cancel).unwrap();
                let count = || {
                    let mut worker = plan.worker();
                    let first = worker.count(unit, &cancel);
                    REFUSED.store(usize::MAX, SeqCst);
                    assert_eq!(worker.count(unit, &cancel), Ok(whole), "n = {n}, unit {unit}");
                    first
                };
                let times = at_each_request(count, |first| assert!(first.is_err() || first == Ok(whole)));
                assert!(times > 0, "n = {n}, unit {unit} requests no memory");
            }
        }
    }
}

/// Each thread of a count requests chunks of 1 MiB for its packs.
fn a_count_on_threads_without_memory_is_an_error() {
    let plan = registry::COLOR.plan(Size::new(13).unwrap(), registry::machine_isa(), &CancelToken::new()).unwrap();
    let count = || plan.count().threads(3).run();
    let times = at_each_request(count, |outcome| assert!(outcome.is_err() || outcome.unwrap().solutions == 73_712));
    assert!(times > 0, "a count of n = 13 requests no memory");
}

/// The memory that the library leaves to the standard library, which aborts if it is refused.
fn workers_families_and_names_request_little_memory() {
    let plan = |n| registry::COLOR.plan(Size::new(n).unwrap(), registry::machine_isa(), &CancelToken::new()).unwrap();
    let (small, large) = (plan(13), plan(26));
    REQUESTS.store(0, SeqCst);
    assert_eq!(small.workers(MAX_THREADS).len(), MAX_THREADS);
    assert!(!large.families().is_empty() && !large.name(large.units() - 1).is_empty());
    assert_ne!(fingerprint(&*large), fingerprint(&*small));
    assert_eq!(REQUESTS.load(SeqCst), 0);
}

/// For the largest boards, the lists of families and units take megabytes.
fn plans_without_memory_are_errors() {
    let cancel = CancelToken::new();
    for n in [26, 28] {
        let (solver, size) = (registry::find("color").unwrap(), Size::new(n).unwrap());
        let plan = || solver.plan(size, Isa::Portable, &cancel);
        let units = plan().unwrap().units();
        let times = at_each_request(plan, |plan| assert!(plan.is_err() || plan.unwrap().units() == units));
        assert!(times > 0, "n = {n} requests no memory");
    }
}

/// A plan with so many units that a list of their numbers, and their tallies, take megabytes.
struct ManyUnits;

impl Plan for ManyUnits {
    fn size(&self) -> Size {
        Size::new(0).unwrap()
    }

    fn units(&self) -> usize {
        200_000
    }

    fn name(&self, unit: usize) -> String {
        unit.to_string()
    }

    fn locate(&self, _solution: &Board) -> Option<(usize, u64)> {
        None
    }

    fn worker(&self) -> Box<dyn Worker + '_> {
        Box::new(ManyUnits)
    }
}

impl Worker for ManyUnits {
    fn count(&mut self, unit: usize, _cancel: &CancelToken) -> Result<Tally> {
        Ok(Tally::new(unit as u128, Work::default()))
    }
}

fn tallies_and_lists_of_units_without_memory_are_errors() {
    let expected = || Expected::by_count(Count::new(&ManyUnits).threads(1));
    let total = expected().unwrap().total();
    let times = at_each_request(expected, |expected| assert!(expected.is_err() || expected.unwrap().total() == total));
    assert!(times > 0, "200 000 tallies request no memory");
    let units = || verify::representative_units(&ManyUnits);
    let times = at_each_request(units, |units| assert!(units.is_err() || units.unwrap() == [0, 100_000]));
    assert!(times > 0, "a list of 200 000 units requests no memory");
}
