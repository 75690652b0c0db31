//! What holds for every size, solver, instruction set and number of threads, on inputs drawn at random.

use std::collections::HashSet;
use std::time::Duration;

use nqueens::board::{Size, Solution, Symmetry};
use nqueens::count::Total;
use nqueens::solver::{Isa, Solver, registry};
use nqueens::{CancelToken, Counter, Error, Monitor, engine};
use proptest::prelude::*;
use proptest::sample::select;

fn find(name: &str) -> &'static dyn Solver {
    registry::find(name).unwrap()
}

/// A solver's name.
fn any_solver() -> impl Strategy<Value = &'static str> {
    select(registry::SOLVERS.iter().map(|solver| solver.name()).collect::<Vec<_>>())
}

/// A solver's name and one of its instruction sets that this machine has.
fn any_code() -> impl Strategy<Value = (&'static str, Isa)> {
    let codes: Vec<_> = registry::SOLVERS
        .iter()
        .flat_map(|solver| solver.instruction_sets().iter().map(|&isa| (solver.name(), isa)))
        .filter(|(_, isa)| isa.is_available())
        .collect();
    select(codes)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn streamed_solutions_are_valid_distinct_in_order_and_as_many_as_counted(solver in any_solver(), n in 0usize..=10) {
        let size = Size::new(n).unwrap();
        let Some(stream) = find(solver).solutions(size) else { return Ok(()) };
        let solutions: Vec<Solution> = stream.collect();
        for solution in &solutions {
            prop_assert_eq!(solution.columns().len(), n);
            prop_assert!(solution.is_valid());
        }
        // Strictly ascending: in lexicographic order, and no two the same.
        prop_assert!(solutions.windows(2).all(|pair| pair[0] < pair[1]));
        prop_assert_eq!(solutions.len() as u128, Counter::for_size(size).run().unwrap().solutions);
        let set: HashSet<&Solution> = solutions.iter().collect();
        for solution in &solutions {
            prop_assert!(Symmetry::ALL.iter().all(|&symmetry| set.contains(&solution.image(symmetry))));
        }
    }

    #[test]
    fn streams_of_large_boards_begin_with_valid_solutions_in_order(solver in any_solver(), n in 4usize..=20) {
        let Some(stream) = find(solver).solutions(Size::new(n).unwrap()) else { return Ok(()) };
        let solutions: Vec<Solution> = stream.take(20).collect();
        prop_assert!(solutions.iter().all(Solution::is_valid));
        prop_assert!(solutions.windows(2).all(|pair| pair[0] < pair[1]));
        prop_assert!(!solutions.is_empty());
    }

    #[test]
    fn count_and_work_do_not_depend_on_threads((solver, isa) in any_code(), n in 0usize..=11, threads in 2usize..=9) {
        let counter = Counter::new(n).unwrap().solver(solver).isa(isa);
        let one = counter.clone().threads(1).run().unwrap();
        let many = counter.threads(threads).run().unwrap();
        prop_assert_eq!((one.solutions, one.work, one.units), (many.solutions, many.work, many.units));
    }

    #[test]
    fn parts_of_a_plan_add_up_to_the_whole(
        (solver, isa) in any_code(),
        n in 0usize..=11,
        assignment in proptest::collection::vec(0usize..4, 600),
    ) {
        let plan = find(solver).plan(Size::new(n).unwrap(), isa);
        let run = |units: &[usize]| engine::run(&*plan, units, 2, &CancelToken::new(), &Monitor::new()).unwrap();
        let mut sum = Total::default();
        for part in 0..4 {
            let units: Vec<usize> = (0..plan.units()).filter(|unit| assignment[unit % assignment.len()] == part).collect();
            sum.merge(run(&units)).unwrap();
        }
        let all: Vec<usize> = (0..plan.units()).collect();
        prop_assert_eq!(sum, run(&all));
    }

    #[test]
    fn a_unit_counts_the_same_with_any_code_and_any_worker(n in 0usize..=12, choice in any::<proptest::sample::Index>()) {
        let size = Size::new(n).unwrap();
        for &solver in registry::SOLVERS {
            let plan = solver.plan(size, Isa::Portable);
            let unit = choice.index(plan.units());
            let expected = plan.worker().count(unit, &CancelToken::new()).unwrap();
            for &isa in solver.instruction_sets().iter().filter(|isa| isa.is_available()) {
                let plan = solver.plan(size, isa);
                let mut worker = plan.worker();
                // A worker that has counted other units before must not remember them.
                for unit in [plan.units() - 1, unit, unit] {
                    worker.count(unit, &CancelToken::new()).unwrap();
                }
                let counted = worker.count(unit, &CancelToken::new()).unwrap();
                prop_assert_eq!(counted.solutions, expected.solutions, "{} ({})", solver.name(), isa.name());
            }
        }
    }

    #[test]
    fn plans_are_the_same_every_time_and_have_finite_costs(solver in any_solver(), n in 0usize..=32) {
        let size = Size::new(n).unwrap();
        let solver = find(solver);
        let (one, two) = (solver.plan(size, Isa::Portable), solver.plan(size, registry::machine_isa()));
        prop_assert!(one.units() > 0, "a plan has a unit to run even where there is no solution");
        prop_assert_eq!(one.units(), two.units());
        for unit in (0..one.units()).step_by(97) {
            prop_assert!(one.cost(unit).is_finite() && one.cost(unit) >= 0.0);
            prop_assert_eq!(one.cost(unit), two.cost(unit));
        }
        let seconds = solver.predicted_seconds(size, Isa::Portable);
        prop_assert!(seconds.is_finite() && seconds > 0.0);
    }
}

#[test]
fn cancelling_from_another_thread_stops_every_solver() {
    for &solver in registry::SOLVERS {
        for &isa in solver.instruction_sets().iter().filter(|isa| isa.is_available()) {
            for n in [20, 32] {
                let cancel = CancelToken::new();
                let canceller = cancel.clone();
                let counter = Counter::new(n).unwrap().solver(solver.name()).isa(isa).threads(2);
                std::thread::spawn(move || {
                    std::thread::sleep(Duration::from_millis(50));
                    canceller.cancel();
                });
                // Without the token it would take hours.
                let result = counter.cancelled_by(&cancel).run();
                let name = solver.name();
                assert!(matches!(result, Err(Error::Cancelled { .. })), "{name} ({isa}) n = {n}: {result:?}");
            }
        }
    }
}

#[test]
fn a_token_cancelled_before_the_count_begins_stops_it() {
    for &solver in registry::SOLVERS {
        let cancel = CancelToken::new();
        cancel.cancel();
        let counter = Counter::new(16).unwrap().solver(solver.name());
        assert!(matches!(counter.cancelled_by(&cancel).run(), Err(Error::Cancelled { .. })), "{}", solver.name());
    }
}

#[test]
fn larger_boards_with_the_fast_solvers_have_the_published_counts() {
    for n in 13..=16 {
        let published = nqueens::board::known::solutions(Size::new(n).unwrap()).unwrap();
        assert_eq!(nqueens::count(n).unwrap(), published, "n = {n}");
    }
    for &isa in registry::find("bitmask").unwrap().instruction_sets().iter().filter(|isa| isa.is_available()) {
        let outcome = Counter::new(15).unwrap().solver("bitmask").isa(isa).run().unwrap();
        assert_eq!(outcome.solutions, 2_279_184, "{}", isa.name());
    }
}
