//! The number types of a count. Units of work and totals have checked 128-bit numbers. Smaller numbers inside a solver
//! are checked too, or have a proof that they cannot overflow.

use crate::{Error, Result};

/// How much work a solver did. The figures depend on the size, the solver and the instruction set but not on the clock
/// or the number of threads, so two counts can be compared. With another instruction set a solver may search in another
/// order or pack more into a word; then only the counts are equal.
///
/// The figures of one unit stay below 2^64. A sum over all units that would pass 2^64 - 1 stays there.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Work {
    /// Queens placed during the search. A queen that is placed in many partial placements at once counts once. `color`
    /// counts the steps of its programs, which may place two queens at once. Graphics cards count none.
    #[cfg_attr(feature = "serde", serde(with = "crate::decimal"))]
    pub nodes: u64,
    /// Words of 512 bits that the solver `color` visited, one bit for each partial placement. 0 for other solvers.
    #[cfg_attr(feature = "serde", serde(rename = "lane_words", with = "crate::decimal"))]
    pub words: u64,
}

impl Work {
    /// The work of a search that placed `nodes` queens.
    #[must_use]
    pub fn of_nodes(nodes: u64) -> Self {
        Self { nodes, ..Self::default() }
    }

    /// Adds another work figure to this one.
    pub fn add(&mut self, other: Work) {
        self.nodes = self.nodes.saturating_add(other.nodes);
        self.words = self.words.saturating_add(other.words);
    }
}

/// The number of solutions of one unit of work, or of many, and the work that it took.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Tally {
    /// Number of solutions, times their symmetry weights. Totals are expected to need more than 64 bits from n = 29 on.
    #[cfg_attr(feature = "serde", serde(with = "crate::decimal"))]
    pub solutions: u128,
    /// The work that it took.
    pub work: Work,
}

impl Tally {
    /// Makes a tally of `solutions` and `work`.
    #[must_use]
    pub fn new(solutions: u128, work: Work) -> Self {
        Self { solutions, work }
    }

    /// Adds another tally.
    ///
    /// # Errors
    /// [`Error::Bug`] if the sum exceeds 128 bits.
    pub fn add(&mut self, other: Tally) -> Result<()> {
        self.solutions = self.solutions.checked_add(other.solutions).ok_or_else(|| Error::overflow(128))?;
        self.work.add(other.work);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totals_past_64_bits_are_exact_and_past_128_an_error() {
        let mut total = Tally::default();
        let tally = Tally { solutions: u128::from(u64::MAX), ..Tally::default() };
        total.add(tally).unwrap();
        total.add(tally).unwrap();
        assert_eq!(total.solutions, 2 * u128::from(u64::MAX));
        total.solutions = u128::MAX;
        assert_eq!(total.add(tally), Err(Error::overflow(128)));
    }

    #[test]
    fn work_is_added_figure_by_figure() {
        let work = |nodes, words| Work { nodes, words };
        let mut total = Tally::default();
        total.add(Tally { solutions: 1, work: work(1, 20) }).unwrap();
        total.add(Tally { solutions: 5, work: work(4, 50) }).unwrap();
        assert_eq!(total, Tally { solutions: 6, work: work(5, 70) });
        // The queens of n = 28 by `bitmask` are about as many.
        total.work.add(work(u64::MAX, 0));
        assert_eq!(total.work, work(u64::MAX, 70));
    }
}
