//! The weights of the entries of a turned table: [`Class::column_weight`] for each pair of column sets.
//!
//! Of a coloring and its transpose, whose rows are (F, G), the one whose rows have the higher ranks is counted. The
//! weight of the columns (F, G) is therefore 2, 1 or 0 if their ranks are below, equal to or above the ranks of the
//! rows (E, O). No list set has a higher rank than O, so three comparisons decide:
//!
//! - If the filling side's set has the rank of O, the summing side's set is compared with E.
//! - Otherwise, if the summing side's set has the rank of O, the filling side's set is compared with E.
//! - Otherwise, both ranks are below the rank of O, and the weight is 2.
//!
//! On an odd board, only G is compared with O, and only F with E. The weight then also contains a factor for the
//! reflection of G.

use crate::Result;
use crate::color::plan::Class;
use crate::color::split::{Color, Subset};
use crate::memory::{grow, refill};
use crate::simd::BLOCK_LANES;

/// The weights of a turned table's entries.
#[derive(Debug, Default)]
pub(crate) struct Weights {
    /// Those of the filling side, each of whose list sets has a row in the turned table.
    pub(crate) filling: LaneWeights,
    /// Those of the summing side, each of whose list sets has a byte in every row.
    pub(crate) summing: LaneWeights,
}

/// What weights depend on, for each lane of one side's list. The list sets of a side are all sets of even columns or
/// all sets of odd columns. They are padded to whole blocks with sets of factor 0.
#[derive(Debug, Default)]
pub(crate) struct LaneWeights {
    ranks: Vec<u32>,
    /// How many sets each set represents by reflection.
    factors: Vec<u8>,
    /// Whether a set has the rank of O.
    equals_o: Vec<bool>,
    /// For the current E: 2, 1 or 0 if the rank of a set is below, equal to or above the rank of E.
    against_e: Vec<u8>,
}

impl LaneWeights {
    /// Replaces the sets with the list sets of a color, for the odd rows `o`.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub(crate) fn replace(&mut self, class: &Class, color: Color, sets: &[Subset], o: Subset) -> Result<()> {
        let padded = sets.len().next_multiple_of(BLOCK_LANES);
        // White has the list sets G, and black has the list sets F. On an odd board, only G is compared with O.
        let columns_are_odd = color == Color::White;
        let rank = |&set: &Subset| if columns_are_odd { class.rank(set) } else { class.even_rank(set) };
        refill(&mut self.ranks, sets.iter().map(rank))?;
        grow(&mut self.ranks, padded, 0)?;
        let factor = |&set: &Subset| if columns_are_odd { class.odd_column_factor(set, o) } else { 1 };
        refill(&mut self.factors, sets.iter().map(factor))?;
        grow(&mut self.factors, padded, 0)?;
        let rank_of_o = (columns_are_odd || class.is_even()).then(|| class.rank(o));
        refill(&mut self.equals_o, self.ranks.iter().map(|&rank| Some(rank) == rank_of_o))
    }

    /// Compares the ranks of the sets with the rank of E.
    fn compare(&mut self, rank_of_e: u32) -> Result<()> {
        let against_e = |&rank: &u32| u8::from(rank <= rank_of_e) + u8::from(rank < rank_of_e);
        refill(&mut self.against_e, self.ranks.iter().map(against_e))
    }
}

impl Weights {
    /// Returns an upper bound of the weights.
    pub(crate) fn bound(&self) -> u32 {
        let largest = |sets: &LaneWeights| u32::from(sets.factors.iter().copied().max().unwrap_or(1));
        2 * largest(&self.filling) * largest(&self.summing)
    }

    /// Prepares the weights for the row coloring (E, O).
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub(crate) fn compare(&mut self, class: &Class, e: Subset) -> Result<()> {
        let rank_of_e = class.even_rank(e);
        self.filling.compare(rank_of_e)?;
        self.summing.compare(rank_of_e)
    }

    /// Returns the weights of the entries of `set`, the number of a list set of the filling side, in one block of the
    /// summing side's list sets.
    #[inline(always)]
    pub(super) fn of(&self, set: usize, block: usize) -> [u8; BLOCK_LANES] {
        let Self { filling, summing } = self;
        let first = block * BLOCK_LANES;
        let against_e: &[u8; BLOCK_LANES] = summing.against_e[first..].first_chunk().expect("blocks are whole");
        let equals_o: &[bool; BLOCK_LANES] = summing.equals_o[first..].first_chunk().expect("blocks are whole");
        let factors: &[u8; BLOCK_LANES] = summing.factors[first..].first_chunk().expect("blocks are whole");
        let (set_equals_o, set_against_e, factor) =
            (filling.equals_o[set], filling.against_e[set], filling.factors[set]);
        let mut weights = [0; BLOCK_LANES];
        for other in 0..BLOCK_LANES {
            let transposed = match (set_equals_o, equals_o[other]) {
                (true, _) => against_e[other],
                (false, true) => set_against_e,
                (false, false) => 2,
            };
            weights[other] = factor * factors[other] * transposed;
        }
        weights
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::color::plan::Side;
    use crate::color::tuning::UnitTuning;

    /// Compares the weights of all entries with their definition, for each E that is counted with `o`. Returns the
    /// number of list sets of the summing side.
    fn check(class: &Class, o: Subset) -> usize {
        let listed = |side: Side| -> Vec<Subset> {
            let sets = if side.color == Color::White { &class.odd_sets } else { &class.even_sets };
            sets.iter().copied().filter(|&set| class.keeps_lane(side.color, set, o)).collect()
        };
        let sides = class.sides;
        let [filling, summing] = [sides.filling, sides.summing].map(listed);
        let mut weights = Weights::default();
        weights.filling.replace(class, sides.filling.color, &filling, o).unwrap();
        weights.summing.replace(class, sides.summing.color, &summing, o).unwrap();
        for &e in class.even_sets.iter().filter(|&&e| class.row_weight(e, o) > 0) {
            weights.compare(class, e).unwrap();
            for (set, &of_filling) in filling.iter().enumerate() {
                let weight = |of_summing| {
                    let columns = match sides.filling.color {
                        Color::White => [of_summing, of_filling],
                        Color::Black => [of_filling, of_summing],
                    };
                    class.column_weight(columns, [e, o])
                };
                for (block, sets) in summing.chunks(BLOCK_LANES).enumerate() {
                    let mut expected = [0; BLOCK_LANES];
                    expected.iter_mut().zip(sets).for_each(|(expected, &of_summing)| *expected = weight(of_summing));
                    let found = weights.of(set, block).map(u64::from);
                    assert_eq!(found, expected, "n = {}, E {e:x}, O {o:x}", class.geometry.n);
                }
            }
        }
        summing.len()
    }

    /// Equal ranks are rare, and a sum hides a wrong weight of an entry that is 0.
    #[test]
    fn weights_are_those_of_column_colorings_and_0_in_the_padding() {
        for n in 6..=13 {
            for class in Class::all(n, UnitTuning::new(n)) {
                class.counted_odd_sets().for_each(|o| _ = check(&class, o));
            }
        }
        for n in [16, 17] {
            let mut most_sets = 0;
            for class in Class::all(n, UnitTuning::new(n)) {
                // Lists with a high O are longer.
                let sets_o: Vec<Subset> = class.counted_odd_sets().collect();
                let most = sets_o.iter().rev().step_by(30).map(|&o| check(&class, o)).max();
                most_sets = most_sets.max(most.unwrap_or_default());
            }
            assert!(most_sets > BLOCK_LANES, "n = {n}: no list has two blocks");
        }
    }
}
