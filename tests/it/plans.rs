//! Plans must cut counts in the same way on every machine and in every version, because the logs of runs identify units
//! by number.

use std::fmt::Write;

use nqueens::CancelToken;
use nqueens::board::Size;
use nqueens::internal::{ColorPlan, OnPacks};
use nqueens::registry;
use nqueens::solver::{Isa, Plan, fingerprint};

/// Lines of `solver n fingerprint`, and lines of `terms n hash` for `color`. If one of them changes, unit 17 may be a
/// different unit than before, and older logs no longer fit. The fingerprint alone cannot tell, because it is a hash of
/// names, and a name gives only the positions of the sets E, in an order that the program decides. If only lines of
/// `terms` change, change the names too, or older runs are continued.
const FINGERPRINTS: &str = include_str!("fingerprints.txt");

/// `FINGERPRINTS=overwrite cargo test --test it plans` overwrites the file.
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
    for n in 8..=28 {
        writeln!(found, "terms {n} {:016x}", hash_of_terms(n)).unwrap();
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

/// Returns a hash (FNV-1a, on numbers instead of bytes) of the sets O and E and the weight of each term of each unit.
fn hash_of_terms(n: usize) -> u64 {
    let size = Size::new(n).unwrap();
    let method = OnPacks::new(size, Isa::Portable);
    let plan = ColorPlan::new(size, method, &CancelToken::new()).unwrap();
    let terms_of = |unit| {
        let (_, o, terms) = plan.units.terms(unit);
        terms.into_iter().flat_map(move |term| [u64::from(o), u64::from(term.e), term.weight])
    };
    let numbers = (0..plan.units()).flat_map(terms_of);
    numbers.fold(0xcbf2_9ce4_8422_2325, |hash: u64, number| (hash ^ number).wrapping_mul(0x0100_0000_01b3))
}

/// The functions of the library choose an instruction set of this machine, but a caller of `Solver::plan` may pass any.
#[test]
fn a_plan_for_an_instruction_set_that_the_machine_lacks_counts_too() {
    for (&solver, &isa) in registry::SOLVERS.iter().flat_map(|solver| Isa::ALL.iter().map(move |isa| (solver, isa))) {
        let plan = solver.plan(Size::new(7).unwrap(), isa, &CancelToken::new()).unwrap();
        assert_eq!(plan.count().threads(1).run().unwrap().solutions, 40, "{} ({isa})", solver.name());
    }
}
