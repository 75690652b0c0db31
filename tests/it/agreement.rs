//! Every solver against the reference, unit of work by unit of work: compensating errors hide in totals.

use super::instruction_sets::available;
use nqueens::board::{Size, known};
use nqueens::solver::{Isa, Plan, Solver, registry};
use nqueens::{CancelToken, Counter};

/// What the reference's own solutions say each unit of the plan must count.
fn expected(plan: &dyn Plan, size: Size) -> Vec<u64> {
    let mut counts = vec![0; plan.units()];
    for solution in registry::reference().solutions(size).expect("the reference enumerates") {
        if let Some((unit, weight)) = plan.locate(&solution) {
            counts[unit] += weight;
        }
    }
    counts
}

fn check_units(solver: &dyn Solver, isa: Isa, n: usize) {
    let size = Size::new(n).unwrap();
    let plan = solver.plan(size, isa);
    let mut worker = plan.worker();
    let cancel = CancelToken::new();
    for (unit, expected) in expected(&*plan, size).into_iter().enumerate() {
        let tally = worker.count(unit, &cancel).unwrap();
        assert_eq!(tally.solutions, u128::from(expected), "{} ({}) n = {n}, unit {unit}", solver.name(), isa.name());
    }
}

#[test]
fn every_unit_of_every_solver_agrees_with_the_reference() {
    for &solver in registry::SOLVERS {
        for isa in available(solver.instruction_sets()) {
            for n in 0..=12 {
                check_units(solver, isa, n);
            }
        }
    }
}

#[test]
fn every_total_is_the_published_one_on_any_number_of_threads() {
    for &solver in registry::SOLVERS {
        for isa in available(solver.instruction_sets()) {
            for n in 0..=12 {
                for threads in [1, 2, 7] {
                    let counter = Counter::new(n).unwrap().solver(solver.name());
                    let counter = counter.isa(isa).threads(threads);
                    let published = known::solutions(Size::new(n).unwrap()).unwrap();
                    let outcome = counter.run().unwrap();
                    assert_eq!(outcome.solutions, published, "{} ({}) n = {n}", solver.name(), isa.name());
                    assert_eq!(outcome.isa, isa);
                }
            }
        }
    }
}
