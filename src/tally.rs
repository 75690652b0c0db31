//! The number types of counts: checked 128-bit numbers for units of work and totals. Internally, solvers use smaller
//! numbers, which are checked too or come with a proof that they cannot overflow.

use crate::{Error, Result};

/// The work that a solver did, independent of the clock and of the number of threads, so that two counts can be
/// compared.
///
/// The figures depend on the size, the solver and its version. For the solvers of this crate, only `words` also depends
/// on the instruction set, because the code of some sets packs more into a word. The figures of one unit stay below
/// 2^64, and a sum that would exceed 2^64 - 1 stays at that number.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Work {
    /// The number of queens placed during the search. A queen that is placed in many partial placements at once counts
    /// once. `color` counts the steps of its programs instead, which may place two queens at once; graphics cards count
    /// nothing.
    #[cfg_attr(feature = "serde", serde(with = "crate::decimal"))]
    pub nodes: u64,
    /// The number of 512-bit words that the solver `color` visited; each bit is a partial placement. 0 for other
    /// solvers. In JSON, its name is the older one, which saved results have.
    #[cfg_attr(feature = "serde", serde(rename = "lane_words", with = "crate::decimal"))]
    pub words: u64,
}

impl Work {
    /// Returns the work of a search that placed `nodes` queens.
    #[must_use]
    pub fn of_nodes(nodes: u64) -> Self {
        Self { nodes, ..Self::default() }
    }

    /// Adds the figures of `other`.
    pub fn add(&mut self, other: Work) {
        self.nodes = self.nodes.saturating_add(other.nodes);
        self.words = self.words.saturating_add(other.words);
    }
}

/// The number of solutions that one or more units counted, and the work that it took.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Tally {
    /// The number of solutions, multiplied by their symmetry weights. From n = 29 on, totals are expected to need more
    /// than 64 bits.
    #[cfg_attr(feature = "serde", serde(with = "crate::decimal"))]
    pub solutions: u128,
    /// The work that the count took.
    pub work: Work,
}

impl Tally {
    /// Creates a tally of `solutions` and `work`.
    #[must_use]
    pub fn new(solutions: u128, work: Work) -> Self {
        Self { solutions, work }
    }

    /// Adds the numbers of `other`.
    ///
    /// # Errors
    /// [`Error::Bug`] if the sum does not fit in 128 bits.
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
        // For n = 27, `bitmask` places about as many queens.
        total.work.add(work(u64::MAX, 0));
        assert_eq!(total.work, work(u64::MAX, 70));
    }
}
