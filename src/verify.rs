//! The trust chain: the reference's boards decide what every unit of work of every solver must count.
//!
//! Totals alone would hide errors that compensate each other, so a plan is held against the reference unit by unit:
//! [`Plan::locate`] says from the definition which unit a board belongs to and how often it counts there.

use std::collections::BTreeMap;
use std::fmt;

use crate::board::{Size, Solution, known};
use crate::count::Total;
use crate::solver::{Plan, registry};
use crate::{CancelToken, Error, Monitor, Result, engine};

/// Holds a complete count against what is known: the published count, where there is one, and Burnside's lemma. Of the
/// eight symmetries of the square only turns leave solutions as they are (n >= 2), so all + half-turn symmetric ones +
/// 2 x quarter-turn symmetric ones is eight times the number of orbits.
///
/// # Errors
/// [`Error::Published`] or [`Error::Orbits`] where the count cannot be right.
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

/// What plans for a size must count.
#[derive(Debug, Clone)]
pub struct Reference {
    /// The boards that the reference found.
    pub solutions: u64,
    /// What is wrong with these boards themselves.
    pub disagreements: Vec<Disagreement>,
    /// For each plan, what each of its units must count.
    expected: Vec<Vec<u64>>,
}

/// Something that does not agree.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Disagreement {
    /// A unit of work counted something else than its boards say.
    Unit {
        /// The unit.
        unit: usize,
        /// What it counted, weights included.
        counted: u128,
        /// What it had to count.
        expected: u128,
    },
    /// Two instruction sets count a unit of work differently.
    Codes {
        /// The unit.
        unit: usize,
        /// What the one at hand counted.
        counted: u128,
        /// What the other one did.
        other: u128,
    },
    /// The units' sum is not the number of boards times the plan's divisor.
    Sum {
        /// The sum over all units.
        counted: u128,
        /// What it had to be.
        expected: u128,
    },
    /// A board belongs to a unit that the plan does not have.
    Stray {
        /// The unit it would belong to.
        unit: usize,
        /// The units that there are.
        units: usize,
    },
    /// The reference found something that is no solution, or found it out of order.
    Board {
        /// The columns of its queens.
        columns: Vec<u8>,
    },
    /// The reference found another number of boards than was published.
    Published {
        /// How many it found.
        counted: u64,
        /// How many there are.
        published: u128,
    },
}

impl fmt::Display for Disagreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unit { unit, counted, expected } => {
                write!(f, "unit of work {unit} counts {counted} where the reference's boards make {expected}")
            }
            Self::Codes { unit, counted, other } => {
                write!(f, "unit of work {unit} counts {counted} where the portable code counts {other}")
            }
            Self::Sum { counted, expected } => {
                write!(f, "all units together count {counted} where the reference's boards make {expected}")
            }
            Self::Stray { unit, units } => {
                write!(f, "a board belongs to unit of work {unit}, and the plan has only {units}")
            }
            Self::Board { columns } => {
                write!(f, "the queens in columns {columns:?} (from 0) are no solution, or one out of order")
            }
            Self::Published { counted, published } => {
                write!(f, "the reference finds {counted} boards, and {published} were published")
            }
        }
    }
}

/// Lets the reference find all boards, and derives from them what these plans must count.
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
    /// Whether it says of each unit of the plan at this place what it must count. It does not where there are boards and
    /// the plan's [`Plan::locate`] knows none of them, as where that is left out: then the sum of all units is all there is
    /// to compare.
    #[must_use]
    pub fn holds_units(&self, place: usize) -> bool {
        self.solutions == 0 || self.expected[place].iter().any(|&expected| expected > 0)
    }

    /// Counts every unit of the plan that stood at this place when the reference was consulted, and returns what does
    /// not agree: of each unit, or of their sum where it [holds](Self::holds_units) no units.
    ///
    /// # Errors
    /// Those of [`engine::for_each`].
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

/// Units of a plan that are worth counting alone on boards too large for the reference: the costliest, and one in the
/// middle.
#[must_use]
pub fn representative_units(plan: &dyn Plan) -> Vec<usize> {
    let mut units: Vec<usize> = (0..plan.units()).collect();
    units.sort_by(|&a, &b| plan.cost(b).total_cmp(&plan.cost(a)));
    let mut some = vec![units[0], units[units.len() / 2]];
    some.dedup();
    some
}

/// Counts units, weights included, to hold other code against them with [`compare`].
///
/// # Errors
/// Those of [`engine::for_each`].
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

/// Counts units that another instruction set has counted, by number, and returns where they do not agree.
///
/// # Errors
/// Those of [`engine::for_each`].
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

    /// Every code of a solver that this machine has.
    fn codes(solver: &'static dyn Solver) -> impl Iterator<Item = Isa> {
        solver.instruction_sets().iter().copied().filter(|isa| isa.is_available())
    }

    /// What tests/it/agreement.rs does on larger boards, where the command line is: here it runs on every target.
    #[test]
    fn every_unit_of_every_solver_is_what_the_references_boards_make_it() {
        let (cancel, monitor) = (CancelToken::new(), Monitor::new());
        for &solver in SOLVERS {
            let largest = if ["bitmask", "color"].contains(&solver.name()) { 10 } else { 8 };
            for isa in codes(solver) {
                for n in 0..=largest {
                    let size = Size::new(n).unwrap();
                    let plan = solver.plan(size, isa);
                    let reference = consult_reference(size, &[&*plan], known::solutions(size), &cancel).unwrap();
                    let wrong = reference.check(0, &*plan, 1, &cancel, &monitor).unwrap();
                    assert!(wrong.is_empty(), "{} ({isa}), n = {n}: {wrong:?}", solver.name());
                }
            }
        }
    }

    /// A unit's name is how another machine finds it; its cost is how threads and machines share a count.
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
            // As somebody writes it who wants a count only, with so many more in unit 3.
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
            // There is no board for n = 3: nothing is what each unit must count.
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
        // Beyond, a count is one of every eight numbers: (counted + 1 250 901 440 + 2 * 32 896) mod 8 = 0 for n = 28.
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
