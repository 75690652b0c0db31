//! Plans must cut counts in the same way on every machine and in every version, because the logs of runs identify units
//! by number.

use std::fmt::Write;

use nqueens::CancelToken;
use nqueens::board::Size;
use nqueens::registry;
use nqueens::solver::{Isa, fingerprint};

/// Lines of `solver n fingerprint`. If one of them changes, unit 17 may be a different unit than before, and older
/// logs no longer fit.
const FINGERPRINTS: &str = include_str!("fingerprints.txt");

/// `FINGERPRINTS=overwrite cargo test plans` overwrites the file.
#[test]
fn every_plan_is_cut_as_it_always_was() {
    let mut found = String::new();
    for &solver in registry::SOLVERS {
        for n in 8..=30 {
            let size = Size::new(n).unwrap();
            // Plans of `color` above n = 28 take seconds, so each is made once.
            let sets = solver.instruction_sets();
            let fingerprints: Vec<u64> = sets[..if n > 28 { 1 } else { sets.len() }]
                .iter()
                .map(|&isa| fingerprint(&*solver.plan(size, isa, &CancelToken::new()).unwrap()))
                .collect();
            assert!(
                fingerprints.iter().all(|&other| other == fingerprints[0]),
                "{} n = {n}: plans differ with the instruction set: {fingerprints:x?}",
                solver.name()
            );
            writeln!(found, "{} {n} {:016x}", solver.name(), fingerprints[0]).unwrap();
        }
    }
    if std::env::var_os("FINGERPRINTS").is_some_and(|what| what == "overwrite") {
        std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/fingerprints.txt"), &found).unwrap();
        return;
    }
    for (found, expected) in found.lines().zip(FINGERPRINTS.lines()) {
        assert_eq!(found, expected);
    }
    assert_eq!(found.lines().count(), FINGERPRINTS.lines().count());
}

/// The functions of the library choose an instruction set of this machine, but a caller of `Solver::plan` may pass any.
#[test]
fn a_plan_for_an_instruction_set_that_the_machine_lacks_counts_too() {
    for (&solver, &isa) in registry::SOLVERS.iter().flat_map(|solver| Isa::ALL.iter().map(move |isa| (solver, isa))) {
        let plan = solver.plan(Size::new(7).unwrap(), isa, &CancelToken::new()).unwrap();
        assert_eq!(plan.count().threads(1).run().unwrap().solutions, 40, "{} ({isa})", solver.name());
    }
}
