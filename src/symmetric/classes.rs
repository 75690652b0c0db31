//! The number of solutions of each class of symmetry, by Burnside's lemma.

use crate::board::{Size, known};
use crate::{Error, Result};

/// The numbers of solutions and orbits for one size, by class of symmetry.
///
/// # How the numbers follow from three counts
///
/// A symmetry *fixes* a solution if it does not change the solution. Let A be the number of all solutions, H the number
/// that the half turn fixes, and Q the number that a quarter turn fixes.
///
/// **Burnside's lemma.** The number of orbits under a group is the mean, over the elements of the group, of the number
/// of solutions that the element fixes.
///
/// Proof: count the pairs of a symmetry g and a solution x such that g fixes x. Because the stabilizer of x has |group|
/// / |orbit of x| elements, x is in that many pairs, so the solutions of each orbit are together in |group| pairs.
///
/// **The square** has eight symmetries:
///
/// - The identity fixes all A solutions.
/// - The half turn fixes H. Each of the two quarter turns fixes Q, because they are inverse to each other.
/// - A reflection fixes none, for n >= 2. The reflection that exchanges left and right maps each row to itself. Since a
///   row contains one queen, a fixed board would have all queens in the middle column, where they attack each other.
///   The same holds for top and bottom. A reflection in a diagonal moves each queen outside the diagonal along a line
///   at right angles to it, so a fixed board would have two queens on that line, unless all queens stand on the
///   diagonal itself, where they attack each other.
///
/// There are therefore (A + H + 2Q) / 8 orbits, the *fundamental* solutions. Since no reflection fixes a solution,
/// there are three kinds of solutions:
///
/// - Q solutions that all turns fix, in Q / 2 orbits of 2 ("doubly centrosymmetric", A260318)
/// - H - Q solutions that only the half turn fixes, in (H - Q) / 4 orbits of 4 ("centrosymmetric", A260319)
/// - A - H solutions that no turn fixes, in (A - H) / 8 orbits of 8 ("asymmetric", A260320)
///
/// For n <= 1, all eight symmetries fix the only board, which is an orbit of one solution. Here, as in A260318, it
/// counts among the solutions that a quarter turn fixes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Classes {
    /// The size n.
    pub size: Size,
    /// The number of all solutions, A000170.
    #[cfg_attr(feature = "serde", serde(with = "crate::decimal"))]
    pub all: u128,
    /// The number of solutions that look the same after the half turn, A032522.
    #[cfg_attr(feature = "serde", serde(with = "crate::decimal"))]
    pub half_turn: u128,
    /// The number of solutions that look the same after a quarter turn, A033148.
    #[cfg_attr(feature = "serde", serde(with = "crate::decimal"))]
    pub quarter_turn: u128,
    /// The number of fundamental solutions, one for each orbit, A002562.
    #[cfg_attr(feature = "serde", serde(with = "crate::decimal"))]
    pub fundamental: u128,
    /// The number of orbits of 8 solutions, which every turn changes, A260320.
    #[cfg_attr(feature = "serde", serde(with = "crate::decimal"))]
    pub asymmetric_orbits: u128,
    /// The number of orbits of 4 solutions, which look the same only after the half turn, A260319.
    #[cfg_attr(feature = "serde", serde(with = "crate::decimal"))]
    pub half_turn_orbits: u128,
    /// The number of orbits of 2 solutions, which no turn changes, A260318. For n <= 1, the only orbit has 1 solution.
    #[cfg_attr(feature = "serde", serde(with = "crate::decimal"))]
    pub quarter_turn_orbits: u128,
}

impl Classes {
    /// Computes all numbers from three counts: of all solutions, and of those that look the same after a half turn and
    /// after a quarter turn.
    ///
    /// # Errors
    /// [`Error::Bug`] if a count is not the published one, or if a number of orbits would not be whole.
    pub fn new(size: Size, all: u128, half_turn: u128, quarter_turn: u128) -> Result<Self> {
        for (what, counted, published) in [
            ("count", all, known::solutions(size)),
            // Published from n = 1 on. For n = 0, the empty board looks the same after every turn.
            ("count of solutions that a half turn leaves unchanged", half_turn, known::half_turn(size).or(Some(1))),
            (
                "count of solutions that a quarter turn leaves unchanged",
                quarter_turn,
                known::quarter_turn(size).or(Some(1)),
            ),
        ] {
            if let Some(published) = published.filter(|&published| published != counted) {
                return Err(Error::wrong(size, counted, &format!("the published {what} is {published}")));
            }
        }
        let asymmetric = all.checked_sub(half_turn).filter(|asymmetric| asymmetric.is_multiple_of(8));
        let whole = || Error::wrong(size, all, "Burnside's lemma gives no whole number of orbits");
        let asymmetric_orbits = asymmetric.ok_or_else(whole)? / 8;
        // Both numbers are the published ones, so the difference is not negative.
        let half_turn_orbits = (half_turn - quarter_turn) / 4;
        let quarter_turn_orbits = if size.get() < 2 { quarter_turn } else { quarter_turn / 2 };
        let fundamental = asymmetric_orbits + half_turn_orbits + quarter_turn_orbits;
        Ok(Self {
            size,
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

    fn size(n: usize) -> Size {
        Size::new(n).unwrap()
    }

    #[test]
    fn counts_that_do_not_fit_together_are_refused() {
        let eight = Classes::new(size(8), 92, 4, 0).unwrap();
        assert_eq!((eight.fundamental, eight.asymmetric_orbits, eight.half_turn_orbits), (12, 11, 1));
        for [all, half_turn, quarter_turn] in [[93, 4, 0], [92, 4, 4], [92, 12, 0], [92, 4, 8]] {
            let wrong = Classes::new(size(8), all, half_turn, quarter_turn);
            assert!(matches!(wrong, Err(Error::Bug { .. })), "{wrong:?}");
        }
        for n in [0, 1] {
            assert_eq!(Classes::new(size(n), 1, 1, 1).unwrap().fundamental, 1);
        }
        // Nobody has published the number of all solutions for n = 28.
        let [half_turn, quarter_turn] = [1_250_901_440, 32_896];
        assert_eq!(Classes::new(size(28), half_turn + 8, half_turn, quarter_turn).unwrap().asymmetric_orbits, 1);
        for all in [0, half_turn + 4] {
            assert!(Classes::new(size(28), all, half_turn, quarter_turn).is_err());
        }
    }
}
