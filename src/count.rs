//! The number types of a count: checked 128 bits, for a unit of work as for totals; what is smaller inside a solver is
//! checked too, or cannot overflow.
//!
//! The published count for n = 24 was once wrong by exactly 182 * 2^32: a 32-bit overflow nobody saw. Here every
//! addition of counts is checked or cannot overflow.

use crate::{Error, Result};

/// What a solver did, in figures that depend on the input alone and never on the clock, the machine's speed or the
/// number of threads: regression gates compare them for equality.
///
/// A unit of work does not come to 2^64 of anything: at ten thousand million a second that is 58 years. All units of a large
/// board together may, over all machines: such a sum stays at 2^64 - 1.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Work {
    /// Queens placed during the search. Where many partial placements are searched at a time, a queen placed in all of
    /// them is one.
    #[cfg_attr(feature = "serde", serde(with = "crate::decimal"))]
    pub nodes: u64,
    /// Words of 512 bits touched where partial placements are searched a bit each; 0 for other solvers.
    #[cfg_attr(feature = "serde", serde(rename = "lane_words", with = "crate::decimal"))]
    pub words: u64,
}

impl Work {
    /// The work of a search that placed so many queens.
    #[must_use]
    pub fn of_nodes(nodes: u64) -> Self {
        Self { nodes, ..Self::default() }
    }

    /// Adds another work figure to this one.
    pub fn add(&mut self, other: Work) {
        self.nodes = self.nodes.saturating_add(other.nodes);
        self.words = self.words.saturating_add(other.words);
    }

    /// Every figure with the name under which it is written in files.
    pub fn figures(self) -> impl Iterator<Item = (&'static str, u64)> {
        [("nodes", self.nodes), ("lane_words", self.words)].into_iter()
    }
}

/// What one unit of work counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Tally {
    /// Solutions, already multiplied by the weights of the symmetry and by the plan's divisor. A unit of n = 32 may have
    /// more than 64 bits of them.
    pub solutions: u128,
    /// The work it took.
    pub work: Work,
}

impl Tally {
    /// What a unit counted and what it took.
    #[must_use]
    pub fn new(solutions: u128, work: Work) -> Self {
        Self { solutions, work }
    }
}

/// The sum of many tallies.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Total {
    /// Solutions, still multiplied by the plan's divisor.
    pub solutions: u128,
    /// The work it took.
    pub work: Work,
}

impl Total {
    /// A sum of solutions and the work they took.
    #[must_use]
    pub fn new(solutions: u128, work: Work) -> Self {
        Self { solutions, work }
    }

    /// Adds one unit's tally.
    ///
    /// # Errors
    /// [`Error::Overflow`] where the sum passes 128 bits.
    pub fn add(&mut self, tally: Tally) -> Result<()> {
        self.merge(Total { solutions: tally.solutions, work: tally.work })
    }

    /// Adds another total.
    ///
    /// # Errors
    /// [`Error::Overflow`] where the sum passes 128 bits.
    pub fn merge(&mut self, other: Total) -> Result<()> {
        self.solutions = self.solutions.checked_add(other.solutions).ok_or(Error::Overflow { bits: 128 })?;
        self.work.add(other.work);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totals_past_64_bits_are_exact_and_past_128_an_error() {
        let mut total = Total::default();
        let tally = Tally { solutions: u128::from(u64::MAX), ..Tally::default() };
        total.add(tally).unwrap();
        total.add(tally).unwrap();
        assert_eq!(total.solutions, 2 * u128::from(u64::MAX));
        total.solutions = u128::MAX;
        assert_eq!(total.add(tally), Err(Error::Overflow { bits: 128 }));
    }

    #[test]
    fn work_is_added_figure_by_figure() {
        let work = |nodes, words| Work { nodes, words };
        let mut total = Total::default();
        total.add(Tally { solutions: 1, work: work(1, 20) }).unwrap();
        total.merge(Total { solutions: 5, work: work(4, 50) }).unwrap();
        assert_eq!(total, Total { solutions: 6, work: work(5, 70) });
        assert!(total.work.figures().eq([("nodes", 5), ("lane_words", 70)]));
        // The queens of n = 28 by `bitmask` are about as many.
        total.work.add(work(u64::MAX, 0));
        assert_eq!(total.work, work(u64::MAX, 70));
    }
}
