//! How many solutions there are of each class of symmetry, by Burnside's lemma.

use crate::{Error, Result};

/// The solutions of one size by how symmetric they are.
///
/// # How the numbers follow from three counts
///
/// Let A be the number of all solutions, H of those that the half turn leaves as they are, Q of those that a quarter turn
/// does. *Burnside's lemma*: the number of orbits under a group is the mean, over its elements, of how many solutions each
/// leaves as they are. (Count the pairs of a symmetry g and a solution x with gx = x. Each solution x is in as many as its
/// stabilizer has elements, which is the size of the group divided by the size of x's orbit; so each orbit is in as many as
/// the group has elements.) Of the eight symmetries of the square,
///
/// - the identity leaves all A as they are,
/// - the half turn H, and each of the two quarter turns Q: what one leaves as it is, so does the other, its inverse;
/// - a reflection none, for n >= 2. Left-right sends the queen of a row to the same row, where there is only one, so she
///   stands in the middle column; and so would the queen of every other row. Up-down likewise. A reflection at a
///   diagonal sends the queen of a square off that diagonal to another square of the same antidiagonal (the two squares
///   mirror each other), so two queens would attack each other: all queens stand on the axis, and attack each other there.
///
/// So there are (A + H + 2Q) / 8 orbits: the *fundamental* solutions. By the same argument the stabilizer of a solution
/// holds turns only; it is one of three groups, and orbits have 8, 4 or 2 solutions:
///
/// - all turns: Q solutions, in Q / 2 orbits of 2 ("doubly centrosymmetric", A260318);
/// - the half turn, no quarter turn: H - Q solutions, in (H - Q) / 4 orbits of 4 ("centrosymmetric", A260319);
/// - none: A - H solutions, in (A - H) / 8 orbits of 8 ("asymmetric", A260320).
///
/// For n <= 1 the only board is its own image under all eight, reflections too: one orbit of one solution, which stands
/// here with those that a quarter turn leaves as they are, as it does in A260318.
///
/// With the feature `serde` all of it is written; the size and the three counts are read, and the rest follows again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(try_from = "Counts"))]
#[non_exhaustive]
pub struct Classes {
    /// The size n.
    pub size: usize,
    /// All solutions, A000170.
    #[cfg_attr(feature = "serde", serde(with = "crate::decimal"))]
    pub all: u128,
    /// Solutions that the half turn leaves as they are, A032522.
    #[cfg_attr(feature = "serde", serde(with = "crate::decimal"))]
    pub half_turn: u128,
    /// Solutions that a quarter turn leaves as they are, A033148.
    #[cfg_attr(feature = "serde", serde(with = "crate::decimal"))]
    pub quarter_turn: u128,
    /// Orbits, so solutions of which none is an image of another, A002562.
    #[cfg_attr(feature = "serde", serde(with = "crate::decimal"))]
    pub fundamental: u128,
    /// Orbits of solutions that no turn leaves as they are, A260320: 8 in each.
    #[cfg_attr(feature = "serde", serde(with = "crate::decimal"))]
    pub asymmetric_orbits: u128,
    /// Orbits of solutions that only the half turn leaves as they are, A260319: 4 in each.
    #[cfg_attr(feature = "serde", serde(with = "crate::decimal"))]
    pub half_turn_orbits: u128,
    /// Orbits of solutions that a quarter turn leaves as they are, A260318: 2 in each for n >= 2.
    #[cfg_attr(feature = "serde", serde(with = "crate::decimal"))]
    pub quarter_turn_orbits: u128,
}

/// The counts as they are read.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
struct Counts {
    size: usize,
    #[serde(with = "crate::decimal")]
    all: u128,
    #[serde(with = "crate::decimal")]
    half_turn: u128,
    #[serde(with = "crate::decimal")]
    quarter_turn: u128,
}

#[cfg(feature = "serde")]
impl TryFrom<Counts> for Classes {
    type Error = Error;

    fn try_from(Counts { size, all, half_turn, quarter_turn }: Counts) -> Result<Self> {
        Self::new(size, all, half_turn, quarter_turn)
    }
}

impl Classes {
    /// What follows from the three counts for an n x n board.
    ///
    /// # Errors
    /// [`Error::Indivisible`] where they do not fit together, so that one of them must be wrong.
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
        // The published count for n = 24 that was wrong by 182 * 2^32 (A140393) is a multiple of 8 away: not all slips show.
        assert!(Classes::new(24, 227_514_171_973_736 + 1, 11_675_080, 3_328).is_err());
    }
}
