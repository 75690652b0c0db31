//! The weights of all entries of a turned table: [`Class::column_weight`] for each pair of column sets.
//!
//! A row coloring (E, O) is counted together with its transpose, where columns (F, G) take the place of the rows. Of
//! the two, the one whose rows have the higher ranks is counted, so the weight of (F, G) is 2, 1 or 0 if its ranks are
//! below, equal to or above those of (E, O). Column sets of a rank above O have no row and no lane, so three
//! comparisons decide:
//!
//! - Is the rank of the filling side's set that of O? Then the summing side's set is compared with E.
//! - Else, is the rank of the summing side's set that of O? Then the filling side's set is compared with E.
//! - Else both ranks are below O, and the weight is 2.
//!
//! On an odd board only G is compared with O, and only F with E.

use crate::Result;
use crate::color::plan::Class;
use crate::color::split::{Color, Subset};
use crate::memory::{grow, refill};
use crate::simd::BLOCK_LANES;

/// The weights of a turned table's entries.
#[derive(Debug, Default)]
pub(crate) struct Weights {
    /// The list sets of the filling side, which are the rows of the turned table.
    pub(crate) filling: ColumnSets,
    /// The list sets of the summing side, which are its lanes.
    pub(crate) summing: ColumnSets,
}

/// The list sets of one side: all are sets of even columns, or all are sets of odd columns. They are padded to whole
/// blocks, with sets of factor 0.
#[derive(Debug, Default)]
pub(crate) struct ColumnSets {
    ranks: Vec<u32>,
    /// How many sets each set stands for by reflection.
    factors: Vec<u8>,
    /// Whether the rank of a set is that of O.
    equals_o: Vec<bool>,
    /// For the current E: 2, 1 or 0 if the rank of a set is below, equal to or above the rank of E.
    against_e: Vec<u8>,
}

impl ColumnSets {
    /// Replaces the sets by those of a color's list, for rows with `o`.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub(crate) fn replace(&mut self, class: &Class, color: Color, sets: &[Subset], o: Subset) -> Result<()> {
        let padded = sets.len().next_multiple_of(BLOCK_LANES);
        // White's list has sets G, Black's has sets F. On an odd board only G is compared with O.
        let is_odd = color == Color::White;
        let rank = |&set: &Subset| if is_odd { class.rank(set) } else { class.even_rank(set) };
        refill(&mut self.ranks, sets.iter().map(rank))?;
        grow(&mut self.ranks, padded, 0)?;
        let factor = |&set: &Subset| if is_odd { class.odd_column_factor(set, o) } else { 1 };
        refill(&mut self.factors, sets.iter().map(factor))?;
        grow(&mut self.factors, padded, 0)?;
        let rank_of_o = (is_odd || class.is_even()).then(|| class.rank(o));
        refill(&mut self.equals_o, self.ranks.iter().map(|&rank| Some(rank) == rank_of_o))
    }

    fn compare(&mut self, e: u32) -> Result<()> {
        let against_e = |&rank: &u32| u8::from(rank <= e) + u8::from(rank < e);
        refill(&mut self.against_e, self.ranks.iter().map(against_e))
    }
}

impl Weights {
    /// Upper bound of the weights.
    pub(crate) fn largest(&self) -> u32 {
        let largest = |sets: &ColumnSets| u32::from(sets.factors.iter().copied().max().unwrap_or(1));
        2 * largest(&self.filling) * largest(&self.summing)
    }

    /// Prepares the weights for the row coloring (E, O).
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub(crate) fn compare(&mut self, class: &Class, e: Subset) -> Result<()> {
        let e = class.even_rank(e);
        self.filling.compare(e)?;
        self.summing.compare(e)
    }

    /// The weights of a row of the turned table in one block.
    #[inline(always)]
    pub(super) fn of(&self, row: usize, block: usize) -> [u8; BLOCK_LANES] {
        let Self { filling: rows, summing: lanes } = self;
        let first = block * BLOCK_LANES;
        let against_e: &[u8; BLOCK_LANES] = lanes.against_e[first..].first_chunk().expect("blocks are whole");
        let equals_o: &[bool; BLOCK_LANES] = lanes.equals_o[first..].first_chunk().expect("blocks are whole");
        let factors: &[u8; BLOCK_LANES] = lanes.factors[first..].first_chunk().expect("blocks are whole");
        let (row_equals_o, row_against_e, row_factor) = (rows.equals_o[row], rows.against_e[row], rows.factors[row]);
        let mut weights = [0; BLOCK_LANES];
        for lane in 0..BLOCK_LANES {
            let transposed = match (row_equals_o, equals_o[lane]) {
                (true, _) => against_e[lane],
                (false, true) => row_against_e,
                (false, false) => 2,
            };
            weights[lane] = row_factor * factors[lane] * transposed;
        }
        weights
    }
}
