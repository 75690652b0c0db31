//! Compares every unit of work of every solver with the reference.
//!
//! The reference lists all boards. [`Plan::locate`] says which unit counts a board, and how often. So the tally of each
//! unit is known before it is counted. Comparing totals alone would hide two errors that cancel each other.

use std::collections::BTreeMap;
use std::fmt;

use crate::board::{Size, Solution, known};
use crate::count::Total;
use crate::solver::{Plan, registry};
use crate::{CancelToken, Error, Monitor, Result, engine};

/// Compares a complete count with the published count, if there is one, and with Burnside's lemma.
///
/// By Burnside's lemma, `counted` + H + 2 Q is a multiple of eight for n >= 2. H is the number of solutions that a half
/// turn does not change, Q the number that a quarter turn does not change.
///
/// # Errors
/// [`Error::Published`] or [`Error::Orbits`] if the count is wrong.
pub fn check_total(size: Size, counted: u128) -> Result<()> {
    if let Some(published) = known::solutions(size).filter(|&published| published != counted) {
        return Err(Error::Published { n: size.get(), counted, published });
    }
    let fixed = |symmetric: u128, times: u128| symmetric % 8 * times;
    if let (2.., Some(half), Some(quarter)) = (size.get(), known::half_turn(size), known::quarter_turn(size))
        && !(counted % 8 + fixed(half, 1) + fixed(quarter, 2)).is_multiple_of(8)
    {
        return Err(Error::Orbits { n: size.get(), counted });
    }
    Ok(())
}

/// The tallies that plans for one size must have.
#[derive(Debug, Clone)]
pub struct Reference {
    /// Number of boards that the reference found.
    pub solutions: u64,
    /// Errors in the reference's boards.
    pub disagreements: Vec<Disagreement>,
    /// For each plan, the tally that each of its units must have.
    expected: Vec<Vec<u64>>,
}

/// Two results that should be equal and are not.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Disagreement {
    /// A unit of work has another tally than the reference's boards give.
    Unit {
        /// The unit's number.
        unit: usize,
        /// The unit's tally, weights included.
        counted: u128,
        /// The tally by the reference.
        expected: u128,
    },
    /// A unit of work has different tallies with two instruction sets.
    Codes {
        /// The unit's number.
        unit: usize,
        /// The tally with the instruction set that is checked.
        counted: u128,
        /// The tally to compare with.
        other: u128,
    },
    /// The units' sum is not the number of boards times the plan's divisor.
    Sum {
        /// The sum over all units.
        counted: u128,
        /// The sum by the reference.
        expected: u128,
    },
    /// A board belongs to a unit that the plan does not have.
    Stray {
        /// The unit's number.
        unit: usize,
        /// Number of units in the plan.
        units: usize,
    },
    /// The reference found a board that is not a solution, or a solution out of order.
    Board {
        /// The columns of its queens.
        columns: Vec<u8>,
    },
    /// The number of boards differs from the published count.
    Published {
        /// Number of boards that the reference found.
        counted: u64,
        /// The published count.
        published: u128,
    },
}

impl fmt::Display for Disagreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unit { unit, counted, expected } => {
                write!(f, "unit of work {unit} counts {counted}, but the reference's boards give {expected}")
            }
            Self::Codes { unit, counted, other } => {
                write!(f, "unit of work {unit} counts {counted}, but portable code counts {other}")
            }
            Self::Sum { counted, expected } => {
                write!(f, "all units together count {counted}, but the reference's boards give {expected}")
            }
            Self::Stray { unit, units } => {
                write!(f, "a board belongs to unit of work {unit}, but the plan has only {units}")
            }
            Self::Board { columns } => {
                write!(f, "the queens in columns {columns:?} (from 0) are not a solution, or are out of order")
            }
            Self::Published { counted, published } => {
                write!(f, "the reference finds {counted} boards, but the published count is {published}")
            }
        }
    }
}

/// Lists all boards with the reference, and adds up for each unit of `plans` the tally that it must have.
///
/// # Errors
/// [`Error::Cancelled`]; [`Error::CannotEnumerate`] and [`Error::Overflow`] would be bugs.
pub fn consult_reference(
    size: Size,
    plans: &[&dyn Plan],
    published: Option<u128>,
    cancel: &CancelToken,
) -> Result<Reference> {
    let mut reference = Reference {
        solutions: 0,
        disagreements: Vec::new(),
        expected: plans.iter().map(|plan| vec![0; plan.units()]).collect(),
    };
    let mut before: Option<Solution> = None;
    let mut solutions = registry::solutions_by(registry::reference(), size)?.cancelled_by(cancel);
    for solution in solutions.by_ref() {
        reference.solutions += 1;
        let is_in_order = before.as_ref().is_none_or(|before| before < &solution);
        if !is_in_order || !solution.is_valid() || solution.columns().len() != size.get() {
            reference.disagreements.push(Disagreement::Board { columns: solution.columns().to_vec() });
        }
        for (plan, expected) in plans.iter().zip(&mut reference.expected) {
            let Some((unit, weight)) = plan.locate(&solution) else { continue };
            match expected.get_mut(unit) {
                Some(count) => *count = count.checked_add(weight).ok_or(Error::Overflow { bits: 64 })?,
                None => reference.disagreements.push(Disagreement::Stray { unit, units: plan.units() }),
            }
        }
        before = Some(solution);
    }
    if solutions.is_stopped() {
        return Err(Error::Cancelled { units_done: 0, units: 1, per_mille: 0 });
    }
    if let Some(published) = published.filter(|&published| published != u128::from(reference.solutions)) {
        reference.disagreements.push(Disagreement::Published { counted: reference.solutions, published });
    }
    Ok(reference)
}

impl Reference {
    /// Whether the tally of each unit is known for plan number `place` of [`consult_reference`]. It is unknown if
    /// [`Plan::locate`] returns `None` for all boards, as its default does. Then only the sum of all units can be
    /// compared.
    #[must_use]
    pub fn holds_units(&self, place: usize) -> bool {
        self.solutions == 0 || self.expected[place].iter().any(|&expected| expected > 0)
    }

    /// Counts every unit of `plan`, which was number `place` of [`consult_reference`]. Returns the disagreements of
    /// units and of their sum.
    ///
    /// # Errors
    /// The errors of [`engine::for_each`].
    pub fn check(
        &self,
        place: usize,
        plan: &dyn Plan,
        threads: usize,
        cancel: &CancelToken,
        monitor: &Monitor,
    ) -> Result<Vec<Disagreement>> {
        let (expected, holds_units) = (&self.expected[place], self.holds_units(place));
        let units: Vec<usize> = (0..plan.units()).collect();
        let mut disagreements = Vec::new();
        let mut total = Total::default();
        engine::for_each(plan, &units, threads, cancel, monitor, |unit, tally| {
            let expected = u128::from(expected[unit]);
            if holds_units && tally.solutions != expected {
                disagreements.push(Disagreement::Unit { unit, counted: tally.solutions, expected });
            }
            total.add(tally)
        })?;
        let sum = u128::from(self.solutions) * u128::from(plan.divisor());
        if total.solutions != sum {
            disagreements.push(Disagreement::Sum { counted: total.solutions, expected: sum });
        }
        Ok(disagreements)
    }
}

/// Returns one or two units of a plan: the costliest and the median by cost. Use them to compare solvers on boards that
/// are too large for the reference.
#[must_use]
pub fn representative_units(plan: &dyn Plan) -> Vec<usize> {
    let mut units: Vec<usize> = (0..plan.units()).collect();
    units.sort_by(|&a, &b| plan.cost(b).total_cmp(&plan.cost(a)));
    let mut some = vec![units[0], units[units.len() / 2]];
    some.dedup();
    some
}

/// Counts units, weights included. [`compare`] compares another instruction set with the result.
///
/// # Errors
/// The errors of [`engine::for_each`].
pub fn count_units(
    plan: &dyn Plan,
    units: &[usize],
    threads: usize,
    cancel: &CancelToken,
    monitor: &Monitor,
) -> Result<BTreeMap<usize, u128>> {
    let mut counts = BTreeMap::new();
    engine::for_each(plan, units, threads, cancel, monitor, |unit, tally| {
        counts.insert(unit, tally.solutions);
        Ok(())
    })?;
    Ok(counts)
}

/// Counts the units in `expected`, and returns those whose tally differs. `expected` maps a unit's number to the tally
/// by another instruction set.
///
/// # Errors
/// The errors of [`engine::for_each`].
pub fn compare(
    plan: &dyn Plan,
    expected: &BTreeMap<usize, u128>,
    threads: usize,
    cancel: &CancelToken,
    monitor: &Monitor,
) -> Result<Vec<Disagreement>> {
    let units: Vec<usize> = expected.keys().copied().collect();
    let counts = count_units(plan, &units, threads, cancel, monitor)?;
    let pairs = counts.into_iter().zip(expected.values());
    let differing = pairs.filter(|((_, counted), other)| counted != *other);
    Ok(differing.map(|((unit, counted), &other)| Disagreement::Codes { unit, counted, other }).collect())
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::altered::Altered;
    use crate::solver::registry::SOLVERS;
    use crate::solver::{Isa, Solver};

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
            let plans: Vec<_> = plans.map(|(solver, isa)| (solver.name(), isa, solver.plan(size, isa))).collect();
            let of_all: Vec<&dyn Plan> = plans.iter().map(|(.., plan)| &**plan).collect();
            let reference = consult_reference(size, &of_all, known::solutions(size), &cancel).unwrap();
            assert_eq!(reference.disagreements, []);
            for (place, (name, isa, plan)) in plans.iter().enumerate() {
                assert!(reference.holds_units(place), "{name} locates no board of n = {n}");
                let wrong = reference.check(place, &**plan, 1, &cancel, &monitor).unwrap();
                assert!(wrong.is_empty(), "{name} ({isa}), n = {n}: {wrong:?}");
            }
        }
    }

    /// Names identify units on other machines. Costs divide a count among threads and machines.
    #[test]
    fn units_have_names_of_their_own_and_take_work() {
        let size = Size::new(8).unwrap();
        for &solver in SOLVERS {
            let plan = solver.plan(size, Isa::Portable);
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
                let plan = registry::reference().plan(size, Isa::Portable);
                let mut plan = Altered::tallies(plan, move |unit, tally| {
                    tally.solutions += if unit == 3 { more } else { 0 };
                    Ok(())
                });
                plan.is_located = false;
                plan
            };
            let (right, wrong) = (plan(0), plan(if n == 3 { 0 } else { 2 }));
            let located = registry::reference().plan(size, Isa::Portable);
            let reference = consult_reference(size, &[&right, &wrong, &*located], None, &cancel).unwrap();
            // There is no board for n = 3, so each unit must count 0.
            assert_eq!([0, 1, 2].map(|place| reference.holds_units(place)), [n == 3, n == 3, true]);
            assert_eq!(reference.check(0, &right, 1, &cancel, &monitor).unwrap(), []);
            let expected: &[Disagreement] =
                if n == 3 { &[] } else { &[Disagreement::Sum { counted: 94, expected: 92 }] };
            assert_eq!(reference.check(1, &wrong, 1, &cancel, &monitor).unwrap(), expected);
        }
    }

    #[test]
    fn errors_that_compensate_each_other_are_found() {
        let size = Size::new(8).unwrap();
        let right = registry::reference().plan(size, Isa::Portable);
        // A wrong rule of symmetry has such errors.
        let wrong = Altered::tallies(registry::reference().plan(size, Isa::Portable), |unit, tally| {
            match unit {
                1 => tally.solutions += 1,
                6 => tally.solutions -= 1,
                _ => {}
            }
            Ok(())
        });
        let (cancel, monitor) = (CancelToken::new(), Monitor::new());
        let reference = consult_reference(size, &[&*right, &wrong], Some(92), &cancel).unwrap();
        assert_eq!((reference.solutions, &reference.disagreements[..]), (92, &[][..]));
        for threads in if cfg!(target_family = "wasm") { vec![1] } else { vec![1, 3] } {
            assert_eq!(reference.check(0, &*right, threads, &cancel, &monitor).unwrap(), []);
            let mut found = reference.check(1, &wrong, threads, &cancel, &monitor).unwrap();
            found.sort_by_key(ToString::to_string);
            let unit = |unit, counted, expected| Disagreement::Unit { unit, counted, expected };
            assert_eq!(found, [unit(1, 9, 8), unit(6, 7, 8)]);
            let codes = |unit, counted, other| Disagreement::Codes { unit, counted, other };
            let counted = count_units(&*right, &[0, 6, 1, 7], threads, &cancel, &monitor).unwrap();
            let found = compare(&wrong, &counted, threads, &cancel, &monitor).unwrap();
            assert_eq!(found, [codes(1, 9, 8), codes(6, 7, 8)]);
        }
    }

    #[test]
    fn complete_counts_are_held_against_what_is_known() {
        let size = |n| Size::new(n).unwrap();
        for n in 0..=27 {
            let published = known::solutions(size(n)).unwrap();
            assert_eq!(check_total(size(n), published), Ok(()));
            let wrong = Error::Published { n, counted: published + 8, published };
            assert_eq!(check_total(size(n), published + 8), Err(wrong));
        }
        // No count for n = 28 is published. Burnside's lemma: (counted + 1 250 901 440 + 2 * 32 896) mod 8 = 0.
        let passing: Vec<u128> = (0..32).filter(|&counted| check_total(size(28), counted).is_ok()).collect();
        assert_eq!(passing, [0, 8, 16, 24]);
        assert_eq!(check_total(size(28), 4), Err(Error::Orbits { n: 28, counted: 4 }));
        assert_eq!(check_total(size(28), u128::MAX), Err(Error::Orbits { n: 28, counted: u128::MAX }));
    }

    #[test]
    fn another_total_than_the_published_one_is_found() {
        let size = Size::new(6).unwrap();
        let reference = consult_reference(size, &[], Some(5), &CancelToken::new()).unwrap();
        assert_eq!(reference.disagreements, [Disagreement::Published { counted: 4, published: 5 }]);
        let unpublished = consult_reference(size, &[], None, &CancelToken::new()).unwrap();
        assert_eq!(unpublished.disagreements, []);
    }
}
