//! Compares every unit of work of a solver with the reference.
//!
//! The reference lists all boards, and [`Plan::locate`] says which unit counts a board and how often, so that the tally
//! of each unit is known before it is counted. A comparison of totals alone could hide two errors that cancel each
//! other.

use crate::board::{Board, Size, known};
use crate::engine::Count;
use crate::solver::Plan;
use crate::symmetric::Classes;
use crate::tally::Tally;
use crate::{CancelToken, Error, Progress, Result, Solutions, memory, rows};

/// The tallies that units of a plan must have, according to the reference or to other code.
#[derive(Debug, Clone)]
pub struct Expected {
    /// Units and their tallies, ordered by unit.
    tallies: Vec<(usize, u128)>,
    total: u128,
}

impl Expected {
    /// Lists all solutions with the reference, and returns the expected tallies of one plan. The plan must count all
    /// solutions of its size, as the plan of every solver does.
    ///
    /// # Errors
    /// The errors of [`consult_reference`].
    pub fn by_reference(plan: &dyn Plan, cancel: &CancelToken) -> Result<Self> {
        consult_reference(&[plan], cancel, &Progress::new()).map(|mut expected| expected.remove(0))
    }

    /// Counts units of a plan, and returns their tallies, with which you can compare other code for the same units. On
    /// boards that are too large for the reference, count with portable code.
    ///
    /// # Errors
    /// The errors of [`Count::for_each`].
    pub fn by_count(count: Count<'_>) -> Result<Self> {
        let (mut tallies, mut total) = (Vec::new(), Tally::default());
        count.for_each(|unit, tally| {
            memory::push(&mut tallies, (unit, tally.solutions))?;
            total.add(tally)
        })?;
        tallies.sort_unstable();
        Ok(Self { tallies, total: total.solutions })
    }

    /// Returns the units whose tallies are expected.
    pub fn units(&self) -> impl ExactSizeIterator<Item = usize> + '_ {
        self.tallies.iter().map(|(unit, _)| *unit)
    }

    /// Returns the sum of all tallies.
    #[must_use]
    pub fn total(&self) -> u128 {
        self.total
    }

    /// Counts these units with the threads, token and progress of `count`, and returns the units that disagree, and
    /// their sum if it disagrees. An empty list means that all agree. Pass `plan.count()`, whose choice of units is
    /// replaced.
    ///
    /// # Errors
    /// The errors of [`Count::for_each`].
    pub fn check(&self, count: Count<'_>) -> Result<Vec<Disagreement>> {
        let (mut disagreements, mut total) = (Vec::new(), Tally::default());
        count.units(self.units()).for_each(|unit, tally| {
            let counted = tally.solutions;
            let at = self.tallies.binary_search_by_key(&unit, |(unit, _)| *unit).expect("only these units are counted");
            let (_, expected) = self.tallies[at];
            if counted != expected {
                memory::push(&mut disagreements, Disagreement { unit: Some(unit), counted, expected })?;
            }
            total.add(tally)
        })?;
        let (counted, expected) = (total.solutions, self.total);
        if counted != expected {
            disagreements.push(Disagreement { unit: None, counted, expected });
        }
        Ok(disagreements)
    }
}

/// A count of a unit, or of all units together, that is not the expected number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub struct Disagreement {
    /// The unit of work; `None` for all units together.
    pub unit: Option<usize>,
    /// The number that was counted.
    pub counted: u128,
    /// The number according to the reference or to other code.
    pub expected: u128,
}

/// Lists all solutions with the reference, once for all plans, and returns the expected tallies of each plan. All plans
/// must be for one size, and count all solutions of this size, as the plan of every solver does. The units of the
/// progress are the boards, if their number is published and fits in a `usize`. Otherwise the progress stays at zero.
///
/// # Errors
/// - [`Error::Cancelled`]: the token stopped the search.
/// - [`Error::Memory`]: a plan has too many units.
/// - [`Error::Unit`]: [`Plan::locate`] returned a unit that the plan does not have.
/// - [`Error::Sizes`]: the plans are for several sizes.
/// - [`Error::Bug`]: a listed board is not a solution or is out of order, or the number of boards is not the published
///   one.
pub fn consult_reference(plans: &[&dyn Plan], cancel: &CancelToken, progress: &Progress) -> Result<Vec<Expected>> {
    progress.reset();
    let Some(size) = plans.first().map(|plan| plan.size()) else { return Ok(Vec::new()) };
    consult(size, reference_boards(size).cancelled_by(cancel), plans, progress)
}

/// Like [`consult_reference`], with boards that any reference lists.
fn consult(
    size: Size,
    boards: impl Iterator<Item = Result<Board>>,
    plans: &[&dyn Plan],
    progress: &Progress,
) -> Result<Vec<Expected>> {
    if let Some(other) = plans.iter().map(|plan| plan.size()).find(|&other| other != size) {
        return Err(Error::Sizes { first: size.get(), other: other.get() });
    }
    let published = known::solutions(size).and_then(|boards| usize::try_from(boards).ok());
    if let Some(boards) = published {
        progress.begin(boards, boards as f64);
    }
    // For each unit of each plan, the sum of the weights of its boards.
    let nothing = |plan: &&dyn Plan| memory::collect((0..plan.units()).map(|unit| (unit, 0)));
    let mut sums: Vec<Vec<(usize, u128)>> = plans.iter().map(nothing).collect::<Result<_>>()?;
    let mut total = 0;
    let mut before: Option<Board> = None;
    for solution in boards {
        let solution = solution?;
        total += 1;
        let is_in_order = before.as_ref().is_none_or(|before| before < &solution);
        if !is_in_order || !solution.is_solution() || solution.size() != size.get() {
            let problem =
                format!("the reference lists {:?}, which is not a solution or is out of order", solution.columns());
            return Err(Error::Bug { unit: None, problem });
        }
        for (plan, tallies) in plans.iter().zip(&mut sums) {
            let Some((unit, weight)) = plan.locate(&solution) else { continue };
            let units = tallies.len();
            let (_, sum) = tallies.get_mut(unit).ok_or(Error::Unit { unit, units })?;
            *sum = sum.checked_add(weight.into()).ok_or_else(|| Error::overflow(128))?;
        }
        before = Some(solution);
        if published.is_some() {
            progress.finish_unit(1.0);
        }
    }
    check_total(size, total)?;
    Ok(sums.into_iter().map(|tallies| Expected { tallies, total }).collect())
}

/// Returns the unit with the highest cost and the unit with the median cost, which may be the same unit. Use them to
/// compare solvers on boards that are too large for the reference. A plan without units has neither.
///
/// # Errors
/// [`Error::Memory`] if the plan has too many units.
pub fn representative_units(plan: &dyn Plan) -> Result<Vec<usize>> {
    let mut units = memory::collect(0..plan.units())?;
    // A stable sort would allocate, and end the process if the system refused the memory.
    units.sort_unstable_by(|&a, &b| plan.cost(b).total_cmp(&plan.cost(a)).then(a.cmp(&b)));
    let mut some: Vec<usize> = [0, units.len() / 2].iter().filter_map(|&at| units.get(at).copied()).collect();
    some.dedup();
    Ok(some)
}

/// Returns an iterator over the solutions that the reference finds. The reference, the solver `arrays`, shares no
/// counting code with the fast solvers.
#[must_use]
pub fn reference_boards(size: Size) -> Solutions {
    rows::reference_boards(size)
}

/// Checks a complete count against the published count, if there is one, and against Burnside's lemma.
///
/// By the lemma, solutions that every turn changes are in orbits of eight: see [`Classes`]. The lemma misses errors
/// that are multiples of eight, such as an orbit that a solver does not count.
///
/// # Errors
/// [`Error::Bug`] if the count is wrong.
pub fn check_total(size: Size, counted: u128) -> Result<()> {
    // Published for every size except n = 0, whose empty board looks the same after every turn.
    let half_turn = known::half_turn(size).unwrap_or(1);
    let quarter_turn = known::quarter_turn(size).unwrap_or(1);
    Classes::new(size, counted, half_turn, quarter_turn).map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Snapshot;
    use crate::altered::Altered;
    use crate::registry;
    use crate::solver::Isa;
    use crate::symmetric::Turn;

    fn size(n: usize) -> Size {
        Size::new(n).unwrap()
    }

    /// Returns the plan of the reference, with tallies that `alter` changes.
    fn altered(n: usize, alter: fn(usize, &mut Tally)) -> Altered<'static> {
        let plan = registry::ARRAYS.plan(size(n), Isa::Portable, &CancelToken::new()).unwrap();
        Altered::tallies(plan, move |unit, tally| {
            alter(unit, tally);
            Ok(())
        })
    }

    fn check(expected: &Expected, plan: &dyn Plan) -> Vec<(Option<usize>, u128, u128)> {
        let mut found = expected.check(plan.count().threads(1)).unwrap();
        found.sort();
        found.into_iter().map(|it| (it.unit, it.counted, it.expected)).collect()
    }

    #[test]
    fn wrong_units_are_found_and_all_units_where_boards_are_not_located() {
        let right = altered(8, |_, _| ());
        // A wrong rule of symmetry causes errors that cancel out.
        let wrong = altered(8, |unit, tally| match unit {
            1 => tally.solutions += 1,
            6 => tally.solutions -= 1,
            _ => {}
        });
        let mut nowhere = altered(8, |_, _| ());
        nowhere.is_located = false;
        let mut nothing = altered(8, |_, tally| tally.solutions = 0);
        nothing.is_located = false;
        let (cancel, progress) = (CancelToken::new(), Progress::new());
        let expected = consult_reference(&[&right, &wrong, &nowhere, &nothing], &cancel, &progress).unwrap();
        let Snapshot { units, units_done, fraction, .. } = progress.snapshot();
        assert_eq!((units, units_done, fraction), (92, 92, 1.0));
        let [of_right, of_wrong, of_nowhere, of_nothing] = &expected[..] else { panic!("four plans") };
        assert_eq!((of_right.total(), check(of_right, &right)), (92, vec![]));
        let found = [(Some(1), 9, 8), (Some(6), 7, 8)];
        assert_eq!(check(of_wrong, &wrong), found);
        let each_unit: Vec<_> = (0..8).zip([4, 8, 16, 18, 18, 16, 8, 4]).map(|(at, it)| (Some(at), it, 0)).collect();
        assert_eq!(check(of_nowhere, &nowhere), each_unit);
        let of_some = Expected::by_count(Count::new(&right).units([0, 6, 1, 7]).threads(1)).unwrap();
        assert_eq!(check(&of_some, &wrong), found);
        assert_eq!(check(of_nothing, &nothing), [(None, 0, 92)]);
    }

    /// Without the number of boards, a share of it would be wrong.
    #[test]
    fn the_progress_stays_at_zero_if_the_number_of_boards_is_unknown() {
        let after_20_boards = |n| {
            let progress = Progress::new();
            let total = consult(size(n), reference_boards(size(n)).take(20).map(Ok), &[], &progress);
            assert!(total.is_err(), "n = {n} has more boards");
            progress.snapshot()
        };
        assert_eq!(after_20_boards(9).units_done, 20);
        assert_eq!(after_20_boards(28), Snapshot::default());
    }

    #[test]
    fn plans_for_several_sizes_are_an_error() {
        let plans = [4, 5].map(|n| altered(n, |_, _| ()));
        let expected = consult_reference(&[&plans[0], &plans[1]], &CancelToken::new(), &Progress::new());
        let error = expected.err().unwrap();
        assert_eq!(error, Error::Sizes { first: 4, other: 5 });
        assert_eq!(error.to_string(), "these plans are for n = 4 and n = 5: give plans for one size");
    }

    #[test]
    fn a_reference_that_does_not_list_all_solutions_in_order_is_an_error() {
        let list = |boards: &[Board]| consult(size(6), boards.iter().cloned().map(Ok), &[], &Progress::new());
        let right: Vec<Board> = reference_boards(size(6)).collect();
        assert!(list(&right).is_ok());
        let attacked = Board::new(vec![5; 6]).unwrap();
        let larger = reference_boards(size(7)).last().unwrap();
        for wrong in [
            right[1..].to_vec(),
            [&right[..1], &right[..3]].concat(),
            [&right[1..], &right[..1]].concat(),
            [&right[..3], &[attacked]].concat(),
            [&right[..3], &[larger]].concat(),
        ] {
            assert!(matches!(list(&wrong), Err(Error::Bug { .. })), "{wrong:?}");
        }
    }

    #[test]
    fn a_plan_without_units_or_with_too_many_is_no_panic() {
        let cancel = CancelToken::new();
        // On a board with two rows, no pair of queens can be placed.
        let without = Turn::Half.plan(size(2));
        assert_eq!((without.units(), representative_units(&*without)), (0, Ok(vec![])));
        let expected = consult_reference(&[&*without], &cancel, &Progress::new()).unwrap();
        assert_eq!(check(&expected[0], &*without), []);
        let mut plan = altered(4, |_, _| ());
        plan.units = usize::MAX;
        assert!(matches!(representative_units(&plan), Err(Error::Memory { .. })));
        assert!(matches!(Count::new(&plan).run(), Err(Error::Memory { .. })));
        assert!(matches!(consult_reference(&[&plan], &cancel, &Progress::new()), Err(Error::Memory { .. })));
        // One unit fewer than `locate` returns.
        plan.units = 2;
        let error = consult_reference(&[&plan], &cancel, &Progress::new()).err();
        assert_eq!(error, Some(Error::Unit { unit: 2, units: 2 }));
    }

    #[test]
    fn complete_counts_are_compared_with_published_ones_and_with_burnsides_lemma() {
        for n in 0..=27 {
            let published = known::solutions(size(n)).unwrap();
            assert_eq!(check_total(size(n), published), Ok(()));
            let fact = format!("the published count is {published}");
            let wrong = Error::wrong(size(n), published + 8, &fact);
            assert_eq!(check_total(size(n), published + 8), Err(wrong));
        }
        // No count for n = 28 is published. A half turn leaves 1 250 901 440 solutions unchanged, and all others are in
        // orbits of eight.
        let passes = |&more: &u128| check_total(size(28), 1_250_901_440 + more).is_ok();
        assert_eq!((0..32).filter(passes).collect::<Vec<_>>(), [0, 8, 16, 24]);
        assert!(check_total(size(28), 1_250_901_432).is_err());
        assert!(check_total(size(28), u128::MAX).is_err());
    }
}
