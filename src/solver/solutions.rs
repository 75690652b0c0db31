//! An iterator over solutions, for every solver.

use std::iter::FusedIterator;

use crate::CancelToken;
use crate::board::Solution;

/// Iterates over solutions in lexicographic order, in constant memory.
///
/// [`size_hint`](Iterator::size_hint) has a lower bound of 0. The upper bound counts all boards with one queen in each
/// row and column, so it is far too high.
///
/// ```
/// let mut solutions = nqueens::solutions(6)?;
/// assert_eq!(solutions.size_hint(), (0, Some(720)));
/// assert_eq!(solutions.by_ref().count(), 4);
/// assert_eq!(solutions.size_hint(), (0, Some(0)));
/// # Ok::<(), nqueens::Error>(())
/// ```
///
/// On a large board the search for the next solution may take hours. [`cancelled_by`](Self::cancelled_by) can stop it.
pub struct Solutions {
    next: Box<Next>,
    cancel: CancelToken,
    state: State,
    found: usize,
    /// Upper bound of the number of solutions that are left. `None` if it does not fit a `usize`.
    at_most: Option<usize>,
}

/// Finds the next solution.
type Next = dyn FnMut(&CancelToken) -> Option<Solution> + Send;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Searching,
    Complete,
    Stopped,
}

impl Solutions {
    /// Makes an iterator for an n x n board from the solutions of `boards`. Between two solutions it asks its token.
    #[must_use]
    pub fn new(n: usize, boards: impl Iterator<Item = Solution> + Send + 'static) -> Self {
        let mut boards = boards;
        Self::stoppable(n, move |_| boards.next())
    }

    /// Makes an iterator for an n x n board from the solutions that `next` finds.
    ///
    /// `next` returns `None` after the last solution, and soon after its token is cancelled. Then it is not called
    /// again.
    #[must_use]
    pub fn stoppable(n: usize, next: impl FnMut(&CancelToken) -> Option<Solution> + Send + 'static) -> Self {
        Self::at_most(product(1..=n), next)
    }

    /// Like [`stoppable`](Self::stoppable), for solutions that a half turn does not change. The queens in half of the
    /// rows determine the others, so the upper bound of the number of solutions is smaller.
    #[must_use]
    pub(crate) fn half_turn(n: usize, next: impl FnMut(&CancelToken) -> Option<Solution> + Send + 'static) -> Self {
        Self::at_most(product((1..=n / 2).map(|row| 2 * row)), next)
    }

    fn at_most(at_most: Option<usize>, next: impl FnMut(&CancelToken) -> Option<Solution> + Send + 'static) -> Self {
        Self { next: Box::new(next), cancel: CancelToken::new(), state: State::Searching, found: 0, at_most }
    }

    /// Ends within milliseconds when `cancel` is cancelled, also during the search for the next solution. Then
    /// [`is_stopped`](Self::is_stopped) is true.
    ///
    /// ```
    /// let cancel = nqueens::CancelToken::new();
    /// let mut solutions = nqueens::solutions(8)?.cancelled_by(&cancel);
    /// assert!(solutions.next().is_some());
    /// cancel.cancel();
    /// assert!(solutions.next().is_none() && solutions.is_stopped());
    /// # Ok::<(), nqueens::Error>(())
    /// ```
    #[must_use]
    pub fn cancelled_by(mut self, cancel: &CancelToken) -> Self {
        self.cancel = cancel.clone();
        self
    }

    /// Whether it ended because its token was cancelled. Then solutions may be missing.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.state == State::Stopped
    }
}

fn product(mut factors: impl Iterator<Item = usize>) -> Option<usize> {
    factors.try_fold(1usize, usize::checked_mul)
}

impl Iterator for Solutions {
    type Item = Solution;

    fn next(&mut self) -> Option<Solution> {
        if self.state != State::Searching {
            return None;
        }
        let next = if self.cancel.is_cancelled() { None } else { (self.next)(&self.cancel) };
        match next {
            Some(_) => {
                self.found += 1;
                self.at_most = self.at_most.map(|left| left.saturating_sub(1));
            }
            None => {
                self.state = if self.cancel.is_cancelled() { State::Stopped } else { State::Complete };
                self.at_most = Some(0);
            }
        }
        next
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, self.at_most)
    }
}

impl FusedIterator for Solutions {}

/// Shows the number of solutions found so far.
impl std::fmt::Debug for Solutions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Solutions").field("found", &self.found).field("at_most", &self.at_most).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Size;
    use crate::solver::registry;
    use crate::symmetric::{self, Turn};

    /// Checks `size_hint` before each solution.
    fn check(solutions: impl Fn() -> Solutions) {
        let mut left = solutions().count();
        let mut solutions = solutions();
        loop {
            let (least, most) = solutions.size_hint();
            assert!(least <= left && most.is_none_or(|most| left <= most), "{solutions:?}: {left} left");
            if solutions.next().is_none() {
                break;
            }
            left -= 1;
        }
        assert_eq!((left, solutions.size_hint(), solutions.next()), (0, (0, Some(0)), None));
    }

    #[test]
    fn no_stream_has_more_solutions_than_its_hint_says() {
        for n in 0..=10 {
            check(|| crate::solutions(n).unwrap());
            check(|| symmetric::solutions(Turn::Half, n).unwrap());
            check(|| symmetric::solutions(Turn::Quarter, n).unwrap());
        }
        // The number does not fit 32 bits.
        let of_20 = usize::try_from(2_432_902_008_176_640_000_u64).ok();
        assert_eq!(crate::solutions(20).unwrap().size_hint(), (0, of_20));
        assert_eq!(crate::solutions(32).unwrap().size_hint(), (0, None));
        assert_eq!(symmetric::solutions(Turn::Half, 13).unwrap().size_hint(), (0, Some(46_080)));
        let mut eight = crate::solutions(8).unwrap();
        eight.next();
        assert_eq!(format!("{eight:?}"), "Solutions { found: 1, at_most: Some(40319), .. }");
        assert_eq!(crate::board::fundamental(eight).size_hint(), (0, Some(40_319)));
    }

    /// Stops every iterator at every place where it asks its token. Until then it yields the first solutions.
    #[test]
    fn a_stopped_stream_yields_the_first_solutions_and_says_that_it_was_stopped() {
        type Stream = fn(usize) -> Solutions;
        let streams: [(usize, Stream); 4] = [
            (13, |n| crate::solutions(n).unwrap()),
            (12, |n| registry::reference().solutions(Size::new(n).unwrap()).unwrap()),
            (20, |n| symmetric::solutions(Turn::Half, n).unwrap()),
            (32, |n| symmetric::solutions(Turn::Quarter, n).unwrap()),
        ];
        for (n, stream) in streams {
            // To list all solutions would take too long here.
            let some: Vec<Solution> = stream(n).take(10).collect();
            let mut asked_while_searching = false;
            for asks in (0..40).chain([1000]) {
                let mut solutions = stream(n).cancelled_by(&CancelToken::after(asks));
                let found: Vec<Solution> = solutions.by_ref().take(some.len()).collect();
                assert_eq!(found, some[..found.len()], "n = {n}, {asks} asks");
                assert_eq!(solutions.is_stopped(), found.len() < some.len());
                asked_while_searching |= found.len() + 1 < asks && solutions.is_stopped();
                if solutions.is_stopped() {
                    assert_eq!((solutions.size_hint(), solutions.next()), ((0, Some(0)), None));
                }
            }
            assert!(asked_while_searching, "n = {n} is stopped between solutions only");
            let mut complete = stream(4).cancelled_by(&CancelToken::new());
            assert!(complete.by_ref().count() > 0 && !complete.is_stopped());
        }
    }
}
