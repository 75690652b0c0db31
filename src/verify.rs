//! Compares every unit of work of every solver with the reference.
//!
//! The reference lists all boards. [`Plan::locate`] says which unit counts a board, and how often. So the tally of each
//! unit is known before it is counted. Comparing totals alone would hide two errors that cancel each other.

use std::collections::BTreeMap;

use crate::board::{Board, Size, known};
use crate::count::Tally;
use crate::engine::Pool;
use crate::solver::{Plan, registry};
use crate::{CancelToken, Error, Monitor, Result, engine, room};

/// Compares a complete count with the published count, if there is one, and with Burnside's lemma.
///
/// The lemma misses most errors, because most solutions have eight images. By it, `counted` + H + 2 Q is a multiple of
/// eight for n >= 2. H is the number of solutions that a half
/// turn does not change, Q the number that a quarter turn does not change.
///
/// # Errors
/// [`Error::Wrong`].
pub fn check_total(size: Size, counted: u128) -> Result<()> {
    let wrong = |fact| Err(Error::Wrong { n: size.get(), counted, fact });
    if let Some(published) = known::solutions(size).filter(|&published| published != counted) {
        return wrong(format!("the published count is {published}"));
    }
    let fixed = |symmetric: u128, times: u128| symmetric % 8 * times;
    if let (2.., Some(half), Some(quarter)) = (size.get(), known::half_turn(size), known::quarter_turn(size))
        && !(counted % 8 + fixed(half, 1) + fixed(quarter, 2)).is_multiple_of(8)
    {
        return wrong("Burnside's lemma gives no whole number of orbits".to_owned());
    }
    Ok(())
}

/// The boards that the reference found for one size, and what follows from them for plans.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Reference<'a> {
    /// Number of boards that the reference found.
    pub solutions: u64,
    /// Errors in the reference's boards, each as a clause.
    pub disagreements: Vec<String>,
    /// The plans, in the order in which they were given, each with the tallies that it must have.
    pub plans: Vec<Expected<'a>>,
}

/// A plan, and the tally that each of its units must have.
#[derive(Debug, Clone)]
pub struct Expected<'a> {
    plan: &'a dyn Plan,
    /// Number of boards that the reference found.
    solutions: u64,
    /// For each unit, the sum of the weights of its boards.
    tallies: Vec<u64>,
}

/// Lists all boards with the reference, and adds up for each unit of `plans` the tally that it must have. The plans must
/// be for boards of this size.
///
/// # Errors
/// [`Error::Cancelled`]; [`Error::Memory`] if a plan has too many units; [`Error::CannotEnumerate`] and
/// [`Error::Overflow`] would be bugs.
///
/// # Panics
/// If [`Plan::locate`] panics, which it may for a plan of another size.
pub fn consult_reference<'a>(
    size: Size,
    plans: &[&'a dyn Plan],
    published: Option<u128>,
    cancel: &CancelToken,
) -> Result<Reference<'a>> {
    let expected = |&plan: &&'a dyn Plan| {
        Ok(Expected { plan, solutions: 0, tallies: room::collect((0..plan.units()).map(|_| 0))? })
    };
    let plans = plans.iter().map(expected).collect::<Result<_>>()?;
    let mut reference = Reference { solutions: 0, disagreements: Vec::new(), plans };
    let mut before: Option<Board> = None;
    let mut solutions = registry::solutions_by(registry::reference(), size)?.cancelled_by(cancel);
    for solution in solutions.by_ref() {
        reference.solutions += 1;
        let is_in_order = before.as_ref().is_none_or(|before| before < &solution);
        let columns = solution.columns();
        let is_solution = Board::new(columns.to_vec()).is_ok_and(|board| board.is_solution());
        if !is_in_order || !is_solution || columns.len() != size.get() {
            reference
                .disagreements
                .push(format!("the queens in columns {columns:?} (from 0) are not a solution, or are out of order"));
        }
        for Expected { plan, tallies, .. } in &mut reference.plans {
            let Some((unit, weight)) = plan.locate(&solution) else { continue };
            match tallies.get_mut(unit) {
                Some(count) => *count = count.checked_add(weight).ok_or(Error::Overflow { bits: 64 })?,
                None => reference
                    .disagreements
                    .push(format!("a board belongs to unit of work {unit}, but the plan has only {}", tallies.len())),
            }
        }
        before = Some(solution);
    }
    if solutions.is_stopped() {
        return Err(Error::Cancelled { units_done: 0, units: 1 });
    }
    reference.plans.iter_mut().for_each(|expected| expected.solutions = reference.solutions);
    if let Some(published) = published.filter(|&published| published != u128::from(reference.solutions)) {
        let counted = reference.solutions;
        reference.disagreements.push(format!("the reference counts {counted}, but the published count is {published}"));
    }
    Ok(reference)
}

impl Expected<'_> {
    /// Whether the tally of each unit is known. It is unknown if [`Plan::locate`] returns `None` for all boards, as its
    /// default does. Then only the sum of all units can be compared.
    #[must_use]
    pub fn holds_units(&self) -> bool {
        self.solutions == 0 || self.tallies.iter().any(|&expected| expected > 0)
    }

    /// Counts every unit of the plan. Returns the disagreements of units and of their sum, each as a clause.
    ///
    /// # Errors
    /// The errors of [`engine::for_each`].
    pub fn check(&self, pool: impl Into<Pool>, cancel: &CancelToken, monitor: &Monitor) -> Result<Vec<String>> {
        let (plan, holds_units) = (self.plan, self.holds_units());
        let units: Vec<usize> = (0..self.tallies.len()).collect();
        let mut disagreements = Vec::new();
        let mut total = Tally::default();
        engine::for_each(plan, &units, pool, cancel, monitor, |unit, tally| {
            let expected = u128::from(self.tallies[unit]);
            if holds_units && tally.solutions != expected {
                disagreements.push(format!(
                    "unit of work {unit} counts {}, but the reference's boards give {expected}",
                    tally.solutions
                ));
            }
            total.add(tally)
        })?;
        let sum = u128::from(self.solutions) * u128::from(plan.divisor());
        if total.solutions != sum {
            disagreements
                .push(format!("all units together count {}, but the reference's boards give {sum}", total.solutions));
        }
        Ok(disagreements)
    }
}

/// Returns one or two units of a plan: the costliest and the median by cost; none if the plan has none. Use them to
/// compare solvers on boards that are too large for the reference.
///
/// # Errors
/// [`Error::Memory`] if the plan has too many units.
pub fn representative_units(plan: &dyn Plan) -> Result<Vec<usize>> {
    let mut units = room::collect(0..plan.units())?;
    units.sort_by(|&a, &b| plan.cost(b).total_cmp(&plan.cost(a)));
    let mut some: Vec<usize> = [0, units.len() / 2].iter().filter_map(|&place| units.get(place).copied()).collect();
    some.dedup();
    Ok(some)
}

/// Counts units, weights included. [`compare`] compares another instruction set with the result.
///
/// # Errors
/// The errors of [`engine::for_each`].
pub fn count_units(
    plan: &dyn Plan,
    units: &[usize],
    pool: impl Into<Pool>,
    cancel: &CancelToken,
    monitor: &Monitor,
) -> Result<BTreeMap<usize, u128>> {
    let mut counts = BTreeMap::new();
    engine::for_each(plan, units, pool, cancel, monitor, |unit, tally| {
        counts.insert(unit, tally.solutions);
        Ok(())
    })?;
    Ok(counts)
}

/// Counts the units in `expected`, and returns a clause for each whose tally differs. `expected` maps a unit's number to
/// its tally by portable code.
///
/// # Errors
/// The errors of [`engine::for_each`].
pub fn compare(
    plan: &dyn Plan,
    expected: &BTreeMap<usize, u128>,
    pool: impl Into<Pool>,
    cancel: &CancelToken,
    monitor: &Monitor,
) -> Result<Vec<String>> {
    let units: Vec<usize> = expected.keys().copied().collect();
    let counts = count_units(plan, &units, pool, cancel, monitor)?;
    let pairs = counts.into_iter().zip(expected.values());
    let differing = pairs.filter(|((_, counted), other)| counted != *other);
    let disagreement = |((unit, counted), other): ((usize, u128), &u128)| {
        format!("unit of work {unit} counts {counted}, but portable code counts {other}")
    };
    Ok(differing.map(disagreement).collect())
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::altered::Altered;
    use crate::solver::registry::SOLVERS;
    use crate::solver::{Isa, Solver};
    use crate::symmetric::Turn;

    /// Instruction sets of a solver that this machine has.
    fn codes(solver: &'static dyn Solver) -> impl Iterator<Item = Isa> {
        solver.instruction_sets().iter().copied().filter(|isa| isa.is_available())
    }

    /// Compares every unit of every solver with the reference, for each instruction set. A total could hide two errors
    /// that cancel each other.
    #[test]
    fn every_unit_of_every_solver_is_what_the_references_boards_make_it() {
        let (cancel, monitor) = (CancelToken::new(), Monitor::new());
        // Emulators of other processors take minutes for n = 11 and 12.
        let largest = if cfg!(target_arch = "x86_64") { 12 } else { 10 };
        for n in 0..=largest {
            let size = Size::new(n).unwrap();
            let plans = SOLVERS.iter().flat_map(|&solver| codes(solver).map(move |isa| (solver, isa)));
            let plans: Vec<_> = plans
                .map(|(solver, isa)| (solver.name(), isa, solver.plan(size, isa, &CancelToken::new()).unwrap()))
                .collect();
            let of_all: Vec<&dyn Plan> = plans.iter().map(|(.., plan)| &**plan).collect();
            let reference = consult_reference(size, &of_all, known::solutions(size), &cancel).unwrap();
            assert!(reference.disagreements.is_empty(), "{:?}", reference.disagreements);
            for ((name, isa, _), expected) in plans.iter().zip(&reference.plans) {
                assert!(expected.holds_units(), "{name} locates no board of n = {n}");
                let wrong = expected.check(1, &cancel, &monitor).unwrap();
                assert!(wrong.is_empty(), "{name} ({isa}), n = {n}: {wrong:?}");
            }
        }
    }

    /// Names identify units on other machines. Costs divide a count among threads and machines.
    #[test]
    fn units_have_names_of_their_own_and_take_work() {
        let size = Size::new(8).unwrap();
        for &solver in SOLVERS {
            let plan = solver.plan(size, Isa::Portable, &CancelToken::new()).unwrap();
            let names: HashSet<String> = (0..plan.units()).map(|unit| plan.name(unit)).collect();
            assert_eq!(names.len(), plan.units(), "{}", solver.name());
            assert!((0..plan.units()).all(|unit| plan.cost(unit) > 0.0), "{}", solver.name());
            let mut worker = plan.worker();
            let tally = |unit| worker.count(unit, &CancelToken::new()).unwrap();
            let nodes: u64 = (0..plan.units()).map(tally).map(|tally| tally.work.nodes).sum();
            assert!(nodes > 0, "{} says that it placed no queen", solver.name());
        }
    }

    #[test]
    fn a_plan_that_does_not_locate_boards_is_held_in_total() {
        let (cancel, monitor) = (CancelToken::new(), Monitor::new());
        for n in [3, 8] {
            let size = Size::new(n).unwrap();
            // A plan without `locate`, with `more` added to unit 3.
            let plan = |more| {
                let plan = registry::reference().plan(size, Isa::Portable, &CancelToken::new()).unwrap();
                let mut plan = Altered::tallies(plan, move |unit, tally| {
                    tally.solutions += if unit == 3 { more } else { 0 };
                    Ok(())
                });
                plan.is_located = false;
                plan
            };
            let (right, wrong) = (plan(0), plan(if n == 3 { 0 } else { 2 }));
            let located = registry::reference().plan(size, Isa::Portable, &CancelToken::new()).unwrap();
            let reference = consult_reference(size, &[&right, &wrong, &*located], None, &cancel).unwrap();
            // There is no board for n = 3, so each unit must count 0.
            let [first, second, third] = &reference.plans[..] else { panic!("three plans") };
            assert_eq!([first, second, third].map(Expected::holds_units), [n == 3, n == 3, true]);
            assert!(first.check(1, &cancel, &monitor).unwrap().is_empty());
            let expected: &[&str] =
                if n == 3 { &[] } else { &["all units together count 94, but the reference's boards give 92"] };
            assert_eq!(second.check(1, &cancel, &monitor).unwrap(), expected);
        }
    }

    #[test]
    fn errors_that_compensate_each_other_are_found() {
        let size = Size::new(8).unwrap();
        let right = registry::reference().plan(size, Isa::Portable, &CancelToken::new()).unwrap();
        // A wrong rule of symmetry has such errors.
        let wrong = Altered::tallies(
            registry::reference().plan(size, Isa::Portable, &CancelToken::new()).unwrap(),
            |unit, tally| {
                match unit {
                    1 => tally.solutions += 1,
                    6 => tally.solutions -= 1,
                    _ => {}
                }
                Ok(())
            },
        );
        let (cancel, monitor) = (CancelToken::new(), Monitor::new());
        let reference = consult_reference(size, &[&*right, &wrong], Some(92), &cancel).unwrap();
        assert!(reference.solutions == 92 && reference.disagreements.is_empty());
        for threads in if cfg!(target_family = "wasm") { vec![1] } else { vec![1, 3] } {
            let [first, second] = &reference.plans[..] else { panic!("two plans") };
            assert!(first.check(threads, &cancel, &monitor).unwrap().is_empty());
            let mut found = second.check(threads, &cancel, &monitor).unwrap();
            found.sort();
            let boards =
                |unit, counted| format!("unit of work {unit} counts {counted}, but the reference's boards give 8");
            assert_eq!(found, [boards(1, 9), boards(6, 7)]);
            let counted = count_units(&*right, &[0, 6, 1, 7], threads, &cancel, &monitor).unwrap();
            let found = compare(&wrong, &counted, threads, &cancel, &monitor).unwrap();
            let code = |unit, counted| format!("unit of work {unit} counts {counted}, but portable code counts 8");
            assert_eq!(found, [code(1, 9), code(6, 7)]);
        }
    }

    #[test]
    fn a_plan_without_units_or_with_too_many_is_no_panic() {
        let (size, cancel, monitor) = (Size::new(2).unwrap(), CancelToken::new(), Monitor::new());
        // No board of two rows is left by the half turn, and no pair of queens can be placed.
        let without = Turn::Half.plan(2).unwrap();
        assert_eq!((without.units(), representative_units(&*without)), (0, Ok(vec![])));
        let reference = consult_reference(size, &[&*without], Some(0), &cancel).unwrap();
        assert_eq!(reference.plans[0].check(1, &cancel, &monitor), Ok(vec![]));
        assert_eq!(count_units(&*without, &[], 1, &cancel, &monitor), Ok(BTreeMap::new()));
        let unknown = BTreeMap::from([(7, 0)]);
        assert_eq!(compare(&*without, &unknown, 1, &cancel, &monitor), Err(Error::Unit { unit: 7, units: 0 }));
        let mut endless =
            Altered::tallies(registry::reference().plan(size, Isa::Portable, &CancelToken::new()).unwrap(), |_, _| {
                Ok(())
            });
        endless.units = usize::MAX;
        assert!(matches!(representative_units(&endless), Err(Error::Memory { .. })));
        assert!(matches!(consult_reference(size, &[&endless], None, &cancel), Err(Error::Memory { .. })));
        // It has a unit less than its boards need.
        let mut short = Altered::tallies(
            registry::reference().plan(Size::new(4).unwrap(), Isa::Portable, &CancelToken::new()).unwrap(),
            |_, _| Ok(()),
        );
        short.units = 2;
        let reference = consult_reference(Size::new(4).unwrap(), &[&short], None, &cancel).unwrap();
        assert_eq!(reference.disagreements, ["a board belongs to unit of work 2, but the plan has only 2"]);
        let wrong = reference.plans[0].check(1, &cancel, &monitor).unwrap();
        assert_eq!(wrong, ["all units together count 1, but the reference's boards give 2"]);
    }

    #[test]
    fn complete_counts_are_held_against_what_is_known() {
        let size = |n| Size::new(n).unwrap();
        for n in 0..=27 {
            let published = known::solutions(size(n)).unwrap();
            assert_eq!(check_total(size(n), published), Ok(()));
            let fact = format!("the published count is {published}");
            let wrong = Error::Wrong { n, counted: published + 8, fact };
            assert_eq!(check_total(size(n), published + 8), Err(wrong));
        }
        // No count for n = 28 is published. Burnside's lemma: (counted + 1 250 901 440 + 2 * 32 896) mod 8 = 0.
        let passing: Vec<u128> = (0..32).filter(|&counted| check_total(size(28), counted).is_ok()).collect();
        assert_eq!(passing, [0, 8, 16, 24]);
        for counted in [4, u128::MAX] {
            let fact = "Burnside's lemma gives no whole number of orbits".to_owned();
            assert_eq!(check_total(size(28), counted), Err(Error::Wrong { n: 28, counted, fact }));
        }
    }

    #[test]
    fn another_total_than_the_published_one_is_found() {
        let size = Size::new(6).unwrap();
        let reference = consult_reference(size, &[], Some(5), &CancelToken::new()).unwrap();
        assert_eq!(reference.disagreements, ["the reference counts 4, but the published count is 5"]);
        let unpublished = consult_reference(size, &[], None, &CancelToken::new()).unwrap();
        assert!(unpublished.disagreements.is_empty());
    }
}
