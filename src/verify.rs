//! Compares every unit of work of every solver with the reference.
//!
//! The reference lists all boards. [`Plan::locate`] says which unit counts a board, and how often. So the tally of each
//! unit is known before it is counted. Comparing totals alone would hide two errors that cancel each other.

use crate::board::{Board, Size, known};
use crate::engine::Threads;
use crate::solver::Plan;
use crate::tally::Tally;
use crate::{CancelToken, Error, Progress, Result, engine, memory, registry};

/// Compares a complete count with the published count, if there is one, and with Burnside's lemma.
///
/// The lemma misses most errors, because most solutions have eight images. By it, `counted` + H + 2 Q is a multiple of
/// eight for n >= 2. H is the number of solutions that a half turn does not change, Q that of a quarter turn.
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
pub struct Reference {
    /// Number of boards that the reference found.
    pub solutions: u64,
    /// Errors in the reference's boards, each as a clause.
    pub disagreements: Vec<String>,
    /// What each plan must count, in the order in which the plans were given.
    pub plans: Vec<Expected>,
}

/// What units of a plan must count, by the reference or by portable code.
#[derive(Debug, Clone)]
pub struct Expected {
    /// Units and their tallies, in the order of the units.
    tallies: Vec<(usize, u128)>,
    /// Whether the tally of each unit is known. It is unknown if [`Plan::locate`] returns `None` for all boards, as its
    /// default does. Then only the sum of all units can be compared.
    is_by_unit: bool,
    total: u128,
    /// Who says so, as a clause that goes on with a number.
    source: &'static str,
}

/// Lists all boards with the reference, and adds up for each unit of `plans` the tally that it must have. The plans must
/// be for boards of this size.
///
/// # Errors
/// [`Error::Cancelled`]; [`Error::Memory`] if a plan has too many units; [`Error::CannotEnumerate`] and
/// [`Error::Bug`] would be bugs.
///
/// # Panics
/// If [`Plan::locate`] panics, which it may for a plan of another size.
pub fn consult_reference(
    size: Size,
    plans: &[&dyn Plan],
    published: Option<u128>,
    cancel: &CancelToken,
) -> Result<Reference> {
    // For each plan, the sum of the weights of each unit's boards.
    let nothing = |plan: &&dyn Plan| memory::collect((0..plan.units()).map(|unit| (unit, 0)));
    let mut sums: Vec<Vec<(usize, u128)>> = plans.iter().map(nothing).collect::<Result<_>>()?;
    let mut reference = Reference { solutions: 0, disagreements: Vec::new(), plans: Vec::new() };
    let mut before: Option<Board> = None;
    for solution in registry::solutions_by(registry::reference(), size)?.cancelled_by(cancel) {
        let solution = solution?;
        reference.solutions += 1;
        let is_in_order = before.as_ref().is_none_or(|before| before < &solution);
        let columns = solution.columns();
        let is_solution = Board::new(columns.to_vec()).is_ok_and(|board| board.is_solution());
        if !is_in_order || !is_solution || columns.len() != size.get() {
            reference
                .disagreements
                .push(format!("the queens in columns {columns:?} (from 0) are not a solution, or are out of order"));
        }
        for (plan, tallies) in plans.iter().zip(&mut sums) {
            let Some((unit, weight)) = plan.locate(&solution) else { continue };
            match tallies.get_mut(unit) {
                Some((_, sum)) => *sum = sum.checked_add(weight.into()).ok_or_else(|| Error::overflow(128))?,
                None => reference
                    .disagreements
                    .push(format!("a board belongs to unit of work {unit}, but the plan has only {}", tallies.len())),
            }
        }
        before = Some(solution);
    }
    let counted = u128::from(reference.solutions);
    if let Some(published) = published.filter(|&published| published != counted) {
        reference.disagreements.push(format!("the reference counts {counted}, but the published count is {published}"));
    }
    let expected = |tallies: Vec<(usize, u128)>| Expected {
        is_by_unit: counted == 0 || tallies.iter().any(|(_, sum)| *sum > 0),
        tallies,
        total: counted,
        source: "the reference's boards give",
    };
    reference.plans = sums.into_iter().map(expected).collect();
    Ok(reference)
}

impl Expected {
    /// Counts units of a plan, to compare other code with it. Give a plan of portable code.
    ///
    /// # Errors
    /// The errors of [`engine::for_each`].
    pub fn by_portable(
        plan: &dyn Plan,
        units: &[usize],
        threads: impl Into<Threads>,
        cancel: &CancelToken,
        progress: &Progress,
    ) -> Result<Self> {
        let (mut tallies, mut total) = (Vec::new(), Tally::default());
        engine::for_each(plan, units, threads, cancel, progress, |unit, tally| {
            tallies.push((unit, tally.solutions));
            total.add(tally)
        })?;
        tallies.sort_unstable();
        Ok(Self { tallies, is_by_unit: true, total: total.solutions, source: "portable code counts" })
    }

    /// Counts these units of `plan`. Returns the disagreements of units and of their sum, each as a clause.
    ///
    /// # Errors
    /// The errors of [`engine::for_each`].
    pub fn check(
        &self,
        plan: &dyn Plan,
        threads: impl Into<Threads>,
        cancel: &CancelToken,
        progress: &Progress,
    ) -> Result<Vec<String>> {
        let units = memory::collect(self.tallies.iter().map(|(unit, _)| *unit))?;
        let (mut disagreements, mut total) = (Vec::new(), Tally::default());
        engine::for_each(plan, &units, threads, cancel, progress, |unit, tally| {
            let counted = tally.solutions;
            let place = self.tallies.binary_search_by_key(&unit, |(unit, _)| *unit);
            let expected = place.map_or(0, |place| self.tallies[place].1);
            if self.is_by_unit && counted != expected {
                let source = self.source;
                disagreements.push(format!("unit of work {unit} counts {counted}, but {source} {expected}"));
            }
            total.add(tally)
        })?;
        if total.solutions != self.total {
            let (counted, source, expected) = (total.solutions, self.source, self.total);
            disagreements.push(format!("all units together count {counted}, but {source} {expected}"));
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
    let mut units = memory::collect(0..plan.units())?;
    units.sort_by(|&a, &b| plan.cost(b).total_cmp(&plan.cost(a)));
    let mut some: Vec<usize> = [0, units.len() / 2].iter().filter_map(|&place| units.get(place).copied()).collect();
    some.dedup();
    Ok(some)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solver::Isa;
    use crate::symmetric::Turn;
    use crate::testing::Altered;

    /// The reference's plan, with tallies that `alter` changes.
    fn altered(n: usize, alter: fn(usize, &mut Tally)) -> Altered<'static> {
        let plan = registry::reference().plan(Size::new(n).unwrap(), Isa::Portable, &CancelToken::new()).unwrap();
        Altered::tallies(plan, move |unit, tally| {
            alter(unit, tally);
            Ok(())
        })
    }

    #[test]
    fn wrong_units_are_found_and_a_wrong_total_where_boards_are_not_located() {
        let (cancel, progress) = (CancelToken::new(), Progress::new());
        let right = altered(8, |_, _| ());
        // A wrong rule of symmetry has errors that compensate each other.
        let wrong = altered(8, |unit, tally| match unit {
            1 => tally.solutions += 1,
            6 => tally.solutions -= 1,
            _ => {}
        });
        let mut in_total = altered(8, |unit, tally| tally.solutions += 2 * u128::from(unit == 3));
        in_total.is_located = false;
        let reference =
            consult_reference(Size::new(8).unwrap(), &[&right, &wrong, &in_total], Some(92), &cancel).unwrap();
        assert_eq!((reference.solutions, &reference.disagreements[..]), (92, &[][..]));
        let check = |expected: &Expected, plan: &dyn Plan| {
            let mut found = expected.check(plan, 1, &cancel, &progress).unwrap();
            found.sort();
            found
        };
        let [of_right, of_wrong, of_total] = &reference.plans[..] else { panic!("three plans") };
        assert_eq!(check(of_right, &right), [""; 0]);
        let found = [(1, 9), (6, 7)].map(|(unit, counted)| format!("unit of work {unit} counts {counted}"));
        assert_eq!(
            check(of_wrong, &wrong),
            found.each_ref().map(|it| format!("{it}, but the reference's boards give 8"))
        );
        assert_eq!(check(of_total, &in_total), ["all units together count 94, but the reference's boards give 92"]);
        let of_some = Expected::by_portable(&right, &[0, 6, 1, 7], 1, &cancel, &progress).unwrap();
        assert_eq!(check(&of_some, &wrong), found.map(|it| format!("{it}, but portable code counts 8")));
        // There is no board for n = 3, so each unit must count 0.
        let mut none = altered(3, |_, _| ());
        none.is_located = false;
        assert!(consult_reference(Size::new(3).unwrap(), &[&none], None, &cancel).unwrap().plans[0].is_by_unit);
    }

    #[test]
    fn a_plan_without_units_or_with_too_many_is_no_panic() {
        let (cancel, progress) = (CancelToken::new(), Progress::new());
        // No board of two rows is left by the half turn, and no pair of queens can be placed.
        let without = Turn::Half.plan(2).unwrap();
        assert_eq!((without.units(), representative_units(&*without)), (0, Ok(vec![])));
        let reference = consult_reference(Size::new(2).unwrap(), &[&*without], Some(0), &cancel).unwrap();
        assert_eq!(reference.plans[0].check(&*without, 1, &cancel, &progress), Ok(vec![]));
        let (size, mut plan) = (Size::new(4).unwrap(), altered(4, |_, _| ()));
        plan.units = usize::MAX;
        assert!(matches!(representative_units(&plan), Err(Error::Memory { .. })));
        assert!(matches!(consult_reference(size, &[&plan], None, &cancel), Err(Error::Memory { .. })));
        // It has a unit less than its boards need.
        plan.units = 2;
        let reference = consult_reference(size, &[&plan], Some(5), &cancel).unwrap();
        let total = "the reference counts 2, but the published count is 5";
        assert_eq!(reference.disagreements, ["a board belongs to unit of work 2, but the plan has only 2", total]);
        let wrong = reference.plans[0].check(&plan, 1, &cancel, &progress).unwrap();
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
}
