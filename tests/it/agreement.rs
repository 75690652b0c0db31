//! Compares the totals of every solver with the published counts, for each instruction set, and lists of boards with
//! those of the reference, and stops every solver. `src/tests.rs` compares single units.

use std::collections::BTreeMap;
use std::time::Duration;

use nqueens::board::{Board, Size, known};
use nqueens::registry;
use nqueens::solver::{Isa, Solver};
use nqueens::{CancelToken, Counter, Error, verify};

/// Returns each solver with each of its instruction sets that this machine supports.
fn codes() -> impl Iterator<Item = (&'static dyn Solver, Isa)> {
    let isas = |solver: &'static dyn Solver| solver.instruction_sets().iter().copied().filter(|isa| isa.is_available());
    registry::SOLVERS.iter().flat_map(move |&solver| isas(solver).map(move |isa| (solver, isa)))
}

/// `Work::words` depends on the instruction set, because tiles and the layouts of words do.
#[test]
fn every_total_is_the_published_one_on_any_number_of_threads_and_in_any_pool_with_the_same_work() {
    let mut nodes = BTreeMap::new();
    for (solver, isa) in codes() {
        let largest = if solver.name() == "color" { 17 } else { 12 };
        for n in (0..=largest).chain((solver.name() == "bitmask").then_some(15)) {
            let at = format!("{} ({isa}) n = {n}", solver.name());
            let published = known::solutions(Size::new(n).unwrap()).unwrap();
            let counter = Counter::new(n).unwrap().solver(solver.name()).isa(isa);
            let one = counter.clone().threads(1).run().unwrap();
            assert_eq!((one.solutions, one.isa), (published, isa), "{at}");
            assert_eq!(*nodes.entry((solver.name(), n)).or_insert(one.work.nodes), one.work.nodes, "{at}");
            for (threads, is_own) in [(2, true), (7, true), (3, false)] {
                let outcome = if is_own {
                    counter.clone().threads(threads).run()
                } else {
                    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                    pool.install(|| counter.clone().threads(threads).run())
                };
                let mut expected = one.clone();
                expected.threads = threads.min(one.units.max(1));
                assert_eq!(outcome, Ok(expected), "{at}");
            }
        }
    }
}

/// The first 20 boards of n = 11 to 20, and all of smaller sizes.
#[test]
fn every_list_is_in_order_and_contains_the_boards_of_the_reference() {
    for n in 0..=20 {
        let size = Size::new(n).unwrap();
        let most = if n <= 10 { usize::MAX } else { 20 };
        let expected: Vec<Board> = verify::reference_boards(size).take(most).collect();
        assert!(expected.iter().all(Board::is_solution) && expected.is_sorted_by(|a, b| a < b), "n = {n}");
        assert_eq!(nqueens::solutions(n).unwrap().take(most).collect::<Vec<_>>(), expected, "n = {n}");
    }
}

/// Without the token, these counts would take a minute or hours.
#[test]
fn cancelling_from_another_thread_stops_every_solver() {
    for (solver, isa) in codes() {
        for n in [22, solver.largest()] {
            let cancel = CancelToken::new();
            let counter = Counter::new(n).unwrap().solver(solver.name()).isa(isa).threads(2).cancelled_by(&cancel);
            std::thread::spawn(move || {
                std::thread::sleep(Duration::from_millis(50));
                cancel.cancel();
            });
            let result = counter.run();
            assert!(matches!(result, Err(Error::Cancelled { .. })), "{} ({isa}) n = {n}: {result:?}", solver.name());
        }
    }
}
