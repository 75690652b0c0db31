//! The number of solutions of each class of symmetry, by Burnside's lemma.

use crate::{Error, Result};

/// The number of solutions of one size, by how symmetric they are.
///
/// # How the numbers follow from three counts
///
/// A symmetry *fixes* a solution if it does not change it. Let A be the number of all solutions, H the number that the
/// half turn fixes, and Q the number that a quarter turn fixes.
///
/// **Burnside's lemma.** The number of orbits under a group is the mean number of solutions that an element of the
/// group fixes.
///
/// Proof: count the pairs of a symmetry g and a solution x where g fixes x. A solution x is in |group| / |orbit of x|
/// pairs, because its stabilizer has this size. So each orbit is in |group| pairs.
///
/// **The square.** It has eight symmetries:
///
/// - The identity fixes all A solutions.
/// - The half turn fixes H. Each of the two quarter turns fixes Q, because they are inverse to each other.
/// - A reflection fixes none, for n >= 2. Left-right keeps rows, and each row has one queen. So a fixed board would
///   have all its queens in the middle column, where they attack each other. Up-down is alike. A reflection at a
///   diagonal moves each queen beside it along a line at right angles to it. A fixed board would have two queens on
///   that line. So all queens would stand on the diagonal itself, where they attack each other.
///
/// So there are (A + H + 2Q) / 8 orbits: the *fundamental* solutions. No reflection fixes a solution, so there are
/// three kinds of orbits:
///
/// - All turns fix Q solutions, in Q / 2 orbits of 2 ("doubly centrosymmetric", A260318).
/// - Only the half turn fixes H - Q solutions, in (H - Q) / 4 orbits of 4 ("centrosymmetric", A260319).
/// - No turn fixes A - H solutions, in (A - H) / 8 orbits of 8 ("asymmetric", A260320).
///
/// For n <= 1 all eight symmetries fix the only board. It is one orbit of one solution. Here, as in A260318, it counts
/// as one that a quarter turn fixes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Classes {
    /// The size n.
    pub size: usize,
    /// All solutions, A000170.
    #[cfg_attr(feature = "serde", serde(with = "crate::decimal"))]
    pub all: u128,
    /// Solutions that the half turn does not change, A032522.
    #[cfg_attr(feature = "serde", serde(with = "crate::decimal"))]
    pub half_turn: u128,
    /// Solutions that a quarter turn does not change, A033148.
    #[cfg_attr(feature = "serde", serde(with = "crate::decimal"))]
    pub quarter_turn: u128,
    /// Fundamental solutions, one for each orbit, A002562.
    #[cfg_attr(feature = "serde", serde(with = "crate::decimal"))]
    pub fundamental: u128,
    /// Orbits of 8 solutions, which every turn changes, A260320.
    #[cfg_attr(feature = "serde", serde(with = "crate::decimal"))]
    pub asymmetric_orbits: u128,
    /// Orbits of 4 solutions, which only the half turn does not change, A260319.
    #[cfg_attr(feature = "serde", serde(with = "crate::decimal"))]
    pub half_turn_orbits: u128,
    /// Orbits of 2 solutions, which no turn changes, A260318. For n <= 1 the one orbit has 1 solution.
    #[cfg_attr(feature = "serde", serde(with = "crate::decimal"))]
    pub quarter_turn_orbits: u128,
}

impl Classes {
    /// Computes all numbers from the three counts for an n x n board.
    ///
    /// # Errors
    /// [`Error::Indivisible`] if a number of orbits would not be whole. Then a count is wrong.
    pub fn new(n: usize, all: u128, half_turn: u128, quarter_turn: u128) -> Result<Self> {
        let wrong = |sum, divisor| Error::Indivisible { sum, divisor };
        let divided = |sum: u128, divisor: u64| {
            if sum.is_multiple_of(divisor.into()) { Ok(sum / u128::from(divisor)) } else { Err(wrong(sum, divisor)) }
        };
        let asymmetric = all.checked_sub(half_turn).ok_or(wrong(all, 8))?;
        let half_only = half_turn.checked_sub(quarter_turn).ok_or(wrong(half_turn, 4))?;
        let asymmetric_orbits = divided(asymmetric, 8)?;
        let half_turn_orbits = divided(half_only, 4)?;
        let quarter_turn_orbits = divided(quarter_turn, if n < 2 { 1 } else { 2 })?;
        let fundamental = asymmetric_orbits + half_turn_orbits + quarter_turn_orbits;
        Ok(Self {
            size: n,
            all,
            half_turn,
            quarter_turn,
            fundamental,
            asymmetric_orbits,
            half_turn_orbits,
            quarter_turn_orbits,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_that_do_not_fit_together_are_refused() {
        let eight = Classes::new(8, 92, 4, 0).unwrap();
        assert_eq!((eight.fundamental, eight.asymmetric_orbits, eight.half_turn_orbits), (12, 11, 1));
        assert_eq!(Classes::new(8, 93, 4, 0), Err(Error::Indivisible { sum: 89, divisor: 8 }));
        assert!(Classes::new(8, 92, 4, 8).is_err());
        assert!(Classes::new(8, 0, 4, 0).is_err());
        assert_eq!(Classes::new(1, 1, 1, 1).unwrap().fundamental, 1);
        // Not every error shows: A140393, a wrong count for n = 24, differs from the right one by a multiple of 8.
        assert!(Classes::new(24, 227_514_171_973_736 + 1, 11_675_080, 3_328).is_err());
    }
}
