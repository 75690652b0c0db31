//! The totals of every solver against the published counts. `src/verify.rs` has the test that compares single units.

use super::instruction_sets::available;
use nqueens::Counter;
use nqueens::board::{Size, known};
use nqueens::solver::registry;

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
