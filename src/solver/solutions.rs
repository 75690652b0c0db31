//! A stream of solutions, whoever finds them.

use std::iter::{Fuse, FusedIterator};

use crate::board::Solution;

/// Solutions one after the other, in lexicographic order and constant memory.
///
/// How many there are is not known before they have been found, so [`size_hint`](Iterator::size_hint) promises none; what
/// it says at most comes from counting placements without two queens in a row or a column, and is far above.
///
/// ```
/// let mut solutions = nqueens::solutions(6)?;
/// assert_eq!(solutions.size_hint(), (0, Some(720)));
/// assert_eq!(solutions.by_ref().count(), 4);
/// assert_eq!(solutions.size_hint(), (0, Some(0)));
/// # Ok::<(), nqueens::Error>(())
/// ```
pub struct Solutions {
    boards: Fuse<Box<dyn Iterator<Item = Solution> + Send>>,
    found: usize,
    /// How many may yet come; `None` where that does not fit the type.
    at_most: Option<usize>,
}

impl Solutions {
    /// The solutions for an n x n board, as `boards` yields them.
    #[must_use]
    pub fn new(n: usize, boards: impl Iterator<Item = Solution> + Send + 'static) -> Self {
        Self::at_most(product(1..=n), boards)
    }

    /// The same where a half turn leaves each of them as it is: the queens of one half of the rows decide the others, and
    /// each takes two columns that mirror each other.
    #[must_use]
    pub(crate) fn half_turn(n: usize, boards: impl Iterator<Item = Solution> + Send + 'static) -> Self {
        Self::at_most(product((1..=n / 2).map(|row| 2 * row)), boards)
    }

    fn at_most(at_most: Option<usize>, boards: impl Iterator<Item = Solution> + Send + 'static) -> Self {
        let boards: Box<dyn Iterator<Item = Solution> + Send> = Box::new(boards);
        Self { boards: boards.fuse(), found: 0, at_most }
    }
}

fn product(mut factors: impl Iterator<Item = usize>) -> Option<usize> {
    factors.try_fold(1usize, usize::checked_mul)
}

impl Iterator for Solutions {
    type Item = Solution;

    fn next(&mut self) -> Option<Solution> {
        let next = self.boards.next();
        match next {
            Some(_) => {
                self.found += 1;
                self.at_most = self.at_most.map(|left| left.saturating_sub(1));
            }
            None => self.at_most = Some(0),
        }
        next
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, self.at_most)
    }
}

impl FusedIterator for Solutions {}

/// How many were found so far.
impl std::fmt::Debug for Solutions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Solutions").field("found", &self.found).field("at_most", &self.at_most).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::symmetric::{self, Turn};

    /// As each solution is taken, no more are left than the hint says.
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
        for n in 0..=if cfg!(miri) { 6 } else { 10 } {
            check(|| crate::solutions(n).unwrap());
            check(|| symmetric::solutions(Turn::Half, n).unwrap());
            check(|| symmetric::solutions(Turn::Quarter, n).unwrap());
        }
        // Machines of 32 bits cannot say so many.
        let of_20 = usize::try_from(2_432_902_008_176_640_000_u64).ok();
        assert_eq!(crate::solutions(20).unwrap().size_hint(), (0, of_20));
        assert_eq!(crate::solutions(32).unwrap().size_hint(), (0, None));
        assert_eq!(symmetric::solutions(Turn::Half, 13).unwrap().size_hint(), (0, Some(46_080)));
        let mut eight = crate::solutions(8).unwrap();
        eight.next();
        assert_eq!(format!("{eight:?}"), "Solutions { found: 1, at_most: Some(40319), .. }");
        assert_eq!(crate::board::fundamental(eight).size_hint(), (0, Some(40_319)));
    }
}
