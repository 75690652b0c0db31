//! Tests of the settings of a count.

use super::*;
use crate::altered::Altered;
use crate::solver::Plan;

#[test]
fn short_counts_start_no_thread_unless_they_are_told_to() {
    let threads = |n, solver: &str| Counter::new(n).unwrap().solver(solver).threads_used().unwrap();
    for (n, solver) in [(0, "auto"), (8, "auto"), (10, "auto"), (8, "arrays"), (8, "naive"), (8, "bitmask")] {
        assert_eq!(threads(n, solver), 1, "n = {n}, {solver}");
    }
    for (n, solver) in [(12, "bitmask"), (10, "naive"), (13, "bitmask"), (16, "auto")] {
        assert_eq!(threads(n, solver), engine::default_threads(), "n = {n}, {solver}");
    }
    assert_eq!(Counter::new(8).unwrap().threads(5).threads_used(), Ok(5));
    assert_eq!(Counter::new(8).unwrap().run().unwrap().threads, 1);
}

#[test]
fn a_wrong_setting_is_an_error_until_the_next_call_replaces_it() {
    let counter = || Counter::new(8).unwrap();
    let unknown = counter().solver("fast").threads(1);
    assert!(matches!(unknown.threads_used(), Err(Error::Unknown { .. })));
    assert_eq!(
        unknown.choice().unwrap_err().to_string(),
        "there is no solver 'fast': \
         give one of auto, naive, permutation, arrays, bitmask, color"
    );
    assert_eq!(unknown.run().err(), unknown.threads_used().err());
    assert_eq!(unknown.solver("bitmask").run().unwrap().solutions, 92);
    let error = Error::Threads { given: 0, max: engine::MAX_THREADS };
    assert_eq!(counter().threads(0).run(), Err(error));
    assert_eq!(counter().threads(0).threads(1).threads_used(), Ok(1));
    let missing = Isa::ALL.iter().copied().find(|isa| !isa.is_available()).expect("no machine has them all");
    assert!(matches!(counter().isa(missing).run(), Err(Error::IsaMissing { .. })));
}

/// A solver that a user wrote, with code for two instruction sets. Its plans have this number of units, and it predicts
/// a MiB for each thread.
struct Own(usize);

impl Solver for Own {
    fn name(&self) -> &'static str {
        "own"
    }

    fn instruction_sets(&self) -> &'static [Isa] {
        &[Isa::Portable, Isa::Sharing]
    }

    fn plan(&self, size: Size, isa: Isa, cancel: &CancelToken) -> Result<Box<dyn Plan>> {
        let mut plan = Altered::tallies(registry::ARRAYS.plan(size, isa, cancel)?, |_, _| Ok(()));
        plan.units = self.0;
        Ok(Box::new(plan))
    }

    fn predicted_seconds(&self, _size: Size, _isa: Isa) -> Option<f64> {
        Some(3.0)
    }

    fn predicted_bytes(&self, _size: Size, _isa: Isa, threads: usize) -> u64 {
        (threads as u64) << 20
    }
}

#[test]
#[cfg_attr(target_family = "wasm", ignore = "it has no threads")]
fn a_solver_of_ones_own_counts_and_its_total_is_checked() {
    let own = |units| Counter::new(8).unwrap().with_solver(Arc::new(Own(units))).threads(2);
    assert_eq!((own(8).predicted().unwrap().seconds, own(8).predicted().unwrap().bytes), (Some(1.5), 2 << 20));
    let outcome = own(8).run().unwrap();
    assert_eq!((outcome.solutions, &*outcome.solver, outcome.threads), (92, "own", 2));
    // Its last unit is missing.
    assert!(matches!(own(7).run(), Err(Error::Bug { .. })));
}

/// A solver that plans n = 8, whatever the size.
struct AlwaysEight;

impl Solver for AlwaysEight {
    fn name(&self) -> &'static str {
        "eight"
    }

    fn plan(&self, _size: Size, isa: Isa, cancel: &CancelToken) -> Result<Box<dyn Plan>> {
        registry::ARRAYS.plan(Size::new(8)?, isa, cancel)
    }
}

/// Trap: the reference is consulted for the size of the plan, so such a plan agrees with it at every n.
#[test]
fn a_plan_for_another_size_is_refused() {
    let eight = |n| Counter::new(n).unwrap().with_solver(Arc::new(AlwaysEight)).threads(1);
    assert_eq!(eight(8).run().unwrap().solutions, 92);
    for n in [0, 7, 9, 32] {
        let problem = format!("'eight' made a plan for n = 8, not {n}");
        assert_eq!(eight(n).plan().err(), Some(Error::Bug { unit: None, problem }));
        assert_eq!(eight(n).run().err(), eight(n).plan().err());
    }
    assert_eq!(eight(8).predicted().unwrap().seconds, None);
}

/// Every machine has both sets of the solver, and most machines have a better one for which it has no code.
#[test]
fn the_best_instruction_set_of_a_solver_is_its_default() {
    let own = || Counter::new(8).unwrap().with_solver(Arc::new(Own(8)));
    assert_eq!(own().choice().unwrap().isa, Isa::Sharing);
    assert_eq!(Counter::new(16).unwrap().choice().unwrap().isa, registry::machine_isa());
    for isa in Isa::available() {
        let expected = if isa == Isa::Sharing { isa } else { Isa::Portable };
        assert_eq!(own().isa(isa).choice().unwrap().isa, expected, "{isa}");
    }
}

#[test]
fn a_count_has_the_settings_of_its_counter() {
    let (cancel, progress) = (CancelToken::new(), Progress::new());
    let counter = Counter::new(8).unwrap().cancelled_by(&cancel).progress(&progress);
    assert_eq!(counter.clone().threads(0).run(), Err(Error::Threads { given: 0, max: 4096 }));
    assert_eq!(counter.clone().threads(1).run().unwrap().solutions, 92);
    assert_eq!(progress.snapshot().fraction, 1.0);
    cancel.cancel();
    assert!(matches!(counter.run(), Err(Error::Cancelled { .. })));
}
